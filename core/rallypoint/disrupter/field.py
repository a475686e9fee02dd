"""Reading the state of a battle in the words of the rules: sides, platoons, stands, units, officers, distances.

The tree is side > platoon > squad > team > unit; at company scale a side has several platoons (D-SF-4). A team is one stand
(or vehicle) and has the place; its units are where it is. Beside the sides stands one entity ``battle``: its facts are what was agreed at the briefing (board, weapons, mode),
its attributes say how far the turn is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from rallypoint.content.catalogue import Item
from rallypoint.kernel.board import Board
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.errors import StateError
from rallypoint.kernel.hexes import SIDES, distance
from rallypoint.kernel.parts import Hex, Pose
from rallypoint.kernel.state import Entity, State

from .remembered import remembered
from .ruler import hexes_of_mm
from .tables import catalogue

__all__ = [
    "BATTLE",
    "Weapon",
    "alive",
    "board",
    "close_to",
    "commander",
    "edge",
    "enemy",
    "held",
    "hex_of",
    "hexes_apart",
    "is_bot",
    "leaderless",
    "living",
    "officers",
    "officers_about",
    "place",
    "place_named",
    "platoon",
    "platoons",
    "rally_points",
    "side_of",
    "sides",
    "squad_of",
    "standing_in",
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
        return _trait(self.traits, name)


@lru_cache(maxsize=4096)
def _trait(traits: tuple[str, ...], name: str) -> tuple[str, ...] | None:
    for trait in traits:
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
    """What a battle's facts say once and for all, worked out when first asked for."""

    __slots__ = ("board", "facts", "weapons")

    def __init__(self, facts: Mapping[str, Value]) -> None:
        self.facts = facts
        self.board: Board | None = None
        self.weapons: dict[str, Weapon] = {}


class _Ranks:
    """Who belongs to whom and who is or was an Officer, as long as nobody comes or goes; worked out when first asked for."""

    __slots__ = ("of_sides", "officers", "platoons", "sides", "tree")

    def __init__(self, tree: object) -> None:
        self.tree = tree
        self.sides: dict[str, str] = {}
        self.platoons: dict[str, str] = {}
        self.of_sides: dict[str, tuple[str, ...]] = {}
        self.officers: dict[str, tuple[str, ...]] = {}


_battles: dict[int, _Known] = {}
_trees: dict[int, _Ranks] = {}


@remembered
def _known(state: State) -> _Known:
    facts = state[BATTLE].facts
    known = _battles.get(id(facts))
    if known is None or known.facts is not facts:
        if len(_battles) > 64:
            _battles.clear()
        known = _battles[id(facts)] = _Known(facts)
    return known


@remembered
def _ranks(state: State) -> _Ranks:
    tree = state.tree
    known = _trees.get(id(tree))
    if known is None or known.tree is not tree:
        if len(_trees) > 64:
            _trees.clear()
        known = _trees[id(tree)] = _Ranks(tree)
    return known


@remembered
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


@remembered
def sides(state: State) -> tuple[str, ...]:
    """Return the uids of the sides, in the order in which they were mustered."""
    return tuple([entity.uid for entity in state.children(None) if entity.role == "side"])


@remembered
def enemy(state: State, side: str) -> str:
    """Return the other side (D-R1.1: there are exactly two)."""
    for other in sides(state):
        if other != side:
            return other
    raise StateError("there is only one side", found=side)


def platoons(state: State, side: str) -> tuple[Entity, ...]:
    """Return the platoons of a side in the order of its rosters: one, or at company scale several (D-SF-4)."""
    return tuple([entity for entity in state.children(side) if entity.role == "platoon"])


def _platoons(state: State, side: str) -> tuple[str, ...]:
    """Return the uids of a side's platoons, looked for once as long as none comes or goes: this is asked for all the time."""
    known = _ranks(state).of_sides
    found = known.get(side)
    if found is None:
        found = known[side] = tuple([each.uid for each in platoons(state, side)])
    return found


def platoon(state: State, uid: str) -> Entity:
    """Return the platoon of a squad, team or unit, or a side's, where it has just one.

    Raises:
        StateError: a side has several, so that it has to be said which.
    """
    known = _ranks(state).platoons
    found = known.get(uid)
    if found is None:
        found = known[uid] = _platoon_of(state, uid)
    return state[found]


def _platoon_of(state: State, uid: str) -> str:
    if state[uid].role != "side":
        return state.above(uid, "platoon").uid
    found = _platoons(state, uid)
    if len(found) != 1:
        raise StateError("this side has several platoons", where=uid, found=", ".join(found))
    return found[0]


@remembered
def side_of(state: State, uid: str) -> str:
    """Return the side that an entity belongs to."""
    known = _ranks(state).sides
    side = known.get(uid)
    if side is None:
        side = known[uid] = state.above(uid, "side").uid
    return side


def squad_of(state: State, uid: str) -> Entity:
    """Return the squad of a team or unit."""
    return state.above(uid, "squad")


def team_of(state: State, uid: str) -> Entity:
    """Return the team of a unit; a team is its own."""
    entity = state[uid]
    if entity.role == "unit" and entity.parent is not None:
        entity = state[entity.parent]  # nearly always
    return entity if entity.role == "team" else state.above(uid, "team")


def alive(unit: Entity) -> bool:
    """Say whether a unit is still in the fight: not dead, incapacitated or run off."""
    return "out" not in unit.statuses


def living(state: State, team: str) -> tuple[Entity, ...]:
    """Return the units of a team that are still in the fight, in the order of the roster."""
    return state.named(_living(state, team))


@remembered
def _living(state: State, team: str) -> tuple[str, ...]:
    return tuple([unit.uid for unit in state.children(team) if "out" not in unit.statuses])


def teams(state: State, side: str | None = None) -> Iterator[Entity]:
    """Yield the teams on the board that have living units, of one side or of both."""
    for owner in sides(state) if side is None else (side,):
        for uid in _standing(state, owner):
            yield state[uid]


@remembered
def _standing(state: State, side: str) -> tuple[str, ...]:
    found = state.below(side, "team")
    return tuple([team.uid for team in found if team.place is not None and _living(state, team.uid)])


@remembered
def _by_hex(state: State, side: str) -> Mapping[Hex, tuple[str, ...]]:
    found: dict[Hex, tuple[str, ...]] = {}
    for uid in _standing(state, side):
        place = hex_of(state, state[uid])
        if place is not None:
            at = Hex(place.q, place.r)
            found[at] = (*found.get(at, ()), uid)
    return found


@remembered
def held(state: State, side: str) -> frozenset[Hex]:
    """Return the hexes in which teams of a side stand."""
    return frozenset(_by_hex(state, side))


def standing_in(state: State, side: str, at: Hex) -> tuple[str, ...]:
    """Return the teams of a side that stand in a hex: one, or those that ride in one raft (D-R14.3)."""
    return _by_hex(state, side).get(Hex(at.q, at.r), ())


def close_to(state: State, side: str, at: Hex) -> Iterator[str]:
    """Yield the teams of a side within Close Range of a hex (0 or 1 hexes), whatever the size of the force."""
    held_by = _by_hex(state, side)
    for q, r in ((0, 0), *SIDES):
        yield from held_by.get(Hex(at.q + q, at.r + r), ())


@remembered
def place(state: State, uid: str) -> Hex | None:
    """Return the hex of a team, or of a unit's team; ``None`` off the board."""
    return hex_of(state, team_of(state, uid))


def hex_of(state: State, team: Entity) -> Hex | None:
    """Return the hex of a team; that of a vehicle off the grid is the one over which its middle is (D-VE-3)."""
    where = team.place
    if isinstance(where, Pose):
        return board(state).hex_at(where.x, where.y)
    return where if isinstance(where, Hex) else None


def place_named(target: str) -> Hex | None:
    """Return the hex that a target such as ``@3,-1`` or ``@C4`` names, ``None`` for the uid of somebody.

    >>> place_named("@3,-1"), place_named("@A3"), place_named("red-1")
    (Hex(q=3, r=-1, facing=None), Hex(q=-1, r=2, facing=None), None)
    """
    if not target.startswith("@"):
        return None
    q, _, r = target[1:].partition(",")
    try:
        return Hex(int(q), int(r))
    except ValueError:
        from rallypoint.content.scenario_terrain import hex_at  # the names of the map, which only people write

        return hex_at(target[1:])


@remembered
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


def officers(state: State, uid: str) -> tuple[Entity, ...]:
    """Return the living Officers of a side or platoon on the board: who commands it first, then the others by squad."""
    head = commander(state, uid)
    found = [state[each] for each in _officers_there(state, uid)]
    return tuple(sorted(found, key=lambda unit: head is None or unit.uid != head.uid))


def leaderless(state: State, uid: str) -> bool:
    """Say whether a side or platoon has no living Officer on the board."""
    return not _officers_there(state, uid)


def officers_about(state: State, side: str, at: Hex) -> tuple[str, ...]:
    """Return the uids of those :func:`officers` of a side that are within Close Range of a hex (0 or 1 hexes)."""
    near = _officers_near(state, side, at)
    if len(near) < 2:
        return near
    head = commander(state, side)
    return tuple(sorted(near, key=lambda uid: head is None or uid != head.uid))


@remembered
def _officers_there(state: State, uid: str) -> tuple[str, ...]:
    return tuple([each for each in _leaders(state, uid) if alive(state[each]) and place(state, each) is not None])


@remembered
def _officers_near(state: State, side: str, at: Hex) -> tuple[str, ...]:
    places = [(uid, place(state, uid)) for uid in _officers_there(state, side)]
    return tuple([uid for uid, where in places if where is not None and distance(at, where) <= 1])


def _leaders(state: State, uid: str) -> tuple[str, ...]:
    """Return all who are or were Officers of a side or platoon; looked for anew when somebody has come or gone."""
    known = _ranks(state).officers
    found = known.get(uid)
    if found is None:
        units = state.below(uid, "unit")
        found = known[uid] = tuple([unit.uid for unit in units if unit.facts.get("class") in ("CO", "NCO")])
    return found


def commander(state: State, uid: str) -> Entity | None:
    """Return the acting CO of a platoon (D-R9.1, D-R9.6), ``None`` when there is none.

    Of a side it is the CO of its one platoon, at company scale the company commander (D-SF-4).
    """
    holder = state[uid]
    if holder.role == "side":
        own = _platoons(state, uid)
        holder = state[own[0]] if len(own) == 1 else holder
    head = holder.attributes.get("co")
    return state[head] if isinstance(head, str) and alive(state[head]) else None


@remembered
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
