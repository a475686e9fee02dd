"""``rallypoint battle new``: from a scenario to a battle file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from rallypoint.kernel.canonical import EMPTY
from rallypoint.kernel.errors import InputError

from .battle_table import SEATS
from .battle_words import pair
from .chosen_rules import OPTION, RULES, chosen_options, chosen_rules
from .command_line import Invocation, PlainHelp
from .game_choice import GAME, chosen_name
from .muster import CONTENT, extended
from .terminal import write

if TYPE_CHECKING:
    from rallypoint.content.scenario import Scenario
    from rallypoint.kernel.encounter import Encounter

__all__ = ["DICE", "DICE_ONCE", "SEAT", "SEED", "Beginning", "begin", "new", "seats_of"]

_MOST = 10**6

SEAT = click.option(
    "--seat",
    "seats",
    metavar="SEAT=WHO",
    multiple=True,
    help=f"Who sits there: {', '.join(SEATS)}; repeatable.",
)
"""The option of every command that lets seats decide."""


SEED = click.option("--seed", metavar="N", help="Seed of the dice.  [default: a new one, which is told]")
DICE = click.option(
    "--dice",
    type=click.Choice(["seeded", "typed"]),
    default="seeded",
    show_default=True,
    help="Dice from the seed, or thrown at the table and typed in.",
)
"""The options of every command that begins a battle: seed and dice."""

DICE_ONCE = click.option(
    "--dice",
    type=click.Choice(["seeded", "typed"]),
    help="Who throws the dice in this run, where it is not as the file says; the log keeps what they showed.",
)
"""The option of the commands that go on with a battle."""


def seats_of(given: tuple[str, ...]) -> Mapping[str, str]:
    """Return who sits in which seat.

    Raises:
        InputError: one is not SEAT=WHO.
    """
    return dict(pair(each, "a seat", "--seat red=auto") for each in given)


@click.command(cls=PlainHelp)
@click.argument("scenario")
@click.option("-o", "--out", metavar="FILE", required=True, help="The battle file; it must not exist.")
@SEED
@DICE
@SEAT
@RULES
@OPTION
@CONTENT
@click.option("--dry-run", is_flag=True, help="Check everything, and write nothing.")
@GAME
@click.pass_obj
def new(
    invocation: Invocation,
    scenario: str,
    out: str,
    seed: str | None,
    dice: str,
    seats: tuple[str, ...],
    preset: str | None,
    options: tuple[str, ...],
    packs: tuple[str, ...],
    dry_run: bool,
    game: str | None,
) -> None:
    """Start a battle of a scenario. Dice, seats and rulings are kept in the file.

    Seats that are not named are persons: what they decide is asked at the terminal.

    Example: rallypoint battle new first-fight.toml -o first.battle --seed 7 --seat blue=auto

    Example: rallypoint battle new first-fight.toml -o table.battle --dice typed --option D-AMB-05=selected
    """
    begin(invocation, scenario, Beginning(out, seed, dice, seats, preset, options, packs, dry_run), game)


class Beginning(NamedTuple):
    """What is said of a battle when it begins, as on the command line: its file, dice, seats, rulings, content packs."""

    out: str
    seed: str | None
    dice: str
    seats: tuple[str, ...]
    preset: str | None
    options: tuple[str, ...]
    packs: tuple[str, ...]
    dry_run: bool


def as_it_is(scenario: Scenario, encounter: Encounter) -> tuple[Scenario, Encounter]:
    """Return what a battle begins with when it stands by itself."""
    return scenario, encounter


def begin(
    invocation: Invocation,
    scenario: str,
    begun: Beginning,
    game: str | None,
    agreed: Callable[[Scenario, Encounter], tuple[Scenario, Encounter]] = as_it_is,
    more: Mapping[str, object] = EMPTY,
) -> None:
    """Write a new battle file, and say what is in it.

    Args:
        invocation: this run.
        scenario: the path of the scenario.
        begun: what else was said.
        game: the game's name, if more than one is installed.
        agreed: changes scenario and forces before the battle begins, for one of a campaign.
        more: what else the first entry says of the battle, such as which campaign it belongs to.

    Raises:
        InputError: something cannot be read, or the file is there already; nothing was written.
    """
    from rallypoint.content.scenario import read_scenario
    from rallypoint.kernel.battle import Battle

    from .battle_game import battle_game, notes_of, playing, rehearse
    from .battle_table import About, about_value, answers_of
    from .scenario import forces_of, left_off

    out, seed, dice, seats, preset, options, packs, dry_run = begun
    if dice == "typed" and seed is not None:
        raise InputError("typed dice have no seed", found=f"--seed {seed}", expected="--seed or --dice typed")
    if not dry_run and Path(out).exists():
        raise InputError("this file is there already", path=out, hint="name another one with -o")
    name = chosen_name(invocation, game)
    module = battle_game(invocation, name)
    words = module.scenario_words()
    read = read_scenario(scenario, words)
    rulings = {**chosen_rules(words, preset, ()), **read.options, **chosen_options(words, options)}
    playing_by = playing(invocation, name, rulings)
    forces = forces_of(read, extended(module.catalogue(), packs))
    deployed = module.completed(module.deployed(read, forces).encounter, rulings)
    read, encounter = agreed(read, deployed)
    state = module.opening(read, encounter, playing_by.game.options)
    thrown = None if dice == "typed" else _seed(seed)
    who = seats_of(seats)
    about = About(who, thrown, {}, encounter.board)
    answers = answers_of(about, module, playing_by.game, state)
    rehearse(playing_by.game, state)
    notes = notes_of(playing_by)
    if not dry_run:
        made = Battle.start(
            playing_by.game,
            state,
            answers,
            path=Path(out),
            plugins=playing_by.plugins,
            title=read.title,
            about={**about_value(encounter, who, thrown), **more},
        )
        made.close()
    write(f"{'Would write' if dry_run else 'Wrote'} {out}: {read.title}, {words.modes[read.mode].title}.")
    for each in left_off(module, encounter):
        write(f"Left off, not fit to fight: {each}")
    persons = ", ".join(f"{seat} {who.get(seat, 'person')}" for seat in playing_by.game.seats(state))
    write(f"Seats: {persons}. Dice: {'typed in' if thrown is None else f'seed {thrown}'}.")
    for key, value in sorted(playing_by.game.options.items()):
        write(f"Ruling {key}: {value}")
    for note in notes:
        write(f"Note: {note}")
    if not dry_run:
        alone = thrown is not None and all(who.get(seat, "person") != "person" for seat in playing_by.game.seats(state))
        write(f"Next: rallypoint battle {'step' if alone else 'play'} {out}")


def _seed(given: str | None) -> str | int:
    """Return the seed that was given, a number where it is one, or a new one."""
    if given == "":
        raise InputError("a seed is a number or a word", found="nothing", expected="such as --seed 7")
    if given is None:
        import secrets

        return secrets.randbelow(_MOST)
    return int(given) if given.isdecimal() and len(given) < 19 else given
