"""Profiles: which field of a Foundry system takes which number of ours. A profile is data, read once."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from rallypoint.kernel.errors import PluginError

__all__ = ["ActorKind", "ContractorType", "Pod", "Profile", "Protection", "Weapon", "load_profile"]


class Pod(NamedTuple):
    """Where a tracker goes: a ``{value, min, max, label}`` below ``system``, and which way is bad there."""

    path: str
    bad: str


class ActorKind(NamedTuple):
    """What becomes of a role: the actor type, the fields of its trackers, its two token bars.

    ``needs`` names a tracker without which no actor is made; ``fixed`` are values by path that replace the template's.
    ``contractor`` says that the contractor stats are to be filled in.
    """

    role: str
    type: str
    contractor: bool
    needs: str | None
    bars: tuple[str, str]
    trackers: Mapping[str, Pod]
    fixed: Mapping[str, object]


class ContractorType(NamedTuple):
    """What a class of ours is called over there, its Instinct (0 to 99), and whether it has Loyalty."""

    words: str
    instinct: int
    loyalty: bool


class Protection(NamedTuple):
    """Armour Points and Damage Reduction of something worn or built in."""

    armor_points: int
    damage_reduction: int


class Weapon(NamedTuple):
    """A weapon over there: damage dice, range word, shots, wound table, and what the numbers do not say."""

    damage: str
    range: str
    shots: int
    wound: str
    note: str


class Profile(NamedTuple):
    """Everything that an export needs to know about one version of one system."""

    system: str
    version: str
    cores: Mapping[str, str]
    folders: tuple[str, ...]
    columns: tuple[str, ...]
    template: Mapping[str, Mapping[str, Mapping[str, object]]]
    actors: tuple[ActorKind, ...]
    combat_stat: str
    combat_divide: int
    loyalty: tuple[int, int, int]
    classes: Mapping[str, ContractorType]
    protection: Mapping[tuple[str, str], Protection]
    weapons: Mapping[str, Weapon]
    undeclared: Mapping[tuple[str, str], str]

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


class _Reader:
    """A table of the profile, read with the place in hand; a wrong kind is an error that names it."""

    def __init__(self, where: str, table: object) -> None:
        self.where = where
        if not isinstance(table, dict):
            raise PluginError("a profile needs a table here", plugin="foundry", where=where, found=table)
        self.table: dict[str, object] = table

    def get(self, key: str, kind: type, default: object = None) -> object:
        value = self.table.get(key, default)
        if not isinstance(value, kind):
            raise PluginError(
                "a profile entry is missing or of the wrong kind",
                plugin="foundry",
                where=f"{self.where}.{key}",
                found=value,
                expected=kind.__name__,
            )
        return value

    def text(self, key: str, default: str | None = None) -> str:
        return str(self.get(key, str, default))

    def number(self, key: str) -> int:
        value = self.get(key, int)
        assert isinstance(value, int)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.get(key, list)
        assert isinstance(value, list)
        return tuple(str(item) for item in value)

    def tables(self, key: str) -> dict[str, _Reader]:
        value = self.get(key, dict, {})
        assert isinstance(value, dict)
        return {str(name): _Reader(f"{self.where}.{key}.{name}", table) for name, table in value.items()}

    def rows(self, key: str) -> list[_Reader]:
        value = self.get(key, list, [])
        assert isinstance(value, list)
        return [_Reader(f"{self.where}.{key}[{row}]", table) for row, table in enumerate(value)]


def _actor_kind(row: _Reader) -> ActorKind:
    bars = row.texts("bars")
    if len(bars) != 2:
        raise PluginError("a token has two bars", plugin="foundry", where=f"{row.where}.bars", found=list(bars))
    trackers = {name: Pod(pod.text("pod"), pod.text("bad")) for name, pod in row.tables("trackers").items()}
    fixed = row.get("fixed", dict, {})
    assert isinstance(fixed, dict)
    return ActorKind(
        role=row.text("role"),
        type=row.text("type"),
        contractor=bool(row.get("contractor", bool, False)),
        needs=row.text("needs", "") or None,
        bars=(bars[0], bars[1]),
        trackers=trackers,
        fixed=fixed,
    )


def _flat_template(raw: Mapping[str, object]) -> dict[str, dict[str, dict[str, object]]]:
    """Return the declared fields by document kind and type, with the shared parts folded in."""
    flat: dict[str, dict[str, dict[str, object]]] = {}
    for document, section in raw.items():
        assert isinstance(section, dict)
        flat[document] = {}
        for kind in section["types"]:
            own = dict(section[kind])
            fields: dict[str, object] = {}
            for name in own.pop("templates", []):
                fields.update(section["templates"][name])
            flat[document][kind] = fields | own
    return flat


@cache
def load_profile(name: str) -> Profile:
    """Return the profile called ``name``, such as ``mosh-0.6.1``.

    Raises:
        PluginError: the profile's data file is missing an entry, or an entry is of the wrong kind.

    >>> load_profile("mosh-0.6.1").weapons["pulse_rifle"].damage
    '3d10'
    """
    folder = files(__package__) / "profiles"
    top = _Reader(name, tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8")))
    combat, loyalty = _Reader(f"{name}.combat", top.table.get("combat")), _Reader(name, top.table.get("loyalty"))
    cores = top.get("cores", dict)
    assert isinstance(cores, dict)
    return Profile(
        system=top.text("system"),
        version=top.text("version"),
        cores={str(core): str(build) for core, build in cores.items()},
        folders=top.texts("folders"),
        columns=top.texts("columns"),
        template=_flat_template(json.loads((folder / top.text("template")).read_text(encoding="utf-8"))),
        actors=tuple(_actor_kind(row) for row in top.rows("actors")),
        combat_stat=combat.text("stat"),
        combat_divide=combat.number("divide"),
        loyalty=(loyalty.number("dice"), loyalty.number("sides"), loyalty.number("plus")),
        classes={
            role: ContractorType(row.text("words"), row.number("instinct"), bool(row.get("loyalty", bool)))
            for role, row in top.tables("classes").items()
        },
        protection={
            (kind, key): Protection(row.number("armorPoints"), row.number("damageReduction"))
            for kind in ("armor", "bot")
            for key, row in top.tables(kind).items()
        },
        weapons={
            key: Weapon(
                row.text("damage"), row.text("range"), row.number("shots"), row.text("wound"), row.text("note", "")
            )
            for key, row in top.tables("weapon").items()
        },
        undeclared={(row.text("document"), row.text("path")): row.text("kind") for row in top.rows("undeclared")},
    )
