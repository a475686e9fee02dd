"""battle log, explain, replay, adopt: what happened, why, by which rule and which plugin, and whether it still holds."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from rallypoint.cli.battle_log import event_lines
from rallypoint.cli.battle_table import Record
from rallypoint.cli.command_line import Invocation
from rallypoint.kernel.battle_file import _checksum
from rallypoint.kernel.plugins.switches import Switches

from ..plugins.distributions import distribution, rallypoint
from .battles import after_acts, entries, kinds, said, say


@pytest.fixture
def fought(home: Path) -> Path:
    """Return a battle after a few acts of seats that play at random."""
    return after_acts(home, 14)


def log(*arguments: str) -> Any:
    return json.loads(said("battle", "log", "a.battle", "--json", *arguments))


def test_the_log_has_a_line_for_each_event_with_its_rule(fought: Path) -> None:
    lines = said("battle", "log", "a.battle").splitlines()
    events = {
        f"{entry.number}.{number}": event.rule
        for entry in entries(fought)
        if entry.kind == "step"
        for number, event in enumerate(entry.events, 1)
        if event.kind not in ("action.spent", "battle.declared", "team.walked")  # the act itself says so
    }
    found = dict(line.split()[:2] for line in lines if re.match(r"  \d+\.\d+ ", line))
    assert found == events
    assert len(events) > 20
    assert all(re.fullmatch(r"D-[A-Z]+-?[A-Z0-9.-]+", rule) for rule in events.values())
    heads = [line for line in lines if not line.startswith("  ")]
    assert len(heads) == len(entries(fought))
    assert heads[0] == "0  the battle begins"


def test_the_log_as_json_holds_dice_changes_and_hashes(fought: Path) -> None:
    rows = log()
    assert [row["hash"] for row in rows] == [entry.hash for entry in entries(fought)]
    checks = [event for row in rows for event in row.get("events", ()) if event["kind"] == "check"]
    assert all(set(check["why"]["check"]) == {"who", "purpose", "die", "faces", "grade"} for check in checks)
    assert len(checks) >= 2
    assert log("--from", "3", "--to", "4") == rows[3:5]


def test_what_was_undone_is_marked(fought: Path) -> None:
    said("battle", "undo", "a.battle")
    last = [entry.number for entry in entries(fought) if entry.kind == "step"][-1]
    rows = log()
    assert [row["entry"] for row in rows if row.get("undone")] == [last]
    assert rows[-1]["of"] == last
    assert f"undo of entry {last}" in said("battle", "log", "a.battle")
    assert said("battle", "explain", "a.battle", str(last)).splitlines()[0].endswith("(undone)")
    said("battle", "redo", "a.battle")
    assert not any(row.get("undone") for row in log())


def test_a_check_is_explained_with_dice_modifiers_and_reasons(fought: Path) -> None:
    rows = log()
    place, check = next(
        (f"{row['entry']}.{number}", event)
        for row in rows
        for number, event in enumerate(row.get("events", ()), 1)
        if event["kind"] == "check" and event["why"].get("modifiers")
    )
    out = said("battle", "explain", "a.battle", place).splitlines()
    assert out[0] == f"{place}  check"
    assert out[1] == f"  rule {check['rule']}"
    assert any(f"under {check['why']['stat'].capitalize()} {check['why']['under']}" in line for line in out)
    for sign, _, rule in check["why"]["modifiers"]:
        assert any(line.startswith(f"  [{sign}] ") and line.endswith(f"({rule})") for line in out)
    faces = " and ".join(f"{face:02}" for face in check["why"]["check"]["faces"])
    assert any(line.endswith(faces) for line in out)
    assert json.loads(said("battle", "explain", "a.battle", place, "--json")) == check


def test_a_whole_entry_is_explained_event_by_event(fought: Path) -> None:
    step = next(entry for entry in entries(fought) if entry.kind == "step" and len(entry.events) > 3)
    out = said("battle", "explain", "a.battle", str(step.number))
    for number, event in enumerate(step.events, 1):
        assert f"\n{step.number}.{number}  {event.kind}\n  rule {event.rule}" in out


@pytest.mark.parametrize("number", ["x", "1.", "1.2.3", "-1", "99999", "1.999", "0.1"])
def test_an_event_that_is_not_there_is_refused(fought: Path, number: str) -> None:
    done = say("battle", "explain", "a.battle", "--", number)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("error: ")


def test_replay_says_the_same_or_where_it_differs(fought: Path) -> None:
    steps = [entry for entry in entries(fought) if entry.kind == "step"]
    events = sum(len(entry.events) for entry in steps)
    assert said("battle", "replay", "a.battle") == (
        f"The same: {len(entries(fought))} entries, {len(steps)} steps, {events} events, state {entries(fought)[-1].hash}.\n"
    )
    assert json.loads(said("battle", "replay", "a.battle", "--json"))["events"] == events
    changed = _with_another_die(fought)
    done = say("battle", "replay", "a.battle")
    assert done.status == 1
    assert done.err.startswith(f"differs: entry {changed}: the rules give something else than the log")
    done = say("battle", "replay", "a.battle", "--json")
    assert (done.status, done.document["same"], done.document["entry"]) == (1, False, changed)
    said("battle", "show", "a.battle")  # a log opens whatever its rules say


def _with_another_die(path: Path) -> int:
    """Change the first die of the log, with a right checksum, and return the number of its entry."""
    with sqlite3.connect(path) as connection:
        for number, kind, changes, body, digest in connection.execute(
            "SELECT number, kind, changes, body, hash FROM log"
        ):
            match = re.search(r'("tape":\[\["[0-9a-f]+",\[)(\d+)', body)
            if kind != "step" or match is None:
                continue
            other = "1" if match[2] != "1" else "2"
            text = body[: match.start(2)] + other + body[match.end(2) :]
            row = (number, kind, changes, text, digest)
            connection.execute(
                "UPDATE log SET body = ?, checksum = ? WHERE number = ?", (text, _checksum(*row), number)
            )
            return int(number)
    raise AssertionError("no die was thrown")


def test_adopt_goes_on_under_other_rulings(fought: Path) -> None:
    assert "The rules are the same" in said("battle", "adopt", "a.battle")
    before = fought.read_bytes()
    out = said("battle", "adopt", "a.battle", "--option", "D-AMB-05=selected", "--dry-run")
    assert out.splitlines() == [
        "option D-AMB-05: none in the log, selected here",
        "Would go on under the present rules.",
    ]
    assert fought.read_bytes() == before
    said("battle", "adopt", "a.battle", "--option", "D-AMB-05=selected")
    assert kinds(fought)[-1] == "adopt"
    assert json.loads(said("battle", "show", "a.battle", "--json"))["options"] == {"D-AMB-05": "selected"}
    said("battle", "step", "a.battle", "--acts", "1")
    said("battle", "replay", "a.battle")
    done = say("battle", "undo", "a.battle", "--times", "9")
    assert (done.status, "there is nothing to undo" in done.err) == (2, True)  # not beyond the new beginning


HOUSE_RULE = """
from rallypoint.kernel.plugins.hooks import hookimpl

@hookimpl
def turn_start(step, stress):
    return stress + 2
"""


@pytest.fixture
def house_rule(home: Path) -> Path:
    """Return a folder with a plugin by which each turn costs 3 Stress, and start a battle with it."""
    site = home / "site"
    site.mkdir()
    manifest = 'hooks = "pkg_dread.rules"\nrules = ["D-R8.3"]\n[needs]\ndisrupter = "1"\n'
    distribution(site, "dread", {"rules.py": HOUSE_RULE}, manifest=manifest, version="2.5")
    return site


def run(site: Path, *arguments: str) -> str:
    done = rallypoint("battle", *arguments, folder=site)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_a_plugin_changed_is_explained_and_its_absence_named(home: Path, house_rule: Path) -> None:
    run(
        house_rule, "new", "skirmish.toml", "-o", "a.battle", "--seed", "7", "--seat", "red=auto", "--seat", "blue=auto"
    )
    out = run(house_rule, "step", "a.battle", "--acts", "6")
    place = next(re.findall(r"(\d+\.\d+)  D-R8.3", line)[0] for line in out.splitlines() if "D-R8.3" in line)
    explained = run(house_rule, "explain", "a.battle", place)
    assert "  rule D-R8.3\n" in explained
    asked = place.split(".")[0] + "." + str(int(place.split(".")[1]) - 1)
    assert f"the plugin dread ({asked}): turn_start is changed from 1 to 3" in explained
    assert "answered by the plugin dread" in run(house_rule, "explain", "a.battle", asked)
    assert f"{asked}  kernel  turn_start is changed from 1 to 3 [dread]" in out
    assert "Stress 0 + 3: a new turn" in explained
    rules = rallypoint("rules", "show", "--battle", "a.battle", "--markdown", folder=house_rule).stdout
    assert "- dread 2.5: D-R8.3" in rules
    for command in (["step"], ["act", "done"], ["undo"]):
        done = rallypoint("-p", "no:dread", "battle", command[0], "a.battle", *command[1:], folder=house_rule)
        assert done.returncode == 2
        assert "plugin dread: 2.5 in the log, none here" in done.stderr
        assert "rallypoint battle adopt a.battle" in done.stderr
    done = rallypoint("-p", "no:dread", "battle", "replay", "a.battle", folder=house_rule)
    assert done.returncode == 1
    assert (
        "other rules: plugin dread"
        in rallypoint("-p", "no:dread", "battle", "show", "a.battle", folder=house_rule).stdout
    )
    assert "Goes on" in rallypoint("-p", "no:dread", "battle", "adopt", "a.battle", folder=house_rule).stdout


def test_a_log_can_be_read_without_its_game(fought: Path) -> None:
    """No game is on: the log still opens, and says in plainer words what changed."""
    with Record(Invocation(Switches.of(none=True)), str(fought)) as record:
        assert record.module() is None
        step = next(entry for entry in record.entries if entry.kind == "step" and entry.events)
        lines = list(event_lines(record, step))
    assert lines[0].startswith(f"{step.number}  ")
    assert len(lines) == len(step.events) + 1
    assert all(event.rule in line and event.kind in line for event, line in zip(step.events, lines[1:], strict=True))


def test_a_moment_of_the_past_bears_its_own_number_and_beyond_the_end_the_log_says_where_it_ends(fought: Path) -> None:
    assert said("battle", "show", "a.battle", "--entry", "2").splitlines()[0] == "Skirmish  (entry 2)"
    document = json.loads(said("battle", "show", "a.battle", "--entry", "2", "--json"))
    assert (document["entry"], document["hash"]) == (2, entries(fought)[2].hash)
    last = len(entries(fought)) - 1
    assert said("battle", "show", "a.battle").splitlines()[0] == f"Skirmish  (entry {last})"
    assert (
        said("battle", "log", "a.battle", "--from", "99")
        == f"There is no entry 99 yet: the log goes from 0 to {last}.\n"
    )
    assert said("battle", "log", "a.battle", "--from", str(last)).startswith(f"{last}  ")
    assert log("--from", "99") == []
