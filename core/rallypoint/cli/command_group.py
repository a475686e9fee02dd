"""A group of commands, each in a module of its own that is imported when it runs."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

import click

from .command_line import PlainHelp, unknown

__all__ = ["ListedGroup"]


class ListedGroup(PlainHelp, click.Group):
    """The group.

    Args:
        listed: by name of a command ``module:attribute`` in this package, and what the help of the group says of it.
        settings: those of :class:`click.Group`.
    """

    def __init__(self, *, listed: Mapping[str, tuple[str, str]], **settings: object) -> None:
        super().__init__(**settings)  # type: ignore[arg-type]
        self.listed = listed

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of the list."""
        return list(self.listed)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in self.listed:
            return None
        module, _, attribute = self.listed[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(f"rallypoint.cli.{module}"), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is asked for.

        Raises:
            InputError: there is none of that name.
        """
        if args and args[0] not in self.listed:
            hint = f"rallypoint {self.name} --help lists them"
            raise unknown(f"there is no such command of a {self.name}", args[0], list(self.listed), hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.listed.items()])
