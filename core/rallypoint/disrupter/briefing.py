"""The briefing: what is checked before a battle, first Orders, Code Words (Rules 1, 2, 6, 9, 10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rallypoint.kernel.canonical import EMPTY, Value
from rallypoint.kernel.changes import SetAttribute
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.state import Entity, State

from .code_words import define_code_word
from .command import check_order, check_platoon, named_order, ncos, set_order
from .field import BATTLE, board, commander, officers, platoon, platoons, rally_points, side_of, sides
from .hooks import DisrupterStep
from .orders import standing
from .records import Order, Problem
from .rulings import chosen
from .succession import appoint, succeed
from .validation import TEAMS, TEAMS_RULE

__all__ = ["STANDING_ORDER", "agree", "begin", "brief", "problems", "ready", "ready_sides"]

MOST = 80
"""No stat may be higher, in percent (D-R6.1)."""

BOARDS: Mapping[str, tuple[int, ...]] = {
    "squad": (6, 9, 12),
    "platoon": (12, 18),
    "section": (18, 24),
    "company": (24, 30, 36),
}
"""Sides of the square board in hexes of 2 inches (D-R2.1, D-SF-2 to D-SF-4)."""

PLATOONS = (2, 3)
"""How many platoons a company has (D-SF-4)."""

SHARE = (40, 60)
"""Percent of the board that should be terrain: about half (D-R2.1)."""

STANDING_ORDER: Mapping[str, Value] = {"text": "Engage the enemy.", "verb": "engage"}
"""What a squad is told that got no first Order of its own (D-R10.5)."""


def problems(state: State, options: Mapping[str, Value] = EMPTY) -> Iterator[Problem]:
    """Yield what is wrong with a battle that is about to start; only an ``error`` keeps it from starting."""
    yield from _of_board(state)
    for side in sides(state):
        yield from _of_company(state, side)
        for own in platoons(state, side):
            yield from _of_command(state, own.uid)
        yield from _of_squads(state, side, options)
        if not rally_points(state, side):
            yield Problem("warning", "this side has set no Rally Point", "D-R10.2", side)
        for unit in state.below(side, "unit"):
            for name in ("instinct", "armor"):
                stat = unit.facts.get(name)
                if isinstance(stat, int) and stat > MOST:
                    yield Problem("error", f"{name} {stat} is above {MOST}", "D-R6.1", unit.uid)


def _of_board(state: State) -> Iterator[Problem]:
    land, size = board(state), state[BATTLE].facts["size"]
    known = BOARDS[str(size)]
    if land.columns != land.rows or land.columns not in known:
        expected = ", ".join(map(str, known))
        what = f"a board of {land.columns} by {land.rows} hexes; at {size} scale it is a square of {expected}"
        yield Problem("warning", what, "D-R2.1", BATTLE)
    covered, hexes = len(land.terrain), land.columns * land.rows
    if not SHARE[0] <= 100 * covered // hexes <= SHARE[1]:
        what = f"{covered / hexes:.0%} of the board is terrain; about half should be"
        yield Problem("warning", what, "D-R2.1", BATTLE)


def _of_company(state: State, side: str) -> Iterator[Problem]:
    """Yield what is unusual about the number of a side's platoons (D-SF-4)."""
    count, size = len(platoons(state, side)), state[BATTLE].facts["size"]
    if size == "company" and count not in PLATOONS:
        yield Problem("warning", f"a company has two or three platoons, this one has {count}", "D-SF-4", side)
    if size != "company" and count > 1:
        yield Problem("error", f"{count} platoons on a side; at {size} scale it has one", "D-SF-4", side)


def _of_command(state: State, own: str) -> Iterator[Problem]:
    """Yield what is wrong with the chain of command in a platoon (D-R9.1, D-R9.2, D-R9.5)."""
    heads = [unit for unit in state.below(own, "unit") if unit.facts.get("class") == "CO"]
    if len(heads) != 1 and not (not heads and commander(state, own) is not None):  # in a campaign an NCO may lead
        names = ", ".join(unit.uid for unit in heads) or "none"
        yield Problem("error", f"a platoon has exactly one CO, this one has {names}", "D-R9.1", own)
    for squad in state.below(own, "squad"):
        here = list(state.below(squad.uid, "unit"))
        if not any(unit.facts.get("class") in ("CO", "NCO") for unit in here):
            yield Problem("warning", "this squad has no NCO", "D-R9.2", squad.uid)
    for officer in officers(state, own):
        team = state.above(officer.uid, "team")
        if len(state.children(team.uid)) == 1 and "vehicle" not in team.facts:
            yield Problem("warning", "an Officer belongs to a team or rides in a vehicle", "D-R9.5", officer.uid)


def _of_squads(state: State, side: str, options: Mapping[str, Value]) -> Iterator[Problem]:
    """Yield the squads with too few or too many teams; by ruling D-AMB-12 ``strict`` that keeps the battle from starting."""
    size = str(state[BATTLE].facts["size"])
    low, high = TEAMS[size]
    for squad in state.below(side, "squad"):
        teams = sum(child.role == "team" for child in state.children(squad.uid))
        if low <= teams <= high or (teams == 1 and squad.facts.get("number") == 0):
            continue
        strict = chosen(options, "D-AMB-12") == "strict"
        what = f"a squad of {teams} team{'' if teams == 1 else 's'}; at {size} scale {low} to {high}"
        yield Problem("error" if strict else "warning", what, TEAMS_RULE.get(size, "D-AMB-12"), squad.uid)


def begin(step: DisrupterStep) -> None:
    """Check everything that was agreed (D-R10.1) and open the briefing.

    Raises:
        RuleError: a problem is an error; the battle does not start.
    """
    found = list(problems(step.state, step.options))
    for side in sides(step.state):
        for own in platoons(step.state, side):
            found += step.hooks.force_validate(step, own)
    for problem in found:
        if problem.severity == "error":
            raise RuleError(problem.what, rule=problem.rule, where=problem.where)
    step.emit("briefing.opens", SetAttribute(BATTLE, "ready", ()), rule="D-R10.1", why={"problems": tuple(found)})
    for side in sides(step.state):
        for own in platoons(step.state, side):
            if commander(step.state, own.uid) is None:  # he came out of an earlier battle unfit for this one
                step.call(succeed, own.uid)
        appoint(step, side)


def ready_sides(state: State) -> tuple[str, ...]:
    """Return the sides that have finished their briefing."""
    found = state[BATTLE].attributes.get("ready", ())
    assert isinstance(found, tuple)
    return tuple([str(side) for side in found])


def brief(step: DisrupterStep, squad: str, order: Mapping[str, Value], by: str | None = None) -> None:
    """Give a squad (or its NCO) its first Order; it is in force from the first turn (D-R10.5).

    Args:
        step: the step.
        squad: a squad of the seat's side, or a platoon of it that the company commander does not lead himself (D-SF-4).
        order: see :func:`~rallypoint.disrupter.command.named_order`.
        by: the Officer who gives it, as in a turn (D-R9.10); the CO where nobody is named.

    Raises:
        RuleError: the briefing is over, it is no squad of this side, he may not order it, or it is no order.
    """
    holder = _own(step, squad, "squad", "platoon")
    if by is not None:
        set_order(step, check_order(step, by, squad, order), since=0, rule="D-R10.5")
        return
    if holder.role == "platoon":
        check_platoon(step.state, _speaker(step.state, holder), squad)
    made = named_order(step.state, _speaker(step.state, holder), squad, order)
    if not step.hooks.order_issue(step, made):
        raise RuleError("a plugin refuses this order", rule="D-R10.5", where=squad)
    set_order(step, made, since=0, rule="D-R10.5")


def agree(step: DisrupterStep, squad: str, word: str, order: Mapping[str, Value]) -> None:
    """Agree with a squad's NCO on a Code Word of its own (D-R10.3)."""
    define_code_word(step, _own(step, squad, "squad").uid, word, order)


def ready(step: DisrupterStep) -> None:
    """Finish a side's briefing; squads without an Order get the :data:`STANDING_ORDER`. When both are ready, turn 1 begins.

    Where plugins do without Orders (``orders_used``), no squad gets one.
    """
    side = step.seat or ""
    if side not in sides(step.state) or side in ready_sides(step.state):
        raise RuleError("this seat has no briefing to finish", rule="D-R10.5", where=side)
    for squad in list(step.state.below(side, "squad")) if step.hooks.orders_used(step) else ():
        if not standing(step.state[squad.uid]) and not standing(platoon(step.state, squad.uid)):
            _stand(step, squad)
    done = (*ready_sides(step.state), side)
    changes = [SetAttribute(BATTLE, "ready", done)]
    if len(done) == len(sides(step.state)):
        changes.append(SetAttribute(BATTLE, "phase", "start"))
    step.emit("briefing.ready", *changes, rule="D-R10.5", why={"side": side})


def _stand(step: DisrupterStep, squad: Entity) -> None:
    by = _speaker(step.state, squad)
    text, verb = STANDING_ORDER["text"], STANDING_ORDER["verb"]
    set_order(step, Order(by, squad.uid, str(text), str(verb)), since=0, rule="D-R10.5")


def _speaker(state: State, squad: Entity) -> str:
    """Return the officer whose first Order a squad hears: the CO, without one its NCO or any other Officer.

    A platoon hears the company commander.
    """
    own = side_of(state, squad.uid) if squad.role == "platoon" else platoon(state, squad.uid).uid
    head = commander(state, own)
    return head.uid if head is not None else (*ncos(state, squad.uid), *officers(state, own))[0].uid


def _own(step: DisrupterStep, squad: str, *roles: str) -> Entity:
    """Return a squad, or what else of the seat's side may have an order in the briefing, that is still going on."""
    state = step.state
    found = state.get(squad)
    if state[BATTLE].attributes.get("phase") != "briefing":
        raise RuleError(
            "the briefing is over", rule="D-R10.5", where=squad, hint="an Officer can give orders in his turn"
        )
    if found is None or found.role not in roles or side_of(state, squad) != step.seat:
        raise RuleError("this is no squad of this side", rule="D-R10.5", where=step.seat, found=squad)
    return found
