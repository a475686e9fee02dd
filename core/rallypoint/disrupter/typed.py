"""What people type as an act: hexes by the names of the map, a few words without brackets.

What is understood here is handed to the rules as coordinates; whether it is allowed, they say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from rallypoint.content.scenario_terrain import hex_at
from rallypoint.kernel.game import Intent
from rallypoint.kernel.hexes import distance
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import State

from .field import place, rally_points, sides

__all__ = ["amiss", "spelled", "understood"]

_Uid: TypeAlias = Callable[[str], str]


def spelled(rule: str, words: Sequence[str]) -> tuple[object, ...] | None:
    """Return the arguments that words without brackets mean, ``None`` where they are no such act.

    >>> spelled("move", ["M-0A", "E2", "E3"]), spelled("take_cover", ["M-0A"]), spelled("move", ["M-0A"])
    (('M-0A', ['E2', 'E3']), ('M-0A',), None)
    """
    if rule == "move":
        hexes = list(words[1:])
        return (words[0], hexes) if hexes and all(hex_at(word) is not None for word in hexes) else None
    if rule == "drive" and words:
        return (words[0], list(words[1:])) if len(words) > 1 else (words[0],)
    return tuple(words) if len(words) == _WORDS.get(rule) else None


_WORDS: Mapping[str, int] = MappingProxyType({"take_cover": 1, "leave_cover": 1, "attach": 2, "relieve_stress": 1})
"""Acts that are about one or two stands and nothing else."""


def amiss(rule: str, words: Sequence[str]) -> tuple[str, str, str] | None:
    """Return what is wrong with words that :func:`spelled` does not take, which word it is, and what is expected.

    >>> amiss("move", ["M-0A", "E2", "north"]), amiss("take_cover", ["M-0A", "now"])
    (('this is no hex', 'north', 'hexes such as E2 E3'), ('this act takes other words', 'M-0A now', 'a stand'))
    """
    if rule == "move":
        strange = [word for word in words[1:] if hex_at(word) is None]
        if strange:
            return "this is no hex", strange[0], "hexes such as E2 E3"
        return "this move says no way", " ".join(words), "the stand, then the hexes that it enters, such as E2 E3"
    if rule not in _WORDS:
        return None
    return "this act takes other words", " ".join(words), "a stand" if _WORDS[rule] == 1 else "a stand and a raft"


def understood(state: State, intent: Intent, legal: Sequence[Intent], uid: _Uid) -> Intent:
    """Return an act with coordinates for the names of hexes and Rally Points in it.

    Of a move that names only where it ends the listed way there is taken.

    Args:
        state: the battle.
        intent: the act, as somebody typed it.
        legal: what is listed for that seat.
        uid: gives the uid that a code means.
    """
    args: Any = intent.args
    try:
        if intent.rule == "move":
            return _move(state, intent, legal, uid)
        if intent.rule == "act":
            deeds: Any = [_deed(state, intent.seat, deed) for deed in args[1]]
            return intent._replace(args=(args[0], deeds, *args[2:]))
        if intent.rule in ("brief", "agree"):
            return intent._replace(args=tuple([_order(state, intent.seat, each) for each in args]))
    except (IndexError, KeyError, TypeError, ValueError):  # it does not fit the act: the rule says how
        pass
    return intent


def _move(state: State, intent: Intent, legal: Sequence[Intent], uid: _Uid) -> Intent:
    args: Any = intent.args
    team = uid(args[0])
    path: Any = [_hex(each) for each in args[1]]
    here = place(state, team) if team in state else None
    if here is not None and len(path) == 1 and distance(here, Hex(*path[0])) > 1:
        listed: Any = [each.args for each in legal if each.rule == "move"]
        path = next((list(way) for who, way in listed if who == team and list(way[-1]) == list(path[0])), path)
    return intent._replace(args=(team, path, *args[2:]))


def _hex(said: Any) -> Any:
    """Return a hex by its name as [q, r]; anything else as it is."""
    found = hex_at(said) if isinstance(said, str) else None
    return said if found is None else [found.q, found.r]


def _deed(state: State, seat: str | None, deed: Any) -> Any:
    if deed[1] == "fire" and deed[3] not in state:
        found = hex_at(deed[3])
        return deed if found is None else [*deed[:3], f"@{found.q},{found.r}"]
    return [*deed[:3], _order(state, seat, deed[3]), *deed[4:]] if deed[1] == "order" else deed


def _order(state: State, seat: str | None, row: Any) -> Any:
    """Return an order with coordinates for the place that it names; anything else as it is."""
    said = row.get("place") if isinstance(row, Mapping) else None
    if not isinstance(said, str):
        return row
    points = rally_points(state, seat) if seat in sides(state) else {}
    found = points.get(said) or hex_at(said)
    return row if found is None else {**row, "place": [found.q, found.r]}
