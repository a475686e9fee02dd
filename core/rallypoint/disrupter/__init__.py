"""Disrupter: fights of platoons on a hex map. The game is by Violet Ballard / RV Games, CC BY 4.0."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rallypoint.content import Catalogue, Force, Remark
    from rallypoint.content.force import Forces
    from rallypoint.content.scenario import Scenario
    from rallypoint.content.scenario_words import ScenarioWords
    from rallypoint.kernel.canonical import Value
    from rallypoint.kernel.encounter import Encounter
    from rallypoint.kernel.rulings import Ruling
    from rallypoint.kernel.state import State

    from .autopilot import Autopilot
    from .deploy import Deployment
    from .game import Disrupter
    from .hooks import Hooks

__all__ = [
    "campaigns",
    "catalogue",
    "deployed",
    "encounter",
    "encounter_of",
    "force_of",
    "left_off",
    "opening",
    "playable",
    "problems",
    "scenario_words",
    "seat_alone",
    "with_values",
]


def catalogue() -> Catalogue:
    """Return the equipment of the game: classes, weapons, armour, bots, vehicles."""
    from .tables import catalogue  # the tables are read when somebody asks, not when the package is found

    return catalogue()


def encounter(force: Force, *, side: str = "red") -> Encounter:
    """Return the force as the game's state with a sheet for each entity.

    Args:
        force: what a roster gave, read with this game's :func:`catalogue`.
        side: the uid of the side it fights for, in ASCII letters, digits and hyphens.

    Raises:
        InputError: the side has no such name, or the force has equipment that the game does not know.
    """
    from .muster import encounter

    return encounter(force, side=side)


def encounter_of(sides: Forces, *, key: str, title: str) -> Encounter:
    """Return the forces of several sides as one state with a sheet for each entity.

    A uid is the one that the force has alone. Only where two sides would share one (both muster the same roster), every
    uid of both forces begins with its side and a full stop: ``red.starter-1A-1-1``; so the order of the sides does not
    matter. Where one side brings the same roster twice, the number of the platoon follows: ``red.2.starter-1A-1-1``.

    Args:
        sides: the forces by the uid of their side, the first side first; of a company a tuple, its platoons in order
            (D-SF-4). Their codes then have the number of the platoon: ``R2-1A``.
        key: names the encounter; it goes into every VTT id.
        title: what people call it.

    Raises:
        InputError: a side has no such name, or (as :class:`~rallypoint.content.PageError`, with all of it) a force has
            equipment that the game does not know, more Wounds or Stress than it can have, or a uid twice.
    """
    from .muster import encounter_of

    return encounter_of(sides, key=key, title=title)


def problems(force: Force, *, scale: str = "platoon", enlarged: bool = False) -> tuple[Remark, ...]:
    """Return all that is unusual or wrong about a force, each with severity, rule, place and hint; it stops no roster.

    Args:
        force: what a roster gave; its own remarks (officers) are not repeated.
        scale: the size of force: ``squad``, ``platoon``, ``section`` or ``company`` (D-SF-2 to D-SF-4).
        enlarged: teams of five (D-SF-1).

    Raises:
        InputError: there is no such scale.
    """
    from .validation import problems

    return problems(force, scale=scale, enlarged=enlarged)


def force_of(encounter: Encounter, known: Catalogue | None = None) -> Force:
    """Return the force that an encounter of this game holds, as a roster can say it; what stands on the board is not in it.

    Squads and teams are those of the encounter; units that are in none stand each for itself.

    Args:
        encounter: of this game.
        known: the equipment that exists, where content packs add some to the game's own.

    Raises:
        InputError: it is of another game, or has no unit, or (as :class:`~rallypoint.content.PageError`, with all of them) units
            do not say what they are or have equipment that the game does not know.
    """
    from .returning import force_of

    return force_of(encounter, known)


def with_values(force: Force, values: Mapping[str, Mapping[str, int]]) -> Force:
    """Return the force with other Wounds and Stress, everything else as it was.

    Args:
        force: the force.
        values: by uid the trackers and what they are now: ``Wounds`` of a unit, ``Stress`` of the platoon; they must be within
            their limits.
    """
    from .returning import with_values

    return with_values(force, values)


def scenario_words() -> ScenarioWords:
    """Return the words in which scenarios of this game are written: terrain, modes, sizes, rules, options."""
    from .deploy import scenario_words

    return scenario_words()


def deployed(scenario: Scenario, forces: Forces) -> Deployment:
    """Return the encounter of a scenario with its zones; see :func:`rallypoint.disrupter.deploy.deployed`."""
    from .deploy import deployed

    return deployed(scenario, forces)


def playable(
    options: Mapping[str, object], hooks: Hooks | None = None, rulings: Mapping[str, Ruling] | None = None
) -> Disrupter:
    """Return the game, bound to rulings and plugins.

    Args:
        options: rulings that differ from their defaults, by id.
        hooks: the frozen plan of the plugins; none, where it is ``None``.
        rulings: those that the plugins bring, by id.

    Raises:
        InputError: a ruling or a choice does not exist, or two choices exclude each other.
        PluginError: a plugin brings a ruling or an act that is there already.
    """
    from .game import Disrupter

    return Disrupter(options, hooks, {} if rulings is None else rulings)


def opening(scenario: Scenario, encounter: Encounter, options: Mapping[str, object]) -> State:
    """Return the state in which the battle of a scenario starts, before its briefing.

    Args:
        scenario: what was agreed.
        encounter: its forces on its board, as :func:`deployed` gives it.
        options: the rulings in force, by id.

    Raises:
        InputError: its forces cannot fight.
    """
    from .setup import first_state

    return first_state(
        encounter,
        options,
        mode=scenario.mode,
        size=scenario.size,
        edges={side.name: side.edge for side in scenario.sides},
        referee=scenario.referee,
    )


def left_off(encounter: Encounter) -> Mapping[str, str]:
    """Return who of an encounter cannot fight, by uid with what became of him earlier; see :func:`rallypoint.disrupter.setup.left_off`."""
    from .setup import left_off

    return left_off(encounter.state)


def seat_alone(options: Mapping[str, Value], seed: int | str = 0) -> Autopilot:
    """Return a seat that plays alone; see :class:`rallypoint.disrupter.autopilot.Autopilot`."""
    from .autopilot import Autopilot

    return Autopilot(options, seed)


def campaigns() -> object:
    """Return the rules of campaigns; see :mod:`rallypoint.disrupter.campaign`."""
    from . import campaign

    return campaign


_SPOKEN = {
    **dict.fromkeys(("choice_words", "combined", "gone", "headline", "ordered", "remarks"), "spoken"),
    **dict.fromkeys(("event_words", "explained", "shots", "worth_telling"), "explain"),
    **dict.fromkeys(("choice_asked", "option_words"), "decisions"),
    **dict.fromkeys(("amiss", "spelled", "understood"), "typed"),
    "needed": "asked",
    "after_battle": "report",
    "stand_lines": "datasheet",
    "why_shots": "why",
}
"""What is said of states, acts, events and ended battles, by the module that says it; imported when somebody asks."""


def __getattr__(name: str) -> object:
    if name not in _SPOKEN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_SPOKEN[name]}"), name)
