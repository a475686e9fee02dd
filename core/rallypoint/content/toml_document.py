"""A TOML document that anybody may have written, read with limits: the same for rosters, packs and scenarios."""

from __future__ import annotations

import re
import tomllib

from rallypoint.kernel.nesting import DEEPEST, deep_key_line, too_much

from .problems import Problems

__all__ = ["read_toml", "refuse_too_much", "why_not"]


def read_toml(text: str, problems: Problems) -> dict[str, object]:
    """Return the tables of a document.

    Raises:
        PageError: it is not TOML, or too deep or large a document; the line is said where it is known.
    """
    found: dict[str, object] = {}
    deep = deep_key_line(text)
    if deep is not None:
        problems.add("this is not TOML that is read", deep, found=f"a key of more than {DEEPEST} parts")
        problems.check()
    try:
        found = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        place = re.search(r"at line (\d+)", str(error))
        is_toml = isinstance(error, tomllib.TOMLDecodeError)
        line = int(place[1]) if place else max(len(text.splitlines()), 1) if is_toml else None
        problems.add("this is not TOML", line, found=why_not(error), hint="is the file cut off?" if is_toml else None)
    problems.check()
    refuse_too_much(found, problems)
    return found


def refuse_too_much(document: object, problems: Problems) -> None:
    """Make sure that a document is neither too deep nor has numbers of hundreds of digits.

    Raises:
        PageError: it is.
    """
    much = too_much(document)
    if much is not None:
        problems.add("this is more than a file of this kind may hold", None, found=much)
    problems.check()


def why_not(error: Exception) -> str:
    """Return why a text could not be read, in words for people."""
    if isinstance(error, RecursionError):
        return "tables and lists in each other without end"
    text = str(error)
    return "a number of thousands of digits" if text.startswith("Exceeds the limit") else text
