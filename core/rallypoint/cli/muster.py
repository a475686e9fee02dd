"""``rallypoint muster``: reads a roster and prints the force."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import click

from .command_line import Invocation, PlainHelp
from .game_choice import chosen_game
from .terminal import as_json, table, write

if TYPE_CHECKING:  # for --help the readers of rosters are not imported
    from rallypoint.content import Catalogue, Force, Unit

__all__ = ["muster", "remarks", "titles"]


@click.command(cls=PlainHelp)
@click.argument("file")
@click.option("--with-optional", is_flag=True, help="Take the optional squads too.")
@click.option("--json", "in_json", is_flag=True, help="Print JSON: platoon, squads, teams, units.")
@click.option("--game", metavar="NAME", help="The game, if more than one is installed.")
@click.pass_obj
def muster(invocation: Invocation, file: str, with_optional: bool, in_json: bool, game: str | None) -> None:
    """Read a roster and print the force with its uids.

    FILE is a platoon page in Markdown. Nothing is written.

    Example: rallypoint muster my-platoon.md --with-optional
    """
    from rallypoint.content import read_force

    catalogue = chosen_game(invocation, game).catalogue()
    force = read_force(file, catalogue, with_optional=with_optional)
    if in_json:
        write(as_json(force.document()))
        return
    for line in _lines(force, titles(catalogue)):
        write(line)


def titles(catalogue: Catalogue) -> Mapping[str, str]:
    """Return what people call each item, by its key."""
    tables = (catalogue.classes, catalogue.weapons, catalogue.armor, catalogue.bots, catalogue.vehicles)
    return {key: item.title for each in tables for key, item in each.items()}


def _lines(force: Force, names: Mapping[str, str]) -> Iterator[str]:
    yield f"{force.title}  ({force.key})"
    rows: list[tuple[str, ...]] = []
    for squad in force.platoon.squads:
        optional = " (optional)" if squad.optional else ""
        rows.append((f"Squad {squad.number} {squad.title}".rstrip() + optional, "", ""))
        for team in squad.teams:
            vehicle = "" if team.vehicle is None else names.get(team.vehicle, team.vehicle)
            rows.append((f"  {team.title}", vehicle, ""))
            rows += [(f"    {unit.uid}", unit.kind, _gear(unit, names)) for unit in team.units]
    yield from table(rows) if rows else ()
    yield ""
    yield ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in force.counts.items())
    yield from remarks(force)


def _gear(unit: Unit, names: Mapping[str, str]) -> str:
    gear = ", ".join(names.get(key, key) for key in (unit.wears, *unit.weapons))
    return gear if unit.name is None else f"{gear}  ({unit.name})"


def remarks(force: Force) -> Iterator[str]:
    """Yield a line for everything that was read differently than it was written, or left out."""
    for remark in force.remarks:
        yield f"note: {remark}"
