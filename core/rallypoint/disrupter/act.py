"""The acts of a seat in the Action Phase: one Movement Action and one Battlefield Action a team (D-R11.2, D-R16.1).

Each rule here checks that the team may act now and that its orders allow it, spends the action, and hands on to the part of
the rules that it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import SetAttribute
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.hexes import distance
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import State
from rallypoint.kernel.tape import Choice, Option

from . import cover, fire, flight, movement, rafts, reaction, sight, spotting
from .activity import holds, spend
from .code_words import check_code_word, code_word
from .command import check_order, check_rally, may, rally, set_order
from .field import (
    BATTLE,
    alive,
    enemy,
    hex_of,
    is_bot,
    living,
    place,
    rally_points,
    side_of,
    squad_of,
    team_of,
    teams,
    turn,
)
from .hooks import DisrupterStep
from .modes import result
from .orders import led, towards
from .records import Attack
from .turn import action_of, due_to_flee, go_on, own_team, portion

__all__ = ["act", "attach", "flee", "leave_cover", "move", "obey", "retreating", "retreats", "take_cover"]

REFEREE = "referee"
"""The seat of the table's owner (D-R1.4)."""


class _Deed(NamedTuple):
    """What one unit does with the team's Battlefield Action; ``run`` is ``None`` for a shot, which waits for the others."""

    unit: str
    kind: str
    attack: Attack | None
    run: Callable[[], object] | None


# Orders


def obey(step: DisrupterStep, uid: str, act: str) -> None:
    """Refuse an act that the orders of a team or unit do not allow (D-R9.12 to D-R9.16).

    Where only a reader of the sentence can tell, the referee is asked; without one the seat that wrote it has just read it.

    Raises:
        RuleError: it is not allowed; ``rule`` says why.
    """
    allowed = may(step, uid, act)
    if allowed == "no":
        rule, what = _reason(step.state, uid)
        raise RuleError(what, rule=rule, where=uid, found=act)
    if allowed == "ask" and step.state[BATTLE].facts["referee"]:
        options = Option("allow", f"the order covers this: {act}"), Option("refuse", "it does not")
        if step.choose(Choice(REFEREE, f"orders: {act}", options, uid)).key == "refuse":
            raise RuleError("the referee says that the order does not cover this", rule="D-R9.12", where=uid, found=act)


def _reason(state: State, uid: str) -> tuple[str, str]:
    team = team_of(state, uid).uid
    if holds(state, team, "suppressed"):
        return "D-PT-T3", "this team is suppressed"
    if "routed" in state[team].statuses:
        return "D-PT-T5", "this team is routed"
    if "retreating" in state[team].statuses:
        return "D-PT-T4", "this team retreats"
    units = living(state, team) if uid == team else (state[uid],)
    if any(is_bot(unit) for unit in units) and not led(state, uid):
        return "D-R9.16", "a bot that no Officer leads can only retreat, take cover and defend itself"
    return "D-R9.12", "the orders of this team do not allow it"


def retreats(state: State, options: Mapping[str, Value], team: str, end: Hex) -> bool:
    """Say whether a move to ``end`` is a retreat: away from the nearest enemy in sight, or towards a Rally Point (D-R9.16)."""
    return retreating(state, options, team)(end)


def retreating(state: State, options: Mapping[str, Value], team: str) -> Callable[[Hex], bool]:
    """Return :func:`retreats` for one team, for many ends: whom it sees is looked up once, and only where that matters."""
    here = place(state, team)
    if here is None:
        return lambda _: False
    points = rally_points(state, side_of(state, team)).values()
    nearest: list[Hex | None] = []

    def away(end: Hex) -> bool:
        if any(distance(end, point) < distance(here, point) for point in points):
            return True
        if not nearest:
            nearest.append(_nearest_in_sight(state, options, team, here))
        foe = nearest[0]
        return foe is not None and distance(end, foe) > distance(here, foe)

    return away


def _nearest_in_sight(state: State, options: Mapping[str, Value], team: str, here: Hex) -> Hex | None:
    foes = [
        foe for foe in teams(state, enemy(state, side_of(state, team))) if sight.sees(state, options, team, foe.uid)
    ]
    places = [at for foe in foes if (at := hex_of(state, foe)) is not None]
    return min(places, key=lambda at: distance(here, at), default=None)


# Movement Actions


def move(step: DisrupterStep, team: str, path: Sequence[Any]) -> None:
    """Move a team along a path of neighbouring hexes, with Reaction Fire after each (D-R14.1, D-R15.1).

    Args:
        step: the step.
        team: the team.
        path: the hexes to enter, each ``[q, r]``; its own hex is not among them.
    """
    own_team(step, team, "moved")
    hexes = tuple([_hex(row, team) for row in path])
    if not hexes:
        raise RuleError("a move enters at least one hex", rule="D-R14.1", where=team, hint="done() ends the portion")
    if may(step, team, "move") == "no" and retreats(step.state, step.options, team, hexes[-1]):
        obey(step, team, "retreat")
    else:
        obey(step, team, "move")
        if not led(step.state, team) and not towards(step.state, team, hexes[-1]):
            raise RuleError("the order leads elsewhere", rule="D-R9.12", where=team, found=tuple(hexes[-1][:2]))
    before = step.state[team].place
    spend(step, team, "moved", "D-R14.1", "moving")
    movement.move(step, team, hexes)
    _walked(step, team, before)
    go_on(step)


def flee(step: DisrupterStep, team: str) -> None:
    """Let a retreating or routed team run as its panic wants (D-PT-T4, D-PT-T5)."""
    if due_to_flee(step.state) != team:
        raise RuleError("this team does not flee now", rule="D-PT-T4", where=team)
    before = step.state[team].place
    spend(step, team, "moved", "D-PT-T4" if "retreating" in step.state[team].statuses else "D-PT-T5", "fleeing")
    flight.flee(step, team)
    _walked(step, team, before)
    go_on(step)


def _walked(step: DisrupterStep, team: str, before: object) -> None:
    if step.state[team].place != before and step.state[team].attributes.get("walked") != turn(step.state):
        changes = [SetAttribute(team, "walked", turn(step.state))]
        if isinstance(before, Hex):
            changes.append(SetAttribute(team, "left", (before.q, before.r)))
        elif "left" in step.state[team].attributes:
            changes.append(SetAttribute(team, "left", None))  # it stood off the grid, with a vehicle
        step.emit("team.walked", *changes, rule="D-EQ-T1", why={"team": team})


def _hex(row: Any, team: str) -> Hex:
    if not isinstance(row, tuple) or len(row) != 2 or not all(type(number) is int for number in row):
        raise RuleError("a path is a list of hexes", rule="D-R14.1", where=team, found=row, expected="[[q, r], ...]")
    return Hex(row[0], row[1])


# Either action


def take_cover(step: DisrupterStep, team: str) -> None:
    """Let a team take cover in its hex with the action of this portion (D-R13.1, D-R13.3)."""
    action = _either(step, team)
    obey(step, team, "cover")
    spend(step, team, action, "D-R13.3", "taking cover")
    cover.take_cover(step, team)
    go_on(step)


def leave_cover(step: DisrupterStep, team: str) -> None:
    """Let a team leave its cover with the action of this portion (D-R13.3)."""
    action = _either(step, team)
    obey(step, team, "cover")
    if "under_cover" not in step.state[team].statuses:
        raise RuleError("this team is not under cover", rule="D-R13.3", where=team)
    spend(step, team, action, "D-R13.3", "leaving cover")
    cover.leave_cover(step, team, "D-R13.3")
    go_on(step)


def attach(step: DisrupterStep, team: str, raft: str) -> None:
    """Let a team get into a raft within Close Range with the action of this portion (D-EQ-V2)."""
    action = _either(step, team)
    obey(step, team, "move")
    spend(step, team, action, "D-EQ-V2", "attaching to a raft")
    rafts.attach(step, team, raft)
    if action == "moved":
        reaction.after_hex(step, team)  # it has entered the raft's hex
    go_on(step)


def _either(step: DisrupterStep, team: str) -> Any:
    now = portion(step.state)
    action = "moved" if now is None else action_of(now)
    own_team(step, team, action)
    return action


# Battlefield Actions


def act(step: DisrupterStep, team: str, deeds: Sequence[Any]) -> None:
    """Take a team's Battlefield Action: all that its units do is named before the first roll (D-R16.1).

    Args:
        step: the step.
        team: the team.
        deeds: one for each unit that does something: ``[unit, "fire", weapon, target]``, ``[unit, "spot", target]``,
            ``[officer, "rally"]``, ``[officer, "order", squad, team or platoon, {text, verb, place, fire_policy}]``,
            ``[officer, "code_word", word, [squads or platoons], Rally Point]``, ``[unit, "nothing"]``. They happen in this order, but
            that the shots of a team fall together, where the first of them stands.
    """
    own_team(step, team, "acted")
    if not isinstance(deeds, tuple):
        raise RuleError(
            "the deeds of a team are a list", rule="D-R16.1", where=team, found=deeds, expected="[[unit, ...]]"
        )
    named = [_declare(step, team, deed) for deed in deeds]
    units = [deed.unit for deed in named]
    for unit in units:
        if units.count(unit) > 1:
            raise RuleError("a unit does one thing in an activation", rule="D-R16.4", where=unit)
    attacks = tuple([deed.attack for deed in named if deed.attack is not None])
    if attacks:
        fire.check_declared(step, team, attacks)
    step.emit("battle.declared", rule="D-R16.1", why={"team": team, "deeds": tuple(deeds)})
    spend(step, team, "acted", "D-R11.2", "a Battlefield Action")
    _carry_out(step, team, named, attacks)
    go_on(step)


def _carry_out(step: DisrupterStep, team: str, named: Sequence[_Deed], attacks: tuple[Attack, ...]) -> None:
    fired = False
    for deed in named:
        if result(step.state) is not None:
            return
        if deed.attack is not None:
            if not fired:
                fire.fire(step, team, attacks)
            fired = True
        elif deed.run is not None and alive(step.state[deed.unit]):
            deed.run()


_Declare: TypeAlias = Callable[[DisrupterStep, str, tuple[Any, ...]], _Deed]


def _declare(step: DisrupterStep, team: str, deed: Any) -> _Deed:
    """Return a deed, checked as far as can be told before the dice."""
    if not isinstance(deed, tuple) or len(deed) < 2 or not isinstance(deed[0], str) or deed[1] not in _DEEDS:
        expected = f"[unit, word, ...] with one of {', '.join(_DEEDS)}"
        raise RuleError("this is no deed", rule="D-R16.1", where=team, found=deed, expected=expected)
    unit, kind, *rest = deed
    found = step.state.get(unit)
    if found is None or found.parent != team:
        raise RuleError("this unit is not of the team", rule="D-R16.1", where=team, found=unit)
    if not alive(found):
        rule = "D-R16.1" if kind in ("fire", "spot", "nothing") else "D-R9.10"
        raise RuleError("this unit is out", rule=rule, where=unit, found=found.statuses["out"].value)
    if kind != "nothing" and found.attributes.get("relieved") == turn(step.state):
        raise RuleError("this CO relieves Stress in this turn", rule="D-R11.10", where=unit, found=kind)
    least, most, declare = _DEEDS[kind]
    if len(rest) < least:
        raise RuleError("this deed is not complete", rule="D-R16.1", where=unit, found=deed, expected=f"{least} more")
    if len(rest) > most:
        expected = f"{most} after {kind}" if most else f"nothing after {kind}"
        raise RuleError("this deed says too much", rule="D-R16.1", where=unit, found=deed, expected=expected)
    return declare(step, unit, tuple(rest))


def _fire(step: DisrupterStep, unit: str, rest: tuple[Any, ...]) -> _Deed:
    obey(step, unit, "fire")
    weapon, target = rest[:2]
    if not isinstance(weapon, str) or not isinstance(target, str):
        raise RuleError("a shot names weapon and target", rule="D-R16.1", where=unit, found=rest)
    return _Deed(unit, "fire", Attack(unit, weapon, target), None)


def _spot(step: DisrupterStep, unit: str, rest: tuple[Any, ...]) -> _Deed:
    obey(step, unit, "spot")
    target = rest[0] if isinstance(rest[0], str) else ""
    spotting.check_spot(step, unit, target)
    return _Deed(unit, "spot", None, lambda: spotting.spot(step, unit, target))


def _rally(step: DisrupterStep, unit: str, _rest: tuple[Any, ...]) -> _Deed:
    check_rally(step.state, unit)
    return _Deed(unit, "rally", None, lambda: rally(step, unit))


def _order(step: DisrupterStep, unit: str, rest: tuple[Any, ...]) -> _Deed:
    to, row = rest[:2]
    if not isinstance(row, Mapping):
        raise RuleError("an order is a mapping", rule="D-R9.11", where=unit, found=row, expected='{"text": "..."}')
    order = check_order(step, unit, to, row)
    at_once = step.state[to].role != "platoon" and squad_of(step.state, unit).uid == squad_of(step.state, to).uid
    since = turn(step.state) + (0 if at_once else 1)
    return _Deed(unit, "order", None, lambda: set_order(step, order, since=since, rule="D-R16.11"))


def _code_word(step: DisrupterStep, unit: str, rest: tuple[Any, ...]) -> _Deed:
    word, squads, *place = rest
    if not isinstance(word, str) or not isinstance(squads, tuple):
        raise RuleError(
            "a Code Word goes to squads", rule="D-R16.12", where=unit, found=rest, expected="word, [squads]"
        )
    named, where = cast("tuple[str, ...]", squads), place[0] if place else None
    check_code_word(step, unit, word, named, where)
    return _Deed(unit, "code_word", None, lambda: code_word(step, unit, word, named, where))


def _nothing(_step: DisrupterStep, unit: str, _rest: tuple[Any, ...]) -> _Deed:
    return _Deed(unit, "nothing", None, None)


_DEEDS: Mapping[str, tuple[int, int, _Declare]] = {
    "fire": (2, 2, _fire),
    "spot": (1, 1, _spot),
    "rally": (0, 0, _rally),
    "order": (2, 2, _order),
    "code_word": (2, 3, _code_word),
    "nothing": (0, 0, _nothing),
}
"""The deeds: how many words follow at least and at most, and what checks them."""
