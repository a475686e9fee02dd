"""What the live commands say: lines, JSON, progress on standard error, and failures with a code."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import click

from rallypoint.kernel.errors import RallypointError

__all__ = ["LiveCommand", "as_json", "complain", "progress", "say"]

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]")

_Item = TypeVar("_Item")


def _visible(text: str) -> str:
    r"""Return a text whose control characters cannot steer the terminal; names come from the world.

    >>> _visible("Ra\x1b[31mven")
    'Ra\\u001b[31mven'
    """
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def say(text: str) -> None:
    """Write a line to standard output."""
    sys.stdout.write(f"{_visible(text)}\n")


def complain(text: str) -> None:
    """Write a line to standard error."""
    sys.stderr.write(f"{_visible(text)}\n")
    sys.stderr.flush()


def as_json(value: object) -> str:
    """Return readable JSON, in plain signs where the output has no others.

    >>> print(as_json({"units": (1, 2)}))
    {
      "units": [
        1,
        2
      ]
    }
    """
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "")
    return json.dumps(value, indent=2, ensure_ascii=encoding != "utf8", default=_plain)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, frozenset | set):
        return sorted(value)
    return str(value)


def progress(items: Sequence[_Item], what: str) -> Iterator[_Item]:
    """Yield the items; after a second of work say on standard error how far it is, then each second."""
    told = time.monotonic()
    for number, item in enumerate(items, 1):
        yield item
        if time.monotonic() - told >= 1.0:
            told = time.monotonic()
            complain(f"{what}: {number} of {len(items)}")


def failure_value(error: RallypointError) -> Mapping[str, object]:
    """Return a failure for ``--json``."""
    code = getattr(error, "code", "bad_input" if error.exit_status == 2 else "failed")
    return {"error": str(error), "code": code, "hint": error.hint}


def table(rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the rows as lines with aligned columns.

    >>> table([("a", "bcd"), ("fg", "h")])
    ['a   bcd', 'fg  h']
    """
    rows = list(rows)
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


class LiveCommand(click.Command):
    """A command that says its failures as JSON where ``--json`` was asked for."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read what was typed; what is wrong with that is said in JSON too."""
        in_json = "--json" in args
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            if not in_json:
                raise
            path = info_name if error.ctx is None else error.ctx.command_path
            say(as_json({"error": error.format_message(), "code": "usage", "hint": f"{path} --help"}))
            raise click.exceptions.Exit(error.exit_code) from None

    def invoke(self, ctx: click.Context) -> object:
        """Run it; a failure in JSON goes to standard output, and its exit status is returned."""
        try:
            return super().invoke(ctx)
        except RallypointError as error:
            if not ctx.params.get("in_json"):
                raise
            say(as_json(failure_value(error)))
            return error.exit_status
