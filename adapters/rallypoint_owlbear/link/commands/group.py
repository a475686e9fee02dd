"""The group ``rallypoint owlbear``: a list of commands, each in a module of its own."""

from __future__ import annotations

from collections.abc import Mapping

import click

from rallypoint_sync.listed import ListedGroup

__all__ = ["COMMANDS", "owlbear"]

_HERE = "rallypoint_owlbear.link.commands"

COMMANDS: Mapping[str, tuple[str, str]] = {
    "serve": (f"{_HERE}.serve:serve", "Serve our extension and the link to it, until Ctrl-C."),
    "place": (f"{_HERE}.place:place", "Put the tokens of an export into the open scene, or into a new one."),
    "pictures": (f"{_HERE}.pictures:pictures", "Offer pictures of tokens to the GM's library."),
    "bind": (f"{_HERE}.bind:bind", "Find out which tokens stand for whom of the battle."),
    "plan": (f"{_HERE}.battle:plan", "Say what a sync would do, and do nothing."),
    "sync": (f"{_HERE}.battle:sync", "Bring the battle and the open scene into step, once."),
    "watch": (f"{_HERE}.battle:watch", "Keep the battle and the scene in step until Ctrl-C."),
    "conflicts": (f"{_HERE}.battle:conflicts", "List what disagrees, and say what holds."),
    "status": (f"{_HERE}.status:status", "Say how things stand: link, scene, what is bound."),
    "revert": (f"{_HERE}.battle:revert", "Give the room back what it showed before the last sync, and pause."),
    "pause": (f"{_HERE}.battle:pause", "Send and take nothing until resume."),
    "resume": (f"{_HERE}.battle:resume", "Go on after pause."),
    "unbind": (f"{_HERE}.bind:unbind", "Forget what is bound; nothing in the room is changed."),
}
"""The commands: where each is, and what the help of the group says of it."""


@click.group(cls=ListedGroup, listed=COMMANDS)
def owlbear() -> None:
    """Keep a battle and a room of Owlbear Rodeo in step, through our extension in the GM's browser.

    First serve in a terminal of its own and pair the extension, then place or bind, then sync or watch.

    Example: rallypoint owlbear serve
    """
