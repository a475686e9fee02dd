"""Code Words: agreed with an NCO at the briefing, spoken by the CO in play (Rules 10 and 16)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import SetAttribute
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.state import Entity, State

from .command import check_platoon, is_commander, named_order, named_place, ncos, set_order, the_officer
from .field import platoon, rally_points, side_of, turn
from .hooks import DisrupterStep
from .orders import CODE_WORDS, standing
from .records import Order

__all__ = ["MOST_CODE_WORDS", "check_code_word", "code_word", "code_words", "define_code_word"]

MOST_CODE_WORDS = 4
"""Code Words of its own that a squad may have, besides the four that everybody has (D-R10.3)."""


def define_code_word(step: DisrupterStep, squad: str, word: str, row: Mapping[str, Value]) -> None:
    """Agree on a Code Word of a squad's NCO at the briefing (D-R10.3).

    Raises:
        RuleError: it is the fifth, or one of those that everybody has, or the squad has no NCO.
    """
    state = step.state
    known = code_words(state[squad])
    if not word or word in CODE_WORDS:
        raise RuleError("this Code Word is taken", rule="D-R10.4", where=squad, found=word, hint="everybody has it")
    if word not in known and len(known) >= MOST_CODE_WORDS:
        expected = f"{MOST_CODE_WORDS} at most"
        raise RuleError(
            "an NCO has no room for a fifth Code Word", rule="D-R10.3", where=squad, found=word, expected=expected
        )
    leaders = ncos(state, squad)
    if not leaders:
        raise RuleError("Code Words are agreed with an NCO", rule="D-R10.3", where=squad)
    order = named_order(state, leaders[0].uid, squad, row)
    if not step.hooks.order_issue(step, order._replace(code_word=word)):
        raise RuleError("a plugin refuses this order", rule="D-R10.3", where=squad, found=word)
    step.emit(
        "code_word.agreed",
        SetAttribute(squad, "code_words", cast("Value", {**known, word: row})),
        rule="D-R10.3",
        why={"squad": squad, "word": word},
        seen_by=(side_of(state, squad), "referee"),
    )


def code_words(squad: Entity) -> Mapping[str, Mapping[str, Value]]:
    """Return a squad's own Code Words with what they mean."""
    rows: Any = squad.attributes.get("code_words", {})
    return cast("Mapping[str, Mapping[str, Value]]", rows)


def code_word(step: DisrupterStep, officer: str, word: str, squads: tuple[str, ...], place: Value = None) -> None:
    """Let the CO give a Code Word to any number of NCOs; it is in force at once (D-R16.12, D-R16.14).

    The company commander gives it to the COs of other platoons, too (D-SF-4).

    Args:
        step: the step.
        officer: the acting CO.
        word: one of :data:`CODE_WORDS` or of the squads' own.
        squads: whose NCOs hear it; a platoon stands for its CO.
        place: for Rally, the name of the Rally Point; not needed where there is only one.
    """
    check_code_word(step, officer, word, squads, place)
    for squad in squads:
        _speak(step, officer, word, squad, place)


def check_code_word(step: DisrupterStep, officer: str, word: str, squads: tuple[str, ...], place: Value = None) -> None:
    """Refuse a Code Word that this officer cannot give to these squads.

    Raises:
        RuleError: he is not the CO, a squad has no NCO or does not know the word, or the Rally Point is not clear.
    """
    state = step.state
    the_officer(state, officer)
    if not is_commander(state, officer):
        raise RuleError("Code Words are given by the CO", rule="D-R16.12", where=officer, found=word)
    if not squads or len(set(squads)) < len(squads):
        raise RuleError("a Code Word goes to one or more squads", rule="D-R16.12", where=officer, found=squads)
    for squad in squads:
        target = state.get(squad)
        _check_hearer(state, officer, squad, target)
        assert target is not None
        if word not in CODE_WORDS and word not in code_words(target):
            expected = ", ".join([*CODE_WORDS, *code_words(target)])
            raise RuleError(
                "nobody agreed on this Code Word", rule="D-R10.3", where=squad, found=word, expected=expected
            )
        if not step.hooks.order_issue(step, _spoken(state, officer, word, squad, place)):
            raise RuleError("a plugin refuses this order", rule="D-R16.12", where=officer, found=word)


def _check_hearer(state: State, officer: str, to: str, target: Entity | None) -> None:
    """Refuse a squad whose NCO this CO does not speak to, and a platoon whose CO he does not (D-R16.12, D-SF-4)."""
    if target is not None and target.role == "platoon" and side_of(state, to) == side_of(state, officer):
        check_platoon(state, officer, to)
        return
    if target is None or target.role != "squad" or side_of(state, to) != side_of(state, officer):
        raise RuleError("this is no squad of this side", rule="D-R16.12", where=officer, found=to)
    if platoon(state, to).uid != platoon(state, officer).uid:
        raise RuleError("this squad is another platoon's", rule="D-SF-4", where=officer, found=to)
    if not ncos(state, to):
        raise RuleError("this squad has no NCO to hear it", rule="D-R16.12", where=officer, found=to)


def _spoken(state: State, officer: str, word: str, squad: str, place: Value) -> Order:
    own = code_words(state[squad])
    if word in own:
        return named_order(state, officer, squad, own[word])._replace(code_word=word)
    order = CODE_WORDS[word]._replace(by=officer, to=squad, code_word=word)
    if word != "Rally":
        return order
    points = rally_points(state, side_of(state, officer))
    if place is None and len(points) != 1:
        expected = ", ".join(points) or "none are set"
        raise RuleError("Rally names a Rally Point", rule="D-R10.4", where=squad, expected=expected)
    return order._replace(
        place=named_place(state, side_of(state, officer), next(iter(points)) if place is None else place)
    )


def _speak(step: DisrupterStep, officer: str, word: str, squad: str, place: Value) -> None:
    if word != "Resume":
        set_order(step, _spoken(step.state, officer, word, squad, place), since=turn(step.state), rule="D-R16.12")
        return
    kept = [each.as_value() for each in standing(step.state[squad]) if each.order.code_word is None]
    why = {"by": officer, "to": squad, "code word": word}
    orders, known = SetAttribute(squad, "orders", tuple(kept)), (side_of(step.state, squad), "referee")
    step.emit("order.resumed", orders, rule="D-R10.4", why=why, seen_by=known)
