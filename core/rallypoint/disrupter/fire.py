"""Rule 16, fire: one activation of a team, from the declared attacks to the last casualty.

What may be declared stands in :mod:`rallypoint.disrupter.declaration`, who rolls together in :mod:`rallypoint.disrupter.volley`, where
they land in :mod:`rallypoint.disrupter.landing`, what strikes whom in :mod:`rallypoint.disrupter.impact`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rallypoint.kernel.changes import Change, SetAttribute, SetStatus
from rallypoint.kernel.parts import Status
from rallypoint.kernel.state import State

from .cover import after_firing
from .declaration import best_attacks, check_declared, enemies_in_reach, in_range, possible
from .field import place_named, turn, weapon
from .hooks import DisrupterStep
from .impact import Impact, burn_through, strike, struck
from .landing import aimed_at, land, lands_elsewhere
from .modes import result
from .records import Attack
from .rulings import chosen
from .spotting import spend_marks
from .volley import Volley, instinct_check, still_firing, volleys, with_like_modifiers

__all__ = ["best_attacks", "check_declared", "enemies_in_reach", "fire", "in_range", "possible"]


def fire(step: DisrupterStep, team: str, attacks: tuple[Attack, ...]) -> None:
    """Let units of a team fire as declared, volley by volley; then the stand loses its cover (D-R16.1, D-R13.2).

    Args:
        step: the step.
        team: the team whose activation it is; for Reaction Fire that is its own activation (D-R16.4).
        attacks: at most one for each unit.

    Raises:
        RuleError: an attack may not be declared; nothing has been rolled.
    """
    check_declared(step, team, attacks)
    fired = False
    for part in _parts(step, attacks):
        fired = True
        _shoot(step, part)
        step.call(_resolve, part, attacks)
        for attack in part.attacks:
            step.hooks.battle_fired(step, attack)
    if fired:
        after_firing(step, team)
        spend_marks(step, attacks)


def _parts(step: DisrupterStep, attacks: tuple[Attack, ...]) -> Iterator[Volley]:
    """Yield what rolls together, one after the other: each as it is left after what the others before it did."""
    for volley in volleys(step, attacks):
        left = _left(step, volley)
        for part in () if left is None else with_like_modifiers(step, left, attacks):
            still = part if part is left else _left(step, part)  # of a volley that is whole, nothing has happened since
            if still is not None:
                yield still


def _left(step: DisrupterStep, volley: Volley) -> Volley | None:
    """Return what is left of a volley, ``None`` if nothing is, and tell of the attacks that are lost (D-R16.1).

    Those who have fallen no longer fire, nobody fires at the fallen, and after the end of the battle nobody fires at all.
    """
    if result(step.state) is not None:
        return None
    left = still_firing(step, volley)
    if left is not None and not _target_is_there(step.state, left):
        left = None
    if left is volley:
        return volley
    lost = [attack for attack in volley.attacks if left is None or attack not in left.attacks]
    if lost:
        step.emit("fire.lost", rule="D-R16.1", why={"attacks": tuple(lost)})
    return left


def _target_is_there(state: State, volley: Volley) -> bool:
    """Say whether somebody is left to fire at: the unit, or any unit of the team (D-R16.1). A beam or a place needs nobody."""
    empty = volley.manner == "beam" or place_named(volley.target) is not None
    return empty or bool(struck(state, volley.target))


def _shoot(step: DisrupterStep, volley: Volley) -> None:
    """Tell of the shots, with what they cost: weapons that recharge, weapons that keep the stand in place."""
    now, changes = turn(step.state), list[Change]()
    for attack in volley.attacks:
        arm = weapon(step.state, attack.weapon)
        if arm.trait("no_move_and_fire") is not None:
            changes.append(SetAttribute(attack.shooter, "braced", now))
        if recharge := arm.trait("recharge"):
            turns = int(recharge[0]) - (chosen(step.options, "D-AMB-39") == "yes")
            changes.append(SetStatus(attack.shooter, Status("recharging", arm.key, since=now, until=now + turns)))
        if arm.trait("launch_check") is not None:
            launched = step.state[attack.shooter].attributes.get("launched", 0)
            assert isinstance(launched, int)
            changes.append(SetAttribute(attack.shooter, "launched", launched + 1))
        changes += step.hooks.fire_shot(step, attack)
    step.emit("fire.shot", *changes, rule="D-R16.3", why={"attacks": volley.attacks, "manner": volley.manner})


def _resolve(step: DisrupterStep, volley: Volley, together: Sequence[Attack]) -> None:
    if volley.manner == "beam":
        for attack in volley.attacks:
            if _left(step, volley._replace(attacks=(attack,))) is not None:
                burn_through(step, attack)
        return
    left = _on_target(step, volley)
    if left is None:
        return
    volley, at = left, aimed_at(step.state, left.target)
    grade = None if volley.manner == "sure" else instinct_check(step, volley, together).grade
    if volley.manner == "lob" or place_named(volley.target) is not None:
        land(step, volley, at, grade)
        return
    strike(step, Impact(volley.attacks, volley.target, at, grade))


def _on_target(step: DisrupterStep, volley: Volley) -> Volley | None:
    """Resolve the shots that land elsewhere; return the others that are then left."""
    if all(weapon(step.state, attack.weapon).trait("indirect") is None for attack in volley.attacks):
        return volley
    direct = []
    for attack in volley.attacks:
        indirect = weapon(step.state, attack.weapon).trait("indirect") is not None
        alone = volley._replace(attacks=(attack,))
        if not indirect or (_left(step, alone) is not None and not lands_elsewhere(step, attack)):
            direct.append(attack)
    return _left(step, volley._replace(attacks=tuple(direct))) if direct else None
