"""What a team of the autopilot does with its Battlefield Action: whom each unit fires at, who spots, who rallies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple, TypeAlias

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.hexes import distance
from rallypoint.kernel.state import State

from . import fire
from .command import rallied_by
from .field import living, squad_of, turn
from .orders import order_of, permits
from .prospects import Figure, Picture, Shot, Stand, beam_value, value
from .records import Attack

__all__ = ["Listed", "Plan", "best_target", "plan"]

WORTH_A_BEAM = 1.5
"""What a beam must promise before it is fired: it takes turns to recharge."""

ENOUGH = 0.9
"""A target is left to the first shooters that promise this part of what all of them would."""


Listed: TypeAlias = Set[tuple[Value, Value]]
"""Which units may do which deeds now: ``("R1A-1", "fire")``."""


class Plan(NamedTuple):
    """What a team would do, as the deeds of ``act``, and what it is worth."""

    value: float
    deeds: tuple[tuple[Value, ...], ...]


NOTHING = Plan(0.0, ())


def plan(picture: Picture, team: str, listed: Listed) -> Plan:
    """Return the best Battlefield Action that the autopilot knows for a team; :data:`NOTHING` has no deeds.

    Args:
        picture: the battle.
        team: whose action.
        listed: the deeds that are listed as allowed now: plugins have been asked about them, which a picture cannot.
    """
    state, stand = picture.state, picture.stands.get(team)
    if stand is None:
        return NOTHING
    free = {
        figure.uid: figure for figure in stand.figures if state[figure.uid].attributes.get("relieved") != turn(state)
    }
    deeds: list[tuple[Value, ...]] = []
    total = _commands(picture, free, deeds, listed)
    fallen: set[str] = set()
    total += _beams(picture, stand, free, deeds, fallen, listed)
    shots, promised = _volleys(picture, stand, free, fallen, listed)
    spots = _spots(picture, stand, free, [deed[3] for deed in shots], listed)
    total += promised + 0.2 * len(spots)
    return Plan(total, (*spots, *deeds, *shots))


# Command


def _commands(picture: Picture, free: dict[str, Figure], deeds: list[tuple[Value, ...]], listed: Listed) -> float:
    """Let Officers rally routed teams near them, and give orders to those who have none from anybody they follow."""
    state, total = picture.state, 0.0
    for figure in [figure for figure in free.values() if figure.officer]:
        if rallied_by(state, figure.uid):
            deeds.append((figure.uid, "rally"))
            total += 3.0
        elif (figure.uid, "order") in listed and (waiting := _without_orders(state, figure.uid)) is not None:
            order: Mapping[str, Value] = {"text": "Engage the enemy.", "verb": "engage"}
            deeds.append((figure.uid, "order", waiting, order))
            total += 1.0
        else:
            continue
        del free[figure.uid]
    return total


def _without_orders(state: State, officer: str) -> str | None:
    """Return a team of an Officer's squad that he has rallied and that waits for his orders (D-R16.15)."""
    for team in state.children(squad_of(state, officer).uid):
        waits = team.attributes.get("under") == officer and "routed" not in team.statuses
        if waits and living(state, team.uid) and order_of(state, team.uid) is None:
            return team.uid
    return None


# Fire


def _beams(
    picture: Picture,
    stand: Stand,
    free: dict[str, Figure],
    deeds: list[tuple[Value, ...]],
    fallen: set[str],
    listed: Listed,
) -> float:
    """Fire beams at foes within the reach agreed on, where that pays (D-EQ-T9)."""
    total = 0.0
    for figure in [figure for figure in free.values() if any(arm.trait("beam") is not None for arm in figure.arms)]:
        if (figure.uid, "fire") not in listed:
            continue
        arm = next(arm for arm in figure.arms if arm.trait("beam") is not None)
        near = [foe for foe in picture.foes if picture.beams(stand.place, foe.place)]
        shots = [Attack(figure.uid, arm.key, foe.uid) for foe in near]
        rated = [(beam_value(picture, each), each) for each in shots if _may(picture, stand, each)]
        best, attack = max(rated, key=lambda row: row[0], default=(0.0, None))
        if attack is None or best < WORTH_A_BEAM:
            continue
        deeds.append((figure.uid, "fire", attack.weapon, attack.target))
        fallen.update(unit.uid for unit in picture.stands[attack.target].figures)
        total += best
        del free[figure.uid]
    return total


def _may(picture: Picture, stand: Stand, attack: Attack) -> bool:
    return fire.possible(picture.state, picture.options, stand.uid, attack)


def _volleys(
    picture: Picture, stand: Stand, free: dict[str, Figure], fallen: set[str], listed: Listed
) -> tuple[list[tuple[Value, ...]], float]:
    """Give each unit that can fire a target: the most valuable first, and no more shooters to it than it needs."""
    found: list[tuple[Value, ...]] = []
    total = 0.0
    able = [figure for figure in free.values() if (figure.uid, "fire") in listed]
    while able:
        best = _best(picture, stand, able, fallen)
        if best is None:
            break
        total += best.value
        found += [(shot.figure.uid, "fire", shot.arm.key, best.name) for shot in best.shots]
        for shot in best.shots:
            del free[shot.figure.uid]
            able.remove(shot.figure)
        fallen.update(figure.uid for figure in best.targets)
    return found, total


class _Volley(NamedTuple):
    value: float
    name: str
    targets: Sequence[Figure]
    shots: Sequence[Shot]


def _best(picture: Picture, stand: Stand, able: Sequence[Figure], fallen: set[str]) -> _Volley | None:
    """Return the most valuable volley of these shooters, with as few of them as do."""
    best: _Volley | None = None
    for foe in picture.foes:
        shots = _allowed(picture, stand, able, foe)
        for name, targets in _targets(foe, fallen) if shots else ():
            promised = value(picture, stand, stand.place, shots, foe, targets)
            if promised > (best.value if best is not None else 0.02):
                few = _few(picture, stand, shots, foe, targets, promised)
                best = _Volley(promised, name, targets, few)
    return best


def _allowed(picture: Picture, stand: Stand, able: Sequence[Figure], foe: Stand) -> list[Shot]:
    shots = picture.shots(stand, stand.place, foe, steady=stand.steady, figures=able)
    return [shot for shot in shots if _may(picture, stand, Attack(shot.figure.uid, shot.arm.key, foe.uid))]


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
    picture: Picture, stand: Stand, free: dict[str, Figure], aimed: Sequence[Value], listed: Listed
) -> list[tuple[Value, ...]]:
    """Let who has nothing to fire at spot: for the rockets, and to draw out of cover what friends can fire at (D-R16.2).

    No more foes are spotted than there are rockets to come, but for those under cover.
    """
    idle = [figure for figure in free.values() if (figure.uid, "spot") in listed]
    if not idle:
        return []
    seen = [foe for foe in picture.foes if not foe.spotted and picture.sees(stand.place, foe.place)]
    rockets = [friend for friend in picture.own if _has_rocket(picture, friend)]
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
    if rockets and not any(distance(other.place, foe.place) <= 1 for other in picture.own):
        use += foe.worth
    if foe.covered:
        for friend in picture.own:
            if friend.uid != stand.uid and _still_to_act(picture.state, friend.uid):
                use += 0.5 * bool(picture.shots(friend, friend.place, foe, steady=friend.steady))
    return use


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
