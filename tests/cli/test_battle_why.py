"""Why something is not listed or not allowed, and where to look: shots, stands, the board, other plugins, options that come too late."""

from __future__ import annotations

from pathlib import Path

import pytest

from rallypoint.disrupter.datasheet import stand_lines
from rallypoint.disrupter.why import why_shots
from rallypoint.kernel.errors import InputError

from ..disrupter.positions import engaged, game, position, team, unit
from .battles import said, say


def lines_of(state: object, shooter: str, target: str) -> list[str]:
    return list(why_shots(game(), state, shooter, target, str))  # type: ignore[arg-type]


def facing(apart: int, *weapons: str) -> object:
    """Return red in its Battlefield portion, ``apart`` hexes from blue in a straight column of rows."""
    rows = team("R1A", (0, 0), unit("NCO", *weapons)), team("B1A", (0, apart), unit("NCO"))
    return engaged(position(*rows, portion=("1", "red", "battle")))


def test_each_weapon_says_what_keeps_it_by_its_rule() -> None:
    """A revolver reaches 3 hexes, a pulse rifle 4 (D-EQ-T1)."""
    head, revolver, rifle = lines_of(facing(4, "revolver", "pulse_rifle"), "R1A-1", "B1A")
    assert head == "R1A-1 at B1A: 4 hexes, Long Range, in sight"
    assert revolver == "  R1A-1, Revolver: the target is out of range (D-R16.9); found: 4 hexes; expected: 3 at most"
    assert rifle == "  R1A-1, Pulse Rifle: it may be fired"
    assert lines_of(facing(1, "revolver"), "R1A", "B1A")[0] == "R1A at B1A: 1 hex, Close Range, in sight"


def test_a_team_that_is_not_due_or_suppressed_is_told_so() -> None:
    early = engaged(position(team("R1A", (0, 0), unit("NCO", "revolver")), team("B1A", (0, 1), unit("NCO"))))
    lines = lines_of(early, "R1A-1", "B1A")
    assert lines[1].startswith("  now is the time to move (D-R11.9)")
    assert lines[2] == "  R1A-1, Revolver: nothing else keeps it"
    with pytest.raises(InputError, match="from a team or unit to another one"):
        lines_of(early, "red", "B1A")


def test_a_stand_at_length() -> None:
    state = position(
        team("R1A", (0, 0), unit("NCO", "pulse_rifle")), team("B1A", (0, 1), unit("NCO")), rally_points={"red": (0, 2)}
    )
    first, second = stand_lines(state, "R1A", str)
    assert first == "R1A-1: Instinct 80, Armor 60, Movement 1, Wounds 0 of 2"
    assert second == "  Pulse Rifle: Wounds C 2, M 2, L 1; 4 hexes at most"
    (points,) = stand_lines(state, "red", str)
    assert points.startswith("red: Rally Points: ")
    assert points.endswith(" B3")
    assert list(stand_lines(state, "R1", str)) == []


@pytest.fixture
def seeded(home: Path) -> Path:
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "5", "--seat", "blue=auto")
    return home / "a.battle"


def test_looking_at_the_prompt(seeded: Path) -> None:
    before = said("battle", "play", "a.battle", given=["q"]) and seeded.read_bytes()
    out = said("battle", "play", "a.battle", given=["m", "s R-0A", "w R-0A-2 B-0A", "s nobody", "help", "q"])
    board = [line.split() for line in out.splitlines() if line[:3].strip().isdecimal() and "." in line.split()]
    assert [row for row in board if row[0] == "6" and "R-0A" in row] == [["6", ".", "R-0A", "R-1A", ".", "R-1B", "."]]
    assert "As a picture: rallypoint battle map a.battle -o now.svg" in out
    assert "R-0A-2 Soldier: Instinct 60, Armor 60, Movement 1, Wounds 0 of 2" in out
    assert "this is not the Action Phase (D-R11.1)" in out
    assert "Refused: nobody in this battle is called so; found: nobody" in out
    assert "undo your last act" in out
    assert seeded.read_bytes() == before


def test_a_command_says_why(seeded: Path) -> None:
    assert "R-0A-2 Soldier at B-0A: 5 hexes, Long Range" in said("battle", "why", "a.battle", "r-0a-2", "b-0a")


def test_a_hex_is_no_target_and_called_what_it_is(seeded: Path) -> None:
    done = say("battle", "why", "a.battle", "R-0A", "D4")
    assert (done.status, "this is a hex" in done.err, "found: D4" in done.err) == (2, True, True)
    assert "nobody in this battle is called so" in say("battle", "why", "a.battle", "R-0A", "R-7A").err


def test_a_refusal_speaks_in_codes(seeded: Path) -> None:
    said("battle", "play", "a.battle", given=["done", "q"])
    done = say("battle", "act", "a.battle", "move", "R-1A", "C1")
    assert done.status == 2
    assert done.err.startswith("error: R-1A: ")
    assert "small" not in done.err
    assert "Refused: R-1A: " in said("battle", "play", "a.battle", given=["move R-1A C1", "q"])


def test_g_at_a_question_says_what_to_do_instead(home: Path) -> None:
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--dice", "typed")
    out = said("battle", "play", "a.battle", given=["done", "done", "g", "q"])
    assert "Only an act can be left to the game. Here a number answers; at dice Enter rolls them." in out


def test_a_battle_that_is_over_names_undo(home: Path) -> None:
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "1", "--seat", "red=auto", "--seat", "blue=auto")
    assert said("battle", "play", "a.battle").endswith("over. rallypoint battle undo a.battle goes back by a step.\n")


def test_a_plugin_that_is_too_many_is_switched_off_for_a_run(seeded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RALLYPOINT_PLUGINS", "disrupter,foundry,indirect-fire,mothership,owlbear")
    done = say("battle", "undo", "a.battle")
    assert done.status == 2
    way = "rallypoint -p no:indirect-fire battle undo a.battle"
    assert f"{way} goes on without it; rallypoint battle adopt a.battle with it" in done.err
    said("-p", "no:indirect-fire", "battle", "step", "a.battle")
    said("-p", "no:indirect-fire", "battle", "undo", "a.battle")


def test_an_option_of_the_program_behind_a_command_is_put_in_front(seeded: Path) -> None:
    done = say("battle", "play", "a.battle", "-p", "no:foundry")
    assert done.status == 2
    assert done.err == "error: -p goes before the command: rallypoint -p no:foundry battle play a.battle\n"
    assert "No such option" in say("battle", "play", "a.battle", "--nonsense").err


def test_check_and_briefing_say_the_same_part_of_terrain(seeded: Path) -> None:
    """6 of the 36 hexes are terrain: a sixth, 17 %."""
    assert "17% of the board is terrain" in said("battle", "step", "a.battle")
    assert "6 of 36 are terrain (17%)" in said("scenario", "check", "skirmish.toml")
