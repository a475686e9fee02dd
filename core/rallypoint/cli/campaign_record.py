"""``rallypoint campaign record``, ``replace``, ``concede`` and ``forget``: what changes a campaign between its battles."""

from __future__ import annotations

import click

from rallypoint.kernel.errors import InputError

from .battle_table import Record
from .campaign_file import CampaignFile, Standing, opened, placed, saved
from .campaign_show import fought_lines, next_line, wins_line
from .command_line import Invocation, PlainHelp
from .terminal import write

__all__ = ["concede", "forget", "record", "replace"]

DRY = click.option("--dry-run", is_flag=True, help="Say what would be done, and write nothing.")


def _kept(file: CampaignFile, standing: Standing, dry: bool) -> CampaignFile:
    """Write a campaign as it stands now, and return it."""
    changed = file._replace(standing=standing)
    saved(changed, dry=dry)
    return changed


@click.command(cls=PlainHelp)
@click.argument("file")
@click.argument("battle")
@click.option("--unverified", is_flag=True, help="Take it as its log says, without running the rules again.")
@DRY
@click.pass_obj
def record(invocation: Invocation, file: str, battle: str, unverified: bool, dry_run: bool) -> None:
    """Take a battle that is over into its campaign: who won, who is dead, who comes again.

    The rules are run again along its log first; a battle that comes out otherwise is refused.

    Example: rallypoint campaign record frontier.campaign first.battle
    """
    campaign = opened(invocation, file)
    with Record(invocation, battle) as played:
        if played.game_name != campaign.game:
            raise InputError("a battle of another game", path=battle, found=played.game_name, expected=campaign.game)
        standing = campaign.rules.after(campaign.standing, played.history.state, placed(campaign.path, battle))
        if not unverified:
            _verify(invocation, played)
    changed = _kept(campaign, standing, dry_run)
    number = len(standing.fought)
    write(f"{'Would record' if dry_run else 'Recorded'} {battle} as battle {number} of {campaign.title}.")
    for line in (*fought_lines(changed, number), wins_line(changed)):
        write(line)
    if not dry_run:
        write(next_line(changed))


def _verify(invocation: Invocation, played: Record) -> None:
    """Run the rules again along the log of a battle.

    Raises:
        InputError: they give anything else.
    """
    from rallypoint.kernel.errors import ReplayError
    from rallypoint.kernel.replay import replay

    from .battle_game import playing

    rules = playing(invocation, played.game_name, played.options)
    try:
        replay(played.entries, rules.game, rules.plugins)
    except ReplayError as error:
        hint = "nothing was recorded; --unverified takes it as its log says"
        raise InputError("this battle does not verify", path=played.path, found=error, hint=hint) from None


@click.command(cls=PlainHelp)
@click.argument("file")
@click.argument("choices", metavar="[SLOT[=PERSON]]...", nargs=-1)
@DRY
@click.pass_obj
def replace(invocation: Invocation, file: str, choices: tuple[str, ...], dry_run: bool) -> None:
    """Let people from the Reserve take the places of the dead: all of them, or the slots that are named.

    Who is not named is somebody with the slot's own class and gear. A slot is meant by its code, a person by the code of the
    slot whose class and gear he has. Slots that nobody takes are missing from the next battle.

    Example: rallypoint campaign replace frontier.campaign

    Example: rallypoint campaign replace frontier.campaign R-1A-1 R-1A-2=R-1B-1
    """
    campaign = opened(invocation, file)
    wanted: dict[str, str | None] = {}
    for each in choices:
        slot, sign, person = each.partition("=")
        if campaign.slot(slot) in wanted or not slot or (sign and not person):
            raise InputError("each slot is named once", found=each, expected="R-1A-2, or R-1A-2=R-1B-1")
        wanted[campaign.slot(slot)] = campaign.person(person) if sign else None
    try:
        standing = campaign.rules.replaced(campaign.standing, wanted if choices else None)
    except InputError as error:
        raise campaign.in_codes(error) from None
    changed = _kept(campaign, standing, dry_run)
    taken = [slot for slot, uid in standing.holders.items() if uid != campaign.standing.holders[slot]]
    for slot in taken:
        held = standing.holders[slot]
        write(f"{campaign.name(slot)}: {campaign.name(str(held))}{' would come' if dry_run else ' comes'}.")
    empty = [campaign.name(slot) for slot, uid in standing.holders.items() if uid is None]
    if not taken:
        write("Nobody is replaced: " + ("nobody in reserve fits." if empty else "no slot is empty."))
    if empty:
        write(f"Empty: {', '.join(empty)}")
    if not dry_run:
        write(next_line(changed, replaced=True))


@click.command(cls=PlainHelp)
@click.argument("file")
@click.argument("side")
@DRY
@click.pass_obj
def concede(invocation: Invocation, file: str, side: str, dry_run: bool) -> None:
    """Let a side give up the campaign: the other one has won it.

    Example: rallypoint campaign concede frontier.campaign blue
    """
    campaign = opened(invocation, file)
    changed = _kept(campaign, campaign.rules.concede(campaign.standing, side), dry_run)
    write(f"{campaign.name(side)} {'would give' if dry_run else 'gives'} up.")
    write(next_line(changed))


@click.command(cls=PlainHelp)
@click.argument("file")
@DRY
@click.pass_obj
def forget(invocation: Invocation, file: str, dry_run: bool) -> None:
    """Take back what was taken in last: a side's giving up, or else the last battle with the replacements after it.

    Example: rallypoint campaign forget frontier.campaign
    """
    campaign = opened(invocation, file)
    old = campaign.standing
    changed = _kept(campaign, campaign.rules.forgotten(old), dry_run)
    what = f"that {campaign.name(old.conceded)} gave up" if old.conceded else f"battle {len(old.fought)}"
    write(f"{'Would forget' if dry_run else 'Forgot'} {what}.")
    for line in (wins_line(changed), *([] if dry_run else [next_line(changed)])):
        write(line)
