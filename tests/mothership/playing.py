"""The game with this plugin in it, and positions with what its rulings track."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files

from rallypoint.disrupter.game import Disrupter
from rallypoint.disrupter.hooks import Hooks
from rallypoint.disrupter.records import Attack
from rallypoint.kernel.answers import Script
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.game import Intent
from rallypoint.kernel.plugins.hooks import LoadedPlugin
from rallypoint.kernel.plugins.manifest import Manifest, read_manifest
from rallypoint.kernel.plugins.plan import compile_plan
from rallypoint.kernel.rulings import by_id
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import Done, run
from rallypoint_mothership import implementations

from ..disrupter.positions import team, unit
from ..rules.playing import fight

DICE = {"D-MO-R16.2": "dice"}
FIGURES = {"D-MO-PC": "on"}
TOUGH = {**unit("Soldier", "pulse_rifle"), "wounds": 9}
"""A soldier in combat armor (7 Armour Points) who does not fall before the ninth Wound."""


def manifest() -> Manifest:
    """Return the plugin's manifest."""
    text = (files("rallypoint_mothership") / "rallypoint-plugin.toml").read_text(encoding="utf-8")
    found, problems = read_manifest(text, "rallypoint-plugin.toml")
    assert found is not None, problems
    return found


def game(options: Mapping[str, object], *rules: Callable[..., object]) -> Disrupter:
    """Return the game with the plugin, and with functions as further rules."""
    plan = compile_plan(Hooks, [LoadedPlugin("mothership", implementations)])
    made = Disrupter(options, plan, by_id(manifest().rulings))
    made.rules = {**made.rules, **{rule.__name__: rule for rule in rules}}
    return made


def tracking(state: State, options: Mapping[str, object]) -> State:
    """Return a state with what the rulings track."""
    return game(options).completed(Encounter("test", "A test", "disrupter", state, {})).state


def facing(
    weapon: str, options: Mapping[str, object], *targets: Mapping[str, object], hexes: int = 2, **shooter: object
) -> State:
    """Return one red soldier, ``hexes`` away from a blue team (one tough soldier in combat armor)."""
    red: dict[str, object] = {**unit("Soldier", weapon, wears="battle_dress"), **shooter}
    return tracking(fight(team("R1A", (0, 0), red), team("B1A", (hexes, 0), *(targets or (TOUGH,)))), options)


def extra(row: Mapping[str, object], **fields: object) -> dict[str, object]:
    """Return a unit whose roster says more of it."""
    return {**row, "extra": fields}


def shot(weapon: str = "pulse_rifle", target: str = "B1A", shooter: str = "R1A-1") -> Attack:
    return Attack(shooter, weapon, target)


def play(
    state: State, options: Mapping[str, object], rule: Callable[..., object], *args: object, dice: Iterable[object]
) -> Done:
    """Run one rule; ``dice`` answers its questions in order."""
    return run(game(options, rule), state, Intent(rule.__name__, args), Script(dice))  # type: ignore[arg-type]


def value(entity: Entity, name: str) -> int | None:
    """Return what a tracker shows, ``None`` where it is not tracked."""
    return entity.trackers[name].value if name in entity.trackers else None
