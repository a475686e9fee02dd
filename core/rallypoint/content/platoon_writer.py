"""A force as a platoon page in Markdown: plain headings and bullets, and braces for what these cannot say.

A title, a kind or a uid stands in braces only where the plain words would be read as something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from rallypoint.kernel.canonical import Value

from .attributes import write_attributes
from .catalogue import Catalogue, Kind
from .fields import EXTRA, kept_inline
from .force import Force, Squad, Team, Unit, force_key, short_key
from .force_head import HEAD_FIELDS
from .gear_reader import OWN_FIELDS
from .markdown import Block, blocks
from .platoon_headings import nearly_squad, read_squad_heading, read_team_heading
from .uids import team_uid
from .unit_line import MOST_UNITS, is_kind

__all__ = ["page_text"]


def page_text(force: Force, catalogue: Catalogue) -> str:
    """Return the page of a force; reading it gives the same force again.

    Optional squads are on it whether they were taken or not.
    """
    return "\n".join(_Writer(force, catalogue).lines()) + "\n"


class _Row(NamedTuple):
    """A bullet: how many units alike, what they are, and whether their uids are made from the row."""

    number: int
    unit: Unit
    made: bool


class _Writer:
    def __init__(self, force: Force, catalogue: Catalogue) -> None:
        self.force = force
        self.catalogue = catalogue
        self.start = short_key(force.key)

    def lines(self) -> Iterator[str]:
        force = self.force
        squads = [*force.platoon.squads, *force.left_out]
        if all(squad.line for squad in squads):
            squads.sort(key=lambda squad: squad.line)
        squads.sort(key=lambda squad: squad.number is not None)
        own: dict[str, Value] = {} if force.key == force_key(force.title) else {"key": force.key}
        own |= _given("stress", force.platoon.stress) | _given("retired", force.retired)
        own |= {"squads": "none"} if any(squad.number is None for squad in squads) else {}
        own |= _extra(force.extra, (*HEAD_FIELDS, "squads"))
        yield _heading(1, force.title, "Platoon", own, _is_title)
        for squad in squads:
            yield from self.squad(squad)

    def squad(self, squad: Squad) -> Iterator[str]:
        if squad.number is not None:
            plain = f"Squad {squad.number}"
            full = plain + (f" - {squad.title}" if squad.title else "") + (" - Optional" if squad.optional else "")
            short = plain + (" - Optional" if squad.optional else "")

            def fits(text: str) -> bool:
                found = read_squad_heading(text)
                return found == (squad.number, squad.title, squad.optional, None)

            yield ""
            yield _heading(3, full, short, _extra(squad.extra, ("title",)), fits, squad.title)
        for team in squad.teams:
            yield from self.team(team, squad)

    def team(self, team: Team, squad: Squad) -> Iterator[str]:
        if team.letter:
            word = "Team" if team.vehicle is None else self.catalogue.item("vehicle", team.vehicle).title
            plain = f"{word} {team.letter}"

            def fits(text: str) -> bool:
                found = read_team_heading(text)
                if found is None or found[1:] != (team.letter, team.title):
                    return False
                vehicle = self.catalogue.find("vehicle", found.word)
                return (vehicle.item.key if vehicle else None) == team.vehicle and (
                    vehicle is not None or found.word.casefold() == "team"
                )

            if team.vehicle is not None and not _is_word(plain, self.catalogue, team.vehicle):
                plain = f"{self.catalogue.item('vehicle', team.vehicle).key} {team.letter}"
            yield _heading(4, team.title, plain, _extra(team.extra, ("title",)), fits, team.title)
        start = team_uid(self.start, squad.number, team.letter)
        for row in _rows(team.units, start):
            yield self.bullet(row)

    def bullet(self, row: _Row) -> str:
        unit = row.unit
        own: dict[str, Value] = {} if row.made else {"id": unit.uid}
        kind = unit.kind if is_kind(unit.kind) and _survives(unit.kind) else "Unit"
        own |= {} if kind == unit.kind else {"class": unit.kind}
        own |= _given("name", unit.name) | _given("image", unit.picture) | _given("wounds", unit.wounds)
        own |= {} if unit.weapons or unit.stats else {"weapons": ()}
        own |= unit.stats
        own |= _extra(unit.extra, (*OWN_FIELDS, *self.catalogue.stats))
        gear = ", ".join(self.gear(unit))
        words = f"{row.number} {kind if row.number == 1 or kind.endswith('s') else self.plural(kind)}"
        return f"* {words}" + (f" - {gear}" if gear else "") + write_attributes(own)

    def plural(self, kind: str) -> str:
        found = self.catalogue.find("class", f"{kind}s")
        return f"{kind}s" if found is not None and found.item.title == kind else kind

    def gear(self, unit: Unit) -> Iterator[str]:
        if unit.wears is not None:
            yield self.name("bot" if unit.is_bot else "armor", unit.wears)
        carried: list[str] = []
        for key in unit.weapons:
            title = self.name("weapon", key)
            mounted = self.catalogue.item("weapon", key).trait("mounted") is not None
            if mounted and carried:
                carried[-1] += f" w/ {title}"
            else:
                carried.append(title)
        yield from carried

    def name(self, kind: Kind, key: str) -> str:
        item = self.catalogue.item(kind, key)
        plain = is_kind(item.title) and _survives(item.title) and " with " not in item.title and "/" not in item.title
        return item.title if plain else key


def _given(name: str, value: Value) -> dict[str, Value]:
    return {name: value} if value else {}


def _extra(extra: Mapping[str, Value], known: tuple[str, ...]) -> dict[str, Value]:
    inline = {name: value for name, value in extra.items() if kept_inline(name, known)}
    rest: dict[str, Value] = {name: value for name, value in extra.items() if name not in inline}
    return inline | _given(EXTRA, rest)


def _rows(units: tuple[Unit, ...], start: str) -> Iterator[_Row]:
    """Yield the bullets of a team: units that are alike stand on one as long as that makes their uids."""
    number = 0
    row: _Row | None = None
    for unit in units:
        if row is not None and _joins(unit, row, f"{start}-{number}-{row.number + 1}"):
            row = row._replace(number=row.number + 1)
            continue
        if row is not None:
            yield row
        number += 1
        row = _Row(1, unit, unit.uid == f"{start}-{number}-1")
    if row is not None:
        yield row


def _joins(unit: Unit, row: _Row, uid: str) -> bool:
    """Say whether a unit is the next of a row, which would give it this uid."""
    alike = row.unit._replace(uid="", line=0) == unit._replace(uid="", line=0)
    return alike and row.made and row.number < MOST_UNITS and unit.uid == uid


def _heading(
    level: int, text: str, plain: str, own: dict[str, Value], fits: Callable[[str], bool], title: str | None = None
) -> str:
    """Return a heading in plain words where these fit, else with its title in braces."""
    title = text if title is None else title
    if fits(text) and _survives(text):
        return f"{'#' * level} {text}{write_attributes(own)}"
    return f"{'#' * level} {plain}{write_attributes({'title': title, **own})}"


def _is_title(text: str) -> bool:
    return read_squad_heading(text) is None and read_team_heading(text) is None and nearly_squad(text) is None


def _is_word(heading: str, catalogue: Catalogue, vehicle: str) -> bool:
    found = read_team_heading(heading)
    known = None if found is None else catalogue.find("vehicle", found.word)
    return known is not None and known.item.key == vehicle and _survives(heading)


def _survives(text: str) -> bool:
    """Say whether a text comes out of Markdown as it went in."""
    found: list[Block] = list(blocks(f"# {text}\n"))
    return [(block.kind, block.text, dict(block.attributes)) for block in found] == [("heading", text, {})]
