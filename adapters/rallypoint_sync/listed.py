"""A group of commands of an adapter, each in a module that is imported when it runs."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from rallypoint.kernel.errors import InputError

__all__ = ["ListedGroup"]


class ListedGroup(click.Group):
    """A group whose commands are imported when they run.

    Args:
        listed: by name where each is (``module:attribute``), and what the help of the group says of it.
    """

    def __init__(self, *given: Any, listed: Mapping[str, tuple[str, str]], **more: Any) -> None:
        super().__init__(*given, **more)
        self.listed = listed

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the list."""
        return list(self.listed)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command and return it."""
        if cmd_name not in self.listed:
            return None
        module, _, attribute = self.listed[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is meant.

        Raises:
            InputError: there is none of this name.
        """
        if args and args[0] not in self.listed:
            from difflib import get_close_matches

            near = get_close_matches(args[0], self.listed, 1)
            hint = f"did you mean {near[0]}?" if near else f"rallypoint {self.name} --help lists them"
            raise InputError(f"there is no such command of {self.name}", found=args[0], hint=hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.listed.items()])
