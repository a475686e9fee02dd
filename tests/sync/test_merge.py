"""The merge, case by case: what the battle has, what was agreed, what is shown; what follows was worked out by hand."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.parts import Hex, Tracker
from rallypoint.kernel.state import Entity, State
from rallypoint_sync.bindings import Binding, Carrier, First, Owner
from rallypoint_sync.fields import OUT, PLACE, Field
from rallypoint_sync.lenses import Clamped, Exact, Lens, OnHexes, Summed, Turned
from rallypoint_sync.merge import Table, merge
from rallypoint_sync.plan import Conflict, Plan, Theirs
from rallypoint_sync.snapshot import Snapshot

WOUNDS = Field("u", "Wounds")
NEW = object()


def battle(wounds: int, other: int = 0) -> State:
    return State.of(
        [
            Entity.new("u", "unit", trackers={"Wounds": Tracker(wounds, 0, 9)}, place=Hex(1, 1, 4)),
            Entity.new("v", "unit", trackers={"Wounds": Tracker(other, 0, 9)}),
        ]
    )


class Card(NamedTuple):
    """One carrier: what was agreed (``NEW``: nothing), what is shown, and how it is bound."""

    base: object
    shown: Value
    owner: Owner = "both"
    lens: Lens = Exact()
    first: First = "ask"
    fields: tuple[Field, ...] = (WOUNDS,)
    late: bool = False


def table(vtt: str, *cards: Card) -> Table:
    bindings, base, seen, late = [], {}, {}, set()
    for number, card in enumerate(cards):
        carrier = Carrier(f"{vtt}{number}", "x")
        bindings.append(Binding(card.fields, carrier, card.lens, card.owner, card.first))
        seen[carrier.document] = {} if card.shown is None else {"x": card.shown}
        if card.base is not NEW:
            base[carrier] = card.base
        if card.late:
            late.add(carrier)
    return Table(vtt, tuple(bindings), base, Snapshot(seen), frozenset(late))  # type: ignore[arg-type]


def said(plan: Plan) -> str:
    """A plan in one line: edits, writes by document, conflicts, carriers newly agreed."""
    words = [f"take {edit.new} of {edit.vtt}" for edit in plan.edits]
    words += [f"write {write.new} to {write.binding.carrier.document}" for write in plan.writes]
    words += [each.kind for each in plan.conflicts]
    words += [f"agree {each.binding.carrier.document}" for each in plan.agreed]
    assert len(plan.writes) + len(plan.agreed) + plan.unchanged + plan.frozen + len(plan.left_out) >= 1
    return ", ".join(words)


@pytest.mark.parametrize(
    ("has", "card", "follows"),
    [
        # nobody changed anything
        (2, Card(2, 2), ""),
        (2, Card("2", "2"), ""),
        (2, Card(2, "2"), ""),
        # the battle changed
        (3, Card(2, 2), "write 3 to a0"),
        (3, Card(2, 2, "battle"), "write 3 to a0"),
        (3, Card(2, 2, "vtt"), "take 2 of a"),
        # the VTT changed
        (2, Card(2, 5), "take 5 of a, agree a0"),
        (2, Card(2, "5"), "take 5 of a, agree a0"),
        (2, Card(2, 5, "battle"), "write 2 to a0"),
        (2, Card(2, 5, "vtt"), "take 5 of a, agree a0"),
        # both changed
        (3, Card(2, 5), "both_changed"),
        (3, Card(2, 3), "agree a0"),
        (3, Card(2, "3"), "agree a0"),
        (3, Card(2, 5, "battle"), "write 3 to a0"),
        (3, Card(2, 5, "vtt"), "take 5 of a, agree a0"),
        # what is shown is not there, or no value, or does not fit
        (2, Card(2, None), "write 2 to a0"),
        (2, Card(2, None, "vtt"), "write 2 to a0"),
        (2, Card(2, "many"), "no_value"),
        (2, Card(2, True), "no_value"),
        (1, Card(1, True), "no_value"),
        (2, Card(2, 10), "out_of_range"),
        (2, Card(2, -1, "vtt"), "out_of_range"),
        # the first meeting
        (2, Card(NEW, 2), "agree a0"),
        (2, Card(NEW, None), "write 2 to a0"),
        (2, Card(NEW, 5), "first_meeting"),
        (2, Card(NEW, 5, first="battle"), "write 2 to a0"),
        (2, Card(NEW, 5, first="vtt"), "take 5 of a, agree a0"),
        (2, Card(NEW, 5, "battle"), "write 2 to a0"),
        (2, Card(NEW, 5, "vtt"), "take 5 of a, agree a0"),
        (2, Card(NEW, "many", first="vtt"), "no_value"),
        # lenses: a clamp is no edit, an edit through one is
        (0, Card(2, 2, lens=Clamped(low=2)), ""),
        (0, Card(2, 3, lens=Clamped(low=2)), "take 3 of a, agree a0"),
        (0, Card(2, 1, lens=Clamped(low=2)), "take 1 of a, write 2 to a0"),
        (0, Card(NEW, 2, lens=Clamped(low=2)), "agree a0"),
        (1, Card(2, 2, lens=Clamped(low=2)), ""),
        (4, Card(2, 2, lens=Clamped(low=2)), "write 4 to a0"),
        (1, Card(8, 8, lens=Turned(9)), ""),
        (1, Card(8, 6, lens=Turned(9)), "take 3 of a, agree a0"),
        # a mark that is only shown
        (9, Card(False, False, lens=Exact(), fields=(Field("u", OUT),)), "write True to a0"),
        (2, Card(False, True, lens=Exact(), fields=(Field("u", OUT),)), "write False to a0"),
        # what was sent long ago and may have come late
        (3, Card(3, 1, late=True), "late_write"),
        (3, Card(3, 1, "battle", late=True), "write 3 to a0"),
        (3, Card(3, 3, late=True), ""),
    ],
)
def test_one_carrier(has: int, card: Card, follows: str) -> None:
    plan = merge(battle(has), [table("a", card)], is_out=lambda state, uid: state[uid].value("Wounds") == 9)
    assert said(plan) == follows


@pytest.mark.parametrize(
    ("has", "a", "b", "follows"),
    [
        # copies of one VTT come first, another VTT second
        (2, [Card(2, 5), Card(2, 2)], [], "take 5 of a, write 5 to a1, agree a0"),
        (2, [Card(2, 5), Card(2, 5)], [], "take 5 of a, agree a0, agree a1"),
        (2, [Card(2, 5), Card(2, 6)], [], "copies_differ"),
        (5, [Card(5, 5), Card(2, 2)], [], "write 5 to a1"),
        (5, [Card(5, 5, "vtt"), Card(2, 2, "vtt")], [], "write 5 to a1"),  # a copy that was not reached is no edit
        (2, [Card(2, 5)], [Card(2, 2)], "take 5 of a, write 5 to b0, agree a0"),
        (2, [Card(2, 5)], [Card(2, 5)], "take 5 of a, agree a0, agree b0"),
        (2, [Card(2, 5)], [Card(2, 6)], "copies_differ"),
        (2, [Card(2, 5)], [Card(2, 6, "battle")], "take 5 of a, write 5 to b0, agree a0"),
        (3, [Card(3, 5)], [Card(2, 2)], "take 5 of a, write 5 to b0, agree a0"),  # b had not heard of 3 yet
        (3, [Card(3, 3)], [Card(2, 5)], "both_changed"),
        (3, [Card(3, 3)], [Card(NEW, 2)], "first_meeting"),
        (3, [Card(3, 5)], [Card(NEW, 5)], "first_meeting"),
        (2, [Card(2, 5)], [Card(2, 2, lens=Clamped(low=7))], "take 5 of a, write 7 to b0, agree a0"),
        (2, [Card(2, "many")], [Card(2, 5)], "no_value"),
        (2, [], [], ""),
    ],
)  # fmt: skip
def test_several_carriers(has: int, a: list[Card], b: list[Card], follows: str) -> None:
    if a or b:
        assert said(merge(battle(has), [table("a", *a), table("b", *b)])) == follows
    else:
        assert merge(battle(has), []) == Plan()


def test_sums_follow_in_the_same_plan() -> None:
    stand = Card(3, 3, lens=Summed(), fields=(WOUNDS, Field("v", "Wounds")))
    plan = merge(battle(1, 2), [table("a", stand, Card(2, 6, fields=(Field("v", "Wounds"),)))])
    assert said(plan) == "take 6 of a, write 7 to a0, agree a1"


def test_marks_follow_in_the_same_plan() -> None:
    mark = Card(False, False, fields=(Field("u", OUT),))
    plan = merge(battle(1), [table("a", mark, Card(1, 9))], is_out=lambda state, uid: state[uid].value("Wounds") == 9)
    assert said(plan) == "take 9 of a, write True to a0, agree a1"


def test_a_sum_is_frozen_with_one_of_its_fields() -> None:
    stand = Card(3, 3, lens=Summed(), fields=(Field("v", "Wounds"), WOUNDS))
    plan = merge(battle(4, 2), [table("a", stand, Card(1, 6))])
    assert (said(plan), plan.frozen) == ("both_changed", 2)


@pytest.mark.parametrize(("shown", "follows"), [(8, "return_to_play"), (9, "")])
def test_a_unit_that_is_out_stays_out(shown: int, follows: str) -> None:
    assert said(merge(battle(9), [table("a", Card(9, shown))], is_out=lambda _state, _uid: True)) == follows


@pytest.mark.parametrize(
    ("shown", "owner", "follows"),
    [
        ((150, 87), "both", ""),  # the middle of hex (1, 1)
        ((160, 80), "both", ""),  # nudged
        ((250, 87), "both", "move_proposed"),
        ((250, 87), "vtt", "take ('hex', 2, 1, None) of a, agree a0"),
        ((250, 87), "battle", "write (150, 87) to a0"),
        ("here", "both", "no_value"),
    ],
)
def test_a_dragged_token_proposes(shown: Value, owner: Owner, follows: str) -> None:
    card = Card((150, 87), shown, owner, OnHexes(100), fields=(Field("u", PLACE),))
    assert said(merge(battle(0), [table("a", card)])) == follows


def test_who_is_in_no_hex_is_left_out() -> None:
    plan = merge(battle(0), [table("a", Card(NEW, (1, 1), lens=OnHexes(100), fields=(Field("v", PLACE),)))])
    assert [each.why for each in plan.left_out] == ["it is in no hex"]


def test_what_was_not_read_is_left_out() -> None:
    whole = table("a", *[Card(2, 5)] * 4)
    snapshot = Snapshot({}, frozenset({"a0"}), {"a1": "it is broken"}, {"a9": "a0"}, frozenset({"a2"}))
    plan = merge(battle(2), [whole._replace(snapshot=snapshot)])
    assert [each.why for each in plan.left_out] == [
        "it is not there any more; it is not made again by itself",
        "it could not be read: it is broken",
        "it has been taken out of the sync",
        "it was not read",
        "it is a copy of a0, which is bound; nothing is written to it",
    ]
    assert plan.is_empty


def kept(kind: str, *theirs: tuple[str, str]) -> dict[Field, Conflict]:
    rows = tuple([Theirs(vtt, document, "x", 2, 5, 5) for vtt, document in theirs])
    return {WOUNDS: Conflict(WOUNDS, kind, 3, rows)}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("has", "cards", "conflicts", "follows", "dissolved"),
    [
        (3, [Card(2, 5)], kept("both_changed", ("a", "a0")), "both_changed", False),
        (5, [Card(2, 5)], kept("both_changed", ("a", "a0")), "agree a0", True),
        (3, [Card(2, 2)], kept("both_changed", ("a", "a0")), "write 3 to a0", True),
        (2, [Card(2, 5)], kept("both_changed", ("a", "a0")), "take 5 of a, agree a0", True),
        (3, [Card(2, 5)], kept("late_write", ("a", "a0")), "late_write", False),
        (2, [Card(2, 5)], kept("late_write", ("a", "a0")), "late_write", False),
        (5, [Card(2, 5)], kept("late_write", ("a", "a0")), "agree a0", True),
        (2, [Card(2, 5)], kept("copies_differ", ("a", "a0"), ("b", "b0")), "copies_differ", False),  # b was not asked
        (5, [Card(2, 5)], kept("copies_differ", ("a", "a0"), ("b", "b0")), "copies_differ", False),
        (
            2,
            [Card(2, 5), Card(2, 5)],
            kept("copies_differ", ("a", "a0"), ("a", "a1")),
            "take 5 of a, agree a0, agree a1",
            True,
        ),
    ],
)
def test_a_conflict_that_is_kept(
    has: int, cards: list[Card], conflicts: dict[Field, Conflict], follows: str, dissolved: bool
) -> None:
    plan = merge(battle(has), [table("a", *cards)], conflicts)
    assert said(plan) == follows
    assert plan.dissolved == ((WOUNDS,) if dissolved else ())


def test_a_conflict_keeps_the_words_of_those_who_were_not_asked() -> None:
    plan = merge(battle(2), [table("a", Card(2, 6))], kept("copies_differ", ("a", "a0"), ("b", "b0")))
    assert [(each.vtt, each.value) for each in plan.conflicts[0].theirs] == [("a", 6), ("b", 5)]


def test_other_fields_go_on() -> None:
    plan = merge(battle(3, 4), [table("a", Card(2, 5), Card(0, 0, fields=(Field("v", "Wounds"),)))])
    assert said(plan) == "write 4 to a1, both_changed"
