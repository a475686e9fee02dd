"""Questions in words: what a seat is asked and why, with what has just happened and names instead of uids."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from rallypoint.kernel.events import Event
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import State
from rallypoint.kernel.tape import Choice

from .field import hexes_apart
from .spoken import Names, hex_name

__all__ = ["choice_asked", "option_words"]

_COORDINATES = re.compile(r"(-?\d+), (-?\d+)")


def choice_asked(state: State, events: Sequence[Event], ask: Choice, name: Names) -> str | None:
    """Return in one sentence what a seat is to decide; ``None``: it is called by its purpose.

    Args:
        state: the battle at the question, with what the step has told so far.
        events: what that was.
        ask: the choice.
        name: gives names for uids.
    """
    said = _SENTENCES.get(ask.purpose)
    return None if said is None or ask.subject is None else said(state, events, ask, name)


def option_words(label: str, name: Names) -> str:
    """Return the label of an option with names instead of uids and of coordinates.

    >>> option_words("fire at r1a", {"r1a": "R-1A"}.get), option_words("on to 2, 0", str)
    ('fire at R-1A', 'on to C1')
    """
    hexes = _COORDINATES.sub(lambda found: hex_name(Hex(int(found[1]), int(found[2]))), label)
    return " ".join(name(word) or word for word in hexes.split(" "))


def _reaction(state: State, events: Sequence[Event], ask: Choice, name: Names) -> str | None:
    """Return who moved from where to where, how far off that is, and who is asked (D-R15.1)."""
    why: Any = next((event.why for event in reversed(events) if event.kind == "move.step"), None)
    subject = str(ask.subject)
    if why is None or subject not in state or why["team"] not in state:
        return None
    apart = hexes_apart(state, subject, why["team"])
    far = "" if apart is None else f", {apart} hex{'' if apart == 1 else 'es'} away"
    way = f"{hex_name(why['from'])} to {hex_name(why['to'])}"
    return f"{name(why['team'])} moves {way}{far}: does {name(subject)} react?"


def _plainly(sentence: str) -> _Asked:
    return lambda _state, _events, ask, name: sentence.format(name(str(ask.subject)))


_Asked: TypeAlias = Callable[[State, Sequence[Event], Choice, Names], str | None]
_SENTENCES: Mapping[str, _Asked] = MappingProxyType(
    {
        "reaction": _reaction,
        "resolve": _plainly("does {} use Resolve for the initiative?"),
        "wounds": _plainly("who of {} takes Wounds first?"),
        "move.further": _plainly("{} has become faster by its losses: does it go on?"),
    }
)
