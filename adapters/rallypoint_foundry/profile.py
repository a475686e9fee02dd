"""Profiles from their TOML files: those that are shipped, and those that people write for a system of their own."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from rallypoint.kernel.errors import InputError

from .mapping import (
    ActorKind,
    ArmorItem,
    ContractorType,
    Conversion,
    Fields,
    Pod,
    Profile,
    Protection,
    StatRule,
    Weapon,
    WeaponItem,
    field,
)
from .profile_reader import Reader, guess, merged

__all__ = ["SHIPPED", "load_profile", "read_profile", "read_template"]

SHIPPED = ("mosh-0.6.1", "mosh-0.5.27", "mothershiprpg-0.1.0")
"""The profiles that come with the program; the first is the default."""

_MEANINGS = ("contractor", "disrupter")


@cache
def load_profile(name: str) -> Profile:
    """Return the shipped profile called ``name``, such as ``mosh-0.6.1``.

    Raises:
        InputError: there is none of that name.
        PluginError: the profile's data file is missing an entry, or an entry is of the wrong kind.

    >>> load_profile("mosh-0.6.1").weapons["pulse_rifle"].damage
    '3d10'
    """
    return _profile(_shipped(name, "profile"), name, None)


@cache
def _shipped_text(name: str) -> str:
    return (files(__package__) / "profiles" / name).read_text(encoding="utf-8")


def _shipped(name: str, where: str) -> dict[str, object]:
    if name not in SHIPPED:
        hint = guess(name, SHIPPED) or "a profile of your own is named by its file, NAME.toml"
        raise InputError("there is no such profile", where=where, found=name, expected=", ".join(SHIPPED), hint=hint)
    table = tomllib.loads(_shipped_text(f"{name}.toml"))
    base = table.pop("extends", None)
    template = read_template(json.loads(_shipped_text(str(table["template"]))))
    table = merged(_shipped(base, name), table) if isinstance(base, str) else table
    return {**table, "template": template}


def read_profile(path: str) -> Profile:
    """Return the profile in a TOML file; its ``template`` is a file beside it, or that of the profile it extends.

    Raises:
        InputError: the file or its template cannot be read or understood.
    """
    table = _toml(path)
    base = table.pop("extends", None)
    named = table.pop("template", None)
    if base is not None:
        table = merged(_shipped(str(base), f"{path}: extends"), table)
    if named is not None:
        table["template"] = _template_of(path, str(named))
    if "template" not in table:
        hint = 'template = "template.json" names the file of your system, beside the profile'
        raise InputError(
            "a profile needs a template", path=path, expected='template or extends = "mosh-0.6.1"', hint=hint
        )
    return _profile(table, path, path)


def _read(path: str, what: str) -> str:
    try:
        return Path(path).read_bytes().decode("utf-8").removeprefix("\ufeff")
    except OSError as error:
        raise InputError(f"the {what} cannot be read", path=path, found=error.strerror) from None
    except UnicodeDecodeError as error:
        raise InputError(f"the {what} is not UTF-8", path=path, found=f"byte {error.start}") from None


def _toml(path: str) -> dict[str, object]:
    try:
        return tomllib.loads(_read(path, "profile"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = re.search(r"line (\d+)", str(error))
        what = f"this is not TOML: {str(error).split(' (at')[0]}"
        raise InputError(what, path=path, line=int(line[1]) if line else None) from None


def _template_of(path: str, named: str) -> Mapping[str, Mapping[str, Fields]]:
    place = str(Path(path).parent / named)
    try:
        return read_template(json.loads(_read(place, "template")))
    except json.JSONDecodeError as error:
        raise InputError(f"this is not JSON: {error.msg}", path=place, line=error.lineno) from None
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        hint = "a system without template.json needs one written by hand: types, and a table of fields for each"
        raise InputError("this is no template.json", path=place, found=repr(error), hint=hint) from None


def read_template(raw: Mapping[str, object]) -> dict[str, dict[str, Fields]]:
    """Return the declared fields by document and type, with the shared parts folded in.

    >>> read_template({"Item": {"types": ["a"], "templates": {"base": {"x": 1}}, "a": {"templates": ["base"], "y": 2}}})
    {'Item': {'a': {'x': 1, 'y': 2}}}
    """
    flat: dict[str, dict[str, Fields]] = {}
    for document, section in raw.items():
        if not isinstance(section, dict):
            raise TypeError(document)
        flat[document] = {}
        for kind in section["types"]:
            own = dict(section.get(kind, {}))
            fields: dict[str, object] = {}
            for name in own.pop("templates", []):
                fields.update(section["templates"][name])
            flat[document][kind] = fields | own
    return flat


def _actor_kind(row: Reader) -> ActorKind:
    bars = row.texts("bars")
    if len(bars) != 2:
        raise row.fault("a token has two bars", "bars", found=list(bars))
    trackers = {}
    for name, pod in row.tables("trackers").items():
        trackers[name] = Pod(pod.text("pod"), pod.word("bad", ("up", "down")))
        pod.done()
    kind = ActorKind(
        role=row.text("role"),
        type=row.text("type"),
        combatant=row.switch("combatant", False),
        needs=row.text("needs", "") or None,
        bars=(bars[0], bars[1]),
        trackers=trackers,
        fixed=row.plain("fixed"),
        notes=row.text("notes"),
        derived=row.text("derived", "") or None,
    )
    row.done()
    return kind


def _stat_rule(row: Reader) -> StatRule:
    source = row.word("from", ("stat", "combat", "class", "loyalty", "armor"))
    rule = StatRule(
        path=row.text("path", "") or None,
        enabled=row.text("enabled", "") or None,
        source=source,
        stat=row.text("stat", None if source in ("stat", "combat") else ""),
        divide=row.number("divide", 1),
    )
    if rule.divide < 1:
        raise row.fault("a number is divided by 1 or more", "divide", found=rule.divide)
    row.done()
    return rule


def _conversion(name: str, row: Reader) -> Conversion:
    found = Conversion(
        name=name,
        armor=row.word("armor", ("items", "stat")),
        dice=row.switch("dice"),
        stats=tuple(_stat_rule(rule) for rule in row.rows("stats")),
        fixed=row.plain("fixed"),
    )
    row.done()
    return found


def _weapons(top: Reader) -> Iterator[tuple[str, Weapon]]:
    for key, row in top.tables("weapon").items():
        yield (
            key,
            Weapon(
                row.text("damage"),
                row.text("range"),
                row.number("shots"),
                row.text("wound"),
                row.text("note", ""),
                row.text("plain", ""),
                row.switch("antiArmor", False),
            ),
        )
        row.done()


def _protection(top: Reader) -> Iterator[tuple[tuple[str, str], Protection]]:
    for kind in ("armor", "bot"):
        for key, row in top.tables(kind).items():
            yield (kind, key), Protection(row.number("armorPoints"), row.number("damageReduction"))
            row.done()


def _classes(top: Reader) -> Iterator[tuple[str, ContractorType]]:
    for role, row in top.tables("classes").items():
        combat = row.number("combat") if "combat" in row.table else None
        yield role, ContractorType(row.text("words"), row.number("instinct"), row.switch("loyalty"), combat)
        row.done()


def _items(top: Reader) -> tuple[WeaponItem, ArmorItem]:
    items = top.inner("items")
    one, two = items.inner("weapon"), items.inner("armor")
    words = {key: str(value) for key, value in one.plain("ranges").items()}
    lists = [one.texts(key, []) for key in ("damage", "range", "shots", "wound")]
    weapon = WeaponItem(one.text("type"), lists[0], lists[1], lists[2], lists[3], words, one.texts("antiArmor", []))
    lists = [two.texts(key, []) for key in ("points", "reduction", "worn", "speed")]
    armor = ArmorItem(two.text("type"), lists[0], lists[1], lists[2], lists[3])
    for reader in (one, two, items):
        reader.done()
    return weapon, armor


def _profile(table: dict[str, object], where: str, path: str | None) -> Profile:
    top = Reader("profile" if path else where, table, path)
    if top.number("profile") != 1:
        raise top.fault("a profile of another form", "profile", found=top.table["profile"], expected=1)
    template = top.plain("template")
    undeclared = top.rows("undeclared")
    keys = [(row.text("document"), row.text("path"), row.text("kind"), row.text("source")) for row in undeclared]
    loyalty = top.inner("loyalty")
    weapon_item, armor_item = _items(top)
    conversions = {name: _conversion(name, row) for name, row in top.tables("as").items()}
    for name in conversions:
        if name not in _MEANINGS:
            raise top.fault(
                "not one of the words", "as", found=name, expected=" or ".join(_MEANINGS), hint=guess(name, _MEANINGS)
            )
    profile = Profile(
        system=top.text("system"),
        version=top.text("version"),
        cores={core: str(build) for core, build in top.plain("cores").items()},
        folders=top.texts("folders"),
        columns=top.texts("columns"),
        template=template,  # type: ignore[arg-type]
        actors=tuple(_actor_kind(row) for row in top.rows("actors")),
        conversions=conversions,
        loyalty=(loyalty.number("dice"), loyalty.number("sides"), loyalty.number("plus")),
        classes=dict(_classes(top)),
        protection=dict(_protection(top)),
        weapons=dict(_weapons(top)),
        weapon_item=weapon_item,
        armor_item=armor_item,
        tables={key: str(value) for key, value in top.plain("tables").items()},
        undeclared={(document, where): kind for document, where, kind, _ in keys},
        sources={(document, where): source for document, where, _, source in keys},
    )
    for reader in (*undeclared, loyalty, top):
        reader.done()
    _check_cores(top, profile)
    _check_paths(top, profile)
    return profile


def _check_cores(top: Reader, profile: Profile) -> None:
    for core, build in profile.cores.items():
        if core not in ("12", "13", "14") or build.partition(".")[0] != core:
            expected = 'a core generation from 12 to 14 with a build of its own, as in 13 = "13.351"'
            raise top.fault("no such core", f"cores.{core}", found=build, expected=expected)


def _check_paths(top: Reader, profile: Profile) -> None:
    """Make sure that every field which the profile writes stands in the template or in its list of undeclared keys."""
    for place, section, kind, path in _paths(profile):
        fields = profile.template.get(section, {}).get(kind)
        if fields is None:
            kinds = list(profile.template.get(section, {}))
            raise top.fault(
                f"the template has no such {section} type",
                place,
                found=kind,
                expected=", ".join(kinds),
                hint=guess(kind, kinds),
            )
        try:
            field(fields, path)
        except KeyError:
            if (kind, path) not in profile.undeclared:
                known = list(_leaves(fields))
                expected = f"a field of {kind} in the template, or a row of [[undeclared]] that says where it is from"
                raise top.fault(
                    "the template has no such field", place, found=path, expected=expected, hint=guess(path, known)
                ) from None


def _paths(profile: Profile) -> Iterator[tuple[str, str, str, str]]:
    for row, kind in enumerate(profile.actors):
        pods = {*kind.bars, *[pod.path for pod in kind.trackers.values()], *([kind.derived] if kind.derived else [])}
        needed = [f"{pod}.{key}" for pod in sorted(pods) for key in ("value", "max")]
        for path in [kind.notes, *sorted(pods), *needed, *kind.fixed]:
            yield f"actors[{row}]", "Actor", kind.type, path
        if kind.combatant:
            for name, conversion in profile.conversions.items():
                paths = [path for rule in conversion.stats for path in (rule.path, rule.enabled) if path is not None]
                for path in [*paths, *conversion.fixed]:
                    yield f"as.{name}", "Actor", kind.type, path
    weapon, armor = profile.weapon_item, profile.armor_item
    for path in (*weapon.damage, *weapon.range, *weapon.shots, *weapon.wound, *weapon.anti_armor, "description"):
        yield "items.weapon", "Item", weapon.type, path
    for path in (*armor.points, *armor.reduction, *armor.worn, *armor.speed, "description"):
        yield "items.armor", "Item", armor.type, path


def _leaves(fields: Mapping[str, object], before: str = "") -> Iterator[str]:
    for key, value in fields.items():
        yield before + key
        if isinstance(value, dict):
            yield from _leaves(value, f"{before}{key}.")
