"""The ledger: what is bound, what was last agreed, what disagrees, what was sent. One SQLite file beside the battle's.

It is not in the battle file: that one is a log that anybody may be given, and the ledger speaks of one table's worlds. No key
is ever in it. Each method is one transaction: a kill leaves the old or the new state. Only who holds the lease of a VTT
writes to it.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from rallypoint.kernel.canonical import Value, canonical, parse
from rallypoint.kernel.errors import BattleFileError

from .bindings import Binding, Carrier
from .fields import Field
from .lens_text import binding_in, binding_out
from .plan import Conflict, Theirs

__all__ = ["Ledger", "Sent", "SentState", "ledger_path"]

APPLICATION = 0x52505359
VERSION = 1
_TABLES = """
CREATE TABLE battle (hash TEXT NOT NULL);
CREATE TABLE vtt (name TEXT PRIMARY KEY, about TEXT NOT NULL, paused INTEGER NOT NULL DEFAULT 0);
CREATE TABLE binding (vtt TEXT, document TEXT, path TEXT, text TEXT NOT NULL, moved INTEGER NOT NULL DEFAULT 0, rank INTEGER,
    PRIMARY KEY (vtt, document, path));
CREATE TABLE base (vtt TEXT, document TEXT, path TEXT, shown TEXT NOT NULL, PRIMARY KEY (vtt, document, path));
CREATE TABLE conflict (uid TEXT, name TEXT, text TEXT NOT NULL, since INTEGER NOT NULL, PRIMARY KEY (uid, name));
CREATE TABLE tombstone (vtt TEXT, document TEXT, PRIMARY KEY (vtt, document));
CREATE TABLE sent (number INTEGER PRIMARY KEY, batch INTEGER NOT NULL, vtt TEXT NOT NULL, document TEXT NOT NULL,
    path TEXT NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL, state TEXT NOT NULL, moment REAL NOT NULL);
CREATE TABLE lease (vtt TEXT PRIMARY KEY, holder TEXT NOT NULL, until REAL NOT NULL);
"""

_FORGET = (
    "DELETE FROM base WHERE vtt = ?",
    "DELETE FROM tombstone WHERE vtt = ?",
    "DELETE FROM sent WHERE vtt = ?",
    "DELETE FROM lease WHERE vtt = ?",
    "DELETE FROM vtt WHERE name = ?",
)
_SEND = "INSERT INTO sent (batch, vtt, document, path, old, new, state, moment) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"

SentState: TypeAlias = Literal["sent", "done", "doubtful", "refused", "reverted"]
"""What is known of a write: it is on its way, the VTT shows it, nobody knows, the VTT said no, it was taken back."""


class _Execute(Protocol):
    def __call__(self, statement: str, values: tuple[object, ...] = (), /) -> sqlite3.Cursor: ...


class Sent(NamedTuple):
    """One value that was sent to a VTT: batch, where, what was shown before, what was sent, what is known of it, when (seconds)."""

    number: int
    batch: int
    carrier: Carrier
    old: Value
    new: Value
    state: SentState
    moment: float


def ledger_path(battle: Path) -> Path:
    """Return the path of the ledger of a battle file.

    >>> ledger_path(Path("first.battle")).name
    'first.battle.sync'
    """
    return battle.with_name(f"{battle.name}.sync")


class Ledger:
    """An open ledger; use it in a ``with`` statement.

    Args:
        path: where it is kept; made if need be. ``None``: in memory.
        battle: the hash of the first entry of the battle that it belongs to.
        wait: seconds to wait for another process that is writing.

    Raises:
        BattleFileError: it cannot be read or made, is none, or belongs to another battle.
    """

    def __init__(self, path: Path | None, battle: str, *, wait: float = 10.0) -> None:
        self.path = path
        name = ":memory:" if path is None else str(path)
        with self._naming():
            self._connection = sqlite3.connect(name, timeout=wait, isolation_level=None)
        try:
            self._check(battle)
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _check(self, battle: str) -> None:
        with self._transaction() as execute:
            (application,) = execute("PRAGMA application_id").fetchone()
            (tables,) = execute("SELECT count(*) FROM sqlite_master").fetchone()
            if not application and not tables:
                execute(f"PRAGMA application_id = {APPLICATION}")
                execute(f"PRAGMA user_version = {VERSION}")
                for statement in filter(str.strip, _TABLES.split(";")):
                    execute(statement)
                execute("INSERT INTO battle VALUES (?)", (battle,))
                return
            (version,) = execute("PRAGMA user_version").fetchone()
            if application != APPLICATION or version != VERSION:
                hint = "move it away, and bind anew"
                raise BattleFileError(
                    "this is no ledger of this version", where=str(self.path), found=version, hint=hint
                )
            (known,) = execute("SELECT hash FROM battle").fetchone()
        if known != battle:
            hint = "it lies beside the battle that it was made for; move it away to bind this one"
            raise BattleFileError("this ledger belongs to another battle", where=str(self.path), hint=hint)

    # VTTs

    def about(self, vtt: str) -> Mapping[str, Value]:
        """Return what an adapter keeps of its VTT (world, scene), nothing for one that is not bound."""
        row = self._one("SELECT about FROM vtt WHERE name = ?", (vtt,))
        found = {} if row is None else parse(str(row[0]), "ledger")
        return found if isinstance(found, Mapping) else {}

    def vtts(self) -> tuple[str, ...]:
        """Return the VTTs that are bound."""
        return tuple([str(name) for (name,) in self._all("SELECT name FROM vtt ORDER BY name")])

    def bind(self, vtt: str, about: Mapping[str, object], bindings: Iterable[Binding]) -> None:
        """Bind carriers of a VTT, besides those that are bound already; what an adapter says of it replaces what it said.

        Args:
            vtt: its name.
            about: what the adapter must know next time; no keys.
            bindings: new ones, and old ones with another lens or owner.
        """
        with self._transaction() as execute:
            execute("INSERT OR IGNORE INTO vtt (name, about) VALUES (?, '{}')", (vtt,))
            execute("UPDATE vtt SET about = ? WHERE name = ?", (canonical(about), vtt))
            (rank,) = execute("SELECT coalesce(max(rank), 0) FROM binding").fetchone()
            for number, binding in enumerate(bindings, rank + 1):
                key = (vtt, *binding.carrier)
                execute(
                    "INSERT INTO binding (vtt, document, path, text, rank) VALUES (?, ?, ?, ?, ?)"
                    " ON CONFLICT DO UPDATE SET text = excluded.text",
                    (*key, binding_out(binding), number),
                )
                execute("DELETE FROM tombstone WHERE vtt = ? AND document = ?", (vtt, binding.carrier.document))

    def unbind(self, vtt: str, documents: Iterable[str] | None = None) -> int:
        """Forget documents of a VTT, or all of it; return how many carriers were bound."""
        with self._transaction() as execute:
            if documents is None:
                count = execute("DELETE FROM binding WHERE vtt = ?", (vtt,)).rowcount
                for statement in _FORGET:
                    execute(statement, (vtt,))
                return count
            count = 0
            for document in documents:
                count += execute("DELETE FROM binding WHERE vtt = ? AND document = ?", (vtt, document)).rowcount
                execute("DELETE FROM base WHERE vtt = ? AND document = ?", (vtt, document))
            return count

    def bindings(self, vtt: str) -> tuple[Binding, ...]:
        """Return the bindings of a VTT; where it dropped a value, the carrier is the fallback by now."""
        rows = self._all("SELECT document, path, text, moved FROM binding WHERE vtt = ? ORDER BY rank", (vtt,))
        found = []
        for document, path, text, moved in rows:
            binding = binding_in(Carrier(str(document), str(path)), str(text))
            if moved and binding.fallback is not None:
                binding = binding._replace(carrier=binding.fallback, fallback=None)
            found.append(binding)
        return tuple(found)

    def move_to_fallback(self, vtt: str, carrier: Carrier) -> None:
        """Remember that a VTT drops what a carrier is given: its fallback carries the value from now on."""
        self._do("UPDATE binding SET moved = 1 WHERE vtt = ? AND document = ? AND path = ?", (vtt, *carrier))

    def paused(self, vtt: str) -> bool:
        """Say whether a VTT is paused."""
        row = self._one("SELECT paused FROM vtt WHERE name = ?", (vtt,))
        return row is not None and bool(row[0])

    def pause(self, vtt: str, yes: bool = True) -> None:
        """Pause a VTT, or go on."""
        self._do("UPDATE vtt SET paused = ? WHERE name = ?", (int(yes), vtt))

    # What was agreed

    def base(self, vtt: str) -> Mapping[Carrier, Value]:
        """Return what was last agreed for each carrier, as the VTT shows it."""
        rows = self._all("SELECT document, path, shown FROM base WHERE vtt = ?", (vtt,))
        return {Carrier(str(document), str(path)): parse(str(shown), "base") for document, path, shown in rows}

    def agree(self, vtt: str, shown: Mapping[Carrier, Value]) -> None:
        """Remember what carriers show, and that it is agreed."""
        with self._transaction() as execute:
            for carrier, value in shown.items():
                execute("INSERT OR REPLACE INTO base VALUES (?, ?, ?, ?)", (vtt, *carrier, canonical(value)))

    def tombstones(self, vtt: str) -> frozenset[str]:
        """Return the documents that were deleted at the VTT; they are not made again by themselves."""
        return frozenset([str(name) for (name,) in self._all("SELECT document FROM tombstone WHERE vtt = ?", (vtt,))])

    def bury(self, vtt: str, documents: Iterable[str]) -> None:
        """Remember documents that are not there any more."""
        with self._transaction() as execute:
            for document in documents:
                execute("INSERT OR IGNORE INTO tombstone VALUES (?, ?)", (vtt, document))

    def unbury(self, vtt: str, documents: Iterable[str]) -> None:
        """Forget tombstones of documents that are there again."""
        with self._transaction() as execute:
            for document in documents:
                execute("DELETE FROM tombstone WHERE vtt = ? AND document = ?", (vtt, document))

    # What disagrees

    def conflicts(self) -> Mapping[Field, Conflict]:
        """Return the conflicts that are open, in the order in which they came."""
        rows = self._all("SELECT uid, name, text FROM conflict ORDER BY since, uid, name")
        return {
            Field(str(uid), str(name)): _conflict_in(Field(str(uid), str(name)), str(text)) for uid, name, text in rows
        }

    def keep(self, conflicts: Iterable[Conflict], since: int) -> None:
        """Keep conflicts; ``since`` is the head of the log when they were first seen."""
        with self._transaction() as execute:
            for conflict in conflicts:
                execute(
                    "INSERT INTO conflict VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET text = excluded.text",
                    (*conflict.field, _conflict_out(conflict), since),
                )

    def settle(self, fields: Iterable[Field]) -> None:
        """Forget conflicts that are resolved."""
        with self._transaction() as execute:
            for field in fields:
                execute("DELETE FROM conflict WHERE uid = ? AND name = ?", tuple(field))

    # What was sent

    def begin_batch(self) -> int:
        """Return the number of a new batch."""
        row = self._one("SELECT coalesce(max(batch), 0) + 1 FROM sent")
        assert row is not None
        return int(str(row[0]))

    def send(
        self, vtt: str, batch: int, values: Mapping[Carrier, tuple[Value, Value]], moment: float
    ) -> tuple[int, ...]:
        """Note values that are about to be sent, by carrier what is shown and what is sent; return their numbers."""
        numbers = []
        with self._transaction() as execute:
            for carrier, (old, new) in values.items():
                row = (batch, vtt, *carrier, canonical(old), canonical(new), "sent", moment)
                done = execute(_SEND, row)
                numbers.append(int(done.lastrowid or 0))
        return tuple(numbers)

    def mark(self, numbers: Iterable[int], state: SentState) -> None:
        """Note what is known of writes."""
        with self._transaction() as execute:
            for number in numbers:
                execute("UPDATE sent SET state = ? WHERE number = ?", (state, number))

    def sent(self, vtt: str, *, batch: int | None = None, states: tuple[SentState, ...] = ()) -> tuple[Sent, ...]:
        """Return writes to a VTT, oldest first, of one batch or in some states alone."""
        rows = self._all(
            "SELECT number, batch, document, path, old, new, state, moment FROM sent WHERE vtt = ? ORDER BY number",
            (vtt,),
        )
        found = [
            Sent(number, of, Carrier(document, path), parse(old, "ledger"), parse(new, "ledger"), state, moment)  # type: ignore[arg-type]
            for number, of, document, path, old, new, state, moment in rows
        ]
        return tuple([each for each in found if batch in (None, each.batch) and (not states or each.state in states)])

    # Who may write

    def lease(self, vtt: str, holder: str, now: float, seconds: float) -> str | None:
        """Take or renew the lease of a VTT; return ``None``, or who holds it."""
        with self._transaction() as execute:
            row = execute("SELECT holder, until FROM lease WHERE vtt = ?", (vtt,)).fetchone()
            if row is not None and row[0] != holder and row[1] > now:
                return str(row[0])
            execute("INSERT OR REPLACE INTO lease VALUES (?, ?, ?)", (vtt, holder, now + seconds))
        return None

    def release(self, vtt: str, holder: str) -> None:
        """Give a lease back."""
        self._do("DELETE FROM lease WHERE vtt = ? AND holder = ?", (vtt, holder))

    # SQLite

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[_Execute]:
        with self._naming():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection.execute
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    def _do(self, statement: str, values: tuple[object, ...]) -> None:
        with self._transaction() as execute:
            execute(statement, values)

    def _all(self, statement: str, values: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        with self._naming():
            return self._connection.execute(statement, values).fetchall()

    def _one(self, statement: str, values: tuple[object, ...] = ()) -> tuple[object, ...] | None:
        rows = self._all(statement, values)
        return rows[0] if rows else None

    @contextlib.contextmanager
    def _naming(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            hint = "is the disk full, or does another process write for long?"
            raise BattleFileError(
                "the ledger cannot be used", where=str(self.path), found=str(error), hint=hint
            ) from error


def _conflict_out(conflict: Conflict) -> str:
    return canonical(
        {"kind": conflict.kind, "ours": conflict.ours, "theirs": [tuple(each) for each in conflict.theirs]}
    )


def _conflict_in(field: Field, text: str) -> Conflict:
    row: Any = parse(text, "conflict")
    return Conflict(field, row["kind"], row["ours"], tuple([Theirs(*each) for each in row["theirs"]]))
