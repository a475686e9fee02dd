"""``rallypoint demo``: the example platoon, exported to every VTT that is there."""

from __future__ import annotations

from pathlib import Path

import click

import rallypoint.content
from rallypoint.kernel.errors import InputError

from .command_line import Invocation, PlainHelp
from .earlier_export import left_alone_lines
from .export import formats, made_by
from .game_choice import GAME, chosen_game
from .muster import remarks
from .scenario import brought_by
from .terminal import counted, program, write
from .writing import left_alone, write_files

__all__ = ["demo", "example_roster"]

_ROSTER = "starter-platoon.md"


def example_roster() -> Path:
    """Return the example platoon: in an installed package it lies in it, in a checkout among the examples.

    Raises:
        InputError: it is in neither place.
    """
    package = Path(rallypoint.content.__file__).parent
    for folder in (package, package.parents[2] / "examples" / "rosters"):
        if (folder / _ROSTER).is_file():
            return folder / _ROSTER
    raise InputError("the example platoon is not there", path=str(package / _ROSTER), hint="install rallypoint again")


@click.command(cls=PlainHelp)
@click.option("-o", "--out", metavar="FOLDER", default="rallypoint-demo", show_default=True, help="Where to write.")
@click.option("--force", "over", is_flag=True, help="Put the example back where its roster was changed.")
@GAME
@click.pass_obj
def demo(invocation: Invocation, out: str, over: bool, game: str | None) -> None:
    """Export an example platoon to every VTT: the quickest way to see what this does.

    A roster there that was changed since the last demo is kept, and exported as it is.

    Example: rallypoint demo -o demo-files
    """
    chosen = chosen_game(invocation, game)
    folder = Path(out)
    example = example_roster()
    own = folder / _ROSTER
    changed = not over and own.is_file() and own.read_bytes() != example.read_bytes()
    roster = own if changed else example
    brought = brought_by(chosen, str(roster), side="red", with_optional=False)
    encounter, (force,) = brought.encounter, brought.forces
    found = formats(invocation)
    made = {name: made_by(each, encounter, {}) for name, each in found.items()}
    files = {_ROSTER: roster.read_bytes()}  # a changed one is written as it was
    for name, export in made.items():
        files.update({f"{name}/{path}": content for path, content in export.files.items()})
    others = left_alone(folder, files)
    write_files(folder, files)
    write(f"Mustered {force.title}: {counted(force.counts)}.")
    for line in remarks(force):
        write(f"  {line}")
    if changed:
        write(
            f"Its roster is {own}: you changed it, so it was kept, and exported as it is; --force puts the example back."
        )
    else:
        write(f"Its roster is {own}: change it and run the demo again, or begin one of your own as said below.")
    for line in left_alone_lines(folder, others, "the demo"):
        write(line)
    for name, export in made.items():
        write()
        write(f"{name}: {len(export.files)} file{'' if len(export.files) == 1 else 's'} in {folder / name}")
        for line in [*[f"left out: {each}" for each in export.left_out], *[f"note: {each}" for each in export.notes]]:
            write(f"  {line}")
        for number, step in enumerate(export.steps_in(str(folder / name)), 1):
            write(f"  {number}. {step}")
    write()
    if not made:
        write(f"No VTT is installed and on: {program()} plugins says why.")
        return
    write("Next, a platoon of your own: copy the roster to my-platoon.md, change it, then:")
    write(f"  {program()} muster my-platoon.md")
    for name in made:
        write(f"  {program()} export {name} my-platoon.md -o my-{name}")
