"""The exporter's options: which profile, which core generation, what the numbers mean, and whether to pack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rallypoint.kernel.errors import InputError

from .mapping import Profile
from .profile import SHIPPED, load_profile, read_profile
from .profile_reader import guess

__all__ = ["LEGAL_PAIRS", "MEANINGS", "Choice", "chosen"]

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

_OPTIONS = ("profile", "core", "as", "pack")


class Choice(NamedTuple):
    """The options, understood."""

    profile: Profile
    core: str
    meaning: str
    pack: bool


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
    :data:`MEANINGS`, ``pack`` ``true`` or ``false``; each may be left out.

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
    pack = options.get("pack") or "false"
    if pack not in ("true", "false"):
        raise InputError("yes or no", where="option pack", found=pack, expected="true or false")
    return Choice(profile, _core(options, profile), meaning, pack == "true")
