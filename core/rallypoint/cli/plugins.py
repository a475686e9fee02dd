"""``rallypoint plugins`` and ``rallypoint plugin``: what is there, and switching it off and on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import click

from rallypoint.kernel.errors import InputError
from rallypoint.kernel.plugins.clashes import clashes
from rallypoint.kernel.plugins.discovery import Found, discover
from rallypoint.kernel.plugins.loading import Row, listed, load

from .command_line import OWN_COMMANDS, Invocation, PlainHelp, unknown
from .disabled import change_disabled, disabled_file
from .failures import Failure, forget, known_failures
from .game_choice import chosen_game
from .game_with_plugins import GameWithPlugins
from .index import read_index
from .terminal import as_json, coloured, table, visible, width, write

__all__ = ["plugin", "plugins"]

_COLOURS = {"on": "green", "off": "dim", "broken": "red", "incompatible": "yellow"}


@click.command(cls=PlainHelp)
@click.option("--json", "in_json", is_flag=True, help="Print JSON.")
@click.option("--no-import", is_flag=True, help="Read the manifests only; import no plugin.")
@click.option("--strict-plugins", is_flag=True, help="Exit with 1 if a plugin is broken.")
@click.pass_obj
def plugins(invocation: Invocation, in_json: bool, no_import: bool, strict_plugins: bool) -> int:
    """List the plugins, broken ones too, with the reason.

    Each plugin that is on is imported alone; whatever happens then is a line in the list. Under it stands what it decides and
    brings: rulings, sets of rules, files of equipment, commands, formats.

    Example: rallypoint plugins --no-import
    """
    found = discover().found
    switches = invocation.switches
    rows = listed(found, switches) if no_import else load(found, switches, everything=True).rows
    rows = rows if no_import else _with_equipment(invocation, rows)
    failures = known_failures()
    rows = tuple([_with_failure(row._replace(warnings=(*row.warnings, *_taken(row, found))), failures) for row in rows])
    on = {row.name for row in rows if row.state == "on"}
    clashing = [str(error) for error in clashes([each.manifest for each in found if each.name in on and each.manifest])]
    if in_json:
        write(as_json({"plugins": [_document(row, not no_import) for row in rows], "clashes": clashing}))
    else:
        for line in _lines(rows, clashing):
            write(line, is_coloured=True)
    broken = any(row.state in ("broken", "incompatible") for row in rows)
    return 1 if broken and (strict_plugins or invocation.strict) else 0


def _with_equipment(invocation: Invocation, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """Read the equipment that plugins bring: one whose files cannot be read is broken."""
    broken: dict[str, str] = {}
    for each in invocation.plugins():
        if each.rosters and any(row.name == each.name and row.state == "on" for row in rows):
            game = chosen_game(invocation, each.name)
            broken |= game.broken() if isinstance(game, GameWithPlugins) else {}
    return tuple(
        [
            row._replace(state="broken", reason=broken[row.name], order=None)
            if row.state == "on" and row.name in broken
            else row
            for row in rows
        ]
    )


def _with_failure(row: Row, failures: Mapping[str, Failure]) -> Row:
    """Give a plugin that is on the reason why it failed when it was called last."""
    failure = failures.get(row.name)
    return row if failure is None or row.state != "on" or row.reason else row._replace(reason=str(failure))


def _taken(row: Row, found: tuple[Found, ...]) -> Iterator[str]:
    """Yield a warning for each command or format whose name another one has."""
    owners: dict[str, str] = {f"command {name}": "rallypoint" for name in OWN_COMMANDS}
    for each in found:
        if each.manifest is None:
            continue
        names = [f"command {command.name}" for command in each.manifest.commands]
        names += [f"format {exporter.name}" for exporter in each.manifest.exporters]
        for name in names:
            owner = owners.setdefault(name, each.name)
            if each.name == row.name and owner != each.name:
                yield f"its {name} cannot be reached: {owner} has one of that name"


def _document(row: Row, checked: bool) -> Mapping[str, object]:
    document = row._asdict()
    seconds = document.pop("seconds")
    milliseconds = None if seconds is None else round(1000 * seconds, 1)
    return {**document, "checked": checked and seconds is not None, "load_milliseconds": milliseconds}


def _lines(rows: tuple[Row, ...], clashing: list[str]) -> Iterator[str]:
    if not rows:
        yield "No plugins are installed."
    else:
        cells: list[tuple[str, ...]] = [("order", "plugin", "version", "state", "needs", "load")]
        cells += [_cells(row) for row in rows]
        head, *body = table(cells)
        yield head
        for row, line in zip(rows, body, strict=True):
            line = visible(line)
            yield line.replace(f"  {row.state} ", f"  {coloured(row.state, _COLOURS[row.state])} ", 1)
            yield from [visible(f"       {reason}") for reason in row.reason.split(" | ") if reason]
            yield from [visible(line) for what, names in _brought(row) if names for line in _wrapped(what, names)]
            yield from [visible(f"       warning: {warning}") for warning in row.warnings]
    yield from [visible(f"clash: {line}") for line in clashing]


def _brought(row: Row) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what a plugin touches, decides and brings, by kind."""
    yield "hooks", row.hooks
    yield "rules", row.rules
    yield "decides", row.decides
    yield "rulings", row.rulings
    yield "sets of rules", row.sets_of_rules
    yield "content", row.content
    yield "commands", row.commands
    yield "formats", row.formats


def _wrapped(what: str, names: tuple[str, ...]) -> Iterator[str]:
    """Yield a list with a name before it, in lines that fit the terminal."""
    line = f"       {what}:"
    for number, name in enumerate(names, 1):
        word = f" {name}" + ("" if number == len(names) else ",")
        if len(line) + len(word) > width() and not line.endswith(":"):
            yield line
            line = "        "
        line += word
    yield line


def _cells(row: Row) -> tuple[str, ...]:
    return (
        "-" if row.order is None else str(row.order),
        row.name,
        f"{row.distribution} {row.version}".strip() or "-",
        row.state,
        ", ".join(row.needs) or "-",
        "-" if row.seconds is None else f"{1000 * row.seconds:.1f} ms",
    )


class _Group(PlainHelp, click.Group):
    """A group whose help is plain."""


@click.group(cls=_Group)
def plugin() -> None:
    """Enable or disable a plugin; a game or a VTT is one, too.

    Example: rallypoint plugin disable owlbear
    """


@plugin.command(cls=PlainHelp)
@click.argument("name")
def disable(name: str) -> None:
    """Switch a plugin off until it is enabled again, wherever you run rallypoint; it is not imported.

    For one run alone: rallypoint -p no:owlbear muster my-platoon.md

    Example: rallypoint plugin disable owlbear
    """

    def with_name(stored: frozenset[str]) -> frozenset[str]:
        if name not in stored:
            _known(name)
        return stored | {name}

    if change_disabled(with_name):
        write(f"{name} is disabled; rallypoint plugin enable {name} takes it back")
        write(f"It is off for you wherever you run rallypoint: the list is {disabled_file()}")
    else:
        write(f"{name} is already disabled")


@plugin.command(cls=PlainHelp)
@click.argument("name")
def enable(name: str) -> None:
    """Switch a disabled plugin on again.

    Example: rallypoint plugin enable owlbear
    """

    def without_name(stored: frozenset[str]) -> frozenset[str]:
        if name not in stored:
            _known(name)
        return stored - {name}

    changed = change_disabled(without_name)
    forget(name)
    write(f"{name} is enabled" if changed else f"{name} is already enabled")


def _known(name: str) -> None:
    names = [each.name for each in read_index()]
    if name not in names:
        hint = f"the plugins are {', '.join(names)}" if names else "no plugins are installed"
        error: InputError = unknown("there is no such plugin", name, names, hint)
        raise error
