"""Open questions: what has happened before they are asked, what can be answered, by which words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rallypoint.cli.battle_question import given_answer, key_meant
from rallypoint.cli.battle_words import Names
from rallypoint.disrupter.decisions import choice_asked, option_words
from rallypoint.kernel.events import Event
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.tape import Choice, Choose, Option

from ..disrupter.positions import position, team, unit
from .battles import entries, kinds, said, say


@pytest.fixture
def asked(home: Path) -> Path:
    """R-0A goes from B6 to B5 under the eyes of B-0A in B1; from B5 to B1 are four rows straight up."""
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "5")
    said("battle", "play", "a.battle", given=["done", "done", "move R-0A B5", "q"])
    assert kinds(home / "a.battle")[-1] == "wait"
    return home / "a.battle"


PENDING = "  .2  D-R14.1  R-0A moves from B6 to B5"
QUESTION = "R-0A moves B6 to B5, 4 hexes away: does B-0A react?"


def test_a_reaction_says_who_moved_from_where_to_where_and_how_far_off(asked: Path) -> None:
    for command in ("show", "legal", "step"):
        out = said("battle", command, "a.battle")
        assert out.count(PENDING) == 1
        assert f"Open: Blue decides: {QUESTION}" in out
    assert said("battle", "log", "a.battle").endswith(f"pending  Red: R-0A: move to B5\n{PENDING}\n")
    assert PENDING not in said("battle", "log", "a.battle", "--to", "3")


def test_what_is_pending_is_told_once_and_not_again_when_the_step_ends(asked: Path) -> None:
    out = said("battle", "play", "a.battle", given=["1"] * 9)
    last = [each for each in entries(asked) if each.kind == "step" and each.intent.rule == "move"][-1]
    assert last.events[1].kind == "move.step"
    assert out.count("R-0A moves from B6 to B5") == 1
    assert out.count("B-0A fires in reaction at R-0A") == 1
    assert out.index(PENDING) < out.index(f"Blue decides: {QUESTION}") < out.index(f"  {last.number}.1 to ")
    told = int(out.split(f"  {last.number}.1 to {last.number}.")[1].split()[0])
    assert f"  {last.number}.{told}  " not in out
    assert f"  {last.number}.{len(last.events)}  " in out


def test_looking_at_what_is_pending_writes_nothing(asked: Path) -> None:
    before = asked.read_bytes()
    said("battle", "log", "a.battle")
    said("battle", "show", "a.battle")
    assert asked.read_bytes() == before


def test_a_program_reads_what_is_pending_in_the_entry_that_waits(asked: Path) -> None:
    *others, last = say("battle", "log", "a.battle", "--json").document
    assert [event["kind"] for event in last["pending"]] == ["action.spent", "move.step"]
    assert all("pending" not in each for each in others)
    assert say("battle", "show", "a.battle", "--json", "--seat", "blue").document["pending"] == last["pending"]


def test_the_options_are_listed_with_numbers_and_keys_and_answered_by_either(asked: Path) -> None:
    lines = said("battle", "legal", "a.battle").splitlines()
    assert "   1  fire         fire at R-0A" in lines
    assert "   2  fire R-0A-1  fire at R-0A-1 CO" in lines
    assert lines[-1] == "Next: rallypoint battle answer a.battle 1"
    (ask,) = json.loads(said("battle", "show", "a.battle", "--json"))["question"]["asks"]
    assert [option["number"] for option in ask["options"]] == [*range(1, len(ask["options"]) + 1)]
    for words in (["2"], ["fire", "r-0a-1"], [ask["options"][1]["key"]]):
        out = said("battle", "answer", "a.battle", *words)
        assert "B-0A fires in reaction at R-0A-1 CO" in out
        said("battle", "undo", "a.battle", "--whole")
        said("battle", "act", "a.battle", "move", "R-0A", "B5")
    done = say("battle", "answer", "a.battle", "9")
    assert done.status == 2
    assert "(D-R15.2); found: 9; expected: fire, fire R-0A-1, fire R-0A-2" in done.err


def test_a_log_is_read_as_it_is_where_other_rules_are_on(asked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RALLYPOINT_PLUGINS", "disrupter,streamline")
    out = said("battle", "log", "a.battle")
    assert out.splitlines()[-1].endswith("waits for an answer")


def test_keys_are_meant_by_number_code_and_hex() -> None:
    state = State.of([Entity.new("r1a", "team"), Entity.new("r1a-1", "unit", parent="r1a")])
    names = Names(state, {"r1a": ("Team A", "Team", "R-1A"), "r1a-1": ("NCO 1A-1", "NCO", "R-1A")})
    options = Option("stop", "stop here"), Option("2,0", "on to 2, 0"), Option("fire r1a-1", "fire at r1a-1")
    ask = Choice("red", "what", options)
    said = {"1": "stop", "3": "fire r1a-1", "c1": "2,0", "2,0": "2,0", "fire R-1A-1": "fire r1a-1", "STOP": "stop"}
    assert {word: key_meant(names, ask, word) for word in said} == said
    for wrong in ("0", "4", "C2", "fire R-1A"):
        assert key_meant(names, ask, wrong) == wrong  # for the rule that asks to refuse
    both = Choose((ask, ask))
    assert given_answer(names, both, ["1", "c1"]) == ["stop", "2,0"]
    assert given_answer(names, both, ["fire", "R-1A-1"], 1) == "fire r1a-1"


def test_questions_and_options_in_words() -> None:
    state = position(team("R1A", (0, 0), unit("Soldier")), team("B1A", (0, 3), unit("Soldier")))
    moved = Event("move.step", (), "D-R14.1", why={"team": "B1A", "from": (0, 4), "to": (0, 3)})
    ask = Choice("red", "reaction", (Option("hold", "do nothing"),), "R1A")
    assert choice_asked(state, [moved], ask, str.lower) == "b1a moves C5 to B4, 3 hexes away: does r1a react?"
    assert choice_asked(state, [], ask, str.lower) is None  # nobody has moved: a plugin asks
    assert choice_asked(state, [], ask._replace(purpose="wounds"), str.lower) == "who of r1a takes Wounds first?"
    assert choice_asked(state, [], ask._replace(purpose="parley"), str.lower) is None
    assert option_words("on to 2, 0", lambda uid: uid) == "on to C1"
