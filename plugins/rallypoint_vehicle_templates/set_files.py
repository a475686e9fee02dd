"""Reading a set of templates from a TOML or JSON file, with everything that is wrong with it told at once.

``docs/vehicles.md`` shows the form. Sets are found by name: the house set is here, others in the folders that ``RALLYPOINT_TEMPLATES`` lists.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Literal, cast

from rallypoint.content.catalogue import is_machine_name, machine_name
from rallypoint.content.fields import Fields, named
from rallypoint.content.problems import Problems
from rallypoint.content.roster_json import parse_json
from rallypoint.content.toml_document import read_toml, refuse_too_much
from rallypoint.kernel.canonical import canonical, freeze
from rallypoint.kernel.errors import InputError

from .geometry import HERE, Leg, arc
from .templates import HALF, MovementTemplate, SlideTemplate, TemplateSet

__all__ = ["FOLDERS", "read_file", "read_set", "set_named"]

FOLDERS = "RALLYPOINT_TEMPLATES"
"""The variable of the environment that lists folders with sets."""

_HEAD = ("set", "title", "source", "house", "unit", "scale", "stops_with", "templates", "slide")
_TEMPLATE = ("id", "title", "gears", "width", "end", "arc", "path", "notch", "mirror", "verified")
_SLIDE = ("end", "facing", "headings")
_POSE = ("x", "y", "h")
_FAR = 500.0  # millimetres at half size; no template for a table is larger
_NEAR = 0.5  # so far may the last measured place lie from the end
_MOST_BYTES = 1_000_000


# Finding


@cache
def set_named(name: str) -> TemplateSet:
    """Return the set of a name; read once in a process.

    Raises:
        InputError: there is no such set, or (with all of it) its file cannot be read.
    """
    if name == "house":
        text = (resources.files("rallypoint_vehicle_templates") / "house.toml").read_text("utf-8")
        return read_set(text, "house.toml")
    for folder in os.environ.get(FOLDERS, "").split(os.pathsep):
        for ending in ("toml", "json"):
            path = Path(folder) / f"{name}.{ending}"
            if folder and path.is_file():
                found = read_file(path)
                if found.name != name:
                    what = "a set has the name of its file"
                    raise InputError(what, path=str(path), found=found.name, expected=name)
                return found
    hint = f"set {FOLDERS} to the folder that holds {name}.toml or {name}.json"
    raise InputError("there is no such set of templates", found=name, expected="house, or one of your own", hint=hint)


def read_file(path: Path) -> TemplateSet:
    """Return the set in a file.

    Raises:
        InputError: the file cannot be read; a :class:`~rallypoint.content.problems.PageError` holds every problem in it.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise InputError("this file cannot be read", path=str(path), found=error.strerror) from error
    except UnicodeDecodeError as error:
        raise InputError("this is not text in UTF-8", path=str(path), found=f"byte {error.start}") from error
    if len(data) > _MOST_BYTES:
        raise InputError("this file is too large for a set", path=str(path), expected=f"{_MOST_BYTES} bytes at most")
    return read_set(text, str(path))


# Reading


def read_set(text: str, path: str) -> TemplateSet:
    """Return the set that a document describes.

    Args:
        text: TOML, or JSON where the path ends in ``.json``.
        path: names it in errors.

    Raises:
        PageError: it holds every problem: unknown and missing fields, gears outside 1 to 6, shapes that cannot be.
    """
    problems = Problems(path)
    document: object = parse_json(text, path) if path.lower().endswith(".json") else read_toml(text, problems)
    refuse_too_much(document, problems)
    found = _Reader(document, problems).read()
    problems.check()
    digest = hashlib.sha256(canonical(freeze(document)).encode()).hexdigest()[:16]
    return found._replace(digest=digest)


class _Reader:
    """Reads one document; what is wrong is noted, and a harmless value stands in."""

    def __init__(self, document: object, problems: Problems) -> None:
        self.problems = problems
        self.top = Fields(document, _HEAD, problems)
        self.factor = 1.0

    def read(self) -> TemplateSet:
        top = self.top
        _only_known(top)
        name = self.name(top, "set")
        if top.row.get("unit", "mm") != "mm":
            top.wrong("unit", "mm", "another unit")
        self.factor = HALF / self.decimal(top, "scale", 0.1, 10.0, HALF)
        stops_with = self.word(top, "stops_with", ("front", "rear"))
        templates: dict[str, MovementTemplate] = {}
        for number, row in enumerate(top.rows("templates")):
            template = self.template(Fields(row, _TEMPLATE, self.problems, f"templates[{number}]"))
            if template.id in templates:
                self.note(f"templates[{number}].id", "two templates have one id", template.id, "an id of its own")
            templates[template.id] = template
        if not templates:
            self.note("templates", "no template in this set", "nothing", "[[templates]] with id, gears and end or arc")
        return TemplateSet(
            name,
            top.text("title") or name,
            top.text("source") or "",
            MappingProxyType(templates),
            self.slide(Fields(top.row.get("slide", {}), _SLIDE, self.problems, "slide")),
            cast('Literal["front", "rear"]', stops_with),
            top.truth("house"),
        )

    def template(self, fields: Fields) -> MovementTemplate:
        _only_known(fields)
        name = self.name(fields, "id")
        stations = tuple([self.leg(row, f"{fields.place('path')}[{n}]") for n, row in enumerate(fields.rows("path"))])
        stations = stations[1:] if stations and stations[0] == HERE else stations
        end, radius = self.end(fields, stations)
        notch = self.leg(fields.row["notch"], fields.place("notch")) if "notch" in fields.row else end
        mirror = fields.truth("mirror") if "mirror" in fields.row else True
        return MovementTemplate(
            name,
            fields.text("title") or name.replace("_", " "),
            self.gears(fields),
            end,
            notch,
            stations,
            radius,
            self.decimal(fields, "width", 0.0, _FAR, 0.0) * self.factor,
            mirror,
            fields.truth("verified"),
        )

    def end(self, fields: Fields, stations: tuple[Leg, ...]) -> tuple[Leg, float | None]:
        """Return the end of a template, and its radius if it is an arc."""
        if ("end" in fields.row) == ("arc" in fields.row):
            given = "both" if "end" in fields.row else "nothing"
            expected = "end = { x, y, h }, or arc = { radius, angle }"
            self.note(fields.where, "a template has an end or is an arc", given, expected)
            return Leg(0.0, 1.0), None
        if "arc" in fields.row:
            bend = Fields(fields.row["arc"], ("radius", "angle"), self.problems, fields.place("arc"))
            _only_known(bend)
            radius = self.decimal(bend, "radius", 1.0, _FAR, None) * self.factor
            angle = self.decimal(bend, "angle", 1.0, 270.0, None)
            if stations:
                fields.wrong("path", "a path or an arc", "an arc needs no path")
            return arc(radius, angle), radius
        end = self.leg(fields.row["end"], fields.place("end"))
        if end == HERE:
            fields.wrong("end", "a place away from the start", "a template that leads nowhere")
        if stations and math.dist(stations[-1][:2], end[:2]) > _NEAR:
            fields.wrong("path", f"its last place within {_NEAR} mm of the end", "the path does not lead to the end")
        return end, None

    def slide(self, fields: Fields) -> SlideTemplate:
        _only_known(fields)
        end = self.leg(fields.row["end"], fields.place("end")) if "end" in fields.row else HERE
        if "end" not in fields.row:
            fields.wrong("end", "{ x, y, h }, from the notch", "a field is missing")
        if self.word(fields, "facing", ("fixed", "choice")) == "fixed":
            if "headings" in fields.row:
                fields.wrong("headings", 'facing = "choice"', "a fixed facing has no headings")
            return SlideTemplate(end, (0.0,))
        rows = fields.rows("headings") or (0.0, 90.0, 180.0, 270.0)
        found = [self.value(row, f"{fields.place('headings')}[{n}]", -360.0, 360.0) for n, row in enumerate(rows)]
        return SlideTemplate(end, tuple(dict.fromkeys(each % 360.0 for each in found)))

    # Values

    def name(self, fields: Fields, field: str) -> str:
        name = fields.text(field, needed=True) or "unnamed"
        if not is_machine_name(name):
            expected = "small letters, digits and underscores (ASCII)"
            hint = f"did you mean {machine_name(name)}?"
            fields.wrong(field, expected, "this cannot be a name", hint)
        return name

    def gears(self, fields: Fields) -> tuple[int, ...]:
        """Return the gears in which a template is usable, from 1 to 6 (D-VE-4)."""
        rows = fields.rows("gears")
        if not rows and fields.row.get("gears", ()) not in ([], ()):
            return (6,)  # no list, which is noted already
        good = [row for row in rows if type(row) is int and 1 <= row <= 6]
        if not rows or len(good) != len(rows) or len(set(good)) != len(good):
            found = f"[{', '.join(named(row) for row in rows)}]" if rows else "nothing"
            expected = "the gears in which it is usable, each once: [2, 3, 4]"
            self.note(fields.place("gears"), "gears go from 1 to 6", found, expected)
        return tuple(sorted(set(good))) or (6,)

    def leg(self, row: object, place: str) -> Leg:
        fields = Fields(row, _POSE, self.problems, place)
        _only_known(fields)
        x, y = (self.decimal(fields, name, -_FAR * 2, _FAR * 2, None) for name in ("x", "y"))
        return Leg(x * self.factor, y * self.factor, self.decimal(fields, "h", -360.0, 360.0, 0.0))

    def decimal(self, fields: Fields, field: str, low: float, high: float, default: float | None) -> float:
        if field not in fields.row:
            if default is None:
                fields.wrong(field, f"{low:g} to {high:g}", "a field is missing")
            return low if default is None and low > 0 else default or 0.0
        return self.value(fields.row[field], fields.place(field), low, high)

    def value(self, value: object, place: str, low: float, high: float) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.note(place, "a value of the wrong type", named(value), "a number")
        elif not low <= value <= high:
            self.note(place, "a number out of range", value, f"{low:g} to {high:g}")
        else:
            return float(value)
        return max(low, 1.0)

    def word(self, fields: Fields, field: str, words: tuple[str, ...]) -> str:
        word = fields.row.get(field, words[0])
        if word not in words:
            fields.wrong(field, " or ".join(words), "an unknown word")
            return words[0]
        return str(word)

    def note(self, place: str, what: str, found: object, expected: str) -> None:
        self.problems.add(what, None, found=found, expected=expected, where=place)


def _only_known(fields: Fields) -> None:
    """Note every field that nobody knows: a slip of the pen must not change a shape in silence."""
    for name in _strangers(fields):
        fields.wrong(name, ", ".join(fields.known), "unknown field")


def _strangers(fields: Fields) -> Iterator[str]:
    known: Mapping[str, object] = fields.rest()
    yield from known
