"""From a scenario and its forces to an encounter on a board: zones, placed stands, Rally Points (Rules 2, 10, 14; D-GM-2)."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, partial
from html import escape
from importlib import resources
from types import MappingProxyType
from typing import Any, NamedTuple

from rallypoint.content.force import Forces, each_of
from rallypoint.content.problems import Problems
from rallypoint.content.scenario import Scenario, Side
from rallypoint.content.scenario_terrain import coordinate
from rallypoint.content.scenario_words import Mode, ScenarioWords, Size, Terrain, suggestion
from rallypoint.kernel.board import Board
from rallypoint.kernel.encounter import Encounter, Page, Sheet, Table
from rallypoint.kernel.hexes import from_offset, to_offset
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.rulings import Preset
from rallypoint.kernel.state import Entity, State

from .muster import encounter_of
from .roll_tables import panic_tables
from .rulings import RULINGS
from .rulings import number as number_ruled
from .siting import STRAY, Outlook, Wish

__all__ = ["Deployment", "deployed", "scenario_words", "zone"]

_RALLY_POINT = "rally_point"
_RANKS = ("CO", "NCO", "")
_LOOKING_OUT = frozenset(("needs_los_or_spot", "plus_if_spotted_by_other"))


class Deployment(NamedTuple):
    """An encounter on its board, and by side the zone in which it begins."""

    encounter: Encounter
    zones: Mapping[str, tuple[Hex, ...]]


@cache
def scenario_words() -> ScenarioWords:
    """Return the words of Disrupter's scenarios; the options are its rulings.

    >>> scenario_words().terrain["building"].open_to
    'nobody'
    """
    text = (resources.files("rallypoint.disrupter") / "tables" / "scenario.toml").read_text("utf-8")
    table: Any = tomllib.loads(text)
    return ScenarioWords(
        "disrupter",
        MappingProxyType({key: Terrain(key=key, **row) for key, row in table["terrain"].items()}),
        MappingProxyType({key: Mode(key=key, **row) for key, row in table["modes"].items()}),
        MappingProxyType({key: _size(key, row) for key, row in table["sizes"].items()}),
        MappingProxyType({key: Preset(key, text, {}) for key, text in table["rules"].items()}),
        RULINGS,
        (table["share"][0], table["share"][1]),
        table["share_rule"],
        number_ruled({}, "D-GM-2"),
        table["most_players"],
        "D-GM-2",
    )


def _size(key: str, row: Any) -> Size:
    low, high = row.get("platoons", (1, 1))
    return Size(key, row["title"], tuple(row["boards"]), row["rule"], (low, high))


def zone(board: Board, edge: str, depth: int) -> tuple[Hex, ...]:
    """Return the hexes in which a side may begin, row by row.

    Args:
        board: where.
        edge: ``top``, ``bottom``, ``left``, ``right``, or a corner such as ``top-left``.
        depth: how many hexes from the edge. A corner's zone lies along both of its edges, up to half of each, so that
            a platoon finds room in it.
    """
    return tuple([place for place in board.hexes() if _in_zone(board, edge.split("-"), depth, *to_offset(place))])


def _in_zone(board: Board, edges: Sequence[str], depth: int, column: int, row: int) -> bool:
    from_edge = {
        "top": (row, board.rows),
        "bottom": (board.rows - 1 - row, board.rows),
        "left": (column, board.columns),
        "right": (board.columns - 1 - column, board.columns),
    }
    if len(edges) == 1:
        return from_edge[edges[0]][0] < depth
    (a, height), (b, width) = from_edge[edges[0]], from_edge[edges[1]]
    return (a < depth and b < max(width // 2, depth)) or (b < depth and a < max(height // 2, depth))


def deployed(scenario: Scenario, forces: Forces) -> Deployment:
    """Return the encounter of a scenario.

    Teams stand where the scenario says; the others are spread along the zone by squad, the command squad in the rear, each
    about its Officer, who begins out of the enemy's sight where he can (:mod:`rallypoint.disrupter.siting`). A Rally Point is an
    entity in the role ``rally_point`` below its side.

    Args:
        scenario: read with :func:`scenario_words`.
        forces: by name of the side, what its roster gave, or each of its rosters; a side that is not in it brings nobody.

    Raises:
        PageError: a team that the scenario places does not exist, or may not stand there, or there is no room; it holds
            every problem with its line.
    """
    return _Deploying(scenario, forces).run()


class _Deploying:
    def __init__(self, scenario: Scenario, forces: Forces) -> None:
        self.scenario = scenario
        self.board = scenario.board
        self.forces = forces
        self.problems = Problems(scenario.path)
        self.options = {key: value for key, value in scenario.options.items() if key in RULINGS}
        self.zones = {side.name: zone(scenario.board, side.edge, scenario.depth) for side in scenario.sides}
        self.points = {point.place for side in scenario.sides for point in side.rally_points}
        self.places: dict[str, Hex] = {}
        present = {side.name: forces[side.name] for side in scenario.sides if side.name in forces}
        self.mustered = encounter_of(present, key=scenario.key, title=scenario.title)
        self.entities: list[Entity] = []
        self.sheets = dict(self.mustered.sheets)

    def run(self) -> Deployment:
        scenario, state = self.scenario, self.mustered.state
        for side in scenario.sides:
            if side.name in state:
                self.place(side)
        self.problems.check()
        for side in scenario.sides:
            own = [Entity.new(side.name, "side")] if side.name not in state else [state[side.name]]
            own += state.below(side.name) if side.name in state else ()
            self.entities += [_placed(entity, self.places.get(entity.uid)) for entity in own]
            self.sheets[side.name] = Sheet(side.name, side.title, "Side", side.name[0].upper())
            self.rally_points(side)
        page = Page("scenario", f"Scenario: {scenario.title}", "".join(_briefing(scenario, self.forces)))
        made = self.mustered._replace(
            state=State.of(self.entities),
            sheets=MappingProxyType(self.sheets),
            board=self.board,
            pages=(page,),
            tables=_tables(scenario),
            zones=MappingProxyType({uid: zone for uid, zone in self.zones.items() if zone}),
        )
        return Deployment(made, MappingProxyType(self.zones))

    def code(self, base: Entity) -> str:
        """Return the code of a stand without its side: ``1A``, or of a company with the number of its platoon: ``2-1A``."""
        code = self.sheets[base.uid].code
        return code[1:].removeprefix("-") or code

    def bases(self, side: Side) -> list[Entity]:
        """Return what stands on the board: teams, and units that are in none."""
        state = self.mustered.state
        return [
            entity
            for entity in state.below(side.name)
            if entity.role == "team"
            or (entity.role == "unit" and (entity.parent is None or state[entity.parent].role != "team"))
        ]

    def place(self, side: Side) -> None:
        """Find a hex for every stand of a side."""
        bases = self.bases(side)
        codes = {self.code(base): base for base in bases}
        taken: dict[str, Hex] = {}
        for code, where, line in side.placements:
            base = codes.get(code)
            if base is None:
                self.problems.add(
                    "no such team",
                    line,
                    found=f"{side.name} {code}",
                    expected=", ".join(codes),
                    hint=suggestion(code, codes),
                )
                continue
            refused = self.refusal(side, base, where)
            if refused is not None:
                what, expected = refused
                self.problems.add(what, line, found=f"{side.name} {code} at {coordinate(where)}", expected=expected)
            taken[base.uid] = where
        self.spread(side, [base for base in bases if base.uid not in taken], taken)
        self.places.update(taken)

    def refusal(self, side: Side, team: Entity, where: Hex) -> tuple[str, str] | None:
        """Return why a team may not begin in a hex and what would do, or ``None``."""
        if where not in self.zones[side.name]:
            zone = self.zones[side.name]
            names = f"{coordinate(zone[0])} to {coordinate(zone[-1])}" if zone else "none"
            return (
                "this hex is not in the side's zone (D-GM-2)",
                f"a hex of its zone, {self.scenario.depth} deep ({names})",
            )
        terrain = self.board.terrain_at(where)
        if not self.may_stand(team, terrain):
            rule = scenario_words().terrain[terrain or ""].rule
            return f"no stand may be in {terrain} ({rule})", "open ground or light cover"
        return None

    def spread(self, side: Side, bases: list[Entity], taken: dict[str, Hex]) -> None:
        """Give each of these stands the free hex of the zone that suits it best: COs first, each with a way out, then each squad after its Officer."""
        held = {*self.places.values(), *taken.values()}
        theirs = [at for other in self.scenario.sides if other.name != side.name for at in self.zones[other.name]]
        outlook = Outlook(self.board, self.options, scenario_words().terrain, self.zones[side.name], theirs)
        leaders = {squad: rows[0].uid for squad, rows in self.squads(side).items()}
        wishes = dict(self.wishes(side))
        stray = STRAY // max(len({self.mustered.state.above(base.uid, "platoon").uid for base in self.bases(side)}), 1)
        inside = [base for rows in self.squads(side).values() for base in rows if base in bases]
        order = sorted(inside, key=lambda each: self.rank(each) != "CO")
        kept = set[Hex]()
        for number, base in enumerate(order):
            free = self.free(side, base, held | kept) or self.free(side, base, held)
            if not free:
                self.no_room(side, order[number:])
                return
            leader = leaders[self.squad(base)]
            follows = leader != base.uid and leader in taken
            near = taken[leader] if follows else wishes[base.uid]
            rank, looks_out, head = self.rank(base), self.looks_out(base), self.head(base, taken)
            wish = Wish(near, rank, follows, looks_out, head, stray, tuple(taken.values()))
            taken[base.uid] = outlook.best(free, wish, partial(self.dislike, base, outlook))
            held.add(taken[base.uid])
            if rank == "CO":
                kept.update(outlook.ways_out(taken[base.uid], held)[:1])
        for base in order:
            if self.rank(base) == "CO" and not outlook.covers(taken[base.uid]):
                held.remove(taken[base.uid])
                wish = Wish(wishes[base.uid], "CO", stray=stray)
                free = self.free(side, base, held)
                free = [at for at in free if outlook.ways_out(at, held)] or free
                taken[base.uid] = outlook.screened(free, wish, partial(self.dislike, base, outlook), frozenset(held))
                held.add(taken[base.uid])

    def head(self, base: Entity, taken: Mapping[str, Hex]) -> Hex | None:
        """Return where the CO of a stand's platoon is, if he has a place already."""
        own = self.mustered.state.above(base.uid, "platoon").uid
        heads = [each.uid for each in self.mustered.state.below(own) if each.uid in taken and self.rank(each) == "CO"]
        return taken[heads[0]] if heads else None

    def free(self, side: Side, base: Entity, held: Collection[Hex]) -> list[Hex]:
        """Return the hexes of its zone where a stand may begin and nobody is yet."""
        zone = self.zones[side.name]
        return [each for each in zone if each not in held and self.may_stand(base, self.board.terrain_at(each))]

    def no_room(self, side: Side, left: Sequence[Entity]) -> None:
        self.problems.add(
            "no room in the zone",
            side.line,
            found=f"{side.name}: no hex left for {', '.join(self.code(each) for each in self.bases(side) if each in left)}",
            expected="a deeper zone, less terrain in it, or fewer teams",
            hint=f"[deployment] depth is {self.scenario.depth}",
        )

    def rank(self, base: Entity) -> str:
        """Return the highest rank in a stand: ``CO``, ``NCO`` or empty."""
        classes = {unit.facts.get("class") for unit in self.units(base)}
        return next((rank for rank in _RANKS if rank in classes), "")

    def looks_out(self, base: Entity) -> bool:
        """Say whether a stand has a weapon that is better for a view: a rocket, which needs a line or a spotter, or a sniper rifle."""
        gear = [each for unit in self.units(base) for each in self.sheets[unit.uid].gear if each.kind == "weapon"]
        traits = [each.facts.get("traits", ()) for each in gear]
        return any(isinstance(each, tuple) and _LOOKING_OUT.intersection(map(str, each)) for each in traits)

    def units(self, base: Entity) -> list[Entity]:
        return [base] if base.role == "unit" else list(self.mustered.state.below(base.uid, "unit"))

    def squad(self, base: Entity) -> str:
        """Return the squad of a stand, its parent where it is in none, itself where it has none either."""
        return base.parent or base.uid

    def squads(self, side: Side) -> dict[str, list[Entity]]:
        """Return the stands of a side by squad, each squad beginning with the one that leads it."""
        found: dict[str, list[Entity]] = {}
        for base in self.bases(side):
            found.setdefault(self.squad(base), []).append(base)
        return {squad: sorted(rows, key=lambda each: _RANKS.index(self.rank(each))) for squad, rows in found.items()}

    def dislike(self, team: Entity, outlook: Outlook, where: Hex) -> int:
        """Return how little a team likes to begin somewhere: a stand in water, a raft ashore, on top of a Rally Point.

        To be out of sight is worth more to a CO than a Rally Point that is free.
        """
        terrain = self.board.terrain_at(where)
        wet = terrain is not None and scenario_words().terrain[terrain].group == "water"
        in_the_way = where in self.points and not (self.rank(team) == "CO" and outlook.hidden(where))
        return int(wet != self.floats(team)) + int(in_the_way)

    def floats(self, base: Entity) -> bool:
        """Say whether a stand is a vehicle that moves over water."""
        gear = self.sheets[base.uid].gear if "vehicle" in base.facts else ()
        traits = [each.facts.get("traits", ()) for each in gear if each.kind == "vehicle"]
        return any(isinstance(each, tuple) and "moves_over_water" in each for each in traits)

    def may_stand(self, team: Entity, terrain: str | None) -> bool:
        """Say whether a stand may begin in this terrain."""
        open_to = "all" if terrain is None else scenario_words().terrain[terrain].open_to
        return open_to == "all" or (open_to == "water" and self.floats(team))

    def wishes(self, side: Side) -> Iterator[tuple[str, Hex]]:
        """Yield for each stand where it belongs: squads side by side in front, command in the middle of the rear.

        The platoons of a company stand side by side, each in its stretch of the zone.
        """
        own: dict[str, list[list[Entity]]] = {}
        for rows in self.squads(side).values():
            own.setdefault(self.mustered.state.above(rows[0].uid, "platoon").uid, []).append(rows)
        for number, squads in enumerate(own.values()):
            front = [rows for rows in squads if not self.in_command(rows[0])]
            for rows in squads:
                in_front = rows in front
                part = (2 * front.index(rows) + 1) / (2 * len(front)) if in_front else 0.5
                for base in rows:
                    yield base.uid, self.along(side, (number + part) / len(own), front=in_front)

    def in_command(self, base: Entity) -> bool:
        above = None if base.parent is None else self.mustered.state[base.parent]
        return above is not None and above.role == "squad" and above.facts.get("number") == 0

    def along(self, side: Side, part: float, *, front: bool) -> Hex:
        """Return the hex at a part (0 to 1) of the zone's length, in its front or its rear row."""
        board, edges = self.board, side.edge.split("-")
        deep = self.scenario.depth - 1 if front else 0
        columns, rows = board.columns - 1, board.rows - 1
        if len(edges) == 2:
            # Around the corner: from the far end of one edge over the corner to the far end of the other.
            across, down = max(columns // 2, 1), max(rows // 2, 1)
            way = part * (across + down)
            column, row = (round(across - way), deep) if way <= across else (deep, round(way - across))
        elif edges[0] in ("top", "bottom"):
            column, row = round(part * columns), deep
        else:
            column, row = deep, round(part * rows)
        return from_offset(columns - column if "right" in edges else column, rows - row if "bottom" in edges else row)

    def rally_points(self, side: Side) -> None:
        """Add the Rally Points of a side (D-R10.2)."""
        for number, point in enumerate(side.rally_points, 1):
            uid = f"{side.name}-rally-{number}"
            facts = {"name": point.name}
            self.entities.append(Entity.new(uid, _RALLY_POINT, parent=side.name, facts=facts, place=point.place))
            self.sheets[uid] = Sheet(uid, point.name, "Rally Point", f"{side.name[0].upper()}-P{number}")


def _tables(scenario: Scenario) -> tuple[Table, ...]:
    """Return the tables of panic as the scenario's rulings have them."""
    pack = scenario.options.get("D-PT-S")
    return panic_tables("unofficial" if pack == "unofficial" else None)


def _placed(entity: Entity, place: Hex | None) -> Entity:
    return entity if place is None else entity._replace(place=place)


def _briefing(scenario: Scenario, forces: Forces) -> Iterator[str]:
    """Yield the page that people agree on before the fight: players, rules and mode, forces, board (D-R10.1)."""
    words = scenario.words
    mode, size = words.modes[scenario.mode], words.sizes[scenario.size]
    yield "<h2>Players</h2><ul>"
    for side in scenario.sides:
        yield f"<li>{escape(side.title)}: {side.players}</li>"
    yield f"</ul><p>{'With' if scenario.referee else 'Without'} a referee.</p>"
    yield f"<h2>Rules and mode</h2><p>{escape(mode.title)} ({mode.rule}): {escape(mode.text)} "
    yield f"{escape(words.rules[scenario.rules].text)}</p>"
    if scenario.options:
        yield "<ul>"
        for key, value in scenario.options.items():
            yield f"<li>{escape(key)}, {escape(words.options[key].question)}: {escape(str(value))}</li>"
        yield "</ul>"
    yield "<h2>Forces</h2><ul>"
    for side in scenario.sides:
        force = forces.get(side.name)
        if force is None:
            yield f"<li>{escape(side.title)}: nobody yet</li>"
            continue
        for each in each_of(force):
            counts = f"{len(each.units)} units in {each.counts['teams']} teams"
            yield f"<li>{escape(side.title)}: {escape(each.title)}, {counts}; begins at the {side.edge.replace('-', ' ')}</li>"
    board = scenario.board
    covered = len(board.terrain)
    yield f"</ul><h2>Board</h2><p>{board.columns} by {board.rows} hexes of {board.hex_mm:g} mm, {size.title} scale, "
    yield f"{covered} of {board.columns * board.rows} hexes are terrain. Zones are {scenario.depth} hexes deep.</p><ul>"
    for side in scenario.sides:
        for point in side.rally_points:
            yield f"<li>Rally Point {escape(point.name)} ({escape(side.title)}): {coordinate(point.place)}</li>"
    yield "</ul>"
