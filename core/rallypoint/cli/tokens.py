"""``rallypoint tokens``: counters for stands and figures, as pictures and as a sheet for print."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from rallypoint.kernel.errors import InputError

from .command_line import Invocation, PlainHelp
from .earlier_export import left_alone_lines
from .game_choice import GAME, chosen_game
from .muster import CONTENT
from .scenario import brought_by
from .terminal import write
from .writing import check_names, left_alone, write_files

__all__ = ["tokens"]


@click.command(cls=PlainHelp)
@click.argument("file")
@click.option("-o", "--out", metavar="FOLDER", help="Where the pictures go; made if need be.")
@click.option("--png", "as_png", is_flag=True, help="PNG too, not SVG alone.")
@click.option("--pixels", type=click.IntRange(32, 4096), default=280, show_default=True, help="Width of a PNG.")
@click.option("--sheet", is_flag=True, help="Also all counters on pages for print, with cutting marks.")
@click.option("--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True, help="For the sheet.")
@click.option(
    "--figure-mm", type=click.FloatRange(8, 40), default=10, show_default=True, help="Diameter of a figure's counter."
)
@CONTENT
@click.option("--with-optional", is_flag=True, help="Take the optional squads of a roster too.")
@click.option("--side", type=click.Choice(["red", "blue"]), default="red", show_default=True, help="For a roster.")
@click.option("--dry-run", is_flag=True, help="Print what would be written, and write nothing.")
@GAME
@click.pass_obj
def tokens(
    invocation: Invocation,
    file: str,
    out: str | None,
    as_png: bool,
    pixels: int,
    sheet: bool,
    paper: str,
    figure_mm: float,
    packs: tuple[str, ...],
    with_optional: bool,
    side: str,
    dry_run: bool,
    game: str | None,
) -> None:
    """Draw a counter for each stand and each unit of a roster or a scenario.

    Example: rallypoint tokens my-platoon.md -o tokens --png --sheet
    """
    from rallypoint.paper.counter_sheet import counter_sheet
    from rallypoint.paper.counters import counters, file_name

    if out is None and not dry_run:
        raise InputError("the counters need a folder", expected="-o FOLDER", hint="--dry-run needs none")
    brought = brought_by(chosen_game(invocation, game), file, side=side, with_optional=with_optional, packs=packs)
    encounter = brought.encounter
    made = list(counters(encounter, figure_mm=figure_mm))
    if not made:
        raise InputError("there is nobody to draw", path=file, found="no units")
    files = {file_name(each, "svg"): each.svg().encode() for each in made}
    if as_png:
        from rallypoint.paper.png import png

        files |= {file_name(each, "png"): png(each.svg(), pixels) for each in made}
    if sheet:
        files[f"counters-{paper}.html"] = counter_sheet(made, encounter.title, paper).encode()
    check_names("tokens", files)
    kinds = Counter(each.kind for each in made)
    folder = None if out is None else Path(out)
    others = [] if folder is None else left_alone(folder, files)
    if folder is not None and not dry_run:
        write_files(folder, files)
    where = "" if folder is None else f" in {folder}"
    write(f"{'Would write' if dry_run else 'Wrote'} {len(files)} files{where}.")
    for name in files if dry_run else ():
        write(f"  {name}  ({len(files[name])} bytes)")
    for line in () if folder is None else left_alone_lines(folder, others, "this command"):
        write(line)
    write(f"Counters: {kinds['stand']} of stands, {kinds['unit']} of units")
    if sheet and folder is not None and not dry_run:
        write(f"Next: open {folder / f'counters-{paper}.html'} in a browser and print it at 100 %.")
