"""The soak: ``python -m bench.foundry_soak [minutes]``. A watch under changes at both sides, cuts, sleeps and lost answers.

Ten minutes with 500 changes unless said otherwise; fewer minutes, as many fewer changes. It ends with 1 if the two sides do not
end equal, something was applied twice, or a conflict is open.
"""

from __future__ import annotations

import random
import statistics
import sys
import threading
import time
from collections import Counter

from rallypoint_foundry.fake.serving import served
from rallypoint_sync.clock import SystemClock
from rallypoint_sync.transport import UnreachableError
from rallypoint_sync.watching import News, Watch

from .foundry import HITS, UNITS, Ground

CHANGES_A_MINUTE = 50
FAULTS = ("cut", "ended", "late", "lost", "cut_off", "crossed", "too_many", "html_502", "deaf", "repeated", "flat")
QUIET = 30.0
"""Seconds that are given at the end to come to rest."""


class Soak:
    """One soak of so many minutes."""

    def __init__(self, minutes: float) -> None:
        self.minutes = minutes
        self.ground = Ground()
        self.random = random.Random(7)
        self.pending: list[tuple[str, int]] = []
        self.counts: Counter[str] = Counter()
        self.asked: dict[str, tuple[float, str, int]] = {}
        self.took: dict[str, list[float]] = {"battle": [], "world": []}
        self.lock = threading.Lock()
        self.begun = threading.Event()

    def run(self) -> bool:
        ground = self.ground
        with served(ground.fake, pace=self.minutes / 10) as base, ground.hub(base) as (hub, transport):
            watch = Watch(hub, transport, self._tell, SystemClock())
            refresh = ground.battle.refresh

            def refreshed() -> tuple[object, ...]:
                with self.lock:
                    given, self.pending = self.pending, []
                for uid, value in given:
                    ground.fought(uid, value)
                return (*refresh(), *given)

            ground.battle.refresh = refreshed  # type: ignore[method-assign, assignment]
            people = threading.Thread(target=self._people, args=(watch,), daemon=True)
            people.start()
            watch.run()
            people.join(60)
            return self._report(hub.ledger.conflicts())

    def _tell(self, news: News) -> None:
        self.counts[news.what] += 1
        if news.synced is None:
            return
        self.begun.set()
        now = time.perf_counter()
        self.counts["written"] += len(news.synced.done)
        self.counts["taken"] += len(news.synced.plan.edits)
        self.counts["in doubt or failed"] += len(news.synced.failed)
        for uid in [each.binding.field.uid for each in news.synced.done] + [
            each.field.uid for each in news.synced.plan.edits
        ]:
            begun = self.asked.pop(uid, None)
            if begun is not None:
                self.took[begun[1]].append(now - begun[0])

    def _people(self, watch: Watch) -> None:
        """Change one unit after the other at either side, and let things go wrong meanwhile."""
        self.begun.wait(30)  # what changes before the two have met is a question for people
        changes = int(self.minutes * CHANGES_A_MINUTE)
        pause = self.minutes * 60 / changes
        sleeps = {changes // 4, changes // 2, 3 * changes // 4}
        for number in range(changes):
            if number % 20 == 10:
                name = FAULTS[(number // 20) % len(FAULTS)]
                self.ground.fake.faults.add(name)
                self.counts["faults"] += 1
            if number in sleeps:
                self.ground.world.sleep()
                self.counts["sleeps"] += 1
            if number - 3 in sleeps:
                self.ground.world.wake()
            self._change(number)
            time.sleep(pause * self.random.uniform(0.5, 1.5))
        until = time.monotonic() + QUIET
        while time.monotonic() < until and self._differing():
            time.sleep(0.2)
        watch.stop()

    def _change(self, number: int) -> None:
        uid = self.ground.uids[
            number % UNITS
        ]  # one side at a time: whoever changes both at once gets a conflict, rightly
        side = self.random.choice(("battle", "world"))
        value = 1 + number // UNITS
        self.asked[uid] = (time.perf_counter(), side, value)
        self.counts[f"changes in the {side}"] += 1
        if side == "world":
            self.ground.world.edit(self.ground.document(uid), {HITS: value})
        else:
            with self.lock:
                self.pending.append((uid, value))

    def _differing(self) -> list[str]:
        state = self.ground.battle.state
        return [uid for uid in self.ground.uids if state[uid].value("Wounds") != self.ground.shown(uid)]

    def _report(self, conflicts: object) -> bool:
        edits = [entry for entry in self.ground.battle.history.entries if entry.kind == "edit"]
        values = Counter((change.uid, change.value) for entry in edits for change in entry.changes)  # type: ignore[union-attr]
        twice = [each for each, times in values.items() if times > 1]
        differing = self._differing()
        for name, count in sorted(self.counts.items()):
            print(f"{name}: {count}")
        for side, found in self.took.items():
            if found:
                print(f"median from the {side}: {1000 * statistics.median(found):.0f} ms, longest {max(found):.1f} s")
        print(f"requests: {len(self.ground.fake.heard)}; faults that struck: {Counter(self.ground.fake.faults.struck)}")
        print(
            f"entries of the log: {len(edits)}; applied twice: {twice}; differing: {differing}; conflicts: {conflicts}"
        )
        return not (twice or differing or conflicts)


if __name__ == "__main__":
    try:
        sys.exit(0 if Soak(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0).run() else 1)
    except UnreachableError as error:
        sys.exit(f"the watch ended: {error}")
