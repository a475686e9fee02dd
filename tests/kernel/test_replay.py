"""Verified replay: live, replayed and reopened are one; and whatever is not is named."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rallypoint.kernel.answers import Answers, AtRandom, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.changes import SetAttribute, SetTracker
from rallypoint.kernel.dice import D6, D100, Throw
from rallypoint.kernel.errors import ReplayError, RuleError
from rallypoint.kernel.game import Over, Rule
from rallypoint.kernel.history import Entry, History
from rallypoint.kernel.replay import Replayed, differences, replay
from rallypoint.kernel.tape import Choice

from .duel import HIT, YES_NO, Duel, Stepping, act, battle, close, counted, opening, strikes


def fought(path: Path | None = None, **more: Any) -> Battle[None]:
    """A whole seeded fight."""
    table = battle(Duel(), Answers(Seed(11), others=AtRandom(5)), path=path, **more)
    assert table.play(5000) == Over("time")  # a bound, so that a fault ends in a failure and not in a loop
    return table


def test_live_replayed_and_reopened_have_one_hash(tmp_path: Path) -> None:
    path = tmp_path / "fight.battle"
    live = fought(path)
    close(live)
    with BattleFile(path) as file:
        entries = file.entries()
    replayed = replay(entries, Duel())
    assert live.state.digest == replayed.hash == History.of(entries).state.digest == entries[-1].hash
    assert replayed == Replayed(
        len(live.history.entries),
        len(live.history.past),
        sum(len(entry.events) for entry in live.history.entries if entry.kind == "step"),
        live.state.digest,
    )
    assert replayed.steps > 50


def test_a_log_within_a_log_replays_to_the_live_state() -> None:
    """Two moves undone, another made, undone, redone: each is an entry of its own, and no move stands without its cause."""
    table = battle()
    for _ in range(3):
        table.act(act("strikes", "red", "blue"))
    table.undo()
    table.undo()
    table.act(act("rolls", "red"))
    made = table.state
    table.undo()
    table.redo()
    assert table.state == made
    kinds = [entry.kind for entry in table.history.entries]
    assert kinds == ["start", "step", "step", "step", "undo", "undo", "step", "undo", "redo"]
    assert [entry.body["entry"] for entry in table.history.entries if entry.kind in ("undo", "redo")] == [3, 2, 6, 6]
    replayed = replay(table.history.entries, Duel())
    assert replayed.hash == table.state.digest
    assert (replayed.entries, replayed.steps) == (9, 4)


def test_edits_questions_and_cancelled_steps_replay() -> None:
    table = battle()
    table.edit("foundry", SetTracker("red", "Wounds", 4))
    table.act(act("asks", "red"))
    table.cancel()
    table.act(act("parleys"))
    table.answer("no", ask=1)
    table.answer("yes", ask=0)
    table.undo()
    table.undo(edits=True)
    assert table.state == opening()
    table.redo()
    replayed = replay(table.history.entries, Duel())
    assert replayed.hash == table.state.digest
    assert replayed.steps == 1


# Other rules


@pytest.mark.parametrize(
    ("game", "plugins", "named"),
    [
        (Duel(version="2", options={"crit": "never"}), {"mothership": "1.0"}, ("version: 1 in the log, 2 here",)),
        (
            Duel(options={"crit": "always", "new": True}),
            {"mothership": "1.0"},
            ("option crit: never in the log, always here", "option new: none in the log, true here"),
        ),
        (Duel(), {"mothership": "1.0"}, ("option crit: never in the log, none here",)),
        (Duel(options={"crit": "never"}), {}, ("plugin mothership: 1.0 in the log, none here",)),
        (
            Duel(options={"crit": "never"}),
            {"mothership": "1.1", "boats": "3"},
            ("plugin boats: none in the log, 3 here", "plugin mothership: 1.0 in the log, 1.1 here"),
        ),
    ],
)
def test_other_rules_are_refused_and_each_difference_is_named(
    game: Duel, plugins: dict[str, str], named: tuple[str, ...]
) -> None:
    table = battle(Duel(options={"crit": "never"}), plugins={"mothership": "1.0"})
    table.act(act("rolls", "red"))
    assert differences(table.history.rules, game, plugins) == named
    with pytest.raises(ReplayError, match="this battle was played under other rules") as caught:
        replay(table.history.entries, game, plugins)
    assert caught.value.found == "; ".join(named)
    assert caught.value.entry is None
    assert "adopt" in str(caught.value.hint)
    same = replay(table.history.entries, Duel(options={"crit": "never"}), {"mothership": "1.0"})
    assert same.hash == table.state.digest


def test_another_game_is_named() -> None:
    table = battle()
    other = Duel()
    other.name = "chess"
    assert differences(table.history.rules, other, {}) == ("game: duel in the log, chess here",)


# Changed rules under the same version


def harder(step: Stepping, who: str, whom: str, dice: int = 1) -> None:
    graded = step.grade(Throw(who, "strike", D100, dice), HIT)
    step.emit("struck", counted(step), rule="T2", why={"check": graded})
    if graded.grade == "hit":
        step.emit("wounded", SetTracker(whom, "Wounds", step.state[whom].value("Wounds") + 2), rule="T3")


def asks_more(step: Stepping, who: str, whom: str, dice: int = 1) -> None:
    strikes(step, who, whom, dice)
    step.choose(Choice("red", "again", YES_NO))


def asks_less(step: Stepping, who: str, whom: str, dice: int = 1) -> None:
    step.emit("struck", counted(step), rule="T2")


def asks_otherwise(step: Stepping, who: str, whom: str, dice: int = 1) -> None:
    step.roll(Throw(who, "strike", D6, dice))


def says_otherwise(step: Stepping, who: str, whom: str, dice: int = 1) -> None:
    graded = step.grade(Throw(who, "strike", D100, dice), HIT)
    step.emit("struck", counted(step), rule="T2b", why={"check": graded})
    if graded.grade == "hit":
        step.emit("wounded", SetTracker(whom, "Wounds", step.state[whom].value("Wounds") + 1), rule="T3")


def forbids(step: Stepping, who: str, whom: str, dice: int = 1) -> None:
    raise RuleError("out of range", rule="T9")


def breaks(step: Stepping, who: str, whom: str, dice: int = 1) -> None:
    step.emit("x", SetTracker(whom, "Sanity", 1), rule="T9")


def takes_less(step: Stepping, who: str) -> None:
    raise AssertionError("it cannot even be called")


def crashes(step: Stepping, who: str, whom: str, dice: int = 1) -> None:
    raise KeyError("a mistake in the rules")


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (harder, "changes"),
        (asks_more, "a further question (choose)"),
        (asks_less, "answers that the rule never asked for"),
        (asks_otherwise, "another question"),
        (says_otherwise, "story"),
        (forbids, "out of range (T9)"),
        (breaks, "tracker that is not there"),
        (takes_less, "takes_less()"),
        (crashes, "a mistake in the rules"),
    ],
)
def test_a_changed_rule_is_named_at_the_first_entry_that_differs(rule: Rule, words: str) -> None:
    table = battle()
    table.act(act("rolls", "red"))
    while table.state["blue"].value("Wounds") == 0:
        table.undo() if len(table.history.past) > 1 else None
        table.act(act("strikes", "red", "blue", 9))
    first = table.history.past[-1].number
    table.act(act("strikes", "red", "blue", 9))
    with pytest.raises(ReplayError, match="the rules give something else than the log") as caught:
        replay(table.history.entries, Duel({"strikes": rule}))
    assert caught.value.entry == first
    assert caught.value.where == f"entry {first}"
    assert words in str(caught.value.found)


def wounds_twice(step: Stepping, who: str, whom: str, dice: int = 1) -> None:
    strikes(step, who, whom, dice)
    step.emit("bled", SetTracker(whom, "Wounds", 20), rule="T11")


@pytest.mark.parametrize(
    ("rule", "found", "expected"),
    [
        (harder, 'event 1 (wounded, T3), changes [["tracker","blue","Wounds",2]]', '["tracker","blue","Wounds",1]]'),
        (
            says_otherwise,
            'event 0 (struck, T2b), story ["struck",1,"T2b",null,null',
            'event 0 (struck, T2), story ["st',
        ),
        (wounds_twice, "event 2 (bled, T11), changes [", "no event 2"),
    ],
)
def test_a_difference_names_its_event_and_cuts_no_word(rule: Rule, found: str, expected: str) -> None:
    table = battle()
    while table.state["blue"].value("Wounds") == 0:
        table.undo() if table.history.past else None
        table.act(act("strikes", "red", "blue", 9))
    with pytest.raises(ReplayError) as caught:
        replay(table.history.entries, Duel({"strikes": rule}))
    assert str(caught.value.found).startswith(found)
    assert expected in str(caught.value.expected)
    for said in (str(caught.value.found), str(caught.value.expected)):
        kept = re.findall(r"[\w.+-]+", said.split(" ", 4)[-1])
        whole = set(re.findall(r"[\w.+-]+", "".join(e.body_text + e.changes_text for e in table.history.entries)))
        assert set(kept) - whole <= {"2", "T2b", "T11", "bled", "20", "event", "changes", "story"}


def test_a_difference_far_back_is_shown_from_the_beginning_of_a_word() -> None:
    def telling(number: int) -> Rule:
        def tells(step: Stepping) -> None:
            why = {"place": "by the ford, behind the old watermill", "then": number}
            step.emit("told", counted(step), rule="T12", why=why)

        return tells

    table = battle(Duel({"tells": telling(1)}))
    table.act(act("tells"))
    with pytest.raises(ReplayError) as caught:
        replay(table.history.entries, Duel({"tells": telling(2)}))
    # 20 characters before the 2 lie in the middle of old
    assert caught.value.found == 'event 0 (told, T12), story …old watermill","then":2},null]'
    assert caught.value.expected == 'event 0 (told, T12), story …old watermill","then":1},null]'


def test_a_rule_that_is_gone_is_named() -> None:
    table = battle(Duel({"extra": lambda step: step.emit("x", counted(step), rule="r")}))
    table.act(act("extra"))
    with pytest.raises(ReplayError) as caught:
        replay(table.history.entries, Duel())
    assert caught.value.entry == 1
    assert "no such rule" in str(caught.value.found)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda body: body["tape"][0].__setitem__(1, [250]), "does not fit"),
        (lambda body: body["tape"][0].__setitem__(1, [1, 2]), "does not fit"),
        (lambda body: body["tape"][0].__setitem__(0, "0" * 16), "another question"),
        (lambda body: body["tape"].clear(), "a further question (grade)"),
        (lambda body: body["tape"].append(body["tape"][0]), "never asked for"),
        (lambda body: body["events"][0].__setitem__(2, "T99"), "story"),
        (lambda body: body.__setitem__("turn", 3), "story"),
        (lambda body: body["intent"].__setitem__(0, "strokes"), "no such rule"),
    ],
)
def test_a_log_edited_by_hand_is_named_at_its_entry(spoil: Callable[[Any], None], words: str) -> None:
    table = battle()
    for _ in range(3):
        table.act(act("strikes", "red", "blue"))
    entries = list(table.history.entries)
    old = entries[2]
    body = json.loads(old.body_text)
    spoil(body)
    entries[2] = Entry(2, old.kind, old.changes_text, json.dumps(body), old.hash)
    with pytest.raises(ReplayError) as caught:
        replay(entries, Duel())
    assert caught.value.entry == 2
    assert words in str(caught.value.found)


@pytest.mark.parametrize("number", [1, 2])
def test_a_wrong_hash_before_the_head_is_found(number: int) -> None:
    table = battle()
    table.act(act("rolls", "red"))
    table.undo()
    table.edit("foundry", SetTracker("red", "Wounds", 1))
    entries = list(table.history.entries)
    old = entries[number]
    entries[number] = Entry(number, old.kind, old.changes_text, old.body_text, "f" * 32)
    with pytest.raises(ReplayError) as caught:
        replay(entries, Duel())
    assert (caught.value.entry, caught.value.expected) == (number, "f" * 32)


# Adoption


def test_an_adopted_battle_replays_under_the_new_rules_and_keeps_what_came_before(tmp_path: Path) -> None:
    path = tmp_path / "fight.battle"
    old = battle(path=path, plugins={"mothership": "1.0"})
    for _ in range(3):
        old.act(act("strikes", "red", "blue", 9))
    close(old)
    new = Duel({"strikes": harder}, version="2")
    table = Battle.open(BattleFile(path), new, Answers(Seed(7)))
    assert table.state == old.state
    with pytest.raises(ReplayError):
        replay(table.history.entries, new)
    table.adopt()
    assert table.state == old.state
    with pytest.raises(RuleError, match="nothing to undo"):
        table.undo()
    table.act(act("strikes", "red", "blue", 9))
    table.undo()
    table.redo()
    assert differences(table.history.rules, new, {}) == ()
    replayed = replay(table.history.entries, new)
    assert replayed == Replayed(8, 1, len(table.history.entries[5].events), table.state.digest)
    with pytest.raises(ReplayError, match="other rules"):
        replay(table.history.entries, Duel(), {"mothership": "1.0"})
    close(table)
    with BattleFile(path) as file:
        again = History.of(file.entries())
    assert (again.epoch, len(again.past), again.state) == (2, 1, table.state)


def test_a_state_that_was_not_played_is_not_replayed() -> None:
    table = battle()
    table.edit("foundry", SetAttribute("red", "note", "by hand"))
    assert replay(table.history.entries, Duel()) == Replayed(2, 0, 0, table.state.digest)
