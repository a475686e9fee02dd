"""Battles and single rules under the switches of the plugin, beside the same under the rules without it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

import rallypoint_streamline
from rallypoint.disrupter.autopilot import Autopilot
from rallypoint.disrupter.game import Disrupter
from rallypoint.disrupter.hooks import Hooks
from rallypoint.disrupter.setup import first_state
from rallypoint.kernel.answers import Answers, Policy, Script, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.board import Board
from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.events import Event
from rallypoint.kernel.game import Intent, Over
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.plugins.hooks import LoadedPlugin
from rallypoint.kernel.plugins.manifest import Manifest, read_manifest
from rallypoint.kernel.plugins.plan import compile_plan
from rallypoint.kernel.rulings import by_id
from rallypoint.kernel.state import State
from rallypoint.kernel.step import Done, Graded, run
from rallypoint_streamline import implementations

from ..disrupter.positions import encounter, team, unit

ROWS = (
    "D-SL-R6.1",
    "D-SL-R8.1",
    "D-SL-R9.1",
    "D-SL-R9.2",
    "D-SL-R11.1",
    "D-SL-R11.2",
    "D-SL-R11.3",
    "D-SL-R16.1",
    "D-SL-R16.2",
    "D-VA-R16.1",
    "D-SL-R16.3",
    "D-SL-R16.4",
    "D-SL-VE.1",
)
"""The tagged rules of play, copied from the source."""

LAND = {
    **{Hex(q, 2): "forest" for q in (-1, 0, 3)},
    **{Hex(q, 3): "forest" for q in (-1, 2, 3)},
    Hex(1, 2): "building",
    Hex(1, 3): "barricade",
    **{Hex(q, 1): "undergrowth" for q in (0, 4)},
    **{Hex(q, 4): "undergrowth" for q in (-1, 3)},
    **{Hex(q, 0): "undergrowth" for q in (0, 5)},
    **{Hex(q, 5): "undergrowth" for q in (-2, 3)},
}
"""Six hexes to a side, about half of them terrain."""


def manifest() -> Manifest:
    """Return the manifest of the plugin."""
    path = Path(rallypoint_streamline.__file__).parent / "rallypoint-plugin.toml"
    read, problems = read_manifest(path.read_text("utf-8"), str(path))
    assert read is not None, problems
    return read


RULINGS = by_id(manifest().rulings)
PRESETS = {preset.name: preset for preset in manifest().presets}
_PLAN = compile_plan(Hooks, [LoadedPlugin("streamline", implementations)])


def game(options: Mapping[str, object]) -> Disrupter:
    """Return the game with the plugin and these rulings."""
    return Disrupter(options, _PLAN, RULINGS)


def on(*rows: str) -> dict[str, object]:
    """Return options with these switches on."""
    return dict.fromkeys(rows, "on")


IDLE = Policy(lambda ask, view: 0, lambda legal, view: legal[-1])
"""A seat that does nothing, and takes the first option where it is asked."""

# One rule


def step(
    options: Mapping[str, object], state: State, rule: str, *args: object, seat: str = "red", dice: Sequence[object]
) -> Done:
    """Run a rule with typed dice and choices."""
    frozen = tuple([freeze(argument) for argument in args])
    return run(game(options), state, Intent(rule, frozen, seat), Script(dice))


def seeded(options: Mapping[str, object], state: State, rule: str, *args: object, seed: int) -> Done:
    """Run a rule of red with the dice of a seed; whoever is asked takes the first option."""
    frozen = tuple([freeze(argument) for argument in args])
    return run(game(options), state, Intent(rule, frozen, "red"), Answers(Seed(seed), others=IDLE))


def plain(events: Sequence[Event]) -> list[tuple[object, ...]]:
    """Return events without what is said of plugins, and without their places: those move when one is missing."""
    return [
        (event.kind, event.rule, event.changes, _values(event.why))
        for event in events
        if event.kind != "plugin.answered"
    ]


def _values(why: Mapping[str, object]) -> dict[str, object]:
    """Return the reasons of an event so that equal dice are equal."""
    return {
        name: (value.throw, value.faces, value.grade) if isinstance(value, Graded) else value
        for name, value in why.items()
    }


def without(events: Sequence[tuple[object, ...]], *kinds: str) -> list[tuple[object, ...]]:
    """Return plain events but those of some kinds."""
    return [event for event in events if event[0] not in kinds]


# Whole battles


def squads() -> Encounter:
    """Return a squad each on a board of 6 by 6 hexes; a team of bots and one without an Officer are among the teams."""
    rows = []
    for letter, row, front in (("R", 0, 1), ("B", 5, 4)):
        rear, near = -(row // 2), -(front // 2)
        rows.append(team(f"{letter}0A", (rear + 3, row), unit("CO", "revolver"), unit("Soldier", "pulse_rifle")))
        nco = unit("NCO", "pulse_rifle", "revolver", wears="battle_dress")
        rows.append(team(f"{letter}1A", (near + 1, front), nco, unit("Soldier", "pulse_rifle", "grenade_launcher")))
        rows.append(
            team(f"{letter}1B", (near + 3, front), unit("Soldier", "flamethrower"), unit("Bot", "laser_carbine"))
        )
        rows.append(
            team(f"{letter}1C", (near + 5, front), unit("Bot", "laser_carbine"), unit("Bot", "rocket_launcher"))
        )
    return encounter(rows, Board(6, 6, LAND), {"red": (1, 0), "blue": (1, 5)})


def opening(options: Mapping[str, object]) -> State:
    """Return the first state of a battle of squads, as a battle under these rulings has it."""
    edges = {"red": "top", "blue": "bottom"}
    return first_state(game(options).completed(squads()), options, edges=edges, size="squad")


def started(options: Mapping[str, object], seed: int, *, bare: bool = False) -> Battle[Hooks]:
    """Start a battle of squads that play alone; ``bare``: with all trackers of the full rules."""
    rules = game(options)
    state = opening({} if bare else options)
    return Battle.start(rules, state, Answers(Seed(seed), others=Autopilot(rules.options, seed)))


def fought(options: Mapping[str, object], seed: int, most: int = 60) -> Battle[Hooks]:
    """Let a battle of squads be fought to its end, or to the end of turn ``most``."""
    battle = started(options, seed)
    while not isinstance(battle.due, Over) and battle.game.clock(battle.state) <= most:
        battle.play(10)
    return battle


def told(battle: Battle[Hooks]) -> Iterator[Event]:
    """Yield all events of a battle."""
    for entry in battle.history.entries:
        yield from entry.events


def first_difference(one: Battle[Hooks], other: Battle[Hooks]) -> tuple[int, object, object]:
    """Return after how many equal events two battles differ, and the events that do."""
    pairs = zip_longest(plain(list(told(one))), plain(list(told(other))))
    for number, (a, b) in enumerate(pairs):
        if a != b:
            return number, a, b
    return -1, None, None


def rolled(events: Sequence[Event], *purposes: str) -> list[tuple[str, str, tuple[int, ...]]]:
    """Return the dice of checks for some purposes, or for any: who, what for, what they showed."""
    found = []
    for event in events:
        graded = event.why.get("check") if event.kind == "check" else None
        if isinstance(graded, Graded):
            graded = {"who": graded.throw.who, "purpose": graded.throw.purpose, "faces": graded.faces}
        if isinstance(graded, Mapping) and (not purposes or graded["purpose"] in purposes):
            found.append((str(graded["who"]), str(graded["purpose"]), tuple(graded["faces"])))
    return found
