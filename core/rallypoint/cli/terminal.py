"""What is written to the terminal: plain signs where the encoding has no others, colour only for a person."""

from __future__ import annotations

import codecs
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import IO

__all__ = [
    "as_json",
    "can_colour",
    "coloured",
    "complain",
    "counted",
    "plain",
    "prepare_streams",
    "preview",
    "program",
    "silence",
    "table",
    "visible",
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
_UNSEEN = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]"
"""Signs that move the cursor, colour, clear, or turn the order of what is read: all control characters but tab and line end."""

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
    """Make standard output and error write plain signs instead of failing; one that was closed takes what it is given."""
    codecs.register_error(_HANDLER, _plain_sign)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # opened at once, so that no file of ours gets its number
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8", errors=_HANDLER))  # noqa: PTH123, SIM115
            continue
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=_HANDLER)


def plain(text: str) -> str:
    """Return ``text`` as standard output can show it."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    codecs.register_error(_HANDLER, _plain_sign)
    return visible(text).encode(encoding, _HANDLER).decode(encoding)


def visible(text: str) -> str:
    r"""Return ``text`` with its control characters written out, so that a name in a roster cannot steer the terminal.

    They are written as JSON writes them, so JSON stays JSON.

    >>> visible("Ra\x1b[31mven"), visible("a\tb\n")
    ('Ra\\u001b[31mven', 'a\tb\n')
    """
    return re.sub(_UNSEEN, lambda found: f"\\u{ord(found[0]):04x}", text)


def write(text: str = "", *, is_coloured: bool = False) -> None:
    """Write a line to standard output; one that is coloured has been made :func:`visible` before."""
    sys.stdout.write(f"{text if is_coloured else visible(text)}\n")


def preview(text: str) -> None:
    """Write what a file would hold to standard output, and warn of signs that it can show stand-ins for only."""
    write(text.replace("\r\n", "\n").removesuffix("\n"))
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    lost = [f"U+{ord(sign):04X}" for sign in dict.fromkeys(text) if not sign.encode(encoding, "ignore")]
    if lost:
        more = f" and {len(lost) - 8} more" if len(lost) > 8 else ""
        what = f"this output ({encoding}) has no {', '.join(lost[:8])}{more}: others stand in for them here"
        warn(f"{what}; what is written to a file has them all")


def warn(text: str) -> None:
    """Write a warning to standard error."""
    complain(f"warning: {text}")


_TOLD: set[str] = set()


def warn_once(text: str) -> None:
    """Write a warning to standard error, unless this run has written it before."""
    if text not in _TOLD:
        _TOLD.add(text)
        warn(text)


def complain(text: str) -> None:
    """Write a line to standard error; where that cannot be written, there is nobody to tell."""
    try:
        sys.stderr.write(f"{visible(text)}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        silence(sys.stderr)


def silence(stream: IO[str]) -> None:
    """Let nothing more be written to an output that cannot be written, not at the end of the process either."""
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)
    except (OSError, ValueError):
        return


def program() -> str:
    """Return how this program is called here: its name where the shell finds it, else what was typed to start it."""
    import shutil  # dear, and only what prints commands to be typed needs it

    if shutil.which("rallypoint") is not None:
        return "rallypoint"
    started = sys.argv[0]
    if os.path.basename(started) == "__main__.py":  # noqa: PTH119 - pathlib is dear, too
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
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def can_colour(stream: IO[str]) -> bool:
    """Whether colours may go to ``stream``: to a terminal only, and not with NO_COLOR."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def coloured(text: str, colour: str) -> str:
    """Return ``text`` in a colour (red, green, yellow, dim) where standard output may have it."""
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if can_colour(sys.stdout) else text


def counted(counts: Mapping[str, int]) -> str:
    """Return counts as people say them: one squad, two squads, and nothing of what is not there.

    >>> counted({"read": 9, "left_out": 0, "squads": 1, "teams": 2, "Bot": 3, "CO": 1})
    '9 read, 1 squad, 2 teams, 3 Bots, 1 CO'
    >>> counted({"read": 0, "units": 0})
    '0 read'
    """
    first = next(iter(counts), None)
    return ", ".join(f"{n} {_in_number(name, n)}" for name, n in counts.items() if n or name == first)


def _in_number(name: str, number: int) -> str:
    """Return a word of a count in singular or plural: classes are named in the one, everything else in the other."""
    word = name.replace("_", " ")
    if name[:1].isupper():
        return f"{word}s" if number != 1 and name.isalpha() else word
    plural = name.isalpha() and name.endswith("s")
    return word.removesuffix("s") if number == 1 and plural else word


def table(rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the rows as lines with aligned columns; the last column is as long as it is.

    >>> table([("a", "bcd", "e"), ("fg", "h", "i")])
    ['a   bcd  e', 'fg  h    i']
    """
    rows = list(rows)
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
