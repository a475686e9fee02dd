"""Battles with a car: a content vehicle on the board, and the game with the plugin in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import rallypoint_vehicle_templates
from rallypoint.disrupter.game import Disrupter
from rallypoint.disrupter.hooks import Hooks
from rallypoint.kernel.answers import Script
from rallypoint.kernel.canonical import Value, freeze
from rallypoint.kernel.game import Intent
from rallypoint.kernel.plugins.hooks import LoadedPlugin
from rallypoint.kernel.plugins.manifest import Manifest, read_manifest
from rallypoint.kernel.plugins.plan import compile_plan
from rallypoint.kernel.rulings import by_id
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import Done, run
from rallypoint_vehicle_templates import rules

from ..disrupter.positions import engaged, position, team, unit

MAN = unit("Soldier", "pulse_rifle")
COS = [team("R0A", (-5, 11), unit("CO", "revolver")), team("B0A", (11, 0), unit("CO", "revolver"))]
"""The COs, far off in two corners, so that nobody surrenders."""


def manifest() -> Manifest:
    folder = Path(str(rallypoint_vehicle_templates.__file__)).parent
    found, problems = read_manifest((folder / "rallypoint-plugin.toml").read_text("utf-8"), "rallypoint-plugin.toml")
    assert not problems
    assert found is not None
    return found


def car_game(options: Mapping[str, object] | None = None, *others: object) -> Disrupter:
    """Return the game with the plugin, its rulings, and other plugins after it."""
    loaded = [LoadedPlugin("vehicle-templates", rules)]
    loaded += [LoadedPlugin(f"zz-{number}", other) for number, other in enumerate(others)]
    return Disrupter(options or {}, compile_plan(Hooks, loaded), by_id(manifest().rulings))


def battlefield(
    *teams: list[Entity], traits: Iterable[str] = ("templates(house)",), movement: int = 12, **more: object
) -> State:
    """Return a battle whose vehicles with the key ``car`` have these traits and this M; red's own edge is the bottom."""
    edges = {"red": "bottom", "blue": "top"}
    state = engaged(position(*COS, *teams, edges=edges, **more))  # type: ignore[arg-type]
    numbers = {"A": 60, "M": movement, "C": 4, "Cap": 4, "Slots": 0}
    row = {"title": "Car", "rule": "test:car", "numbers": numbers, "traits": tuple(traits)}
    battle = state["battle"]
    facts = freeze({**battle.facts, "vehicles": {"car": row}})
    assert isinstance(facts, Mapping)
    return State.of(
        [battle._replace(facts=facts) if entity.uid == "battle" else entity for entity in state],
        state.links.values(),
        state.agenda,
    )


def car(at: tuple[int, int] = (2, 8), *crew: Mapping[str, object], uid: str = "R1A", **extra: Value) -> list[Entity]:
    """Return a car and its crew; at (2, 8) its middle is at 325, 375.28 (50 (2 + 8 / 2) + 25; 43.30 * 8 + 28.87)."""
    made = team(uid, at, *(crew or (unit("NCO", "pulse_rifle"), MAN)), vehicle="car")
    facts = freeze({**made[0].facts, "extra": extra}) if extra else made[0].facts
    assert isinstance(facts, Mapping)
    return [made[0]._replace(facts=facts), *made[1:]]


def drive(
    state: State,
    *args: object,
    answers: Iterable[object] = (),
    options: Mapping[str, object] | None = None,
    plugins: Iterable[object] = (),
    rule: str = "drive",
) -> Done:
    """Let red drive: ``args`` are the car and, if they are named, its templates."""
    made = car_game(options, *plugins)
    return run(made, state, Intent(rule, tuple([freeze(each) for each in args]), "red"), Script(answers))
