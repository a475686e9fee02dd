"""What a team of the autopilot does with its Battlefield Action: whom each unit fires at, who spots, who rallies."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.game import Intent
from rallypoint.kernel.state import State

from .field import place_named, turn, weapon
from .leadership import Deeds, commands
from .orders import permits
from .outcome import lobbed
from .prospects import WORTH_A_BEAM, Figure, Picture, Shot, Stand, beam_value, place_value, value
from .records import Attack

__all__ = ["Plan", "best_target", "plan", "shots_at_places"]

ENOUGH = 0.9
"""A target is left to the first shooters that promise this part of what all of them would."""


class Plan(NamedTuple):
    """What a team would do, as the deeds of ``act``, and what it is worth."""

    value: float
    deeds: tuple[tuple[Value, ...], ...]


NOTHING = Plan(0.0, ())


def plan(picture: Picture, team: str, listed: Container[Attack], may: Deeds, at_places: Sequence[Attack] = ()) -> Plan:
    """Return the best Battlefield Action that the autopilot knows for a team; :data:`NOTHING` has no deeds.

    Args:
        picture: what its side knows.
        team: the team.
        listed: the shots at whole teams that are legal now; what plugins refuse is not among them.
        may: which units may do which deeds: plugins have been asked about them, which a picture cannot.
        at_places: the shots at places that are listed for it: for units with nothing better to fire at.
    """
    state, stand = picture.state, picture.stands.get(team)
    if stand is None:
        return NOTHING
    free = {
        figure.uid: figure for figure in stand.figures if state[figure.uid].attributes.get("relieved") != turn(state)
    }
    deeds: list[tuple[Value, ...]] = []
    total = commands(picture, free, deeds, may)
    fallen: set[str] = set()
    total += _beams(picture, stand, free, deeds, fallen, listed)
    able = [figure for figure in free.values() if (figure.uid, "fire") in may]
    shots, promised = _volleys(picture, stand, free, able, fallen, listed)
    over, more = _at_places(picture, stand, free, at_places)
    idle = [figure for figure in free.values() if (figure.uid, "spot") in may]
    spots = _spots(picture, stand, free, idle, [deed[3] for deed in shots])
    total += promised + more + 0.2 * len(spots)
    return Plan(total, (*spots, *deeds, *shots, *over))


# Fire


def _beams(
    picture: Picture,
    stand: Stand,
    free: dict[str, Figure],
    deeds: list[tuple[Value, ...]],
    fallen: set[str],
    listed: Container[Attack],
) -> float:
    """Fire beams at foes within the reach agreed on, where that pays (D-EQ-T9)."""
    total = 0.0
    for figure in [figure for figure in free.values() if any(arm.trait("beam") is not None for arm in figure.arms)]:
        arm = next(arm for arm in figure.arms if arm.trait("beam") is not None)
        near = [foe for foe in picture.foes if picture.beams(stand.place, foe.place)]
        shots = [Attack(figure.uid, arm.key, foe.uid) for foe in near]
        rated = [(beam_value(picture, each), each) for each in shots if each in listed]
        best, attack = max(rated, key=lambda row: row[0], default=(0.0, None))
        if attack is None or best < WORTH_A_BEAM:
            continue
        deeds.append((figure.uid, "fire", attack.weapon, attack.target))
        fallen.update(unit.uid for unit in picture.stands[attack.target].figures)
        total += best
        del free[figure.uid]
    return total


def _volleys(
    picture: Picture,
    stand: Stand,
    free: dict[str, Figure],
    able: list[Figure],
    fallen: set[str],
    listed: Container[Attack],
) -> tuple[list[tuple[Value, ...]], float]:
    """Give each unit that can fire a target: the most valuable first, and no more shooters to it than it needs."""
    found: list[tuple[Value, ...]] = []
    total = 0.0
    while able:
        best = _best(picture, stand, able, fallen, listed)
        if best is None:
            break
        total += best.value
        found += [(shot.figure.uid, "fire", shot.arm.key, best.name) for shot in best.shots]
        for shot in best.shots:
            del free[shot.figure.uid]
            able.remove(shot.figure)
        fallen.update(figure.uid for figure in best.targets)
    return found, total


def shots_at_places(legal: Sequence[Intent]) -> Mapping[str, Sequence[Attack]]:
    """Return by team the listed shots at places by single units, as plugins add them; grenades are left alone."""
    found: dict[str, list[Attack]] = {}
    for intent in legal:
        deeds = intent.args[1] if intent.rule == "act" and len(intent.args) > 1 else ()
        if isinstance(deeds, tuple) and len(deeds) == 1 and isinstance(deeds[0], tuple) and deeds[0][1] == "fire":
            unit, _, arm, target = (str(word) for word in deeds[0])
            if place_named(target) is not None:
                found.setdefault(str(intent.args[0]), []).append(Attack(unit, arm, target))
    return found


def _at_places(
    picture: Picture, stand: Stand, free: dict[str, Figure], listed: Sequence[Attack]
) -> tuple[list[tuple[Value, ...]], float]:
    """Let each unit that is left fire at the place that promises most, where that is anything at all (D-IF-1)."""
    best: dict[str, tuple[float, Attack]] = {}
    for attack in listed:
        if attack.shooter in free and not lobbed(weapon(picture.state, attack.weapon)):
            promised = place_value(picture, stand, attack)
            if promised > best.get(attack.shooter, (0.02,))[0]:
                best[attack.shooter] = promised, attack
    for unit in best:
        del free[unit]
    deeds: list[tuple[Value, ...]] = [(each.shooter, "fire", each.weapon, each.target) for _, each in best.values()]
    return deeds, sum(promised for promised, _ in best.values())


class _Volley(NamedTuple):
    value: float
    name: str
    targets: Sequence[Figure]
    shots: Sequence[Shot]


def _best(
    picture: Picture, stand: Stand, able: Sequence[Figure], fallen: set[str], listed: Container[Attack]
) -> _Volley | None:
    """Return the most valuable volley of these shooters, with as few of them as do."""
    best: _Volley | None = None
    for foe in picture.foes:
        shots = _allowed(picture, stand, able, foe, listed)
        for name, targets in _targets(foe, fallen) if shots else ():
            promised = value(picture, stand, stand.place, shots, foe, targets)
            if promised > (best.value if best is not None else 0.02):
                few = _few(picture, stand, shots, foe, targets, promised)
                best = _Volley(promised, name, targets, few)
    return best


def _allowed(
    picture: Picture, stand: Stand, able: Sequence[Figure], foe: Stand, listed: Container[Attack]
) -> list[Shot]:
    shots = picture.shots(stand, stand.place, foe, steady=stand.steady, figures=able)
    return [shot for shot in shots if Attack(shot.figure.uid, shot.arm.key, foe.uid) in listed]


def _targets(foe: Stand, fallen: set[str]) -> list[tuple[str, Sequence[Figure]]]:
    """Return what can be aimed at in a stand: each figure that somebody has not seen to already, and all of it."""
    left = [figure for figure in foe.figures if figure.uid not in fallen]
    found: list[tuple[str, Sequence[Figure]]] = [(figure.uid, (figure,)) for figure in left]
    if len(left) == len(foe.figures) > 1:
        found.append((foe.uid, foe.figures))
    return found


def _few(
    picture: Picture, stand: Stand, shots: Sequence[Shot], foe: Stand, targets: Sequence[Figure], promised: float
) -> Sequence[Shot]:
    """Return the first few shooters that promise nearly as much as all of them; two at least, for the [+] (D-R16.8)."""
    for number in range(min(2, len(shots)), len(shots)):
        if value(picture, stand, stand.place, shots[:number], foe, targets) >= ENOUGH * promised:
            return shots[:number]
    return shots


def best_target(picture: Picture, stand: Stand, foe: Stand) -> str:
    """Return what a stand in its hex fires at best in Reaction Fire: a foe, or one figure of it."""
    shots = picture.shots(stand, stand.place, foe, steady=stand.steady)
    if not shots:
        return foe.uid
    return max(_targets(foe, set())[::-1], key=lambda row: value(picture, stand, stand.place, shots, foe, row[1]))[0]


# Spotting


def _spots(
    picture: Picture, stand: Stand, free: dict[str, Figure], idle: Sequence[Figure], aimed: Sequence[Value]
) -> list[tuple[Value, ...]]:
    """Let who has nothing to fire at spot: for the rockets, and to draw out of cover what friends can fire at (D-R16.2).

    No more foes are spotted than there are rockets to come, but for those under cover.
    """
    if not idle:
        return []
    seen = [foe for foe in picture.foes if not foe.spotted and picture.sees(stand.side, stand.place, foe.place)]
    rockets = picture.once(_rockets)
    marked = sum(foe.spotted for foe in picture.foes)
    rated = sorted(((_use_of_mark(picture, stand, foe, aimed, rockets), foe.uid) for foe in seen), reverse=True)
    found: list[tuple[Value, ...]] = []
    for (use, uid), figure in zip(rated, sorted(idle, key=lambda each: -each.instinct), strict=False):
        covered = picture.stands[uid].covered
        if use > 0 and (covered or marked + len(found) < len(rockets)):
            found.append((figure.uid, "spot", uid))
            del free[figure.uid]
    return found


def _use_of_mark(picture: Picture, stand: Stand, foe: Stand, aimed: Sequence[Value], rockets: Sequence[Stand]) -> float:
    """Return what a mark on a foe would be good for: a rocket that is sure to hit, and no cover for it."""
    own = {foe.uid, *[figure.uid for figure in foe.figures]}
    use = 2.0 * foe.covered * sum(target in own for target in aimed)
    if rockets and not picture.close_to(picture.side, foe.place):
        use += foe.worth
    if foe.covered:
        use += 0.5 * sum(uid != stand.uid for uid in picture.once(_could_fire)[foe.uid])
    return use


def _could_fire(picture: Picture) -> Mapping[str, Sequence[str]]:
    """Return for each foe under cover who has a shot at it and is still to act."""
    ready = [friend for friend in picture.own if _still_to_act(picture.state, friend.uid)]
    return {
        foe.uid: [friend.uid for friend in ready if picture.shots(friend, friend.place, foe, steady=friend.steady)]
        for foe in picture.foes
        if foe.covered
    }


def _rockets(picture: Picture) -> Sequence[Stand]:
    return [friend for friend in picture.own if _has_rocket(picture, friend)]


def _has_rocket(picture: Picture, stand: Stand) -> bool:
    """Say whether a stand can still fire a rocket in this turn: it has not acted or moved, and somebody leads its bots."""
    if not stand.steady or not _still_to_act(picture.state, stand.uid):
        return False
    return any(
        any(arm.trait("auto_hit_if_spotted") is not None for arm in figure.arms)
        and permits(picture.state, picture.options, figure.uid, "fire") != "no"
        for figure in stand.figures
    )


def _still_to_act(state: State, team: str) -> bool:
    return state[team].attributes.get("acted") != turn(state)
