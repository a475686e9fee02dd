"""The documents against the template of the system, walked here by other code than the exporter's own gate."""

from __future__ import annotations

import hashlib
import json
import re
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rallypoint.kernel.dice import Die
from rallypoint.kernel.encounter import Encounter, Gear, Page, Table, TableRow
from rallypoint.kernel.errors import PluginError
from rallypoint_foundry.check import faults
from rallypoint_foundry.export import export
from rallypoint_foundry.profile import load_profile
from rallypoint_foundry.text import pretty

from .forces import BATTLE_DRESS, COMBAT_ARMOR, LAUNCHER, PULSE_RIFLE, ROBOT, Force, large, small

Json = dict[str, Any]
TEMPLATES = {
    "mosh-0.6.1": "ccd37219fea8d661a1802705327771f27bba9ec832055fc24705db4fcf1007bf",
    "mosh-0.5.27": "d596f15713dce9c92d4c7e98e37f059a069821ea4e2605a9ad54c5691fd97eaa",
    "mothershiprpg-0.1.0": "667046dc6e0e78eb2d0922a40487e53dc8a80f1b98114dc10461a13244dbe67f",
}
PAIRS = [
    ("mosh-0.5.27", "12"), ("mosh-0.6.1", "13"), ("mosh-0.6.1", "14"), ("mothershiprpg-0.1.0", "13"),
    ("mothershiprpg-0.1.0", "14"),
]  # fmt: skip
# Keys that the template lacks, by profile and item type: where each is from stands in the profile.
UNDECLARED: dict[str, dict[str, dict[tuple[str, ...], str]]] = {
    "mosh-0.6.1": {"armor": {("equipped",): "bool"}},
    "mosh-0.5.27": {"armor": {("equipped",): "bool"}},
    "mothershiprpg-0.1.0": {},
}
ACTOR_KEYS = {
    "_id", "name", "type", "img", "system", "prototypeToken", "items", "effects", "folder", "sort", "ownership", "flags",
    "_stats",
}  # fmt: skip


def leaves(value: object, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], str]:
    """Paths of all fields that are not objects, with the kind of what stands there."""
    if isinstance(value, dict):
        return {where: kind for key, item in value.items() for where, kind in leaves(item, (*path, key)).items()}
    kinds = {bool: "bool", int: "number", float: "number", str: "text", list: "list"}
    return {path: kinds[type(value)]}


def raw(profile: str) -> bytes:
    return (files("rallypoint_foundry") / "profiles" / f"{profile}-template.json").read_bytes()


def declared(profile: str, document: str, kind: str) -> dict[tuple[str, ...], str]:
    section = json.loads(raw(profile))[document]
    fields = dict(section[kind])
    found: dict[tuple[str, ...], str] = {}
    for name in fields.pop("templates"):
        found |= leaves(section["templates"][name])
    return found | leaves(fields)


def whole(encounter: Encounter, **options: str) -> Json:
    return dict(json.loads(export(encounter, options).files["encounter.json"]))


@pytest.mark.parametrize(("profile", "digest"), TEMPLATES.items())
def test_the_template_is_the_one_of_the_system(profile: str, digest: str) -> None:
    assert hashlib.sha256(raw(profile)).hexdigest() == digest


@pytest.mark.parametrize("meaning", ["contractor", "disrupter"])
@pytest.mark.parametrize(("profile", "core"), PAIRS)
@pytest.mark.parametrize("encounter", [small(), large(60)], ids=["small", "large"])
def test_every_field_stands_in_the_template_with_its_kind(
    encounter: Encounter, profile: str, core: str, meaning: str
) -> None:
    actors = whole(encounter, profile=profile, core=core, **{"as": meaning})["actors"]
    assert {actor["type"] for actor in actors} == {"creature", "character"}
    for actor in actors:
        assert set(actor) == ACTOR_KEYS
        assert leaves(actor["system"]) == declared(profile, "Actor", actor["type"])
        for item in actor["items"]:
            extra = UNDECLARED[profile].get(item["type"], {})
            assert leaves(item["system"]) == declared(profile, "Item", item["type"]) | extra


@pytest.mark.parametrize("profile", TEMPLATES)
def test_undeclared_keys_have_a_source(profile: str) -> None:
    found = load_profile(profile)
    listed = {(kind, ".".join(path)) for kind, paths in UNDECLARED[profile].items() for path in paths}
    assert set(found.undeclared) == set(found.sources) == listed
    assert all(source.startswith("system: ") for source in found.sources.values())


def test_bars_point_at_value_and_max() -> None:
    for actor in whole(small())["actors"]:
        for bar in ("bar1", "bar2"):
            pod = actor["system"]
            path = actor["prototypeToken"][bar]["attribute"]
            assert not path.startswith("system.")
            for step in path.split("."):
                pod = pod[step]
            assert isinstance(pod["value"], int)
            assert isinstance(pod["max"], int)
            assert pod["min"] <= pod["value"] <= pod["max"]


def test_sixty_actors_are_all_there() -> None:
    result = export(large(60), {})
    document = json.loads(result.files["encounter.json"])
    # 1 side, 1 platoon, 1 squad, 15 teams and one without units, 60 units
    assert result.counts == {
        "read": 79, "actors": 61, "folders": 2, "in_flags": 15, "left_out": 1,
        "gear_read": 120, "items": 120, "gear_in_stats": 0, "gear_left_out": 0,
        "combatants": 60, "tokens": 60, "tokens_left_out": 0, "tables": 0, "pages": 0,
    }  # fmt: skip
    assert len(document["actors"]) == 61
    # encounter.json and an actor each; then the zip and the module: script, encounter, board, manifest, an adventure, and
    # the sources of 61 actors and 2 folders
    assert len(result.files) == 62 + 1 + 4 + 1 + 63
    assert document["format"] == "rallypoint.foundry.encounter"
    assert document["version"] == 1
    assert document["system"] == {"id": "mosh", "version": "0.6.1"}
    assert document["core"] == {"generation": 13, "version": "13.351"}
    assert [actor["sort"] for actor in document["actors"]] == [100000 * place for place in range(61)]


def test_files_are_readable_text() -> None:
    force = Force(title="Żółw")
    force.frame()
    force.unit("u", "Soldier", "red/1/A", COMBAT_ARMOR, PULSE_RIFLE, name="狐 🦊")
    made = export(force.encounter(), {}).files
    texts = {name: data.decode("utf-8") for name, data in made.items() if name.endswith(".json")}
    for name, text in texts.items():
        if "/_source/" in name:
            assert text == json.dumps(json.loads(text), ensure_ascii=False) + "\n"
            continue
        assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n", name
    assert "狐 🦊" in export(force.encounter(), {}).files["encounter.json"].decode("utf-8")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(json_values)
def test_pretty_is_json_dumps(value: object) -> None:
    assert pretty(value) == json.dumps(value, indent=2, ensure_ascii=False)


@pytest.mark.parametrize("values", [[1, True, 1.0], [0, False, 0.0, -0.0], [True, 1]])
def test_pretty_keeps_equal_values_apart(values: list[object]) -> None:
    assert pretty(values) == json.dumps(values, indent=2)


def test_pretty_refuses_what_is_not_json() -> None:
    with pytest.raises(TypeError, match="tuple"):
        pretty({"a": (1, 2)})
    with pytest.raises(ValueError, match="JSON"):
        pretty([float("nan")])


@settings(max_examples=40)
@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=12), min_size=1, max_size=5))
def test_any_names(names: list[str]) -> None:
    force = Force()
    force.frame()
    for place, name in enumerate(names):
        force.unit(f"u{place}", "Bot", "red/1/A", ROBOT, name=name, code=name)
    actors = whole(force.encounter())["actors"][1:]
    shown = [name if name.strip() else f"u{place}" for place, name in enumerate(names)]
    assert [actor["name"] for actor in actors] == shown
    assert [actor["flags"]["rallypoint"]["name"] for actor in actors] == names


def test_nothing_is_printed_by_mistake() -> None:
    for name, data in export(small(), {}).files.items():
        if name.endswith((".zip", ".mjs")):
            continue
        texts = re.findall(r'"(?:[^"\\]|\\.)*"', data.decode("utf-8"))
        assert not [text for text in texts if re.search(r"\b(None|undefined|null|NaN)\b", text)], name


def test_a_squad_may_be_called_null() -> None:
    force = Force()
    force.frame()
    force.unit("u", "Soldier", "red/1/A", COMBAT_ARMOR, name="Null None")
    assert whole(force.encounter())["actors"][1]["name"] == "Null None"


# The gate


def found(document: Json, encounter: Encounter) -> list[str]:
    return faults(document["folders"], document["actors"], load_profile("mosh-0.6.1"), encounter)


def test_the_gate_lets_good_documents_pass() -> None:
    assert found(whole(small()), small()) == []


def _short_id(actor: Json) -> None:
    actor["_id"] = "short"


def _long_id(actor: Json) -> None:
    actor["_id"] = "A" * 17


def _same_item(actor: Json) -> None:
    actor["items"][1]["_id"] = actor["items"][0]["_id"]


def _unknown_field(actor: Json) -> None:
    actor["system"]["wounds"] = 1


def _missing_field(actor: Json) -> None:
    del actor["system"]["hits"]["label"]


def _wrong_kind(actor: Json) -> None:
    actor["system"]["hits"]["value"] = "1"


def _number_for_flag(actor: Json) -> None:
    actor["system"]["stats"]["loyalty"]["enabled"] = 1


def _undeclared_kind(actor: Json) -> None:
    actor["items"][0]["system"]["equipped"] = "yes"


def _equipped_weapon(actor: Json) -> None:
    actor["items"][1]["system"]["equipped"] = True


def _dead_bar(actor: Json) -> None:
    actor["prototypeToken"]["bar1"]["attribute"] = "system.hits"


def _number_bar(actor: Json) -> None:
    actor["prototypeToken"]["bar2"]["attribute"] = "bleeding"


def _leak(actor: Json) -> None:
    actor["system"]["notes"] = "<p>Wounds None</p>"


def _leaked_name(actor: Json) -> None:
    actor["items"][0]["name"] = "undefined"


def _dotted_key(actor: Json) -> None:
    actor["flags"]["rallypoint"]["facts"]["a.b"] = 1


def _deleting_key(actor: Json) -> None:
    actor["flags"]["rallypoint"]["facts"]["-=a"] = [{"-=b": 1}]


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (_short_id, "the id 'short'"),
        (_long_id, "AAAAAAAAAAAAAAAAA"),
        (_same_item, "stands twice"),
        (_unknown_field, "system.wounds is not in the template"),
        (_missing_field, "system.hits.label is missing"),
        (_wrong_kind, "system.hits.value is string, not number"),
        (_number_for_flag, "loyalty.enabled is number, not boolean"),
        (_undeclared_kind, "system.equipped is string, not boolean"),
        (_equipped_weapon, "system.equipped is not in the template"),
        (_dead_bar, "system.hits has no value and max"),
        (_number_bar, "bleeding has no value and max"),
        (_leak, "says 'None'"),
        (_leaked_name, "says 'undefined'"),
        (_dotted_key, "'a.b'"),
        (_deleting_key, "'-=a'"),
    ],
)
def test_the_gate_sees(damage: Any, says: str) -> None:
    document = whole(small())
    damage(document["actors"][2])
    faults_found = found(document, small())
    assert any(says in fault for fault in faults_found), faults_found
    assert all(fault.startswith("actor Gunner") for fault in faults_found)


def test_what_foundry_would_take_apart_is_refused_whole() -> None:
    force = Force()
    force.frame()
    force.unit("u", "Soldier", "red/1/A", BATTLE_DRESS, LAUNCHER, Gear("weapon", "x", "X", {"a.b": 1}))
    with pytest.raises(PluginError) as caught:
        export(force.encounter(), {})
    assert "'a.b'" in str(caught.value)
    assert caught.value.plugin == "foundry"


# Scenes, tables, journal and combats


KINDS = ("scenes", "tables", "journal", "combats")


def staged() -> Encounter:
    table = Table("team_panic", "Panic", Die(1, 20), (TableRow(1, 20, "all", "Row 1"),))
    return small()._replace(tables=(table,), pages=(Page("card", "Card", "<p>No None here</p>"),))


def found_in(document: Json) -> list[str]:
    others = {kind: document[kind] for kind in KINDS}
    return faults(document["folders"], document["actors"], load_profile("mosh-0.6.1"), staged(), others)


def test_the_gate_lets_the_whole_stage_pass() -> None:
    document = whole(staged())
    assert [len(document[kind]) for kind in KINDS] == [1, 1, 1, 1]
    assert found_in(document) == []


def _lost_actor(document: Json) -> None:
    document["scenes"][0]["tokens"][0]["actorId"] = "A" * 16


def _lost_token(document: Json) -> None:
    document["combats"][0]["combatants"][1]["tokenId"] = "A" * 16


def _lost_scene(document: Json) -> None:
    document["combats"][0]["combatants"][1]["sceneId"] = "A" * 16


def _same_token(document: Json) -> None:
    document["scenes"][0]["tokens"][1]["_id"] = document["scenes"][0]["tokens"][0]["_id"]


def _token_of_an_actor_s_id(document: Json) -> None:
    document["scenes"][0]["tokens"][1]["_id"] = document["actors"][0]["_id"]


def _short_page(document: Json) -> None:
    document["journal"][0]["pages"][0]["_id"] = "page"


def _leaked_result(document: Json) -> None:
    document["tables"][0]["results"][0]["name"] = "undefined"


def _dotted_flag(document: Json) -> None:
    document["combats"][0]["flags"]["rallypoint"]["a.b"] = 1


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (_lost_actor, "points at the actorId AAAAAAAAAAAAAAAA, which is nowhere"),
        (_lost_token, "points at the tokenId"),
        (_lost_scene, "points at the sceneId"),
        (_same_token, "stands twice"),
        (_token_of_an_actor_s_id, "stands twice"),
        (_short_page, "the id 'page'"),
        (_leaked_result, "says 'undefined'"),
        (_dotted_flag, "'a.b'"),
    ],
)
def test_the_gate_sees_what_is_wrong_on_the_stage(damage: Any, says: str) -> None:
    document = whole(staged())
    damage(document)
    faults_found = found_in(document)
    assert any(says in fault for fault in faults_found), faults_found
