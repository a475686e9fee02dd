"""Events: what a rule tells, with the rule that says so and the reasons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .canonical import EMPTY, Value
from .changes import Change, change_out
from .errors import StateError

__all__ = ["Event", "event_in", "event_out"]


class Event(NamedTuple):
    """One thing that happened.

    ``kind`` is the game's own dotted word and ``rule`` the id of the rule that spoke. ``by`` is the plugin that decided
    it, ``None`` for the game itself. ``cause`` is the position, in the same step, of the event that led to this one.
    ``why`` holds the reasons: dice, modifiers, numbers. ``seen_by`` lists the seats that may know, ``None`` means all.
    """

    kind: str
    changes: tuple[Change, ...]
    rule: str
    by: str | None = None
    cause: int | None = None
    why: Mapping[str, object] = EMPTY
    seen_by: tuple[str, ...] | None = None

    def visible_to(self, seat: str) -> bool:
        """Say whether ``seat`` may know of this event."""
        return self.seen_by is None or seat in self.seen_by


def event_out(event: Event) -> tuple[tuple[object, ...], tuple[object, ...]]:
    """Return the event as a value without its changes, and the changes as values.

    They are kept apart because opening a battle needs the changes alone.
    """
    story = (event.kind, len(event.changes), event.rule, event.by, event.cause, event.why, event.seen_by)
    return story, tuple([change_out(change) for change in event.changes])


def event_in(story: Value, changes: tuple[Change, ...]) -> Event:
    """Return the event of ``story`` (as :func:`event_out` wrote it) with its own slice of changes.

    Raises:
        StateError: the story is not an event.
    """
    raw: Any = story
    try:
        kind, _, rule, by, cause, why, seen_by = raw
    except (TypeError, ValueError):
        raise StateError("this is not an event", found=story) from None
    return Event(kind, changes, rule, by, cause, why, seen_by)
