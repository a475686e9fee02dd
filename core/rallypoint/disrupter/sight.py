"""Rule 12: who can see whom. The geometry stands in :mod:`rallypoint.disrupter.sight_lines`.

What is in the way: buildings (D-AMB-01), the land beyond the edge of the board (D-LOS.edge), and enemy stands (D-AMB-20). Friends
never are (D-R12.2), nor is light cover; facing does not matter (D-R12.3).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from rallypoint.kernel.board import Board
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.hexes import distance
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import State

from .field import board, enemy, hex_of, place, side_of, teams
from .rulings import chosen
from .sight_lines import centre_line_free, corridor, line_free

__all__ = ["SightTests", "between", "lines", "sees", "sight_tests"]


class SightTests(NamedTuple):
    """How often sight was asked for in this process, how often it had to be worked out, and past how many obstacles."""

    asked: int
    worked_out: int
    obstacles: int


class _Known:
    """What is known about one board under one set of rulings: lines between two hexes past stands in their corridor."""

    def __init__(self, land: Board, shape: str, tangent_clear: bool, edge: bool, buildings: bool) -> None:
        self.land = land
        self.shape = shape
        self.tangent_clear = tangent_clear
        self.edge = edge
        self.buildings = {at for at, word in land.terrain.items() if word == "building"} if buildings else set()
        self.lines: dict[tuple[Hex, Hex, tuple[Hex, ...]], bool] = {}

    def free(self, a: Hex, b: Hex, stands: frozenset[Hex]) -> bool:
        steps = corridor(b.q - a.q, b.r - a.r)
        passed = [Hex(a.q + step.q, a.r + step.r) for step in steps]
        # Stands matter only where the land alone leaves a line.
        if not self._known(a, b, (), passed):
            return False
        there = tuple([at for at in passed if at in stands]) if stands else ()
        return not there or self._known(a, b, there, passed)

    def _known(self, a: Hex, b: Hex, stands: tuple[Hex, ...], passed: list[Hex]) -> bool:
        if (b.r, b.q) < (a.r, a.q):
            a, b = b, a  # a line can be drawn from either end
        key = (a, b, stands)
        known = self.lines.get(key)
        if known is None:
            known = self.lines[key] = self._worked_out(a, b, stands, passed)
        return known

    def _worked_out(self, a: Hex, b: Hex, stands: tuple[Hex, ...], passed: list[Hex]) -> bool:
        obstacles = [(at.q - a.q, at.r - a.r) for at in passed if at in stands or self._land_blocks(at)]
        _counts[1] += 1
        _counts[2] += len(obstacles)
        end = b.q - a.q, b.r - a.r
        if self.shape == "centres":
            return distance(a, b) < 2 or centre_line_free(end, obstacles, self.tangent_clear)
        return line_free(end, obstacles, self.tangent_clear)

    def _land_blocks(self, at: Hex) -> bool:
        return at in self.buildings or (self.edge and not self.land.__contains__(at))


_counts = [0, 0, 0]
_boards: dict[tuple[int, str, str, str, str], _Known] = {}
_RULINGS = ("D-LOS.shape", "D-LOS.tangent", "D-LOS.edge", "D-AMB-01")


def sight_tests() -> SightTests:
    """Return how many sight tests there were in this process so far."""
    return SightTests(*_counts)


def _known(land: Board, options: Mapping[str, Value]) -> _Known:
    shape, tangent, edge, buildings = (chosen(options, ruling) for ruling in _RULINGS)
    key = (id(land), shape, tangent, edge, buildings)
    known = _boards.get(key)
    if known is None or known.land is not land:
        if len(_boards) > 64:
            _boards.clear()
        known = _boards[key] = _Known(land, shape, tangent == "clear", edge == "blocked", buildings == "block")
    return known


def between(state: State, options: Mapping[str, Value], a: Hex, b: Hex, side: str | None) -> bool:
    """Say whether a line can be drawn from any part of one hex to any part of another (D-R12.1).

    Args:
        state: the battle.
        options: the rulings in force.
        a: a hex of the board.
        b: another.
        side: whose line it is: the stands of the other side are in the way. ``None``: no stands are.
    """
    _counts[0] += 1
    stands: frozenset[Hex] = frozenset()
    if side is not None and chosen(options, "D-AMB-20") == "enemies":
        held = {hex_of(state, team) for team in teams(state, enemy(state, side))}
        stands = frozenset([at for at in held if at is not None])
    return _known(board(state), options).free(Hex(a.q, a.r), Hex(b.q, b.r), stands)


def lines(state: State, options: Mapping[str, Value], side: str) -> Callable[[Hex, Hex], bool]:
    """Return :func:`between` for one side and one moment, for many questions: who stands where is looked up once."""
    stands: frozenset[Hex] = frozenset()
    if chosen(options, "D-AMB-20") == "enemies":
        held = [hex_of(state, team) for team in teams(state, enemy(state, side))]
        stands = frozenset([Hex(at.q, at.r) for at in held if at is not None])
    known = _known(board(state), options)

    def free(a: Hex, b: Hex) -> bool:
        _counts[0] += 1
        return known.free(a, b, stands - {a, b})

    return free


def sees(state: State, options: Mapping[str, Value], a_team: str, b_team: str) -> bool:
    """Say whether one team (or unit) has a line of sight to another; none from or to what is off the board (D-R12.1)."""
    here, there = place(state, a_team), place(state, b_team)
    return here is not None and there is not None and between(state, options, here, there, side_of(state, a_team))
