"""Rosters in JSON: the record of :mod:`rallypoint.content.roster_record`, and what ``muster --json`` prints."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping

from .problems import Problems
from .toml_document import refuse_too_much, why_not

__all__ = ["fields_once", "json_text", "parse_json"]


def json_text(record: Mapping[str, object]) -> str:
    """Return the JSON of a record, for people to read and change."""
    return json.dumps(record, indent=2, ensure_ascii=False, default=dict) + "\n"


def parse_json(text: str, path: str) -> object:
    """Return what a JSON document says; a force that ``muster --json`` printed becomes the record of a roster.

    Raises:
        PageError: it is not JSON, or names a field twice; line and column are said.
    """
    problems = Problems(path)
    found: object = None
    try:
        found = json.loads(text, object_pairs_hook=fields_once, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        hint = "is the file cut off?" if error.pos >= len(text.rstrip()) - 1 else None
        where = f"column {error.colno}"
        problems.add("this is not JSON", error.lineno, found=error.msg, hint=hint, where=where)
    except (ValueError, RecursionError) as error:
        problems.add("this is not JSON", None, found=why_not(error))
    problems.check()
    refuse_too_much(found, problems)
    if isinstance(found, Mapping) and "roster" not in found and isinstance(found.get("platoon"), Mapping):
        return _from_muster(found)
    return found


def fields_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the fields of an object of JSON: what :func:`json.loads` takes as ``object_pairs_hook``.

    Raises:
        ValueError: one is there twice.
    """
    found = dict(pairs)
    if len(found) != len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"the field {twice!r} twice in one table")
    return found


def _no_constant(name: str) -> object:
    raise ValueError(f"{name}, which is no number in JSON")


_NAMES = {"uid": "id", "kind": "class", "picture": "image"}


def _from_muster(document: Mapping[str, object]) -> dict[str, object]:
    """Return the record of a force that was printed."""
    platoon = document["platoon"]
    assert isinstance(platoon, Mapping)
    record: dict[str, object] = {"roster": 1, "title": document.get("title"), "key": document.get("key")}
    for name in ("stress", "retired", "extra"):
        for each in (platoon, document):
            record |= {name: each[name]} if name in each else {}
    squads, left_out = platoon.get("squads", []), document.get("left_out", [])
    if not isinstance(squads, list) or not isinstance(left_out, list):
        return record | {"squads": squads}
    for squad in [*squads, *left_out]:
        number, teams = (squad.get("number"), squad.get("teams")) if isinstance(squad, dict) else (0, None)
        if not isinstance(teams, list):
            record.setdefault("squads", []).append(squad)  # type: ignore[attr-defined]
            continue
        named = [_renamed(team) for team in teams]
        if number is not None:
            record.setdefault("squads", []).append({**squad, "teams": named})  # type: ignore[attr-defined]
            continue
        for team in named:
            loose = not team.get("letter")
            rows = team.get("units") if loose else [team]
            record.setdefault("units" if loose else "teams", []).extend(rows)  # type: ignore[attr-defined]
    return record


def _renamed(team: object) -> dict[str, object]:
    """Return a team whose units have the names of a roster's fields."""
    if not isinstance(team, dict) or not isinstance(team.get("units"), list):
        return team if isinstance(team, dict) else {"units": team}
    units = [
        {_NAMES.get(name, name): value for name, value in unit.items() if name != "line"}
        if isinstance(unit, dict)
        else unit
        for unit in team["units"]
    ]
    return {**team, "units": units}
