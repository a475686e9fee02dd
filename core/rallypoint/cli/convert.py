"""``rallypoint convert``: writes a roster in another form."""

from __future__ import annotations

from pathlib import Path

import click

from rallypoint.kernel.errors import InputError

from .command_line import Invocation, PlainHelp
from .game_choice import chosen_game
from .muster import CONTENT, extended, remarks, words_left
from .terminal import complain, counted, preview, write
from .writing import write_files

__all__ = ["convert"]


@click.command(cls=PlainHelp)
@click.argument("file")
@click.option("-o", "--out", metavar="FILE", help="Where to write; its suffix says the form: .md .toml .json .csv.")
@click.option("--with-optional", is_flag=True, help="Take the optional squads too (they are written in any case).")
@CONTENT
@click.option("--against", metavar="OLD", help="An older roster: nobody gets the uid of somebody in it who is gone.")
@click.option("--force", "over", is_flag=True, help="Write over a file that is there.")
@click.option("--dry-run", is_flag=True, help="Print what would be written, and write nothing.")
@click.option("--game", metavar="NAME", help="The game, if more than one is installed.")
@click.pass_obj
def convert(
    invocation: Invocation,
    file: str,
    out: str | None,
    with_optional: bool,
    packs: tuple[str, ...],
    against: str | None,
    over: bool,
    dry_run: bool,
    game: str | None,
) -> None:
    """Write a roster in another form; nothing that it says is lost.

    In TOML, JSON and CSV every unit has its uid, so that it keeps it wherever it moves to.

    Example: rallypoint convert my-platoon.md -o my-platoon.toml
    """
    from rallypoint.content import form_of, parse_force, read_force, same_force, with_frozen_uids, write_force

    if out is None:
        raise InputError("where to", expected="-o FILE", hint="its suffix says the form: .md, .toml, .json or .csv")
    form = form_of(out, "written")
    catalogue = extended(chosen_game(invocation, game).catalogue(), packs)
    force = read_force(file, catalogue, with_optional=with_optional)
    if against is not None:
        force = with_frozen_uids(read_force(against, catalogue, with_optional=with_optional), force)
    text = write_force(force, form, catalogue)
    again = parse_force(text, form, catalogue, path=out, title=Path(out).stem, with_optional=with_optional)
    if same_force(again) != same_force(force):
        raise InputError("this roster would not be the same in that form", path=file, found=form, hint="use .json")
    for line in [*remarks(force), *words_left(file, out)]:
        complain(line)
    if dry_run:
        preview(text)
        return
    target = Path(out)
    if target.exists() and not over:
        raise InputError("this file is there already", path=out, hint="choose another name, or --force to replace it")
    write_files(target.parent, {target.name: text.encode()}, through_links=True)
    write(f"Wrote {out}: {counted(force.counts)}")
