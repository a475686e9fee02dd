"""Where shots strike: saves by armour value, Wounds shared out, splash, a rocket's near miss (D-R16.6, D-R16.7, D-R16.10, D-EQ-T3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rallypoint.kernel.changes import SetStatus
from rallypoint.kernel.hexes import distance
from rallypoint.kernel.parts import Hex, Status
from rallypoint.kernel.state import Entity, State

from .allocation import Shares, shared_out
from .beam import struck_by
from .checks import check, modifiers
from .field import alive, hex_of, living, place, side_of, sides, team_of, teams, turn, weapon
from .harm import wound, wound_together
from .hooks import DisrupterStep
from .outcome import is_success, outcome, weapon_wounds
from .rafts import occupants, strike_raft
from .records import Allocation, Attack, CheckRequest, Grade, Hit, Saved, Strike
from .remembered import remembered
from .rulings import chosen

__all__ = ["Impact", "burn_through", "strike", "struck"]


class Impact(NamedTuple):
    """Attacks that strike together: at whom (``None``: an empty hex), where, and how their check came out if there was one."""

    attacks: tuple[Attack, ...]
    target: str | None
    at: Hex
    grade: Grade | None

    @property
    def hits(self) -> bool:
        """Say whether it is a hit: a success, or no check at all."""
        return self.grade is None or is_success(self.grade)

    @property
    def reaction(self) -> bool:
        """Say whether it is Reaction Fire."""
        return self.attacks[0].reaction


def struck(state: State, target: str) -> tuple[Entity, ...]:
    """Return the living units that an attack is aimed at: one, or all of a team and of those in one raft with it (D-AMB-31)."""
    aimed = state[target]
    if aimed.role == "unit":
        return (aimed,) if alive(aimed) else ()
    return occupants(state, target)


def strike(step: DisrupterStep, impact: Impact) -> None:
    """Resolve attacks at their target: saves, Wounds, splash; then those who are hit take their Wounds together."""
    state = step.state
    units = () if impact.target is None else struck(state, impact.target)
    groups, hits = _saves(step, units, impact), impact.hits
    rolled = None
    if groups and hits:
        rolled = step.hooks.fire_damage(step, Strike(impact.attacks, impact.at, "aimed", groups, impact.grade))
    raw = [_wounds(step, attack, impact.at) for attack in impact.attacks] if rolled is None else []
    hit = Hit(impact.grade, None, sum(raw), len(impact.attacks), impact.reaction)
    if rolled is None and groups:
        shares = shared_out(step, [unit.uid for unit in units], groups, hit)
    else:
        shares = Shares(rolled or ())
    near = () if hits else _near_miss(step, impact, groups)
    allocations = (*shares.allocations, *near)
    if impact.target is not None:
        allocations = step.hooks.fire_allocate(step, team_of(state, impact.target), allocations)
    why: dict[str, object] = {
        "shooters": tuple([attack.shooter for attack in impact.attacks]),
        "weapons": tuple([attack.weapon for attack in impact.attacks]),
        "target": impact.target,
        "at": tuple(impact.at[:2]),
        "wounds": tuple(raw),
        "allocation": allocations,
    }
    if shares.groups:
        why["shares"] = shares.groups
    step.emit("fire.hit" if hits else "fire.miss", rule="D-R16.6", why=why)
    splash = _splash(step, impact, units) if hits else ()
    if shares.shaken:
        _shake(step, [attack.shooter for attack in impact.attacks])
    missed = {given.unit for given in near}
    aimed = [(given, "D-EQ-T14" if given.unit in missed else "D-R16.10") for given in allocations]
    if impact.target is not None and state[impact.target].role == "team":
        strike_raft(step, impact.target, sum([given.wounds for given in allocations]))
    wound_together(step, [*aimed, *[(given, "D-EQ-T3") for given in splash]])


def _wounds(step: DisrupterStep, attack: Attack, at: Hex) -> int:
    here = place(step.state, attack.shooter)
    return weapon_wounds(step, attack, 0 if here is None else distance(here, at))


def _saves(step: DisrupterStep, units: Sequence[Entity], impact: Impact) -> tuple[Saved, ...]:
    """Make one Armor Save for each armour value among units (D-R16.7), in the order of the roster.

    A save that several make takes the modifiers that all of them have: it is rolled by the unit that has the fewest.
    """
    found = []
    for members, alike in _by_armor(step.state, tuple([unit.uid for unit in units])):
        request = _save(members, impact.attacks)
        if not alike:
            first = min(members, key=lambda uid: len(modifiers(step, request._replace(units=(uid,)))))
            request = request._replace(units=(first, *[uid for uid in members if uid != first]))
        found.append(Saved(members, check(step, request, "D-R16.7").grade))
    return tuple(found)


def _save(units: tuple[str, ...], attacks: Sequence[Attack]) -> CheckRequest:
    """Return the save of units that roll as one against attacks."""
    shooters = tuple([attack.shooter for attack in attacks])
    return CheckRequest(units, "armor", "save", None, attacks[0].weapon, attacks[0].reaction, shooters)


@remembered
def _by_armor(state: State, units: tuple[str, ...]) -> tuple[tuple[tuple[str, ...], bool], ...]:
    """Return units by armour value, and of each group whether all in it are bound to have the same modifiers."""
    groups: dict[object, list[Entity]] = {}
    for unit in state.named(units):
        groups.setdefault(unit.facts["armor"], []).append(unit)
    return tuple([(tuple([unit.uid for unit in group]), _alike(group)) for group in groups.values()])


def _alike(units: Sequence[Entity]) -> bool:
    """Say whether units are bound to have the same modifiers: one alone, or comrades in one stand without an Officer."""
    stand = units[0].parent
    return len(units) == 1 or all(
        unit.parent == stand and unit.facts.get("class") not in ("CO", "NCO") for unit in units
    )


def _shake(step: DisrupterStep, shooters: Sequence[str]) -> None:
    """Give attackers whose check failed against a save Instinct [-] for the whole next turn (D-R16.6, D-AMB-24)."""
    now = turn(step.state)
    changes = []
    for uid in shooters:
        old = step.state[uid].statuses.get("shaken")
        if chosen(step.options, "D-AMB-24") == "until_next_check":
            status = Status("shaken", since=now)
        elif old is not None and (old.since or 0) <= now:
            status = Status("shaken", since=old.since, until=now + 1)
        else:
            status = Status("shaken", since=now + 1, until=now + 1)
        changes.append(SetStatus(uid, status))
    step.emit("fire.shaken", *changes, rule="D-R16.6", why={"units": tuple(shooters)})


def _near_miss(step: DisrupterStep, impact: Impact, groups: Sequence[Saved]) -> tuple[Allocation, ...]:
    """Return what a rocket's miss does: its Wounds to each unit of the target, not divided, not saved (D-EQ-T14, D-AMB-40)."""
    each = [
        step.hooks.fire_near_miss(step, attack, int(trait[0]))
        for attack in impact.attacks
        if (trait := weapon(step.state, attack.weapon).trait("miss_wounds_each")) is not None
    ]
    if not each:
        return ()
    saves = chosen(step.options, "D-AMB-40") == "yes"
    found = []
    for group in groups:
        saved = saves and group.grade is not None and is_success(group.grade)
        wounds = sum(max(number - saved, 0) for number in each)
        found += [Allocation(uid, wounds) for uid in group.units if wounds]
    step.emit("fire.near_miss", rule="D-EQ-T14", why={"wounds each": tuple(each), "allocation": tuple(found)})
    return tuple(found)


def _splash(step: DisrupterStep, impact: Impact, aimed: Sequence[Entity]) -> tuple[Allocation, ...]:
    """Return what splash does to everybody within Close Range of the target but those that were aimed at (D-EQ-T3, D-AMB-35).

    Each armour group of each stand there makes one save for all splashing weapons of the volley.
    """
    state = step.state
    attacks = [attack for attack in impact.attacks if weapon(state, attack.weapon).trait("splash") is not None]
    if not attacks:
        return ()
    found: list[Allocation] = []
    skip = {unit.uid for unit in aimed}
    for stand in _stands_near(step, impact):
        units = [unit for unit in living(state, stand.uid) if unit.uid not in skip]
        for group in _splash_groups(units, attacks, state, chosen(step.options, "D-AMB-36")):
            found += _splashed(step, impact, *group)
    if found:
        step.emit("fire.splash", rule="D-EQ-T3", why={"at": tuple(impact.at[:2]), "allocation": tuple(found)})
    return tuple(found)


def _stands_near(step: DisrupterStep, impact: Impact) -> list[Entity]:
    state, own = step.state, side_of(step.state, impact.attacks[0].shooter)
    friends = chosen(step.options, "D-AMB-35.friends") == "yes"
    near: list[tuple[int, int, Entity]] = []
    for side in sides(state):
        for number, team in enumerate(teams(state, side) if friends or side != own else ()):
            there = hex_of(state, team)
            if there is not None and distance(there, impact.at) <= 1:
                near.append((distance(there, impact.at), number, team))
    return [team for _, _, team in sorted(near, key=lambda row: row[0])]


def _splash_groups(
    units: Sequence[Entity], attacks: Sequence[Attack], state: State, spared: str
) -> list[tuple[list[Entity], list[Attack]]]:
    """Return units by armour value and by the weapons that splash them: a flamethrower spares its own (D-EQ-T4, D-AMB-36)."""
    groups: dict[tuple[object, ...], tuple[list[Entity], list[Attack]]] = {}
    for unit in units:
        on_unit = [attack for attack in attacks if not _spares(state, attack, unit, spared)]
        if on_unit:
            key = unit.facts["armor"], *[attack.shooter for attack in on_unit]
            groups.setdefault(key, ([], on_unit))[0].append(unit)
    return list(groups.values())


def _spares(state: State, attack: Attack, unit: Entity, spared: str) -> bool:
    if weapon(state, attack.weapon).trait("splash_excludes") is None:
        return False
    return unit.uid == attack.shooter if spared == "unit" else unit.parent == team_of(state, attack.shooter).uid


def _splashed(
    step: DisrupterStep, impact: Impact, units: Sequence[Entity], attacks: Sequence[Attack]
) -> list[Allocation]:
    group = Saved(tuple([unit.uid for unit in units]), None)
    if chosen(step.options, "D-AMB-35.saves") == "yes":
        (group,) = _saves(step, units, impact._replace(attacks=tuple(attacks)))
    rolled = step.hooks.fire_damage(step, Strike(tuple(attacks), impact.at, "splash", (group,)))
    if rolled is not None:
        return list(rolled)
    total = 0
    for attack in attacks:
        trait = weapon(step.state, attack.weapon).trait("splash")
        assert trait is not None
        total += step.hooks.fire_splash(step, attack, int(trait[-1]))
    came = outcome(step, Hit(None, group.grade, total, len(attacks), impact.reaction))
    return [Allocation(unit.uid, came.wounds) for unit in units if came.wounds]


def burn_through(step: DisrupterStep, attack: Attack) -> None:
    """Resolve a beam: every unit in its path saves singly, without a check of the firer (D-EQ-T9, D-AMB-38)."""
    here = place(step.state, attack.shooter)
    assert here is not None
    found: list[Allocation] = []
    for uid in struck_by(step.state, attack):
        at = place(step.state, uid)
        assert at is not None
        save = check(step, _save((uid,), [attack]), "D-EQ-T9").grade
        if is_success(save) and chosen(step.options, "D-AMB-38") == "negates":
            continue
        rolled = step.hooks.fire_damage(step, Strike((attack,), at, "beam", (Saved((uid,), save),)))
        if rolled is not None:
            found += rolled
            continue
        wounds = weapon_wounds(step, attack, distance(here, at))
        came = outcome(step, Hit(None, save, wounds, 1, attack.reaction))
        if came.wounds:
            found.append(Allocation(uid, came.wounds))
    why = {"shooter": attack.shooter, "target": attack.target, "allocation": tuple(found)}
    step.emit("fire.beam", rule="D-EQ-T9", why=why)
    wound(step, tuple(found), "D-EQ-T9")
