"""What came of a sync, for people and for programs: lines, JSON, an exit status, and a teller for what goes on and on."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping

from .hub import Synced
from .saying import complain, say
from .seat import Seat
from .transport import UnreachableError
from .watching import News
from .words import conflict_lines, conflict_value, plan_value

__all__ = ["Teller", "exit_status", "synced_lines", "synced_value"]


def exit_status(done: Synced) -> int:
    """Return 3 where a VTT went away in the middle, 1 where a person is needed, else 0."""
    return UnreachableError.exit_status if done.away else 1 if done.plan.conflicts or done.failed else 0


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
    """

    def __init__(self, seat: Seat, *, in_json: bool) -> None:
        self.seat, self.in_json = seat, in_json
        self.written = self.taken = 0
        self._said: set[str] = set()
        self._away = False

    def __call__(self, news: News) -> None:
        """Tell it."""
        if self.in_json:
            self._as_json(news)
        else:
            self._as_lines(news)
        sys.stdout.flush()

    def _as_json(self, news: News) -> None:
        body: dict[str, object] = {"what": news.what}
        if news.error is not None:
            body |= {"error": str(news.error), "code": getattr(news.error, "code", None)}
        if news.synced is not None:
            if not (news.synced.done or news.synced.plan.edits or news.synced.failed or news.synced.new_conflicts):
                return
            body |= synced_value(news.synced)
        say(json.dumps(body, default=str))

    def _as_lines(self, news: News) -> None:
        if news.what == "away" and not self._away:
            complain(f"away: {news.error}; trying again")
        if news.what in ("away", "listening"):
            if news.what == "listening" and self._away:
                complain("back again")
            self._away = news.what == "away"
        done = news.synced
        if done is None:
            return
        for edit in done.plan.edits:
            self.taken += 1
            say(f"from {edit.vtt}: {self.seat.called(edit.field.uid)} {edit.field.name}: {edit.old} to {edit.new}")
        for write in done.done:
            self.written += 1
            say(
                f"to {write.vtt}: {self.seat.called(write.binding.field.uid)} {write.binding.field.name}: {write.old} to {write.new}"
            )
        for conflict in done.new_conflicts:
            for line in conflict_lines(conflict):
                say(line)
        for failure in done.failed:
            line = f"failed: {failure.write.binding.field}: {failure.why}"
            if line not in self._said:
                self._said.add(line)
                say(line)
