"""The relay as we call it: one request at a time, every answer checked, reads tried again, writes never."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from rallypoint_sync.clock import Clock, SystemClock, waits
from rallypoint_sync.transport import DoubtfulError, UnreachableError

from .blotting import Blotter
from .budget import Budget
from .refusals import failure_of
from .wire import QUICK, SLOW, STREAM, Asked, LostError, NotSentError, Secret, Told, Wire, json_of

__all__ = ["Answer", "Event", "Relay", "odd_answer", "rows_of"]

Answer = Mapping[str, object]
"""The JSON object of an answer."""

A_TURN = 60.0
"""Seconds to wait, whatever the patience, where the relay only wants us to slow down: whoever begins a look at everything
anew then uses up each request that has come back, and never gets to its end."""

_Given = TypeVar("_Given")


class Event(NamedTuple):
    """One event of a stream: its name, which the relay cuts off at times, and its data."""

    name: str
    data: Mapping[str, object]


class Relay:
    """One relay, with one key, and one world behind it.

    Args:
        wire: carries the calls.
        key: the scoped key; ``None`` for what needs none.
        client: the ``clientId`` of the world; ``None`` as long as none is chosen.
        clock: the time.
        patient: for how many seconds to try again what may pass by itself; the hub has a patience of its own.
        waiting: hears for how many seconds the next call waits, where that is a second or more: the minute's requests are used up.
    """

    def __init__(
        self,
        wire: Wire,
        key: Secret | None = None,
        client: str | None = None,
        *,
        clock: Clock | None = None,
        patient: float = 0.0,
        waiting: Callable[[float], None] = lambda _: None,
    ) -> None:
        self.wire, self.key, self.client = wire, key, client
        self._waiting = waiting
        self.clock: Clock = SystemClock() if clock is None else clock
        self.patient = patient
        self.budget = Budget(self.clock)
        self._blotter = Blotter(key)
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"Relay({self.wire!r}, client={self.client!r})"

    # Reading

    def get(self, uuid: str) -> Answer:
        """Return a document, checked to be the one that was asked for.

        Raises:
            RefusedError: there is none, or it cannot be read.
            UnreachableError: the relay or the world cannot be reached.
        """
        answer = self.read("/get", {"uuid": uuid}, where=uuid, same=("uuid", uuid))
        found = answer.get("data")
        if not isinstance(found, Mapping):
            raise odd_answer(uuid, type(found).__name__, "a document under data")
        return found

    def read(
        self,
        path: str,
        query: Mapping[str, str] | None = None,
        *,
        where: str | None = None,
        same: tuple[str, object] | None = None,
        check: Callable[[Answer], bool] | None = None,
        patience: float = QUICK,
        of_a_world: bool = True,
    ) -> Answer:
        """Return the answer to a call that changes nothing; where none comes, that may pass.

        Args:
            path: the call.
            query: its parameters.
            where: what messages call it.
            same: a key of the answer, and what must stand there; else it is the answer to something else.
            check: says whether it is the answer to this call, where that cannot be said so simply.
            patience: seconds to wait for each answer.
            of_a_world: whether it asks a world; the relay answers some by itself.
        """
        asked = Asked("GET", path, self._query(query) if of_a_world else query or {}, None, patience, self.key)

        def call() -> Answer:
            try:
                return self._checked(asked, where or path, same, check)
            except DoubtfulError as error:  # nothing was asked to be done, so nothing can be in doubt
                hint = "is the Gamemaster's browser busy or asleep? Try again"
                raise UnreachableError(
                    error.what, code=error.code, where=error.where, found=error.found, hint=hint, passing=True
                ) from None

        return self._patiently(call)

    def _patiently(self, call: Callable[[], _Given]) -> _Given:
        tries = waits(0.25, 4.0, self.patient)
        turns = waits(0.25, 4.0, max(self.patient, A_TURN))
        while True:
            try:
                return call()
            except UnreachableError as error:
                left = turns if error.code == "too_many_requests" else tries
                wait = next(left, None) if error.passing else None
                if wait is None:
                    raise
            self.clock.sleep(wait)

    # Writing

    def update(self, uuid: str, data: Mapping[str, object]) -> Answer:
        """Change a document and return it as it is afterwards.

        Raises:
            DoubtfulError: it may have been done.
            RefusedError: it was not done.
            UnreachableError: it was not sent.
        """
        answer = self.write("PUT", "/update", {"uuid": uuid}, {"data": data}, where=uuid, same=("uuid", uuid))
        rows = answer.get("entity")
        found = rows[0] if isinstance(rows, list) and len(rows) == 1 else rows
        if not isinstance(found, Mapping):
            raise DoubtfulError("the answer holds no document", code="odd_answer", where=uuid)
        return found

    def write(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: object = None,
        *,
        where: str | None = None,
        same: tuple[str, object] | None = None,
        check: Callable[[Answer], bool] | None = None,
        patience: float | None = None,
    ) -> Answer:
        """Return the answer to a call that changes something; only what was certainly not done is sent again."""
        slow = path.startswith(("/scene", "/canvas", "/upload", "/create"))
        asked = Asked(method, path, self._query(query), body, patience or (SLOW if slow else QUICK), self.key)
        return self._patiently(lambda: self._checked(asked, where or path, same, check))

    # Listening

    def listen(self, wire: Wire, kind: str, query: Mapping[str, str] | None = None) -> Iterator[Event]:
        """Yield the events of a stream; the first is ``connected``. It ends when the relay ends it.

        Args:
            wire: one of its own, since a stream takes a connection.
            kind: ``actor``, ``scene``, ``hooks`` or ``encounters``.
            query: filters.

        Raises:
            LostError: it was cut off, as each is after 600 s.
            UnreachableError: there is no such stream, or nobody there.
        """
        path = f"/{kind}/subscribe"
        try:
            told = self._sent(wire, Asked("GET", path, self._query(query), None, STREAM, self.key, stream=True))
        except NotSentError as error:
            raise _gone(error, path) from None
        if told.status != 200 or told.kind != "text/event-stream":
            raise failure_of(told, path)
        try:
            yield from _events(told.lines)
        except LostError as error:
            raise LostError(self._blotter.text(str(error))) from None

    # One call

    def ask(self, method: str, path: str, body: object = None, *, where: str | None = None) -> Answer:
        """Return the answer to a call that needs no key and no world; what passes by itself is waited for, but nobody there is not."""
        asked = Asked(method, path, {}, body)

        def call() -> Answer:
            try:
                return self._checked(asked, where or path, None, None)
            except DoubtfulError as error:
                if not error.passing:
                    raise
                raise UnreachableError(
                    error.what, code=error.code, where=error.where, found=error.found, hint="try again", passing=True
                ) from None
            except UnreachableError as error:
                error.passing = error.passing and error.code != "relay_gone"
                raise

        return self._patiently(call)

    def told(self, asked: Asked) -> Told:
        """Return whatever comes back, one call at a time, as fast as the budget lets us.

        Raises:
            UnreachableError: nobody is there.
            DoubtfulError: it was sent, and no answer came.
        """
        with self._lock:
            wait = self.budget.wait()
            if wait >= 1.0 and not self.budget.is_refused:
                self._waiting(wait)
            if wait:
                self.clock.sleep(wait)
            self.budget.count()
            try:
                told = self._sent(self.wire, asked)
            except NotSentError as error:
                raise _gone(error, asked.path) from None
            except LostError as error:
                raise DoubtfulError(
                    "no answer from the relay", code="no_answer", where=asked.path, found=error, passing=True
                ) from None
            if told.status == 429:
                self.budget.too_many()
            else:
                self.budget.let_through()
            return told

    def _sent(self, wire: Wire, asked: Asked) -> Told:
        """Return an answer, or raise why there is none, without the key: all that others say comes in here."""
        try:
            return self._blotter.told(wire.send(asked))
        except (NotSentError, LostError) as error:
            raise type(error)(self._blotter.text(str(error))) from None

    def _checked(
        self, asked: Asked, where: str, same: tuple[str, object] | None, check: Callable[[Answer], bool] | None
    ) -> Answer:
        told = self.told(asked)
        body = json_of(told.content) if 200 <= told.status < 300 else None
        if 200 <= told.status < 300 and told.kind != "application/json":
            raise DoubtfulError(
                "no answer from the relay, but of something before it", code="no_answer", where=where, found=told.kind
            )
        if not isinstance(body, Mapping):
            raise failure_of(told, where)
        crossed = (same is not None and body.get(same[0]) != same[1]) or (check is not None and not check(body))
        if crossed:
            raise DoubtfulError("this is the answer to something else", code="crossed_answer", where=where)
        return body

    def _query(self, query: Mapping[str, str] | None) -> Mapping[str, str]:
        own = {} if self.client is None else {"clientId": self.client}
        return {**own, **(query or {})}


def rows_of(holder: Mapping[str, object], key: str, where: str, *needed: str) -> list[Mapping[str, object]]:
    """Return the rows of a list in an answer, each with these texts.

    >>> rows_of({"encounters": [{"id": "a"}]}, "encounters", "/encounters", "id")
    [{'id': 'a'}]

    Raises:
        UnreachableError: it has another shape.
    """
    rows = holder.get(key)
    expected = f"a list {key}, each with {' and '.join(needed)}" if needed else f"a list {key}"
    if not isinstance(rows, list):
        raise odd_answer(where, type(rows).__name__, expected)
    for row in rows:
        if not isinstance(row, Mapping) or not all(isinstance(row.get(each), str) and row[each] for each in needed):
            raise odd_answer(where, row, expected)
    return rows


def odd_answer(where: str, found: object, expected: str) -> UnreachableError:
    """Return the failure that an answer has another shape than is known."""
    hint = "is it a relay of 3.4, and is the REST API module as new as that? Nothing was changed by this call"
    return UnreachableError(
        "the relay answers in a way that is not known",
        code="odd_answer",
        where=where,
        found=str(found)[:120],
        expected=expected,
        hint=hint,
    )


def _gone(error: Exception, path: str) -> UnreachableError:
    hint = "is it running, and is its address right? rallypoint foundry connect finds out"
    return UnreachableError(
        "the relay cannot be reached", code="relay_gone", where=path, found=error, hint=hint, passing=True
    )


def _events(lines: Iterator[str]) -> Iterator[Event]:
    """Yield the events in the lines of a stream; what is no JSON object is passed over."""
    name, data = "", ""
    for line in lines:
        if line.startswith("event:"):
            name = line[6:].strip()
        elif line.startswith("data:"):
            data += line[5:].strip()
        elif not line and (name or data):
            body = json_of(data.encode())
            if isinstance(body, Mapping):
                yield Event(name, body)
            name, data = "", ""
