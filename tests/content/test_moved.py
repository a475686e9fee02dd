"""What moved between two versions of a roster, and uids that nobody gets twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from rallypoint.content import Catalogue, Force, moves, parse_force, same_force, with_frozen_uids, write_force
from rallypoint.content.problems import Problems
from rallypoint.content.rosters import Form
from rallypoint.content.uids import Uids

OLD = """# Green
### Squad 1
#### Team A
* 1 NCO - Combat Armor, Revolver {name=Ash}
* 2 Soldiers - Combat Armor, Revolver
#### Team B
* 1 Soldier - Combat Armor, Flamethrower {id=burner}
* 1 Bot - Basic Battlefield Robot, Laser Carbine
"""


def test_the_same_roster_keeps_all(read: Callable[..., Force]) -> None:
    found = moves(read(OLD), read("A line above.\n\n" + OLD))
    assert found.kept == ("green-1A-1-1", "green-1A-2-1", "green-1A-2-2", "burner", "green-1B-2-1")
    assert found[1:] == ((), (), (), (), ())


def test_everything_that_can_happen(read: Callable[..., Force]) -> None:
    new = read("""# Green
### Squad 1
#### Team A
* 1 NCO - Combat Armor, Revolver {name=Birch}
* 3 Soldiers - Combat Armor, Combat Shotgun
* 1 Soldier - Combat Armor, Flamethrower {id=burner}
""")
    found = moves(read(OLD), new)
    assert found.kept == ()
    assert found.changed == ("green-1A-2-1", "green-1A-2-2")
    assert found.moved == (("burner", "1B", "1A"),)
    assert found.reused == ("green-1A-1-1",)
    assert found.new == ("green-1A-2-3",)
    assert found.gone == ("green-1B-2-1",)
    text = "\n".join(found.lines())
    assert "0 kept, 2 changed, 1 moved, 1 reused, 1 new, 1 gone" in text
    assert "moved: burner from 1B to 1A" in text


def test_another_class_under_an_old_uid_is_somebody_else(read: Callable[..., Force]) -> None:
    new = read(OLD.replace("* 2 Soldiers", "* 2 NCOs"))
    assert moves(read(OLD), new).reused == ("green-1A-2-1", "green-1A-2-2")


def test_a_replacement_gets_a_uid_that_nobody_had(read: Callable[..., Force], catalogue: Catalogue) -> None:
    old = read(OLD)
    new = read(OLD.replace("Ash", "Birch").replace("* 1 Bot - Basic Battlefield Robot, Laser Carbine\n", ""))
    frozen = with_frozen_uids(old, new)
    assert [unit.uid for unit in frozen.units] == ["green-1A-1-2", "green-1A-2-1", "green-1A-2-2", "burner"]
    assert frozen.retired == ("green-1B-2-1", "green-1A-1-1")
    assert moves(old, frozen).new == ("green-1A-1-2",)
    for form in get_args(Form):
        text = write_force(frozen, form, catalogue)
        again = parse_force(text, form, catalogue, path="x", title="")
        assert same_force(again) == same_force(frozen)
    back = with_frozen_uids(frozen, read(OLD.replace("Ash", "Birch")))
    assert "green-1B-2-1" in back.retired


def test_a_roster_that_carries_ids_keeps_them_wherever_they_stand(
    read: Callable[..., Force], catalogue: Catalogue
) -> None:
    old = read(OLD)
    rows = write_force(old, "csv", catalogue).split("\r\n")
    head, body = rows[0], rows[1:-1]
    title = body[0].split(",")[0]
    turned = [head, *[f"{title},{row.partition(',')[2]}" for row in reversed(body)], ""]
    new = parse_force("\r\n".join(turned), "csv", catalogue, path="x", title="")
    found = moves(old, new)
    assert sorted(found.kept) == sorted(unit.uid for unit in old.units)
    assert found.gone == found.new == ()


def test_made_uids_step_over_those_that_are_taken() -> None:
    problems = Problems("x")
    uids = Uids(["s-1A-1-1"])
    uids.take("s-1A-1-3", 4, problems)
    made = uids.made("s-1A", 1)
    assert [next(made), next(made)] == ["s-1A-1-2", "s-1A-1-4"]
    assert len(problems) == 0
    uids.take("s-1A-1-3", 5, problems)
    uids.take("s-1A-1-1", 6, problems)
    assert len(problems) == 2
