"""A battle file: one SQLite file that holds one log.

Many processes may read it and append to it. An append is compare-and-swap on the head of the log: who comes second is
told what came between, and nothing is lost. A kill at any moment leaves the old log or the new one, whole: SQLite's
rollback journal sees to that, with full syncs.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from zlib import crc32

from .errors import BattleFileError, HeadMovedError
from .history import Entry

__all__ = ["BattleFile"]

APPLICATION = 0x52504C59
VERSION = 1
_TABLE = """
CREATE TABLE log (
    number INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    changes TEXT NOT NULL,
    body TEXT NOT NULL,
    hash TEXT NOT NULL,
    checksum INTEGER NOT NULL
)
"""
_INSERT = "INSERT INTO log (number, kind, changes, body, hash, checksum) VALUES (?, ?, ?, ?, ?, ?)"
_KINDS = "SELECT kind FROM log WHERE number >= ? ORDER BY number"
_FIRST = "SELECT checksum FROM log WHERE number = 0"
_HASH = "SELECT hash FROM log WHERE number = ?"
_SELECT = "SELECT number, kind, changes, body, hash, checksum FROM log WHERE number >= ? ORDER BY number"

_FAILURES = (ValueError, OSError, sqlite3.Error, UnicodeError)
"""What can go wrong with a file: the system, SQLite, a text that UTF-8 cannot say."""


class BattleFile:
    """An open battle file; use it in a ``with`` statement or call :meth:`close`.

    Args:
        path: an existing battle file.
        wait: seconds to wait for another process that is writing.

    Raises:
        BattleFileError: there is no such file, it is not a battle file, or it was made by a newer version.
    """

    def __init__(self, path: Path, *, wait: float = 10.0) -> None:
        self.path = path
        with self._naming("open"):
            there = path.is_file()
        if not there:
            raise BattleFileError("there is no such battle file", where=str(path), hint="check the path")
        with self._naming("open"):
            self._connection = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=wait, isolation_level=None
            )
            self._file = self._at_path()
        self._first: tuple[int] | None = None
        self._last: Entry | None = None
        try:
            self._check()
        except BattleFileError:
            self._connection.close()
            raise

    @classmethod
    def create(cls, path: Path, first: Entry) -> BattleFile:
        """Return a new battle file that holds its first entry.

        The file is made under another name and then given its own, so it is there as a whole or not at all.

        Raises:
            BattleFileError: something stands at ``path`` already, or it cannot be written there.
        """
        draft: Path | None = None
        try:
            if path.exists():
                raise BattleFileError(
                    "there is something at this path already",
                    where=str(path),
                    hint="choose another name, or move it away",
                )
            handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.absolute().parent)
            os.close(handle)
            draft = Path(name)
            _write_first(draft, first)
            _give_name(draft, path)
        except _FAILURES as error:
            raise _failed("create", path, error) from error
        finally:
            if draft is not None:
                draft.unlink(missing_ok=True)
                Path(f"{draft}-journal").unlink(missing_ok=True)
        return cls(path)

    def __enter__(self) -> BattleFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def entries(self, start: int = 0) -> list[Entry]:
        """Return the entries from number ``start`` on.

        Raises:
            BattleFileError: the file is gone, is another one now, cannot be read, or an entry is not as it was written.
        """
        self._check_file("read")
        with self._naming("read"):
            rows = self._connection.execute(_SELECT, (start,)).fetchall()
            first = self._connection.execute(_FIRST).fetchone()
            self._first = self._first or first
            if first != self._first:
                raise self._another()
            self._check_last()
        if not rows and start <= 0:
            raise self._damaged("this log has no beginning", 0)
        entries = []
        for *row, checksum in rows:
            if checksum != _checksum(*row):
                raise self._damaged("this entry is damaged", row[0])
            entries.append(Entry(*row))
        self._last = entries[-1] if entries else self._last
        return entries

    def append(self, entry: Entry) -> None:
        """Put ``entry`` behind the head, which must be the entry before it.

        Raises:
            HeadMovedError: another process appended first; nothing was written.
            BattleFileError: the file cannot be written; it is as it was.
        """
        self._check_file("write to")
        with self._naming("write to"):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._check_last()
                head, *between = self._connection.execute(_KINDS, (entry.number - 1,)).fetchall() or [None]
                if head is not None and not between:
                    self._connection.execute(_INSERT, _row(entry))
                    self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
        if head is None:
            raise self._put_back(entry.number - 1)
        if between:
            kinds = tuple([kind for (kind,) in between])
            raise HeadMovedError(
                path=str(self.path),
                expected=entry.number - 1,
                found=entry.number - 1 + len(kinds),
                between=kinds,
            )
        self._last = entry

    def _check_last(self) -> None:
        """See whether the last entry that is known is still there: a log that was put back ends before it, or goes on otherwise."""
        if self._last is None:
            return
        found = self._connection.execute(_HASH, (self._last.number,)).fetchone()
        if found != (self._last.hash,):
            raise self._put_back(self._last.number)

    def _put_back(self, number: int) -> BattleFileError:
        hint = "somebody has copied an older file over it while it was open: begin the command again"
        found = f"no entry {number} as it was"
        return BattleFileError(
            "the battle file was put back to an earlier state", where=str(self.path), found=found, hint=hint
        )

    def _damaged(self, what: str, number: object) -> BattleFileError:
        hint = "the file was damaged or edited by hand; go back to a copy"
        return BattleFileError(what, where=f"{self.path}, entry {number}", hint=hint)

    def _check(self) -> None:
        with self._naming("read"):
            (application,) = self._connection.execute("PRAGMA application_id").fetchone()
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            schema = self._connection.execute("SELECT type, name FROM sqlite_master").fetchall()
        if application != APPLICATION:
            raise BattleFileError("this is not a battle file", where=str(self.path), hint="check the path")
        if version != VERSION:
            raise BattleFileError(
                "this battle file is of another version",
                where=str(self.path),
                found=version,
                expected=VERSION,
                hint="open it with the version of rallypoint that wrote it, or with a newer one",
            )
        if schema != [("table", "log")]:  # a view can be endless, a trigger can eat what is appended
            raise BattleFileError(
                "this battle file holds something else than a log",
                where=str(self.path),
                found=", ".join(f"{kind} {name}" for kind, name in schema) or "nothing",
                expected="table log",
                hint="somebody has edited it; go back to a copy",
            )

    def _at_path(self) -> tuple[int, int]:
        found = self.path.stat()
        return found.st_dev, found.st_ino

    def _check_file(self, doing: str) -> None:
        """See whether the file at the path is still the one that was opened: what is open outlives its name."""
        try:
            found = self._at_path()
        except FileNotFoundError:
            hint = "it was deleted or moved while it was open: put it back, or begin again with a copy"
            raise BattleFileError(
                "the battle file is gone", where=str(self.path), found="no such file", hint=hint
            ) from None
        except OSError as error:
            raise _failed(doing, self.path, error) from error
        if found != self._file:
            raise self._another()
        with self._naming(doing):
            # What SQLite remembers it takes for new where a copy was written over the file and went on by as many writes.
            self._connection.execute("PRAGMA shrink_memory")

    def _another(self) -> BattleFileError:
        hint = "it was replaced while it was open: begin the command again"
        return BattleFileError("this is another battle file now", where=str(self.path), hint=hint)

    @contextlib.contextmanager
    def _naming(self, doing: str) -> Iterator[None]:
        try:
            yield
        except _FAILURES as error:
            raise _failed(doing, self.path, error) from error


def _row(entry: Entry) -> tuple[object, ...]:
    row = (entry.number, entry.kind, entry.changes_text, entry.body_text, entry.hash)
    return *row, _checksum(*row)


def _checksum(*row: object) -> int:
    """Stand for all of an entry: the state hash alone does not cover what is there for reading."""
    return crc32("\n".join(map(str, row)).encode())


def _write_first(draft: Path, first: Entry) -> None:
    connection = sqlite3.connect(draft, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute(_TABLE)
        connection.execute(_INSERT, _row(first))
        connection.execute("COMMIT")
    finally:
        connection.close()


def _give_name(draft: Path, path: Path) -> None:
    """Give the draft its name unless something has taken it meanwhile."""
    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError:
        # No hard links here (Windows refuses the rename where something stands, other systems have links).
        draft.rename(path)


_HINTS = {
    "disk i/o": "make room on the disk, or check it, and repeat the act",
    "too large": "make room on the disk and repeat the act",
    "no space": "make room on the disk and repeat the act",
    "no such file": "check that the folder exists and may be written",
    "full": "make room on the disk and repeat the act",
    "readonly": "the file or its folder may not be written; check the permissions",
    "permission": "the file or its folder may not be written; check the permissions",
    "unable to open": "check that the folder exists and may be written",
    "locked": "another process is writing for a long time; try again",
    "not a database": "this is not a battle file, or it was cut off; go back to a copy",
    "malformed": "the file is damaged; go back to a copy",
}


def _failed(doing: str, path: Path, error: Exception) -> BattleFileError:
    text = str(error)
    if "readonly" in text.lower() and not path.exists():
        hint = "it was deleted or moved while it was open: put it back, or begin again with a copy"
        return BattleFileError("the battle file is gone", where=str(path), found="no such file", hint=hint)
    hint = next((hint for word, hint in _HINTS.items() if word in text.lower()), "the file is as it was before")
    return BattleFileError(f"cannot {doing} the battle file", where=str(path), found=text, hint=hint)
