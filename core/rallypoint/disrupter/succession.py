"""Who commands after a CO has fallen: in a platoon an NCO, in a company another CO (D-R9.6, D-AMB-14, D-SF-4)."""

from __future__ import annotations

from collections.abc import Sequence

from rallypoint.kernel.changes import SetAttribute
from rallypoint.kernel.state import Entity
from rallypoint.kernel.tape import Choice, Option

from .field import commander, officers, platoon, platoons, side_of, squad_of
from .hooks import DisrupterStep
from .rulings import chosen

__all__ = ["appoint", "succeed"]


def succeed(step: DisrupterStep, uid: str, *, new_turn: bool = False) -> None:
    """Give a platoon a new CO when its CO has fallen: the owner names a living NCO (D-R9.6, D-AMB-14).

    Args:
        step: the step.
        uid: the platoon, or a side that has just one; where its CO lives nothing happens.
        new_turn: that a turn begins; by ruling ``next_turn`` it happens only then.
    """
    own = platoon(step.state, uid)
    found = officers(step.state, own.uid)
    if commander(step.state, own.uid) is not None or not found or not _follows(step, new_turn):
        return
    side = side_of(step.state, own.uid)
    named = _named(step, side, "succession", found, own.uid)
    why = {"side": side, "co": named, "after": own.attributes.get("co")}
    step.emit("command.succession", SetAttribute(own.uid, "co", named), rule="D-R9.6", why=why)


def appoint(step: DisrupterStep, side: str, *, new_turn: bool = False) -> None:
    """Give a company a commander: in the briefing its first, later one who follows him when he has fallen (D-SF-4).

    He is one of the platoons' COs: the first platoon's, or by ruling D-SF-4 ``named`` whom the owner names. Another CO
    follows him as an NCO follows a CO (D-AMB-14): one who has been CO from the start, before an NCO who only acts for his.

    Args:
        step: the step.
        side: whose commander may have fallen; where he lives, or where the side has just one platoon, nothing happens.
        new_turn: that a turn begins; by ruling ``next_turn`` somebody follows only then.
    """
    state = step.state
    own, old = platoons(state, side), state[side].attributes.get("co")
    heads = [head for each in own for head in (commander(state, each.uid),) if head is not None]
    if commander(state, side) is not None or not heads:
        return
    if old is None and chosen(step.options, "D-SF-4") == "first_platoon":
        named = heads[0].uid
    elif old is None or _follows(step, new_turn):
        named = _named(
            step, side, "company commander", [unit for unit in heads if unit.facts["class"] == "CO"] or heads, side
        )
    else:
        return
    why = {"side": side, "co": named, "after": old}
    step.emit("command.company", SetAttribute(side, "co", named), rule="D-SF-4", why=why)


def _follows(step: DisrupterStep, new_turn: bool) -> bool:
    """Say whether somebody follows a CO who has fallen, by ruling D-AMB-14 now, only when a turn begins, or never."""
    ruling = chosen(step.options, "D-AMB-14")
    return ruling != "none" and (ruling != "next_turn" or new_turn)


def _named(step: DisrupterStep, side: str, purpose: str, found: Sequence[Entity], subject: str) -> str:
    """Return whom a side names among Officers; it is not asked where there is only one."""
    if len(found) == 1:
        return found[0].uid
    options = tuple([Option(unit.uid, f"{unit.uid} of {squad_of(step.state, unit.uid).uid}") for unit in found])
    return step.choose(Choice(side, purpose, options, subject)).key
