"""Rule 8, second half: Panic Checks and what the tables of panic do (D-R8.2, D-R8.7, D-PT).

What teams that flee do in the turns after stands in :mod:`rallypoint.disrupter.flight`.
"""

from __future__ import annotations

from functools import lru_cache

from rallypoint.kernel.changes import Change, DropStatus, SetStatus
from rallypoint.kernel.dice import D20, ByFace, Throw
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.parts import Status
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.tape import Choice, Option

from .checks import officer_near
from .field import BATTLE, is_bot, living, officers, place, platoon, side_of, teams, turn
from .hooks import DisrupterStep
from .roll_tables import aliases, result_of
from .rulings import chosen
from .stress import change_stress, stress

__all__ = ["RESULTS", "can_panic", "panic_cut", "platoon_panic", "result_named", "result_of", "suppress", "team_panic"]

RESULTS = (
    "suppressed",
    "retreated",
    "routed",
    "frozen",
    "more_stress",
    "unled_suppressed",
    "all_suppressed",
    "nothing",
)
"""What a result can be, besides ``status_effect``, which asks the table's owner for one of them."""


def result_named(word: str) -> str:
    """Return the machine name of a result, also from the source's misspelling (D-PT-T2).

    >>> result_named("Surpressed")
    'suppressed'

    Raises:
        InputError: there is no such result.
    """
    name = word.strip().lower().replace(" ", "_")
    name = aliases().get(name, name)
    if name not in (*RESULTS, "status_effect"):
        raise InputError("there is no such result of panic", found=word, expected=", ".join(RESULTS))
    return str(name)


@lru_cache(maxsize=64)
def panic_cut(level: int) -> ByFace:
    """Return the cut of a Panic Check: a d20 above the Stress passes (D-R8.2).

    >>> dict(panic_cut(5).ways(D20, 1))
    {'pass': 15, 'panic': 5}
    """
    return ByFace.of(["pass" if face > level else "panic" for face in range(1, 21)], ("pass", "panic"))


def can_panic(state: State, team: str) -> bool:
    """Say whether a team makes Panic Checks: it has a living human (D-R8.8, D-AMB-11)."""
    return any(not is_bot(unit) for unit in living(state, team))


def team_panic(step: DisrupterStep, team: str) -> None:
    """Let a team make a Panic Check, and do to it what the Team table says (D-R8.7, D-PT-T1)."""
    if can_panic(step.state, team):
        _check(step, step.state[team], "team")


def platoon_panic(step: DisrupterStep, uid: str) -> None:
    """Let the platoon of a unit make a Panic Check, and do to it what the Platoon table says (D-R8.6)."""
    _check(step, platoon(step.state, uid), "platoon")


def _check(step: DisrupterStep, subject: Entity, kind: str) -> None:
    state = step.state
    keeps = step.hooks.panic_check(step, subject)
    level = stress(step, subject.uid)
    if keeps is not None:
        step.emit("panic.check", rule="D-R8.2", why={"subject": subject.uid, "stress": level, "passed": keeps})
    if keeps or (keeps is None and level == 0):  # at Stress 0 no d20 can fail
        return
    plus = kind == "team" and chosen(step.options, "D-AMB-44") == "yes" and _officer_at(state, subject.uid)
    throw = Throw(subject.uid, "panic", D20, 2 if plus else 1)
    if keeps is None:
        graded = step.grade(throw, panic_cut(level), {"stress": level})
        why = {"subject": subject.uid, "check": graded, "stress": level}
        step.emit("panic.check", rule="D-R8.2", why=why)
        if graded.grade == "pass":
            return
        face = min(graded.faces)  # of two that fail the lower row is the better one for the platoon
    else:  # a plugin says that it panics: the dice say how
        face = min(step.roll(throw, why={"words": "it panics, and the die says how"}))
    result = step.hooks.panic_effect(step, subject, face)
    named = result_of(kind, face) if result is None else result_named(result)
    if named == "status_effect":
        named = _status_effect(step, subject, kind, face)
    _EFFECTS[named](step, subject)


def _officer_at(state: State, team: str) -> bool:
    return any(officer_near(state, unit, own=True) is not None for unit in living(state, team)[:1])


def _status_effect(step: DisrupterStep, subject: Entity, kind: str, face: int) -> str:
    """Return what a row that is not written yet does: the table's owner says, else our own pack, else nothing (D-PT-S)."""
    why: dict[str, object] = {"table": kind, "d20": face, "subject": subject.uid}
    named = "nothing"
    if step.state[BATTLE].facts.get("referee"):
        options = tuple([Option(name, name.replace("_", " ")) for name in RESULTS[::-1]])
        named = step.choose(Choice("referee", "panic.status_effect", options, subject.uid)).key
        why["decided"] = named
    elif chosen(step.options, "D-PT-S") == "unofficial":
        named = result_of(kind, face, "unofficial")
        why["unofficial"] = named
    step.emit("panic.status_effect", rule="D-PT-S", why=why)
    return named


# What the results do


def _teams(state: State, subject: Entity) -> tuple[str, ...]:
    """Return the team, or those of the platoon that can panic."""
    if subject.role == "team":
        return (subject.uid,)
    own = [
        team.uid for team in teams(state, side_of(state, subject.uid)) if platoon(state, team.uid).uid == subject.uid
    ]
    return tuple([team for team in own if can_panic(state, team)])


def suppress(step: DisrupterStep, team: str, turns: int = 1) -> None:
    """Suppress a team for the whole next turn (D-PT-T3), or by its ruling from now on; more of it adds nothing."""
    now, old = turn(step.state), step.state[team].statuses.get("suppressed")
    since, until = now + (chosen(step.options, "D-PT-T3") == "next_turn"), now + turns
    if old is not None and old.until is not None and old.until >= now:
        since, until = min(since, old.since or 0), max(until, old.until)
    status = Status("suppressed", since=since, until=until)
    step.emit("panic.suppressed", SetStatus(team, status), rule="D-PT-T3", why={"team": team, "until": until})


def _suppressed(step: DisrupterStep, subject: Entity) -> None:
    for team in _teams(step.state, subject):
        suppress(step, team)


def _frozen(step: DisrupterStep, subject: Entity) -> None:
    for team in _teams(step.state, subject):
        suppress(step, team, 2)


def _retreated(step: DisrupterStep, subject: Entity) -> None:
    for team in _teams(step.state, subject):
        _retreat(step, team)


def _retreat(step: DisrupterStep, team: str) -> None:
    """Let a team fall back, unless it runs already or an Officer is there to stop it (D-PT-T4)."""
    state = step.state
    if "routed" in state[team].statuses:
        return
    if _officer_at(state, team):
        step.emit("panic.halted", rule="D-PT-T4", why={"team": team})
        return
    status = Status("retreating", since=turn(state))
    step.emit("panic.retreated", SetStatus(team, status), rule="D-PT-T4", why={"team": team})


def _routed(step: DisrupterStep, subject: Entity) -> None:
    """Make teams run, with one more Stress at once (D-PT-T5)."""
    change_stress(step, subject.uid, 1, "rout", "D-PT-T5")
    for team in _teams(step.state, subject):
        changes: list[Change] = [SetStatus(team, Status("routed", since=turn(step.state)))]
        if "retreating" in step.state[team].statuses:
            changes.append(DropStatus(team, "retreating"))
        step.emit("panic.routed", *changes, rule="D-PT-T5", why={"team": team})


def _more_stress(step: DisrupterStep, subject: Entity) -> None:
    change_stress(step, subject.uid, 1, "panic", "D-PT-S")


def _unled_suppressed(step: DisrupterStep, subject: Entity) -> None:
    state, side = step.state, side_of(step.state, subject.uid)
    led = {place(state, officer.uid) for officer in officers(state, side)}
    for team in _teams(state, subject):
        if place(state, team) not in led:
            suppress(step, team)


def _nothing(step: DisrupterStep, subject: Entity) -> None:
    """Do nothing: the owner of the table, or nobody, had no effect in mind."""


_EFFECTS = {
    "suppressed": _suppressed,
    "retreated": _retreated,
    "routed": _routed,
    "frozen": _frozen,
    "more_stress": _more_stress,
    "unled_suppressed": _unled_suppressed,
    "all_suppressed": _suppressed,
    "nothing": _nothing,
}
