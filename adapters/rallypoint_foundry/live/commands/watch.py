"""``rallypoint foundry watch``: battle and world in step until Ctrl-C."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from rallypoint_sync.words import conflict_lines

from ..saying import LiveCommand, complain, say
from ..table import Table
from ..transport import VTT
from ..watching import News, Watch
from .options import BATTLE, IN_JSON, at_table
from .sync import synced_value

__all__ = ["watch"]


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
        self._away = False

    def __call__(self, news: News) -> None:
        if news.what == "listening":
            self.seat.account()
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
