"""A battle driven by hand: acts, questions, edits, going back, and what the log keeps of it."""

from __future__ import annotations

from typing import Any

import pytest

from rallypoint.kernel.answers import PERSON, Answers, AtRandom, Policy, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.canonical import canonical
from rallypoint.kernel.changes import DropAgenda, SetAgenda, SetAttribute, SetTracker
from rallypoint.kernel.dice import D6, D100, Throw
from rallypoint.kernel.errors import BattleFileError, RallypointError, RuleError, StateError, TapeError
from rallypoint.kernel.game import Acts, Due, Intent, Over, Refusal, Runs
from rallypoint.kernel.history import Entry, History
from rallypoint.kernel.odds import outcomes
from rallypoint.kernel.parts import Appointment
from rallypoint.kernel.replay import replay
from rallypoint.kernel.state import State

from .duel import RULES, SIDES, Duel, Stepping, act, battle, kinds, luck, opening


def test_an_act_changes_the_state_and_is_one_entry() -> None:
    table = battle()
    events = table.act(act("rolls", "red"))
    faces = Seed(7).faces(Throw("red", "luck", D6), 1, 0)
    assert luck(table) == faces
    assert [event.kind for event in events] == ["rolled"]
    entry = table.history.entries[1]
    assert (entry.number, entry.kind, entry.hash) == (1, "step", table.state.digest)
    assert entry.intent == act("rolls", "red")
    assert [taped.answer for taped in entry.tape] == [(faces,)]
    assert entry.events == tuple(event._replace(why={"faces": faces}) for event in events)
    assert repr(entry) == f"<Entry 1 step {table.state.digest[:8]}>"


@pytest.mark.parametrize(
    ("intent", "message"),
    [
        (
            act("rolls", "red", seat="green"),
            "green: it is not this seat's act; found: rolls; expected: an act of red or",
        ),
        (Intent("rolls", ("red",)), "it is not this seat's act"),
        (act("keeps up"), "this is not among the acts of the moment; found: keeps up; expected: asks, deals"),
    ],
)
def test_an_act_that_is_not_due_is_refused_and_nothing_has_changed(intent: Intent, message: str) -> None:
    table = battle()
    with pytest.raises(RuleError, match=message):
        table.act(intent)
    assert kinds(table) == ["start"]


class Citing(Duel):
    """A duel that says of each refusal what it was told of it; of dice it says nothing."""

    def cites(self, state: State, refusal: Refusal, about: str) -> str | None:
        return None if about == "luck" else f"DUEL-{refusal}-{about}-{state['red'].role}"


def test_a_game_may_say_by_which_rule_the_kernel_refuses() -> None:
    for intent, cited in (
        (act("rolls", "red", seat="green"), "DUEL-seat-rolls-side"),
        (act("keeps up"), "DUEL-act-keeps up-side"),
        (act("rolls"), "DUEL-arguments-rolls-side"),
    ):
        with pytest.raises(RuleError) as caught:
            battle(Citing()).act(intent)
        assert caught.value.rule == cited
        with pytest.raises(RuleError) as plain:  # the same game without that member
            battle().act(intent)
        assert plain.value.rule is None
        assert str(caught.value) == str(plain.value).replace(plain.value.what, f"{plain.value.what} ({cited})")


def test_an_answer_that_is_none_names_the_rule_that_asks() -> None:
    table = battle(Citing(), Answers(PERSON))
    table.act(act("asks", "blue"))
    asked = table.question
    with pytest.raises(TapeError) as caught:
        table.answer("nothing of the kind")
    assert caught.value.rule == "DUEL-answer-nerve-side"
    assert table.question == asked
    table.cancel()
    table.act(act("rolls", "red"))
    with pytest.raises(TapeError) as silent:
        table.answer(7)
    assert silent.value.rule is None


def test_nobody_acts_when_it_is_over_or_while_a_rule_is_due() -> None:
    over = battle(Duel(due=lambda _: Over("won")))
    with pytest.raises(RuleError, match="expected: nothing more: it is over"):
        over.act(act("rolls", "red"))
    runs = battle(Duel(due=lambda _: Runs("keeps up")))
    with pytest.raises(RuleError, match="expected: keeps up, which runs by itself first"):
        runs.act(act("rolls", "red"))
    assert runs.legal("red") == ()
    assert over.play() == Over("won")


def test_legal_lists_nothing_for_others_nor_while_a_question_is_open() -> None:
    table = battle(Duel(due=lambda _: Acts(("red",))))
    assert len(table.legal("red")) == 6
    assert table.legal("blue") == ()
    table.act(act("asks", "blue"))
    assert table.legal("red") == ()


def test_a_rule_that_runs_by_itself_runs_through_proceed_or_play() -> None:
    table = battle()
    with pytest.raises(RuleError, match="no rule is due by itself; found: acts"):
        table.proceed()
    table.act(act("ends turn"))
    assert table.legal("red") == ()
    assert [event.kind for event in table.proceed()] == ["turn.begins", "acts.begin"]
    assert table.due == Acts(SIDES)
    assert len(table.legal("red")) == 6


def test_play_goes_on_until_it_is_over() -> None:
    table = battle(Duel(), Answers(Seed(7), others=AtRandom(1)))
    assert table.play(5000) == Over("time")
    assert table.state["table"].attributes["turn"] == 21
    again = battle(Duel(), Answers(Seed(7), others=AtRandom(1)))
    again.play(5000)
    assert again.state == table.state
    other = battle(Duel(), Answers(Seed(7), others=AtRandom(2)))
    other.play(5000)
    assert other.state != table.state


def test_play_stops_after_so_many_acts_and_at_a_person() -> None:
    table = battle(Duel(), Answers(Seed(7), {"blue": AtRandom(1)}))
    assert table.play(0) == Acts(SIDES)
    assert kinds(table) == ["start"]
    alone = battle()
    assert alone.play() == Acts(SIDES)
    first = Policy(lambda *_: 0, lambda legal, _: legal[0])
    counted = battle(Duel(), Answers(Seed(7), {"red": first}))
    counted.play(3)
    assert kinds(counted) == ["start", "step", "step", "step"]


def test_a_seat_that_may_do_nothing_is_passed_over() -> None:
    class OneSided(Duel):
        def legal(self, state: State, seat: str) -> list[Intent]:
            return [] if seat == "red" else [Intent("rolls", ("blue",), "blue")]

    table = battle(OneSided(), Answers(Seed(7), others=AtRandom(1)))
    table.play(1)
    assert table.history.entries[1].intent.seat == "blue"


def test_an_endless_rule_is_named_and_leaves_nothing() -> None:
    def idles(step: Stepping) -> None:
        step.emit("tick", rule="r")

    def due(state: State) -> Due | None:
        return Runs("idles")

    table = battle(Duel({"idles": idles}, due=due))
    with pytest.raises(RuleError, match="would run for ever; found: idles"):
        table.proceed()
    assert table.state == opening()
    assert table.history.past == []


@pytest.mark.parametrize("error", [ZeroDivisionError("by zero"), SystemExit(0), KeyError("who")])
def test_a_rule_that_fails_is_named_and_leaves_nothing(error: BaseException) -> None:
    def breaks(step: Stepping) -> None:
        step.emit("tick", SetAttribute("table", "tick", 1), rule="r")
        raise error

    runs = battle(Duel({"breaks": breaks}, due=lambda _: Runs("breaks")))
    acts = battle(Duel({**RULES, "rolls": lambda step, who: breaks(step)}))
    for table, go in ((runs, runs.proceed), (acts, lambda: acts.act(act("rolls", "red")))):
        with pytest.raises(RallypointError, match="this rule failed, and nothing has changed") as caught:
            go()
        assert type(error).__name__ in str(caught.value)
        assert caught.value.__cause__ is error
        assert table.state == opening()
        assert kinds(table) == ["start"]


def test_rules_that_run_by_themselves_for_ever_are_stopped() -> None:
    def ticks(step: Stepping) -> None:
        count = step.state["table"].attributes.get("tick", 0)
        assert isinstance(count, int)
        step.emit("tick", SetAttribute("table", "tick", count + 1), rule="r")

    table = battle(Duel({"ticks": ticks}, due=lambda _: Runs("ticks")))
    with pytest.raises(RuleError, match="nobody ever acts; found: 1000 in a row, the last of them ticks"):
        table.play()
    assert table.state["table"].attributes["tick"] == 1000


def test_an_appointment_runs_when_it_is_due_and_again() -> None:
    def burns(step: Stepping) -> None:
        step.emit("burns", SetTracker("red", "Wounds", step.state["red"].value("Wounds") + 1), rule="r")

    def due(state: State) -> Due | None:
        item = state.due(turn if isinstance(turn := state["table"].attributes["turn"], int) else 0)
        return None if item is None else Runs(item.rule, item.args, item.key)

    table = battle(Duel({"burns": burns}, due=due))
    table.edit("referee", SetAgenda(Appointment("fire", 1, "burns", every=1)))
    table.edit("referee", SetAgenda(Appointment("flare", 2, "burns")))
    table.play()
    assert table.state["red"].value("Wounds") == 1
    table.act(act("ends turn"))
    table.play()
    assert table.state["red"].value("Wounds") == 3
    assert [(item.key, item.at) for item in table.state.agenda] == [("fire", 3)]
    assert table.history.entries[3].events[0].why == {"appointment": "fire", "at": 1}
    table.edit("referee", DropAgenda("fire"))
    assert replay(table.history.entries, table.game).hash == table.state.digest


# Going back


def test_undo_and_redo_are_entries_and_give_back_the_very_states() -> None:
    table = battle()
    table.act(act("strikes", "red", "blue"))
    after = table.state
    table.undo()
    assert table.state == opening()
    table.redo()
    assert table.state is after
    assert kinds(table) == ["start", "step", "undo", "redo"]
    assert [entry.hash for entry in table.history.entries] == [
        opening().digest,
        after.digest,
        opening().digest,
        after.digest,
    ]


def test_what_cannot_be_undone_or_redone_is_refused() -> None:
    table = battle()
    with pytest.raises(RuleError, match="there is nothing to undo"):
        table.undo()
    with pytest.raises(RuleError, match="there is nothing to redo"):
        table.redo()
    table.act(act("rolls", "red"))
    table.undo()
    table.act(act("rolls", "blue"))
    with pytest.raises(RuleError, match="there is nothing to redo"):
        table.redo()


def test_an_edit_is_an_event_of_its_maker_and_is_not_taken_back_by_the_way() -> None:
    table = battle()
    table.edit("foundry", SetTracker("red", "Wounds", 4), why="dragged")
    (event,) = table.history.entries[1].events
    assert (event.kind, event.by, event.why) == ("outside.edit", "foundry", {"text": "dragged"})
    with pytest.raises(RuleError, match="entry 1: the last entry is an edit from outside; found: foundry; confirm"):
        table.undo()
    assert table.state["red"].value("Wounds") == 4
    table.undo(edits=True)
    assert table.state["red"].value("Wounds") == 0
    table.redo()
    assert table.state["red"].value("Wounds") == 4


def test_an_edit_that_does_not_fit_is_refused() -> None:
    table = battle()
    with pytest.raises(StateError, match="would leave its limits"):
        table.edit("foundry", SetTracker("red", "Wounds", 1), SetTracker("red", "Wounds", -1))
    assert kinds(table) == ["start"]
    assert table.state == opening()


def test_an_adoption_closes_what_came_before() -> None:
    table = battle()
    table.act(act("rolls", "red"))
    table.undo()
    table.adopt()
    for way in (table.undo, table.redo):
        with pytest.raises(RuleError, match="there is nothing to"):
            way()
    assert table.history.epoch == 2


# The dice of a turn


def test_a_second_throw_of_a_kind_in_a_turn_is_the_next_one() -> None:
    seed, throw = Seed(7), Throw("red", "luck", D6)
    table = battle()
    seen = []
    for _ in range(4):
        table.act(act("rolls", "red"))
        seen.append(luck(table))
    table.act(act("ends turn"))
    table.play()
    table.act(act("rolls", "red"))
    seen.append(luck(table))
    assert seen == [seed.faces(throw, *key) for key in ((1, 0), (1, 1), (1, 2), (1, 3), (2, 0))]


def test_after_undo_the_dice_are_the_same_and_another_kind_does_not_shift_them() -> None:
    table = battle()
    table.act(act("rolls", "red"))
    table.act(act("rolls", "red"))
    second = luck(table)
    table.undo()
    table.act(act("strikes", "red", "blue"))
    table.act(act("rolls", "blue"))
    table.act(act("rolls", "red"))
    assert luck(table) == second


def test_an_edit_between_does_not_shift_the_dice() -> None:
    table, other = battle(), battle()
    for each in (table, other):
        each.act(act("rolls", "red"))
    table.edit("foundry", SetTracker("red", "Wounds", 1))
    for each in (table, other):
        each.act(act("rolls", "red"))
    assert luck(table) == luck(other) == Seed(7).faces(Throw("red", "luck", D6), 1, 1)


def test_an_adoption_in_a_turn_does_not_bring_back_its_dice() -> None:
    table = battle()
    table.act(act("rolls", "red"))
    table.act(act("rolls", "red"))
    table.adopt()
    table.act(act("rolls", "red"))
    assert luck(table) == Seed(7).faces(Throw("red", "luck", D6), 1, 2)


def test_a_throw_after_three_steps_back_is_what_it_was() -> None:
    def begins(step: Stepping) -> None:
        (face,) = step.roll(Throw("table", "weather", D100))
        step.emit("weather", SetAttribute("table", "weather", face), rule="r")

    table = battle(Duel({"begins": begins}))
    states = [table.state]
    for _ in range(5):
        table.act(Intent("begins", (), "red"))
        states.append(table.state)
    for _ in range(3):
        table.undo()
    assert table.state == states[2]
    for state in states[3:]:
        table.act(Intent("begins", (), "red"))
        assert table.state == state


# Telling plugins


def test_tellings_run_after_live_commits_only() -> None:
    told: list[tuple[int, int]] = []
    tables: list[Battle[None]] = []

    def reports(step: Stepping) -> None:
        face = step.roll(Throw("red", "luck", D6))[0]
        step.emit("x", SetAttribute("red", "luck", face), rule="r")
        step.later(lambda: told.append((face, len(tables[0].history.entries))))

    def fails(step: Stepping) -> None:
        step.later(lambda: told.append((0, 0)))
        raise RuleError("no")

    def waits(step: Stepping) -> None:
        step.later(lambda: told.append((-1, -1)))
        step.roll(Throw("red", "patience", D6))

    game = Duel({"reports": reports, "fails": fails, "waits": waits})
    table = battle(game)
    tables.append(table)
    table.act(Intent("reports", (), "red"))
    first = Seed(7).faces(Throw("red", "luck", D6), 1, 0)[0]
    assert told == [(first, 2)]  # the entry stood in the log already
    table.undo()
    table.redo()
    replay(table.history.entries, game)
    Battle.open(_Kept(table.history.entries), game, Answers(Seed(7)))
    outcomes(game, table.state, Intent("reports"), lambda done: done.state)
    with pytest.raises(RuleError):
        table.act(Intent("fails", (), "red"))
    table.answers = Answers(PERSON)
    table.act(Intent("waits", (), "red"))
    assert len(told) == 1
    table.answer(3)
    assert told[1:] == [(-1, -1)]


class _Kept:
    """A log that holds what it was given."""

    def __init__(self, entries: list[Entry]) -> None:
        self._entries = entries

    def entries(self, start: int = 0) -> list[Entry]:
        return self._entries[start:]

    def append(self, entry: Entry) -> None:
        raise AssertionError("nothing is appended here")


# Logs that do not hold together


def entry(number: int, kind: Any, body: object, changes: str = "[]", hash: str = "") -> Entry:
    return Entry(number, kind, changes, body if isinstance(body, str) else canonical(body), hash)


START = {"title": "", "rules": {}, "state": opening().to_text()}


@pytest.mark.parametrize(
    "second",
    [
        entry(0, "step", {}),
        entry(2, "step", {}),
        entry(1, "start", START),
        entry(1, "dance", {}),
        entry(1, "undo", {"entry": 0}),
        entry(1, "undo", {}),
        entry(1, "redo", {"entry": 1}),
        entry(1, "undo", "{"),
        entry(1, "undo", "[]"),
        entry(1, "wait", {}),
        entry(1, "wait", {"intent": ["rolls"], "tape": 3, "given": {}}),
        entry(1, "wait", {"intent": ["rolls"], "tape": [["a", 3, []]], "given": {}}),
        entry(1, "wait", {"intent": 3, "tape": [], "given": {}}),
        entry(1, "wait", {"intent": ["rolls"], "tape": [], "given": []}),
        entry(1, "wait", {"intent": ["rolls"], "tape": [], "given": {"x": 1}}),
        entry(1, "adopt", {}),
        entry(1, "step", {}, changes="["),
        entry(1, "step", {}, changes="{}"),
        entry(1, "step", {}, changes='[["tracker","red","Wounds",200]]'),
        entry(1, "step", {}, changes='[["tracker","red","Wounds","1"]]'),
        entry(1, "step", {}, changes='[["tracker=","red","Wounds",[1,"0",2,"up"]]]'),
        entry(1, "step", {}, changes='[["link",["aim",["red"],"red"]]]'),
        entry(1, "step", {}, changes='[["remove",{"a":1}]]'),
        entry(1, "step", {}, changes='[["agenda",["k","x","r"]],["agenda",["l",1,"r"]]]'),
        entry(1, "step", {}, hash="0" * 32),
    ],
)
def test_a_log_that_does_not_hold_together_is_named_at_its_first_bad_entry(second: Entry) -> None:
    first = entry(0, "start", START, hash=opening().digest)
    with pytest.raises(BattleFileError, match="does not follow from the log before it") as caught:
        History.of([first, second])
    assert caught.value.where == f"entry {second.number} ({second.kind})"
    assert caught.value.hint == "the file was damaged or edited by hand; go back to a copy"


def test_the_first_of_many_wrong_hashes_is_named() -> None:
    table = battle()
    for _ in range(3):
        table.act(act("rolls", "red"))
    entries = table.history.entries
    wrong = [entries[0], Entry(1, "step", entries[1].changes_text, entries[1].body_text, "f" * 32), entries[2]]
    wrong.append(Entry(3, "step", entries[3].changes_text, entries[3].body_text, "f" * 32))
    with pytest.raises(BattleFileError, match=r"entry 1 \(step\).*where the log says ffff"):
        History.of(wrong)


def test_a_log_without_a_beginning_has_no_state() -> None:
    history = History.of([])
    assert history.head == -1
    with pytest.raises(BattleFileError, match="this log has no beginning"):
        history.state  # noqa: B018
    with pytest.raises(BattleFileError, match="does not follow"):
        History.of([entry(0, "step", {})])
