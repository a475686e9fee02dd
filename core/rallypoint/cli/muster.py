"""``rallypoint muster``: reads a roster and prints the force."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .command_line import Invocation, PlainHelp
from .game_choice import GAME, chosen_game
from .line_of_error import told_by_line
from .numbers import number_lines, numbers_of
from .terminal import as_json, counted, table, write

if TYPE_CHECKING:  # for --help the readers of rosters are not imported
    from rallypoint.content import Catalogue, Force, Unit

__all__ = ["CONTENT", "PLACEHOLDER_HELP", "extended", "muster", "remarks", "titles", "words_left"]

CONTENT = click.option(
    "--content", "packs", metavar="PATH", multiple=True, help="More equipment: a pack, a page or a folder; repeatable."
)
"""The option of every command that reads a roster."""
PLACEHOLDER_HELP = "Keep weapons of a missing pack by name, marked, instead of refusing the roster."
"""What ``--placeholder`` does, for every command that has it."""


@click.command(cls=PlainHelp)
@click.argument("file")
@click.option("--with-optional", is_flag=True, help="Take the optional squads too.")
@CONTENT
@click.option("--placeholder", is_flag=True, help=PLACEHOLDER_HELP)
@click.option("--against", metavar="OLD", help="Say what moved since an older roster or a saved muster --json.")
@click.option(
    "--scale", metavar="NAME", default="platoon", show_default=True, help="The size of force to check it for."
)
@click.option("--strict", is_flag=True, help="Exit with 1 if there are warnings.")
@click.option("--numbers", is_flag=True, help="Print the numbers of each unit, too, and of everything that they carry.")
@click.option("--json", "in_json", is_flag=True, help="Print JSON: platoon, squads, teams, units, numbers, equipment.")
@GAME
@click.pass_obj
def muster(
    invocation: Invocation,
    file: str,
    with_optional: bool,
    packs: tuple[str, ...],
    placeholder: bool,
    against: str | None,
    scale: str,
    strict: bool,
    numbers: bool,
    in_json: bool,
    game: str | None,
) -> int:
    """Read a roster and print the force with its uids.

    FILE is a platoon page in Markdown, or a roster in TOML, JSON or CSV. Nothing is written.

    Example: rallypoint muster my-platoon.md --with-optional

    Example: rallypoint muster my-platoon.md --numbers

    Example: rallypoint muster my-platoon.md --against last-week.toml
    """
    from rallypoint.content import moves, read_force

    chosen = chosen_game(invocation, game)
    catalogue = extended(chosen.catalogue(), packs, placeholder=placeholder)
    force = read_force(file, catalogue, with_optional=with_optional)
    found = None if against is None else moves(read_force(against, catalogue, with_optional=with_optional), force)
    with told_by_line(file, {"red.1": (file, force)}):
        brought = chosen.encounter(force)  # what no export would take is said here, where its line is known
    problems = getattr(chosen, "problems", None)
    if problems is not None:
        force = force._replace(remarks=(*force.remarks, *problems(force, scale=scale)))
    if in_json:
        document = force.document()
        assert isinstance(document, Mapping)
        moved: Mapping[str, object] = {} if found is None else {"moves": found.document()}
        write(as_json({**document, **numbers_of(brought), **moved}))
    else:
        more = number_lines(brought, catalogue.columns) if numbers else ()
        for line in [*_lines(force, titles(catalogue)), *more, *(() if found is None else found.lines())]:
            write(line)
    return int(strict and any(remark.severity in ("warning", "error") for remark in force.remarks))


def words_left(source: str | Path, target: str | Path) -> Iterator[str]:
    """Yield a line where a roster has words that no other file gets: prose of a page, comments of a TOML file.

    Args:
        source: the roster that was read.
        target: the file that is written of it.
    """
    from rallypoint.content import form_of, read_text
    from rallypoint.content.markdown import blocks

    form, text = form_of(source), read_text(source)
    if form == "markdown":
        number, what = sum(block.kind in ("prose", "comment", "hidden") for block in blocks(text)), "paragraphs"
    else:
        comments = [line for line in text.splitlines() if line.lstrip().startswith("#")]
        number, what = len(comments) if form == "toml" else 0, "comments"
    if number:
        yield f"note: {source} has words besides the roster ({what}: {number}); they are not in {target}, which is in our own form"


def extended(catalogue: Catalogue, packs: tuple[str, ...], *, placeholder: bool = False) -> Catalogue:
    """Return the game's catalogue with the equipment of content packs; with ``placeholder`` it takes unknown weapons by name.

    Raises:
        InputError: a pack cannot be understood, or gives something that is there already.
    """
    if packs:
        from rallypoint.content import read_content

        catalogue = read_content(packs, catalogue).extended(catalogue)
    if placeholder:
        from rallypoint.content.stand_ins import with_stand_ins

        catalogue = with_stand_ins(catalogue)
    return catalogue


def titles(catalogue: Catalogue) -> Mapping[str, str]:
    """Return what people call each item, by its key."""
    tables = (catalogue.classes, catalogue.weapons, catalogue.armor, catalogue.bots, catalogue.vehicles)
    return {key: item.title for each in tables for key, item in each.items()}


def _lines(force: Force, names: Mapping[str, str]) -> Iterator[str]:
    yield f"{force.title}  ({force.key})"
    rows: list[tuple[str, ...]] = []
    for squad in force.platoon.squads:
        optional = " (optional)" if squad.optional else ""
        if squad.number is not None:
            rows.append((f"Squad {squad.number} {squad.title}".rstrip() + optional, "", ""))
        for team in squad.teams:
            vehicle = "" if team.vehicle is None else names.get(team.vehicle, team.vehicle)
            rows += [(f"  {team.title}", vehicle, "")] if team.letter else []
            rows += [(f"    {unit.uid}", unit.kind, _gear(unit, names)) for unit in team.units]
    yield from table(rows) if rows else ()
    yield ""
    yield counted(force.counts)
    if force.platoon.stress:
        yield f"Stress {force.platoon.stress}"
    yield from remarks(force)


def _gear(unit: Unit, names: Mapping[str, str]) -> str:
    worn = unit.weapons if unit.wears is None else (unit.wears, *unit.weapons)
    words = [names.get(key, key) for key in worn] + [f"{name} {value}" for name, value in unit.stats.items()]
    gear = ", ".join(words) + (f", {unit.wounds} Wound{'' if unit.wounds == 1 else 's'}" if unit.wounds else "")
    return gear if unit.name is None else f"{gear}  ({unit.name})"


def remarks(force: Force) -> Iterator[str]:
    """Yield a line for everything that was read differently than it was written, left out, or against a rule."""
    for remark in force.remarks:
        yield f"{remark.severity}: {remark}"
