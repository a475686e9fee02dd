"""A battle of two small platoons, its export, and a fake world to play it in; the command line run in this process."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from rallypoint.kernel.changes import SetStatus, SetTracker
from rallypoint.kernel.parts import Status
from rallypoint.kernel.plugins.opening import open_battle
from rallypoint_foundry.fake.client import FakeTransport
from rallypoint_foundry.fake.documents import at
from rallypoint_foundry.fake.relay import Relay as FakeRelay
from rallypoint_foundry.fake.systems import load_system
from rallypoint_foundry.fake.table import Table as FakeWorld
from rallypoint_foundry.live import table as tables
from rallypoint_foundry.live import wire
from rallypoint_foundry.live.table import Table, seated
from rallypoint_foundry.live.wire import HttpxWire
from rallypoint_sync import seat as seats

from ..cli.battles import ROSTER, SCENARIO, Said, said, say

__all__ = ["HITS", "STRESS", "Play", "play"]

HITS, STRESS = "system.hits.value", "system.other.stress.value"
KEY = "feedfacefeedfacefeedfacefeedfacefeedfacefeedfacefeedfacefeedface"
CO, SOLDIER, NCO = "red.small-0A-1-1", "red.small-0A-2-1", "red.small-1A-1-1"


@cache
def _prepared() -> Path:
    """Make the battle and its export once; they are copied for each test."""
    folder = Path(mkdtemp(prefix="rallypoint-live-"))
    (folder / "small.md").write_text(ROSTER, encoding="utf-8")
    (folder / "fight.toml").write_text(SCENARIO, encoding="utf-8")
    said("battle", "new", str(folder / "fight.toml"), "-o", str(folder / "first.battle"), "--seed", "7")
    said("export", "foundry", str(folder / "fight.toml"), "-o", str(folder / "export"))
    return folder


class Play:
    """One battle before one fake world."""

    def __init__(self, folder: Path, system: str = "mosh-0.6.1") -> None:
        prepared = _prepared()
        shutil.copy(prepared / "first.battle", folder / "first.battle")
        self.battle, self.export = folder / "first.battle", prepared / "export"
        self.world = FakeWorld(load_system(system))
        self.fake = FakeRelay(self.world)
        self.fake.add_key(secret=KEY)

    def wire(self, base: str) -> HttpxWire:
        return HttpxWire(base, FakeTransport(self.fake))

    def say(self, command: str, *arguments: str) -> Said:
        """Run a live command for the battle."""
        return say("foundry", command, str(self.battle), *arguments)

    def ready(self) -> Play:
        """Connected and pushed."""
        assert self.say("connect", "--relay", "http://fake").status == 0
        done = self.say("push", str(self.export))
        assert done.status == 0, done
        self.fake.heard.clear()
        return self

    def asked(self) -> list[tuple[str, str]]:
        """What the relay has heard since it was looked at last: methods and paths."""
        found = [(call.method, call.path) for call in self.fake.heard]
        self.fake.heard.clear()
        return found

    def actor(self, uid: str) -> str:
        """The uuid of somebody's actor, looked up in the world."""
        (found,) = [
            f"Actor.{key}"
            for key, actor in self.world.collections["Actor"].items()
            if at(actor, "flags.rallypoint.uid") == uid and "Copy" not in str(actor["name"])
        ]
        return found

    def shown(self, uid: str, path: str = HITS) -> Any:
        found = self.world.find(self.actor(uid))
        return None if found is None else at(found.document, path)

    def edit(self, uid: str, value: int, path: str = HITS) -> None:
        """Somebody at the table changes a number."""
        self.world.edit(self.actor(uid), {path: value})

    def fought(self, uid: str, value: int, name: str = "Wounds") -> None:
        """The battle changes a number."""
        opened = open_battle(self.battle)
        with opened.battle as battle:
            battle.edit("the rules", SetTracker(uid, name, value))

    def fell(self, uid: str) -> None:
        """Somebody is out of the fight."""
        opened = open_battle(self.battle)
        with opened.battle as battle:
            battle.edit("the rules", SetStatus(uid, Status("out", "dead")))

    def value(self, uid: str, name: str = "Wounds") -> int:
        opened = open_battle(self.battle)
        with opened.battle as battle:
            return battle.state[uid].value(name)

    @contextmanager
    def seat(self) -> Iterator[Table]:
        with seated(self.battle, clock=self.fake.clock, wire=self.wire) as seat:
            yield seat


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """A battle, and an empty world of mosh behind a relay; nothing is waited for."""
    return played(tmp_path, monkeypatch)


def played(folder: Path, monkeypatch: pytest.MonkeyPatch, system: str = "mosh-0.6.1") -> Play:
    found = Play(folder, system)
    monkeypatch.setenv("RALLYPOINT_FOUNDRY_KEY", KEY)
    monkeypatch.delenv("RALLYPOINT_FOUNDRY_URL", raising=False)
    monkeypatch.setattr(tables, "HttpxWire", found.wire)
    monkeypatch.setattr(seats, "SystemClock", lambda: found.fake.clock)
    monkeypatch.setattr(wire, "HttpxWire", found.wire)
    return found
