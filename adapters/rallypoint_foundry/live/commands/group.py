"""The group ``rallypoint foundry``: a list of commands, each in a module of its own."""

from __future__ import annotations

from collections.abc import Mapping

import click

from rallypoint_sync.listed import ListedGroup

__all__ = ["COMMANDS", "foundry"]

_HERE = "rallypoint_foundry.live.commands"

COMMANDS: Mapping[str, tuple[str, str]] = {
    "connect": (f"{_HERE}.connect:connect", "Find the relay and the world, and remember them for a battle."),
    "bind": (f"{_HERE}.bind:bind", "Find out which actors of the world stand for whom of the battle."),
    "push": (f"{_HERE}.push:push", "Make the actors, the scene and the tokens of an export in the world."),
    "pull": (f"{_HERE}.pull:pull", "Make a roster of actors that are in the world."),
    "plan": (f"{_HERE}.sync:plan", "Say what a sync would do, and do nothing."),
    "sync": (f"{_HERE}.sync:sync", "Bring the battle and the world into step, once."),
    "watch": (f"{_HERE}.watch:watch", "Keep the battle and the world in step until Ctrl-C."),
    "encounter": (f"{_HERE}.encounter:encounter", "Start an encounter in the world, and keep its marks."),
    "conflicts": (f"{_HERE}.conflicts:conflicts", "List what disagrees, and say what holds."),
    "status": (f"{_HERE}.status:status", "Say how things stand: world, requests, what changed since."),
    "revert": (f"{_HERE}.sync:revert", "Give the world back what it showed before the last sync, and pause."),
    "pause": (f"{_HERE}.sync:pause", "Send and take nothing until resume."),
    "resume": (f"{_HERE}.sync:resume", "Go on after pause."),
    "unbind": (f"{_HERE}.bind:unbind", "Forget what is bound; nothing in the world is changed."),
    "fake": (
        "rallypoint_foundry.fake.command:fake",
        "Run a fake relay with a fake world, to try all this without Foundry.",
    ),
}
"""The commands: where each is, and what the help of the group says of it."""


@click.group(cls=ListedGroup, listed=COMMANDS)
def foundry() -> None:
    """Keep a battle and a Foundry world in step, over a relay.

    First connect, then push (or bind, where the actors are there already), then sync or watch.

    Example: rallypoint foundry connect first.battle --relay http://localhost:3010
    """
