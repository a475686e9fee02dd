"""The step: asking in every way, telling, nesting, windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from rallypoint.kernel.answers import PERSON, Answers, AtRandom, Policy, Script, Seed
from rallypoint.kernel.changes import SetAttribute, SetTracker
from rallypoint.kernel.dice import D6, D100, Throw
from rallypoint.kernel.errors import RuleError, StateError, TapeError
from rallypoint.kernel.game import Intent
from rallypoint.kernel.parts import Appointment
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import NOBODY, Done, Step, run
from rallypoint.kernel.tape import Choice, Option, Roll, Suspended, Taped, tape_out

from .duel import CARDS, HIT, YES_NO, Duel, Stepping, act, battle, opening


def done(rule: Any, answers: object = (), *args: Any, **more: Any) -> Done:
    """Run ``rule`` as a step of its own, with answers in order."""
    source: Any = Script(answers) if isinstance(answers, (list, tuple)) else answers
    return run(Duel({"rule": rule}), opening(), Intent("rule", args), source, **more)


# One question of each kind, by each source


def every_question(step: Stepping) -> None:
    faces = step.roll(Throw("red", "luck", D6))
    graded = step.grade(Throw("red", "strike", D100, 2), HIT)
    cards = step.pick(CARDS, 2, "deal", "red")
    option = step.choose(Choice("blue", "yield", YES_NO))
    step.emit("all", SetAttribute("red", "all", (faces, graded.grade, graded.faces, cards, option.key)), rule="r")


def test_a_script_answers_in_order() -> None:
    after = done(every_question, [4, [61, 59], ["king", "jack"], "yes"])
    assert after.state["red"].attributes["all"] == ((4,), "hit", (61, 59), ("king", "jack"), "yes")
    assert [taped.answer for taped in after.tape] == [((4,),), (61, 59), (1, 3), (0,)]


def test_a_seed_and_a_policy_answer_the_same_questions() -> None:
    after = done(every_question, Answers(Seed(7), {"blue": Policy(lambda ask, _: len(ask.options) - 1)}))
    all_of_it: Any = after.state["red"].attributes["all"]
    faces, grade, pair, cards, key = all_of_it
    seed = Seed(7)
    assert faces == seed.faces(Throw("red", "luck", D6), 1, 0)
    assert pair == seed.faces(Throw("red", "strike", D100, 2), 1, 0)
    assert grade == ("hit" if min(pair) < 60 else "miss")
    assert len(set(cards)) == 2
    assert key == "no"


def test_a_person_is_waited_for_at_each_question_and_gets_to_the_same_end() -> None:
    table = battle(Duel({"every": every_question}), Answers(PERSON))
    table.act(Intent("every", (), "red"))
    kinds = []
    for given in (4, [61, 59], ["king", "jack"], "yes"):
        kinds.append(type(table.question).__name__)
        table.answer(given)
    assert kinds == ["Roll", "Grade", "Pick", "Choose"]
    assert table.question is None
    assert table.state["red"].attributes["all"] == ((4,), "hit", (61, 59), ("king", "jack"), "yes")


def test_the_same_faces_give_the_same_events_whoever_said_them() -> None:
    seeded = done(every_question, Answers(Seed(7), {"blue": AtRandom(3)}))
    scripted = done(every_question, [taped.answer for taped in seeded.tape])
    nobody = done(every_question, NOBODY, tape=seeded.tape)
    assert seeded.events == scripted.events == nobody.events
    assert seeded.state == scripted.state == nobody.state
    assert tape_out(seeded.tape) == tape_out(scripted.tape) == tape_out(nobody.tape)


def test_a_throw_by_chance_is_keyed_by_the_turn_and_counted_on() -> None:
    def twice(step: Stepping) -> None:
        throw = Throw("red", "luck", D100)
        both = (step.roll(throw), step.grade(throw, HIT).faces, step.roll(throw))
        step.emit("x", SetAttribute("red", "x", both), rule="r")

    seed, throw = Seed(7), Throw("red", "luck", D100)
    after = done(twice, Answers(seed), draws={("red", "luck"): 4, ("blue", "luck"): 1})
    assert after.state["red"].attributes["x"] == tuple(seed.faces(throw, 1, ordinal) for ordinal in (4, 5, 6))
    assert after.draws == {("red", "luck"): 7, ("blue", "luck"): 1}


def test_several_throws_are_asked_together_and_like_ones_are_counted_apart() -> None:
    throws = (Throw("red", "luck", D100), Throw("blue", "luck", D6, 2), Throw("red", "luck", D100))

    def together(step: Stepping) -> None:
        red, blue, again = step.roll(*throws)
        step.emit("x", SetAttribute("red", "x", (red, blue, again)), rule="r")

    with pytest.raises(Suspended) as caught:
        done(together)
    assert caught.value.question == Roll(throws)
    seed = Seed(7)
    after = done(together, Answers(seed))
    assert after.state["red"].attributes["x"] == (
        seed.faces(throws[0], 1, 0),
        seed.faces(throws[1], 1, 0),
        seed.faces(throws[0], 1, 1),
    )
    assert done(together, [[[1], [2, 3], [4]]]).state["red"].attributes["x"] == ((1,), (2, 3), (4,))


def test_the_advantage_of_one_draws_three_dice_and_leaves_the_other_alone() -> None:
    def fight(step: Stepping, dice: int) -> None:
        check = step.grade(Throw("red", "instinct", D100, dice), HIT)
        save = step.grade(Throw("blue", "armor", D100), HIT)
        step.emit("fight", rule="r", why={"check": check, "save": save})

    plain, better = done(fight, Answers(Seed(7)), 1), done(fight, Answers(Seed(7)), 2)
    assert [taped.answer for taped in better.tape][1:] == [taped.answer for taped in plain.tape][1:]
    assert sum(len(taped.answer) for taped in better.tape) == 3
    assert better.tape[0].answer[:1] == plain.tape[0].answer


@pytest.mark.parametrize("answer", [0, 7, [1, 2], True, "six", []])
def test_a_script_with_a_wrong_answer_is_a_tape_error(answer: object) -> None:
    def one(step: Stepping) -> None:
        step.roll(Throw("red", "luck", D6))

    with pytest.raises(TapeError):
        done(one, [answer])


def test_a_policy_that_names_no_option_is_a_tape_error() -> None:
    with pytest.raises(TapeError, match="does not fit"):
        done(every_question, Answers(Seed(7), {"blue": Policy(lambda *_: 2)}))


# Picks and choices


def test_a_pick_of_none_or_of_all_needs_no_chance() -> None:
    def all_or_none(step: Stepping) -> None:
        step.emit("x", SetAttribute("red", "x", (step.pick(CARDS, 0, "p"), step.pick(CARDS, 4, "p"))), rule="r")

    after = done(all_or_none)
    assert after.tape == ()
    assert after.state["red"].attributes["x"] == ((), CARDS)


@pytest.mark.parametrize("k", [-1, 5])
def test_more_than_there_are_cannot_be_picked(k: int) -> None:
    with pytest.raises(RuleError, match=f"deal: cannot pick that many; found: {k}; expected: 0 to 4"):
        done(lambda step: step.pick(CARDS, k, "deal"))


def test_a_choice_without_options_is_refused_by_name() -> None:
    with pytest.raises(RuleError, match="red, parley: nothing to choose from"):
        done(lambda step: step.choose(Choice("red", "parley", ())))


def test_a_sealed_choice_is_one_question_and_comes_back_together() -> None:
    table = battle()
    table.act(act("parleys"))
    table.answer("no", ask=1)
    assert table.state["table"].attributes.get("parley") is None
    assert len(table.question.asks) == 2  # type: ignore[union-attr]
    table.answer("yes", ask=0)
    assert table.state["table"].attributes["parley"] == (True, False)


def test_nobody_sees_what_was_sealed_by_another_seat() -> None:
    seen: list[State] = []

    def choose(ask: Choice, view: State) -> int | None:
        seen.append(view)
        return None

    table = battle(Duel(), Answers(Seed(7), {"red": Policy(choose)}))
    table.act(act("parleys"))
    table.answer("no", ask=1)
    assert len(seen) >= 2
    assert len(set(seen)) == 1


# Telling


def test_a_rule_sees_at_once_what_it_told() -> None:
    def tells(step: Stepping) -> None:
        step.emit("a", SetTracker("red", "Wounds", 2), rule="R1", why={"n": 1}, by="plug", seen_by=("red",))
        step.emit("b", SetTracker("red", "Wounds", step.state["red"].value("Wounds") + 3), rule="R2")

    after = done(tells)
    assert after.state["red"].value("Wounds") == 5
    assert [(e.kind, e.rule, e.by, e.cause, e.seen_by) for e in after.events] == [
        ("a", "R1", "plug", None, ("red",)),
        ("b", "R2", None, None, None),
    ]
    assert after.events[0].why == {"n": 1}
    assert after.events[0].changes == (SetTracker("red", "Wounds", 2),)


def test_without_a_log_the_state_is_the_same_and_no_event_is_kept() -> None:
    after = done(every_question, [4, [61, 59], ["king", "jack"], "yes"], log=False)
    assert after.events == ()
    assert after.state == done(every_question, [4, [61, 59], ["king", "jack"], "yes"]).state


def test_a_change_that_does_not_fit_rolls_the_whole_step_back() -> None:
    def breaks(step: Stepping) -> None:
        step.emit("a", SetTracker("red", "Wounds", 5), rule="R1")
        step.emit("b", SetTracker("red", "Wounds", 100), rule="R1")

    table = battle(Duel({"breaks": breaks}))
    before = table.state.to_text()
    with pytest.raises(StateError, match="red Wounds: a tracker would leave its limits"):
        table.act(Intent("breaks", (), "red"))
    assert table.state.to_text() == before
    assert len(table.history.entries) == 1
    assert table.question is None


def test_nested_calls_give_causes() -> None:
    def inner(step: Stepping, deeper: bool) -> str:
        step.emit("inner", rule="r")
        if deeper:
            step.call(inner, False)
        step.emit("inner ends", rule="r")
        return "back"

    def outer(step: Stepping) -> None:
        step.call(inner, False)
        step.emit("hit", rule="r")
        assert step.call(inner, deeper=True) == "back"
        step.emit("after", rule="r")

    assert [(event.kind, event.cause) for event in done(outer).events] == [
        ("inner", None),
        ("inner ends", None),
        ("hit", None),
        ("inner", 2),
        ("inner", 3),
        ("inner ends", 3),
        ("inner ends", 2),
        ("after", None),
    ]


def test_the_cause_is_restored_when_a_nested_rule_raises() -> None:
    def fails(step: Stepping) -> None:
        raise RuleError("no ammunition")

    def outer(step: Stepping) -> None:
        step.emit("shot", rule="r")
        with pytest.raises(RuleError):
            step.call(fails)
        step.emit("click", rule="r")

    assert [event.cause for event in done(outer).events] == [None, None]


def test_a_step_that_was_kept_refuses_everything_after_its_end() -> None:
    kept: list[Stepping] = []
    done(kept.append)
    ways: list[Callable[[], object]] = [
        lambda: kept[0].emit("late", SetTracker("red", "Wounds", 1), rule="r"),
        lambda: kept[0].roll(Throw("red", "luck", D6)),
        lambda: kept[0].grade(Throw("red", "luck", D100), HIT),
        lambda: kept[0].pick(CARDS, 1, "deal"),
        lambda: kept[0].pick(CARDS, 0, "deal"),
        lambda: kept[0].choose(Choice("red", "parley", YES_NO)),
    ]
    for way in ways:
        with pytest.raises(RuleError, match="this step is over"):
            way()
    assert kept[0].events == []


def test_an_unknown_rule_is_named_with_the_nearest() -> None:
    with pytest.raises(
        RuleError, match=r"duel: the game has no such rule; found: strike; .*did you mean strikes"
    ) as caught:
        run(Duel(), opening(), Intent("strike"), NOBODY)
    assert "rolls" in str(caught.value.expected)


# Windows


def guards(state: State, window: str, subject: str) -> Sequence[Choice]:
    """Each side may guard whoever has fewer than three wounds; blue stands first."""
    can = [side for side in ("blue", "red") if state[side].value("Wounds") < 3]
    options = (Option("pass", "Pass"), Option("guard", "Guard", ("guard", subject)))
    return [Choice(side, window, options, side) for side in can]


def guard(step: Stepping, subject: str) -> None:
    step.emit("guarded", SetTracker("red", "Wounds", step.state["red"].value("Wounds") + 3), rule="G")


def opens(step: Stepping) -> None:
    step.emit("swung", rule="S")
    taken = step.window("parry", "table")
    step.emit("over", SetAttribute("table", "taken", [option.key for option in taken]), rule="S")  # type: ignore[arg-type]


def windowed(answers: list[object]) -> Done:
    return run(Duel({"opens": opens, "guard": guard}, reacting=guards), opening(), Intent("opens"), Script(answers))


def seats_asked(after: Done) -> list[str]:
    return [taped.question.asks[0].seat for taped in after.tape]  # type: ignore[union-attr]


def test_a_window_asks_in_game_order_and_nobody_twice() -> None:
    after = windowed(["pass", "pass"])
    assert seats_asked(after) == ["blue", "red"]
    assert after.state["table"].attributes["taken"] == ()
    assert [event.kind for event in after.events] == ["swung", "over"]


def test_a_window_makes_its_list_anew_after_each_reaction() -> None:
    # Blue's guard gives red three wounds, so red can react no more and is not asked.
    after = windowed(["guard"])
    assert seats_asked(after) == ["blue"]
    assert [(event.kind, event.cause) for event in after.events] == [("swung", None), ("guarded", 0), ("over", None)]
    assert after.state["table"].attributes["taken"] == ("guard",)


def test_whoever_passed_is_not_asked_again_after_the_reaction_of_another() -> None:
    after = windowed(["pass", "guard"])
    assert seats_asked(after) == ["blue", "red"]
    assert [event.kind for event in after.events] == ["swung", "guarded", "over"]


def test_a_window_for_nobody_asks_nobody() -> None:
    after = run(Duel({"opens": opens}), opening(), Intent("opens"), NOBODY)
    assert after.tape == ()
    assert after.state["table"].attributes["taken"] == ()


# Appointments


def agenda(*appointments: Appointment) -> State:
    return State.of([Entity.new("table", "table", attributes={"turn": 1})], [], appointments)


def test_an_appointment_is_taken_off_the_agenda_or_put_off_before_its_rule_runs() -> None:
    seen = []

    def burns(step: Stepping) -> None:
        seen.append([(item.key, item.at) for item in step.state.agenda])

    state = agenda(Appointment("once", 1, "burns"), Appointment("often", 1, "burns", every=2))
    game = Duel({"burns": burns})
    after = run(game, state, Intent("burns", (), None, "once"), NOBODY)
    assert after.events[0].kind == "agenda.due"
    after = run(game, after.state, Intent("burns", (), None, "often"), NOBODY)
    assert seen == [[("often", 1)], [("often", 3)]]
    with pytest.raises(RuleError, match="there is no such appointment; found: once"):
        run(game, after.state, Intent("burns", (), None, "once"), NOBODY)


def test_a_step_tells_how_far_it_is() -> None:
    def looks(step: Stepping) -> None:
        step.roll(Throw("red", "luck", D6))
        assert isinstance(step, Step)
        assert step.ordinal("red", "luck") == 1
        assert step.ordinal("blue", "luck") == 0
        assert [taped.answer for taped in step.tape] == [((2,),)]
        assert step.given(0) is None
        assert step.turn == 1

    assert tape_out(done(looks, [2]).tape) == tape_out((Taped(Roll((Throw("red", "luck", D6),)), ((2,),)),))


@pytest.mark.parametrize(
    "parts",
    [
        {"kind": 5, "rule": "R1"},
        {"kind": "a", "rule": None},
        {"kind": "a", "rule": "R1", "why": ["n"]},
        {"kind": "a", "rule": "R1", "seen_by": "red"},
        {"kind": "a", "rule": "R1", "seen_by": ("red", 5)},
        {"kind": "a", "rule": "R1", "seen_by": ["red"]},
    ],
)
def test_what_no_log_can_keep_is_no_event(parts: dict[str, Any]) -> None:
    def rule(step: Step[None]) -> None:
        kind = parts["kind"]
        step.emit(kind, SetTracker("red", "Wounds", 2), **{key: part for key, part in parts.items() if key != "kind"})

    with pytest.raises(StateError, match="event"):
        done(rule)
