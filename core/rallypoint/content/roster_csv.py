"""Rosters in CSV: one row a unit (or several alike), one column a field; the first row names the columns.

Squad and team stand in each row; what belongs to the whole force, a squad or a team is written once and may be left empty
elsewhere. Weapons are parted by semicolons or commas. A column that nobody knows is kept with its unit.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping

from rallypoint.kernel.nesting import too_much

from .attributes import Bare
from .catalogue import Catalogue
from .fields import EXTRA, kept_inline, named
from .force import Force, Squad, Team, Unit, force_key
from .problems import Problems
from .roster_record import UNIT_FIELDS, read_record
from .toml_document import why_not

__all__ = ["csv_text", "read_csv_roster"]

_FORCE = ("title", "key", "stress", "retired", "force_extra")
_SQUAD = ("squad", "squad_title", "optional", "squad_extra")
_TEAM = ("team", "team_title", "vehicle", "team_extra")
_UNIT = ("id", "count", "class", "name", "image", "armor", "bot", "weapons", "wounds", EXTRA)
_JSON = ("retired", "force_extra", "squad_extra", "team_extra", EXTRA)
_MOST_COLUMNS = 500
_NUMBERS = ("stress", "squad", "count", "wounds")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f]")
"""What cannot stand in a file as it is: such a text is kept in JSON."""
_TRUTHS = {"": False, "no": False, "false": False, "0": False, "yes": True, "true": True, "1": True, "optional": True}


def _columns(catalogue: Catalogue) -> tuple[str, ...]:
    return (*_FORCE, *_SQUAD, *_TEAM, *_UNIT, *catalogue.stats)


def read_csv_roster(text: str, path: str, catalogue: Catalogue, *, title: str, with_optional: bool = False) -> Force:
    """Return the force that a table describes; the arguments are those of :func:`read_record`.

    Raises:
        PageError: something cannot be understood; it holds all of it at once, with the lines.
    """
    table = _Table(path, catalogue)
    for line, row in _rows(text, table.problems):
        table.take(line, row)
    if not table.columns:
        table.problems.add("no table in this file", 1, found="nothing", expected=", ".join(_columns(catalogue)))
    table.problems.check()
    return read_record(table.record, path, catalogue, title=title, with_optional=with_optional, line_of=table.lines.get)


def _rows(text: str, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows with the lines on which they begin."""
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        problems.add("this is not CSV", line, found=str(error), hint="is a quote missing, or the file cut off?")


class _Table:
    """Sorts the rows of a table into squads and teams."""

    def __init__(self, path: str, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.problems = Problems(path)
        self.columns: list[str] = []
        self.record: dict[str, object] = {}
        self.lines: dict[str, int] = {}
        self._squads: dict[str, tuple[str, dict[str, object]]] = {}
        self._teams: dict[tuple[str, str], tuple[str, dict[str, object]]] = {}

    def take(self, line: int, row: list[str]) -> None:
        """Read one row."""
        if not self.columns:
            self._head(line, row)
            return
        if len(row) != len(self.columns):
            expected = f"{len(self.columns)} cells, as many as columns"
            self.problems.add("a row that does not fit the columns", line, found=f"{len(row)} cells", expected=expected)
            return
        cells = {name: self._cell(line, name, text) for name, text in zip(self.columns, row, strict=True) if text}
        self._place(line, cells)

    def _head(self, line: int, row: list[str]) -> None:
        if len(row) > _MOST_COLUMNS:
            expected = f"at most {_MOST_COLUMNS}"
            self.problems.add("too many columns", line, found=len(row), expected=expected)
            self.problems.check()
        known = _columns(self.catalogue)
        by_fold = {name.casefold(): name for name in known}
        for cell in row:
            name = by_fold.get(cell.strip().casefold(), cell)
            if name in self.columns:
                self.problems.add("a column appears twice", line, found=cell, expected="each column once")
            elif name not in known and not kept_inline(name, known):
                near = next((each for each in known if not kept_inline(name, (each,))), None)
                hint = f"did you mean {near}?"
                self.problems.add("unknown column", line, found=cell, expected=", ".join(known), hint=hint)
            self.columns.append(name)
        if "class" not in self.columns:
            self.problems.add("a column is missing", line, found=", ".join(row), expected="class")
        self.problems.check()

    def _cell(self, line: int, name: str, text: str) -> object:
        if name in _JSON:
            try:
                found: object = json.loads(text)
            except (ValueError, RecursionError) as error:
                self.problems.add("this is not JSON", line, found=text[:60], expected=why_not(error), where=name)
                return {}
            much = too_much(found)
            if much is not None:
                self.problems.add("this is more than a cell may hold", line, found=much, where=name)
                return {}
            return found
        if name == "weapons":
            return tuple([part.strip() for part in re.split("[;,]", text) if part.strip()])
        if name == "optional":
            if text.strip().casefold() not in _TRUTHS:
                self.problems.add("a value of the wrong type", line, found=text, expected="yes or no", where=name)
            return _TRUTHS.get(text.strip().casefold(), False)
        if name in _NUMBERS or name in self.catalogue.stats:
            return Bare(text.strip())
        return text

    def _place(self, line: int, cells: dict[str, object]) -> None:
        for name in _FORCE:
            if name in cells:
                self._once(line, self.record, EXTRA if name == "force_extra" else name, cells[name], name)
        squad, team = str(cells.get("squad", "")), str(cells.get("team", ""))
        place, above = ("", self.record) if not squad else self._squad(line, squad, cells)
        if team:
            place, above = self._team(line, (squad, team), place, above, cells)
        elif squad:
            self.problems.add(
                "a unit in a squad and in no team", line, found=f"squad {squad}", expected="a team", where="team"
            )
            return
        own = {name: cells[name] for name in _UNIT if name in cells}
        stats = {name: cells[name] for name in self.catalogue.stats if name in cells}
        unknown = {name: cells[name] for name in cells if name not in _columns(self.catalogue)}
        place, _ = self._append(line, place, above, "units", {**own, **unknown, **({"stats": stats} if stats else {})})

    def _squad(self, line: int, number: str, cells: Mapping[str, object]) -> tuple[str, dict[str, object]]:
        if number not in self._squads:
            self._squads[number] = self._append(line, "", self.record, "squads", {"number": Bare(number)})
        place, squad = self._squads[number]
        for name, field in (("squad_title", "title"), ("optional", "optional"), ("squad_extra", EXTRA)):
            if name in cells:
                self._once(line, squad, field, cells[name], name)
        return place, squad

    def _team(
        self, line: int, key: tuple[str, str], place: str, above: dict[str, object], cells: Mapping[str, object]
    ) -> tuple[str, dict[str, object]]:
        if key not in self._teams:
            self._teams[key] = self._append(line, place, above, "teams", {"letter": key[1]})
        place, team = self._teams[key]
        for name, field in (("team_title", "title"), ("vehicle", "vehicle"), ("team_extra", EXTRA)):
            if name in cells:
                self._once(line, team, field, cells[name], name)
        return place, team

    def _append(
        self, line: int, place: str, above: dict[str, object], name: str, row: dict[str, object]
    ) -> tuple[str, dict[str, object]]:
        rows = above.setdefault(name, [])
        assert isinstance(rows, list)
        full = f"{place}.{name}[{len(rows)}]" if place else f"{name}[{len(rows)}]"
        self.lines[full] = line
        rows.append(row)
        return full, row

    def _once(self, line: int, table: dict[str, object], field: str, value: object, column: str) -> None:
        old = table.setdefault(field, value)
        if old != value:
            what = "two values where there can be one"
            self.problems.add(what, line, found=named(value), expected=named(old), where=column)


# Writing


def csv_text(force: Force, catalogue: Catalogue) -> str:
    """Return the table of a force; :func:`read_csv_roster` gives the same force again."""
    rows = list(_written(force, catalogue))
    seen = {name for row in rows for name in row}
    known = _columns(catalogue)
    always = ("title", "squad", "team", "id", "class", "name", "armor", "bot", "weapons")
    columns = [name for name in known if name in seen or name in always]
    columns += [name for name in dict.fromkeys(name for row in rows for name in row) if name not in known]
    stream = io.StringIO()
    writer = csv.DictWriter(stream, columns, restval="")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def _written(force: Force, catalogue: Catalogue) -> Iterator[dict[str, str]]:
    """Yield the cells of each unit; what stands above it goes with the first."""
    head = {"title": force.title, "stress": str(force.platoon.stress or "")}
    head |= {} if force.key == force_key(force.title) else {"key": force.key}
    head |= _json("retired", force.retired) | _json("force_extra", force.extra)
    for squad in [*force.platoon.squads, *force.left_out]:
        above = head | _squad_cells(squad)
        for team in squad.teams:
            above |= _team_cells(team)
            for unit in team.units:
                cells = {**above, **_unit_cells(unit, catalogue)}
                cells |= {"squad": "" if squad.number is None else str(squad.number), "team": team.letter}
                yield {name: text for name, text in cells.items() if text}
                above, head = {}, {}


def _json(name: str, value: object) -> dict[str, str]:
    return {name: json.dumps(value, ensure_ascii=False, default=dict)} if value else {}


def _squad_cells(squad: Squad) -> dict[str, str]:
    cells = {"squad_title": squad.title, "optional": "yes" if squad.optional else ""}
    return cells | _json("squad_extra", squad.extra)


def _team_cells(team: Team) -> dict[str, str]:
    return {"team_title": team.title, "vehicle": team.vehicle or ""} | _json("team_extra", team.extra)


def _unit_cells(unit: Unit, catalogue: Catalogue) -> dict[str, str]:
    cells = {"id": unit.uid, "class": unit.kind, "name": unit.name or "", "image": unit.picture or ""}
    cells |= {"bot" if unit.is_bot else "armor": unit.wears or "", "weapons": "; ".join(unit.weapons)}
    cells |= {"wounds": str(unit.wounds or "")} | {name: str(value) for name, value in unit.stats.items()}
    known = {name.casefold() for name in _columns(catalogue)}
    inline = {
        name: value
        for name, value in unit.extra.items()
        if isinstance(value, str)
        and value
        and not _CONTROL.search(value)
        and _fits(name, catalogue)
        and name.strip().casefold() not in known
    }
    return cells | inline | _json(EXTRA, {name: value for name, value in unit.extra.items() if name not in inline})


def _fits(name: str, catalogue: Catalogue) -> bool:
    """Say whether a field may be a column of its own."""
    return bool(name.strip()) and kept_inline(name, _columns(catalogue)) and kept_inline(name, UNIT_FIELDS)
