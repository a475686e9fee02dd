"""What a Warden does by hand: links tokens, forgets single ones, takes the last sync back, serves by https."""

from __future__ import annotations

import json
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from rallypoint.kernel.errors import InputError
from rallypoint.kernel.plugins.opening import open_battle
from rallypoint_owlbear.link.at_table import certificate_of
from rallypoint_owlbear.link.desk import Desk, Place
from rallypoint_owlbear.link.seat import RoomSeat
from rallypoint_owlbear.link.server import Certificate, Choices, Ready, ready
from rallypoint_owlbear.link.serving import served
from rallypoint_owlbear.link.transport import OwlbearTransport
from rallypoint_owlbear.stands import RECORD_KEY
from rallypoint_sync.ledger import Ledger, ledger_path
from rallypoint_sync.transport import UnreachableError

from .served_page import running
from .test_commands import OURS, THEIRS, Play

NCO = "red.small-1A-1-1"


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Play]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with running(tmp_path) as server:
        yield Play(tmp_path, server).ready()


def own(play: Play, name: str) -> None:
    play.room.items[name] = {"id": name, "name": name, "position": {"x": 0, "y": 0}, "metadata": {"com.x/y": 1}}


def test_o10_o12_a_token_is_linked_by_its_id_and_a_name_says_nothing(play: Play) -> None:
    own(play, OURS)  # a token whose name is the uid itself
    play.room.change(lambda items: items.__delitem__(play.token(OURS)["id"]))
    done = play.at("bind")
    assert (done.status, f"no token: Soldier 0A-2 R-0A ({OURS})" in done.out) == (1, True)
    assert RECORD_KEY not in play.room.items[OURS]["metadata"]
    done = play.at("bind", "--map", f"{OURS}={OURS}")
    assert done.status == 0, done
    assert play.at("sync", "--accept-gone").status == 0
    play.room.change(lambda items: items[OURS].update(name="Gro..."))  # a GM shortens it
    play.fought(OURS, 1)
    assert play.at("sync").status == 0
    assert (play.token(OURS)["id"], play.shown(OURS)) == (OURS, 1)
    assert play.room.items[OURS]["metadata"]["com.x/y"] == 1


@pytest.mark.parametrize("how", ["refused", "unsaid"])
def test_a_link_stays_noted_where_the_room_fails(play: Play, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """It was forgotten before it was on the token: the GM had to click again, and nobody said so."""
    own(play, "mine")
    play.room.change(lambda items: items.__delitem__(play.token(OURS)["id"]))
    play.page.say("link", item="mine", uid=OURS)

    def failing(number: int, _changes: object) -> None:
        play.page.say("refused", re=number, code="permission", why="the room says no")

    with monkeypatch.context() as patch:
        if how == "refused":
            patch.setattr(play.page, "_write", failing)
        else:  # the command is killed on its way
            patch.setattr(OwlbearTransport, "put", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        done = play.at("bind")
        assert done.status in (3, 130), done
    assert RECORD_KEY not in play.room.items["mine"]["metadata"]
    assert play.server.link.links() == {"mine": OURS}
    assert play.at("bind").status == 0
    assert play.token(OURS)["id"] == "mine"
    assert play.server.link.links() == {}


def test_o10_how_many_are_linked_and_the_last_error_are_shown(play: Play) -> None:
    status = play.page.status
    assert (status["linked"], status["of"], len(status["roster"])) == (
        12,
        12,
        14,
    )  # 2 platoons have Stress and no token
    told, heard = play.page.told, threading.Event()

    def telling(data: str) -> None:
        told(data)
        if play.page.status["error"]:
            heard.set()

    play.page.told = telling  # type: ignore[method-assign]
    play.server.link.say(error="the room said no")
    assert heard.wait(20)
    assert play.page.status["error"] == "the room said no"


def standing(play: Play) -> dict[str, Any]:
    opened = open_battle(play.battle)
    with opened.battle, Ledger(ledger_path(play.battle), opened.battle.history.entries[0].hash) as ledger:
        return RoomSeat(opened, ledger, play.server.link).status()


def test_o10_a_token_that_is_gone_is_linked_no_more(play: Play) -> None:
    play.room.change(lambda items: items.__delitem__(play.token(OURS)["id"]))
    assert play.at("sync").status == 0
    status = standing(play)
    assert (status["linked"], status["of"]) == (11, 12)
    assert [row["uid"] for row in status["roster"] if row["item"] is None and "wounds" in row] == [OURS]
    assert "Bound: 11 tokens" in play.at("status").out
    assert play.say("place", str(play.export)).status == 0
    assert play.at("sync").status == 0
    assert standing(play)["linked"] == 12


def test_enemies_of_whom_nothing_is_to_be_shown_are_not_counted(play: Play) -> None:
    assert play.at("unbind").status == 0
    assert play.at("bind", "--enemies", "nothing").status == 0
    assert (standing(play)["linked"], standing(play)["of"]) == (6, 6)


def test_a_deleted_token_that_is_placed_again_heals_nobody(play: Play) -> None:
    play.fought(OURS, 1)
    assert play.at("sync").status == 0
    play.room.change(lambda items: items.__delitem__(play.token(OURS)["id"]))
    assert play.at("sync").status == 0
    assert play.say("place", str(play.export)).status == 0
    assert play.shown(OURS) == 0
    done = play.at("sync")
    assert (done.status, play.value(OURS), play.shown(OURS)) == (0, 1, 1), done


def test_a_conflict_is_told_by_the_name_of_its_unit(play: Play) -> None:
    play.room.set(play.token(OURS)["id"], f"rallypoint-wounds-{OURS}", 2)
    play.fought(OURS, 1)
    assert play.at("sync").status == 1
    (conflict,) = standing(play)["conflicts"]
    assert conflict["field"] == "Soldier 0A-2 R-0A Wounds"
    assert (conflict["ours"], conflict["theirs"]) == ("1", "owlbear: 2")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (["nobody=own"], "nobody of this uid"),
        ([f"{OURS}=gone"], "cannot be linked"),
        ([OURS], "no pair"),
        (["=own"], "no pair"),
        ([f"{OURS}=own", f"{NCO}=own"], "cannot stand for two"),
    ],
)
def test_a_link_by_hand_that_cannot_be(play: Play, said: list[str], words: str) -> None:
    own(play, "own")
    done = play.at("bind", *[word for each in said for word in ("--map", each)])
    assert (done.status, words in done.err) == (2, True), done
    assert RECORD_KEY not in play.room.items["own"]["metadata"]


def test_a_dry_run_links_nobody(play: Play) -> None:
    own(play, "own")
    play.at("bind", "--map", f"{OURS}=own", "--dry-run")
    assert RECORD_KEY not in play.room.items["own"]["metadata"]


def test_one_token_is_forgotten_and_the_others_go_on(play: Play) -> None:
    item = play.token(OURS)["id"]
    before = json.loads(play.at("status", "--json").out)["tokens"]
    done = play.at("unbind", "--item", item, "--json")
    assert (done.status, json.loads(done.out)["documents"]) == (0, 1)
    assert json.loads(play.at("status", "--json").out)["tokens"] == before - 1
    play.fought(OURS, 1)
    play.fought(NCO, 1)
    assert play.at("sync").status == 0
    assert (play.shown(OURS), play.shown(NCO)) == (0, 1)
    assert play.at("unbind", "--item", item).status == 2


def test_the_last_sync_is_taken_back_and_paused(play: Play) -> None:
    play.fought(OURS, 1)
    play.fought(NCO, 1)
    assert play.at("sync").status == 0
    play.room.set(play.token(NCO)["id"], f"rallypoint-wounds-{NCO}", 2)  # somebody has gone on there
    dry = play.at("revert", "--dry-run")
    assert (dry.status, dry.out.count("would go back")) == (0, 2)
    assert play.shown(OURS) == 1
    done = play.at("revert")
    assert (done.status, "left as it is" in done.out) == (1, True)
    assert "Paused: nothing is sent or taken until rallypoint owlbear resume" in done.out
    assert (play.shown(OURS), play.shown(NCO)) == (0, 2)
    assert (play.value(OURS), play.value(NCO)) == (1, 1)


def test_an_enemys_word_is_never_a_number_after_a_revert(play: Play) -> None:
    play.fought(THEIRS, 1)
    assert play.at("sync").status == 0
    play.at("revert")
    record = play.token(THEIRS)["metadata"][RECORD_KEY]
    assert record["bands"][THEIRS] == "unhurt"
    assert "wounds" not in record


# https


@pytest.fixture
def certificate(tmp_path: Path) -> Certificate:
    """A certificate for localhost, as mkcert would make it."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl to make a certificate with")
    made = Certificate(tmp_path / "localhost.pem", tmp_path / "localhost-key.pem")
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(made.key), "-out", str(made.certificate)]
    subprocess.run(command, check=True, capture_output=True)
    return made


def test_o35_by_https_the_page_is_served_and_commands_find_the_server(
    tmp_path: Path, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    (bundle / "manifest.json").write_text("{}")
    told: list[str] = []
    choices = Choices(0, bundle=bundle, certificate=certificate)

    def hear(made: Ready) -> None:
        told.append(made.manifest)

    with ready(choices, told.append, hear) as made, served(made):
        port = made.doors.port
        assert told == [f"https://localhost:{port}/manifest.json", f"{made.doors.code[:3]} {made.doors.code[3:]}"]
        trusted = ssl.create_default_context(cafile=str(certificate.certificate))
        with httpx.Client(verify=trusted, trust_env=False, timeout=20) as client:
            assert client.get(told[0]).text == "{}"
            origin = {"origin": f"https://localhost:{port}"}
            body = {"v": 1, "code": made.doors.code}
            assert client.post(f"https://localhost:{port}/link/pair", json=body, headers=origin).status_code == 200
            plain = {"origin": f"http://localhost:{port}"}
            answer = client.post(f"https://localhost:{port}/link/pair", json=body, headers=plain)
            assert (answer.status_code, answer.json()["code"]) == (403, "origin")
        place = Place(**json.loads(next((tmp_path / "state" / "rallypoint").iterdir()).read_text()))
        assert Desk(place).standing().pages == 0
        other = tmp_path / "other.pem"
        other.write_text("no certificate")
        for known in (str(other), str(tmp_path / "gone.pem"), None):
            with pytest.raises(UnreachableError):
                Desk(place._replace(certificate=known)).standing()


def test_a_certificate_that_is_none_or_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "manifest.json").write_text("{}")
    (tmp_path / "a.pem").write_text("none")
    made = Certificate(tmp_path / "a.pem", tmp_path / "a.pem")
    with pytest.raises(InputError, match="mkcert"), ready(Choices(0, bundle=tmp_path, certificate=made), print, print):
        pass
    for one, other in ((tmp_path / "a.pem", None), (None, tmp_path / "a.pem")):
        with pytest.raises(InputError, match="two files"):
            certificate_of(one, other)
    assert certificate_of(None, None) is None


@pytest.mark.parametrize("port", [-1, 65536, 99999])
def test_a_port_that_is_none_is_bad_input(tmp_path: Path, port: int) -> None:
    """A table named the class of Python's own error."""
    (tmp_path / "manifest.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError) as failed, ready(Choices(port, bundle=tmp_path), print, print):
        pass
    assert failed.value.found == str(port)
    assert failed.value.expected == "0 to 65535; 0 takes a free one"
