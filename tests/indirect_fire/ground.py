"""Positions with a home-made mortar that no table of the game knows, and the game with the plugin on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files

from rallypoint.disrupter.game import Disrupter
from rallypoint.disrupter.hooks import Hooks
from rallypoint.disrupter.records import Attack
from rallypoint.disrupter.setup import first_state
from rallypoint.kernel.answers import Script
from rallypoint.kernel.board import Board
from rallypoint.kernel.canonical import Value, freeze
from rallypoint.kernel.changes import SetAttribute
from rallypoint.kernel.encounter import Gear, Sheet
from rallypoint.kernel.events import Event
from rallypoint.kernel.fold import fold
from rallypoint.kernel.game import Intent
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.plugins.hooks import LoadedPlugin
from rallypoint.kernel.plugins.manifest import Manifest, read_manifest
from rallypoint.kernel.plugins.plan import compile_plan
from rallypoint.kernel.rulings import by_id
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import Done, run
from rallypoint_indirect_fire import implementations

from ..disrupter.positions import ORDER, encounter, team, unit

HIT, MISS, SAVE, FAIL = 13, 98, 24, 97

MORTAR: Mapping[str, Value] = {
    "T": 4, "C": 0, "M": 0, "L": 0, "Max": 8, "traits": ("indirect", "splash(close,1)"),
}  # fmt: skip
HOWITZER: Mapping[str, Value] = {
    "T": 6, "C": 1, "M": 1, "L": 2, "Max": None, "traits": ("indirect", "no_move_and_fire"),
}  # fmt: skip
RIDGE = Board(12, 12, {Hex(q, 5): "building" for q in range(-2, 10)})
"""A row of buildings across the whole board: nobody above it sees anybody below it."""


def manifest() -> Manifest:
    text = (files("rallypoint_indirect_fire") / "rallypoint-plugin.toml").read_text(encoding="utf-8")
    found, problems = read_manifest(text, "rallypoint-plugin.toml")
    assert found is not None, problems
    return found


def game(options: Mapping[str, object] | None = None, *, on: bool = True) -> Disrupter:
    """Return the game with the plugin, or without."""
    plugins = [LoadedPlugin("indirect-fire", implementations)] if on else []
    return Disrupter(options or {}, compile_plan(Hooks, plugins), by_id(manifest().rulings) if on else {})


def tough(number: int = 1, armor: int = 60) -> list[dict[str, object]]:
    return [{**unit("Soldier", "pulse_rifle", armor=armor), "wounds": 30} for _ in range(number)]


def field(*teams: list[Entity], board: Board | None = RIDGE, **briefing: object) -> State:
    """Return a position in Group 1 of red's Battlefield Actions, in which mortars and howitzers are known by their sheets.

    Each side has a CO in a corner far off.
    """
    chiefs = team("R9Z", (0, 0), unit("CO", "revolver")), team("B9Z", (6, 11), unit("CO", "revolver"))
    arms = tuple([Gear("weapon", key, key.title(), row) for key, row in (("mortar", MORTAR), ("howitzer", HOWITZER))])
    made = encounter([*teams, *chiefs], board)
    sheets = {"R9Z": Sheet("R9Z", "Team", "Team", "R-9Z", gear=arms)}
    state = first_state(made._replace(sheets=sheets), {}, **briefing)  # type: ignore[arg-type]
    now = {"turn": 1, "phase": "action", "first": "red", "portions": ORDER, "at": ORDER.index(("1", "red", "battle"))}
    groups = [SetAttribute(squad.uid, "group", 1) for squad in state if squad.role == "squad"]
    return fold(state, [*[SetAttribute("battle", name, freeze(value)) for name, value in now.items()], *groups])


def battery(*arms: str, place: tuple[int, int] = (2, 3)) -> list[Entity]:
    """Return red's team R1A: a tough soldier for each weapon."""
    return team("R1A", place, *[{**unit("Soldier", arm), "wounds": 30} for arm in arms or ("mortar",)])


def step(
    state: State,
    rule: Callable[..., object],
    *args: object,
    dice: Iterable[object] = (),
    options: Mapping[str, object] | None = None,
    on: bool = True,
) -> Done:
    """Run one rule with the plugin on (or off); ``dice`` answers its questions in order."""
    playing = game(options, on=on)
    playing.rules = {**playing.rules, rule.__name__: rule}
    return run(playing, state, Intent(rule.__name__, args, None), Script(dice))  # type: ignore[arg-type]


def at(target: str, weapon: str = "mortar", shooter: str = "R1A-1") -> tuple[Attack, ...]:
    return (Attack(shooter, weapon, target),)


def drift(ten: int, six: int) -> list[list[int]]:
    """Return the dice of a drift: how far, which way."""
    return [[ten], [six]]


def lands(event: Event) -> object:
    """Return where a drifted shot lands, ``None`` off the board."""
    return event.why.get("lands")
