"""``rallypoint foundry watch``: battle and world in step until Ctrl-C."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from rallypoint_sync.hub import Synced
from rallypoint_sync.words import conflict_lines

from ..saying import LiveCommand, complain, say
from ..table import Table
from ..transport import VTT
from ..watching import News, Watch
from .options import BATTLE, IN_JSON, at_table
from .sync import synced_value

__all__ = ["watch"]

A_WHILE = 2.0
"""Seconds for which another process may write without it being told: two that watch take turns all the time."""


@click.command(cls=LiveCommand)
@BATTLE
@IN_JSON
@click.pass_context
def watch(ctx: click.Context, battle: Path, in_json: bool) -> int:
    """Keep the battle and the world in step until Ctrl-C. A change at either side goes to the other at once.

    With --json each thing that happens is one line.

    Example: rallypoint foundry watch first.battle
    """
    with at_table(ctx, battle) as seat:
        seat.bound()
        transport = seat.transport(seat.relay(patient=0.0))
        teller = _Teller(seat, in_json)
        watching = Watch(seat.hub(transport, patience=0.0), transport, teller, seat.clock)
        if not in_json:
            complain(f"watching {seat.about.get('title') or 'the world'}; Ctrl-C ends it")
        try:
            watching.run()
        except KeyboardInterrupt as stop:
            if type(stop) is not KeyboardInterrupt:
                raise
        finally:
            watching.stop()
        if not in_json:
            say(f"Stopped: {teller.written} written, {teller.taken} taken, {len(seat.ledger.conflicts())} in conflict.")
        return 1 if seat.ledger.conflicts() else 0


class _Teller:
    """Tells what happens, each failure once."""

    def __init__(self, seat: Table, in_json: bool) -> None:
        self.seat, self.in_json = seat, in_json
        self.written = self.taken = 0
        self._said: set[str] = set()
        self._left: set[str] = set()
        self._away = False
        self._busy_from: float | None = None
        self._busy_told = False

    def __call__(self, news: News) -> None:
        if news.what == "listening":
            self.seat.account()
        if self._is_old(news):
            return
        if self.in_json:
            self._as_json(news)
        else:
            self._as_lines(news)
        sys.stdout.flush()

    def _is_old(self, news: News) -> bool:
        """Say whether it need not be told: that another process writes is told once, and only when that takes a while."""
        if news.what != "busy":
            self._busy_from, self._busy_told = None, False
            return False
        now = self.seat.clock.now()
        self._busy_from = now if self._busy_from is None else self._busy_from
        told, self._busy_told = self._busy_told, self._busy_told or now - self._busy_from >= A_WHILE
        return told or not self._busy_told

    def _as_json(self, news: News) -> None:
        body: dict[str, object] = {"what": news.what}
        if news.error is not None:
            body |= {"error": str(news.error), "code": getattr(news.error, "code", news.what)}
        if news.synced is not None:
            done = news.synced
            fresh = self._left_out(done)
            if not (done.done or done.plan.edits or done.failed or done.new_conflicts or fresh):
                return
            body |= synced_value(news.synced)
        say(json.dumps(body, default=str))

    def _as_lines(self, news: News) -> None:
        if news.what == "away" and not self._away:
            complain(f"away: {news.error}; trying again")
        if news.what == "busy":
            complain(f"waiting: {news.error}")
        if news.what in ("away", "listening"):
            if news.what == "listening" and self._away:
                complain("back again")
            self._away = news.what == "away"
        done = news.synced
        if done is None:
            return
        for edit in done.plan.edits:
            self.taken += 1
            say(f"from {VTT}: {self.seat.called(edit.field.uid)} {edit.field.name}: {edit.old} to {edit.new}")
        for write in done.done:
            self.written += 1
            say(
                f"to {VTT}: {self.seat.called(write.binding.field.uid)} {write.binding.field.name}: {write.old} to {write.new}"
            )
        for conflict in done.new_conflicts:
            for line in conflict_lines(conflict):
                say(line)
        for failure in done.failed:
            line = f"failed: {failure.write.binding.field}: {failure.why}"
            if line not in self._said:
                self._said.add(line)
                say(line)
        for line in self._left_out(done):
            say(line)

    def _left_out(self, done: Synced) -> list[str]:
        """Return what was left out since the last time: what was copied or deleted in the world, what could not be read."""
        lines = {f"left out: {each.what}: {each.why}": None for each in done.plan.left_out}
        fresh = [line for line in lines if line not in self._left]
        self._left = set(lines)
        return fresh
