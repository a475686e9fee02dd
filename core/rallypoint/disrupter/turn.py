"""The turn: Initiative Phase, Groups, the portions of the Action Phase, the end (Rule 11).

The attribute ``phase`` of the battle says what comes next: ``briefing``, ``start``, ``initiative``, ``groups``, ``action``, ``end``.
In the Action Phase ``portions`` lists (group, side, ``move`` or ``battle``) in the order of D-R11.9, and ``at`` is the one
that is under way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from rallypoint.kernel.changes import Change, DropLink, DropStatus, SetAttribute
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.state import Entity, State

from .activity import Action, fleeing, may_spend, spend, spent
from .command import ncos
from .field import BATTLE, commander, living, platoon, platoons, side_of, sides, squad_of, team_of, teams, turn
from .hooks import DisrupterStep
from .modes import result, settle, surrendered
from .plugin_faults import wrong_answer
from .remembered import remembered
from .rulings import chosen
from .spotting import forget
from .stress import change_stress, level, stress
from .succession import appoint, succeed

__all__ = [
    "Portion",
    "action_of",
    "begin_turn",
    "done",
    "due_to_flee",
    "eligible",
    "end_turn",
    "go_on",
    "group_of",
    "may_relieve_stress",
    "open_action_phase",
    "own_team",
    "portion",
    "relieve_stress",
    "sections",
]

GROUPS = ("co", "1", "2")
"""The groups of the action order (D-R11.9)."""


class Portion(NamedTuple):
    """One portion of the Action Phase: whose teams of which group now move, or now take their Battlefield Actions."""

    group: str
    side: str
    phase: Literal["move", "battle"]


def action_of(now: Portion) -> Action:
    """Return the action that teams spend in a portion."""
    return "moved" if now.phase == "move" else "acted"


def portion(state: State) -> Portion | None:
    """Return the portion that is under way, ``None`` outside the Action Phase."""
    attributes: Any = state[BATTLE].attributes
    return Portion(*attributes["portions"][attributes["at"]]) if attributes.get("phase") == "action" else None


def sections(state: State, squad: str) -> tuple[tuple[Entity | None, tuple[Entity, ...]], ...]:
    """Return who leads which teams of a squad: one NCO all of them, or of several each a Section (D-R9.2, D-SF-3).

    A Section begins with the team of its NCO and goes on to the next one's; teams before the first belong to his. The NCO
    is ``None`` where the squad has none who lives.
    """
    leaders = {team_of(state, unit.uid).uid: unit for unit in reversed(ncos(state, squad))}
    parts: list[tuple[Entity | None, list[Entity]]] = [(None, [])]
    for team in state.children(squad):
        leader = leaders.get(team.uid)
        if leader is not None and parts[-1][0] is not None:
            parts.append((leader, []))
        elif leader is not None:
            parts[-1] = (leader, parts[-1][1])
        parts[-1][1].append(team)
    return tuple([(leader, tuple(rows)) for leader, rows in parts])


def group_of(state: State, team: str) -> str:
    """Return the group in which a team acts: ``co``, ``1`` or ``2`` (D-R11.8, D-R11.9, D-AMB-14).

    The command squad and the acting CO's own team act with the CO; where plugins have done away with that portion
    (D-SL-R11.3), with Group 1.
    """
    squad = squad_of(state, team)
    head = commander(state, platoon(state, team).uid)
    with_co = head is not None and team_of(state, head.uid).uid == team
    if with_co or _holds_co(state, squad.uid):
        rows: Any = state[BATTLE].attributes.get("portions", ())
        return "co" if not rows or any(row[0] == "co" for row in rows) else "1"
    own = state[team].attributes.get("group", squad.attributes.get("group", 2))
    return str(own)


@remembered
def _holds_co(state: State, squad: str) -> bool:
    return any(unit.facts.get("class") == "CO" for unit in state.below(squad, "unit"))


def eligible(state: State, now: Portion) -> Iterator[Entity]:
    """Yield the teams that still have something to do in a portion, in the order of the roster."""
    action = action_of(now)
    for team in teams(state, now.side):
        if may_spend(state, team.uid, action) and group_of(state, team.uid) == now.group:
            yield team


def due_to_flee(state: State) -> str | None:
    """Return the next team whose portion it is to flee: it moves by itself, before the others (D-PT-T4, D-PT-T5)."""
    now = portion(state)
    if now is None:
        return None
    return next((team.uid for team in eligible(state, now) if fleeing(state, team.uid)), None)


# The rules that run by themselves


def begin_turn(step: DisrupterStep) -> None:
    """Begin a turn: each platoon gains 1 Stress (D-R8.3, D-R11.1, D-R11.3)."""
    changes = SetAttribute(BATTLE, "turn", turn(step.state) + 1), SetAttribute(BATTLE, "phase", "initiative")
    step.emit("turn.begins", *changes, rule="D-R11.1", why={"turn": turn(step.state) + 1})
    for side in sides(step.state):
        for own in [each.uid for each in platoons(step.state, side)]:
            if not surrendered(step.state, own):
                amount = step.hooks.turn_start(step, step.state[own], 1)
                change_stress(step, own, amount, "a new turn", "D-R8.3")
                succeed(step, own, new_turn=True)
        appoint(step, side, new_turn=True)


def open_action_phase(step: DisrupterStep, first: str) -> None:
    """Lay out the portions of the turn and open the first with something to do (D-R11.9); ``first`` won the initiative."""
    order = (first, *[side for side in sides(step.state) if side != first])
    groups = step.hooks.turn_order(step, GROUPS)
    if not groups or len(set(groups)) < len(groups) or not set(groups) <= set(GROUPS):
        raise wrong_answer(step, "turn_order", groups, f"some of {', '.join(GROUPS)}, each once")
    rows = tuple([(group, side, phase) for group in groups for side in order for phase in ("move", "battle")])
    changes = (
        SetAttribute(BATTLE, "portions", rows),
        SetAttribute(BATTLE, "phase", "action"),
        SetAttribute(BATTLE, "at", 0),
    )
    step.emit("turn.order", *changes, rule="D-R11.9", why={"first": first, "groups": groups})
    _open(step, 0)


def end_turn(step: DisrupterStep) -> None:
    """End a turn: whatever holds until its end is over (D-AMB-23, D-AMB-24, D-AMB-39, D-PT-T3)."""
    now = turn(step.state)
    forget(step)
    changes: list[Change] = []
    for entity in step.state:
        for name, status in entity.statuses.items():
            if status.until is not None and status.until <= now:
                changes.append(DropStatus(entity.uid, name))
    links = step.state.links.values()
    changes += [DropLink(*link.key) for link in links if link.until is not None and link.until <= now]
    step.emit("turn.ends", *changes, SetAttribute(BATTLE, "phase", "start"), rule="D-R11.1", why={"turn": now})


# The acts of a seat


def own_team(step: DisrupterStep, team: str, action: Action) -> None:
    """Refuse an act of a team that is not this seat's, not due now, or has spent the action.

    Raises:
        RuleError: it may not act now; ``rule`` says why.
    """
    state, now = step.state, portion(step.state)
    if now is None:
        raise RuleError("this is not the Action Phase", rule="D-R11.1", where=team)
    stand = state.get(team)
    if stand is None or stand.role != "team":
        raise RuleError("there is no such team", rule="D-R16.1", where=step.seat, found=team)
    if side_of(state, team) != now.side or step.seat != now.side:
        raise RuleError("this team is the other side's", rule="D-R11.9", where=step.seat, found=team)
    if not living(state, team) or stand.place is None:
        raise RuleError("this team is out of the fight", rule="D-R6.4", where=team)
    if action != action_of(now):
        what = "now is the time to move" if now.phase == "move" else "the time to move is over"
        raise RuleError(what, rule="D-R11.9", where=team, expected=f"{now.phase} of group {now.group}")
    group = group_of(state, team)
    if group != now.group:
        raise RuleError("this team's group is not due", rule="D-R11.9", where=team, found=group, expected=now.group)
    if spent(state, team, action):
        name = "Movement Action" if action == "moved" else "Battlefield Action"
        raise RuleError(f"this team has spent its {name}", rule="D-R11.2", where=team)
    if not may_spend(state, team, action):
        rule = "D-PT-T4" if fleeing(state, team) else "D-PT-T3"
        raise RuleError("this team cannot act in this turn", rule=rule, where=team, found=", ".join(stand.statuses))


def done(step: DisrupterStep) -> None:
    """End the seat's portion: none of its teams is forced to do anything (D-R14.1)."""
    now = portion(step.state)
    if now is None or step.seat != now.side:
        raise RuleError("this is not this seat's portion", rule="D-R11.9", where=step.seat)
    at = step.state[BATTLE].attributes["at"]
    assert isinstance(at, int)
    _open(step, at + 1)


def may_relieve_stress(state: State, own: str) -> bool:
    """Say whether a platoon's CO can take 1 off its Stress now, instead of moving and acting (D-R11.10).

    Args:
        state: the state.
        own: the platoon, or a side that has just one.
    """
    now, head = portion(state), commander(state, own)
    if now is None or now.side != side_of(state, own) or head is None or level(platoon(state, own)) == 0:
        return False
    team = team_of(state, head.uid).uid
    return now.group == group_of(state, team) and not spent(state, team, "moved") and may_spend(state, team, "acted")


def relieve_stress(step: DisrupterStep, of: str | None = None) -> None:
    """Let the CO take 1 off his platoon's Stress instead of moving and acting (D-R11.10, D-AMB-19).

    His stand does not move; its other units may still take Battlefield Actions, unless ruling D-AMB-19 says ``idle``.

    Args:
        step: the step.
        of: the platoon whose CO does it; not needed where the side has just one.
    """
    side = step.seat or ""
    own = _own_platoon(step, side) if of is None else of
    now, found = portion(step.state), step.state.get(own)
    is_own = found is not None and found.role == "platoon" and side_of(step.state, own) == side
    if now is None or now.side != side or not is_own or not may_relieve_stress(step.state, own):
        raise RuleError(
            "this CO cannot relieve Stress now",
            rule="D-R11.10",
            where=side,
            expected="Stress above 0, his own portion, and a CO who has neither moved nor acted",
        )
    head = commander(step.state, own)
    assert head is not None
    team = team_of(step.state, head.uid).uid
    why = {"co": head.uid, "stress": stress(step, own)}
    step.emit("co.relieves_stress", SetAttribute(head.uid, "relieved", turn(step.state)), rule="D-R11.10", why=why)
    change_stress(step, own, -1, "the CO relieves it", "D-R11.10")
    spend(step, team, "moved", "D-R11.10", "relieving Stress")
    if chosen(step.options, "D-AMB-19") == "idle":
        spend(step, team, "acted", "D-R11.10", "relieving Stress")
    go_on(step)


def _own_platoon(step: DisrupterStep, side: str) -> str:
    """Return the platoon of a side that has just one; a company has to say whose CO it means (D-SF-4)."""
    own = [each.uid for each in platoons(step.state, side)] if side in sides(step.state) else [side]
    if len(own) > 1:
        raise RuleError("this side has several COs", rule="D-SF-4", where=side, expected=f"one of {', '.join(own)}")
    return own[0]


def go_on(step: DisrupterStep) -> None:
    """After an act: end the battle if it is decided, else go to the next portion when nothing is left to do in this one."""
    if settle(step):
        return
    now = portion(step.state)
    if now is not None and next(eligible(step.state, now), None) is None:
        at = step.state[BATTLE].attributes["at"]
        assert isinstance(at, int)
        _open(step, at + 1)


def _open(step: DisrupterStep, at: int) -> None:
    """Open the first portion from number ``at`` on in which a team has something to do, or come to the end of the turn."""
    rows: Any = step.state[BATTLE].attributes["portions"]
    for number in range(at, len(rows)):
        now = Portion(*rows[number])
        if next(eligible(step.state, now), None) is not None:
            step.emit("portion.opens", SetAttribute(BATTLE, "at", number), rule="D-R11.9", why=now._asdict())
            return
    if result(step.state) is None:
        step.emit("portion.last", SetAttribute(BATTLE, "phase", "end"), rule="D-R11.9")
