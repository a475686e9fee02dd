"""What came of a sync, for people and for programs: lines, JSON, an exit status, and a teller for what goes on and on."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence

from .hub import Synced
from .merge import UNREAD
from .saying import complain, say
from .seat import Seat
from .transport import UnreachableError
from .watching import News
from .wishes import BindAnew, SetValue, Wish
from .words import conflict_lines, conflict_value, plan_value, said

__all__ = ["Teller", "exit_status", "synced_lines", "synced_value"]

A_WHILE = 2.0
"""Seconds for which another process may write without it being told: two that watch, each its VTT, take turns all the time."""


def exit_status(done: Synced) -> int:
    """Return 3 where a VTT went away in the middle, 1 where a person is needed, else 0."""
    if done.away:
        return UnreachableError.exit_status
    unread = any(each.why.startswith(UNREAD) for each in done.plan.left_out)
    return 1 if done.plan.conflicts or done.failed or unread else 0


def synced_lines(done: Synced) -> Iterator[str]:
    """Yield what became of the writes."""
    for write in done.moved:
        yield f"{write.binding.field} goes to our flag from now on: {write.vtt} does not keep it at {write.binding.carrier.path}"
    for failure in done.failed:
        yield f"failed: {failure.write.binding.field} ({failure.write.binding.carrier}): {failure.why}"
    for vtt, error in done.away.items():
        yield f"{vtt} went away: {error}"
    yield f"{len(done.done)} written, {len(done.failed)} failed, {len(done.plan.edits)} taken, {len(done.plan.conflicts)} in conflict"


def synced_value(done: Synced) -> Mapping[str, object]:
    """Return what a sync did, for ``--json``."""
    return {
        "plan": plan_value(done.plan),
        "written": len(done.done),
        "failed": [
            {"field": tuple(each.write.binding.field), "document": each.write.binding.carrier.document, "why": each.why}
            for each in done.failed
        ],
        "moved": [str(each.binding.field) for each in done.moved],
        "conflicts": [conflict_value(each) for each in done.plan.conflicts],
        "away": {vtt: {"error": str(error), "code": error.code} for vtt, error in done.away.items()},
        "batch": done.batch,
    }


class Teller:
    """Tells what happens, each failure once.

    Args:
        seat: where it happens.
        in_json: say it as a line of JSON each.
        several: there is more than one VTT, so each line names its own.
    """

    def __init__(self, seat: Seat, *, in_json: bool, several: bool = False) -> None:
        self.seat, self.in_json, self.several = seat, in_json, several
        self.written = self.taken = 0
        self._said: set[str] = set()
        self._left: set[str] = set()
        self._away: set[str] = set()
        self._busy_from: float | None = None
        self._busy_told = False

    def __call__(self, news: News) -> None:
        """Tell it."""
        back = self._came_back(news)
        if self._is_old(news):
            return
        if news.what == "away":
            self._away.add(news.vtt)
        if self.in_json:
            self._as_json(news, back)
        else:
            self._as_lines(news, back)
        sys.stdout.flush()

    def _came_back(self, news: News) -> list[str]:
        """Return who was away and is not any more."""
        back = {news.vtt} if news.what == "listening" else news.synced.reached if news.synced else set[str]()
        found = sorted(self._away & back)
        self._away.difference_update(found)
        return found

    def _is_old(self, news: News) -> bool:
        """Say whether it need not be told: who is away is told once, and that another process writes only when that takes a while."""
        if news.what == "away" and news.vtt in self._away:
            return True
        if news.what != "busy":
            self._busy_from, self._busy_told = None, False
            return False
        now = self.seat.clock.now()
        self._busy_from = now if self._busy_from is None else self._busy_from
        told, self._busy_told = self._busy_told, self._busy_told or now - self._busy_from >= A_WHILE
        return told or not self._busy_told

    def _as_json(self, news: News, back: Sequence[str]) -> None:
        for vtt in back if news.what != "listening" else ():
            say(json.dumps({"what": "back", "vtt": vtt}))
        body: dict[str, object] = {"what": news.what}
        if news.vtt:
            body["vtt"] = news.vtt
        if news.error is not None:
            body |= {"error": str(news.error), "code": getattr(news.error, "code", news.what)}
        if news.wish is not None:
            body |= {"wish": {name: value for name, value in news.wish._asdict().items() if name != "key"}}
        if news.synced is not None:
            done = news.synced
            fresh = self._left_out(done)
            if not (done.done or done.plan.edits or done.failed or done.new_conflicts or fresh):
                return
            body |= synced_value(news.synced)
        say(json.dumps(body, default=str))

    def _as_lines(self, news: News, back: Sequence[str]) -> None:
        self._whereabouts(news, back)
        if news.wish is not None:
            self._wish(news.vtt, news.wish, news.error)
        done = news.synced
        if done is None:
            return
        for edit in done.plan.edits:
            self.taken += 1
            say(
                f"from {edit.vtt}: {self.seat.called(edit.field.uid)} {edit.field.name}: {said(edit.old)} to {said(edit.new)}"
            )
        for write in done.done:
            self.written += 1
            called = f"{self.seat.called(write.binding.field.uid)} {write.binding.field.name}"
            say(f"to {write.vtt}: {called}: {said(write.old)} to {said(write.new)}")
        for conflict in done.new_conflicts:
            for line in conflict_lines(conflict):
                say(line)
        for failure in done.failed:
            at = f" at {failure.write.vtt}" if self.several else ""
            line = f"failed{at}: {failure.write.binding.field}: {failure.why}"
            if line not in self._said:
                self._said.add(line)
                say(line)
        for line in self._left_out(done):
            say(line)

    def _whereabouts(self, news: News, back: Sequence[str]) -> None:
        """Say who went away and who is back."""
        of = f"{news.vtt}: " if self.several else ""
        if news.what == "away":
            complain(f"{of}away: {news.error}; trying again")
        elif news.what == "over":
            complain(f"{of}over: {news.error}")
        elif news.what == "busy":
            complain(f"{of}waiting: {news.error}")
        for vtt in back:
            complain(f"{vtt}: back again" if self.several else "back again")

    def _wish(self, vtt: str, wish: Wish, error: Exception | None) -> None:
        if error is not None:
            say(f"refused: {wish.who} at {vtt}: {error}")
        elif isinstance(wish, SetValue):
            self.taken += 1
            called = self.seat.called(wish.field.uid)
            say(f"from {vtt}: {called} {wish.field.name}: {wish.was} to {wish.value} ({wish.who})")
        elif isinstance(wish, BindAnew):
            say(f"from {vtt}: what was linked or placed there is bound ({wish.who})")
        else:
            say(f"from {vtt}: a conflict is resolved: {wish.take} ({wish.who})")

    def _left_out(self, done: Synced) -> list[str]:
        """Return what was left out since the last time: what was copied or deleted at the VTT, what could not be read."""
        at = "left out at {}" if self.several else "left out"
        lines = {f"{at.format(each.vtt)}: {each.what}: {each.why}": None for each in done.plan.left_out}
        fresh = [line for line in lines if line not in self._left]
        self._left = set(lines)
        return fresh
