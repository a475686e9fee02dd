r"""Contractors as CSV, a row each: what a spreadsheet gives.

::

    name,type,combat,instinct,loyalty,max_wounds,armor,weapons,salary,motivation
    Ana,Marine (grunt),30,25,22,2,Standard battle dress (7),Pulse rifle (3d10); Revolver (1d10+1),1500,debts

The first row names the columns, in any order; only ``name`` must be there. Cells are parted by commas, semicolons or tabs,
whichever the first row has. Several weapons are parted by semicolons, damage stands in brackets, behind it by
commas what else is known, and behind the brackets a note: ``Rifle (3d10, Long, 5 shots, Gunshot, anti-armor): old``. Armour
has its Armour Points and, after a stroke, its Damage Reduction in brackets: ``Advanced battle dress (10/3, normal)``. A cell of ``armor``, ``weapons``,
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
from rallypoint.content.roster_json import fields_once
from rallypoint.content.source import decode
from rallypoint.content.toml_document import why_not
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.nesting import too_much

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
_PART = re.compile(r"(?P<title>[^()]+?)\s*(?:\((?P<inside>[^()]*)\)(?:\s*:\s*(?P<note>[^();]+))?)?")
_RANGES = ("adjacent", "close", "long", "extreme")
_WOUNDS = ("blunt force", "bleeding", "gunshot", "fire & explosives", "gore & massive")
_LONGEST = 10_000_000


def read_csv(data: bytes, path: str) -> Group:
    """Return the contractors of a file; its name is the title of the group.

    Raises:
        InputError: it is no table with a column ``name``, or (as PageError, with all problems) a cell does not fit.
    """
    text = decode(data, path)
    first = text.partition("\n")[0]
    parting = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=parting, strict=True)
    usual = csv.field_size_limit(_LONGEST)  # it holds for the whole process, so it is given back
    try:
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise InputError(f"this is no CSV: {error}", path=path, line=reader.line_num) from None
    finally:
        csv.field_size_limit(usual)
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
        read: object = None
        try:
            read = json.loads(cell, object_pairs_hook=fields_once)
            wrong = too_much(read)
        except (ValueError, RecursionError) as error:
            wrong = why_not(error)
        if wrong is not None:
            problems.append(InputError("this cell is not JSON", where=where, found=wrong))
            return {} if name in ("extra", "disrupter") else []
        return read
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
    note = {} if match["note"] is None else {"note": match["note"].strip()}
    if name == "weapons":
        return {**row, **(_weapon(inside) or {"damage": inside}), **note} if inside else {**row, **note}
    first, *rest = [part.strip() for part in inside.split(",")]
    points = re.fullmatch(r"(?:AP\s*)?([0-9]{1,2})(?:\s*/\s*([0-9]{1,2}))?", first)
    if points is None or not set(rest) <= {"slow", "normal", "not worn"} or len(rest) > 2:
        return None if inside else {**row, **note}
    row |= {"armor_points": int(points[1]), "damage_reduction": int(points[2] or 0)}
    for part in rest:
        row |= {"equipped": False} if part == "not worn" else {"speed": part}
    return {**row, **note}


def _weapon(inside: str) -> dict[str, object] | None:
    """Return what the brackets of a weapon say, ``None`` where all of them are its damage."""
    damage, *rest = [part.strip() for part in inside.split(",")]
    row: dict[str, object] = {"damage": damage} if damage else {}
    for part in rest:
        shots = re.fullmatch(r"([0-9]{1,6}) shots?", part)
        if shots is not None:
            row["shots"] = int(shots[1])
        elif part.casefold() in _RANGES:
            row["range"] = part
        elif re.sub(r"\s*\[[+-]\]$", "", part).casefold() in _WOUNDS:
            row["wound"] = part
        elif part.casefold() in ("anti-armor", "anti-armour"):
            row["anti_armor"] = True
        else:
            return None
    return row if rest else None


def write_csv(group: Group) -> bytes:
    """Return the file for a group; its Stress has no place in it."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for contractor in group.contractors:
        row = {**record_of(contractor), "disrupter": contractor.disrupter}
        writer.writerow([_cell(name, row.get(name)) for name in COLUMNS])
    return text_bytes(out.getvalue())


def _cell(name: str, value: object) -> str:
    """Return a cell as a person would write it where that says the same, else JSON."""
    if value is None or value in ([], {}):
        return ""
    if isinstance(value, (str, int)):
        return str(value)
    if name in ("weapons", "armor", "notes") and isinstance(value, list):
        words = _words(name, value)
        if words and _says(name, words) == value:
            return words
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=dict)


def _words(name: str, rows: list[object]) -> str:
    if name == "notes":
        return str(rows[0]) if len(rows) == 1 else ""
    return "; ".join(_listed(name, row) for row in rows if isinstance(row, dict))


def _listed(name: str, row: dict[str, object]) -> str:
    """Return one weapon or armour in words."""
    inside: list[object] = []
    if name == "weapons":
        inside = [row.get("damage", ""), row.get("range"), row.get("wound")]
        shots = row.get("shots")
        inside += [] if shots is None else [f"{shots} shot{'' if shots == 1 else 's'}"]
        inside += ["anti-armor"] if row.get("anti_armor") else []
    else:
        points, reduction = row.get("armor_points", 0), row.get("damage_reduction", 0)
        inside = [f"{points}/{reduction}" if reduction else points, row.get("speed")]
        inside += ["not worn"] if row.get("equipped") is False else []
    shown = ", ".join(str(part) for part in inside if part is not None)
    brackets = f" ({shown})" if shown and shown != "0" else ""
    return f"{row.get('title', '')}{brackets}" + (f": {row['note']}" if row.get("note") else "")


def _says(name: str, words: str) -> object:
    """Return what a cell says, in the shortest form: as a record has it."""
    problems: list[InputError] = []
    found = None if words.startswith(("[", "{")) else _nested(name, words, "", problems)
    if problems or not isinstance(found, list) or name == "notes":
        return None if problems else found
    return [
        {key: value for key, value in row.items() if key == "title" or value is False or value not in ("", 0)}
        for row in found
    ]
