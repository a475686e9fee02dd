"""What may be fired at what: everything that is checked when attacks are named, before the first roll (D-R16.1, D-R16.3 to 16.5)."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from math import inf

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.hexes import distance
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import Entity, State

from .activity import holds, walked
from .beam import aim_of, struck_by
from .field import (
    BATTLE,
    Weapon,
    alive,
    board,
    close_to,
    enemy,
    hexes_apart,
    is_bot,
    living,
    place,
    place_named,
    side_of,
    team_of,
    teams,
    turn,
    weapon,
    weapons,
)
from .hooks import DisrupterStep
from .outcome import band, fires_unseen, lobbed, only_unseen, splashes_friends
from .records import Attack
from .rulings import chosen, number
from .sight import sees
from .spotting import spotted_by_other
from .tables import catalogue

__all__ = [
    "bears",
    "best_attacks",
    "check_declared",
    "enemies_in_reach",
    "in_range",
    "may_bear",
    "possible",
    "refusal",
    "strikes_friends",
]


def check_declared(step: DisrupterStep, team: str, attacks: tuple[Attack, ...]) -> None:
    """Refuse attacks that the units of a team cannot make; nothing has been rolled yet.

    Raises:
        RuleError: one of them is not allowed; ``rule`` says by which rule.
    """
    shooters = [attack.shooter for attack in attacks]
    for attack in attacks:
        if shooters.count(attack.shooter) > 1:
            raise RuleError("a unit fires one weapon in an activation", rule="D-R16.4", where=attack.shooter)
        aimed = attack.target in step.state or place_named(attack.target) is not None
        unit = step.state.get(attack.shooter)
        armed = unit is not None and attack.weapon in unit.facts.get("weapons", ())  # type: ignore[operator]
        known = aimed and armed  # a plugin hears of no shot that cannot be
        seen = step.hooks.los_test(step, attack) if known else None
        refused = refusal(step.state, step.options, team, attack, seen)
        if refused is None and not step.hooks.battle_declare(step, attack):
            refused = RuleError("a plugin refuses this attack", rule="D-R16.1", where=attack.shooter)
        if refused is not None:
            raise refused


def possible(state: State, options: Mapping[str, Value], team: str, attack: Attack) -> bool:
    """Say whether an attack may be declared, as far as the rules without plugins can tell."""
    return refusal(state, options, team, attack) is None


def refusal(
    state: State, options: Mapping[str, Value], team: str, attack: Attack, seen: bool | None = None
) -> RuleError | None:
    """Return why an attack is not allowed, or ``None``.

    ``seen`` is what a plugin says about the line of sight, or what is known about it already; ``None``: it is looked for.
    """
    unit = state.get(attack.shooter)
    if unit is None or unit.role != "unit" or unit.parent != team:
        return RuleError("the shooter is not of this team", rule="D-R16.1", where=team, found=attack.shooter)
    if not alive(unit) or place(state, team) is None:
        return RuleError("this unit is out", rule="D-R16.1", where=attack.shooter)
    if attack.weapon not in unit.facts.get("weapons", ()):  # type: ignore[operator]
        return RuleError("this unit has no such weapon", rule="D-R16.4", where=unit.uid, found=attack.weapon)
    arm = weapon(state, attack.weapon)
    return (
        _kept_by_panic(state, options, unit, state[team], attack)
        or _kept_by_weapon(state, options, unit, arm)
        or _wrong_target(state, options, unit, arm, attack, seen)
    )


def _kept_by_panic(
    state: State, options: Mapping[str, Value], unit: Entity, team: Entity, attack: Attack
) -> RuleError | None:
    """Return what panic forbids; the Bots of a team that panics keep Reaction Fire in self-defence (D-AMB-11)."""
    if not team.statuses:
        return None
    spared = is_bot(unit) and attack.reaction and chosen(options, "D-AMB-11") == "keep_reaction"
    if "routed" in team.statuses and not spared:
        return RuleError("a routed team does not fire", rule="D-PT-T5", where=unit.uid, hint="rally it first")
    if holds(state, team.uid, "suppressed") and not spared:
        return RuleError("a suppressed team does not fire", rule="D-PT-T3", where=unit.uid)
    if "retreating" in team.statuses and not attack.reaction:
        return RuleError("a retreating team takes no Battlefield Action", rule="D-PT-T4", where=unit.uid)
    return None


def _kept_by_weapon(state: State, options: Mapping[str, Value], unit: Entity, arm: Weapon) -> RuleError | None:
    if not may_bear(unit, arm):
        return RuleError("this weapon needs Battle Dress", rule="D-EQ-T2", where=unit.uid, found=arm.key)
    if arm.trait("no_move_and_fire") is not None and walked(state, str(unit.parent)):
        return RuleError(
            "this weapon is not fired in a turn in which its stand moved", rule="D-EQ-T1", where=unit.uid, found=arm.key
        )
    recharging = unit.statuses.get("recharging")
    if recharging is not None and recharging.value == arm.key and holds(state, unit.uid, "recharging"):
        ready = None if recharging.until is None else f"ready in turn {recharging.until + 1}"
        return RuleError(
            "this weapon recharges", rule="D-EQ-T10", where=unit.uid, found=f"turn {turn(state)}", expected=ready
        )
    most = number(options, "D-AMB-43")
    launched = unit.attributes.get("launched", 0)
    if most and arm.trait("launch_check") is not None and isinstance(launched, int) and launched >= most:
        return RuleError("this launcher is empty", rule="D-AMB-43", where=unit.uid, found=launched, expected=most)
    return None


def may_bear(unit: Entity, arm: Weapon) -> bool:
    """Say whether a unit wears what a weapon needs, or counts as wearing it (D-EQ-T2)."""
    needed = arm.trait("requires_armor")
    if needed is None:
        return True
    model = unit.facts.get("bot_key")
    counts = catalogue().find("bot", model) if isinstance(model, str) else None
    worn = {unit.facts.get("armor_key")}
    if counts is not None:
        worn.update(
            trait.partition("(")[2].rstrip(")") for trait in counts.item.traits if trait.startswith("counts_as(")
        )
    return any(name in worn for name in needed)


def _wrong_target(
    state: State, options: Mapping[str, Value], unit: Entity, arm: Weapon, attack: Attack, seen: bool | None
) -> RuleError | None:
    if arm.trait("beam") is not None:
        return None if aim_of(state, attack) is not None else _no_target(attack, "an enemy, or @q,r for another hex")
    named = place_named(attack.target)
    if named is not None:
        return _wrong_place(state, unit, arm, named, seen)
    target = state.get(attack.target)
    if target is None or target.role not in ("team", "unit"):
        return _no_target(attack, "a unit, a team or a vehicle")
    if side_of(state, target.uid) == side_of(state, unit.uid):
        return _no_target(attack, "an enemy")
    hexes = hexes_apart(state, unit.uid, target.uid)
    gone = not (living(state, target.uid) if target.role == "team" else alive(target))
    if hexes is None or gone:
        return _no_target(attack, "somebody who is still there")
    return (
        _out_of_range(unit, arm, hexes)
        or _unseen(state, options, unit, arm, attack, seen)
        or _not_straight(state, arm, attack)
    )


def _out_of_range(unit: Entity, arm: Weapon, hexes: int) -> RuleError | None:
    if arm.Max is None or hexes <= arm.Max:
        return None
    return RuleError(
        "the target is out of range",
        rule="D-R16.9",
        where=unit.uid,
        found=f"{hexes} hexes",
        expected=f"{arm.Max} at most",
    )


def _wrong_place(state: State, unit: Entity, arm: Weapon, at: Hex, seen: bool | None) -> RuleError | None:
    """Return what keeps a shooter from a place that is named instead of an enemy: it takes a plugin that says how (D-IF-1)."""
    here = place(state, unit.uid)
    assert here is not None
    name = f"@{at.q},{at.r}"
    if not board(state).holds(at):
        return RuleError("there is no such hex on the board", rule="D-IF-1", where=unit.uid, found=name)
    if seen is True:
        return _out_of_range(unit, arm, distance(here, at))
    if arm.trait("needs_los_or_spot") is not None:
        what = "a rocket goes at somebody who is seen or spotted, not at a place"
        return RuleError(what, rule="D-EQ-T12", where=unit.uid, found=name)
    if not fires_unseen(arm):
        return _no_target(Attack(unit.uid, arm.key, name), "a unit, a team or a vehicle")
    return RuleError(
        "this weapon is fired at places that nobody sees only where a plugin for indirect fire is on",
        rule="D-IF-1",
        where=unit.uid,
        found=f"{arm.title} at {name}",
        hint=f"rallypoint plugins says which are on; it concerns {', '.join(_unseen_weapons(state))}",
    )


def _unseen_weapons(state: State) -> list[str]:
    """Return the weapons of this battle that may be fired at unseen places, by their titles."""
    table = state[BATTLE].facts["weapons"]
    assert isinstance(table, Mapping)
    arms = [weapon(state, key) for key in table]
    return [arm.title for arm in arms if fires_unseen(arm)]


def _no_target(attack: Attack, expected: str) -> RuleError:
    return RuleError(
        "this cannot be fired at", rule="D-R16.3", where=attack.shooter, found=attack.target, expected=expected
    )


def _unseen(
    state: State, options: Mapping[str, Value], unit: Entity, arm: Weapon, attack: Attack, seen: bool | None
) -> RuleError | None:
    """Return what keeps a shooter from a target that it does not see (D-R16.5); a rocket goes where another has spotted."""
    if arm.trait("ignores_los") is not None or seen is True:
        return None
    if seen is None and sees(state, options, unit.uid, attack.target):
        return None
    if arm.trait("needs_los_or_spot") is not None:
        if spotted_by_other(state, unit.uid, attack.target):
            return None
        hint = "let another unit spot the target"
        return RuleError("there is no line of sight", rule="D-EQ-T12", where=unit.uid, found=attack.target, hint=hint)
    over = _by_place(state, attack.target) if fires_unseen(arm) else None
    return RuleError("there is no line of sight", rule="D-R16.5", where=unit.uid, found=attack.target, hint=over)


def _not_straight(state: State, arm: Weapon, attack: Attack) -> RuleError | None:
    """Return what keeps a weapon without Wounds at any range from being fired straight at somebody."""
    if not only_unseen(arm):
        return None
    what, hint = "this weapon is fired at a place, not straight at somebody", _by_place(state, attack.target)
    return RuleError(what, rule="D-IF-1", where=attack.shooter, found=attack.target, hint=hint)


def _by_place(state: State, target: str) -> str:
    at = place(state, target)
    assert at is not None
    return f"over what is between it is fired at a place, with a plugin for indirect fire: @{at.q},{at.r}"


# What is worth it


def in_range(state: State, attack: Attack) -> bool:
    """Say whether the target of an attack is within the weapon's Max, and the weapon does anything there (D-R16.9)."""
    return bears(weapon(state, attack.weapon), hexes_apart(state, attack.shooter, attack.target))


def _strength(arm: Weapon, hexes: int) -> int:
    if lobbed(arm):
        return arm.T
    reach = band(hexes)
    return arm.C if reach == "C" else arm.M if reach == "M" else arm.L


def best_attacks(state: State, options: Mapping[str, Value], team: str, target: str) -> tuple[Attack, ...]:
    """Return what a team would fire at a target in Reaction Fire: of each unit the weapon with the most Wounds.

    A weapon that could hit friends (splash near them, a beam, a grenade) is left alone as long as anybody can fire another.
    """
    careful = list(_best_of_each(state, options, team, target, careful=True))
    return tuple(careful or _best_of_each(state, options, team, target, careful=False))


def _best_of_each(
    state: State, options: Mapping[str, Value], team: str, target: str, *, careful: bool
) -> Iterator[Attack]:
    hexes = hexes_apart(state, team, target)
    if hexes is None:
        return
    seen = sees(state, options, team, target)
    for unit in living(state, team):
        arms = [
            arm
            for arm in weapons(state, unit)
            if bears(arm, hexes)
            and not (careful and _endangers_friends(state, options, team, target, arm))
            and refusal(state, options, team, Attack(unit.uid, arm.key, target, True), seen) is None
        ]
        if arms:
            yield Attack(unit.uid, max(arms, key=lambda arm: _strength(arm, hexes)).key, target, True)


def strikes_friends(state: State, options: Mapping[str, Value], attack: Attack) -> bool:
    """Say whether a shot would strike friends if it hit: a beam through them (D-EQ-T9), or splash on them (D-EQ-T3)."""
    arm, own = weapon(state, attack.weapon), side_of(state, attack.shooter)
    if arm.trait("beam") is not None:
        return any(side_of(state, uid) == own for uid in struck_by(state, attack))
    return _splashes_friends(state, options, team_of(state, attack.shooter).uid, attack.target, arm)


def _endangers_friends(state: State, options: Mapping[str, Value], team: str, target: str, arm: Weapon) -> bool:
    return lobbed(arm) or arm.trait("beam") is not None or _splashes_friends(state, options, team, target, arm)


def _splashes_friends(state: State, options: Mapping[str, Value], team: str, target: str, arm: Weapon) -> bool:
    at = place(state, target)
    if at is None or arm.trait("splash") is None:
        return False
    friends = set(close_to(state, side_of(state, team), at))
    company = len(living(state, team)) if team in friends else 0
    return splashes_friends(options, arm, near=bool(friends - {team}), company=company)


def enemies_in_reach(
    state: State, options: Mapping[str, Value], team: str, units: Sequence[Entity], seen: Container[str]
) -> Iterator[tuple[Attack, ...]]:
    """Yield for each enemy team that any weapon reaches all attacks on it that units of a team may declare, in the order of roster and weapons.

    Args:
        state: the battle.
        options: the rulings in force.
        team: who fires.
        units: its units that may fire.
        seen: the enemy teams that it sees; nothing is worked out for those that no weapon reaches.
    """
    arms = [(unit.uid, arm) for unit in units for arm in weapons(state, unit)]
    reach = max([inf if arm.Max is None else arm.Max for _, arm in arms], default=0)
    for foe in teams(state, enemy(state, side_of(state, team))):
        hexes = hexes_apart(state, team, foe.uid)
        if hexes is None or hexes > reach:
            continue
        attacks = [Attack(uid, arm.key, foe.uid) for uid, arm in arms if bears(arm, hexes)]
        yield tuple([attack for attack in attacks if refusal(state, options, team, attack, foe.uid in seen) is None])


def bears(arm: Weapon, hexes: int | None) -> bool:
    """Say whether a weapon does anything at a distance (D-R16.9)."""
    return hexes is not None and (arm.Max is None or hexes <= arm.Max) and _strength(arm, hexes) > 0
