"""The legend of a Platoon Card: what its short words stand for, those that are on it and no others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from .card import Card

__all__ = ["COLUMNS", "DICE", "STATS", "TRAITS", "legend", "shown_trait"]

STATS: Mapping[str, str] = MappingProxyType(
    {
        "Instinct": "Instinct, per cent: to hit, to spot, to keep one's head",
        "Armor": "Armor, per cent: to save",
        "Movement": "Movement in hexes",
        "AP": "Armour Points: damage below them does nothing, as much or more breaks the armour",
        "Damage Reduction": "Damage Reduction, taken off each hit, by broken armour too",
        "Wounds": "a box for each Wound that the unit can take; those it has taken are crossed",
    }
)
"""The stats of a unit (D-R6.1), by the names that sheets give them."""

COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        "T": "Wounds where a grenade or an unseen shot goes off",
        "C": "Wounds at Close Range, up to 1 hex",
        "M": "Wounds at Medium Range, 2 hexes",
        "L": "Wounds at Long Range, 3 hexes and more",
        "Max": "the farthest hex that it reaches; any: no limit",
    }
)
"""The numbers of a weapon, in the order of Disrupter's tables."""

DICE: Mapping[str, str] = MappingProxyType(
    {
        "Damage": "the dice of a hit",
        "Far": "the dice beyond Close Range, where they are others",
        "Splash": "the dice for others at Close Range of the target",
        "AA": "anti-armour: breaks any armour, and only its reduction counts",
    }
)
"""What stands in place of Wounds by range, where damage is rolled (D-MO-R16.2)."""

TRAITS: Mapping[str, str] = MappingProxyType(
    {
        "auto_hit_if_spotted": "hits for sure what somebody has spotted",
        "beam": "hits all that stands on a straight line, friends too",
        "bot_issue": "what most bots are built with",
        "burning": "sets its target alight",
        "ignores_los": "needs no line of sight",
        "indirect": "goes over what stands between",
        "launch_check": "an Instinct Check to launch",
        "miss_hits_own_team": "a miss goes off among the own team",
        "miss_wounds_each": "a miss does {0} Wounds to each unit of the target",
        "mounted": "under another weapon",
        "needs_los_or_spot": "the target must be seen, or spotted by somebody",
        "no_cover_penalty": "no [-] for firing out of cover",
        "no_instinct_check": "hits without a check",
        "no_move_and_fire": "not in a turn in which its team moves",
        "officer_weapon": "what officers carry",
        "penetrates_all": "nothing stops it",
        "plus_if_spotted_by_other": "[+] at a target that another unit has spotted",
        "recharge": "after a shot silent for {0} turns",
        "requires_armor": "only for who wears the armor in brackets",
        "save_per_unit": "each unit that it hits saves for itself",
        "sidearm": "a handgun, carried besides other weapons",
        "splash": "{1} Wounds to others at Close Range of the target",
        "splash_excludes": "spares the attacker's own",
        "spot_ignores_cover": "a Spot counts in cover, too",
        "throw_check": "an Instinct Check to throw",
        "thrown": "by hand",
    }
)
"""What the traits of weapons mean in a few words; ``{0}`` is the first thing in a trait's brackets."""


_ONE = re.compile(r"\b1 (Wound|turn)s\b")


def shown_trait(trait: str) -> str:
    """Return a trait as it stands on the card.

    >>> shown_trait("splash(close,1)")
    'splash (close, 1)'
    """
    return trait.replace("_", " ").replace("(", " (").replace(",", ", ")


def legend(card: Card) -> Iterator[tuple[str, str]]:
    """Yield the short words of a card with what they stand for: stats, columns of weapons, traits."""
    for name in (*card.stats, "Wounds") if card.wounds else card.stats:
        if name in STATS and name in card.form.short:
            yield card.form.short[name], STATS[name]
    for column in dict.fromkeys(name for row in card.weapons for name in row.numbers):
        if column in COLUMNS and column in card.form.columns:
            yield column, COLUMNS[column]
        elif column in DICE:
            yield column, DICE[column]
    for trait in dict.fromkeys(trait for row in card.weapons for trait in row.traits):
        name, _, inside = trait.partition("(")
        given = [part.strip() for part in inside.rstrip(")").split(",")]
        needed = 2 if "{1}" in TRAITS.get(name, "") else 1
        if name in TRAITS and len(given) >= needed:
            yield shown_trait(trait), _ONE.sub(r"1 \1", TRAITS[name].format(*given))
