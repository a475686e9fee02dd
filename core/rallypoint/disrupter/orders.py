"""Orders and Code Words as data, and what they let a team do (Rules 9 to 11; D-AMB-15).

An order is one sentence and, where somebody wrote it down, a structured part: a verb, a place, a fire policy. It stands on
the squad or team that it was given to (attribute ``orders``), with the turn from which it is in force. The latest one in
force counts. Whether a sentence allows an act is not for a machine to say: without a structured part the answer is ``ask``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

from rallypoint.kernel.canonical import Value, freeze
from rallypoint.kernel.hexes import distance
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import Entity, State

from .activity import holds
from .checks import officer_near
from .field import is_bot, living, place, platoon, squad_of, team_of, turn
from .records import Order
from .rulings import chosen

__all__ = ["ACTS", "CODE_WORDS", "VERBS", "Permission", "Standing", "led", "order_of", "permits", "standing", "towards"]

Permission: TypeAlias = Literal["yes", "no", "ask"]
"""Whether orders let a team do something; ``ask``: somebody has to read the sentence."""

ACTS = ("move", "retreat", "cover", "fire", "spot", "react", "self_defence")
"""What can be asked about. ``retreat`` is a move out of danger, ``react`` Reaction Fire at an enemy that comes into view,
``self_defence`` Reaction Fire at one that threatens the team itself."""

VERBS: Mapping[str, Mapping[str, bool]] = MappingProxyType(
    {
        "engage": {"move": True, "fire": True, "spot": True},
        "advance": {"move": True, "fire": True, "spot": True},
        "hold": {"move": False, "fire": True, "spot": True},
        "rally": {"move": True, "fire": False, "spot": True},
        "retreat": {"move": True, "fire": False, "spot": True},
    }
)
"""What the verbs of structured orders allow; an order without one has to be asked about. A verb with a place allows such
moves only as bring the team nearer to it."""

CODE_WORDS: Mapping[str, Order] = MappingProxyType(
    {
        "Halt": Order("", "", "Halt where you are.", "hold"),
        "Rally": Order("", "", "Fall back to the Rally Point.", "rally", None, "return"),
        "Retreat": Order("", "", "Retreat.", "retreat", None, "return"),
        "Resume": Order("", "", "Go on with the order before."),
    }
)
"""The Code Words that everybody has (D-R10.4); Resume has no order of its own, it ends the ones given by Code Word."""


class Standing(NamedTuple):
    """An order as it stands on a squad or team: what it says, and from which turn it is in force.

    ``number`` counts all orders of the battle: of two in force the later one counts.
    """

    order: Order
    since: int
    number: int

    def as_value(self) -> Value:
        """Return what the attribute holds."""
        return freeze({**self.order._asdict(), "since": self.since, "number": self.number})


def standing(holder: Entity) -> tuple[Standing, ...]:
    """Return the orders of a squad or team, in the order in which they were given."""
    rows: Any = holder.attributes.get("orders", ())
    found = []
    for row in rows:
        fields = dict(row)
        since, number, place = fields.pop("since"), fields.pop("number"), fields.pop("place")
        where = None if place is None else Hex(place[0], place[1])
        found.append(Standing(Order(**fields, place=where), since, number))
    return tuple(found)


def order_of(state: State, team: str) -> Order | None:
    """Return the order that a team acts under now: the latest in force of its own, its squad's and its platoon's (D-R16.14).

    A routed team has none (D-PT-T5); one that was rallied has only those of the officer who did it (D-R16.15).
    """
    stand = state[team]
    if "routed" in stand.statuses:
        return None
    under = stand.attributes.get("under")
    now = turn(state)
    in_force = [
        each
        for holder in (platoon(state, team), squad_of(state, team), stand)
        for each in standing(holder)
        if each.since <= now and (under is None or each.order.by == under)
    ]
    return max(in_force, key=lambda each: each.number).order if in_force else None


def led(state: State, uid: str) -> bool:
    """Say whether a team or unit is led: an Officer of its side is within Close Range, or is one of it (D-R9.14)."""
    team = team_of(state, uid).uid
    units = living(state, team)
    return bool(units) and officer_near(state, units[0], own=True) is not None


def permits(state: State, options: Mapping[str, Value], uid: str, act: str) -> Permission:
    """Say whether a team (or one unit of it) may do an act of :data:`ACTS` as things stand.

    Nobody obeys in a rout; a suppressed team neither moves nor fires, not even in self-defence (D-PT-T3 to T5). Who is led
    acts freely (D-R9.14). Cover and self-defence need no order (D-R9.12). Bots that nobody leads may besides only retreat
    (D-R9.15, D-R9.16). Everybody else does what the order says; without one, nothing more than get out of danger.
    """
    team = team_of(state, uid).uid
    stand = state[team]
    if "routed" in stand.statuses:
        return "no"
    if holds(state, team, "suppressed") and act not in ("cover", "spot"):
        return "no"
    if "retreating" in stand.statuses:
        return "yes" if act == "self_defence" else "no"
    if act in ("cover", "self_defence"):
        return "yes"
    if led(state, uid):
        return _fire_policy(order_of(state, team), options) if act == "react" else "yes"
    units = living(state, team) if uid == team else (state[uid],)
    if act == "retreat":
        return "yes"
    humans = [unit for unit in units if not is_bot(unit)]
    if not humans:
        return "no"
    if act == "move" and len(humans) < len(units) and chosen(options, "D-R9.16") == "stays":
        return "no"
    return _under_order(order_of(state, team), act, options)


def _under_order(order: Order | None, act: str, options: Mapping[str, Value]) -> Permission:
    if order is None:
        return "no"
    if act == "react":
        return _fire_policy(order, options)
    if order.verb is None or order.verb not in VERBS:
        return "ask"
    if act == "fire" and order.fire_policy is not None:
        return "yes" if order.fire_policy == "in_range" else "no" if order.fire_policy == "hold" else "ask"
    return "yes" if VERBS[order.verb][act] else "no"


def _fire_policy(order: Order | None, options: Mapping[str, Value]) -> Permission:
    """Say whether Reaction Fire is ordered: by the order, or where it says nothing by ruling D-AMB-15."""
    if order is not None and order.fire_policy is None and order.verb is None:
        return "ask"
    policy = (order.fire_policy if order is not None else None) or chosen(options, "D-AMB-15")
    return "yes" if policy == "in_range" else "no"


def towards(state: State, team: str, end: Hex) -> bool:
    """Say whether a move that ends in ``end`` fits the place that the team's order names, if it names any (D-R9.12)."""
    order = order_of(state, team)
    here = place(state, team)
    if order is None or order.place is None or order.verb == "engage" or here is None:
        return True
    return distance(end, order.place) < max(distance(here, order.place), 1)
