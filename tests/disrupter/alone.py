"""Positions for the autopilot, and what it does in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rallypoint.disrupter.autopilot import BEAM_REACH, Autopilot
from rallypoint.disrupter.game import Disrupter
from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.board import Board
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import SetAttribute
from rallypoint.kernel.game import Intent
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import Entity, State

from .positions import changed, engaged, position, team, unit

RIFLE = unit("Soldier", "pulse_rifle")
MAN = unit("Soldier", "revolver")
BOT = unit("Bot", "laser_carbine")
RED_CO = team("R0A", (0, 0), unit("CO", "revolver"))
BLUE_CO = team("B0A", (6, 11), unit("CO", "revolver"))


def field(
    *teams: list[Entity],
    phase: str,
    side: str = "red",
    terrain: Mapping[tuple[int, int], str] | None = None,
    cos: Sequence[list[Entity]] = (RED_CO, BLUE_CO),
    group: str = "1",
    turn: int = 1,
) -> State:
    """Return a state in which Group 1 of a side moves or acts, with another portion behind it; all squads engage."""
    words = {Hex(*at): word for at, word in (terrain or {}).items()}
    state = engaged(position(*cos, *teams, board=Board(12, 12, words), turn=turn))
    rows = (("co", side, phase), ("1", side, phase), ("2", side, phase))
    groups = [SetAttribute(squad.uid, "group", 1) for squad in state if squad.role == "squad"]
    return changed(
        state, SetAttribute("battle", "portions", rows), SetAttribute("battle", "at", int(group != "co")), *groups
    )


def does(state: State, *, side: str = "red", beam_reach: int | None = BEAM_REACH) -> Intent:
    game = Disrupter()
    intent = Autopilot(game.options, beam_reach=beam_reach).act(game.legal(state, side), game.view(state, side))
    Battle.start(game, state, Answers(Seed(1), others=Autopilot(game.options))).act(intent)  # the rules allow it
    return intent


def rows_of(argument: Value) -> list[tuple[Value, ...]]:
    """Return the rows of an argument: the deeds of an act, the hexes of a move."""
    assert isinstance(argument, tuple)
    found = []
    for row in argument:
        assert isinstance(row, tuple)
        found.append(row)
    return found


def deeds(intent: Intent) -> dict[str, tuple[Value, ...]]:
    assert intent.rule == "act"
    return {str(deed[0]): deed[1:] for deed in rows_of(intent.args[1])}


def end_of(intent: Intent) -> Hex:
    """Return where a move ends."""
    q, r = rows_of(intent.args[1])[-1]
    assert isinstance(q, int)
    assert isinstance(r, int)
    return Hex(q, r)


def wall(row: int) -> dict[tuple[int, int], str]:
    """Return buildings all along a row, which nobody sees through."""
    return {(q, row): "building" for q in range(-6, 12)}
