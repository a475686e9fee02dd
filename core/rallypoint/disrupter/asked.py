"""What dice must show, and why: for people who throw their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rallypoint.kernel.dice import ByFace
from rallypoint.kernel.tape import Grade, Question

from .explain import event_reasons, modifier_words
from .spoken import Names, target_name

__all__ = ["needed"]


def needed(question: Question, why: Mapping[str, Any], name: Names) -> str:
    """Return what the dice of a question must show, with each [+] and [-] and its reason; nothing where no rule says it.

    Args:
        question: the question that is open.
        why: what its rule says about it (:attr:`rallypoint.kernel.battle.Battle.why`). A plugin may give ``words``, a sentence with
            other reasons in braces.
        name: what uids are called.

    >>> from rallypoint.kernel.dice import D100, Throw
    >>> from rallypoint.disrupter.checks import check_cut
    >>> two = Grade(Throw("co", "initiative", D100, 2), check_cut(80, 1))
    >>> needed(two, {"under": 80, "modifiers": [("+", "Resolve", "D-OP-R11.1")]}, str)
    'below 80, [+] Resolve: the better counts, but a double before all'
    """
    if "under" in why:
        return ", ".join(_check(question, why, name))
    if "stress" in why:
        better = ": the better counts" if _dice(question) > 1 else ""
        return f"above the Stress of {why['stress']} to keep its nerve{better}"
    return event_reasons(str(why["words"]), why, name) if "words" in why else ""


def _check(question: Question, why: Mapping[str, Any], name: Names) -> Iterator[str]:
    if why.get("target"):
        yield f"at {target_name(why['target'], name)}"
    yield f"below {why['under']}" if why["under"] else "cannot succeed"
    said = [modifier_words(modifier, name) for modifier in why.get("modifiers", ())]
    if not said:
        return
    yield from said[:-1]
    yield f"{said[-1]}: {_which(question)}"


def _which(question: Question) -> str:
    """Return which of two dice counts; the order of the cut's classes says it."""
    if _dice(question) == 1 or not isinstance(question, Grade) or not isinstance(question.cut, ByFace):
        return "they cancel out"
    first, second = question.cut.order[:2]
    which = "the better counts" if first == "critical_success" else "the worse counts"
    return f"{which}, but a double before all" if second.startswith("critical") else which


def _dice(question: Question) -> int:
    return question.throw.number if isinstance(question, Grade) else 1
