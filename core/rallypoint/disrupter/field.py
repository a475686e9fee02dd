"""Reading the state of a battle in the words of the rules: sides, platoons, stands, units, officers, distances.

The tree is side > platoon > squad > team > unit. A team is one stand (or vehicle) and has the place; its units are where
it is. Beside the sides stands one entity ``battle``: its facts are what was agreed at the briefing (board, weapons, mode),
its attributes say how far the turn is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from rallypoint.content.catalogue import Item
from rallypoint.kernel.board import Board
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.errors import StateError
from rallypoint.kernel.hexes import distance
from rallypoint.kernel.parts import Hex, Pose
from rallypoint.kernel.state import Entity, State

from .ruler import hexes_of_mm
from .tables import catalogue

__all__ = [
    "BATTLE",
    "Weapon",
    "alive",
    "board",
    "commander",
    "edge",
    "enemy",
    "hex_of",
    "hexes_apart",
    "is_bot",
    "living",
    "officers",
    "place",
    "platoon",
    "rally_points",
    "side_of",
    "sides",
    "squad_of",
    "team_of",
    "teams",
    "turn",
    "vehicle_known",
    "weapon",
    "weapons",
]

BATTLE = "battle"
"""The uid of the entity that holds what belongs to no side."""


class Weapon(NamedTuple):
    """A weapon as the battle knows it: Wounds by range band (``T`` for indirect fire), Max in hexes (``None``: infinite)."""

    key: str
    title: str
    T: int
    C: int
    M: int
    L: int
    Max: int | None
    traits: tuple[str, ...]

    def trait(self, name: str) -> tuple[str, ...] | None:
        """Return the arguments of a trait, ``None`` where the weapon does not have it.

        >>> Weapon("x", "X", 0, 3, 3, 1, 3, ("splash(close,1)",)).trait("splash")
        ('close', '1')
        """
        for trait in self.traits:
            head, _, tail = trait.partition("(")
            if head == name:
                return tuple([part.strip() for part in tail.rstrip(")").split(",") if part.strip()])
        return None


def turn(state: State) -> int:
    """Return the number of the turn, from 1; 0 before the first."""
    value = state[BATTLE].attributes.get("turn", 0)
    assert isinstance(value, int)
    return value


class _Known:
    """What a battle's facts and its tree say once and for all, worked out when first asked for."""

    __slots__ = ("board", "facts", "officers", "sides", "weapons")

    def __init__(self, facts: Mapping[str, Value]) -> None:
        self.facts = facts
        self.board: Board | None = None
        self.weapons: dict[str, Weapon] = {}
        self.sides: dict[str, str] = {}
        self.officers: dict[tuple[str, int], tuple[str, ...]] = {}


_battles: dict[int, _Known] = {}


def _known(state: State) -> _Known:
    facts = state[BATTLE].facts
    known = _battles.get(id(facts))
    if known is None or known.facts is not facts:
        if len(_battles) > 64:
            _battles.clear()
        known = _battles[id(facts)] = _Known(facts)
    return known


def board(state: State) -> Board:
    """Return the board (D-R2.1); worked out once for each battle."""
    known = _known(state)
    if known.board is None:
        known.board = _board_in(known.facts["board"])
    return known.board


def board_out(made: Board) -> Mapping[str, object]:
    """Return the board as the fact that :func:`board` reads."""
    terrain = sorted((place.q, place.r, word) for place, word in made.terrain.items())
    return {"columns": made.columns, "rows": made.rows, "terrain": terrain, "hex_mm": made.hex_mm}


def _board_in(row: Any) -> Board:
    terrain = {Hex(q, r): word for q, r, word in row["terrain"]}
    return Board(row["columns"], row["rows"], terrain, row["hex_mm"])


def edge(state: State, side: str) -> str:
    """Return a side's own table edge: ``top``, ``bottom``, ``left``, ``right`` or a corner such as ``top-left`` (D-GM-2)."""
    edges = state[BATTLE].facts["edges"]
    assert isinstance(edges, Mapping)
    own = edges[side]
    assert isinstance(own, str)
    return own


def rally_points(state: State, side: str) -> Mapping[str, Hex]:
    """Return the Rally Points of a side by name (D-R10.2), in the order in which they were set."""
    points = state[BATTLE].facts["rally_points"]
    assert isinstance(points, Mapping)
    rows: Any = points[side]
    return {name: Hex(q, r) for name, q, r in rows}


def sides(state: State) -> tuple[str, ...]:
    """Return the uids of the sides, in the order in which they were mustered."""
    return tuple([entity.uid for entity in state.children(None) if entity.role == "side"])


def enemy(state: State, side: str) -> str:
    """Return the other side (D-R1.1: there are exactly two)."""
    for other in sides(state):
        if other != side:
            return other
    raise StateError("there is only one side", found=side)


def platoon(state: State, side: str) -> Entity:
    """Return the platoon of a side."""
    return next(entity for entity in state.children(side) if entity.role == "platoon")


def side_of(state: State, uid: str) -> str:
    """Return the side that an entity belongs to; it stays there for the whole battle."""
    known = _known(state).sides
    side = known.get(uid)
    if side is None or uid not in state:
        side = known[uid] = state.above(uid, "side").uid
    return side


def squad_of(state: State, uid: str) -> Entity:
    """Return the squad of a team or unit."""
    return state.above(uid, "squad")


def team_of(state: State, uid: str) -> Entity:
    """Return the team of a unit; a team is its own."""
    return state.above(uid, "team")


def alive(unit: Entity) -> bool:
    """Say whether a unit is still in the fight: not dead, incapacitated or run off."""
    return "out" not in unit.statuses


def living(state: State, team: str) -> tuple[Entity, ...]:
    """Return the units of a team that are still in the fight, in the order of the roster."""
    return tuple([unit for unit in state.children(team) if "out" not in unit.statuses])


def teams(state: State, side: str | None = None) -> Iterator[Entity]:
    """Yield the teams on the board that have living units, of one side or of both."""
    for owner in sides(state) if side is None else (side,):
        for team in _stands(state, owner):
            if team.place is not None and living(state, team.uid):
                yield team


def _stands(state: State, uid: str) -> Iterator[Entity]:
    """Yield the teams below an entity, without a look at their units: this is asked for all the time."""
    for child in state.children(uid):
        if child.role == "team":
            yield child
        elif child.role != "unit":
            yield from _stands(state, child.uid)


def place(state: State, uid: str) -> Hex | None:
    """Return the hex of a team, or of a unit's team; ``None`` off the board."""
    return hex_of(state, team_of(state, uid))


def hex_of(state: State, team: Entity) -> Hex | None:
    """Return the hex of a team; that of a vehicle off the grid is the one over which its middle is (D-VE-3)."""
    where = team.place
    if isinstance(where, Pose):
        return board(state).hex_at(where.x, where.y)
    return where if isinstance(where, Hex) else None


def hexes_apart(state: State, a: str, b: str) -> int | None:
    """Return the hexes between two teams or units (D-R5.1), ``None`` when one of them is off the board.

    To and from a vehicle off the grid the ruler counts, from middle to middle (D-R5.2).
    """
    ends = team_of(state, a).place, team_of(state, b).place
    if isinstance(ends[0], Pose) or isinstance(ends[1], Pose):
        points = [board(state).point(end) for end in ends if isinstance(end, (Hex, Pose))]
        return hexes_of_mm(points[0], points[1]) if len(points) == 2 else None
    here, there = place(state, a), place(state, b)
    return None if here is None or there is None else distance(here, there)


def is_bot(unit: Entity) -> bool:
    """Say whether a unit is a Bot (D-R8.8, D-R9.15)."""
    return unit.facts.get("class") == "Bot"


def officers(state: State, side: str) -> tuple[Entity, ...]:
    """Return the living Officers of a side on the board: the CO first where he lives, then the NCOs by squad."""
    found = [state[uid] for uid in _leaders(state, side) if alive(state[uid]) and place(state, uid) is not None]
    head = commander(state, side)
    return tuple(sorted(found, key=lambda unit: head is None or unit.uid != head.uid))


def _leaders(state: State, side: str) -> tuple[str, ...]:
    """Return all who are or were Officers of a side; looked for anew when somebody has come into the battle."""
    known, key = _known(state).officers, (side, len(state))
    found = known.get(key)
    if found is None:
        units = state.below(side, "unit")
        found = known[key] = tuple([unit.uid for unit in units if unit.facts.get("class") in ("CO", "NCO")])
    return found


def commander(state: State, side: str) -> Entity | None:
    """Return the acting CO of a side (D-R9.1, D-R9.6), ``None`` when there is none."""
    uid = platoon(state, side).attributes.get("co")
    return state[uid] if isinstance(uid, str) and alive(state[uid]) else None


def weapon(state: State, key: str) -> Weapon:
    """Return a weapon by its key, with the numbers of this battle.

    Raises:
        StateError: nobody brought such a weapon to this battle.
    """
    known = _known(state)
    found = known.weapons.get(key)
    if found is None:
        table = known.facts["weapons"]
        assert isinstance(table, Mapping)
        row = table.get(key)
        if not isinstance(row, Mapping):
            expected = ", ".join(sorted(table))
            raise StateError("nobody brought such a weapon to this battle", found=key, expected=expected)
        found = known.weapons[key] = Weapon(key, **row)  # type: ignore[arg-type]
    return found


def vehicle_known(state: State, key: str) -> Item:
    """Return a vehicle by its key: one that content brought to this battle, else one of the game's own."""
    brought = state[BATTLE].facts.get("vehicles")
    row: Any = brought.get(key) if isinstance(brought, Mapping) else None
    if row is None:
        return catalogue().item("vehicle", key)
    return Item("vehicle", key, row["title"], row["rule"], row["numbers"], row["traits"])


def weapons(state: State, unit: Entity) -> tuple[Weapon, ...]:
    """Return what a unit can fire, in the order of the roster; it fires one weapon, so two alike are one (D-R16.4)."""
    keys = unit.facts.get("weapons", ())
    assert isinstance(keys, tuple)
    return tuple([weapon(state, key) for key in dict.fromkeys(keys) if isinstance(key, str)])
