"""``rallypoint campaign``: the commands of a series of battles; each is imported when it runs."""

from __future__ import annotations

import click

from .command_group import ListedGroup

__all__ = ["campaign"]

COMMANDS = {
    "new": ("campaign_new:new", "Begin a campaign with the forces of a scenario, in a new campaign file."),
    "show": ("campaign_show:show", "Show how a campaign stands: battles, wins, who is left, who is in reserve."),
    "battle": ("campaign_new:battle", "Start its next battle: everybody rested, the dead replaced or missing."),
    "record": ("campaign_record:record", "Take in how a battle ended."),
    "replace": ("campaign_record:replace", "Let somebody from the Reserve take the place of a dead unit."),
    "concede": ("campaign_record:concede", "Let a side give up the campaign."),
    "forget": ("campaign_record:forget", "Take back what was taken in last."),
}
"""The commands: ``module:attribute`` in this package, and what the help of the group says of them."""


@click.group(cls=ListedGroup, listed=COMMANDS)
def campaign() -> None:
    """Fight a campaign: a series of battles between the same forces. A campaign is one file beside its battle files.

    Example: rallypoint campaign new first-fight.toml -o frontier.campaign --wins 2

    Example: rallypoint campaign battle frontier.campaign -o first.battle --seat blue=auto

    Example: rallypoint campaign record frontier.campaign first.battle
    """
