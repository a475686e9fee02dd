"""Which part of an import is meant, where the files hold several sides or platoons."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rallypoint.cli.import_sides import Part, one_roster, part_of
from rallypoint.kernel.encounter import SIDE, Encounter, Sheet
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity, State, Tracker

from .test_import import STARTER, keep, run, site

__all__ = ["site"]


def unit(uid: str, parent: str | None = None, side: str = "") -> Entity:
    return Entity.new(
        uid, "unit", parent=parent, trackers={"Wounds": Tracker(1, 0, 2)}, attributes={SIDE: side} if side else {}
    )


def encounter(*entities: Entity) -> Encounter:
    sheets = {each.uid: Sheet(each.uid, f"name of {each.uid}", each.role, "") for each in entities}
    return Encounter("fight", "Fight", "disrupter", State.of(entities), sheets)


def sides(*prefixes: str) -> Encounter:
    """Return an encounter with two units in each platoon; a platoon's uids begin with its prefix."""
    entities: list[Entity] = []
    for prefix in prefixes:
        side = prefix.partition(".")[0]
        if all(each.uid != side for each in entities):
            entities.append(Entity.new(side, "side"))
        entities.append(Entity.new(f"{prefix}crew", "platoon", parent=side, trackers={"Stress": Tracker(3, 0, 20)}))
        entities += [unit(f"{prefix}{name}", f"{prefix}crew") for name in ("a", "b")]
    return encounter(*entities)


def uids(part: Part) -> list[str]:
    return [each.uid for each in part.encounter.state]


def test_the_one_side_that_has_the_units_is_found_by_itself() -> None:
    red = [unit("red.a", side="red"), unit("red.b", side="red")]
    found = encounter(*red, unit("blue.c", side="blue"))
    part = part_of(found, {"a", "b"}, None, None)
    assert (uids(part), dict(part.others)) == (["a", "b"], {"blue": 1})
    assert part.encounter.sheets["a"].name == "name of red.a"
    assert list(part.lines()) == ["1 unit of blue: not of this roster"]


def test_where_both_sides_have_them_a_side_must_be_named() -> None:
    found = sides("red.", "blue.")
    with pytest.raises(InputError, match="several sides") as caught:
        part_of(found, {"a", "b"}, None, None)
    assert caught.value.expected == "--side red or --side blue"
    assert uids(part_of(found, {"a", "b"}, "blue", None)) == ["blue", "crew", "a", "b"]
    with pytest.raises(InputError, match="nobody of this roster"):
        part_of(found, {"a", "b"}, "green", None)


def test_two_rosters_keep_their_uids_and_the_other_side_is_one_line() -> None:
    red = [Entity.new("red", "side"), unit("a", "red"), unit("new", "red")]
    found = encounter(*red, Entity.new("blue", "side"), unit("x", "blue"), unit("y", "blue"))
    part = part_of(found, {"a"}, None, None)
    assert (uids(part), list(part.lines())) == (["red", "a", "new"], ["2 units of blue: not of this roster"])


@pytest.mark.parametrize("platoon", ["2", "R2", "red.2.crew"])
def test_of_a_company_a_platoon_is_named_by_number_code_or_uid(platoon: str) -> None:
    found = sides("red.1.", "red.2.", "blue.")
    with pytest.raises(InputError, match="several platoons") as caught:
        part_of(found, {"a", "b"}, "red", None)
    assert caught.value.expected == "--platoon 1 or --platoon 2"
    part = part_of(found, {"a", "b"}, "red", platoon)
    assert (uids(part), dict(part.others)) == (["red", "crew", "a", "b"], {"red.1.crew": 2, "blue": 2})
    assert uids(one_roster(found, "red", platoon)) == uids(part)


def test_tokens_that_say_no_platoon_are_told_apart_by_their_uids() -> None:
    names = ("red.1.a", "red.2.a", "blue.a")
    found = encounter(*[unit(name, side=name.partition(".")[0]) for name in names])
    assert uids(part_of(found, {"a"}, "red", "2")) == ["a"]


def test_an_id_with_a_dot_is_an_id() -> None:
    found = encounter(Entity.new("red", "side"), unit("red.a", "red"), unit("a", "red"))
    assert uids(part_of(found, {"red.a", "a"}, None, None)) == ["red", "red.a", "a"]


def test_files_of_nobody_else_are_left_as_they_are() -> None:
    found = encounter(unit("x"), unit("y"))
    assert part_of(found, {"a"}, None, None) == Part(found)
    assert one_roster(found, None, None) == Part(found)
    with pytest.raises(InputError, match="do not say on which side"):
        one_roster(found, "red", None)


def test_a_new_roster_has_the_key_and_title_of_its_platoon() -> None:
    with pytest.raises(InputError, match="several sides"):
        one_roster(sides("red.", "blue."), None, None)
    with pytest.raises(InputError, match="no such side or platoon"):
        one_roster(sides("red.", "blue."), "green", None)
    found = one_roster(sides("red.", "blue."), "blue", None).encounter
    assert (found.key, found.title) == ("crew", "name of blue.crew")


def test_a_scenario_goes_to_both_tables_and_back_into_its_roster(site: Path) -> None:
    folder = site.parent
    (folder / "my-platoon.md").write_text(STARTER.read_text(encoding="utf-8"), encoding="utf-8")
    assert run(site, "scenario", "new", "-o", "fight.toml").returncode == 0
    for form in ("foundry", "owlbear"):
        assert run(site, "export", form, "fight.toml", "-o", form).returncode == 0
    document = json.loads((folder / "owlbear" / "encounter.owlbear.json").read_text(encoding="utf-8"))
    trackers = document["tokens"][0]["items"][0]["metadata"]["com.owl-trackers/trackers"]
    next(each for each in trackers if each["id"] == "rallypoint-wounds-red.starter-0A-1-1")["value"] = 1
    done = run(site, "import", "owlbear", keep(site, document), "--into", "my-platoon.md", "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    assert "starter-0A-1-1  CO 0A-1  Wounds 0 -> 1\n" in done.stdout
    # Blue's numbers were not exported: nothing is damaged, and one line says so.
    left = [line for line in done.stdout.splitlines() if line.startswith("left out")]
    assert left == ["left out: Wounds and Stress of blue: not exported, 7 tokens (export with --enemies show)"]
    back = ("import", "foundry", "foundry/encounter.json")
    asked = run(site, *back, "-o", "again.toml")
    assert (asked.returncode, (folder / "again.toml").exists()) == (2, False)
    assert "expected: --side red or --side blue" in asked.stderr
    assert run(site, *back, "-o", "again.toml", "--side", "blue").returncode == 0
    moved = json.loads(run(site, "muster", "again.toml", "--against", "my-platoon.md", "--json").stdout)["moves"]
    assert (len(moved["kept"]), moved["changed"], moved["new"]) == (28, [], [])
    assert {uid[:9] for uid in moved["gone"]} == {"starter-3"}  # the squad that is optional stayed at home
