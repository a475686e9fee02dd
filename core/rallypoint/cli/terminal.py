"""What is written to the terminal: plain signs where the encoding has no others, colour only for a person."""

from __future__ import annotations

import codecs
import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import IO

__all__ = [
    "as_json",
    "can_colour",
    "coloured",
    "plain",
    "prepare_streams",
    "program",
    "table",
    "warn",
    "width",
    "write",
]

_HANDLER = "rallypoint-plain"
_PLAIN = {
    "\u2013": "-",
    "\u2014": "-",
    "\u2018": "'",
    "\u2019": "'",
    "\u201c": '"',
    "\u201d": '"',
    "\u2026": "...",
    "\u2190": "<-",
    "\u2192": "->",
    "\u00d7": "x",
    "\u2022": "*",
    "\u2265": ">=",
    "\u2264": "<=",
    "\u00a0": " ",
    "\u0142": "l",
    "\u0141": "L",
    "\u00df": "ss",
    "\u00f8": "o",
    "\u00d8": "O",
    "\u00e6": "ae",
    "\u00c6": "AE",
}
_COLOURS = {"red": 31, "green": 32, "yellow": 33, "dim": 2}


def _plain_sign(error: UnicodeError) -> tuple[str, int]:
    """Stand in for what the encoding does not have: a like sign, the letter without its accent, or ``?``."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    import unicodedata

    signs = []
    for sign in error.object[error.start : error.end]:
        bare = _PLAIN.get(sign) or unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode()
        signs.append(bare or ("" if unicodedata.combining(sign) else "?"))
    return "".join(signs), error.end


def prepare_streams() -> None:
    """Make standard output and error write plain signs instead of failing."""
    codecs.register_error(_HANDLER, _plain_sign)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=_HANDLER)


def plain(text: str) -> str:
    """Return ``text`` as standard output can show it."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    codecs.register_error(_HANDLER, _plain_sign)
    return text.encode(encoding, _HANDLER).decode(encoding)


def write(text: str = "") -> None:
    """Write a line to standard output."""
    sys.stdout.write(f"{text}\n")


def warn(text: str) -> None:
    """Write a warning to standard error."""
    sys.stderr.write(f"warning: {text}\n")


def program() -> str:
    """Return how this program is called here: its name where the shell finds it, else what was typed to start it."""
    import shutil  # dear, and only what prints commands to be typed needs it

    if shutil.which("rallypoint") is not None:
        return "rallypoint"
    started = sys.argv[0]
    if os.path.basename(started) == "__main__.py":  # noqa: PTH119: pathlib is dear, too
        return f"{sys.executable} -m rallypoint"
    return started


def width() -> int:
    """Return how many columns help may take: COLUMNS or the terminal's, 50 to 98.

    click would ask shutil, whose import costs a quarter of a bare start of Python.
    """
    columns = os.environ.get("COLUMNS", "")
    found = int(columns) if columns.isdecimal() else 0
    if found == 0:
        try:
            found = os.get_terminal_size(sys.stdout.fileno()).columns
        except (OSError, ValueError, AttributeError):
            found = 80
    return max(50, min(found, 100) - 2)


def as_json(value: object) -> str:
    """Return readable JSON; where the output has only ASCII, so has the text, and nothing is lost.

    >>> print(as_json({"units": (1, 2)}))
    {
      "units": [
        1,
        2
      ]
    }
    """
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "")
    return json.dumps(value, indent=2, ensure_ascii=encoding != "utf8", default=_as_dict)


def _as_dict(value: object) -> object:
    from collections.abc import Mapping

    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def can_colour(stream: IO[str]) -> bool:
    """Whether colours may go to ``stream``: to a terminal only, and not with NO_COLOR."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def coloured(text: str, colour: str) -> str:
    """Return ``text`` in a colour (red, green, yellow, dim) where standard output may have it."""
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if can_colour(sys.stdout) else text


def table(rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the rows as lines with aligned columns; the last column is as long as it is.

    >>> table([("a", "bcd", "e"), ("fg", "h", "i")])
    ['a   bcd  e', 'fg  h    i']
    """
    rows = list(rows)
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
