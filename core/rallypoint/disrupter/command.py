"""Command: orders and rally (Rules 9, 10, 16); Code Words stand in :mod:`rallypoint.disrupter.code_words`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import DropStatus, SetAttribute
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import Entity, State

from .checks import check
from .field import (
    BATTLE,
    alive,
    board,
    commander,
    hexes_apart,
    officers,
    platoon,
    rally_points,
    side_of,
    squad_of,
    team_of,
    teams,
    turn,
)
from .hooks import DisrupterStep
from .modes import surrendered
from .orders import VERBS, Permission, Standing, led, order_of, permits, standing
from .records import CheckRequest, Order
from .rulings import chosen

__all__ = [
    "check_order",
    "check_platoon",
    "check_rally",
    "is_commander",
    "led",
    "may",
    "named_order",
    "named_place",
    "ncos",
    "order_of",
    "permits",
    "rallied_by",
    "rally",
    "set_order",
    "surrendered",
    "the_officer",
]

_ORDER_KEYS = ("text", "verb", "place", "fire_policy")
_POLICIES = ("hold", "return", "in_range")
_LONGEST = 500
"""How many letters an order may have; a sentence of more is none that anybody keeps in mind."""


def may(step: DisrupterStep, uid: str, act: str) -> Permission:
    """Say whether a team or unit may do an act: plugins first, then its orders (D-R9.12 to D-R9.16)."""
    decided = step.hooks.order_execute(step, team_of(step.state, uid), act)
    if decided is None:
        return permits(step.state, step.options, uid, act)
    return "yes" if decided else "no"


def ncos(state: State, squad: str) -> tuple[Entity, ...]:
    """Return the living NCOs of a squad that are on the board (D-R9.2; in a squad of Sections there are several, D-SF-3)."""
    found = officers(state, side_of(state, squad))
    return tuple([unit for unit in found if unit.facts["class"] == "NCO" and squad_of(state, unit.uid).uid == squad])


# Orders


def named_order(state: State, by: str, to: str, row: Mapping[str, Value]) -> Order:
    """Return the order that JSON says: ``text``, and where wanted ``verb``, ``place``, ``fire_policy``.

    Args:
        state: the state, for the board and the Rally Points.
        by: the officer.
        to: a squad or team.
        row: ``text`` is one sentence of at most 500 letters (D-R9.11); ``verb`` is one of
            :data:`~rallypoint.disrupter.orders.VERBS`; ``place`` is ``[q, r]`` or the name of a Rally Point of the officer's side.

    Raises:
        RuleError: a key, the verb or the fire policy is unknown, there is no sentence or it is too long, or the place is
            not on the board.
    """
    unknown = sorted(set(row) - set(_ORDER_KEYS))
    if unknown:
        raise RuleError("an order has no such part", rule="D-R9.11", found=unknown[0], expected=", ".join(_ORDER_KEYS))
    text = row.get("text")
    if not isinstance(text, str) or not _is_one_sentence(text):
        raise RuleError(
            "an order is one direct sentence", rule="D-R9.11", where=to, found=text, expected="one sentence"
        )
    if len(text.strip()) > _LONGEST:
        found, expected = f"{len(text.strip())} letters", f"at most {_LONGEST}"
        raise RuleError("this order is too long", rule="D-R9.11", where=to, found=found, expected=expected)
    verb, policy = row.get("verb"), row.get("fire_policy")
    if verb is not None and (not isinstance(verb, str) or verb not in VERBS):
        expected = ", ".join(VERBS)
        raise RuleError("an order has no such verb", rule="D-R9.11", where=to, found=verb, expected=expected)
    if policy is not None and policy not in _POLICIES:
        expected = ", ".join(_POLICIES)
        raise RuleError("there is no such fire policy", rule="D-R9.11", where=to, found=policy, expected=expected)
    place = named_place(state, side_of(state, by), row.get("place"))
    return Order(by, to, text.strip(), verb, place, cast("Any", policy))


def _is_one_sentence(text: str) -> bool:
    """Say whether there is something, on one line, with at most one end of a sentence.

    >>> _is_one_sentence("Hold the bridge."), _is_one_sentence("Hold. Then run."), _is_one_sentence("  ")
    (True, False, False)
    """
    inner = text.strip().rstrip(".!?")
    return len(inner.splitlines()) == 1 and not any(mark + " " in inner for mark in ".!?")


def named_place(state: State, side: str, given: Value) -> Hex | None:
    """Return the hex that JSON says, ``[q, r]`` or the name of one of the side's Rally Points; ``None`` for nothing.

    Raises:
        RuleError: it is none, is not on the board, or the side has no such Rally Point.
    """
    if given is None:
        return None
    points = rally_points(state, side)
    if isinstance(given, str):
        if given not in points:
            expected = ", ".join(points) or "none are set"
            raise RuleError("there is no such Rally Point", rule="D-R10.2", where=side, found=given, expected=expected)
        return points[given]
    if not isinstance(given, tuple) or len(given) < 2 or not all(type(number) is int for number in given[:2]):
        raise RuleError("this is no place", rule="D-R9.11", found=given, expected="[q, r] or the name of a Rally Point")
    place = Hex(*cast("tuple[int, int]", given[:2]))
    if not board(state).holds(place):
        raise RuleError("this hex is not on the board", rule="D-R2.1", found=f"{place.q}, {place.r}")
    return place


def check_order(step: DisrupterStep, officer: str, to: str, row: Mapping[str, Value]) -> Order:
    """Return the order if this officer may give it: one set of orders to one squad, without a roll (D-R16.11, D-R16.13).

    Args:
        step: the step.
        officer: an NCO orders his own squad or a team of it, the CO any squad of his platoon or a team of his own squad;
            the company commander besides any other platoon, which is to say its CO (D-SF-4).
        to: a squad, team or platoon.
        row: see :func:`named_order`.

    Raises:
        RuleError: he may not, or it is none.
    """
    state = step.state
    unit = the_officer(state, officer)
    target = state.get(to)
    holders = ("squad", "team", "platoon")
    if target is None or target.role not in holders or side_of(state, to) != side_of(state, officer):
        raise RuleError("orders go to a squad or team of one's own side", rule="D-R9.10", where=officer, found=to)
    if target.role == "platoon":
        check_platoon(state, officer, to)
    else:
        _check_rank(state, unit, target)
    if target.role == "team" and "routed" in target.statuses:
        raise RuleError("a routed team takes no orders", rule="D-PT-T5", where=officer, found=to, hint="rally it first")
    order = named_order(state, officer, to, row)
    if not step.hooks.order_issue(step, order):
        raise RuleError("a plugin refuses this order", rule="D-R16.11", where=officer, found=to)
    return order


def _check_rank(state: State, officer: Entity, target: Entity) -> None:
    """Refuse an order to a squad or team that is not this officer's to give (D-R9.2, D-R16.11, D-SF-4)."""
    if squad_of(state, target.uid).uid == squad_of(state, officer.uid).uid:
        return
    if not is_commander(state, officer.uid):
        what, rule = "an NCO orders his own squad only", "D-R9.2"
    elif platoon(state, target.uid).uid != platoon(state, officer.uid).uid:
        what, rule = "a CO orders squads of his own platoon; of another, the company commander orders its CO", "D-SF-4"
    elif target.role == "team":
        what, rule = "a CO orders a squad or its NCO, not a single team of it", "D-R16.11"
    else:
        return
    raise RuleError(what, rule=rule, where=officer.uid, found=target.uid)


def check_platoon(state: State, officer: str, to: str) -> None:
    """Refuse an order to a whole platoon, unless it goes from the company commander to another platoon's CO (D-SF-4).

    Raises:
        RuleError: he is not the company commander, it is his own platoon, or that one has no CO to hear it.
    """
    head = commander(state, side_of(state, officer))
    if head is None or head.uid != officer:
        raise RuleError("only the company commander orders a platoon", rule="D-SF-4", where=officer, found=to)
    if platoon(state, officer).uid == to:
        raise RuleError("he is the CO of this platoon: he orders its squads", rule="D-R16.11", where=officer, found=to)
    if commander(state, to) is None:
        raise RuleError("this platoon has no CO to hear an order", rule="D-SF-4", where=officer, found=to)


def set_order(step: DisrupterStep, order: Order, *, since: int, rule: str) -> None:
    """Write an order down on the squad, team or platoon that it is for, in force from turn ``since``.

    Those that it replaces are forgotten: what stays is the latest in force, what comes later, and beside an order given by
    Code Word the one that Resume goes back to.
    """
    state = step.state
    number = state[BATTLE].attributes.get("orders", 0)
    assert isinstance(number, int)
    new = Standing(order, since, number + 1)
    kept = _still_needed(standing(state[order.to]), new, turn(state))
    orders = SetAttribute(order.to, "orders", tuple([each.as_value() for each in kept]))
    why = {"by": order.by, "to": order.to, "text": order.text, "verb": order.verb, "from turn": since}
    if order.code_word is not None:
        why["code word"] = order.code_word
    known = (side_of(state, order.to), "referee")  # it stands on the side's own Platoon Card
    step.emit("order.given", orders, SetAttribute(BATTLE, "orders", number + 1), rule=rule, why=why, seen_by=known)


def _still_needed(old: tuple[Standing, ...], new: Standing, now: int) -> tuple[Standing, ...]:
    """Return the orders to keep beside a new one, with it: what is in force until then, and what Resume goes back to."""
    later = [each for each in old if each.since > now]
    plain = [each for each in old if each.since <= now and each.order.code_word is None][-1:]
    spoken = [each for each in old if each.since <= now and each.order.code_word is not None][-1:]
    if new.order.code_word is not None:
        return (*plain, *later, new)
    if new.since <= now:
        return (*later, new)
    return (*plain, *spoken, *[each for each in later if each.since != new.since], new)


def the_officer(state: State, officer: str) -> Entity:
    """Return the unit, if it is an Officer who can give orders.

    Raises:
        RuleError: it is none, or he is out (D-R9.10).
    """
    unit = state.get(officer)
    if unit is None or unit.facts.get("class") not in ("CO", "NCO"):
        raise RuleError("only an Officer commands", rule="D-R9.10", where=officer)
    if not alive(unit):
        raise RuleError("this Officer is out", rule="D-R9.10", where=officer, found=unit.statuses["out"].value)
    return unit


def is_commander(state: State, officer: str) -> bool:
    """Say whether an officer is the acting CO of his platoon (D-R9.1, D-R9.6)."""
    head = commander(state, platoon(state, officer).uid)
    return head is not None and head.uid == officer


# Rally


def rallied_by(state: State, officer: str) -> tuple[str, ...]:
    """Return the routed teams of an officer's side within Close Range of him (D-R16.15)."""
    side = side_of(state, officer)
    near = []
    for team in teams(state, side):
        apart = hexes_apart(state, officer, team.uid) if "routed" in team.statuses else None
        if apart is not None and apart <= 1:
            near.append(team.uid)
    return tuple(near)


def rally(step: DisrupterStep, officer: str) -> None:
    """Let an officer try to rally the routed teams within Close Range by an Instinct Check (D-R16.15).

    One check is for all of them; by ruling D-R16.15 ``each_team`` one is made for each.
    """
    check_rally(step.state, officer)
    near = rallied_by(step.state, officer)
    groups = [near] if chosen(step.options, "D-R16.15") == "once" else [(team,) for team in near]
    for group in groups:
        made = check(step, CheckRequest((officer,), "instinct", "rally", group[0]), "D-R16.15")
        for team in group if made.success else ():
            changes = DropStatus(team, "routed"), SetAttribute(team, "under", officer)
            step.emit("team.rallied", *changes, rule="D-R16.15", why={"team": team, "officer": officer})


def check_rally(state: State, officer: str) -> None:
    """Refuse a rally where there is nobody to rally.

    Raises:
        RuleError: he is no living officer, or no routed team is within Close Range.
    """
    the_officer(state, officer)
    if not rallied_by(state, officer):
        raise RuleError("no routed team is within Close Range", rule="D-R16.15", where=officer)
