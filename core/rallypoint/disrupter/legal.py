"""What a seat may do now, as a finite list in a fixed order: for people who choose by number, and for seats that play alone.

More is allowed than is listed: any path to a hex, any mix of targets and deeds in one activation, any sentence as an order.
What is listed is one shortest path to each hex, each enemy team with every weapon that reaches it, and each single deed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from rallypoint.kernel.canonical import Value, freeze
from rallypoint.kernel.game import Game, Intent
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import NOBODY, Step
from rallypoint.kernel.tape import Suspended

from . import cover, driving, fire, movement, rafts, sight
from .act import retreating
from .code_words import code_words
from .command import may, ncos, rallied_by
from .field import commander, enemy, living, platoon, platoons, rally_points, side_of, squad_of, teams, turn
from .hooks import DisrupterStep, Hooks
from .orders import CODE_WORDS, led, standing, towards
from .probe import passes
from .records import Attack
from .turn import Portion, eligible, may_relieve_stress, portion

__all__ = ["legal"]

_ORDERS: Mapping[str, Mapping[str, Value]] = {
    "engage": {"text": "Engage the enemy.", "verb": "engage"},
    "hold": {"text": "Hold here.", "verb": "hold"},
}
"""The orders that are listed; a person writes any other."""

_OWN_WORD = "Assault"
"""The Code Word that is listed for a squad that has none of its own yet; a person agrees on any other, too."""


def legal(game: Game[Hooks], state: State, seat: str) -> Sequence[Intent]:
    """List what ``seat`` may do in the briefing or in the portion that is under way; ``done`` comes last."""
    step: DisrupterStep = Step(game, state, NOBODY, seat=seat, log=False)  # to ask the plugins; nothing it does is kept
    now = portion(state)
    rows = list(_briefing(step, seat) if now is None else _portion(step, now))
    return (*[Intent(rule, args, seat) for rule, args in rows], Intent("done", (), seat))


_Row: TypeAlias = tuple[str, tuple[Value, ...]]
_Deeds: TypeAlias = Sequence[Sequence[object]]


def _briefing(step: DisrupterStep, seat: str) -> Iterator[_Row]:
    if not step.hooks.orders_used(step):
        return
    state = step.state
    for holder in (*_others(state, seat), *state.below(seat, "squad")):
        if not standing(holder):
            for order in _ORDERS.values():
                yield "brief", (holder.uid, freeze(order))
    for squad in state.below(seat, "squad"):
        if ncos(state, squad.uid) and not code_words(squad):
            yield "agree", (squad.uid, _OWN_WORD, freeze(_ORDERS["engage"]))


def _portion(step: DisrupterStep, now: Portion) -> Iterator[_Row]:
    state = step.state
    own = platoons(state, now.side)
    for each in own:
        if may_relieve_stress(state, each.uid):
            yield "relieve_stress", () if len(own) == 1 else (each.uid,)
    for team in eligible(state, now):
        if now.phase == "move":
            yield from _moves(step, team)
        else:
            for deeds in _deeds(step, team):
                yield "act", (team.uid, freeze(deeds))
        yield from _either(step, team)


def _allowed(step: DisrupterStep, uid: str, act: str) -> bool:
    try:
        return may(step, uid, act) != "no"
    except Suspended:  # a plugin that has to ask somebody: that is for the act itself
        return True


def _moves(step: DisrupterStep, team: Entity) -> Iterator[_Row]:
    state, options = step.state, step.options
    free = _allowed(step, team.uid, "move")
    if not free and not _allowed(step, team.uid, "retreat"):
        return
    if rafts.drives(state, team.uid):
        if (
            free
            and movement.braced_team(state, team.uid) is None
            and passes(lambda probe: driving.check(probe, team.uid), step)
        ):
            yield "drive", (team.uid,)
        return
    bound, away = not led(state, team.uid), retreating(state, options, team.uid)
    for end, path in movement.reachable(state, options, team.uid).items():
        if not path:
            continue
        if towards(state, team.uid, end) or not bound if free else away(end):
            yield "move", (team.uid, tuple([(place.q, place.r) for place in path]))


def _either(step: DisrupterStep, team: Entity) -> Iterator[_Row]:
    """Yield what a team may do with either action: cover, and boarding a raft."""
    state = step.state
    if _allowed(step, team.uid, "cover"):
        if cover.under_cover(state, team.uid):
            yield "leave_cover", (team.uid,)
        elif isinstance(team.place, Hex) and cover.is_light_cover(state, step.options, team.place):
            yield "take_cover", (team.uid,)
    if _allowed(step, team.uid, "move"):
        for raft in rafts.rafts(state, side_of(state, team.uid)):
            if passes(_attaching(team.uid, raft), step):
                yield "attach", (team.uid, raft)


def _attaching(team: str, raft: str) -> Callable[[DisrupterStep], object]:
    return lambda probe: rafts.attach(probe, team, raft)


def _deeds(step: DisrupterStep, team: Entity) -> Iterator[_Deeds]:
    """Yield the Battlefield Actions of a team: all weapons at each enemy team, each spot, each command."""
    state = step.state
    foes = teams(state, enemy(state, side_of(state, team.uid)))
    seen = [foe.uid for foe in foes if sight.sees(state, step.options, team.uid, foe.uid)]
    units = [unit for unit in living(state, team.uid) if unit.attributes.get("relieved") != turn(state)]
    able = [unit for unit in units if _allowed(step, unit.uid, "fire")]
    for reach in fire.enemies_in_reach(state, step.options, team.uid, able, seen):
        shots = [attack for attack in reach if _declares(step, team.uid, (attack,))]
        yield from _volleys(step, team.uid, shots)
    yield from _listed(step, team, {unit.uid for unit in able})
    for unit in units:
        if seen and _allowed(step, unit.uid, "spot"):
            yield from ([[unit.uid, "spot", foe]] for foe in seen)
        if unit.facts.get("class") in ("CO", "NCO"):
            yield from ([deed] for deed in _command(step, unit))


def _volleys(step: DisrupterStep, team: str, shots: Sequence[Attack]) -> Iterator[_Deeds]:
    """Yield the shots at one target: what all units do together, then each weapon of each unit alone."""
    if not shots:
        return
    best = {
        attack.shooter: attack.weapon for attack in fire.best_attacks(step.state, step.options, team, shots[0].target)
    }
    together = [attack for attack in shots if best.get(attack.shooter) == attack.weapon]
    if len(together) > 1:
        yield [_deed(attack) for attack in together]
    yield from ([_deed(attack)] for attack in shots)


def _listed(step: DisrupterStep, team: Entity, able: set[str]) -> Iterator[_Deeds]:
    """Yield the shots that plugins add, such as those at places: of all units at one target together, then each alone."""
    by_target: dict[str, list[Attack]] = {}
    for attack in step.hooks.fire_listed(step, team):
        if attack.shooter in able and _declares(step, team.uid, (attack,)):
            by_target.setdefault(attack.target, []).append(attack)
    for shots in by_target.values():
        together: dict[str, Attack] = {}
        for attack in shots:
            together.setdefault(attack.shooter, attack)
        if len(together) > 1:
            yield [_deed(attack) for attack in together.values()]
        yield from ([_deed(attack)] for attack in shots)


def _deed(attack: Attack) -> Sequence[object]:
    return [attack.shooter, "fire", attack.weapon, attack.target]


def _declares(step: DisrupterStep, team: str, attacks: tuple[Attack, ...]) -> bool:
    return passes(lambda probe: fire.check_declared(probe, team, attacks), step)


def _command(step: DisrupterStep, officer: Entity) -> Iterator[Sequence[object]]:
    state = step.state
    if rallied_by(state, officer.uid):
        yield [officer.uid, "rally"]
    if not step.hooks.orders_used(step):
        return
    side, own = side_of(state, officer.uid), platoon(state, officer.uid).uid
    head, first = commander(state, own), commander(state, side)
    is_co = head is not None and head.uid == officer.uid
    squads = [squad.uid for squad in state.below(own, "squad") if _manned(state, squad.uid)] if is_co else []
    others = [each.uid for each in _others(state, side)] if first is not None and first.uid == officer.uid else []
    for to in [*squads, *others] if is_co else [squad_of(state, officer.uid).uid]:
        yield from ([officer.uid, "order", to, order] for order in _ORDERS.values())
    if is_co:
        yield from _code_words(state, officer.uid, [squad for squad in squads if ncos(state, squad)], others)


def _manned(state: State, squad: str) -> bool:
    return any(living(state, team.uid) for team in state.children(squad))


def _others(state: State, side: str) -> list[Entity]:
    """Return the platoons that hear a side's company commander: all but his own that have a CO (D-SF-4)."""
    head = commander(state, side)
    own = [] if head is None else [each for each in platoons(state, side) if each.uid != platoon(state, head.uid).uid]
    return [each for each in own if commander(state, each.uid) is not None]


def _code_words(state: State, officer: str, squads: list[str], others: list[str]) -> Iterator[Sequence[object]]:
    hearers = [*squads, *others]
    if not hearers:
        return
    points = rally_points(state, side_of(state, officer))
    for word in CODE_WORDS:
        if word == "Rally":
            yield from ([officer, "code_word", word, hearers, point] for point in points)
        else:
            yield [officer, "code_word", word, hearers]
    for squad in squads:
        yield from ([officer, "code_word", word, [squad]] for word in code_words(state[squad]))
