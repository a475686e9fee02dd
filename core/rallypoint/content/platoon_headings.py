"""The headings of a platoon page: ``Squad 0 - Command``, ``Team A``, ``Boat A``, ``Squad 3 - Boats - Optional``."""

from __future__ import annotations

import difflib
import re
from typing import NamedTuple

__all__ = ["SQUAD_FORM", "SquadHeading", "TeamHeading", "nearly_squad", "read_squad_heading", "read_team_heading"]

SQUAD_FORM = "Squad <number> - <title>"
"""How a squad's heading is written."""

_DASH = r"\s*[-:\u2010-\u2015\u2212]\s*"
# Stars at the ends are bold type that somebody forgot to close.
_SQUAD = re.compile(
    rf"[*_]*squad (?P<number>[0-9]{{1,6}})(?:(?:{_DASH}|\s+(?=[\[(]))(?P<title>.*?))?[*_]*", re.IGNORECASE
)
_TEAM = re.compile(rf"[*_]*(?P<word>[^\W\d_][\w ]*?) (?P<letter>[A-Z])(?:{_DASH}(?P<title>.*?))?[*_]*", re.IGNORECASE)
_NEARLY = re.compile(r"[*_]*(\w+) ([0-9]{1,6})\b.*")
_LAST_WORD = re.compile(rf"(?P<title>.*?)(?:^|{_DASH}|\s+)[*_\[(\\]*(?P<word>[A-Za-z]+)[\])*_]*")


class SquadHeading(NamedTuple):
    """What the heading of a squad says; ``doubtful`` is a last word that is nearly ``Optional``."""

    number: int
    title: str
    optional: bool
    doubtful: str | None


class TeamHeading(NamedTuple):
    """What the heading of a team says: ``word`` is ``Team`` or a vehicle, ``letter`` a capital, ``title`` all of it."""

    word: str
    letter: str
    title: str


def read_squad_heading(text: str) -> SquadHeading | None:
    """Return what a squad's heading says, or ``None`` where it is another heading.

    >>> read_squad_heading("Squad 3 - Inflatable Boats - Optional")
    SquadHeading(number=3, title='Inflatable Boats', optional=True, doubtful=None)
    """
    parts = _SQUAD.fullmatch(text)
    if parts is None:
        return None
    number, title = int(parts["number"]), (parts["title"] or "").strip()
    last = _LAST_WORD.fullmatch(title)
    if last is None:
        return SquadHeading(number, title, False, None)
    word = last["word"].casefold()
    if word == "optional":
        return SquadHeading(number, last["title"].strip(), True, None)
    near = difflib.SequenceMatcher(None, word, "optional").ratio() > 0.9
    return SquadHeading(number, title, False, last["word"] if near else None)


def read_team_heading(text: str) -> TeamHeading | None:
    """Return what a team's heading says, or ``None`` where it has not the form of one.

    >>> read_team_heading("Boat b")
    TeamHeading(word='Boat', letter='B', title='Boat B')
    """
    parts = _TEAM.fullmatch(text)
    if parts is None:
        return None
    letter = parts["letter"].upper()
    return TeamHeading(
        parts["word"], letter, f"{parts['word']} {letter}" + (f" - {parts['title']}" if parts["title"] else "")
    )


def nearly_squad(text: str) -> str | None:
    """Return the squad that a heading which is none may have meant, or ``None``.

    >>> nearly_squad("Sqaud 2 - Infantry")
    'Squad 2'
    """
    parts = _NEARLY.fullmatch(text)
    if parts is None or not difflib.get_close_matches(parts[1].casefold(), ["squad"], 1, 0.75):
        return None
    return f"Squad {parts[2]}"
