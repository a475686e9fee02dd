"""The commands from connect to unbind, as people type them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rallypoint_foundry.fake.documents import at, rows
from rallypoint_foundry.live.transport import VTT
from rallypoint_sync.living import this_process

from ..cli.battles import said, say
from .tables import CO, KEY, NCO, SOLDIER, Play, played

FAILURES = {
    "key_unknown": ("key_refused", "RALLYPOINT_FOUNDRY_KEY"),
    "key_disabled": ("key_refused", "disabled"),
    "key_expired": ("key_refused", "expired"),
    "other_account": ("other_world", "not for this world"),
    "other_world": ("other_world", "not for this world"),
    "account_disabled": ("not_let_in", "Account disabled"),
    "no_such_world": ("world_asleep", "open the world"),
    "month_used": ("quota_spent", "used up"),
    "maintenance": ("maintenance", "looked after"),
    "refused": ("relay_gone", "cannot be reached"),
    "html_404": ("no_such_path", "no such path"),
    "html_502": ("no_answer", "no answer"),
    "send_failed": ("not_sent", "not sent"),
    "too_many": ("too_many_requests", "too many"),
}
"""What goes wrong at the relay's door, the code of the failure, and words that must be in its one line."""


def test_help_imports_nothing_of_the_live_way() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from rallypoint.cli.command_line import run; run(['--help']); "
        "print([name for name in sys.modules if name.startswith(('rallypoint_foundry', 'httpx'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert "foundry" in done.stdout


@pytest.mark.parametrize(
    "command",
    [
        "connect",
        "bind",
        "push",
        "pull",
        "plan",
        "sync",
        "watch",
        "encounter",
        "conflicts",
        "status",
        "revert",
        "pause",
        "resume",
        "unbind",
    ],
)
def test_each_command_has_help_with_an_example(command: str) -> None:
    assert f"Example: rallypoint foundry {command} " in said("foundry", command, "--help")


def test_an_unknown_command_is_guessed() -> None:
    done = say("foundry", "wacth")
    assert (done.status, "did you mean watch?" in done.err) == (2, True)


def test_connect_tells_relay_and_world_and_keeps_no_key(play: Play) -> None:
    done = play.say("connect", "--relay", "http://fake", "--json")
    assert done.document["relay"] == "3.4.1"
    assert (done.document["world"]["system"], done.document["world"]["client"]) == ("mosh", play.world.client)
    kept = play.battle.with_name("first.battle.sync").read_bytes()
    assert b"http://fake" in kept
    assert KEY.encode() not in kept


@pytest.mark.parametrize(("shape", "code"), [("foundry", "bare_foundry")])
def test_connect_knows_a_bare_foundry(play: Play, shape: str, code: str) -> None:
    play.fake.shape = shape
    done = play.say("connect", "--relay", "http://fake", "--json")
    assert (done.status, done.document["code"]) == (3, code)


def test_connect_knows_relay_2(play: Play) -> None:
    play.fake.shape = "2.2.1"
    done = play.say("connect", "--relay", "http://fake")
    assert done.status == 0
    assert "Relay 2.2.0" in done.out
    assert "no watch" in done.out


def test_connect_finds_nothing(play: Play) -> None:
    play.fake.stop()
    done = play.say("connect", "--relay", "http://fake")
    assert (done.status, done.out, len(done.err.splitlines())) == (3, "", 1)


def test_no_world_online_is_a_state_of_its_own(play: Play) -> None:
    play.world.online = False
    done = play.say("connect", "--relay", "http://fake")
    assert done.status == 3
    assert "the relay answers, but no world is online" in done.err


def test_without_an_address(play: Play) -> None:
    assert play.say("connect").status == 2
    assert "not connected" in play.say("sync").err + play.say("bind").err


@pytest.mark.parametrize("fault", FAILURES)
def test_what_goes_wrong_at_the_door_is_one_line_and_a_code(play: Play, fault: str) -> None:
    play.ready()
    code, words = FAILURES[fault]
    for json_asked in (False, True):
        play.fake.faults.add(fault, count=99)
        done = play.say("sync", "--patience", "0", *(["--json"] if json_asked else []))
        play.fake.faults.clear()
        assert done.status == 3
        assert KEY not in done.out + done.err
        assert "Traceback" not in done.err
        if json_asked:
            assert done.document["code"] == code
        else:
            assert len(done.err.splitlines()) == 1
            assert words in done.err


@pytest.mark.parametrize(
    ("command", "scope", "left"),
    [
        ("sync", "entity:write", ("entity:read",)),
        ("bind", "scene:read", ("entity:read",)),
        ("encounter", "encounter:manage", ("entity:read", "encounter:read")),
    ],
)
def test_a_missing_scope_is_named(
    play: Play, command: str, scope: str, left: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    play.ready()
    play.fought(CO, 1)
    monkeypatch.setenv("RALLYPOINT_FOUNDRY_KEY", play.fake.add_key(*left))
    more = ["--scene", "Skirmish"] if command == "bind" else []
    done = play.say(command, *more)
    assert done.status == 3
    assert scope in done.out + done.err


@pytest.mark.parametrize("key", ["sekrit0123\nsekrit4567", "sekrit\u00e9", "sekrit 4567", "sekrit\x07"])
def test_what_is_no_key_is_one_line_and_not_shown(play: Play, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    play.ready()
    monkeypatch.setenv("RALLYPOINT_FOUNDRY_KEY", key)
    done = play.say("sync")
    assert (done.status, len(done.err.splitlines())) == (3, 1)
    assert "RALLYPOINT_FOUNDRY_KEY" in done.err
    assert "sekrit" not in done.out + done.err
    assert play.say("sync", "--json").document["code"] == "key_refused"


def test_no_key(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    play.ready()
    monkeypatch.delenv("RALLYPOINT_FOUNDRY_KEY")
    monkeypatch.setattr("rallypoint_foundry.live.keys.key_store", lambda: None)
    done = play.say("sync", "--json")
    assert (done.status, done.document["code"]) == (3, "no_key")


def test_a_foreign_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play = played(tmp_path, monkeypatch, "worldbuilding")
    assert play.say("connect", "--relay", "http://fake").status == 0
    for command in (("push", str(play.export)), ("bind",)):
        done = play.say(*command, "--json")
        assert (done.status, done.document["code"]) == (3, "foreign_system")


def test_push_makes_everything_once_and_reads_it_back(play: Play) -> None:
    play.say("connect", "--relay", "http://fake")
    made = json.loads((play.export / "encounter.json").read_text(encoding="utf-8"))
    count = sum(len(made[name]) for name in ("folders", "actors", "tables", "journal", "scenes"))
    said = play.say("push", str(play.export), "--dry-run").out
    assert f"{count + 12} documents: {count + 12} to make" in said  # and a token for each unit
    assert not play.world.collections["Actor"]
    first = play.say("push", str(play.export), "--json")
    assert first.document["counts"]["made"] == count + 12 == 36
    assert (first.status, first.document["counts"]["bound"], first.document["counts"]["not bound"]) == (0, 14, 0)
    before = json.dumps(play.world.collections, default=str)
    second = play.say("push", str(play.export), "--json")
    assert (second.document["counts"]["made"], second.document["counts"]["there already"]) == (0, 36)
    assert json.dumps(play.world.collections, default=str) == before


def test_push_keeps_ids_and_mends_what_mosh_rewrites(play: Play) -> None:
    play.ready()
    written = json.loads((play.export / "encounter.json").read_text(encoding="utf-8"))
    assert set(play.world.collections["Actor"]) == {actor["_id"] for actor in written["actors"]}
    for actor in written["actors"]:
        there = play.world.collections["Actor"][actor["_id"]]
        for path in ("prototypeToken.disposition", "prototypeToken.bar1.attribute", "prototypeToken.bar2.attribute"):
            assert at(there, path) == at(actor, path)
    (scene,) = play.world.collections["Scene"].values()
    assert {(token["_id"], token["disposition"]) for token in rows(scene, "tokens")} == {
        (token["_id"], token["disposition"]) for token in written["scenes"][0]["tokens"]
    }


def test_push_mends_stress_where_calm_replaces_it(play: Play) -> None:
    play.world.system = play.world.system._replace(calm=True)
    play.ready()
    assert play.shown("red.small", "system.other.stress") == {"value": 0, "min": 0, "max": 20, "label": "Calm"}


def test_push_goes_on_after_a_lost_answer(play: Play) -> None:
    play.say("connect", "--relay", "http://fake")
    play.fake.faults.add("late", of="create", after=8)
    play.fake.faults.add("lost", of="create", after=3)
    done = play.say("push", str(play.export), "--json")
    assert (done.status, done.document["counts"]["made"]) == (0, 36)
    assert len(play.world.collections["Actor"]) == 14


def test_push_uploads_pictures_on_request(play: Play) -> None:
    play.say("connect", "--relay", "http://fake")
    play.say("push", str(play.export), "--art")
    (scene,) = play.world.collections["Scene"].values()
    assert at(scene, "background.src") in play.world.uploaded
    assert next(iter(play.world.uploaded)).endswith("board.svg")


def test_push_of_stands(play: Play) -> None:
    play.say("connect", "--relay", "http://fake")
    done = play.say("push", str(play.export), "--tokens", "stand")
    assert done.status == 0, done
    (scene,) = play.world.collections["Scene"].values()
    assert len(rows(scene, "tokens")) == 6  # three teams a side
    play.fought(CO, 1)
    play.fought(SOLDIER, 2)
    assert play.say("sync").status == 0
    assert play.shown("red.small-0A") == 3
    play.edit("red.small-0A", 1)
    assert play.say("sync").status == 0
    assert (play.value(CO), play.value(SOLDIER), play.shown("red.small-0A")) == (1, 2, 3)


def test_there_and_back(play: Play) -> None:
    play.ready()
    play.edit(CO, 1)
    play.fought(SOLDIER, 2)
    assert "to foundry" in play.say("plan").out
    assert "to foundry" in play.say("sync", "--dry-run").out
    assert (play.value(CO), play.shown(SOLDIER)) == (0, 0)
    done = play.say("sync", "--json")
    assert (done.status, done.document["written"]) == (0, 1)
    assert (play.value(CO), play.shown(SOLDIER)) == (1, 2)
    assert "somebody at foundry" in said("battle", "log", str(play.battle))


def test_a_conflict_is_listed_and_resolved(play: Play) -> None:
    play.ready()
    play.edit(NCO, 1)
    play.fought(NCO, 2)
    assert play.say("sync").status == 1
    listed = play.say("conflicts", "--json")
    assert [(each["field"], each["ours"], each["theirs"][0]["shown"]) for each in listed.document] == [
        ([NCO, "Wounds"], 2, 1)
    ]
    assert play.say("conflicts", CO, "--take", "battle").status == 2
    assert play.say("conflicts", NCO, "--take", "foundry").status == 0
    assert play.say("sync").status == 0
    assert (play.value(NCO), play.shown(NCO)) == (1, 1)


def test_revert_pauses_and_resume_goes_on(play: Play) -> None:
    play.ready()
    play.fought(CO, 2)
    play.say("sync")
    assert "2 to 0" in play.say("revert", "--dry-run").out
    assert play.say("revert").status == 0
    assert play.shown(CO) == 0
    assert play.say("status", "--json").document["paused"]
    assert play.say("sync").out.count("Paused") == 1
    play.say("resume")
    play.say("sync")
    assert play.shown(CO) == 2
    play.say("pause")
    play.fought(SOLDIER, 1)
    play.say("sync")
    assert play.shown(SOLDIER) == 0


def test_status_tells_the_budget_and_what_changed(play: Play) -> None:
    play.ready()
    play.edit(CO, 1)
    before = play.say("status", "--json").document["budget"]["requests"]
    play.asked()
    play.say("sync")
    done = play.say("status", "--since", "0", "--json")
    assert done.document["world"]["is_online"]
    assert done.document["budget"] == {"month": "2026-11", "requests": before + len(play.asked()), "a_minute": 300}
    assert [(each["source"], each["field"]) for each in done.document["changed"]] == [
        ("somebody at foundry", [CO, "Wounds"])
    ]
    play.world.sleep()
    assert play.say("status", "--json").document["world"]["code"] == "world_asleep"
    assert play.say("status", "--offline").status == 0


def test_bind_by_flags_by_word_and_by_name(play: Play) -> None:
    play.ready()
    play.say("unbind")
    assert play.say("plan").status == 2
    for uid in (CO, SOLDIER):  # somebody has made these by hand: no flags, and the names of the sheets
        play.world.collections["Actor"][play.actor(uid).removeprefix("Actor.")]["flags"] = {}
    (scene,) = play.world.collections["Scene"].values()
    for token in rows(scene, "tokens")[:2]:
        token["flags"] = {}
    done = play.say("bind", "--json")
    assert done.status == 1
    assert set(done.document["not_found"]) == {CO, SOLDIER}
    other = f"Actor.{rows(scene, 'tokens')[0]['actorId']}"
    assert play.say("bind", "--map", f"{CO}={other}", "--dry-run").status == 1
    by_name = play.say("bind", "--map", f"{CO}={other}", "--yes", "--json")
    assert (by_name.status, by_name.document["counts"]["by name"]) == (0, 1)
    assert play.say("bind", "--map", "nobody=Actor.a").status == 2
    assert play.say("bind", "--map", f"{CO}=Actor.a").status == 2
    assert play.say("bind", "--map", CO).status == 2


def test_b22_b66_names_only_propose_and_only_when_they_are_unique(play: Play) -> None:
    play.ready()
    play.say("unbind")
    play.say("unbind", "--dry-run")
    for actor in play.world.collections["Actor"].values():
        actor["flags"] = {}
        actor["name"] = "O’Neil " if actor["name"] == "CO 0A-1" else actor["name"]
    (scene,) = play.world.collections["Scene"].values()
    for token in rows(scene, "tokens"):
        token["flags"] = {}
    done = play.say("bind", "--yes")
    # both sides have the same names, so none of the twelve units is bound by its name
    assert "0 by name" in done.out
    assert done.status == 1


def test_unbind_forgets_and_changes_nothing(play: Play) -> None:
    play.ready()
    one = play.actor(CO)
    assert play.say("unbind", "--document", one, "--json").document == {"documents": 1, "values": 1, "dry_run": False}
    assert play.say("unbind", "--document", one).status == 2
    assert play.say("unbind").status == 0
    assert {method for method, _ in play.asked()} <= {"GET"}


def test_an_encounter_for_each_unit_and_marks_of_who_is_out(play: Play) -> None:
    play.ready()
    assert play.say("encounter", "--dry-run").status == 0
    assert not play.world.collections["Combat"]
    done = play.say("encounter", "--json")
    assert (done.status, done.document["counts"]["in it"]) == (0, 12)
    (combat,) = play.world.collections["Combat"].values()
    assert sorted(int(str(one["initiative"])) for one in rows(combat, "combatants")) == list(range(1, 13))
    again = play.say("encounter", "--json")
    assert (len(play.world.collections["Combat"]), len(rows(combat, "combatants"))) == (1, 12)
    assert again.document["counts"]["put into order"] == 0
    play.fell(SOLDIER)
    assert play.say("sync").status == 0
    assert {one["name"] for one in rows(combat, "combatants") if one["defeated"]} == {"Soldier 0A-2"}
    for one in rows(combat, "combatants"):  # somebody takes the mark away: who is out follows from the rules
        play.world.edit(f"Combat.{combat['_id']}.Combatant.{one['_id']}", {"defeated": False})
    play.say("sync")
    assert [one["defeated"] for one in rows(combat, "combatants")].count(True) == 1


def test_an_encounter_for_each_stand(play: Play) -> None:
    play.ready()
    assert play.say("encounter", "--per", "stand").status == 0
    (combat,) = play.world.collections["Combat"].values()
    assert len(rows(combat, "combatants")) == 6
    play.fell(CO)
    play.say("sync")
    assert not any(one["defeated"] for one in rows(combat, "combatants"))
    play.fell(SOLDIER)
    play.say("sync")
    assert [one["defeated"] for one in rows(combat, "combatants")].count(True) == 1  # all of a stand are out


def test_pull_makes_a_roster_of_contractors(play: Play, tmp_path: Path) -> None:
    sheet = {"name": "Ann", "type": "creature", "system": {"hits": {"value": 1, "max": 2}}}
    made = play.world.create("Actor", sheet)
    out = tmp_path / "squad.toml"
    done = say("foundry", "pull", str(out), "--relay", "http://fake", "--actor", f"Actor.{made['_id']}")
    assert done.status == 0, done
    assert "Ann" in out.read_text(encoding="utf-8")
    assert say("foundry", "pull", str(out), "--relay", "http://fake", "--actor", "Actor.a").status == 2


def test_pull_makes_a_roster_of_one_side_of_our_own_actors(play: Play, tmp_path: Path) -> None:
    play.ready()
    play.edit(NCO, 2)
    out = tmp_path / "red.toml"
    done = say("foundry", "pull", str(out), "--relay", "http://fake", "--side", "red")
    assert done.status == 0, done
    text = out.read_text(encoding="utf-8")
    assert (text.count("[[squads.teams.units]]"), "wounds = 2" in text) == (6, True), text


def test_the_device_flow_keeps_the_key_in_the_key_store(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[tuple[str, str], str] = {}

    class Store:
        def get_password(self, service: str, name: str) -> str | None:
            return kept.get((service, name))

        def set_password(self, service: str, name: str, password: str) -> None:
            kept[service, name] = password

    monkeypatch.setattr("rallypoint_foundry.live.commands.connect.key_store", Store)
    monkeypatch.setattr("rallypoint_foundry.live.keys.key_store", Store)
    monkeypatch.delenv("RALLYPOINT_FOUNDRY_KEY")
    play.fake.accounts.approves = True
    done = play.say("connect", "--relay", "http://fake", "--ask")
    assert done.status == 0, done
    (key,) = kept.values()
    assert len(key) == 64
    assert key not in done.out + done.err
    assert play.say("push", str(play.export)).status == 0


def test_without_httpx_it_says_what_to_install(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "httpx", None)
    monkeypatch.setenv("RALLYPOINT_FOUNDRY_KEY", KEY)
    done = play.say("connect", "--relay", "http://fake")
    assert (done.status, "pip install 'rallypoint[live]'" in done.err) == (3, True)


def test_only_what_is_needed_is_asked_for() -> None:
    from rallypoint_foundry.live.commands.connect import _all_scopes

    assert "entity:write" in _all_scopes()
    assert not {"execute-js", "file:write"} & set(_all_scopes())


def test_the_lease_of_a_killed_process_is_not_waited_for(play: Play) -> None:
    play.ready()
    play.fought(CO, 1)
    dead = re.sub(r"begun \S+", "begun 1", this_process())  # the number is another process's by now
    for holder, status in (
        ("somebody at another machine", 2),
        (this_process().replace("process", "cousin"), 2),
        (dead, 0),
    ):
        with play.seat() as seat:
            seat.ledger.release(VTT, "somebody at another machine")
            seat.ledger.release(VTT, this_process().replace("process", "cousin"))
            assert seat.ledger.lease(VTT, holder, play.fake.clock.now(), 100.0) is None
        before = play.fake.clock.now()
        done = play.say("sync")
        assert done.status == status, done
        assert ("another process writes" in done.err) == (status == 2)
        assert (play.fake.clock.now() - before < 1.0) == (status == 0)
    assert play.shown(CO) == 1


def test_a_copy_of_a_sidebar_actor_is_found_by_status_and_bind(play: Play) -> None:
    play.ready()
    play.world.edit(play.actor(CO), {"name": "The Old Man"})
    original = play.actor(CO)
    assert play.say("status", "--json").document["copies"] == []
    assert play.asked() == [("GET", "/clients"), ("GET", "/search")]  # nobody is named like a copy: nobody is read
    copy = play.world.copy_actor(original)
    stranger = play.world.create("Actor", {"name": "The Old Man of the Sea", "type": "creature"})
    for command in ("status", "bind"):
        done = play.say(command)
        assert done.status == 0
        assert copy in done.out
        assert f"Actor.{stranger['_id']}" not in done.out
    assert play.say("status", "--json").document["copies"] == [f"{copy} of {original}"]
    assert copy in play.say("bind", "--json").document["copies"]


def test_status_without_the_scope_to_search_says_the_rest(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    play.ready()
    monkeypatch.setenv("RALLYPOINT_FOUNDRY_KEY", play.fake.add_key("clients:read"))
    done = play.say("status", "--json")
    assert (done.status, done.document["copies"], done.document["documents"]) == (0, [], 14)


def test_a_key_that_cannot_be_kept_is_not_asked_for(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rallypoint_foundry.live.commands.connect.key_store", lambda: None)
    done = play.say("connect", "--relay", "http://fake", "--ask", "--json")
    assert (done.status, done.document["code"]) == (3, "no_key_store")
    assert not [call for call in play.fake.heard if call.path == "/auth/key-request"]
