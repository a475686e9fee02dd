"""What is typed by hand: hexes by name, acts without brackets, dice that somebody else throws."""

from __future__ import annotations

from pathlib import Path

import pytest

from rallypoint.disrupter.typed import spelled, understood
from rallypoint.kernel.changes import SetPlace
from rallypoint.kernel.game import Intent
from rallypoint.kernel.parts import Hex

from ..disrupter.positions import position, team, unit
from .battles import entries, kinds, said, say


@pytest.fixture
def moving(home: Path) -> Path:
    """Red's CO's group moves: R-0A stands in B6 and goes two hexes a turn."""
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "5", "--seat", "blue=auto")
    said("battle", "play", "a.battle", given=["done", "q"])
    return home / "a.battle"


def where(path: Path) -> list[Hex]:
    """Return the hexes that the last move led through."""
    steps = [entry for entry in entries(path) if entry.kind == "step" and entry.intent.rule == "move"]
    places = [change.place for event in steps[-1].events for change in event.changes if isinstance(change, SetPlace)]
    return [place for place in places if isinstance(place, Hex)]


@pytest.mark.parametrize(
    "words",
    [
        ["move", "R-0A", "B5"],
        ["move", "r-0a", "b5"],
        ["move", '["R-0A", ["B5"]]'],
        ["move", '["R-0A", [[-1, 4]]]'],  # column 1, row 4 from 0: in axial numbers 1 - 2, 4
    ],
)
def test_a_path_is_typed_in_the_names_of_the_map(moving: Path, words: list[str]) -> None:
    said("battle", "act", "a.battle", *words)
    assert where(moving) == [Hex(-1, 4)]


def test_a_path_is_typed_at_the_prompt_and_a_refusal_changes_nothing(moving: Path) -> None:
    head = kinds(moving)
    out = said("battle", "play", "a.battle", given=["move R-0A B1", "move R-0A ZZ9", "q"])
    assert out.count("Refused: ") == 2
    assert kinds(moving) == head
    said("battle", "play", "a.battle", given=["move R-0A B5", "q"])
    assert where(moving) == [Hex(-1, 4)]


def test_words_that_are_no_act_are_words_to_look_for(moving: Path) -> None:
    out = said("battle", "play", "a.battle", given=["move B5", "q"])
    assert "   1  R-0A: move to B5" in out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("frobnicate", "R-0A"), "there is no such act (D-R11.2); found: frobnicate; expected: relieve_stress, move, "),
        (
            ("move", "R-7A", "F12"),
            "move: nobody in this battle is called so (D-R14.1); found: R-7A; rallypoint battle show",
        ),
        (("move", "B5"), "move: nobody in this battle is called so (D-R14.1); found: B5"),
        (("move", "R-0A"), "move: this move says no way (D-R14.1); found: R-0A; expected: the stand, then the hexes"),
        (("move", "R-0A", "north"), "move: this is no hex (D-R14.1); found: north; expected: hexes such as E2 E3"),
        (("take_cover", "R-0A", "now"), "take_cover: this act takes other words (D-R13.1); found: R-0A now"),
        (("act", "R-0A", "fire"), "act: these are not the arguments of this act (D-R16.1); found: R-0A fire"),
    ],
)
def test_words_that_are_no_act_are_refused_by_the_rule_of_the_act_and_the_word_is_named(
    moving: Path, words: tuple[str, ...], expected: str
) -> None:
    done = say("battle", "act", "a.battle", *words)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"error: {expected}")


def test_words_as_acts() -> None:
    assert spelled("attach", ["R-1A", "R-2"]) == ("R-1A", "R-2")
    assert spelled("drive", ["R-2", "left", "ahead"]) == ("R-2", ["left", "ahead"])
    assert spelled("drive", ["R-2"]) == ("R-2",)
    assert spelled("take_cover", ["R-1A", "B-1A"]) is None
    assert spelled("act", ["R-1A"]) is None


def test_hexes_become_coordinates_where_a_rule_takes_them() -> None:
    """C1 is column 2 of row 0, B3 column 1 of row 2, A5 column 0 of row 4: in axial numbers (2, 0), (0, 2), (-2, 4)."""
    state = position(team("R1A", (0, 0), unit("Soldier")), team("B1A", (0, 3), unit("Soldier")))

    def read(rule: str, *args: object, legal: tuple[Intent, ...] = ()) -> object:
        given: Intent = Intent(rule, args, "red")  # type: ignore[arg-type]
        return understood(state, given, legal, str.upper).args

    assert read("move", "r1a", ["A2", [0, 2]]) == ("R1A", [[0, 1], [0, 2]])
    listed = Intent("move", ("R1A", ((0, 1), (0, 2))), "red"), Intent("move", ("B1A", ((0, 1), (0, 2))), "red")
    assert read("move", "r1a", ["B3"], legal=listed) == ("R1A", [(0, 1), (0, 2)])
    nowhere = read("move", "r1a", ["A5"], legal=listed)
    assert nowhere == ("R1A", [[-2, 4]])  # nothing listed leads there: the rule says so
    shots = [["R1A-1", "fire", "mortar", "C1"], ["R1A-2", "fire", "rifle", "B1A"]]
    assert read("act", "R1A", shots) == ("R1A", [["R1A-1", "fire", "mortar", "@2,0"], shots[1]])
    order = {"text": "Go to C1.", "place": "C1"}
    assert read("brief", "R1", order) == ("R1", {**order, "place": [2, 0]})
    assert read("act", "R1A", [["R1A-1", "order", "R1", order]]) == (
        "R1A",
        [["R1A-1", "order", "R1", {**order, "place": [2, 0]}]],
    )
    assert read("move", "R1A") == ("R1A",)  # for the rule to refuse


def test_typed_dice_are_handed_over_for_one_run(home: Path) -> None:
    said(
        "battle",
        "new",
        "skirmish.toml",
        "-o",
        "a.battle",
        "--dice",
        "typed",
        "--seat",
        "red=auto",
        "--seat",
        "blue=auto",
    )
    said("battle", "step", "a.battle")
    assert kinds(home / "a.battle")[-1] == "wait"
    assert "Over: " in said("battle", "step", "a.battle", "--dice", "seeded")
    assert said("battle", "replay", "a.battle").startswith("The same: ")
    said("battle", "new", "skirmish.toml", "-o", "b.battle", "--seed", "7", "--seat", "red=auto", "--seat", "blue=auto")
    assert "Open: " in said("battle", "step", "b.battle", "--dice", "typed")


def test_at_a_prompt_for_dice_enter_rolls(home: Path) -> None:
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--dice", "typed")
    out = said("battle", "play", "a.battle", given=["done", "done", "", "r", "q"])
    assert out.count("rolled for you: ") == 2
    first = next(
        each for each in entries(home / "a.battle") if each.kind == "step" and each.intent.rule == "initiative"
    )
    rolled = [int(face) for line in out.split("rolled for you: ")[1:] for face in line.splitlines()[0].split()]
    assert [face for taped in first.tape for face in taped.answer] == rolled
    assert all(0 <= face <= 99 for face in rolled)
    assert said("battle", "replay", "a.battle").startswith("The same: ")
