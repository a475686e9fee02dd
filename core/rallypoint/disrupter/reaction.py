"""Rule 15: Reaction Fire. After each hex that a team enters, every enemy team that sees it may or must fire.

A team reacts once in a Movement portion; its attribute ``reacted`` holds turn and number of the portion in which it last did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import SetAttribute
from rallypoint.kernel.game import Rule
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.tape import Choice, Option

from . import fire, spotting
from .activity import holds
from .command import may
from .cover import under_cover
from .field import BATTLE, enemy, living, side_of, team_of, teams, turn
from .hooks import DisrupterStep
from .modes import surrendered
from .orders import Permission, permits
from .probe import passes
from .reaction_shots import chosen_shots, every_shot, is_a_choice
from .records import Attack, Reaction
from .rulings import chosen
from .sight import sees

__all__ = [
    "WINDOW",
    "after_hex",
    "has_reacted",
    "react_choose",
    "react_fire",
    "react_spot",
    "reactions",
    "reactors",
    "shots",
    "threatens",
]

WINDOW = "move"
"""The name of the window that opens after each hex."""

Permits: TypeAlias = Callable[[str, str], Permission]
"""Says whether orders let a team or unit do an act."""


def after_hex(step: DisrupterStep, mover: str) -> None:
    """Let the enemy react to a team that has entered a hex (D-R15.1 to D-R15.4).

    Teams react in the order of the roster, one after the other; after each it is seen anew who still can. Nobody is asked
    twice after one hex, and nobody at all when there is only one thing to do. Ends when the mover is gone or a side has
    surrendered.
    """
    asked: set[str] = set()
    while living(step.state, mover) and not any(surrendered(step.state, each.uid) for each in _sides(step.state)):
        found = reactors(step.state, step.options, mover, lambda uid, act: may(step, uid, act))
        found = step.hooks.react_trigger(step, step.state[mover], found)
        due = next((each for each in found if each.team not in asked and _can(step.state, each.team)), None)
        if due is None:
            return
        asked.add(due.team)
        if due.may_spot or not _all_refused(step, due.team, mover):
            _react(step, due, mover)


def _sides(state: State) -> Iterator[Entity]:
    return (entity for entity in state.children(None) if entity.role == "side")


def _can(state: State, team: str) -> bool:
    """Say whether a team that a plugin may have named can react at all."""
    return bool(living(state, team)) and not has_reacted(state, team)


def _all_refused(step: DisrupterStep, team: str, mover: str) -> bool:
    """Say whether plugins refuse every shot that a team has by the rules: then it has no reaction to choose."""
    found = shots(step.state, step.options, team, mover, lambda uid, act: may(step, uid, act))
    return bool(found) and not _not_refused(step, found)


def _not_refused(step: DisrupterStep, attacks: tuple[Attack, ...]) -> tuple[Attack, ...]:
    """Return the attacks that no plugin refuses: what it refuses is not fired, and ends nobody's movement."""

    def declares(attack: Attack) -> bool:
        return passes(lambda probe: probe.hooks.battle_declare(probe, attack), step)

    return tuple([attack for attack in attacks if declares(attack)])


def _react(step: DisrupterStep, due: Reaction, mover: str) -> None:
    ask = _choice(step.state, step.options, due, mover, lambda uid, act: may(step, uid, act))
    option = ask.options[0] if len(ask.options) == 1 else step.choose(ask)
    value = option.value
    if isinstance(value, tuple):
        step.call(_REACTIONS[str(value[0])], *value[1:])


def reactions(state: State, options: Mapping[str, Value], window: str, subject: str) -> tuple[Choice, ...]:
    """Return who may react to a mover, in the order of the roster, and how (D-R15.2, D-R15.3).

    Args:
        state: the battle, after the mover has entered its hex.
        options: the rulings in force.
        window: :data:`WINDOW`; others have no reactions.
        subject: the mover.
    """
    if window != WINDOW or not living(state, subject):
        return ()

    def allowed(uid: str, act: str) -> Permission:
        return permits(state, options, uid, act)

    found = reactors(state, options, subject, allowed)
    return tuple([_choice(state, options, each, subject, allowed) for each in found])


def reactors(state: State, options: Mapping[str, Value], mover: str, allowed: Permits) -> tuple[Reaction, ...]:
    """Return the enemy teams that may or must react to a mover where it stands.

    One reacts that sees it (D-R15.1), has not fired in this portion, has a weapon in range, and whose orders say so
    (D-R15.2); without orders to, one that the mover threatens may, in self-defence (D-R9.12, D-R9.16). Under cover it may
    spot instead, and by ruling D-R15.3 hold.
    """
    found = []
    for foe in teams(state, enemy(state, side_of(state, mover))):
        if has_reacted(state, foe.uid) or not sees(state, options, foe.uid, mover):
            continue
        if not shots(state, options, foe.uid, mover, allowed):
            continue
        covered = under_cover(state, foe.uid)
        idle = covered and chosen(options, "D-R15.3") == "yes"
        must = allowed(foe.uid, "react") == "yes" and not idle
        found.append(Reaction(foe.uid, must_fire=must, may_spot=covered))
    return tuple(found)


def shots(state: State, options: Mapping[str, Value], team: str, target: str, allowed: Permits) -> tuple[Attack, ...]:
    """Return what a team fires at a mover (or one unit of it): the shots of those of its units that may.

    A unit may that its orders let fire, or that a mover threatens; so may the bots of a team that panics (D-AMB-11).
    """
    found = fire.best_attacks(state, options, team, target)
    if not found:
        return ()
    fires = _who_fires(state, options, team, target, allowed)
    return tuple([each for each in found if fires(each.shooter)])


def _who_fires(
    state: State, options: Mapping[str, Value], team: str, target: str, allowed: Permits
) -> Callable[[str], bool]:
    """Return which units of a team may fire at a mover (or one unit of it)."""
    threat = threatens(state, options, team_of(state, target).uid, team)
    panics = "routed" in state[team].statuses or holds(state, team, "suppressed")
    return lambda unit: _may_fire(unit, allowed, threat, panics)


def _may_fire(unit: str, allowed: Permits, threat: bool, panics: bool) -> bool:
    if allowed(unit, "react") != "no":
        return True
    # Of a team that panics only those bots are left among the shots that keep their self-defence.
    return threat and (panics or allowed(unit, "self_defence") != "no")


def threatens(state: State, options: Mapping[str, Value], mover: str, team: str) -> bool:
    """Say whether a mover could fire at a team from where it stands now: it sees it and has a weapon in range."""
    return sees(state, options, mover, team) and bool(fire.best_attacks(state, options, mover, team))


def has_reacted(state: State, team: str) -> bool:
    """Say whether a team has fired or spotted in this Movement portion (D-R15.2)."""
    return state[team].attributes.get("reacted") == _portion(state)


def _portion(state: State) -> tuple[Value, ...]:
    return turn(state), state[BATTLE].attributes.get("at", 0)


def _choice(state: State, rulings: Mapping[str, Value], due: Reaction, mover: str, allowed: Permits) -> Choice:
    """Return what a team can choose from: fire at the stand or at one of its units, shot by shot, and where it may, spot or hold."""
    options = [Option("fire", f"fire at {mover}", ("react_fire", due.team, mover))]
    units = living(state, mover)
    if len(units) > 1:
        each = [(unit.uid, ("react_fire", due.team, unit.uid)) for unit in units]
        options += [Option(f"fire {uid}", f"fire at {uid}", value) for uid, value in each]
    fires = _who_fires(state, rulings, due.team, mover, allowed)
    if is_a_choice(state, rulings, every_shot(state, rulings, due.team, mover, fires)):
        value = ("react_choose", due.team, mover, due.must_fire)
        options.append(Option("choose", "choose who fires what at whom", value))
    if due.may_spot:
        options.append(Option("spot", f"spot {mover}", ("react_spot", due.team, mover)))
    if not due.must_fire:
        options.append(Option("hold", "do nothing"))
    return Choice(side_of(state, due.team), "reaction", tuple(options), due.team)


# The reactions


def react_fire(step: DisrupterStep, team: str, target: str) -> None:
    """Fire at a mover, or at one unit of it, with every weapon that reaches, by the normal rules (D-R15.4)."""
    found = shots(step.state, step.options, team, target, lambda uid, act: may(step, uid, act))
    attacks = _in_sight(step, found)
    _has_fired(step, team, target)
    attacks = _not_refused(step, attacks)
    if attacks:
        fire.fire(step, team, attacks)


def react_choose(step: DisrupterStep, team: str, mover: str, must_fire: bool) -> None:
    """Fire at a mover shot by shot, as the owner of the team says for each of its units (D-R15.4); who all hold do not react."""
    fires = _who_fires(step.state, step.options, team, mover, lambda uid, act: may(step, uid, act))
    found = _in_sight(step, every_shot(step.state, step.options, team, mover, fires))
    attacks = chosen_shots(step, _not_refused(step, found), must_fire)
    if attacks:
        _has_fired(step, team, mover)
        fire.fire(step, team, attacks)


def _in_sight(step: DisrupterStep, attacks: tuple[Attack, ...]) -> tuple[Attack, ...]:
    """Return the attacks whose line of sight no plugin denies."""
    return tuple([each for each in attacks if step.hooks.los_test(step, each) is not False])


def _has_fired(step: DisrupterStep, team: str, target: str) -> None:
    reacted = SetAttribute(team, "reacted", _portion(step.state))
    step.emit("react.fire", reacted, rule="D-R15.2", why={"team": team, "target": target})


def react_spot(step: DisrupterStep, team: str, target: str) -> None:
    """Spot a mover instead of firing at it, and so stay under cover; its unit with the best Instinct tries (D-R15.3)."""
    units = living(step.state, team)
    best = max(units, key=_instinct)
    reacted = SetAttribute(team, "reacted", _portion(step.state))
    step.emit("react.spot", reacted, rule="D-R15.3", why={"team": team, "unit": best.uid, "target": target})
    spotting.spot(step, best.uid, target)


def _instinct(unit: Entity) -> int:
    value = unit.facts.get("instinct")
    return value if isinstance(value, int) else 0


_REACTIONS: Mapping[str, Rule] = {
    "react_fire": react_fire,
    "react_choose": react_choose,
    "react_spot": react_spot,
}
"""The rules that an option of a reaction can name."""
