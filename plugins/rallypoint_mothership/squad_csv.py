r"""Contractors as CSV, a row each: what a spreadsheet gives.

::

    name,type,combat,instinct,loyalty,max_wounds,armor,weapons,salary,motivation
    Ana,Marine (grunt),30,25,22,2,Standard battle dress (7),Pulse rifle (3d10); Revolver (1d10+1),1500,debts

The first row names the columns, in any order; only ``name`` must be there. Cells are parted by commas, semicolons or tabs,
whichever the first row has. Several weapons are parted by semicolons, damage stands in brackets; armour has its Armour
Points and, after a stroke, its Damage Reduction in brackets: ``Advanced battle dress (10/3)``. A cell of ``armor``, ``weapons``,
``notes``, ``extra`` or ``disrupter`` that begins with ``[`` or ``{`` is JSON and may say all that the JSON form says.
Columns that nobody knows are kept in ``extra``.
"""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import PurePath

from rallypoint.content.force import force_key
from rallypoint.content.source import decode
from rallypoint.kernel.errors import InputError

from .encounters import Group
from .reading import Reader, contractor_from
from .records import Contractor, record_of
from .squad_json import finished, text_bytes

__all__ = ["COLUMNS", "read_csv", "write_csv"]

COLUMNS = (
    "uid",
    "name",
    "team",
    "type",
    "combat",
    "instinct",
    "loyalty",
    "wounds",
    "max_wounds",
    "armor",
    "weapons",
    "salary",
    "motivation",
    "hidden_motivation",
    "speed",
    "notes",
    "picture",
    "extra",
    "disrupter",
)
"""The columns, in the order in which they are written."""

_NUMBERS = ("combat", "instinct", "loyalty", "wounds", "max_wounds", "salary")
_NESTED = ("armor", "weapons", "notes", "extra", "disrupter")
_PART = re.compile(r"(?P<title>[^()]+?)\s*(?:\((?P<inside>[^()]*)\))?")
_LONGEST = 10_000_000


def read_csv(data: bytes, path: str) -> Group:
    """Return the contractors of a file; its name is the title of the group.

    Raises:
        InputError: it is no table with a column ``name``, or (as PageError, with all problems) a cell does not fit.
    """
    text = decode(data, path)
    csv.field_size_limit(_LONGEST)
    first = text.partition("\n")[0]
    parting = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=parting, strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise InputError(f"this is no CSV: {error}", path=path, line=reader.line_num) from None
    if not rows or "name" not in (columns := [cell.strip() for cell in rows[0][1]]):
        found = "an empty file" if not rows else ", ".join(rows[0][1])
        raise InputError("the first row must name the columns", path=path, line=1, found=found, expected="name, ...")
    problems: list[InputError] = []
    if len(set(columns)) < len(columns):
        problems.append(InputError("a column stands twice", path=path, line=1, found=", ".join(columns)))
    contractors = []
    for line, row in rows[1:]:
        if not any(row):
            continue
        if len(row) > len(columns):
            found, expected = f"{len(row)} cells", f"at most {len(columns)}"
            problems.append(
                InputError("a row is longer than the first", path=path, line=line, found=found, expected=expected)
            )
            continue
        cells = dict(zip(columns, row, strict=False))
        contractors.append(_contractor(cells, f"{path}:{line}", problems))
    title = PurePath(path).stem
    return finished(Group(force_key(title), title, tuple(contractors)), path, problems)


def _contractor(cells: dict[str, str], where: str, problems: list[InputError]) -> Contractor:
    row: dict[str, object] = {}
    for name, cell in cells.items():
        if not cell:
            continue
        if name in _NUMBERS:
            row[name] = int(cell) if re.fullmatch(r"\s*-?[0-9]{1,12}\s*", cell) else cell
        elif name in _NESTED:
            row[name] = _nested(name, cell, f"{where}.{name}", problems)
        else:
            row[name] = cell
    return contractor_from(Reader(row, where, problems))


def _nested(name: str, cell: str, where: str, problems: list[InputError]) -> object:
    """Return what a cell says that is more than a word; a broken one is noted and counts as empty."""
    if cell.startswith(("[", "{")):
        try:
            return json.loads(cell)
        except (ValueError, RecursionError) as error:
            problems.append(InputError("this cell is not JSON", where=where, found=str(error)))
            return {} if name in ("extra", "disrupter") else []
    if name == "notes":
        return [cell]
    if name in ("extra", "disrupter"):
        return cell
    found = []
    for part in cell.split(";"):
        if not part.strip():
            continue
        row = _part(name, part.strip())
        if row is None:
            expected = "Pulse rifle (3d10); ..." if name == "weapons" else "Standard battle dress (7/0); ..."
            problems.append(InputError("this cannot be understood", where=where, found=part.strip(), expected=expected))
        else:
            found.append(row)
    return found


def _part(name: str, text: str) -> dict[str, object] | None:
    match = _PART.fullmatch(text)
    if match is None:
        return None
    row: dict[str, object] = {"title": match["title"]}
    inside = (match["inside"] or "").strip()
    if name == "weapons":
        return {**row, "damage": inside} if inside else row
    points = re.fullmatch(r"(?:AP\s*)?([0-9]{1,2})(?:\s*/\s*([0-9]{1,2}))?", inside)
    if points is None:
        return None if inside else row
    return {**row, "armor_points": int(points[1]), "damage_reduction": int(points[2] or 0)}


def write_csv(group: Group) -> bytes:
    """Return the file for a group; its Stress has no place in it."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for contractor in group.contractors:
        row = {**record_of(contractor), "disrupter": contractor.disrupter}
        writer.writerow([_cell(row.get(name)) for name in COLUMNS])
    return text_bytes(out.getvalue())


def _cell(value: object) -> str:
    if value is None or value in ([], {}):
        return ""
    if isinstance(value, (str, int)):
        return str(value)
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=dict)
