"""Small platoons on a board, for tests of the rules: everything about a position is said in the test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from rallypoint.disrupter.game import Disrupter
from rallypoint.disrupter.hooks import Hooks
from rallypoint.disrupter.setup import first_state
from rallypoint.kernel.answers import Script
from rallypoint.kernel.board import Board
from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.changes import Change, SetAttribute
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.fold import fold
from rallypoint.kernel.game import Intent
from rallypoint.kernel.parts import Hex, Status, Tracker
from rallypoint.kernel.plugins.hooks import LoadedPlugin
from rallypoint.kernel.plugins.plan import compile_plan
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import Done, run

CLASSES = {"CO": 80, "NCO": 80, "Soldier": 60, "Bot": 40}
WEAR = {"combat_armor": (60, 2, 1), "battle_dress": (80, 3, 2), "basic_battlefield_robot": (80, 1, 2)}
"""A, W and M of armour and bots, copied from the rules."""


def unit(kind: str, *weapons: str, wears: str | None = None, **facts: int) -> dict[str, object]:
    """Return a unit for :func:`team`; combat armour, or the robot, unless ``wears`` says otherwise."""
    wears = wears or ("basic_battlefield_robot" if kind == "Bot" else "combat_armor")
    armor, wounds, movement = WEAR[wears]
    stats = {"instinct": CLASSES[kind], "armor": armor, "movement": movement, **facts}
    key = "bot_key" if kind == "Bot" else "armor_key"
    return {"class": kind, key: wears, "weapons": weapons, **stats, "wounds": wounds}


def team(
    uid: str, place: tuple[int, int] | None, *units: Mapping[str, object], vehicle: str | None = None
) -> list[Entity]:
    """Return a team and its units, uids ``R1A-1``, ``R1A-2``, ...; ``uid`` is side letter, squad, team: ``R1A``."""
    facts: dict[str, object] = {"letter": uid[2:]}
    if vehicle is not None:
        facts["vehicle"] = vehicle
    where = None if place is None else Hex(*place)
    made = [Entity.new(uid, "team", parent=uid[:2], facts=facts, place=where)]
    for number, row in enumerate(units, 1):
        row = dict(row)
        wounds = row.pop("wounds")
        assert isinstance(wounds, int)
        trackers = {"Wounds": Tracker(0, 0, wounds, "up")}
        made.append(Entity.new(f"{uid}-{number}", "unit", parent=uid, facts=row, trackers=trackers))
    return made


def encounter(
    teams: Iterable[list[Entity]],
    board: Board | None = None,
    rally_points: Mapping[str, tuple[int, int]] | None = None,
    second: int = 10,
) -> Encounter:
    """Return an encounter of these teams; their squads (``R0``), platoons (``R``, ``B``) and sides are made up around them.

    Squads from the number ``second`` on are in another platoon of their side: ``RR``, ``BB``.
    """
    made = list(teams)
    entities: list[Entity] = []
    for side in ("red", "blue"):
        letter = side[0].upper()
        own = [rows for rows in made if rows[0].uid.startswith(letter)]
        entities.append(Entity.new(side, "side"))
        entities.append(Entity.new(letter, "platoon", parent=side, trackers={"Stress": Tracker(0, 0, 20, "up")}))
        for squad in sorted({rows[0].uid[:2] for rows in own}):
            above = letter if int(squad[1]) < second else 2 * letter
            if all(entity.uid != above for entity in entities):
                entities.append(Entity.new(above, "platoon", parent=side, trackers={"Stress": Tracker(0, 0, 20, "up")}))
            entities.append(Entity.new(squad, "squad", parent=above, facts={"number": int(squad[1])}))
            for rows in own:
                entities += rows if rows[0].uid.startswith(squad) else []
        if rally_points and side in rally_points:
            place = Hex(*rally_points[side])
            entities.append(
                Entity.new(f"{side}-rally-1", "rally_point", parent=side, facts={"name": "Home"}, place=place)
            )
    return Encounter("test", "A test", "disrupter", State.of(entities), {}, board or Board(12, 12))


ORDER = tuple(
    (group, side, phase) for group in ("co", "1", "2") for side in ("red", "blue") for phase in ("move", "battle")
)
"""The portions of a turn in which red goes first (D-R11.9)."""


def position(
    *teams: list[Entity],
    board: Board | None = None,
    options: Mapping[str, object] | None = None,
    turn: int = 1,
    portion: tuple[str, str, str] = ("1", "red", "move"),
    rally_points: Mapping[str, tuple[int, int]] | None = None,
    second: int = 10,
    **briefing: object,
) -> State:
    """Return a state in the middle of turn ``turn``: red goes first, all squads are in Group 1, no orders were given.

    ``second`` is for companies; ``portion`` is the one under way (group, side, ``move`` or ``battle``); ``briefing`` goes to ``first_state`` (mode, size,
    edges, referee).
    """
    made = encounter(teams, board, rally_points, second)
    state = first_state(made, options or {}, **briefing)  # type: ignore[arg-type]
    now = {"turn": turn, "phase": "action", "first": "red", "portions": ORDER, "at": ORDER.index(portion)}
    groups = [SetAttribute(squad.uid, "group", 1) for squad in state if squad.role == "squad"]
    return fold(state, [*[SetAttribute("battle", name, freeze(value)) for name, value in now.items()], *groups])


def engaged(state: State, verb: str = "engage", **parts: object) -> State:
    """Return the state after every squad got an order with that verb (and ``fire_policy``, ``place`` as ``parts``)."""
    order = {"by": "", "to": "", "text": "Go.", "verb": verb, "place": None, "fire_policy": None, "code_word": None}
    row = freeze([{**order, **parts, "since": 0, "number": 0}])
    return fold(state, [SetAttribute(squad.uid, "orders", row) for squad in state if squad.role == "squad"])


def two_platoons(**more: object) -> State:
    """Return two small platoons of 5 teams, 8 hexes apart: CO and rifles, NCO and rifles, a gun and two bots, on open ground."""
    rows: list[list[Entity]] = []
    for letter, row, front in (("R", 1, 2), ("B", 10, 9)):
        rows.append(team(f"{letter}0A", (5, row), unit("CO", "revolver"), unit("Soldier", "pulse_rifle")))
        for squad, column in ((1, 3), (2, 6)):
            nco = unit("NCO", "pulse_rifle", "revolver", wears="battle_dress")
            rows.append(
                team(f"{letter}{squad}A", (column, front), nco, unit("Soldier", "pulse_rifle", "grenade_launcher"))
            )
            gunner = unit("Soldier", "heavy_machine_gun", wears="battle_dress")
            bots = unit("Bot", "laser_carbine"), unit("Bot", "laser_carbine")
            rows.append(team(f"{letter}{squad}B", (column + 1, front), gunner, *bots))
    return position(*rows, **more)  # type: ignore[arg-type]


def game(options: Mapping[str, object] | None = None, *plugins: object) -> Disrupter:
    """Return the game with rulings that differ and with plugins (objects that hold ``@hookimpl`` functions)."""
    loaded = [LoadedPlugin(f"test-{number}", plugin) for number, plugin in enumerate(plugins)]
    return Disrupter(options or {}, compile_plan(Hooks, loaded))


def step(
    state: State,
    rule: str | Callable[..., object],
    *args: object,
    dice: Iterable[object] = (),
    seat: str | None = None,
    options: Mapping[str, object] | None = None,
    plugins: Iterable[object] = (),
) -> Done:
    """Run one rule, by name or the function itself; ``dice`` answers its questions in order (faces, members, option keys).

    Arguments that are JSON are frozen as those of a log are; a function may get records, too.
    """
    playing = game(options, *plugins)
    if callable(rule):
        playing.rules = {**playing.rules, rule.__name__: rule}
        return run(playing, state, Intent(rule.__name__, args, seat), Script(dice))  # type: ignore[arg-type]
    frozen = tuple([freeze(argument) for argument in args])
    return run(playing, state, Intent(rule, frozen, seat), Script(dice))


def changed(state: State, *changes: Change) -> State:
    """Return the state after some changes."""
    return fold(state, changes)


def status(name: str, **more: int) -> Status:
    """Return a status such as ``status("suppressed", since=2, until=2)``."""
    return Status(name, **more)  # type: ignore[arg-type]


def kinds(done: Done) -> list[str]:
    """Return the kinds of the events of a step, in order."""
    return [event.kind for event in done.events]


def rules(done: Done) -> list[str]:
    """Return the rule that each event of a step cites, in order."""
    return [event.rule for event in done.events]
