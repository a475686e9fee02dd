"""A command that is named to be typed finds the server: with ``--port`` where that has another port than always."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from rallypoint_owlbear.link.desk import find_desk
from rallypoint_sync.transport import UnreachableError

from ..cli.battles import Said, say
from .served_page import running
from .test_commands import OURS, Play
from .test_library import drawn
from .test_link import Table

NAMED = re.compile(r"rallypoint owlbear (?:serve|place|bind|sync|resume|watch|conflicts)\b[^;,.\n]*(?:\.\w+[^;,.\n]*)*")


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Play]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with running(tmp_path) as server:
        server.link.port = server.doors.port
        yield Play(tmp_path, server)


def check(text: str, port: int) -> None:
    """Each command in a text has the port."""
    named = NAMED.findall(text)
    assert named, text
    for each in named:
        assert f"--port {port}" in each, each


def test_what_each_command_says_to_do_next(play: Play, tmp_path: Path) -> None:
    def told(done: Said) -> None:
        check(done.out + done.err, play.port)

    told(play.at("plan"))
    play.line.connect()
    told(play.at("bind"))
    play.page.faults = ["picker times out"]
    told(play.say("place", str(play.export), "--new-scene"))
    (tmp_path / "drawn").mkdir()
    (tmp_path / "drawn" / "team.png").write_bytes(drawn(8, 8))
    told(say("owlbear", "pictures", "upload", str(tmp_path / "drawn"), "--port", str(play.port)))
    assert play.say("place", str(play.export)).status == 0
    told(play.at("bind"))
    assert play.at("sync").status == 0
    told(play.at("resume"))
    assert play.at("pause").status == 0
    told(play.at("sync"))
    assert play.at("resume").status == 0
    play.fought(OURS, 1)
    play.room.set(play.token(OURS)["id"], f"rallypoint-wounds-{OURS}", 2)
    assert play.at("sync").status == 1
    told(play.at("conflicts"))
    play.page.say("set", uid=OURS, field="wounds", value=1, was=0)
    play.line.listens.wait(10)
    check(str(play.server.link.status["error"]), play.port)
    play.room.open("scene-2")
    told(play.at("sync"))


def test_where_no_server_runs(play: Play) -> None:
    with pytest.raises(UnreachableError) as error:
        find_desk(play.port + 1 if play.port < 65535 else 1)
    assert "--port" in str(error.value.hint)


def test_at_the_usual_port_no_port_is_named() -> None:
    table = Table()
    table.page.say("set", uid="u1", field="wounds", value=2, was=0)
    assert table.page.status["error"].endswith("rallypoint owlbear watch BATTLE")
