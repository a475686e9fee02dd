"""Contractors as JSON, a format of ours.

::

    {"format": "rallypoint.contractors", "version": 1, "title": "The crew", "stress": 2,
     "contractors": [
       {"name": "Ana", "type": "Marine (grunt)", "combat": 30, "instinct": 25, "loyalty": 22, "wounds": 0, "max_wounds": 2,
        "weapons": [{"title": "Pulse rifle", "damage": "3d10", "range": "Long"}],
        "armor": [{"title": "Standard battle dress", "armor_points": 7}], "salary": 1500, "motivation": "debts"}]}

Only ``name`` must be there. ``format``, ``version``, ``key``, ``title`` and ``stress`` may be missing, so may all around the list.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePath

from rallypoint.content import PageError
from rallypoint.content.fields import one_line
from rallypoint.content.force import force_key, short_key
from rallypoint.content.roster_json import fields_once
from rallypoint.content.source import decode
from rallypoint.content.toml_document import why_not
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.nesting import too_much

from .encounters import MOST_STRESS, Group, squad_and_team
from .reading import Reader, contractor_from
from .records import Contractor, record_of

__all__ = ["FORMAT", "VERSION", "finished", "read_json", "text_bytes", "write_json"]

FORMAT = "rallypoint.contractors"
"""What the file calls itself."""
VERSION = 1
"""Raised when an older reader would misread the file."""


def read_json(data: bytes, path: str) -> Group:
    """Return the contractors of a file.

    Raises:
        InputError: it is no JSON (with line and column), of a newer version, too deep, has a field twice, or (as PageError) a field does not fit.
    """
    text = decode(data, path)
    try:
        document: object = json.loads(text, object_pairs_hook=fields_once, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise InputError(f"this is not JSON: {error.msg}", path=path, line=error.lineno, column=error.colno) from None
    except (ValueError, RecursionError) as error:
        raise InputError("this is not JSON", path=path, found=why_not(error)) from None
    much = too_much(document)
    if much is not None:
        raise InputError("this is more than a file of this kind may hold", path=path, found=much)
    if isinstance(document, list):
        document = {"contractors": document}
    if not isinstance(document, Mapping) or "contractors" not in document:
        expected = 'an object with "contractors": [...]'
        raise InputError("there are no contractors in this file", path=path, expected=expected)
    problems: list[InputError] = []
    reader = Reader(document, path, problems)
    _version(document, path)
    reader.asked.update(("format", "version"))
    title = reader.text("title") or PurePath(path).stem
    key = reader.text("key") or force_key(title)
    stress = reader.whole("stress", 0, MOST_STRESS)
    rows = [contractor_from(each) for each in reader.objects("contractors")]
    reader.refuse_unknown()
    return finished(Group(key, title, tuple(rows), stress), path, problems)


def _no_number(word: str) -> object:
    raise ValueError(f"{word} is no number of JSON")


def _version(document: Mapping[str, object], path: str) -> None:
    form, version = document.get("format", FORMAT), document.get("version", VERSION)
    if form != FORMAT:
        raise InputError("this file is of another format", path=path, found=form, expected=FORMAT)
    if type(version) is not int or version != VERSION:
        expected = f"version {VERSION}, the only one that is read"
        raise InputError("this version of the format is not read", path=path, found=version, expected=expected)


def finished(group: Group, path: str, problems: list[InputError]) -> Group:
    """Return the group with a uid for everybody: key and row where the file gives none.

    Raises:
        PageError: something was wrong, a uid is there twice or is that of the group, a squad or a team, or nobody is in the
            file.
    """
    named: list[Contractor] = []
    above = {entity.uid for contractor in group.contractors for entity, _ in squad_and_team(contractor, group.key)}
    seen: dict[str, str] = {}  # names by uid
    for row, contractor in enumerate(group.contractors, 1):
        uid = contractor.uid or f"{short_key(group.key)}-{row}-1"
        if uid in seen:
            found = f"{uid}: {seen[uid]}, {contractor.name}"
            problems.append(InputError("a uid stands twice", where=path, found=found, expected="a uid of its own"))
        seen[uid] = contractor.name
        named.append(contractor._replace(uid=uid))
        if uid in {group.key, *above}:
            problems.append(
                InputError("a contractor has the uid of the group, a squad or a team", where=path, found=uid)
            )
    if not named and not problems:
        problems.append(InputError("there are no contractors in this file", path=path))
    if problems:
        raise PageError(problems, path)
    return group._replace(title=one_line(group.title), contractors=tuple(named))


def write_json(group: Group) -> bytes:
    """Return the file for a group."""
    document: dict[str, object] = {"format": FORMAT, "version": VERSION, "key": group.key, "title": group.title}
    if group.stress is not None:
        document["stress"] = group.stress
    document["contractors"] = [_row(contractor) for contractor in group.contractors]
    return text_bytes(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False, default=dict) + "\n")


def _row(contractor: Contractor) -> dict[str, object]:
    row = record_of(contractor)
    if contractor.disrupter is not None:
        row["disrupter"] = contractor.disrupter
    return row


def text_bytes(text: str) -> bytes:
    """Return the text in UTF-8.

    Raises:
        InputError: it holds half a character.
    """
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        found = repr(text[max(error.start - 20, 0) : error.end + 20])
        raise InputError("a text holds half a character, which no file can hold", found=found) from None
