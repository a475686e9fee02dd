"""Who fires together: one Instinct Check for the units of a volley (D-R16.8, D-AMB-27, D-AMB-45)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from .checks import Checked, check, modifiers, net
from .field import alive, side_of, weapon
from .hooks import DisrupterStep
from .outcome import lobbed
from .records import Attack, CheckRequest, Modifier
from .rulings import chosen
from .spotting import spotted, spotted_by_other

__all__ = ["Manner", "Volley", "instinct_check", "still_firing", "volleys", "with_like_modifiers"]

Manner: TypeAlias = Literal["fire", "lob", "sure", "beam"]
"""How a weapon comes to its target: by a check, by a check for where it lands, without one, through everything."""


class Volley(NamedTuple):
    """Attacks on one target that share what they roll."""

    attacks: tuple[Attack, ...]
    manner: Manner

    @property
    def target(self) -> str:
        """What all of them are fired at."""
        return self.attacks[0].target


def volleys(step: DisrupterStep, attacks: Sequence[Attack]) -> tuple[Volley, ...]:
    """Put attacks together that share a roll, in the order in which they were named: same target, same Instinct, same manner."""
    found: dict[tuple[object, ...], list[Attack]] = {}
    for attack in attacks:
        manner = _manner(step, attack)
        instinct = step.state[attack.shooter].facts["instinct"]
        found.setdefault((attack.target, manner, instinct), []).append(attack)
    return tuple([Volley(tuple(group), key[1]) for key, group in found.items()])  # type: ignore[arg-type]


def _manner(step: DisrupterStep, attack: Attack) -> Manner:
    arm = weapon(step.state, attack.weapon)
    if arm.trait("beam") is not None:
        return "beam"
    if lobbed(arm):
        return "lob"
    guided = arm.trait("auto_hit_if_spotted") is not None
    if guided and spotted(step.state, side_of(step.state, attack.shooter), attack.target):
        return "sure"
    return "sure" if arm.trait("no_instinct_check") is not None else "fire"


def with_like_modifiers(step: DisrupterStep, volley: Volley, together: Sequence[Attack]) -> Iterator[Volley]:
    """Split a volley where its units have different [+] and [-] (D-AMB-45), or by ruling let the majority decide.

    The first unit of each part stands for all of them: its modifiers are those of the check.

    Args:
        step: the step.
        volley: attacks by units that can all still fire.
        together: all attacks of the activation; they say who shares the volley's [+].
    """
    if len(volley.attacks) == 1 or volley.manner in ("sure", "beam"):
        yield volley
        return
    by_sign: dict[int, list[Attack]] = {}
    for attack in volley.attacks:
        by_sign.setdefault(_sign(step, attack, together), []).append(attack)
    if chosen(step.options, "D-AMB-45") == "majority" and len(by_sign) > 1:
        counts = Counter({sign: len(group) for sign, group in by_sign.items()})
        sign = min(counts, key=lambda each: (-counts[each], each))
        first = by_sign[sign][0]
        yield volley._replace(attacks=(first, *[attack for attack in volley.attacks if attack != first]))
        return
    for group in by_sign.values():
        yield volley._replace(attacks=tuple(group))


def _sign(step: DisrupterStep, attack: Attack, together: Sequence[Attack]) -> int:
    request = _request((attack,))
    found = (*modifiers(step, request), *_extra(step, attack, together), *step.hooks.check_modifiers(step, request))
    return net(found, chosen(step.options, "D-AMB-07"))


def instinct_check(step: DisrupterStep, volley: Volley, together: Sequence[Attack]) -> Checked:
    """Make the one Instinct Check of a volley; that of grenades says where they go off."""
    rule = "D-EQ-T5" if volley.manner == "lob" else "D-R16.6" if len(volley.attacks) == 1 else "D-R16.8"
    purpose = "throw" if volley.manner == "lob" else "fire"
    return check(step, _request(volley.attacks, purpose), rule, _extra(step, volley.attacks[0], together))


def _request(attacks: Sequence[Attack], purpose: str = "fire") -> CheckRequest:
    first = attacks[0]
    units = tuple([attack.shooter for attack in attacks])
    return CheckRequest(units, "instinct", purpose, first.target, first.weapon, first.reaction)


def _extra(step: DisrupterStep, attack: Attack, together: Sequence[Attack]) -> tuple[Modifier, ...]:
    """Return the [+] of a volley (D-R16.8, D-AMB-27) and of a sniper whose target another unit has spotted (D-EQ-T8)."""
    state, found = step.state, []
    same = chosen(step.options, "D-AMB-27.plus") == "same_instinct"
    instinct = state[attack.shooter].facts["instinct"]
    firing = [
        other
        for other in together
        if other.target == attack.target and (not same or state[other.shooter].facts["instinct"] == instinct)
    ]
    if len(firing) > 1:
        found.append(Modifier("+", f"{len(firing)} units fire at the target", "D-R16.8"))
    helped = weapon(state, attack.weapon).trait("plus_if_spotted_by_other") is not None
    if helped and spotted_by_other(state, attack.shooter, attack.target):
        found.append(Modifier("+", "the target is spotted by another unit", "D-EQ-T8"))
    return tuple(found)


def still_firing(step: DisrupterStep, volley: Volley) -> Volley | None:
    """Return the volley without those who have fallen meanwhile, ``None`` if nobody is left."""
    left = tuple([attack for attack in volley.attacks if alive(step.state[attack.shooter])])
    if len(left) == len(volley.attacks):
        return volley
    return volley._replace(attacks=left) if left else None
