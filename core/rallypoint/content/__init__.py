"""Readers and writers of what people write: rosters and tables of equipment. It knows no game; a game brings its own catalogue."""

from __future__ import annotations

from .catalogue import Catalogue, Item, Stat
from .content import Content, changes
from .content_files import read_content
from .force import Force, Platoon, Remark, Squad, Team, Unit, same_force
from .moved import Moves, moves, with_frozen_uids
from .problems import PageError
from .rosters import Form, form_of, parse_force, read_force, write_force
from .source import read_text

__all__ = [
    "Catalogue",
    "Content",
    "Force",
    "Form",
    "Item",
    "Moves",
    "PageError",
    "Platoon",
    "Remark",
    "Squad",
    "Stat",
    "Team",
    "Unit",
    "changes",
    "form_of",
    "moves",
    "parse_force",
    "read_content",
    "read_force",
    "read_text",
    "same_force",
    "with_frozen_uids",
    "write_force",
]
