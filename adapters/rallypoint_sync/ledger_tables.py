"""The tables of the ledger, the statements that are used more than once, and its rows as records."""

from __future__ import annotations

import sqlite3
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from rallypoint.kernel.canonical import Value, canonical, parse

from .bindings import Carrier
from .fields import Field
from .plan import Conflict, Theirs

__all__ = [
    "APPLICATION",
    "FORGET",
    "FORGET_DOCUMENT",
    "HEAD",
    "LATE",
    "SEND",
    "SENT",
    "TABLES",
    "VERSION",
    "Execute",
    "Head",
    "Sent",
    "SentState",
    "Taking",
    "conflict_in",
    "conflict_out",
]

APPLICATION = 0x52505359
VERSION = 1
TABLES = """
CREATE TABLE battle (hash TEXT NOT NULL);
CREATE TABLE vtt (name TEXT PRIMARY KEY, about TEXT NOT NULL, paused INTEGER NOT NULL DEFAULT 0);
CREATE TABLE binding (vtt TEXT, document TEXT, path TEXT, text TEXT NOT NULL, moved INTEGER NOT NULL DEFAULT 0, rank INTEGER,
    PRIMARY KEY (vtt, document, path));
CREATE TABLE base (vtt TEXT, document TEXT, path TEXT, shown TEXT NOT NULL, PRIMARY KEY (vtt, document, path));
CREATE TABLE conflict (uid TEXT, name TEXT, text TEXT NOT NULL, since INTEGER NOT NULL, PRIMARY KEY (uid, name));
CREATE TABLE tombstone (vtt TEXT, document TEXT, PRIMARY KEY (vtt, document));
CREATE TABLE opted_out (vtt TEXT, document TEXT, PRIMARY KEY (vtt, document));
CREATE TABLE policy (vtt TEXT, uid TEXT, name TEXT, owner TEXT NOT NULL, PRIMARY KEY (vtt, uid, name));
CREATE TABLE sent (number INTEGER PRIMARY KEY, batch INTEGER NOT NULL, vtt TEXT NOT NULL, document TEXT NOT NULL,
    path TEXT NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL, state TEXT NOT NULL, moment REAL NOT NULL, entry INTEGER NOT NULL);
CREATE INDEX open_sent ON sent (vtt, document, path) WHERE state IN ('sent', 'doubtful');
CREATE TABLE taking (vtt TEXT, document TEXT, path TEXT, shown TEXT NOT NULL, uid TEXT NOT NULL, name TEXT NOT NULL,
    value TEXT NOT NULL, head INTEGER NOT NULL, PRIMARY KEY (vtt, document, path));
CREATE TABLE head (number INTEGER NOT NULL, hash TEXT NOT NULL, epoch INTEGER NOT NULL, moment REAL NOT NULL);
CREATE TABLE lease (vtt TEXT PRIMARY KEY, holder TEXT NOT NULL, until REAL NOT NULL);
"""

FORGET = (
    "DELETE FROM base WHERE vtt = ?",
    "DELETE FROM tombstone WHERE vtt = ?",
    "DELETE FROM taking WHERE vtt = ?",
    "DELETE FROM opted_out WHERE vtt = ?",
    "DELETE FROM policy WHERE vtt = ?",
    "DELETE FROM sent WHERE vtt = ?",
    "DELETE FROM lease WHERE vtt = ?",
    "DELETE FROM vtt WHERE name = ?",
)
FORGET_DOCUMENT = (
    "DELETE FROM base WHERE vtt = ? AND document = ?",
    "DELETE FROM tombstone WHERE vtt = ? AND document = ?",
    "DELETE FROM opted_out WHERE vtt = ? AND document = ?",
)
HEAD = "SELECT number, hash, epoch, moment FROM head WHERE ? OR moment <= ? ORDER BY rowid DESC LIMIT 1"
SENT = (
    "SELECT number, batch, document, path, old, new, state, moment, entry FROM sent WHERE vtt = ?"
    " AND (? OR instr(?, '|' || state || '|')) AND (? OR batch = ?) ORDER BY number"
)
SEND = (
    "INSERT INTO sent (batch, vtt, document, path, old, new, state, moment, entry) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
LATE = (
    "UPDATE sent SET state = 'late' WHERE vtt = ? AND document = ? AND path = ? AND number <> ?"
    " AND state IN ('sent', 'doubtful')"
)

SentState: TypeAlias = Literal["sent", "done", "doubtful", "late", "older", "refused", "reverted"]
"""What is known of a write: it is on its way; the VTT shows it; nobody knows; nobody knows and something else has been agreed
since; nobody knows and the battle was put back since; it did not come true; it was taken back."""


class Execute(Protocol):
    """What runs a statement in a transaction."""

    def __call__(self, statement: str, values: tuple[object, ...] = (), /) -> sqlite3.Cursor:
        """Run one statement."""


class Sent(NamedTuple):
    """One value that was sent to a VTT: batch, where, what was shown before, what was sent, what is known of it, when (seconds).

    ``entry`` is the last one of the battle's log at that time.
    """

    number: int
    batch: int
    carrier: Carrier
    old: Value
    new: Value
    state: SentState
    moment: float
    entry: int


class Taking(NamedTuple):
    """A carrier whose value the battle is about to take: what it shows, for which field and value, behind which entry of the log."""

    vtt: str
    carrier: Carrier
    shown: Value
    field: Field
    value: Value
    head: int


class Head(NamedTuple):
    """The last entry of the battle's log at a moment (seconds): its number and state hash, and the epoch of the battle."""

    number: int
    hash: str
    epoch: int
    moment: float


def conflict_out(conflict: Conflict) -> str:
    """Return a conflict as text, without its field: that is the key under which it is kept."""
    return canonical(
        {"kind": conflict.kind, "ours": conflict.ours, "theirs": [tuple(each) for each in conflict.theirs]}
    )


def conflict_in(field: Field, text: str) -> Conflict:
    """Return the conflict that :func:`conflict_out` wrote."""
    row: Any = parse(text, "conflict")
    return Conflict(field, row["kind"], row["ours"], tuple([Theirs(*each) for each in row["theirs"]]))
