"""The text of a file, read in one way for every reader: UTF-8, UTF-8 with a byte order mark, or UTF-16 with one.

Nothing is guessed: bytes in another encoding are refused with the place of the first one that does not fit.
"""

from __future__ import annotations

import codecs
import difflib
import re
from pathlib import Path

from rallypoint.kernel.errors import InputError

__all__ = ["MOST_BYTES", "decode", "read_text"]

MOST_BYTES = 4_000_000
"""A file that is larger is no roster; it is refused before it is read."""

_ENCODINGS = "UTF-8 (with or without a byte order mark) or UTF-16 with a byte order mark"
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f]")
_SAVE = "save the file again with the encoding UTF-8"


def read_text(path: str | Path) -> str:
    """Return the text of a file, without its byte order mark.

    Args:
        path: a file of at most :data:`MOST_BYTES` bytes.

    Raises:
        InputError: there is no such file, it is a folder, cannot be read, is too large, or is in another encoding.
    """
    file, name = Path(path), str(path)
    try:
        if file.is_dir():
            raise InputError("this is a folder", path=name, expected="a file", hint="name a file in it")
        if file.exists() and not file.is_file():
            raise InputError("this is no ordinary file", path=name, expected="a file")
        size = file.stat().st_size
        if size > MOST_BYTES:
            raise InputError(
                "this file is too large", path=name, found=f"{size} bytes", expected=f"at most {MOST_BYTES} bytes"
            )
        data = file.read_bytes()
    except FileNotFoundError:
        raise InputError("there is no such file", path=name, hint=_neighbour(file)) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise InputError("this file cannot be read", path=name, found=reason or str(error)) from None
    return decode(data, name)


def decode(data: bytes, path: str) -> str:
    r"""Return the text that ``data`` says; ``path`` names it in errors.

    Raises:
        InputError: the bytes are in none of the encodings above; offsets count bytes from 0, lines from 1.

    >>> decode(b"\xef\xbb\xbfTeam A", "squad.md")
    'Team A'
    >>> decode("Team A".encode("utf-16"), "squad.md")
    'Team A'
    """
    encoding, newline = "utf-8", b"\n"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
        newline = b"\n\0" if data.startswith(codecs.BOM_UTF16_LE) else b"\0\n"
    elif data.startswith(codecs.BOM_UTF8):
        encoding = "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        # With a byte order mark the codec may count from behind it.
        start = error.start + len(data) - len(error.object)
        raise InputError(
            f"this is not {encoding.removesuffix('-sig').upper()}",
            path=path,
            line=data.count(newline, 0, start) + 1,
            found=f"byte 0x{data[start]:02X} at offset {start}",
            expected=_ENCODINGS,
            hint=_SAVE,
        ) from None
    control = _CONTROL.search(text)
    if control is not None:
        name = "zero" if control[0] == "\0" else f"control (U+{ord(control[0]):04X})"
        raise InputError(
            "this is not text",
            path=path,
            line=text.count("\n", 0, control.start()) + 1,
            found=f"a {name} character after {control.start()} others",
            expected=_ENCODINGS,
            hint=_SAVE,
        )
    return text


def _neighbour(file: Path) -> str | None:
    try:
        names = sorted(entry.name for entry in file.parent.iterdir())
    except (OSError, ValueError):
        return None
    near = difflib.get_close_matches(file.name, names, 1, 0.7)
    return f"did you mean {near[0]}?" if near else None
