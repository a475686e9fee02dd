"""A group of commands with one for each format that a plugin brings: what ``export`` and ``import`` have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import click

from .command_line import Invocation, PlainHelp, invocation, unknown
from .index import IndexedPlugin
from .switched_off import switched_off

__all__ = ["FormatGroup"]


class FormatGroup(PlainHelp, click.Group):
    """Lists the formats from the index, and says of one that is not there whether it is only switched off."""

    @abstractmethod
    def formats(self, invocation: Invocation) -> Sequence[str]:
        """Return the names of the formats that are on, in order."""

    @abstractmethod
    def command_of(self, invocation: Invocation, name: str) -> click.Command | None:
        """Return the command of a format, ``None`` where there is none of that name."""

    @abstractmethod
    def brought_by(self, plugin: IndexedPlugin) -> Sequence[str]:
        """Return the names of the formats that a plugin brings."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: D102 - click's
        return list(self.formats(invocation(ctx)))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: D102 - click's
        return self.command_of(invocation(ctx), cmd_name)

    def resolve_command(  # noqa: D102 - click's
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args and args[0] not in known:
            off = switched_off(
                invocation(ctx).switches, "format", args[0], lambda plugin: list(self.brought_by(plugin))
            )
            if off is not None:
                raise off
            hint = f"the formats are {', '.join(known)}" if known else "rallypoint plugins says what is there"
            raise unknown("there is no such format", args[0], known, hint)
        return super().resolve_command(ctx, args)
