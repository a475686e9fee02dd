"""battle log and explain with --seat: what one seat may know, in words and for a program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .battles import said, say

SECRET = "Hold the ford until dusk"


@pytest.fixture(autouse=True)
def briefed(home: Path) -> None:
    """Begin a battle in whose first act red gives an order that blue may not know."""
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "7")
    said("battle", "step", "a.battle")
    said("battle", "act", "a.battle", "brief", json.dumps(["R-1", {"text": SECRET}]), "--seat", "red")


def place() -> str:
    """Return the number of the event that tells the secret, as the log of a referee shows it."""
    rows = json.loads(said("battle", "log", "a.battle", "--json"))
    return next(
        f"{row['entry']}.{number}"
        for row in rows
        for number, event in enumerate(row.get("events", ()), 1)
        if SECRET in json.dumps(event)
    )


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_the_log_of_a_seat_keeps_the_others_secret(form: tuple[str, ...]) -> None:
    assert SECRET in said("battle", "log", "a.battle", *form)
    assert SECRET in said("battle", "log", "a.battle", "--seat", "red", *form)
    assert SECRET not in said("battle", "log", "a.battle", "--seat", "blue", *form)


def test_an_act_that_is_not_known_stands_without_rule_and_arguments() -> None:
    number = int(place().partition(".")[0])
    row = json.loads(said("battle", "log", "a.battle", "--seat", "blue", "--json"))[number]
    assert (row["kind"], row["seat"]) == ("step", "red")
    assert not {"rule", "args"} & row.keys()


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_an_event_that_a_seat_may_not_know_is_not_explained_to_it(form: tuple[str, ...]) -> None:
    number = place()
    assert SECRET in said("battle", "explain", "a.battle", number, "--seat", "red", *form)
    done = say("battle", "explain", "a.battle", number, "--seat", "blue", *form)
    assert (done.status, done.out) == (2, "")
    assert "this seat may not know" in done.err
    assert SECRET not in said("battle", "explain", "a.battle", number.partition(".")[0], "--seat", "blue", *form)


@pytest.mark.parametrize("verb", [("log", "a.battle"), ("explain", "a.battle", "0")])
@pytest.mark.parametrize("seat", ["bleu", "referee", ""])
def test_a_seat_that_is_not_there_is_refused(verb: tuple[str, ...], seat: str) -> None:
    done = say("battle", *verb, "--seat", seat)
    assert (done.status, done.out) == (2, "")
    assert "there is no such seat" in done.err


def test_what_another_seat_did_in_secret_is_not_named_when_it_is_undone() -> None:
    """Red is ready, then blue's autopilot briefs its squads, which red's `u` takes back with red's own act."""
    said("battle", "new", "skirmish.toml", "-o", "b.battle", "--seed", "5", "--seat", "blue=auto")
    out = said("battle", "play", "b.battle", given=["done", "u", "q"])
    assert " (not known)." in out
    assert " (done)." in out
    assert " (brief)." not in out
    rules = [row.get("rule") for row in json.loads(said("battle", "log", "b.battle", "--json")) if row.get("undone")]
    assert "brief" in rules  # the file itself keeps all of it
