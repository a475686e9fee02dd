"""The briefing made into a first state: board, weapons, mode, edges, Rally Points, acting COs (Rules 1, 2, 9, 10; D-GM-2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from rallypoint.kernel.board import Board
from rallypoint.kernel.canonical import EMPTY, Value
from rallypoint.kernel.encounter import Encounter, Gear, Sheet
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.hexes import to_offset
from rallypoint.kernel.parts import Hex, Status
from rallypoint.kernel.state import Entity, State

from .field import BATTLE, alive, board_out, platoons
from .rulings import RULINGS, check_options, number
from .tables import COLUMNS, catalogue

__all__ = ["EDGES", "FATE", "FATES", "MODES", "first_state", "left_off", "own_edge", "weapon_rows"]

MODES = ("last_man_standing", "campaign")
"""The game modes (D-GM-1, D-GM-3)."""

EDGES = ("top", "bottom", "left", "right")
"""The edges of a board; a corner is two of them, such as ``top-left``."""

FATE = "fate"
"""The field of a unit in a roster that says what became of it in an earlier battle: one of :data:`FATES`."""

FATES = ("dead", "incapacitated", "ran", "missing", "surrendered")

NO_SHEETS: Mapping[str, Sheet] = MappingProxyType({})
NO_EDGES: Mapping[str, str] = MappingProxyType({})


def first_state(
    encounter: Encounter,
    options: Mapping[str, object] = EMPTY,
    *,
    mode: str = "last_man_standing",
    size: str = "platoon",
    edges: Mapping[str, str] = NO_EDGES,
    referee: bool = False,
) -> State:
    """Return the state in which a battle starts, before its briefing.

    Args:
        encounter: two sides with their teams on a board.
        options: rulings that differ from their defaults, by id; those of plugins are theirs to read.
        mode: one of :data:`MODES`.
        size: ``squad``, ``section``, ``platoon`` or ``company`` (D-SF); what a force may look like goes by it.
        edges: the edge or corner where each side deploys; where none is given, the one its teams stand nearest to.
        referee: whether a seat ``referee`` decides what the rules leave to the table's owner (D-R1.4, D-PT-S).

    Raises:
        InputError: there are not two sides, no board, a team stands off the board or two share a hex, every Officer of a
            side is out from the start, or a mode, an edge or a ruling does not exist or does not fit another.
    """
    rulings = check_options({name: value for name, value in options.items() if name in RULINGS})
    _check_stress(rulings)
    if mode not in MODES:
        raise InputError("there is no such game mode", found=mode, expected=" or ".join(MODES))
    board = encounter.board
    if board is None:
        raise InputError("a battle needs a board (D-R2.1)", where=encounter.key, hint="deploy the forces first")
    sides = [entity.uid for entity in encounter.state.children(None) if entity.role == "side"]
    if len(sides) != 2:
        raise InputError("a battle has exactly two sides (D-R1.1)", where=encounter.key, found=len(sides), expected=2)
    _check_places(encounter.state, board)
    out = left_off(encounter.state)
    for side in sides:
        own = [each.uid for each in platoons(encounter.state, side)]
        for each in own if len(own) > 1 else [side]:
            _check_officers(encounter.state, each, out)
    facts: dict[str, object] = {
        "board": board_out(board),
        "weapons": weapon_rows(encounter.state, encounter.sheets),
        "mode": mode,
        "size": size,
        "referee": referee,
        "rally_points": {side: _rally_points(encounter.state, side) for side in sides},
        "edges": {side: _edge(encounter.state, board, side, edges) for side in sides},
    }
    brought = _vehicle_rows(encounter.state, encounter.sheets)
    facts |= {"vehicles": brought} if brought else {}
    battle = Entity.new(BATTLE, "battle", facts=facts, attributes={"turn": 0, "phase": "briefing"})
    ready = [_ready(entity, encounter.state, rulings, out) for entity in encounter.state]
    return State.of([battle, *ready], encounter.state.links.values(), encounter.state.agenda)


def left_off(state: State) -> Mapping[str, str]:
    """Return the units that cannot fight when a battle starts, by uid with what became of them earlier.

    That is who has all the Wounds that he can take (D-R6.4) or is dead by what his roster says. Who only ran, or was healed
    since, fights again.
    """
    return MappingProxyType({unit.uid: fate for unit in state if unit.role == "unit" for fate in _fate(unit)})


def _fate(unit: Entity) -> Iterator[str]:
    extra, wounds = unit.facts.get("extra"), unit.trackers.get("Wounds")
    said = extra.get(FATE) if isinstance(extra, Mapping) else None
    if not alive(unit):
        yield str(unit.statuses["out"].value)
    elif said == "dead" or (wounds is not None and wounds.max and wounds.value >= wounds.max):
        yield said if isinstance(said, str) and said in FATES else "incapacitated"


def _check_officers(state: State, own: str, out: Mapping[str, str]) -> None:
    """Refuse a side or platoon that would surrender before it has begun (D-R9.7); one without any Officer is the briefing's matter."""
    found = [unit.uid for unit in state.below(own, "unit") if unit.facts.get("class") in ("CO", "NCO")]
    if found and all(uid in out for uid in found):
        raise InputError(
            f"every Officer of this {state[own].role} is out from the start, so that it would surrender at once (D-R9.7)",
            where=own,
            found=", ".join(f"{uid} {out[uid]}" for uid in found),
            hint="take off Wounds and fate of one in the roster, name another Officer there, or play a campaign: rallypoint campaign replaces the lost from the Reserve",
        )


def _check_stress(options: Mapping[str, Value]) -> None:
    start, least = number(options, "D-AMB-08.start"), number(options, "D-AMB-08.min")
    if "D-AMB-08.start" in options and start < least:
        expected = f"at least {least}, as D-AMB-08.min says"
        raise InputError("Stress cannot start below its least", where="D-AMB-08.start", found=start, expected=expected)


def weapon_rows(state: State, sheets: Mapping[str, Sheet] = NO_SHEETS) -> Mapping[str, object]:
    """Return the weapons that anybody in ``state`` carries, as the fact that :func:`~rallypoint.disrupter.field.weapon` reads.

    Their numbers come from the sheets, which know equipment of content packs, or else from the game's own tables.

    Raises:
        InputError: neither knows such a weapon.
    """
    keys: set[str] = set()
    for entity in state:
        carried = entity.facts.get("weapons", ())
        if entity.role == "unit" and isinstance(carried, tuple):
            keys.update(key for key in carried if isinstance(key, str))
    gear = {each.key: each for sheet in sheets.values() for each in sheet.gear if each.kind == "weapon"}
    return {key: _weapon_row(key, gear.get(key)) for key in sorted(keys)}


def _weapon_row(key: str, gear: Gear | None) -> Mapping[str, object]:
    if gear is not None:
        title, numbers, traits = gear.title, gear.facts, gear.facts.get("traits", ())
        return {"title": title, "traits": traits, **{name: numbers.get(name) for name in ("T", "C", "M", "L", "Max")}}
    item = catalogue().item("weapon", key)
    return {"title": item.title, "traits": item.traits, **item.numbers}


def _vehicle_rows(state: State, sheets: Mapping[str, Sheet]) -> Mapping[str, object]:
    """Return the vehicles of content packs, as the fact that :func:`~rallypoint.disrupter.field.vehicle_known` reads."""
    keys = {entity.facts["vehicle"] for entity in state if "vehicle" in entity.facts}
    gear = {each.key: each for sheet in sheets.values() for each in sheet.gear if each.kind == "vehicle"}
    rows = {key: _vehicle_row(gear[key]) for key in sorted(gear) if key in keys}
    own = catalogue().vehicles
    return {key: row for key, row in rows.items() if key not in own or dict(own[key].numbers) != row["numbers"]}


def _vehicle_row(gear: Gear) -> Mapping[str, object]:
    facts, columns = gear.facts, COLUMNS["vehicle"]
    numbers = {name: facts.get(name) for name in columns}
    return {"title": gear.title, "rule": facts["rule"], "numbers": numbers, "traits": facts.get("traits", ())}


def _ready(entity: Entity, state: State, options: Mapping[str, Value], out: Mapping[str, str]) -> Entity:
    """Return an entity as it enters the battle: a platoon with its first Stress and its CO, who is unfit out of it."""
    if entity.role == "unit" and entity.uid in out and alive(entity):
        status = Status("out", out[entity.uid], since=0)
        return entity._replace(statuses=MappingProxyType({**entity.statuses, "out": status}))
    if entity.role == "team":
        units = [unit.uid for unit in state.below(entity.uid, "unit")]
        return entity._replace(place=None) if units and all(uid in out for uid in units) else entity
    if entity.role != "platoon":
        return entity
    stress = entity.trackers.get("Stress")
    least = max(number(options, "D-AMB-08.start"), number(options, "D-AMB-08.min"))
    own = {} if stress is None else {"Stress": stress._replace(value=max(stress.value, least))}
    trackers = {**entity.trackers, **own}
    leaders = [unit.uid for unit in state.below(entity.uid, "unit") if unit.facts.get("class") == "CO"]
    leaders = [uid for uid in leaders if uid not in out]
    attributes = {**entity.attributes, "co": leaders[0]} if leaders else entity.attributes
    return Entity.new(
        entity.uid,
        entity.role,
        parent=entity.parent,
        facts=entity.facts,
        trackers=trackers,
        statuses=entity.statuses.values(),
        place=entity.place,
        attributes=attributes,
    )


def _check_places(state: State, board: Board) -> None:
    held: dict[Hex, str] = {}
    for team in state:
        if team.role != "team" or team.place is None:
            continue
        place = team.place
        if not isinstance(place, Hex) or not board.holds(place):
            raise InputError("this team does not stand on the board", where=team.uid, found=place)
        if place in held:
            what = "two stands share a hex (D-R14.3)"
            raise InputError(what, where=team.uid, found=f"{held[place]} at {place.q}, {place.r}")
        held[place] = team.uid


def _rally_points(state: State, side: str) -> tuple[tuple[str, int, int], ...]:
    """Return name and hex of each Rally Point of a side (D-R10.2)."""
    return tuple(
        [
            (str(point.facts.get("name", point.uid)), point.place.q, point.place.r)
            for point in state.children(side)
            if point.role == "rally_point" and isinstance(point.place, Hex)
        ]
    )


def _edge(state: State, board: Board, side: str, edges: Mapping[str, str]) -> str:
    given = edges.get(side)
    if given is None:
        return own_edge(board, (team.place for team in state.below(side, "team") if isinstance(team.place, Hex)))
    parts = given.split("-")
    if len(parts) > 2 or any(part not in EDGES for part in parts):
        raise InputError("there is no such edge", where=side, found=given, expected=f"{', '.join(EDGES)} or a corner")
    return given


def own_edge(board: Board, places: Iterable[Hex]) -> str:
    """Return the edge of the board that these hexes are nearest to; of equals the first of :data:`EDGES`.

    >>> own_edge(Board(6, 6), [Hex(2, 5), Hex(1, 4)])
    'bottom'
    """
    totals = dict.fromkeys(EDGES, 0)
    for column, row in map(to_offset, places):
        for name, steps in _steps_to(board, column, row):
            totals[name] += steps
    return min(EDGES, key=totals.__getitem__)


def _steps_to(board: Board, column: int, row: int) -> Iterator[tuple[str, int]]:
    yield "top", row
    yield "bottom", board.rows - 1 - row
    yield "left", column
    yield "right", board.columns - 1 - column
