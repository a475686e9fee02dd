"""Names of files that an exporter may give: inside the folder, and the same file on any system."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping

from rallypoint.kernel.errors import PluginError

__all__ = ["check_names", "check_owned", "is_database_file"]

_WINDOWS_NAMES = {
    *("con", "prn", "aux", "nul", "conin$", "conout$"),
    *[f"{port}{n}" for port in ("com", "lpt") for n in "123456789\u00b9\u00b2\u00b3"],
}
_MOST_BYTES = 255
"""No usual file system has longer names."""

_DATABASE = re.compile(r"[0-9]{6,}\.(ldb|log|sst|dbtmp)|MANIFEST-[0-9]{6,}|LOG|LOG\.old|CURRENT|LOCK")


def is_database_file(name: str) -> bool:
    """Say whether a LevelDB database has files of this name.

    >>> is_database_file("000005.ldb"), is_database_file("MANIFEST-000004"), is_database_file("notes.txt")
    (True, True, False)
    """
    return _DATABASE.fullmatch(name) is not None


def check_names(exporter: str, files: Mapping[str, bytes]) -> None:
    """Make sure that every name stays inside the folder and can be a file on any system.

    Raises:
        PluginError: a name is absolute, leads outside, is reserved, ends in a dot or a blank, is too long, or two would be
            one file where capitals or the form of accents do not count.
    """
    seen: dict[str, str] = {}
    folders: dict[str, str] = {}
    for name in files:
        if _is_bad(name):
            raise PluginError("an exporter gave a name that cannot be a file", plugin=exporter, found=repr(name))
        other = seen.setdefault(_folded(name), name)
        if other != name:
            raise PluginError("an exporter gave two names for one file", plugin=exporter, found=f"{other}, {name}")
        parts = name.split("/")
        for length in range(1, len(parts)):
            folder = "/".join(parts[:length])
            other = folders.setdefault(_folded(folder), folder)
            if other != folder:
                found = f"{other}, {folder}"
                raise PluginError("an exporter gave two names for one folder", plugin=exporter, found=found)
    for folded, folder in folders.items():
        if folded in seen:
            raise PluginError("an exporter gave a file and a folder of one name", plugin=exporter, found=folder)


def check_owned(exporter: str, owns: Collection[str], files: Collection[str]) -> None:
    """Make sure that every owned folder lies inside the folder of the export, which puts a file into it.

    Raises:
        PluginError: one is the whole folder, is absolute, leads outside, or holds none of the files.
    """
    filled = {name.rpartition("/")[0] for name in files}
    for folder in owns:
        if _is_bad(folder):
            what = "an exporter owns what cannot be a folder of its own"
            raise PluginError(what, plugin=exporter, found=repr(folder), expected="a folder inside the export")
        if folder not in filled:
            what = "an exporter owns a folder that it puts nothing into"
            raise PluginError(what, plugin=exporter, found=repr(folder), expected=", ".join(sorted(filled - {""})))


def _is_bad(name: str) -> bool:
    return not name.isprintable() or any(_is_bad_part(part) for part in name.split("/"))


def _is_bad_part(part: str) -> bool:
    return (
        part in ("", ".", "..")
        or part[-1] in ". "
        or not set(part).isdisjoint('\\:*?"<>|')
        or part.partition(".")[0].rstrip(" ").lower() in _WINDOWS_NAMES
        or len(part.encode("utf-8")) > _MOST_BYTES
    )


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
