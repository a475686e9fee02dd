"""battle step, legal, act, answer, order, undo, redo, show: a battle that any program can drive."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .battles import after_acts, entries, kinds, said, say


@pytest.fixture
def battle(home: Path) -> Path:
    """Return a battle of two persons with dice of a seed, in its briefing."""
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "7")
    said("battle", "step", "a.battle")
    return home / "a.battle"


@pytest.fixture
def turn(battle: Path) -> Path:
    """Return it in its first turn, where somebody moves."""
    for _ in range(2):
        said("battle", "act", "a.battle", "done", "--step")
    return battle


@pytest.fixture
def typed(home: Path) -> Path:
    """Return a battle whose dice are typed in, before its first roll."""
    said("battle", "new", "skirmish.toml", "-o", "t.battle", "--dice", "typed")
    said("battle", "step", "t.battle")
    for _ in range(2):
        said("battle", "act", "t.battle", "done", "--step")
    return home / "t.battle"


def document(*arguments: str) -> Any:
    return json.loads(said(*arguments))


def test_a_step_runs_what_is_due_by_itself_and_stops_where_somebody_is_asked(home: Path) -> None:
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "7")
    out = said("battle", "step", "a.battle").splitlines()
    assert out[0] == "1  by itself: the briefing opens"
    assert out[1].startswith("  1.1  D-R10.1  the briefing opens")
    assert out[-1] == "To act: Red"
    assert said("battle", "step", "a.battle").splitlines() == ["", "To act: Red"]
    assert kinds(home / "a.battle") == ["start", "step"]


def test_seats_can_play_alone_for_once(battle: Path) -> None:
    seats = ("--seat", "red=random", "--seat", "blue=random")
    said("battle", "step", "a.battle", "--acts", "3", *seats)
    acts = [entry for entry in entries(battle) if entry.kind == "step" and entry.intent.seat is not None]
    assert len(acts) == 3
    assert "To act" in said("battle", "step", "a.battle").splitlines()[-1]  # the file still says that persons sit there


def test_a_battle_can_be_fought_to_its_end_by_a_command(battle: Path) -> None:
    out = said("battle", "step", "a.battle", "--seat", "red=auto", "--seat", "blue=auto")
    assert out.splitlines()[-1].startswith("Over: ")
    shown = document("battle", "show", "a.battle", "--json")
    winner = shown["over"]["winner"]
    assert winner in ("red", "blue", "draw")
    officers = {side: _officers(shown, side) for side in ("red", "blue")}
    loser = {"red": "blue", "blue": "red"}.get(winner)
    if loser is not None:
        assert officers[loser] == 0 < officers[winner]  # D-R9.7
    done = say("battle", "act", "a.battle", "done", "--seat", "red")
    assert (done.status, "it is not this seat's act" in done.err) == (2, True)


def _officers(shown: Any, side: str) -> int:
    units = [each for each in shown["entities"] if each["role"] == "unit" and each["uid"].startswith(f"{side}.")]
    return sum(each["name"].rpartition(" ")[2] in ("CO", "NCO") and each["gone"] is None for each in units)


def test_legal_acts_have_numbers_words_and_a_form_that_act_takes(battle: Path) -> None:
    lines = said("battle", "legal", "a.battle").splitlines()
    rows = document("battle", "legal", "a.battle", "--json")["legal"]
    assert len(lines) == len(rows)
    assert lines[0].split("  ")[-1] == f"Red: {rows[0]['words']}"
    assert rows[0] == {
        "seat": "red",
        "rule": "brief",
        "args": ["red.small-0", {"text": "Engage the enemy.", "verb": "engage"}],
        "words": "R-0: first order: Engage the enemy.",
    }
    before = entries(battle)[-1].hash
    said("battle", "act", "a.battle", "--number", "1")
    by_number = entries(battle)[-1].hash
    said("battle", "undo", "a.battle")
    assert entries(battle)[-1].hash == before
    said("battle", "act", "a.battle", rows[0]["rule"], json.dumps(rows[0]["args"]), "--seat", rows[0]["seat"])
    assert entries(battle)[-1].hash == by_number


def test_codes_stand_for_uids_in_arguments(turn: Path) -> None:
    rows = document("battle", "legal", "a.battle", "--json")["legal"]
    move = next(row for row in rows if row["rule"] == "move")
    team, path = move["args"]
    code = move["words"].partition(":")[0]
    assert code != team
    out = document("battle", "act", "a.battle", "move", json.dumps([code.lower(), path]), "--json")
    entry = next(each for each in out["entries"] if each["kind"] == "step")
    assert (entry["rule"], entry["args"][0]) == ("move", team)
    shown = document("battle", "show", "a.battle", "--json")
    place = next(each["place"] for each in shown["entities"] if each["uid"] == team)
    assert place[:2] == path[-1] or entry["events"][-1]["kind"] != "move.step"  # unless it was stopped by fire


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("move", '["B-1A", [[1, 2]]]'), "(D-R11.9)"),
        (("move", '["R-9Z", [[1, 2]]]'), "there is no such team (D-R16.1)"),
        (("move", '["R-0A", [[40, 40]]]'), "(D-R14."),
        (("move", '["R-1A"]'), "these arguments do not fit the act"),
        (("move", "{}"), "the arguments are a JSON list"),
        (("move", "[1,"), "the arguments are not JSON"),
        (("move", '["R-0A", [[1, 4, 0]]]'), "a path is a list of hexes (D-R14.1)"),
        (("move", '["R-1A", [[NaN, 2]]]'), "the arguments are not JSON; found: NaN, which is no number of JSON"),
        (("move", '["R-1A", [[-Infinity, 2]]]'), "the arguments are not JSON; found: -Infinity"),
        (("move", '["R-1A", [[1e999, 2]]]'), "the arguments are not JSON; found: 1e999"),
        (("fly", "[]"), "this is not among the acts of the moment"),
        (("brief", '["R-1", {"text": "Go."}]'), "this is not among the acts of the moment"),
        (("--number", "9999"), "there is no act of this number"),
        ((), "which act"),
        (("done", "--number", "1"), "which act"),
        (("done", "--seat", "green"), "there is no such seat"),
    ],
)
def test_an_act_that_is_refused_changes_nothing(turn: Path, arguments: tuple[str, ...], words: str) -> None:
    if not said("battle", "show", "a.battle").splitlines()[-1].endswith("Red"):
        said("battle", "act", "a.battle", "done", "--step")
        said("battle", "act", "a.battle", "done", "--step")
    before = turn.read_bytes()
    done = say("battle", "act", "a.battle", *arguments)
    assert (done.status, done.out) == (2, "")
    assert words in done.err
    assert turn.read_bytes() == before


def test_typed_dice_are_asked_for_by_name_and_answered_one_by_one(typed: Path) -> None:
    found = document("battle", "legal", "t.battle", "--json")
    assert found["legal"] == []
    question = found["question"]
    assert question["kind"] == "grade"
    (throw,) = question["throws"]
    assert (throw["who"], throw["purpose"], throw["low"], throw["high"]) == ("red.small-0A-1-1", "initiative", 0, 99)
    # red's CO stands in the hex beside his NCO: [+], two dice (D-R9.4, D-R7.5)
    assert throw["number"] == 2
    assert question["why"]["under"] == 80
    assert [row[0] for row in question["why"]["modifiers"]] == ["+"]
    for given in (("34",), ("34", "100"), ("34", "x"), ("[[34",)):
        before = typed.read_bytes()
        done = say("battle", "answer", "t.battle", *given)
        assert (done.status, typed.read_bytes() == before) == (2, True), given
    said("battle", "answer", "t.battle", "34", "35")
    out = said("battle", "answer", "t.battle", "90", "91")
    assert "R-0A-1 CO: initiative: 34 and 35 under 80: success" in out
    assert "B-0A-1 CO: initiative: 90 and 91 under 80: failure" in out
    assert "Red goes first" in out


def test_an_act_waits_for_the_open_question(typed: Path) -> None:
    done = say("battle", "act", "t.battle", "done")
    assert done.status == 2
    assert "a question is open" in done.err
    assert "R-0A-1 CO rolls 2d100 (00 to 99) for initiative" in done.err
    assert "battle answer t.battle" in done.err


def test_undo_drops_a_step_that_waits_and_then_goes_back(typed: Path) -> None:
    assert said("battle", "undo", "t.battle").startswith("Dropped initiative, which waited for an answer.")
    assert kinds(typed)[-1] == "cancel"
    assert "Undid entry" in said("battle", "undo", "t.battle")
    assert said("battle", "redo", "t.battle").startswith("Brought back entry")
    said("battle", "step", "t.battle")
    assert document("battle", "legal", "t.battle", "--json")["question"]["throws"][0]["purpose"] == "initiative"


def test_undo_takes_back_one_answer_or_the_whole_step(typed: Path) -> None:
    said("battle", "answer", "t.battle", "34", "53")
    assert "Took back an answer: R-0A-1 CO rolls 2d100" in said("battle", "undo", "t.battle").splitlines()[0]
    assert [row for row in document("battle", "log", "t.battle", "--json") if "of" in row][-1]["kind"] == "retract"
    said("battle", "answer", "t.battle", "34", "35")
    out = said("battle", "undo", "t.battle", "--whole")
    assert out.startswith("Dropped initiative, which waited for an answer.")
    said("battle", "step", "t.battle")
    said("battle", "answer", "t.battle", "34", "35")
    lines = said("battle", "undo", "t.battle", "--times", "3").splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["Took", "Dropped", "Undid"]


def test_undo_and_redo_give_the_states_that_were(turn: Path) -> None:
    hashes = [entry.hash for entry in entries(turn)]
    said("battle", "undo", "a.battle", "--times", "4")
    assert entries(turn)[-1].hash == hashes[-5]
    said("battle", "redo", "a.battle", "--times", "4")
    assert entries(turn)[-1].hash == hashes[-1]
    done = say("battle", "redo", "a.battle")
    assert (done.status, "there is nothing to redo" in done.err) == (2, True)
    done = say("battle", "undo", "a.battle", "--times", "99")
    assert (done.status, "there is nothing to undo" in done.err) == (2, True)
    assert entries(turn)[-1].hash == hashes[-1]  # all or nothing


@pytest.mark.parametrize("command", [("act", "a.battle", "done"), ("order", "a.battle", "R-0A-1", "R-1", "Go.")])
def test_who_acts_before_the_first_step_is_told_what_to_do(home: Path, command: tuple[str, ...]) -> None:
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "7")
    done = say("battle", *command)
    assert (done.status, kinds(home / "a.battle")) == (2, ["start"])
    assert "a rule runs by itself before anybody acts (D-R10.1); found: begin" in done.err
    assert "rallypoint battle step a.battle runs it" in done.err


def test_what_is_wrong_with_an_answer_is_said_in_codes(typed: Path) -> None:
    done = say("battle", "answer", "t.battle", "R-0A-1")
    assert done.status == 2
    assert "found: R-0A-1; expected: 2 numbers from 0 to 99 for R-0A-1 (initiative)" in done.err


def test_an_officer_orders_by_a_command(battle: Path) -> None:
    said(
        "battle", "order", "a.battle", "R-0A-1", "R-1", "Take the wood.", "--with", "verb=advance", "--with", "place=B2"
    )
    order: Any = entries(battle)[-1].intent
    assert (order.rule, order.seat, order.args[0]) == ("brief", "red", "red.small-1")
    assert dict(order.args[1]) == {"text": "Take the wood.", "verb": "advance", "place": (1, 1)}
    assert "order: Take the wood." in said("battle", "show", "a.battle")
    assert "Take the wood." not in said("battle", "show", "a.battle", "--seat", "blue")
    assert "Take the wood." not in said("battle", "log", "a.battle", "--seat", "blue")
    for arguments, words in (
        (("R-0A-9", "R-1", "Go."), "nobody in this battle is called so"),
        (("R-0A-2", "R-1", "Go."), "only an Officer commands"),
        (("R-1A-1", "R-0", "Go."), "an NCO orders his own squad only"),
        (("R-0A-1", "R-1", "Go.", "--with", "verb=bogus"), "engage, advance, hold, rally, retreat"),
        (("R-0A-1", "R-1", "Go.", "--with", "where=here"), "an order has no such part"),
        (("R-0A-1", "R-1", "Go.", "--with", "place=Z99x"), "this is no place"),
    ):
        done = say("battle", "order", "a.battle", *arguments)
        assert (done.status, words in done.err) == (2, True), done.err


def test_in_the_turn_an_order_is_the_action_of_the_officers_team(turn: Path) -> None:
    for _ in range(4):
        if "takes Battlefield" in document("battle", "show", "a.battle", "--json")["headline"]:
            break
        said("battle", "act", "a.battle", "done", "--step")
    letter = "R" if document("battle", "show", "a.battle", "--json")["acts"] == ["red"] else "B"
    said("battle", "order", "a.battle", f"{letter}-0A-1", f"{letter}-1", "Hold.", "--with", "verb=hold")
    last: Any = [entry for entry in entries(turn) if entry.kind == "step"][-1].intent
    assert (last.rule, last.args[1][0][1]) == ("act", "order")


def test_several_numbers_are_one_action_of_a_team(turn: Path) -> None:
    for _ in range(4):
        if "takes Battlefield" in document("battle", "show", "a.battle", "--json")["headline"]:
            break
        said("battle", "act", "a.battle", "done", "--step")
    rows = document("battle", "legal", "a.battle", "--json")["legal"]
    orders = [place for place, row in enumerate(rows, 1) if row["rule"] == "act" and row["args"][1][0][1] == "order"]
    spots = [
        place
        for place, row in enumerate(rows, 1)
        if row["rule"] == "act" and row["args"][1][0][0] != rows[orders[0] - 1]["args"][1][0][0]
    ]
    first, second = orders[0], spots[0]
    said("battle", "act", "a.battle", "--number", str(first), "--number", str(second))
    made: Any = [entry for entry in entries(turn) if entry.kind == "step" and entry.intent.seat][-1].intent
    assert json.loads(json.dumps(made.args[1], default=dict)) == [
        *rows[first - 1]["args"][1],
        *rows[second - 1]["args"][1],
    ]
    said("battle", "undo", "a.battle")
    done = say("battle", "act", "a.battle", "--number", str(first), "--number", str(len(rows)))
    assert (done.status, "these cannot be done at once" in done.err) == (2, True)
    done = say("battle", "act", "a.battle", "--number", str(first), "--number", str(first))
    assert (done.status, "a unit does one thing in an activation (D-R16.4)" in done.err) == (2, True)


def test_show_as_json_has_every_entity_and_the_hash_of_the_log(turn: Path) -> None:
    shown = document("battle", "show", "a.battle", "--json")
    assert shown["hash"] == entries(turn)[-1].hash
    assert sum(each["role"] == "unit" for each in shown["entities"]) == 12
    assert {each["name"] for each in shown["entities"] if each["role"] == "team"} == {
        f"{side}-{team}" for side in "RB" for team in ("0A", "1A", "1B")
    }
    earlier = document("battle", "show", "a.battle", "--json", "--entry", "0")
    assert earlier["hash"] == entries(turn)[0].hash
    assert say("battle", "show", "a.battle", "--entry", "99").status == 2


@pytest.mark.parametrize(
    "command", ["show", "legal", "step", "play", "log", "replay", "adopt", "undo", "redo", "report"]
)
def test_a_file_that_is_no_battle_is_refused_plainly(home: Path, command: str) -> None:
    (home / "not.battle").write_text("not a battle", "utf-8")
    for name, words in (("not.battle", "not a battle file"), ("none.battle", "there is no such battle file")):
        done = say("battle", command, name)
        assert (done.status, done.out) == (2, "")
        assert words in done.err


@pytest.mark.parametrize(
    "command",
    [
        "new",
        "show",
        "legal",
        "play",
        "step",
        "act",
        "answer",
        "order",
        "undo",
        "redo",
        "log",
        "explain",
        "replay",
        "adopt",
        "map",
        "report",
    ],
)
def test_every_command_has_help_with_an_example(command: str) -> None:
    out = said("battle", command, "--help")
    assert f"Example: rallypoint battle {command}" in out
    assert command in said("battle", "--help")


def test_a_misspelt_command_is_guessed(home: Path) -> None:
    done = say("battle", "shwo", "a.battle")
    assert (done.status, "did you mean show?" in done.err) == (2, True)


NESTED = "[" * 900 + "]" * 900


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("act", "move", f'["R-1A", {NESTED}]'), "the arguments are not JSON; found: more than 40 tables and lists"),
        (("answer", NESTED), "this answer is not JSON; found: more than 40 tables and lists"),
        (("answer", "9" * 5000), "this answer is not JSON; found: a number of thousands of digits"),
        (("answer", "[" + "9" * 400 + "]"), "this answer is not JSON; found: a number of hundreds of digits"),
    ],
)
def test_what_is_nested_or_long_without_end_is_refused_in_a_line(
    turn: Path, arguments: tuple[str, ...], words: str
) -> None:
    command, *rest = arguments
    done = say("battle", command, "a.battle", *rest)
    assert (done.status, done.out) == (2, "")
    assert words in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("value", ["{}", '{"a":[1]}'])
def test_what_stands_in_the_place_of_a_team_is_named_in_its_own_words(turn: Path, value: str) -> None:
    done = say("battle", "act", "a.battle", "move", f'[{value}, ["C6"]]')
    assert (done.status, done.out) == (2, "")
    assert "Error" not in done.err
    assert value in done.err


def test_going_back_too_far_is_refused_before_anything_is_undone(home: Path) -> None:
    after_acts(home, 2)
    before = kinds(home / "a.battle")
    steps = before.count("step")
    done = say("battle", "undo", "a.battle", "--times", str(steps + 1))
    assert (done.status, done.out) == (2, "")
    assert f"there is nothing to undo beyond that; found: {steps + 1}; expected: {steps} at most" in done.err
    assert kinds(home / "a.battle") == before
    said("battle", "undo", "a.battle", "--times", str(steps))


def test_adopt_says_how_to_be_rid_of_an_open_question(typed: Path) -> None:
    before = kinds(typed)
    done = say("battle", "adopt", "t.battle", "--option", "D-AMB-05=selected")
    assert (done.status, done.out) == (2, "")
    assert "a question is open" in done.err
    assert "rallypoint battle undo t.battle" in done.err
    assert kinds(typed) == before
