"""Rosters in four forms, in and out: Markdown pages, TOML, JSON and CSV; a file's suffix says which."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias, get_args

from rallypoint.kernel.errors import InputError

from .catalogue import Catalogue
from .force import Force
from .source import read_text

__all__ = ["Form", "form_of", "parse_force", "read_force", "write_force"]

Form: TypeAlias = Literal["markdown", "toml", "json", "csv"]
"""What a roster can be written in."""

_FORMS: dict[str, Form] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "markdown",
    ".toml": "toml",
    ".json": "json",
    ".csv": "csv",
}


def form_of(path: str | Path, done: Literal["read", "written"] = "read") -> Form:
    """Return the form that a file's suffix says; ``done`` is what is to be done with the file, for the error.

    >>> form_of("my-platoon.TOML")
    'toml'

    Raises:
        InputError: it has none, or another.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMS:
        raise InputError(
            f"rosters of this kind are not {done}",
            path=str(path),
            found=suffix or "a name without suffix",
            expected=", ".join(_FORMS),
        )
    return _FORMS[suffix]


def read_force(path: str | Path, catalogue: Catalogue, *, with_optional: bool = False) -> Force:
    """Return the force that a roster file describes.

    Args:
        path: a platoon page in Markdown (``.md``, ``.markdown``, ``.txt``), or a roster in ``.toml``, ``.json`` or ``.csv``.
        catalogue: the equipment that exists in the game.
        with_optional: take the optional squads too; otherwise they are in ``Force.left_out`` and named in a remark.

    Raises:
        InputError: the file cannot be read, is of another kind, or (as :class:`PageError`, with every problem in it)
            cannot be understood.
    """
    file = Path(path)
    form: Form = "markdown" if file.is_dir() else form_of(path)
    text = read_text(file)
    return parse_force(text, form, catalogue, path=str(path), title=file.stem, with_optional=with_optional)


def parse_force(
    text: str, form: Form, catalogue: Catalogue, *, path: str, title: str, with_optional: bool = False
) -> Force:
    """Return the force that a text describes.

    Args:
        text: the roster.
        form: what it is written in.
        catalogue: the equipment that exists in the game.
        path: names it in errors.
        title: what the force is called where the text does not say so.
        with_optional: take the optional squads too.

    Raises:
        PageError: something cannot be understood; it holds all of it at once.
    """
    # Each reader is imported when it is needed: most runs need one.
    if form == "markdown":
        from .platoon_page import read_platoon_page

        return read_platoon_page(text, path, catalogue, title=title, with_optional=with_optional)
    if form == "csv":
        from .roster_csv import read_csv_roster

        return read_csv_roster(text, path, catalogue, title=title, with_optional=with_optional)
    from .roster_json import parse_json
    from .roster_record import read_record
    from .roster_toml import parse_toml_roster

    record = parse_json(text, path) if form == "json" else parse_toml_roster(text, path)
    return read_record(record, path, catalogue, title=title, with_optional=with_optional)


def write_force(force: Force, form: Form, catalogue: Catalogue) -> str:
    """Return a force as text; :func:`parse_force` gives the same force again, but for lines and remarks.

    Args:
        force: what to write; its optional squads are written whether they were taken or not.
        form: what to write it in.
        catalogue: what it was read with: a page names equipment as people do.

    Raises:
        InputError: there is no such form.
    """
    if form == "markdown":
        from .platoon_writer import page_text

        return page_text(force, catalogue)
    if form == "csv":
        from .roster_csv import csv_text

        return csv_text(force, catalogue)
    if form not in get_args(Form):
        raise InputError("there is no such form of rosters", found=form, expected=", ".join(get_args(Form)))
    from .roster_json import json_text
    from .roster_record import force_record
    from .roster_toml import toml_text

    record = force_record(force)
    return json_text(record) if form == "json" else toml_text(record)
