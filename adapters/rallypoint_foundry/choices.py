"""The exporter's options: which profile, which core generation, what the numbers mean, and whether to pack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rallypoint.kernel.errors import InputError

from .mapping import Profile, Terms
from .profile import SHIPPED, load_profile, read_profile
from .profile_reader import guess

__all__ = ["COMBAT", "LEGAL_PAIRS", "MEANINGS", "Choice", "chosen"]

LEGAL_PAIRS: tuple[tuple[str, str], ...] = (
    ("mosh-0.5.27", "12"),
    ("mosh-0.6.1", "13"),
    ("mosh-0.6.1", "14"),
    ("mothershiprpg-0.1.0", "13"),
    ("mothershiprpg-0.1.0", "14"),
)
"""Shipped system and core generation that go together."""

MEANINGS = ("contractor", "disrupter")
"""What the numbers on the sheets can mean; the first is the default."""

COMBAT = ("half", "equal", "archetype")
"""What a contractor's Combat can be; the first is the default."""

_OPTIONS = ("profile", "core", "as", "pack", "combat", "revolver-bonus", "anti-armor")


class Choice(NamedTuple):
    """The options, understood."""

    profile: Profile
    core: str
    meaning: str
    pack: bool
    terms: Terms = Terms()


def _pairs(profile: Profile) -> str:
    own = [f"{profile.name} with core {core}" for core in profile.cores]
    pairs = [f"{system} with core {core}" for system, core in LEGAL_PAIRS]
    return ", ".join([*pairs, *[pair for pair in own if pair not in pairs]])


def _core(options: Mapping[str, str], profile: Profile) -> str:
    """Return the core: the one asked for, else 13 where the system runs on it, else the newest that it runs on."""
    core = options.get("core") or ("13" if "13" in profile.cores else max(profile.cores, default=""))
    if core not in profile.cores:
        raise InputError(
            "this system and core do not go together",
            where="options profile and core",
            found=f"{profile.name} with core {core}",
            expected=_pairs(profile),
            hint=guess(core, profile.cores),
        )
    return core


def chosen(options: Mapping[str, str]) -> Choice:
    """Return what the options say.

    ``profile`` is the name of a shipped profile or the path of a TOML file, ``core`` a generation, ``as`` one of
    :data:`MEANINGS`, ``pack`` ``true`` or ``false``, ``combat`` one of :data:`COMBAT`, ``revolver-bonus`` and ``anti-armor``
    ``true`` or ``false``; each may be left out.

    Raises:
        InputError: an option is unknown, or its value, or system and core do not go together.
    """
    for name in options:
        if name not in _OPTIONS:
            hint = "the system is chosen by its profile" if name == "system" else guess(name, _OPTIONS)
            raise InputError(
                "the Foundry exporter has no such option", found=name, expected=", ".join(_OPTIONS), hint=hint
            )
    named = options.get("profile") or SHIPPED[0]
    profile = read_profile(named) if named.endswith(".toml") else load_profile(named)
    meaning = options.get("as") or MEANINGS[0]
    if meaning not in profile.conversions:
        raise InputError(
            "the numbers cannot mean that",
            where="option as",
            found=meaning,
            expected=" or ".join(profile.conversions),
            hint=guess(meaning, profile.conversions),
        )
    pack = _switch(options, "pack", False)
    return Choice(profile, _core(options, profile), meaning, pack, _terms(options, profile, meaning))


def _switch(options: Mapping[str, str], name: str, otherwise: bool) -> bool:
    said = options.get(name) or str(otherwise).lower()
    if said not in ("true", "false"):
        raise InputError("yes or no", where=f"option {name}", found=said, expected="true or false")
    return said == "true"


def _terms(options: Mapping[str, str], profile: Profile, meaning: str) -> Terms:
    combat = options.get("combat") or COMBAT[0]
    if combat not in COMBAT:
        raise InputError(
            "Combat cannot be that",
            where="option combat",
            found=combat,
            expected=" or ".join(COMBAT),
            hint=guess(combat, COMBAT),
        )
    terms = Terms(combat, _switch(options, "revolver-bonus", True), _switch(options, "anti-armor", False))
    sources = [rule.source for rule in profile.conversions[meaning].stats]
    if terms != Terms() and "combat" not in sources:
        raise InputError(
            "there are no contractors whose Combat and weapons could be chosen",
            where="options combat, revolver-bonus and anti-armor",
            found=f"{profile.name} as {meaning}",
            expected=f"--as {MEANINGS[0]}",
        )
    return terms
