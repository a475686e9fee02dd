"""``rallypoint campaign new`` and ``campaign battle``: a campaign begins, and each of its battles."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rallypoint.kernel.errors import InputError

from .battle_new import DICE, SEAT, SEED, Beginning, begin
from .campaign_begun import begun_battles, belonging
from .campaign_file import CampaignFile, campaign_rules, opened, placed, saved
from .campaign_show import force_lines, next_line
from .chosen_rules import OPTION, RULES
from .command_line import Invocation, PlainHelp
from .game_choice import GAME, chosen_name
from .muster import CONTENT, extended
from .terminal import warn, write

if TYPE_CHECKING:
    from rallypoint.content.scenario import Scenario
    from rallypoint.kernel.encounter import Encounter

__all__ = ["battle", "new"]


@click.command(cls=PlainHelp)
@click.argument("scenario")
@click.option("-o", "--out", metavar="FILE", required=True, help="The campaign file; it must not exist.")
@click.option(
    "--wins",
    type=click.IntRange(1, 99),
    metavar="N",
    default=2,
    show_default=True,
    help="How many battles win the campaign.",
)
@click.option(
    "--reserves/--no-reserves",
    default=True,
    show_default=True,
    help="Whether each side has as many units again in reserve.",
)
@CONTENT
@click.option("--dry-run", is_flag=True, help="Check everything, and write nothing.")
@GAME
@click.pass_obj
def new(
    invocation: Invocation,
    scenario: str,
    out: str,
    wins: int,
    reserves: bool,
    packs: tuple[str, ...],
    dry_run: bool,
    game: str | None,
) -> None:
    """Begin a campaign with the forces of a scenario. The file keeps who they are; the rosters are left alone.

    Example: rallypoint campaign new first-fight.toml -o frontier.campaign --wins 2

    Example: rallypoint campaign new first-fight.toml -o duel.campaign --wins 3 --no-reserves
    """
    from rallypoint.content.scenario import read_scenario

    from .battle_game import battle_game, playing
    from .scenario import forces_of

    if Path(out).exists():
        raise InputError("this file is there already", path=out, hint="name another one with -o")
    if not Path(out).parent.is_dir():
        raise InputError(
            "there is no such folder", path=str(Path(out).parent), hint="make it first, or name another with -o"
        )
    name = chosen_name(invocation, game)
    module = battle_game(invocation, name)
    rules = campaign_rules(module, name)
    read = read_scenario(scenario, module.scenario_words())
    forces = forces_of(read, extended(module.catalogue(), packs))
    encounter = module.completed(module.deployed(read, forces).encounter, read.options)
    standing = rules.start(read.key, encounter.state, wins=wins, reserves=reserves)
    module.opening(*rules.next_battle(standing, read, encounter), playing(invocation, name, read.options).game.options)
    path = Path(out)
    file = CampaignFile(path, "", name, read.title, placed(path, scenario), _called(encounter), standing, rules)
    saved(file, dry=dry_run)
    write(f"{'Would write' if dry_run else 'Wrote'} {out}: {read.title}, first to {wins} wins.")
    for line in force_lines(file):
        write(line)
    if not dry_run:
        write(next_line(file))


def _called(encounter: Encounter) -> Mapping[str, str]:
    """Return what sides and units are called, as battles call them."""
    from .battle_words import Names

    sheets = {uid: (sheet.name, sheet.role, sheet.code) for uid, sheet in encounter.sheets.items()}
    names = Names(encounter.state, sheets)
    return {each.uid: names(each.uid) for each in encounter.state if each.role == "unit" or each.parent is None}


@click.command(cls=PlainHelp)
@click.argument("file")
@click.argument("scenario", required=False)
@click.option("-o", "--out", metavar="FILE", required=True, help="The battle file; it must not exist.")
@SEED
@DICE
@SEAT
@RULES
@OPTION
@CONTENT
@click.option("--changed-rosters", is_flag=True, help="Take rosters whose classes, gear or stats have changed.")
@click.option("--dry-run", is_flag=True, help="Check everything, and write nothing.")
@click.pass_obj
def battle(
    invocation: Invocation,
    file: str,
    scenario: str | None,
    out: str,
    seed: str | None,
    dice: str,
    seats: tuple[str, ...],
    preset: str | None,
    options: tuple[str, ...],
    packs: tuple[str, ...],
    changed_rosters: bool,
    dry_run: bool,
) -> None:
    """Start the next battle of a campaign, on the board of its scenario or of another one with the same rosters.

    Everybody is rested; the dead are replaced or missing. The campaign file is left as it is until the battle is recorded.

    Example: rallypoint campaign battle frontier.campaign -o first.battle --seed 7 --seat blue=auto

    Example: rallypoint campaign battle frontier.campaign other-board.toml -o second.battle
    """
    campaign = opened(invocation, file)

    def agreed(read: Scenario, encounter: Encounter) -> tuple[Scenario, Encounter]:
        found = campaign.rules.changes(campaign.standing, encounter.state)
        if found and not changed_rosters:
            hint = "put the old rosters back; --changed-rosters takes new gear for the same units"
            raise InputError(
                "the rosters are not those that this campaign began with",
                path=read.path,
                found="; ".join(found),
                hint=hint,
            )
        made = campaign.rules.next_battle(campaign.standing, read, encounter)
        for each in found:
            warn(f"the rosters have changed: {each}")
        return made

    for each in begun_battles(campaign):
        write(f"Note: {each.words}; this begins it another time")
    where = scenario or str(campaign.path.parent / campaign.scenario)
    begun = Beginning(out, seed, dice, seats, preset, options, packs, dry_run)
    begin(invocation, where, begun, campaign.game, agreed, belonging(campaign))
    for line in force_lines(campaign):
        write(line)
    if not dry_run:
        write(f"When it is over: rallypoint campaign record {file} {out}")
