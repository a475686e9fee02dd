"""The ledger: what is bound, what was last agreed, what disagrees, what was sent. One SQLite file beside the battle's.

It is not in the battle file: that one is a log that anybody may be given, and the ledger speaks of one table's worlds. No key
is ever in it. Each method is one transaction: a kill leaves the old or the new state. Only who holds the lease of a VTT
writes to it. It is kept in SQLite's WAL mode, without waiting for the disk at each write to a VTT: what a failing computer
forgets of it is found out again by reading.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from rallypoint.kernel.canonical import Value, canonical, parse
from rallypoint.kernel.errors import BattleFileError, InputError

from .bindings import OWNERS, Binding, Carrier, Owner
from .fields import Field
from .ledger_tables import (
    APPLICATION,
    FORGET,
    FORGET_DOCUMENT,
    HEAD,
    LATE,
    SEND,
    SENT,
    TABLES,
    VERSION,
    Execute,
    Head,
    Sent,
    SentState,
    Taking,
    conflict_in,
    conflict_out,
)
from .lens_text import binding_in, binding_out
from .plan import Conflict, Theirs

__all__ = ["Head", "Ledger", "Sent", "SentState", "Taking", "ledger_path"]

NO_NUMBERS: Mapping[Carrier, int] = MappingProxyType({})


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
        self._version: object = None
        name = ":memory:" if path is None else str(path)
        with self._naming():
            self._connection = sqlite3.connect(name, timeout=wait, isolation_level=None)
        try:
            self._check(battle)
            with self._naming():  # now that it is known to be ours
                self._connection.execute("PRAGMA journal_mode = WAL")
                self._connection.execute("PRAGMA synchronous = NORMAL")
            self._file = self._at_path()
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
                application = APPLICATION
                execute(f"PRAGMA application_id = {application}")
                execute(f"PRAGMA user_version = {VERSION}")
                for statement in filter(str.strip, TABLES.split(";")):
                    execute(statement)
                execute("INSERT INTO battle VALUES (?)", (battle,))
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

    def _at_path(self) -> tuple[int, int] | None:
        try:
            found = None if self.path is None else self.path.stat()
        except OSError:
            return None
        return None if found is None else (found.st_dev, found.st_ino)

    def _check_file(self) -> None:
        """See whether the file at the path is still the one that was opened: others would note their writes elsewhere."""
        found = self._at_path()
        if found == self._file:
            return
        what = "the ledger is gone" if found is None else "this is another ledger now"
        hint = "begin the command again; where it was deleted, bind anew"
        raise BattleFileError(what, where=str(self.path), hint=hint)

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

        A carrier that gets other fields (a unit was replaced) meets them for the first time.

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
                text = execute("SELECT text FROM binding WHERE vtt = ? AND document = ? AND path = ?", key).fetchone()
                if text is not None and binding_in(binding.carrier, str(text[0])).fields != binding.fields:
                    _forget(execute, *key)
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
                for statement in FORGET:
                    execute(statement, (vtt,))
                _drop_theirs(execute, lambda each: each.vtt == vtt)
                return count
            gone = set(documents)
            count = 0
            for document in gone:
                count += execute("DELETE FROM binding WHERE vtt = ? AND document = ?", (vtt, document)).rowcount
                for statement in FORGET_DOCUMENT:
                    execute(statement, (vtt, document))
            _drop_theirs(execute, lambda each: each.vtt == vtt and each.document in gone)
            return count

    def bindings(self, vtt: str) -> tuple[Binding, ...]:
        """Return the bindings of a VTT; where it dropped a value, the carrier is the fallback by now. Policies are in force."""
        rows = self._all("SELECT document, path, text, moved FROM binding WHERE vtt = ? ORDER BY rank", (vtt,))
        policies = self.policies(vtt)
        found = []
        for document, path, text, moved in rows:
            binding = binding_in(Carrier(str(document), str(path)), str(text))
            if moved and binding.fallback is not None:
                binding = binding._replace(carrier=binding.fallback, fallback=None, first="battle")
            uid, name = binding.field
            for key in ((uid, name), (uid, ""), ("", name), ("", "")):
                if key in policies:
                    binding = binding._replace(owner=policies[key])
                    break
            found.append(binding)
        return tuple(found)

    def bound(self, vtt: str) -> tuple[int, int]:
        """Return how many carriers of a VTT are bound, and the rank of the last: what says that more or others are by now."""
        row: Any = self._one("SELECT count(*), coalesce(max(rank), 0) FROM binding WHERE vtt = ?", (vtt,))
        return int(row[0]), int(row[1])

    def policies(self, vtt: str) -> Mapping[tuple[str, str], Owner]:
        """Return who owns what by (uid, name of the field), where somebody has said so; an empty text stands for any."""
        rows = self._all("SELECT uid, name, owner FROM policy WHERE vtt = ?", (vtt,))
        return {(str(uid), str(name)): cast("Owner", owner) for uid, name, owner in rows}

    def set_policy(self, vtt: str, owner: Owner | None, *, uid: str = "", name: str = "") -> None:
        """Say who owns a field, all fields of a unit, a field of all units, or everything at a VTT; the narrower word holds.

        Args:
            vtt: the VTT.
            owner: whose value holds; ``None`` takes back what was said.
            uid: of which entity; empty: of any.
            name: which field, ``Wounds``; empty: any.

        Raises:
            InputError: there is no such owner.
        """
        if owner is None:
            self._do("DELETE FROM policy WHERE vtt = ? AND uid = ? AND name = ?", (vtt, uid, name))
        elif owner not in OWNERS:
            raise InputError("nobody of this name can own a field", found=owner, expected=", ".join(OWNERS))
        else:
            self._do("INSERT OR REPLACE INTO policy VALUES (?, ?, ?, ?)", (vtt, uid, name, owner))

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

    def opted_out(self, vtt: str) -> frozenset[str]:
        """Return the documents that somebody here has taken out of the sync."""
        return frozenset([str(name) for (name,) in self._all("SELECT document FROM opted_out WHERE vtt = ?", (vtt,))])

    def opt_out(self, vtt: str, document: str, yes: bool = True) -> None:
        """Take a document out of the sync, or take it in again; what is agreed of it is kept meanwhile."""
        if yes:
            self._do("INSERT OR IGNORE INTO opted_out VALUES (?, ?)", (vtt, document))
        else:
            self._do("DELETE FROM opted_out WHERE vtt = ? AND document = ?", (vtt, document))

    # What was agreed

    def base(self, vtt: str) -> Mapping[Carrier, Value]:
        """Return what was last agreed for each carrier, as the VTT shows it."""
        rows = self._all("SELECT document, path, shown FROM base WHERE vtt = ?", (vtt,))
        return {Carrier(str(document), str(path)): parse(str(shown), "base") for document, path, shown in rows}

    def agree(self, vtt: str, shown: Mapping[Carrier, Value], done: Mapping[Carrier, int] = NO_NUMBERS) -> None:
        """Remember what carriers show, and that it is agreed.

        Args:
            vtt: the VTT.
            shown: what is shown, by carrier.
            done: the numbers of the writes that came true by that. Others to the same carriers that nobody knows of are late
                from now on.
        """
        with self._transaction() as execute:
            for carrier, value in shown.items():
                _agree(execute, vtt, carrier, value, done.get(carrier, 0))

    def take(self, takings: Iterable[Taking]) -> None:
        """Note values that the battle is about to take; agreeing on their carriers ends it."""
        with self._transaction() as execute:
            for vtt, carrier, shown, field, value, head in takings:
                row = (vtt, *carrier, canonical(shown), *field, canonical(value), head)
                execute("INSERT OR REPLACE INTO taking VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def takings(self) -> tuple[Taking, ...]:
        """Return what a process was about to take when it ended, or is about to take now."""
        rows: list[tuple[Any, ...]] = self._all("SELECT * FROM taking")
        return tuple(
            [
                Taking(
                    vtt, Carrier(document, path), parse(shown, "ledger"), Field(uid, name), parse(value, "ledger"), head
                )
                for vtt, document, path, shown, uid, name, value, head in rows
            ]
        )

    def forget_takings(self, vtt: str) -> None:
        """Forget what was about to be taken from a VTT and was not."""
        self._do("DELETE FROM taking WHERE vtt = ?", (vtt,))

    def forget_base(self, vtt: str, documents: Iterable[str] | None = None) -> None:
        """Forget what was agreed with a VTT, or of some documents there: the two meet for the first time again."""
        with self._transaction() as execute:
            for document in ("",) if documents is None else documents:
                execute("DELETE FROM base WHERE vtt = ? AND (? OR document = ?)", (vtt, documents is None, document))

    def forget_agreed(self, vtt: str, carriers: Iterable[Carrier]) -> None:
        """Forget what was agreed of some carriers at a VTT, and nothing else of their documents."""
        with self._transaction() as execute:
            for carrier in carriers:
                execute("DELETE FROM base WHERE vtt = ? AND document = ? AND path = ?", (vtt, *carrier))

    def tombstones(self, vtt: str) -> frozenset[str]:
        """Return the documents that were deleted at the VTT; they are not made again by themselves."""
        return frozenset([str(name) for (name,) in self._all("SELECT document FROM tombstone WHERE vtt = ?", (vtt,))])

    def bury(self, vtt: str, documents: Iterable[str]) -> None:
        """Remember documents that are not there any more."""
        with self._transaction() as execute:
            for document in documents:
                execute("INSERT OR IGNORE INTO tombstone VALUES (?, ?)", (vtt, document))

    def meet_again(self, vtt: str, shown: Mapping[Carrier, Value]) -> None:
        """Remember that deleted documents are there again; what they show is known, so it counts as nobody's edit."""
        with self._transaction() as execute:
            for carrier, value in shown.items():
                _agree(execute, vtt, carrier, value, 0)
                execute("DELETE FROM tombstone WHERE vtt = ? AND document = ?", (vtt, carrier.document))

    # What disagrees

    def conflicts(self) -> Mapping[Field, Conflict]:
        """Return the conflicts that are open, in the order in which they came."""
        rows = self._all("SELECT uid, name, text FROM conflict ORDER BY since, uid, name")
        return {
            Field(str(uid), str(name)): conflict_in(Field(str(uid), str(name)), str(text)) for uid, name, text in rows
        }

    def keep(self, conflicts: Iterable[Conflict], since: int) -> None:
        """Keep conflicts; ``since`` is the head of the log when they were first seen."""
        with self._transaction() as execute:
            for conflict in conflicts:
                execute(
                    "INSERT INTO conflict VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET text = excluded.text",
                    (*conflict.field, conflict_out(conflict), since),
                )

    def settle(self, fields: Iterable[Field]) -> None:
        """Forget conflicts that are resolved."""
        with self._transaction() as execute:
            for field in fields:
                execute("DELETE FROM conflict WHERE uid = ? AND name = ?", tuple(field))

    def resolve(self, conflict: Conflict) -> None:
        """Forget a conflict that somebody has resolved; what was shown then is known, so it counts as an edit no more."""
        with self._transaction() as execute:
            for each in conflict.theirs:
                key = (each.vtt, each.document, each.path)
                execute("INSERT OR REPLACE INTO base VALUES (?, ?, ?, ?)", (*key, canonical(each.shown)))
                execute(LATE, (*key, 0))
            execute("DELETE FROM conflict WHERE uid = ? AND name = ?", tuple(conflict.field))

    # The battle's log

    def last_head(self, until: float | None = None) -> Head | None:
        """Return the head of the battle's log that was met last, or last until a moment; ``None`` where none was."""
        row: Any = self._one(HEAD, (until is None, until))
        return None if row is None else Head(*row)

    def see(self, head: Head, older: bool) -> None:
        """Remember the head of the battle's log. ``older``: what was sent before belongs to an epoch that is past."""
        with self._transaction() as execute:
            execute("INSERT INTO head VALUES (?, ?, ?, ?)", head)
            if older:
                execute("UPDATE sent SET state = 'older' WHERE state IN ('sent', 'doubtful', 'late')")

    # What was sent

    def begin_batch(self) -> int:
        """Return the number of a new batch."""
        row = self._one("SELECT coalesce(max(batch), 0) + 1 FROM sent")
        assert row is not None
        return int(str(row[0]))

    def send(
        self, vtt: str, batch: int, values: Mapping[Carrier, tuple[Value, Value]], moment: float, entry: int
    ) -> tuple[int, ...]:
        """Note values that are about to be sent, by carrier what is shown and what is sent; return their numbers.

        ``entry`` is the last one of the battle's log.
        """
        numbers = []
        with self._transaction() as execute:
            for carrier, (old, new) in values.items():
                row = (batch, vtt, *carrier, canonical(old), canonical(new), "sent", moment, entry)
                done = execute(SEND, row)
                numbers.append(int(done.lastrowid or 0))
        return tuple(numbers)

    def put_off(self, numbers: Iterable[int], moment: float) -> None:
        """Note that writes which are on their way go out only now."""
        with self._transaction() as execute:
            for number in numbers:
                execute("UPDATE sent SET moment = ? WHERE number = ?", (moment, number))

    def came_of(self, vtt: str, true: Mapping[int, tuple[Carrier, Value]], others: Mapping[int, SentState]) -> None:
        """Note what came of writes, by number: ``true`` are those that came true with what is shown, which is agreed then."""
        if not true and not others:
            return
        with self._transaction() as execute:
            for number, (carrier, shown) in true.items():
                _agree(execute, vtt, carrier, shown, number)
            for number, state in others.items():
                execute("UPDATE sent SET state = ? WHERE number = ?", (state, number))

    def mark(self, numbers: Iterable[int], state: SentState) -> None:
        """Note what is known of writes."""
        with self._transaction() as execute:
            for number in numbers:
                execute("UPDATE sent SET state = ? WHERE number = ?", (state, number))

    def sent(self, vtt: str, *, batch: int | None = None, states: tuple[SentState, ...] = ()) -> tuple[Sent, ...]:
        """Return writes to a VTT, oldest first, of one batch or in some states alone."""
        rows: list[tuple[Any, ...]] = self._all(SENT, (vtt, not states, f"|{'|'.join(states)}|", batch is None, batch))
        return tuple(
            [
                Sent(
                    number,
                    of,
                    Carrier(document, path),
                    parse(old, "ledger"),
                    parse(new, "ledger"),
                    state,
                    moment,
                    entry,
                )
                for number, of, document, path, old, new, state, moment, entry in rows
            ]
        )

    # Who may write

    def lease(self, vtt: str, holder: str, now: float, seconds: float) -> str | None:
        """Take or renew the lease of a VTT; return ``None``, or who holds it.

        Raises:
            BattleFileError: the file is gone, or another one by now.
        """
        self._check_file()
        with self._transaction() as execute:
            row = execute("SELECT holder, until FROM lease WHERE vtt = ?", (vtt,)).fetchone()
            if row is not None and row[0] != holder and row[1] > now:
                return str(row[0])
            execute("INSERT OR REPLACE INTO lease VALUES (?, ?, ?)", (vtt, holder, now + seconds))
        return None

    def held(self, vtt: str, now: float) -> str | None:
        """Return who holds the lease of a VTT; ``None``: nobody."""
        row = self._one("SELECT holder FROM lease WHERE vtt = ? AND until > ?", (vtt, now))
        return None if row is None else str(row[0])

    def release(self, vtt: str, holder: str) -> None:
        """Give a lease back."""
        self._do("DELETE FROM lease WHERE vtt = ? AND holder = ?", (vtt, holder))

    def keeps(self, vtt: str, holder: str) -> bool:
        """Say whether nobody else has had the lease since it was taken, even if it has run out meanwhile."""
        return self._one("SELECT 1 FROM lease WHERE vtt = ? AND holder = ?", (vtt, holder)) is not None

    def touched(self) -> bool:
        """Say whether another process has written here since it was asked last; the first time it is no."""
        (now,) = self._one("PRAGMA data_version") or (None,)
        before, self._version = self._version, now
        return before is not None and before != now

    # SQLite

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[Execute]:
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
            raise BattleFileError(
                "the ledger cannot be used", where=str(self.path), found=str(error), hint=_hint_of(error, self.path)
            ) from error


def _hint_of(error: sqlite3.Error, path: Path | None) -> str:
    """Return what to do about a failure of the ledger's file."""
    if path is not None and not path.exists():
        return "the file is gone: begin the command again; where it was deleted, bind anew"
    if any(word in str(error) for word in ("not a database", "malformed", "corrupt")):
        return "it is damaged: move it away, and bind anew; nothing of the battle is lost"
    return "may this folder be written to, is it the file of a sync, is the disk full, does another process write for long?"


def _agree(execute: Execute, vtt: str, carrier: Carrier, shown: Value, number: int) -> None:
    """Remember what a carrier shows, and the number of the write that came true by that; 0 where none did."""
    execute("INSERT OR REPLACE INTO base VALUES (?, ?, ?, ?)", (vtt, *carrier, canonical(shown)))
    execute(LATE, (vtt, *carrier, number))
    execute("DELETE FROM taking WHERE vtt = ? AND document = ? AND path = ?", (vtt, *carrier))
    if number:
        execute("UPDATE sent SET state = 'done' WHERE number = ?", (number,))


def _forget(execute: Execute, vtt: str, document: str, path: str) -> None:
    execute("DELETE FROM base WHERE vtt = ? AND document = ? AND path = ?", (vtt, document, path))
    execute(LATE, (vtt, document, path, 0))
    _drop_theirs(execute, lambda each: (each.vtt, each.document, each.path) == (vtt, document, path))


def _drop_theirs(execute: Execute, gone: Callable[[Theirs], bool]) -> None:
    """Take carriers that are bound no more out of the conflicts; one in which nobody disagrees any more is none."""
    for uid, name, text in execute("SELECT uid, name, text FROM conflict").fetchall():
        conflict = conflict_in(Field(uid, name), text)
        left = tuple([each for each in conflict.theirs if not gone(each)])
        if not left:
            execute("DELETE FROM conflict WHERE uid = ? AND name = ?", (uid, name))
        elif left != conflict.theirs:
            kept = conflict_out(conflict._replace(theirs=left))
            execute("UPDATE conflict SET text = ? WHERE uid = ? AND name = ?", (kept, uid, name))
