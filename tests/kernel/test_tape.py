"""Questions and answers: what fits, what stands on a tape, and how it comes back."""

from __future__ import annotations

from typing import Any

import pytest

from rallypoint.kernel.answers import Script, scripted
from rallypoint.kernel.canonical import canonical, parse
from rallypoint.kernel.dice import D6, D100, ByFace, ByTotal, Throw
from rallypoint.kernel.errors import TapeError
from rallypoint.kernel.step import run
from rallypoint.kernel.tape import (
    Choice,
    Choose,
    Grade,
    Option,
    Pick,
    Question,
    Reveal,
    Roll,
    Sealed,
    Suspended,
    Taped,
    fitting,
    question_value,
    tape_in,
    tape_out,
)

from .duel import HIT, YES_NO, Duel, act, opening

ONE = Roll((Throw("red", "luck", D6),))
TWO = Roll((Throw("red", "luck", D6, 2), Throw("blue", "luck", D100)))
GRADE = Grade(Throw("red", "strike", D100, 2), HIT)
REVEAL = Reveal(Throw("red", "strike", D100), HIT, "hit")
PICK = Pick("red", "deal", ("ace", "king", "queen"), 2)
CHOOSE = Choose((Choice("red", "parley", YES_NO), Choice("blue", "parley", (*YES_NO, Option("later", "Later")))))

FITS: list[tuple[Question, object, object]] = [
    (ONE, [[6]], ((6,),)),
    (TWO, ((1, 6), (99,)), ((1, 6), (99,))),
    (TWO, [[1, 6], [0]], ((1, 6), (0,))),
    (GRADE, [0, 99], (0, 99)),
    (REVEAL, 59, (59,)),
    (PICK, [0, 2], (0, 2)),
    (CHOOSE, [1, 2], (1, 2)),
]
MISFITS: list[tuple[Question, object]] = [
    (ONE, [[0]]),
    (ONE, [[7]]),
    (ONE, [[1, 2]]),
    (ONE, [[]]),
    (ONE, []),
    (ONE, 3),
    (ONE, [3]),
    (ONE, [[True]]),
    (ONE, [["3"]]),
    (ONE, [[3.0]]),
    (ONE, "3"),
    (ONE, None),
    (TWO, [[1, 6]]),
    (TWO, [[1, 6], [1], [1]]),
    (TWO, [[1], [1]]),
    (TWO, [[1, 6], [100]]),
    (TWO, [[1, 6], [-1]]),
    (GRADE, "hit"),
    (GRADE, [1]),
    (GRADE, [1, 2, 3]),
    (GRADE, [1, 100]),
    (GRADE, [1, True]),
    (REVEAL, 60),
    (REVEAL, 100),
    (REVEAL, "hit"),
    (PICK, [0]),
    (PICK, [0, 1, 2]),
    (PICK, [1, 0]),
    (PICK, [1, 1]),
    (PICK, [-1, 0]),
    (PICK, [0, 3]),
    (PICK, [False, True]),
    (PICK, [0, True]),
    (PICK, ["ace", "king"]),
    (PICK, [0, "king"]),
    (PICK, [0, None]),
    (PICK, [[0], [1]]),
    (CHOOSE, [0]),
    (CHOOSE, [0, 0, 0]),
    (CHOOSE, [0, 3]),
    (CHOOSE, [-1, 0]),
    (CHOOSE, [True, 0]),
    (CHOOSE, ["yes", "no"]),
    (CHOOSE, [0, 1.0]),
    (CHOOSE, None),
]


@pytest.mark.parametrize(("question", "answer", "exact"), FITS)
def test_an_answer_that_fits_is_put_in_its_exact_form(question: Question, answer: object, exact: object) -> None:
    assert fitting(question, answer) == exact


@pytest.mark.parametrize(("question", "answer"), MISFITS)
def test_an_answer_that_does_not_fit_is_a_tape_error(question: Question, answer: object) -> None:
    with pytest.raises(TapeError, match="does not fit its question") as caught:
        fitting(question, answer)
    assert caught.value.found == answer
    assert caught.value.expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (ONE, "one number from 1 to 6 for red (luck)"),
        (TWO, "2 numbers from 1 to 6 for red (luck) and one number from 0 to 99 for blue (luck)"),
        (GRADE, "2 numbers from 0 to 99 for red (strike)"),
        (PICK, "2 different positions from 0 to 2, rising"),
        (CHOOSE, "a position from 0 to 1 for red, a position from 0 to 2 for blue"),
    ],
)
def test_the_error_says_what_an_answer_looks_like(question: Question, expected: str) -> None:
    with pytest.raises(TapeError) as caught:
        fitting(question, "nonsense")
    assert caught.value.expected == expected


SHORT: list[tuple[Question, object, object]] = [
    (ONE, 4, ((4,),)),
    (ONE, [4], ((4,),)),
    (Roll((Throw("red", "luck", D6, 2),)), [4, 5], ((4, 5),)),
    (TWO, [[1, 2], [3]], ((1, 2), (3,))),
    (Roll((Throw("red", "drift", D6), Throw("red", "way", D100))), [4, 70], ((4,), (70,))),
    (Grade(Throw("red", "strike", D100), HIT), 0, (0,)),
    (GRADE, (3, 4), (3, 4)),
    (REVEAL, 3, (3,)),
    (PICK, ["queen", "ace"], (0, 2)),
    (PICK, [2, 1], (1, 2)),
    (PICK._replace(k=1), "queen", (2,)),
    (PICK._replace(k=1), 1, (1,)),
    (CHOOSE, ["no", "later"], (1, 2)),
    (CHOOSE, ["yes", 1], (0, 1)),
    (Choose((Choice("red", "parley", YES_NO),)), "no", (1,)),
    (Choose((Choice("red", "parley", YES_NO),)), 0, (0,)),
]
NO_SHORTHAND: list[tuple[Question, object]] = [
    (ONE, "six"),
    (ONE, [4, 5]),
    (TWO, [1, 2, 3]),
    (Roll((Throw("red", "drift", D6), Throw("red", "way", D100))), [70, 4]),
    (Roll((Throw("red", "drift", D6), Throw("red", "way", D100))), [4]),
    (ONE, True),
    (GRADE, 4),
    (Grade(Throw("red", "strike", D100), HIT), True),
    (PICK, ["ace", "spade"]),
    (PICK, ["ace", None]),
    (PICK, ["ace", "ace"]),
    (PICK, "ace"),
    (PICK._replace(k=1), "spade"),
    (PICK._replace(k=1), 3),
    (CHOOSE, "yes"),
    (CHOOSE, ["yes"]),
    (CHOOSE, ["yes", "maybe"]),
    (CHOOSE, ["yes", True]),
    (CHOOSE, ["yes", None]),
    (CHOOSE, {"red": "yes"}),
]


@pytest.mark.parametrize(("question", "given", "exact"), SHORT)
def test_what_a_person_may_say_for_short(question: Question, given: object, exact: object) -> None:
    assert scripted(question, given) == exact


@pytest.mark.parametrize(("question", "given"), NO_SHORTHAND)
def test_what_means_nothing_is_a_tape_error(question: Question, given: object) -> None:
    with pytest.raises(TapeError):
        scripted(question, given)


def test_an_unknown_option_is_named_with_those_that_there_are() -> None:
    with pytest.raises(TapeError, match="blue, parley: no such option; found: maybe; expected: yes, no, later"):
        scripted(CHOOSE, ["yes", "maybe"])


# What a question says to people


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (ONE, "dice: one number from 1 to 6 for red (luck)"),
        (TWO, "dice: 2 numbers from 1 to 6 for red (luck) and one number from 0 to 99 for blue (luck)"),
        (GRADE, "dice: 2 numbers from 0 to 99 for red (strike)"),
        (REVEAL, "dice that came out as hit: one number from 0 to 99 for red (strike)"),
        (PICK, "chance picks 2 (red, deal): ace, king, queen"),
        (PICK._replace(who=""), "chance picks 2 (deal): ace, king, queen"),
        (CHOOSE, "red decides parley: yes (Yes), no (No); blue decides parley: yes (Yes), no (No), later (Later)"),
        (
            Choose((Choice("red", "duck", (Option("low", "low"), Option("flat", "lie flat")), "red-1"),)),
            "red decides duck for red-1: low, flat (lie flat)",
        ),
    ],
)
def test_a_question_says_who_is_asked_what(question: Question, said: str) -> None:
    assert str(question) == said


def test_a_sealed_question_says_who_is_missing_and_is_the_same_question() -> None:
    blue = "blue decides parley: yes (Yes), no (No), later (Later) (part 1)"
    one = Sealed.lacking(CHOOSE.asks, (1,))
    assert str(one) == f"{blue}; red has answered, and nobody sees it before all have"
    both = Sealed.lacking(CHOOSE.asks, (0, 1))
    assert str(both) == f"red decides parley: yes (Yes), no (No) (part 0); {blue}; nobody has answered yet"
    assert one == both == CHOOSE
    assert Taped(one, ()).digest == Taped(CHOOSE, ()).digest
    green = (*CHOOSE.asks, Choice("green", "parley", YES_NO))
    assert "; red and green have answered" in str(Sealed.lacking(green, (1,)))


# The digest of a question


def test_questions_that_differ_in_anything_have_other_digests() -> None:
    throw = Throw("red", "luck", D6)
    questions: list[Question] = [ONE, TWO, GRADE, REVEAL, PICK, CHOOSE]
    questions += [Roll((throw._replace(**change),)) for change in ({"who": "x"}, {"purpose": "x"}, {"number": 2})]
    questions += [Roll((throw._replace(die=D100),)), Roll((throw, throw))]
    questions += [GRADE._replace(cut=ByFace.of(["hit"] * 61 + ["miss"] * 39, ("hit", "miss")))]
    questions += [GRADE._replace(cut=ByTotal(((60, "hit"),), "miss")), REVEAL._replace(grade="miss")]
    questions += [PICK._replace(k=1), PICK._replace(among=("ace", "king", "jack")), PICK._replace(who="blue")]
    questions += [Choose(CHOOSE.asks[:1]), Choose((CHOOSE.asks[0]._replace(subject="bot"), CHOOSE.asks[1]))]
    assert len({Taped(question, ()).digest for question in questions}) == len(questions) == 19
    assert len({canonical(question_value(question)) for question in questions}) == 19


def test_a_tape_comes_back_with_digests_answers_and_draws() -> None:
    tape = (Taped(TWO, ((1, 6), (99,))), Taped(GRADE, (0, 99)), Taped(PICK, (0, 2)), Taped(CHOOSE, (1, 2)))
    again = tape_in(parse(canonical(tape_out(tape))))
    assert [taped.digest for taped in again] == [taped.digest for taped in tape]
    assert [taped.answer for taped in again] == [((1, 6), (99,)), (0, 99), (0, 2), (1, 2)]
    assert [taped.draws for taped in again] == [
        (("red", "luck"), ("blue", "luck")),
        (("red", "strike"),),
        (("red", "deal"),),
        (),
    ]
    assert tape_out(again) == tape_out(tape)
    assert Taped(REVEAL, (3,)).draws == ()


@pytest.mark.parametrize(
    "rows", [None, 3, (3,), (("a",),), (("a", 3, ()),), ((1, (), ()),), (("a", (1,), 3),), (("a", (1,), (("x",),)),)]
)
def test_what_is_no_tape_is_a_tape_error(rows: Any) -> None:
    with pytest.raises(TapeError, match="this is not a tape"):
        tape_in(rows)


# Running along a tape


def rolled(face: int = 3) -> tuple[Taped, ...]:
    return (Taped(ONE, ((face,),)),)


def test_a_step_runs_along_its_tape_without_asking_anybody() -> None:
    done = run(Duel(), opening(), act("rolls", "red"), Script([]), tape=rolled())
    assert done.state["red"].attributes["luck"] == (3,)
    assert tape_out(done.tape) == tape_out(rolled())
    assert done.draws == {("red", "luck"): 1}


def test_a_tape_that_was_read_gives_the_same_as_the_live_one() -> None:
    read = tape_in(parse(canonical(tape_out(rolled()))))
    assert run(Duel(), opening(), act("rolls", "red"), Script([]), tape=read).state["red"].attributes["luck"] == (3,)


def test_an_answer_to_another_question_is_a_tape_error_that_shows_both() -> None:
    with pytest.raises(TapeError, match="asks another question than the one on the tape") as caught:
        run(Duel(), opening(), act("rolls", "blue"), Script([]), tape=rolled())
    assert caught.value.where == "answer 0"
    assert "'blue'" in str(caught.value.found)
    assert "'red'" in str(caught.value.expected)


def test_the_same_by_digest_alone() -> None:
    read = tape_in(parse(canonical(tape_out(rolled()))))
    with pytest.raises(TapeError, match="asks another question"):
        run(Duel(), opening(), act("rolls", "red", 2), Script([]), tape=read)


def test_answers_that_nobody_asked_for_are_a_tape_error() -> None:
    with pytest.raises(TapeError, match="answers that the rule never asked for; found: 2 answers; expected: 1"):
        run(Duel(), opening(), act("rolls", "red"), Script([]), tape=rolled() * 2)
    with pytest.raises(TapeError, match="never asked for"):
        run(Duel(), opening(), act("ends turn"), Script([]), tape=rolled())


@pytest.mark.parametrize("answer", [((7,),), ((1, 2),), (3,), ((True,),), (("hit",),)])
def test_an_answer_from_a_file_that_does_not_fit_its_question_is_a_tape_error(answer: Any) -> None:
    tape = (Taped(Taped(ONE, ()).digest, answer, (("red", "luck"),)),)
    with pytest.raises(TapeError, match="does not fit its question"):
        run(Duel(), opening(), act("rolls", "red"), Script([]), tape=tape)


def test_a_tape_that_is_too_short_suspends_with_what_was_answered() -> None:
    with pytest.raises(Suspended) as caught:
        run(
            Duel(),
            opening(),
            act("asks", "red"),
            Script([]),
            tape=(Taped(Roll((Throw("red", "nerve", D6),)), ((5,),)),),
        )
    assert caught.value.question == Choose((Choice("red", "yield", YES_NO, "red"),))
    assert [taped.answer for taped in caught.value.tape] == [((5,),)]


def test_a_suspension_is_no_exception() -> None:
    assert issubclass(Suspended, BaseException)
    assert not issubclass(Suspended, Exception)
    assert str(Suspended(ONE, (), {})) == "waits for roll"
