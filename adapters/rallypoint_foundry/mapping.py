"""The data of a profile: which field of a Foundry system takes which number of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

__all__ = [
    "ActorKind",
    "ArmorItem",
    "ContractorType",
    "Conversion",
    "Fields",
    "Pod",
    "Profile",
    "Protection",
    "StatRule",
    "Terms",
    "Weapon",
    "WeaponItem",
    "field",
]

Fields: TypeAlias = Mapping[str, object]
"""The declared fields of a document's ``system``, with their defaults."""

Meaning: TypeAlias = Literal["contractor", "disrupter"]


class Pod(NamedTuple):
    """Where a tracker goes: a ``{value, min, max, label}`` below ``system``, and which way is bad there."""

    path: str
    bad: str


class ActorKind(NamedTuple):
    """What becomes of a role: the actor type, the fields of its trackers, its two token bars.

    ``needs`` names a tracker without which no actor is made; ``fixed`` are values by path that replace the template's;
    ``notes`` is the field for text. ``derived`` is the pod that the system works out of ``hits`` and ``health``, if it has
    one. A ``combatant`` gets the stats of the conversion, a token on the scene and a place in the combat.
    """

    role: str
    type: str
    combatant: bool
    needs: str | None
    bars: tuple[str, str]
    trackers: Mapping[str, Pod]
    fixed: Mapping[str, object]
    notes: str
    derived: str | None


class StatRule(NamedTuple):
    """Where a number of the sheet comes from.

    ``source`` is ``stat`` (our stat ``stat`` divided by ``divide``, rounded down), ``combat`` (the same, or what
    :class:`Terms` say), ``class`` (the Instinct of the class), ``loyalty`` (the roll) or ``armor`` (no number: only
    ``enabled``, if armour is worn). A contractor has Combat, Instinct and Loyalty of its own. ``path`` and ``enabled``
    are fields; ``None`` where the system has none.
    """

    path: str | None
    enabled: str | None
    source: str
    stat: str
    divide: int


class Conversion(NamedTuple):
    """What the numbers of an export mean: ``armor`` becomes items or a stat, weapons have ``dice`` or our numbers alone."""

    name: str
    armor: str
    dice: bool
    stats: tuple[StatRule, ...]
    fixed: Mapping[str, object]


class Terms(NamedTuple):
    """Where sources disagree about contractors: ``combat`` is ``half`` of Instinct, ``equal`` to it, or the ``archetype``.

    ``bonus`` takes the disputed bonus to damage, ``anti_armor`` makes anti-armour what is so over there and stronger than here.
    """

    combat: str = "half"
    bonus: bool = True
    anti_armor: bool = False


class ContractorType(NamedTuple):
    """What a class of ours is called over there, its Instinct (0 to 99), and whether it has Loyalty.

    ``combat`` is the number that is printed for the type, ``None`` where there is none.
    """

    words: str
    instinct: int
    loyalty: bool
    combat: int | None = None


class Protection(NamedTuple):
    """Armour Points and Damage Reduction of something worn or built in."""

    armor_points: int
    damage_reduction: int


class Weapon(NamedTuple):
    """A weapon over there: damage dice, range word, shots, wound table, and what the numbers do not say.

    ``shots`` are ``None`` where nobody knows them; ``plain`` are the dice without a disputed bonus, ``anti_armor`` is what it is over there; see :class:`Terms`.
    """

    damage: str
    range: str
    shots: int | None
    wound: str
    note: str
    plain: str = ""
    anti_armor: bool = False


class WeaponItem(NamedTuple):
    """The item type of weapons, the fields that take each number, and the system's own words for ranges.

    ``anti_armor`` are fields that say yes or no.
    """

    type: str
    damage: tuple[str, ...]
    range: tuple[str, ...]
    shots: tuple[str, ...]
    wound: tuple[str, ...]
    ranges: Mapping[str, str]
    anti_armor: tuple[str, ...] = ()


class ArmorItem(NamedTuple):
    """The item type of armour, and the fields for its points, its Damage Reduction, whether it is worn, and its speed."""

    type: str
    points: tuple[str, ...]
    reduction: tuple[str, ...]
    worn: tuple[str, ...]
    speed: tuple[str, ...] = ()


class Profile(NamedTuple):
    """Everything that an export needs to know about one version of one system."""

    system: str
    version: str
    cores: Mapping[str, str]
    folders: tuple[str, ...]
    columns: tuple[str, ...]
    template: Mapping[str, Mapping[str, Fields]]
    actors: tuple[ActorKind, ...]
    conversions: Mapping[str, Conversion]
    loyalty: tuple[int, int, int]
    classes: Mapping[str, ContractorType]
    protection: Mapping[tuple[str, str], Protection]
    weapons: Mapping[str, Weapon]
    weapon_item: WeaponItem
    armor_item: ArmorItem
    tables: Mapping[str, str]
    undeclared: Mapping[tuple[str, str], str]
    sources: Mapping[tuple[str, str], str]

    @property
    def name(self) -> str:
        """The system with its version, as the option spells it: ``mosh-0.6.1``."""
        return f"{self.system}-{self.version}"

    def actor_kind(self, role: str, trackers: Mapping[str, object]) -> ActorKind | None:
        """Return what becomes of an entity in ``role`` with these trackers, or ``None``: it gets no actor."""
        for kind in self.actors:
            if kind.role == role and (kind.needs is None or kind.needs in trackers):
                return kind
        return None


def field(fields: object, path: str) -> object:
    """Return what stands at a dotted path.

    Raises:
        KeyError: nothing does.

    >>> field({"hits": {"value": 0}}, "hits.value")
    0
    """
    for step in path.split("."):
        if not isinstance(fields, Mapping):
            raise KeyError(path)
        fields = fields[step]
    return fields
