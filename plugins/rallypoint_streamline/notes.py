"""What is left that rolls Instinct under some rulings, in words (D-AMB-26)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rallypoint.kernel.canonical import Value

from .switches import on

__all__ = ["uses_of_instinct"]


def uses_of_instinct(options: Mapping[str, Value]) -> Iterator[str]:
    """Yield what still rolls Instinct.

    >>> list(uses_of_instinct({"D-VA-R16.1": "on", "D-SL-R8.1": "on", "D-SL-R16.1": "on", "D-SL-VE.1": "on"}))
    ['the initiative', 'the group checks', 'grenades']
    """
    if options.get("D-AMB-26") != "no_instinct":
        yield "the initiative in turn 1" if on(options, "D-SL-R11.1") else "the initiative"
    if not on(options, "D-SL-R11.2"):
        yield "the group checks"
    if not on(options, "D-VA-R16.1"):
        yield "fire"
    if options.get("D-AMB-26") != "no_instinct":
        yield "grenades"
    if not on(options, "D-SL-R16.1"):
        yield "spotting"
    if not on(options, "D-SL-R16.4") and not on(options, "D-SL-R8.1"):
        yield "rallying"
    if not on(options, "D-SL-VE.1"):
        yield "driving vehicles"
