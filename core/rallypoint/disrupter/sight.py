"""Rule 12: who can see whom. The geometry stands in :mod:`rallypoint.disrupter.sight_lines`.

What is in the way: buildings (D-AMB-01), the land beyond the edge of the board (D-LOS.edge), and enemy stands (D-AMB-20). Friends
never are (D-R12.2), nor is light cover; facing does not matter (D-R12.3).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from rallypoint.kernel.board import Board
from rallypoint.kernel.canonical import EMPTY, Value
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import State

from .field import board, enemy, held, place, side_of
from .rulings import chosen
from .sight_lines import centre_line_free, corridor, line_free

__all__ = ["SightTests", "between", "lines", "over_land", "sees", "sight_tests"]


class SightTests(NamedTuple):
    """How often sight was asked for in this process, how often it had to be worked out, and past how many obstacles."""

    asked: int
    worked_out: int
    obstacles: int


MOST = 50_000
"""How many lines are remembered for a board, before all of them are forgotten."""


class _Known:
    """What is known about one board under one set of rulings: lines between two hexes past stands in their corridor."""

    def __init__(
        self, land: Board, shape: str, tangent_clear: bool, gap_clear: bool, edge: bool, buildings: bool
    ) -> None:
        self.land = land
        self.shape = shape
        self.tangent_clear = tangent_clear
        self.gap_clear = gap_clear
        self.edge = edge
        self.buildings = {at for at, word in land.terrain.items() if word == "building"} if buildings else set()
        self.corridors: dict[tuple[Hex, Hex], tuple[Hex, ...] | None] = {}
        self.lines: dict[tuple[Hex, Hex, tuple[Hex, ...]], bool] = {}

    def free(self, a: Hex, b: Hex, stands: frozenset[Hex]) -> bool:
        if (b.r, b.q) < (a.r, a.q):
            a, b = b, a  # a line can be drawn from either end
        key = (a, b)
        passed = self.corridors[key] if key in self.corridors else self._corridor(a, b)
        if passed is None:
            return False
        if stands.isdisjoint(passed):
            return True
        return self._past(a, b, tuple([at for at in passed if at in stands]), passed)

    def _corridor(self, a: Hex, b: Hex) -> tuple[Hex, ...] | None:
        """Return the hexes between two in which stands matter, ``None`` where the land alone leaves no line."""
        passed = tuple([Hex(a.q + step.q, a.r + step.r) for step in corridor(b.q - a.q, b.r - a.r)])
        free = self._worked_out(a, b, (), passed)
        if len(self.corridors) >= MOST:
            self.corridors.clear()
        found = self.corridors[a, b] = passed if free else None
        return found

    def _past(self, a: Hex, b: Hex, stands: tuple[Hex, ...], passed: tuple[Hex, ...]) -> bool:
        key = (a, b, stands)
        known = self.lines.get(key)
        if known is None:
            if len(self.lines) >= MOST:
                self.lines.clear()
            known = self.lines[key] = self._worked_out(a, b, stands, passed)
        return known

    def _worked_out(self, a: Hex, b: Hex, stands: tuple[Hex, ...], passed: tuple[Hex, ...]) -> bool:
        obstacles = [(at.q - a.q, at.r - a.r) for at in passed if at in stands or self._land_blocks(at)]
        _counts[1] += 1
        _counts[2] += len(obstacles)
        end = b.q - a.q, b.r - a.r
        if self.shape == "centres":
            return centre_line_free(end, obstacles, self.tangent_clear, self.gap_clear)
        return line_free(end, obstacles, self.tangent_clear, self.gap_clear)

    def _land_blocks(self, at: Hex) -> bool:
        return at in self.buildings or (self.edge and not self.land.holds(at))


_counts = [0, 0, 0]
_latest: list[tuple[Board | None, Mapping[str, Value], _Known | None]] = [(None, EMPTY, None)]
_boards: dict[tuple[int, str, str, str, str, str], _Known] = {}
_RULINGS = ("D-LOS.shape", "D-LOS.tangent", "D-LOS.gap", "D-LOS.edge", "D-AMB-01")


def sight_tests() -> SightTests:
    """Return how many sight tests there were in this process so far."""
    return SightTests(*_counts)


def _known(land: Board, options: Mapping[str, Value]) -> _Known:
    if _latest[0][0] is not land or _latest[0][1] is not options:
        _latest[0] = (land, options, _found(land, options))
    known = _latest[0][2]
    assert known is not None
    return known


def _found(land: Board, options: Mapping[str, Value]) -> _Known:
    shape, tangent, gap, edge, buildings = (chosen(options, ruling) for ruling in _RULINGS)
    key = (id(land), shape, tangent, gap, edge, buildings)
    known = _boards.get(key)
    if known is None or known.land is not land:
        if len(_boards) > 64:
            _boards.clear()
        known = _boards[key] = _Known(
            land, shape, tangent == "clear", gap == "clear", edge == "blocked", buildings == "block"
        )
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
        stands = held(state, enemy(state, side))
    return _known(board(state), options).free(a, b, stands)


def lines(state: State, options: Mapping[str, Value], side: str) -> Callable[[Hex, Hex], bool]:
    """Return :func:`between` for one side and one moment, for many questions: who stands where is looked up once."""
    stands: frozenset[Hex] = frozenset()
    if chosen(options, "D-AMB-20") == "enemies":
        stands = held(state, enemy(state, side))
    known = _known(board(state), options)

    def free(a: Hex, b: Hex) -> bool:
        _counts[0] += 1
        return known.free(a, b, stands)

    return free


def over_land(land: Board, options: Mapping[str, Value]) -> Callable[[Hex, Hex, frozenset[Hex]], bool]:
    """Return whether a line can be drawn between two hexes of a board past some stands: for where to begin, before a battle."""
    known, obstruct = _known(land, options), chosen(options, "D-AMB-20") == "enemies"

    def free(a: Hex, b: Hex, stands: frozenset[Hex]) -> bool:
        _counts[0] += 1
        return known.free(Hex(a.q, a.r), Hex(b.q, b.r), stands if obstruct else frozenset())

    return free


def sees(state: State, options: Mapping[str, Value], a_team: str, b_team: str) -> bool:
    """Say whether one team (or unit) has a line of sight to another; none from or to what is off the board (D-R12.1)."""
    here, there = place(state, a_team), place(state, b_team)
    return here is not None and there is not None and between(state, options, here, there, side_of(state, a_team))
