"""The tables of Disrupter as a catalogue: classes, weapons, armour, bots, vehicles.

The numbers stand in ``tables/*.toml`` beside this module, with their source.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

from rallypoint.content.catalogue import Catalogue, Item, Kind, Stat
from rallypoint.content.equipment_table import read_equipment_table
from rallypoint.content.sentences import read_sentences

__all__ = ["COLUMNS", "STATS", "TRAIT_RULES", "catalogue"]

COLUMNS: dict[Kind, tuple[str, ...]] = {
    "class": ("I",),
    "weapon": ("T", "C", "M", "L", "Max"),
    "armor": ("A", "W", "M"),
    "bot": ("A", "W", "M"),
    "vehicle": ("A", "M", "C", "Cap", "Slots"),
}
"""The numbers of each kind, in the order in which the rules print them (D-EQ-D3)."""

STATS = {
    "I": Stat("instinct", of_class=True),
    "A": Stat("armor"),
    "W": Stat("wounds", least=1),  # at W Wounds a unit is out (D-R6.4): with none it never was there
    "M": Stat("movement"),
}
"""The numbers that a unit may have of its own, by the letters of the tables (Rule 6)."""

TRAIT_RULES = {"commands_platoon": "D-R9.1", "commands_squad": "D-R9.2", "requires_armor": "D-EQ-T2"}
"""The rules behind the traits that a roster is checked for."""

_FILES: dict[Kind, str] = {
    "class": "classes.toml",
    "weapon": "weapons.toml",
    "armor": "armor.toml",
    "bot": "bots.toml",
    "vehicle": "vehicles.toml",
}


@cache
def catalogue() -> Catalogue:
    """Return everything that Disrupter's tables know; read once, on the first call.

    >>> catalogue().weapons["pulse_rifle"].numbers["Max"]
    4
    """
    folder = resources.files("rallypoint.disrupter") / "tables"
    items: list[Item] = []
    for kind, name in _FILES.items():
        items += read_equipment_table((folder / name).read_text("utf-8"), f"tables/{name}", kind, COLUMNS[kind])
    sentences = read_sentences((folder / "sentences.toml").read_text("utf-8"), "tables/sentences.toml")
    return Catalogue(items, TRAIT_RULES, columns=COLUMNS, stats=STATS, sentences=sentences)
