"""Files: where values stand in them, what is left alone, what cannot be read, and the files that the two exports make."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rallypoint.kernel.answers import PERSON, Answers
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.state import State
from rallypoint_foundry.export import export as to_foundry
from rallypoint_owlbear.carriers import bindings as owlbear_bindings
from rallypoint_owlbear.carriers import find as owlbear_find
from rallypoint_owlbear.export import export as to_owlbear
from rallypoint_sync.bindings import Binding, Carrier
from rallypoint_sync.fields import Field
from rallypoint_sync.files import Files, by_id, path_of, put_at, shown_at
from rallypoint_sync.hub import Hub
from rallypoint_sync.ledger import Ledger
from rallypoint_sync.lenses import Exact
from rallypoint_sync.transport import RefusedError, UnreachableError

from ..contract.battles import Skirmish
from ..foundry.forces import small
from ..owlbear.test_other_files import force

TREE: dict[str, Any] = {"a": {"b.c": 1, "d": [5, {"id": "x", "n": 2}, {"_id": "y", "n": 3}, {"name": "z", "n": None}]}}


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/a/b.c", 1),
        ("a.d.0", 5),
        ("a.d.x.n", 2),
        ("a.d.y.n", 3),
        ("a.d.z.n", None),
        ("a.d.w.n", None),
        ("a.d.9", None),
        ("a.b.c", None),
        ("a.d.0.x", None),
        ("a.d.x", {"id": "x", "n": 2}),
    ],
)
def test_where_a_path_leads(path: str, shown: object) -> None:
    assert shown_at(TREE, path) == shown


@given(st.lists(st.text(min_size=1), min_size=1, max_size=4), st.integers())
def test_a_value_is_found_where_it_was_put(steps: list[str], value: int) -> None:
    document: dict[str, object] = {}
    put_at(document, path_of(*steps), value)
    here: Any = document
    for step in steps:
        here = here[step]
    assert here == value == shown_at(document, path_of(*steps))


@pytest.mark.parametrize("path", ["a.d.9.n", "a.d.0.n", "a.b.c.d.0", "n.a"])
def test_a_list_gets_no_new_items(path: str) -> None:
    document = {"a": {"d": [5], "b": {"c": "text"}}, "n": 1}
    if path == "a.b.c.d.0":
        document["a"]["b"]["c"] = 5  # type: ignore[index]
    with pytest.raises(RefusedError):
        put_at(document, path, 1)


def transport(path: Path) -> Files:
    return Files("files", [path], by_id("_id"))


def test_what_stands_beside_the_value_stays(tmp_path: Path) -> None:
    """B25, B01: items, notes and whatever else people and systems have put there."""
    path = tmp_path / "a.json"
    before = {
        "_id": "a",
        "name": "Żółw 狐 🦊",
        "items": [{"_id": "i"}],
        "system": {"hits": {"value": 0, "max": 3}, "odd": None},
    }
    path.write_text(json.dumps(before))
    path.chmod(0o640)
    assert transport(path).write("a", {"system.hits.value": 2}) == {"system.hits.value": 2}
    before["system"]["hits"]["value"] = 2  # type: ignore[index]
    assert json.loads(path.read_text(encoding="utf-8")) == before
    assert "狐" in path.read_text(encoding="utf-8")
    assert path.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in tmp_path.iterdir()] == ["a.json"]


def test_b08_a_broken_file_is_unread_and_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"_id": "a", "x": 1}]')
    (tmp_path / "b.json").write_text('[{"_id": "b", "x":')
    snapshot = transport(tmp_path).read(["a", "b", "c"])
    assert snapshot.values("a")["x"] == 1
    assert snapshot.gone == frozenset()  # c may be in the broken one
    assert set(snapshot.unread) == {"b", "c"}
    assert "b.json:1:19" in snapshot.unread["b"]
    with pytest.raises(RefusedError):
        transport(tmp_path).write("b", {"x": 2})
    assert (tmp_path / "b.json").read_text() == '[{"_id": "b", "x":'


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_text_is_unread(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.json").write_bytes(content)
    assert set(transport(tmp_path).read(["a"]).unread) == {"a"}


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="no such file"):
        transport(tmp_path / "none.json").read(["a"])


def test_one_document_in_two_files_is_a_copy(tmp_path: Path) -> None:
    for name, value in (("1", 5), ("2", 6)):
        (tmp_path / f"{name}.json").write_text(json.dumps({"_id": "a", "x": value}))
    snapshot = transport(tmp_path).read(["a"])
    assert (snapshot.values("a")["x"], dict(snapshot.copies)) == (5, {"a in 2.json": "a"})


# The files of the two exports


def met(state: State, files: Files, bindings: tuple[Binding, ...]) -> tuple[Battle[None], Hub]:
    battle = Battle.start(Skirmish(), state, Answers(PERSON))
    ledger = Ledger(None, battle.history.entries[0].hash)
    ledger.bind(files.vtt, {}, bindings)
    hub = Hub(battle, ledger, [files], holder="test")
    done = hub.sync()
    assert (done.done, done.new_conflicts, done.plan.left_out) == ((), (), ())  # the export has written what is true
    assert len(done.plan.agreed) == len(bindings) >= 3
    return battle, hub


def test_actors_of_foundry(tmp_path: Path) -> None:
    encounter = small()
    for name, data in to_foundry(encounter, {}).files.items():
        if name.startswith("actors/"):
            (tmp_path / Path(name).name).write_bytes(data)
    bindings = []
    for path in sorted(tmp_path.iterdir()):
        actor = json.loads(path.read_text(encoding="utf-8"))
        record = actor["flags"]["rallypoint"]
        name, at = (
            ("Wounds", "system.hits.value") if record["kind"] == "unit" else ("Stress", "system.other.stress.value")
        )
        bindings.append(Binding((Field(record["uid"], name),), Carrier(actor["_id"], at), Exact()))
    battle, hub = met(encounter.state, Files("foundry files", [tmp_path], by_id("_id")), tuple(bindings))
    uid, document = bindings[0].field.uid, bindings[0].carrier
    path = next(each for each in tmp_path.iterdir() if json.loads(each.read_text())["_id"] == document.document)
    actor = json.loads(path.read_text(encoding="utf-8"))
    actor["system"]["hits"]["value"] = 1
    path.write_text(json.dumps(actor), encoding="utf-8")
    hub.sync()
    assert battle.state[uid].value("Wounds") == 1
    assert hub.plan().is_empty


def test_tokens_of_owlbear(tmp_path: Path) -> None:
    encounter = force({"a": ((0, 2), (1, 3)), "b": ((1, 1),)})
    path = tmp_path / "encounter.owlbear.json"
    path.write_bytes(to_owlbear(encounter, {}).files[path.name])
    content = json.loads(path.read_text(encoding="utf-8"))
    bound = owlbear_bindings(content)
    assert sorted(str(each.field) for each in bound) == ["a0 Wounds", "a1 Wounds", "b0 Wounds", "p Stress", "p Stress"]
    battle, hub = met(encounter.state, Files("owlbear files", [path], owlbear_find), bound)
    for token in content["tokens"]:
        for item in token["items"]:
            for entry in item["metadata"].get("com.owl-trackers/trackers", []):
                if entry["id"] == "rallypoint-wounds-a0":
                    entry["value"] = 2
    content["tokens"][0]["items"][0]["metadata"]["com.owl-trackers/trackers"][0]["value"] = 6  # Stress on one token
    path.write_text(json.dumps(content), encoding="utf-8")
    hub.sync()
    assert (battle.state["a0"].value("Wounds"), battle.state["p"].value("Stress")) == (2, 6)
    assert {each.carrier.document for each in bound if each.field.name == "Stress"} == set(dict(owlbear_find(content)))
    assert hub.plan().is_empty


@pytest.mark.parametrize(
    "wrap", [lambda items: items, lambda items: {"items": items}, lambda items: [{"token": each} for each in items]]
)
def test_every_form_of_items(wrap: Any) -> None:
    document = json.loads(to_owlbear(force({"a": ((0, 2),)}), {}).files["encounter.owlbear.json"])
    items = [item for token in document["tokens"] for item in token["items"]]
    assert owlbear_bindings(wrap([*items, {"id": "x", "metadata": {}}, 5])) == owlbear_bindings(document)


@pytest.mark.parametrize("content", [None, 5, "x", {}, [], {"tokens": 5}, {"tokens": [5], "items": {"a": 1}}])
def test_what_holds_no_items(content: object) -> None:
    assert owlbear_bindings(content) == ()
