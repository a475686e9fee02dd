"""``rallypoint content``: looks at equipment that extends a game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import click

from .command_line import Invocation, PlainHelp
from .game_choice import GAME, chosen_game
from .muster import CONTENT, extended
from .numbers import shown_number
from .terminal import as_json, table, write

if TYPE_CHECKING:  # for --help the readers are not imported
    from rallypoint.content import Content, Item

__all__ = ["content"]


class _Commands(PlainHelp, click.Group):
    pass


@click.group(cls=_Commands)
def content() -> None:
    """Look at weapons, armour, bots and vehicles that extend a game.

    Example: rallypoint content check my-weapons.md
    """


@content.command(cls=PlainHelp)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--against", metavar="OLD", help="Say what changed since an older version of it.")
@click.option("--json", "in_json", is_flag=True, help="Print JSON: files, counts, items, what was left out and why.")
@GAME
@click.pass_obj
def check(invocation: Invocation, paths: tuple[str, ...], against: str | None, in_json: bool, game: str | None) -> int:
    """Say what is read of pages, packs or folders, what is not, and why.

    PATH is a page of equipment in Markdown, a pack in TOML, or a folder of them. Exit status: 0 if all is understood, 1 if
    something was left out or a sentence is not known, 2 if it cannot be read.

    Example: rallypoint content check my-weapons.md
    """
    from rallypoint.content import changes, read_content

    catalogue = chosen_game(invocation, game).catalogue()
    found = read_content(paths, catalogue)
    moved = None if against is None else changes(read_content([against], catalogue), found)
    if in_json:
        document = found.document()
        assert isinstance(document, Mapping)
        write(as_json(document if moved is None else {**document, "changes": moved}))
    else:
        for line in [*_lines(found), *(() if moved is None else _changes(moved))]:
            write(line)
    return 0 if found.complete else 1


def _lines(found: Content) -> Iterator[str]:
    rows = []
    for entry in found.entries:
        item = entry.item
        numbers = " ".join(f"{name} {'infinite' if n is None else n}" for name, n in item.numbers.items())
        rows.append((item.kind, item.title, numbers, ", ".join(item.traits)))
    yield from table(rows) if rows else ()
    yield ""
    yield ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in found.counts.items())
    yield from [f"left out: {each}" for each in found.left_out]
    yield from [f"not known, kept as text: {each}" for each in found.unknown]


def _changes(moved: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    yield "Since the older version: " + ", ".join(f"{len(names)} {name}" for name, names in moved.items())
    for name in ("changed", "added", "gone"):
        yield from [f"{name}: {each}" for each in moved[name]]


@content.command(cls=PlainHelp, name="list")
@CONTENT
@click.option("--json", "in_json", is_flag=True, help="Print JSON.")
@GAME
@click.pass_obj
def listing(invocation: Invocation, packs: tuple[str, ...], in_json: bool, game: str | None) -> None:
    """List all equipment of the game and of its plugins: classes, weapons, armour, bots, vehicles.

    Example: rallypoint content list --content my-weapons.md
    """
    from rallypoint.content.catalogue import KINDS

    catalogue = extended(chosen_game(invocation, game).catalogue(), packs)
    if in_json:
        write(as_json({kind: [_row(item) for item in catalogue.all(kind).values()] for kind in KINDS}))
        return
    for kind in KINDS:
        items, columns = list(catalogue.all(kind).values()), catalogue.columns.get(kind, ())
        rows = [
            (item.title, *[shown_number(item.numbers.get(name, "-")) for name in columns], ", ".join(item.traits))
            for item in items
        ]
        if rows:
            for line in (*table([(kind, *columns, "traits"), *rows]), ""):
                write(line)


def _row(item: Item) -> Mapping[str, object]:
    return {**item._asdict(), "numbers": dict(item.numbers)}


@content.command(cls=PlainHelp)
@GAME
@click.pass_obj
def schema(invocation: Invocation, game: str | None) -> None:
    """Print the JSON Schema of content packs.

    Example: rallypoint content schema
    """
    from rallypoint.content.content_pack import pack_schema

    write(as_json(pack_schema(chosen_game(invocation, game).catalogue())))
