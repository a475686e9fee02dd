"""The bundled plugins of rules, all together, each alone, and in any order of installation."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import cast

import pytest

import rallypoint.disrupter as disrupter
from rallypoint.content import read_content, read_force
from rallypoint.content.scenario import parse_scenario
from rallypoint.disrupter.hooks import Hooks
from rallypoint.disrupter.setup import first_state
from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.game import Over
from rallypoint.kernel.plugins.additions import additions
from rallypoint.kernel.plugins.discovery import Found, discover
from rallypoint.kernel.plugins.switches import Switches
from rallypoint.kernel.plugins.variant import Variant, frozen_variant
from rallypoint.kernel.replay import replay

from ..streamline.battles import squads

RULES = ("indirect-fire", "mothership", "streamline", "vehicle-templates")
"""The bundled plugins that touch rules."""

SETS: Mapping[str, Mapping[str, object]] = {
    "nothing chosen": {},
    "streamlined and mothership": {"D-SL-R8.1": "on", "D-VA-R16.1": "on", "D-MO-R16.2": "dice"},
    "a few of each": {"D-SL-R11.2": "on", "D-SL-R16.1": "on", "D-AMB-37": "drift", "D-AMB-29": "literal_floor"},
}


def found() -> tuple[Found, ...]:
    return tuple([each for each in discover().found if each.name in (*RULES, "disrupter")])


def variant(order: Sequence[Found], on: Sequence[str] = RULES) -> Variant:
    """Return the variant of some plugins, found in this order."""
    return frozen_variant("disrupter", order, Switches.of(off=[name for name in RULES if name not in on]))


EXAMPLES = Path(__file__).parents[2] / "examples"
MEETING = """scenario = 1
title = "Cars and Mortars"
size = "squad"
[board]
columns = 9
rows = ROWS
scatter = { seed = "ridge", density = 0.3, buildings = 0.9, water = "none" }
[deployment]
from = "edges"
[[sides]]
name = "red"
roster = "car-patrol.toml"
edge = "bottom"
[[sides]]
name = "blue"
roster = "mortar-platoon.md"
"""


def meeting(rows: int) -> Encounter:
    """Return a patrol of cars against a platoon with mortars, on a board of so many rows: something for vehicles and for indirect fire."""
    packs = [str(EXAMPLES / "content" / name) for name in ("motor-pool.toml", "light-mortar.toml")]
    known = disrupter.catalogue()
    known = read_content(packs, known).extended(known)
    names = {"red": "car-patrol.toml", "blue": "mortar-platoon.md"}
    forces = {side: read_force(str(EXAMPLES / "rosters" / name), known) for side, name in names.items()}
    return disrupter.deployed(
        parse_scenario(MEETING.replace("ROWS", str(rows)), "meeting.toml", disrupter.scenario_words()), forces
    ).encounter


def battle(
    made: Variant,
    options: Mapping[str, object],
    seed: int,
    acts: int | None = None,
    encounter: Callable[[], Encounter] = squads,
) -> Battle[Hooks]:
    """Let a battle be fought, to its end or for so many acts."""
    game = disrupter.playable(options, cast("Hooks", made.hooks), made.rulings)
    edges = {"red": "top", "blue": "bottom"} if encounter is squads else {"red": "bottom", "blue": "top"}
    state = first_state(game.completed(encounter()), game.options, edges=edges, size="squad")
    answers = Answers(Seed(seed), others=disrupter.seat_alone(game.options, seed))
    fought = Battle.start(game, state, answers, plugins=made.plugins)
    if acts is not None:
        fought.play(acts)
        return fought
    while not isinstance(fought.due, Over) and game.clock(fought.state) <= 60:
        fought.play(10)
    return fought


def log(fought: Battle[Hooks]) -> list[tuple[object, ...]]:
    """Return all that a battle file would hold."""
    return [(each.number, each.kind, each.changes_text, each.body_text, each.hash) for each in fought.history.entries]


@pytest.mark.parametrize("name", SETS)
def test_logs_are_byte_equal_in_any_order_of_installation(name: str) -> None:
    game, *plugins = sorted(found(), key=lambda each: each.name != "disrupter")
    assert sorted(each.name for each in plugins) == list(RULES)
    first: list[tuple[object, ...]] | None = None
    for number, order in enumerate(permutations(plugins)):
        shuffled = [game, *order]
        random.Random(number).shuffle(shuffled)
        now = log(battle(variant(shuffled), SETS[name], 5, acts=6))
        first = now if first is None else first
        assert now == first, [each.name for each in shuffled]
    assert first is not None
    assert len(first) > 6


AT_WORK = {"D-SL-R11.2": "on", "D-SL-R16.2": "on", "D-MO-R16.2": "dice", "D-IF-3.edge": "splash"}


@pytest.mark.parametrize(
    ("rows", "seed", "kinds", "idle"),
    [
        (9, 17, {"indirect.drift", "damage"}, {"vehicle-templates"}),  # too near for a drive
        (18, 12, {"vehicle.driver", "indirect.drift", "damage"}, set()),
    ],
)
def test_in_any_order_also_where_they_are_at_work(rows: int, seed: int, kinds: set[str], idle: set[str]) -> None:
    def fought(order: Sequence[Found]) -> Battle[Hooks]:
        return battle(variant(order), AT_WORK, seed, encounter=lambda: meeting(rows))

    game, *plugins = sorted(found(), key=lambda each: each.name != "disrupter")
    first = fought([game, *plugins])
    events = [event for entry in first.history.entries for event in entry.events]
    assert kinds <= {event.kind for event in events}
    assert {event.by for event in events if event.by in RULES} == set(RULES) - idle
    assert isinstance(first.due, Over)
    for order in ([*plugins[::-1], game], [plugins[2], game, plugins[3], plugins[0], plugins[1]]):
        assert log(fought(order)) == log(first)
    assert replay(first.history.entries, first.game, first.history.rules["plugins"]).hash == first.state.digest  # type: ignore[arg-type]


@pytest.mark.parametrize("on", [*[(name,) for name in RULES], RULES], ids=[*RULES, "all"])
def test_each_alone_and_all_together_play_to_the_end(on: tuple[str, ...]) -> None:
    made = variant(found(), on)
    assert set(made.plugins) == {"disrupter", *on}
    fought = battle(made, {}, 7)
    assert isinstance(fought.due, Over)
    assert replay(fought.history.entries, fought.game, made.plugins).hash == fought.state.digest


def test_what_is_not_switched_on_changes_nothing() -> None:
    alone = battle(variant(found(), ()), {}, 7)
    together = battle(variant(found()), {}, 7)
    assert together.state.digest == alone.state.digest
    kinds = [[event.kind for each in fought.history.entries for event in each.events] for fought in (alone, together)]
    assert kinds[0] == kinds[1]


def test_rulings_and_sets_of_all_fit_together() -> None:
    added = additions("disrupter", found(), Switches())
    ids = [ruling.id for _, ruling in added.rulings]
    assert len(ids) == len(set(ids))
    game = disrupter.scenario_words()
    words = game.extended([ruling for _, ruling in added.rulings], [preset for _, preset in added.presets])
    for name, preset in words.rules.items():
        assert words.set_of_rules(name) == preset.options
        disrupter.playable(preset.options, None, {ruling.id: ruling for _, ruling in added.rulings})
    assert {"streamline", "streamline_variant", "mothership", "entry"} <= set(words.rules)


def test_no_line_of_kernel_or_game_knows_their_names() -> None:
    core = Path(disrupter.__file__).parents[1]
    for folder in ("kernel", "disrupter", "content", "cli", "paper"):
        for path in sorted((core / folder).rglob("*.py")):
            text = path.read_text("utf-8")
            for name in ("rallypoint_streamline", "rallypoint_mothership", "rallypoint_indirect", "rallypoint_vehicle"):
                assert name not in text, path
