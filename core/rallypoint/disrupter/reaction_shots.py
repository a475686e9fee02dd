"""Reaction Fire shot by shot: which unit fires which weapon at whom, and who holds fire (D-R15.2, D-R15.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.tape import Choice, Option

from .declaration import in_range, possible, strikes_friends
from .field import living, side_of, weapon, weapons
from .hooks import DisrupterStep
from .records import Attack

__all__ = ["HOLD", "attack_of", "chosen_shots", "every_shot", "is_a_choice"]

HOLD = "hold"
"""The key of the option not to fire."""


def every_shot(
    state: State, options: Mapping[str, Value], team: str, mover: str, fires: Callable[[str], bool]
) -> tuple[Attack, ...]:
    """Return each shot that units of a team have at a mover: any weapon that reaches, at the stand or at one of its units.

    A beam is pointed at the hex, so it has the stand for its target.

    Args:
        state: the battle.
        options: the rulings in force.
        team: who reacts.
        mover: the team that has entered a hex.
        fires: which of the team's units may fire at it.
    """
    units = living(state, mover)
    found = []
    for unit in living(state, team):
        for arm in weapons(state, unit) if fires(unit.uid) else ():
            single = () if len(units) == 1 or arm.trait("beam") is not None else tuple([each.uid for each in units])
            found += [Attack(unit.uid, arm.key, target, True) for target in (mover, *single)]
    return tuple([each for each in found if in_range(state, each) and possible(state, options, team, each)])


def is_a_choice(state: State, options: Mapping[str, Value], shots: Sequence[Attack]) -> bool:
    """Say whether shots leave more to choose than the target: a weapon, who fires, or a shot that would strike friends."""
    return len({each[:2] for each in shots}) > 1 or any(strikes_friends(state, options, each) for each in shots)


def chosen_shots(step: DisrupterStep, shots: Sequence[Attack], must_fire: bool) -> tuple[Attack, ...]:
    """Ask the owner of a team for the shot of each of its units in the order of the roster, and return those that are fired.

    Each may hold fire as long as somebody else can fire, or where all it could do would strike friends. Where the orders say that
    the team fires (``must_fire``), the last who can do so without striking friends has to, if nobody has before.
    """
    state, rulings = step.state, step.options
    units = [state[uid] for uid in dict.fromkeys(each.shooter for each in shots)]
    fired: list[Attack] = []
    for number, unit in enumerate(units):
        own = [each for each in shots if each.shooter == unit.uid]
        later = [each for each in shots if each.shooter in [other.uid for other in units[number + 1 :]]]
        has_to = must_fire and not fired and _is_clear(state, rulings, own) and not _is_clear(state, rulings, later)
        attack = _asked(step, unit, own, may_hold=not has_to)
        if attack is not None:
            fired.append(attack)
    return tuple(fired)


def _is_clear(state: State, options: Mapping[str, Value], shots: Sequence[Attack]) -> bool:
    return any(not strikes_friends(state, options, each) for each in shots)


def _asked(step: DisrupterStep, unit: Entity, shots: Sequence[Attack], *, may_hold: bool) -> Attack | None:
    state = step.state
    options = [Option(f"{each.weapon} {each.target}", _words(step, each), (each.weapon, each.target)) for each in shots]
    if may_hold:
        options.append(Option(HOLD, "hold fire"))
    ask = Choice(side_of(state, unit.uid), "reaction.shot", tuple(options), unit.uid)
    return attack_of(ask, ask.options[0] if len(options) == 1 else step.choose(ask))


def _words(step: DisrupterStep, shot: Attack) -> str:
    friends = " through friends" if strikes_friends(step.state, step.options, shot) else ""
    return f"fire {weapon(step.state, shot.weapon).title} at {shot.target}{friends}"


def attack_of(ask: Choice, option: Option) -> Attack | None:
    """Return the shot that an option means, ``None`` where it is to hold fire."""
    if not isinstance(option.value, tuple):
        return None
    arm, target = option.value
    return Attack(str(ask.subject), str(arm), str(target), True)
