"""The rulings of this plugin, read from the options of a battle; all of them are off by default."""

from __future__ import annotations

from collections.abc import Mapping

from rallypoint.disrupter.rulings import number
from rallypoint.kernel.canonical import Value

__all__ = ["DEFAULTS", "ONE_ROLL", "choice", "figures_count", "is_on", "least_stress", "one_roll", "rolls_dice"]

DEFAULTS: Mapping[str, str] = {
    "D-MO-R16.1": "off",
    "D-MO-R16.2": "off",
    "D-MO-R16.2.armor": "points",
    "D-MO-R16.2.cover": "save",
    "D-MO-R16.2.revolver": "1d10+1",
    "D-MO-R16.2.anti_armor": "off",
    "D-MO-R16.3": "off",
    "D-MO-R16.4": "off",
    "D-MO-SF": "off",
    "D-MO-PC": "off",
    "D-MO-PC.stress": "own",
    "D-MO-PC.death": "off",
}
"""What holds where nothing is chosen, by ruling; the manifest says the same with the other choices."""

_ON = {"D-MO-R16.2": "dice", "D-MO-R16.2.armor": "points", "D-MO-R16.2.cover": "points", "D-MO-PC.stress": "own"}
"""The choice that :func:`is_on` asks for, where it is not ``on``."""

ONE_ROLL = ("D-SL-R16.2", "D-VA-R16.1")
"""The one-roll variants; they are rulings of another plugin."""


def choice(options: Mapping[str, Value], ruling: str) -> str:
    """Return the choice in force for a ruling of this plugin."""
    return str(options.get(ruling, DEFAULTS[ruling]))


def is_on(options: Mapping[str, Value], ruling: str) -> bool:
    """Say whether a ruling with two choices is at the one that does something here."""
    return choice(options, ruling) == _ON.get(ruling, "on")


def rolls_dice(options: Mapping[str, Value]) -> bool:
    """Say whether damage is rolled (D-MO-R16.2)."""
    return is_on(options, "D-MO-R16.2")


def figures_count(options: Mapping[str, Value]) -> bool:
    """Say whether PCs and horrors are something else than contractors."""
    return is_on(options, "D-MO-PC")


def one_roll(options: Mapping[str, Value]) -> bool:
    """Say whether a one-roll variant is chosen (D-MO-R16.1)."""
    return any(options.get(ruling, "off") != "off" for ruling in ONE_ROLL)


def least_stress(options: Mapping[str, Value]) -> int:
    """Return the least Stress that anybody can have (D-AMB-08)."""
    return number(options, "D-AMB-08.min")
