"""Reported faults of importers, from a roster to a world: what the command line writes, refuses and pushes. B numbers name them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from rallypoint_foundry.fake.documents import at, rows
from rallypoint_foundry.ids import ID

from ..cli.battles import ROSTER, SCENARIO, Said, say
from .tables import SOLDIER, Play

Document = dict[str, Any]
Change = Callable[[Document], object]


@pytest.fixture
def roster(tmp_path: Path) -> Document:
    """The small platoon as JSON."""
    page = tmp_path / "page.md"
    page.write_text(ROSTER, encoding="utf-8")
    assert say("convert", str(page), "-o", str(tmp_path / "page.json")).status == 0
    found: Document = json.loads((tmp_path / "page.json").read_text(encoding="utf-8"))
    return found


def units(roster: Document) -> list[Document]:
    return [unit for squad in roster["squads"] for team in squad["teams"] for unit in team["units"]]


def exported(folder: Path, roster: Document, name: str = "out", *more: str) -> Said:
    file = folder / "roster.json"
    file.write_text(json.dumps(roster, ensure_ascii=False), encoding="utf-8")
    return say("export", "foundry", str(file), "-o", str(folder / name), *more)


def actors(folder: Path, name: str = "out") -> dict[str, Document]:
    """The actors of an export, by uid."""
    found = json.loads((folder / name / "encounter.json").read_text(encoding="utf-8"))
    return {str(at(actor, "flags.rallypoint.uid")): actor for actor in found["actors"]}


def same_but(roster: Document, change: Change) -> Document:
    other: Document = json.loads(json.dumps(roster))
    change(other)
    return other


# B03: two of the same


def test_b03_two_weapons_of_one_kind_are_two_items_with_the_same_two_ids_each_time(
    tmp_path: Path, roster: Document
) -> None:
    twice = same_but(roster, lambda each: units(each)[1].update(weapons=["pulse_rifle", "pulse_rifle"]))
    found = []
    for name in ("one", "two"):
        assert exported(tmp_path, twice, name).status == 0
        (actor,) = [each for uid, each in actors(tmp_path, name).items() if uid.endswith("0A-2-1")]
        found.append([item["_id"] for item in actor["items"] if item["name"] == "Pulse Rifle"])
    assert found[0] == found[1]
    assert len(set(found[0])) == 2
    assert exported(tmp_path, roster, "before").status == 0
    (single,) = [each for uid, each in actors(tmp_path, "before").items() if uid.endswith("0A-2-1")]
    # The first of the two is the one that was there before the second came.
    assert [item["_id"] for item in single["items"] if item["name"] == "Pulse Rifle"] == found[0][:1]


def test_b03_they_are_two_in_the_world_too(play: Play, tmp_path: Path) -> None:
    two = ROSTER.replace("Armor, Pulse Rifle", "Armor, Pulse Rifle, Pulse Rifle")
    (tmp_path / "small.md").write_text(two, encoding="utf-8")
    (tmp_path / "fight.toml").write_text(SCENARIO, encoding="utf-8")
    assert say("export", "foundry", str(tmp_path / "fight.toml"), "-o", str(tmp_path / "twice")).status == 0
    play.say("connect", "--relay", "http://fake")
    assert play.say("push", str(tmp_path / "twice")).status == 0
    there = rows(play.world.collections["Actor"][play.actor(SOLDIER)[6:]], "items")
    rifles = [item["_id"] for item in there if item["name"] == "Pulse Rifle"]
    assert len(rifles) == len(set(rifles)) == 2
    assert play.say("push", str(tmp_path / "twice"), "--override").status == 0
    assert [item["_id"] for item in there if item["name"] == "Pulse Rifle"] == rifles


# B09: null


@pytest.mark.parametrize("field", ["weapons", "class", "armor"])
def test_b09_null_is_refused_with_its_path_and_leaves_nothing(tmp_path: Path, roster: Document, field: str) -> None:
    broken = same_but(roster, lambda each: units(each)[1].update({field: None}))
    done = exported(tmp_path, broken)
    assert (done.status, done.out) == (2, "")
    assert f"squads[0].teams[0].units[1].{field}: " in done.err
    assert not (tmp_path / "out").exists()
    assert [each.name for each in tmp_path.iterdir() if ".part" in each.name or "lock" in each.name] == []
    assert exported(tmp_path, roster).status == 0


def test_b09_no_word_of_a_programming_language_is_on_a_sheet(tmp_path: Path, roster: Document) -> None:
    assert exported(tmp_path, roster).status == 0
    for actor in actors(tmp_path).values():
        shown = [*texts({**actor, "flags": {}, "folder": "", "items": []})]
        shown += [text for item in actor["items"] for text in texts({**item, "flags": {}, "folder": "", "_stats": {}})]
        for text in shown:
            assert not {"None", "null", "undefined", "NaN"} & set(text.replace("<", " ").replace(",", " ").split()), (
                text
            )


def texts(value: object) -> list[str]:
    if isinstance(value, Mapping):
        return [text for key, inner in value.items() if key != "_stats" for text in texts(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in texts(inner)]
    return [value] if isinstance(value, str) else []


# B10, B11: what the content has under another name, or not at all


@pytest.mark.parametrize("name", ["Pulse-rifle", "pulse rifle", " PULSE  RIFLE "])
def test_b10_a_name_spelled_otherwise_is_the_same_weapon(tmp_path: Path, roster: Document, name: str) -> None:
    assert exported(tmp_path, same_but(roster, lambda each: units(each)[1].update(weapons=[name]))).status == 0
    (actor,) = [each for uid, each in actors(tmp_path).items() if uid.endswith("0A-2-1")]
    assert "Pulse Rifle" in [item["name"] for item in actor["items"]]


def test_b10_a_name_that_is_none_is_guessed_and_never_dropped(tmp_path: Path, roster: Document) -> None:
    done = exported(tmp_path, same_but(roster, lambda each: units(each)[1].update(weapons=["Puls Rifel"])))
    assert (done.status, "did you mean Pulse Rifle?" in done.err) == (2, True)
    assert not (tmp_path / "out").exists()


def missing(roster: Document) -> None:
    units(roster)[1]["weapons"] = ["horrors:plasma_lance"]
    units(roster)[2]["weapons"] = ["deepspace:maul", "horrors:plasma_lance"]


def test_b11_missing_packs_are_listed_each_with_what_is_wanted_of_it(tmp_path: Path, roster: Document) -> None:
    done = exported(tmp_path, same_but(roster, missing))
    assert done.status == 2
    lines = done.err.splitlines()
    for place, what in (
        ("squads[0].teams[0].units[1].weapons", "horrors:plasma_lance"),
        ("squads[1].teams[0].units[0].weapons", "deepspace:maul"),
        ("squads[1].teams[0].units[0].weapons", "horrors:plasma_lance"),
    ):
        assert [line for line in lines if place in line and f"found: {what}" in line]
    assert not (tmp_path / "out").exists()


def test_b11_placeholders_are_marked_and_have_no_zeros(tmp_path: Path, roster: Document) -> None:
    done = exported(tmp_path, same_but(roster, missing), "out", "--placeholder")
    assert done.status == 0
    assert "horrors:plasma_lance (horrors_plasma_lance) of 2 units: no content pack here has it" in done.out
    assert "kept by its name and marked" in done.out
    (actor,) = [each for uid, each in actors(tmp_path).items() if uid.endswith("0A-2-1")]
    (lance,) = [item for item in actor["items"] if item["type"] == "weapon"]
    assert lance["name"] == "horrors:plasma_lance"
    assert at(lance, "system.damage") == ""
    facts = at(lance, "flags.rallypoint.facts")
    assert isinstance(facts, dict)
    assert not [key for key, value in facts.items() if value == 0 and type(value) is int], "no number was made up"


# B12: other alphabets


def test_b12_other_alphabets_go_there_and_back(tmp_path: Path, roster: Document) -> None:
    def named(each: Document) -> None:
        each["title"] = "Отряд Ворон"
        units(each)[0]["name"], units(each)[1]["name"] = "Żółw-1", "狐 🦊"

    names = same_but(roster, named)
    assert exported(tmp_path, names).status == 0
    first = {uid: actor["name"] for uid, actor in actors(tmp_path).items()}
    assert {"Żółw-1", "狐 🦊"} <= set(first.values())
    for actor in actors(tmp_path).values():
        assert ID.fullmatch(actor["_id"])
        assert all(ID.fullmatch(item["_id"]) for item in actor["items"])
    files = sorted((tmp_path / "out" / "actors").iterdir())
    assert all(each.name.isascii() for each in (tmp_path / "out").rglob("*"))
    back = tmp_path / "back.json"
    assert say("import", "foundry", *map(str, files), "-o", str(back), "--side", "red").status == 0
    again: Document = json.loads(back.read_text(encoding="utf-8"))
    assert {"Żółw-1", "狐 🦊"} <= {str(unit.get("name")) for unit in units(again)}


def test_b12_other_alphabets_go_to_a_world_and_back(play: Play, tmp_path: Path, roster: Document) -> None:
    units(roster)[0]["name"], units(roster)[1]["name"] = "Żółw-1", "狐 🦊"
    (tmp_path / "small.json").write_text(json.dumps(roster, ensure_ascii=False), encoding="utf-8")
    scenario = tmp_path / "fight.toml"
    scenario.write_text(SCENARIO.replace("small.md", "small.json"), encoding="utf-8")
    assert say("export", "foundry", str(scenario), "-o", str(tmp_path / "named")).status == 0
    play.say("connect", "--relay", "http://fake")
    assert play.say("push", str(tmp_path / "named")).status == 0
    assert {"Żółw-1", "狐 🦊"} <= {str(actor["name"]) for actor in play.world.collections["Actor"].values()}
    out = tmp_path / "red.json"
    assert say("foundry", "pull", str(out), "--relay", "http://fake", "--side", "red").status == 0
    again: Document = json.loads(out.read_text(encoding="utf-8"))
    assert {"Żółw-1", "狐 🦊"} <= {str(unit.get("name")) for unit in units(again)}


# B13, B16: packs of content


GUN = '[weapon.gun_{0}]\ntitle = "Gun {0}"\nT = 0\nC = 1\nM = 2\nL = {1}\nMax = 5\n'


def pack(folder: Path, changed: int | None = None) -> Path:
    """A pack of twenty weapons, of which one may have changed."""
    guns = [GUN.format(number, 4 if number == changed else 3) for number in range(20)]
    file = folder / "guns.toml"
    file.write_text('pack = 1\nname = "guns"\n' + "".join(guns), encoding="utf-8")
    return file


def test_b13_a_newer_pack_changes_one_of_twenty_and_makes_none(play: Play, tmp_path: Path) -> None:
    text = ROSTER
    for number in range(20):
        text += f"* 1 Soldier - Combat Armor, Gun {number}\n"
    (tmp_path / "small.md").write_text(text, encoding="utf-8")
    (tmp_path / "fight.toml").write_text(SCENARIO, encoding="utf-8")
    play.say("connect", "--relay", "http://fake")
    for name, changed in (("one", None), ("two", 7)):
        made = ("export", "foundry", str(tmp_path / "fight.toml"), "--content", str(pack(tmp_path, changed)))
        done = say(*made, "-o", str(tmp_path / name))
        assert done.status == 0, done
    play.say("push", str(tmp_path / "one"))
    planned = play.say("push", str(tmp_path / "two"), "--override", "--dry-run", "--json").document["documents"]
    assert {each["what"] for each in planned} == {"leave", "bring up to date"}
    assert [each["items"] for each in planned if each["items"]] == [["change Gun 7"], ["change Gun 7"]]  # one a side
    before = len(play.world.collections["Actor"])
    play.fake.heard.clear()
    play.say("push", str(tmp_path / "two"), "--override")
    calls = [method for method, path in play.asked() if path in ("/update", "/create", "/delete")]
    assert len(calls) == 4  # each of the two: the weapon, and what our flag says of its bearer
    assert len(play.world.collections["Actor"]) == before


def test_b16_a_pack_of_a_newer_format_is_no_empty_pack(tmp_path: Path, roster: Document) -> None:
    newer = tmp_path / "newer.toml"
    newer.write_text('pack = 3\nname = "new"\n[weapon.gun]\ntitle = "Gun"\n', encoding="utf-8")
    for done in (
        say("content", "check", str(newer)),
        exported(tmp_path, roster, "out", "--content", str(newer)),
    ):
        assert (done.status, "newer.toml:1: pack 3, this version reads 1" in done.err) == (2, True)
    assert not (tmp_path / "out").exists()


def test_b16_what_yields_nothing_is_a_failure(tmp_path: Path) -> None:
    empty = tmp_path / "empty.toml"
    empty.write_text('pack = 1\nname = "none"\n', encoding="utf-8")
    done = say("content", "check", str(empty))
    assert (done.status, "no item in this pack" in done.err) == (2, True)


def test_b16_an_export_of_a_newer_format_is_not_pushed_as_nothing(play: Play, tmp_path: Path) -> None:
    play.say("connect", "--relay", "http://fake")
    newer = json.loads((play.export / "encounter.json").read_text(encoding="utf-8"))
    newer["version"] = 99
    (tmp_path / "encounter.json").write_text(json.dumps(newer), encoding="utf-8")
    done = play.say("push", str(tmp_path))
    assert (done.status, "99" in done.err) == (2, True)
    assert not play.world.collections["Actor"]
    newer |= {"version": 1, "actors": []}
    (tmp_path / "encounter.json").write_text(json.dumps(newer), encoding="utf-8")
    done = play.say("push", str(tmp_path))
    assert (done.status, "no actors" in done.err) == (2, True)
