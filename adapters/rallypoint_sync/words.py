"""What people read: who edited, plans and conflicts as lines and as JSON."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping

from rallypoint.kernel.canonical import Value, canonical

from .plan import Conflict, Plan

__all__ = ["conflict_lines", "conflict_number", "conflict_value", "plan_lines", "plan_value", "said", "who"]

_KINDS = {
    "both_changed": "changed in the battle and at a VTT",
    "copies_differ": "two different edits",
    "first_meeting": "different when first bound",
    "out_of_range": "the value does not fit",
    "no_value": "what is shown is no value",
    "return_to_play": "this unit is out; fewer Wounds would bring it back into play",
    "move_proposed": "a token was moved; it counts when the move is taken",
    "late_write": "an earlier value of ours that came late, or somebody's edit",
}


def who(vtt: str) -> str:
    """Return who edits, for the log: somebody at a VTT."""
    return f"somebody at {vtt}"


def plan_lines(plan: Plan) -> Iterator[str]:
    """Yield a line for each thing that a sync would do, then the counts, which add up to what was read."""
    for write in plan.writes:
        carrier = write.binding.carrier
        old, new = said(write.old), said(write.new)
        yield f"to {write.vtt}: {write.binding.field}: {old} to {new} ({write.reason}; {carrier})"
        # What only shows (a word, a sum) says itself what it is.
        loss = write.binding.lens.loss(write.new) if write.binding.lens.two_way else None
        if loss is not None and loss.startswith("shown as"):
            yield f"  {loss}"
    for edit in plan.edits:
        yield f"from {edit.vtt}: {edit.field}: {said(edit.old)} to {said(edit.new)}"
    for conflict in plan.conflicts:
        yield from conflict_lines(conflict)
    for left in plan.left_out:
        yield f"left out at {left.vtt}: {left.what}: {left.why}"
    yield ", ".join(f"{count} {name}" for name, count in plan.counts.items())


def conflict_lines(conflict: Conflict) -> Iterator[str]:
    """Yield the lines of a conflict: what disagrees, every value, what can be chosen."""
    yield f"conflict: {conflict.field}: {_KINDS[conflict.kind]}"
    yield f"  battle: {said(conflict.ours)}"
    for theirs in conflict.theirs:
        value = "no value" if theirs.value is None else said(theirs.value)
        where = f"{theirs.document} {theirs.path}"
        yield f"  {theirs.vtt}: {value} ({where} shows {said(theirs.shown)}, last agreed {said(theirs.base)})"


def conflict_number(conflict: Conflict) -> int:
    """Return the number of a conflict as it is: the same in every process, and another one once a side has another value."""
    theirs = sorted([each.vtt, each.document, each.path, canonical(each.shown)] for each in conflict.theirs)
    return zlib.crc32(canonical([*conflict.field, conflict.kind, conflict.ours, theirs]).encode())


def said(value: Value) -> str:
    """Return a value in words: places without what they do not say, and never the words of a programming language.

    >>> said(None), said(True), said(("hex", 2, 3, None)), said("two")
    ('nothing', 'yes', 'hex 2 3', 'two')
    """
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return " ".join(str(part) for part in value if part is not None)
    return value if isinstance(value, str) and value.isalpha() else repr(value)


def plan_value(plan: Plan) -> Mapping[str, object]:
    """Return a plan as a value for ``--json``."""
    return {
        "writes": [
            {
                "vtt": write.vtt,
                "fields": [tuple(field) for field in write.binding.fields],
                "document": write.binding.carrier.document,
                "path": write.binding.carrier.path,
                "old": write.old,
                "new": write.new,
                "owner": write.owner,
                "reason": write.reason,
            }
            for write in plan.writes
        ],
        "edits": [
            {"vtt": edit.vtt, "field": tuple(edit.field), "document": edit.document, "old": edit.old, "new": edit.new}
            for edit in plan.edits
        ],
        "conflicts": [conflict_value(conflict) for conflict in plan.conflicts],
        "left_out": [left._asdict() for left in plan.left_out],
        "counts": plan.counts,
    }


def conflict_value(conflict: Conflict) -> Mapping[str, object]:
    """Return a conflict as a value for ``--json``."""
    return {
        "field": tuple(conflict.field),
        "kind": conflict.kind,
        "ours": conflict.ours,
        "theirs": [theirs._asdict() for theirs in conflict.theirs],
    }
