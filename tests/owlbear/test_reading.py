"""Tokens that come back: what a person changed, what copies say, what cannot be used, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rallypoint.kernel.encounter import SENT, Encounter, Imported
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.parts import Tracker
from rallypoint.kernel.state import State
from rallypoint_owlbear.export import export
from rallypoint_owlbear.reading import read

from .test_other_files import BUBBLES, RECORD, force

Json = dict[str, Any]
OWL = "com.owl-trackers/trackers"


def sent(encounter: Encounter | None = None, **options: str) -> Json:
    """Return our file: team a with units a0 (0 of 2) and a1 (1 of 3), team b with b0 (1 of 1), Stress 4."""
    encounter = encounter or force({"a": ((0, 2), (1, 3)), "b": ((1, 1),)})
    document: Json = json.loads(export(encounter, options).files["encounter.owlbear.json"])
    return document


def every_item(document: Json) -> list[Json]:
    return [item for token in document["tokens"] for item in token["items"]]


def entry(item: Json, identity: str) -> Json:
    found: Json = next(each for each in item["metadata"][OWL] if each["id"] == f"rallypoint-{identity}")
    return found


def back(*documents: Any) -> Imported:
    return read({f"file{n}.json": json.dumps(each).encode() for n, each in enumerate(documents)}, {})


def values(found: Imported) -> dict[tuple[str, str], int]:
    return {
        (entity.uid, name): tracker.value
        for entity in found.encounter.state
        for name, tracker in entity.trackers.items()
    }


UNCHANGED = {("p", "Stress"): 4, ("a0", "Wounds"): 0, ("a1", "Wounds"): 1, ("b0", "Wounds"): 1}


def test_what_nobody_touched_comes_back_as_it_was_sent() -> None:
    found = back(sent())
    assert values(found) == UNCHANGED
    assert {entity.uid: dict(entity.attributes[SENT]) for entity in found.encounter.state} == {  # type: ignore[arg-type]
        "p": {"Stress": 4},
        "a0": {"Wounds": 0},
        "a1": {"Wounds": 1},
        "b0": {"Wounds": 1},
    }
    # two discs with a label each: the labels are not ours to read
    assert found.counts == {"read": 4, "tokens": 2, "without_numbers": 0, "other_items": 2, "units": 3}
    assert (found.left_out, found.conflicts) == ((), ())
    assert (found.encounter.key, found.encounter.title, found.encounter.game) == ("enc", "Encounter", "disrupter")
    assert found.encounter.state["a1"].trackers["Wounds"].max == 3


def test_a_changed_bar_is_a_changed_unit_and_no_other() -> None:
    document = sent()
    entry(every_item(document)[0], "wounds-a1")["value"] = 3
    found = back(document)
    assert values(found) == {**UNCHANGED, ("a1", "Wounds"): 3}
    assert found.encounter.state["a1"].attributes[SENT] == {"Wounds": 1}


def test_one_changed_copy_of_stress_is_the_platoons() -> None:
    document = sent()
    entry(every_item(document)[2], "stress")["value"] = 6
    assert values(back(document))["p", "Stress"] == 6


def test_stress_changed_alike_twice_is_one_change_and_changed_otherwise_a_conflict() -> None:
    document = sent()
    first, second = every_item(document)[0], every_item(document)[2]
    entry(first, "stress")["value"] = entry(second, "stress")["value"] = 7
    assert values(back(document))["p", "Stress"] == 7
    entry(second, "stress")["value"] = 5
    found = back(document)
    assert ("p", "Stress") not in values(found)
    (line,) = found.conflicts
    assert line.startswith("Stress of p: sent 4, then 7 on A (file0.json: item 0); 5 on B (file0.json: item 2)")
    # What is not in conflict is there all the same.
    assert values(found)["a1", "Wounds"] == 1


def test_a_copied_token_is_named_and_its_change_counts() -> None:
    document = sent()
    items = every_item(document)
    copy = json.loads(json.dumps(items[0])) | {"id": "another"}
    entry(copy, "wounds-a0")["value"] = 2
    found = back([*items, copy])
    assert values(found)["a0", "Wounds"] == 2
    assert "file0.json: 2 tokens have the uid a, copies of one another" in found.notes


def test_the_newest_record_says_what_was_sent_last() -> None:
    old, new = sent(), sent()
    for item in every_item(new):
        if RECORD in item["metadata"]:
            item["metadata"][RECORD] |= {"rev": 2, "stress": 9}
            entry(item, "stress")["value"] = 9
    assert values(back(old, new))["p", "Stress"] == values(back(new, old))["p", "Stress"] == 9


def test_a_renamed_token_is_the_same_unit() -> None:
    document = sent()
    for item in every_item(document):
        item["name"] = "Boss"
    assert values(back(document)) == UNCHANGED


@pytest.mark.parametrize("name", ["O'Neil ", "O’Neil", "Отряд Ворон", "狐 🦊", "null"])
def test_names_do_not_matter_whatever_they_hold(name: str) -> None:
    document = sent()
    every_item(document)[0]["name"] = name
    entry(every_item(document)[0], "wounds-a0")["name"] = name
    assert values(back(document)) == UNCHANGED


def test_calm_is_calm() -> None:
    document = sent()
    for item in every_item(document):
        for tracker in item["metadata"].get(OWL, []):
            if tracker["id"] == "rallypoint-stress":
                tracker["value"] = 0
    assert values(back(document))["p", "Stress"] == 0


@pytest.mark.parametrize("value", [None, "2", True, -1, 3, 1.5, [2], {"a": 1}])
def test_a_number_that_is_none_is_named_and_stays(value: object) -> None:
    document = sent()
    entry(every_item(document)[0], "wounds-a0")["value"] = value
    found = back(document)
    assert values(found) == UNCHANGED
    (line,) = found.left_out
    assert line == f"Wounds of a0 on file0.json: item 0: found {value!r}, expected 0 to 2; kept as sent, 0"


def test_whole_numbers_of_a_browser_are_whole() -> None:
    document = sent()
    entry(every_item(document)[0], "wounds-a0")["value"] = 2.0
    assert values(back(document))["a0", "Wounds"] == 2


def test_a_tracker_that_was_taken_off_is_named() -> None:
    document = sent()
    item = every_item(document)[0]
    item["metadata"][OWL] = [each for each in item["metadata"][OWL] if each["id"] != "rallypoint-wounds-a1"]
    found = back(document)
    assert values(found) == UNCHANGED
    assert found.left_out == ("Wounds of a1 on file0.json: item 0: its tracker was taken off; kept as sent, 1",)


@pytest.mark.parametrize("trackers", [[], [None, 3, {"value": 1}, {"id": 5}]])
def test_a_broken_array_of_trackers_loses_nothing(trackers: object) -> None:
    document = sent()
    every_item(document)[2]["metadata"][OWL] = trackers
    assert values(back(document)) == UNCHANGED


@pytest.mark.parametrize(("value", "said"), [(None, "null"), ({}, "{}"), ("x", "'x'"), (3, "3")])
@pytest.mark.parametrize("holder", ["trackers", "units"])
def test_something_else_for_a_list_is_refused(holder: str, value: object, said: str) -> None:
    document = sent()
    metadata = every_item(document)[2]["metadata"]
    place = f"{RECORD}: units" if holder == "units" else OWL
    if holder == "units":
        metadata[RECORD]["units"] = value
    else:
        metadata[OWL] = value
    with pytest.raises(InputError, match="a list is missing") as caught:
        back(document)
    assert (caught.value.where, caught.value.found) == (f"file0.json: item 2: {place}", said)


@pytest.mark.parametrize(
    ("version", "said"), [(9, "9"), (2, "2"), (0, "0"), (None, "null"), ("1", "'1'"), (True, "True")]
)
def test_records_of_another_version_are_refused_by_it(version: object, said: str) -> None:
    document = sent()
    every_item(document)[2]["metadata"][RECORD]["v"] = version
    with pytest.raises(InputError, match="a version that is not read") as caught:
        back(document)
    assert (caught.value.where, caught.value.found) == (f"file0.json: item 2: {RECORD}.v", said)
    assert caught.value.exit_status == 2


def test_trackers_of_others_are_not_looked_at() -> None:
    document = sent()
    every_item(document)[0]["metadata"][OWL].append({"id": "mine", "name": "Wounds", "variant": "value", "value": 9})
    assert values(back(document)) == UNCHANGED


# Stat Bubbles


def test_health_of_a_single_unit_is_wounds_turned_round() -> None:
    document = sent(tokens="unit", bubbles="on")
    token = next(each for each in document["tokens"] if each["uid"] == "a1")
    assert token["items"][0]["metadata"][BUBBLES] == {"health": 2, "max health": 3}
    token["items"][0]["metadata"][BUBBLES]["health"] = 0
    assert values(back(document))["a1", "Wounds"] == 3


def test_health_and_bar_that_disagree_are_a_conflict() -> None:
    document = sent(tokens="unit", bubbles="on")
    item = next(each for each in document["tokens"] if each["uid"] == "a1")["items"][0]
    item["metadata"][BUBBLES]["health"] = 0
    entry(item, "wounds-a1")["value"] = 2
    found = back(document)
    assert ("a1", "Wounds") not in values(found)
    assert len(found.conflicts) == 1
    assert "Stat Bubbles" in found.conflicts[0]


def test_health_of_a_whole_stand_cannot_be_shared_out() -> None:
    document = sent(bubbles="on")
    every_item(document)[0]["metadata"][BUBBLES]["health"] = 1
    found = back(document)
    assert values(found) == UNCHANGED
    assert found.left_out == (
        "health in Stat Bubbles on file0.json: item 0: 1 for 2 units together, nobody can share it out",
    )


@pytest.mark.parametrize("health", [-1, 4, "2", 1.5])
def test_health_that_is_no_number_of_wounds_is_named(health: object) -> None:
    document = sent(tokens="unit", bubbles="on")
    item = next(each for each in document["tokens"] if each["uid"] == "a1")["items"][0]
    item["metadata"][BUBBLES]["health"] = health
    found = back(document)
    assert values(found) == UNCHANGED
    assert [line for line in found.left_out if f"found {health!r}, expected 0 to 3" in line]


# Forms


@pytest.mark.parametrize(
    "form",
    [
        lambda items: items,
        lambda items: {"items": items},
        lambda items: [{"type": "UNIQUE", "token": item} for item in items],
    ],
)
def test_the_forms_in_which_items_come(form: Callable[[list[Json]], Any]) -> None:
    document = sent()
    entry(every_item(document)[0], "wounds-a0")["value"] = 1
    found = back(form(every_item(document)))
    assert values(found) == {**UNCHANGED, ("a0", "Wounds"): 1}
    assert found.encounter.game == ""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings(encoding: str) -> None:
    text = json.dumps(sent(), ensure_ascii=False)
    assert values(read({"x.json": text.encode(encoding)}, {})) == UNCHANGED


def test_enemies_without_numbers_are_counted() -> None:
    document = sent()
    for item in every_item(document):
        record = item["metadata"].get(RECORD, {})
        if record.get("uid") == "b":
            item["metadata"] = {RECORD: {"v": 1, "uid": "b", "units": [{"uid": "b0", "code": "B"}]}}
    found = back(document)
    assert ("b0", "Wounds") not in values(found)
    assert found.counts["without_numbers"] == 1
    assert (
        found.counts["read"] == found.counts["tokens"] + found.counts["without_numbers"] + found.counts["other_items"]
    )


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "this is not JSON"),
        (b'{"format": "rallypoint.owlbear.encounter", "version": 1', "this is not JSON"),
        (b"\xe9", "this is not UTF-8"),
        (b"5", "these are no items of Owlbear Rodeo"),
        (b"{}", "these are no items of Owlbear Rodeo"),
        (b"[]", "there is no token of ours"),
        (b'{"items": []}', "there is no token of ours"),
        (b'[{"type": "IMAGE", "metadata": {}}]', "there is no token of ours"),
        (b'[{"metadata": {"io.github.rallypoint/unit": {"uid": 5}}}]', "there is no token of ours"),
        (b"[null]", "this is no item"),
        (b'{"items": null}', "a list is missing"),
        (b'{"format": "rallypoint.owlbear.encounter", "version": 1, "tokens": null}', "a list is missing"),
        (b'{"format": "rallypoint.owlbear.encounter", "version": 1, "tokens": [5]}', "a list is missing"),
        (b'{"format": "rallypoint.owlbear.encounter", "version": 2, "tokens": []}', "this version of the format"),
        (b'{"format": "other", "version": 1}', "this file is of another format"),
        (b"[" * 100_000, "this is not JSON"),
    ],
)
def test_what_cannot_be_read_is_refused(data: bytes, what: str) -> None:
    with pytest.raises(InputError) as caught:
        read({"x.json": data}, {})
    assert what in caught.value.what
    assert "x.json" in str(caught.value)
    assert caught.value.exit_status == 2


def test_a_cut_off_file_names_line_and_column() -> None:
    with pytest.raises(InputError) as caught:
        read({"x.json": b'[\n {"id": 1,\n'}, {})
    assert (caught.value.line, caught.value.column) == (3, 1)


def test_there_are_no_options() -> None:
    with pytest.raises(InputError, match="no options"):
        read({}, {"x": "y"})


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3)).map(sorted).map(tuple), min_size=1, max_size=6), st.data()
)
def test_each_change_is_that_of_one_unit(wounds: list[tuple[int, int]], data: st.DataObject) -> None:
    document = sent(force({"a": tuple(wounds)}))
    item = every_item(document)[0]
    expected = {(f"a{n}", "Wounds"): taken for n, (taken, _) in enumerate(wounds)}
    for number in data.draw(st.sets(st.integers(0, len(wounds) - 1))):
        value = data.draw(st.integers(0, wounds[number][1]))
        entry(item, f"wounds-a{number}")["value"] = value
        expected[f"a{number}", "Wounds"] = value
    assert values(back(document)) == {**expected, ("p", "Stress"): 4}


@pytest.mark.parametrize(("wounds", "shown"), [(1.5, "1.5"), ("1", "'1'"), (True, "True"), (float("inf"), "inf")])
def test_a_damaged_record_is_named(wounds: object, shown: str) -> None:
    document = sent()
    records = [item["metadata"][RECORD] for item in every_item(document) if RECORD in item.get("metadata", {})]
    unit = next(unit for record in records for unit in record.get("units", [record]) if unit["uid"] == "a1")
    unit["wounds"] = wounds
    data = json.dumps(document).replace("Infinity", "1e400").encode()
    found = read({"file0.json": data}, {})
    assert ("a1", "Wounds") not in values(found)
    named = [line for line in found.left_out if "a1" in line]
    assert len(named) == 1
    assert named[0].startswith("Wounds of a1 on file0.json: item ")
    assert named[0].endswith(f": our record is damaged, found wounds {shown}, maxWounds 3")


def counted(*, ammo: int = 4) -> Encounter:
    """Return the small force whose units carry Ammo, and whose team a has Morale."""
    plain = force({"a": ((0, 2), (1, 3)), "b": ((1, 1),)})
    more = {"a": {"Morale": Tracker(2, 0, 5, "down")}} | {
        uid: {"Ammo": Tracker(ammo, 0, 6, "down")} for uid in ("a0", "a1", "b0")
    }
    entities = [each._replace(trackers={**each.trackers, **more.get(each.uid, {})}) for each in plain.state]
    return plain._replace(state=State.of(entities))


def test_trackers_of_plugins_are_bars_too_and_come_back_as_what_they_are() -> None:
    document = sent(counted())
    item = every_item(document)[0]
    assert {
        name: entry(item, name)["value"] for name in ("tracker-a0:Ammo", "tracker-a1:Ammo", "tracker-a:Morale")
    } == {
        "tracker-a0:Ammo": 4,
        "tracker-a1:Ammo": 4,
        "tracker-a:Morale": 2,
    }
    assert entry(item, "tracker-a1:Ammo")["max"] == 6
    entry(item, "tracker-a1:Ammo")["value"] = 1
    entry(item, "tracker-a:Morale")["value"] = 0
    found = back(document)
    more = {("a0", "Ammo"): 4, ("a1", "Ammo"): 1, ("b0", "Ammo"): 4, ("a", "Morale"): 0}
    assert values(found) == {**UNCHANGED, **more}
    state = found.encounter.state
    assert (state["a"].role, state["a1"].role, state["p"].role) == ("team", "unit", "platoon")
    assert state["a1"].trackers["Ammo"] == Tracker(1, 0, 6, "down")
    assert state["a1"].attributes[SENT] == {"Ammo": 4, "Wounds": 1}


def test_a_damaged_tracker_of_a_plugin_is_named() -> None:
    document = sent(counted())
    record = every_item(document)[0]["metadata"][RECORD]
    for row in record["trackers"]:
        if row["uid"] == "a0":
            row["value"] = "four"
    record["trackers"].append("x")
    found = back(document)
    assert ("a0", "Ammo") not in values(found)
    assert [line for line in found.left_out if "Ammo of a0" in line and "'four'" in line]
    assert [line for line in found.left_out if line.startswith("a tracker on")]
    entry(every_item(document)[0], "tracker-a1:Ammo")["value"] = 7
    assert [line for line in back(document).left_out if line.startswith("Ammo of a1") and "expected 0 to 6" in line]
