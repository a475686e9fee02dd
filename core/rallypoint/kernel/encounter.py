"""What adapters see of a force: the state, and a sheet for each entity.

A game fills the sheets; an adapter maps them through its profiles. So every adapter serves every game.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .board import Board
from .canonical import EMPTY, Value
from .dice import Die
from .parts import Hex
from .state import State

__all__ = ["FOLDER", "SENT", "SIDE", "Encounter", "Export", "Gear", "Imported", "Page", "Sheet", "Table", "TableRow"]

FOLDER = "{folder}"
"""What stands in an exporter's next steps for the folder that the files are in by then."""

SENT = "sent"
"""The attribute of an imported entity that says what its trackers were last sent as, by name; see :class:`Imported`."""

SIDE = "side"
"""The attribute of an imported entity that says on which side it is, where the files do not say what it belongs to."""


class Gear(NamedTuple):
    """One thing that a unit carries, wears or is.

    ``kind`` is the game's word (``weapon``, ``armor``, ``bot``), ``key`` the machine name (``pulse_rifle``), ``title`` the
    name that people read, ``facts`` the numbers and traits; a fact ``left_out`` names those of them that do not count under the
    rules in force, and that nobody need read.
    """

    kind: str
    key: str
    title: str
    facts: Mapping[str, Value] = EMPTY


class Sheet(NamedTuple):
    """What a person would read about an entity.

    ``role`` is the game's word for what the entity is (``Soldier``, ``Team``), ``code`` the short label on its base
    (``R-1A``), ``stats`` are numbers that do not change in play, ``picture`` is a URL or a path.
    """

    uid: str
    name: str
    role: str
    code: str
    stats: Mapping[str, int] = EMPTY  # type: ignore[assignment]
    gear: tuple[Gear, ...] = ()
    notes: tuple[str, ...] = ()
    picture: str | None = None


class Page(NamedTuple):
    """Something to read at the table: a platoon card, the rules in force. ``html`` is a fragment, without head or body."""

    key: str
    title: str
    html: str


class TableRow(NamedTuple):
    """The faces ``low`` to ``high`` of a table's die, and what they mean: a machine name, and words for people."""

    low: int
    high: int
    key: str
    title: str


class Table(NamedTuple):
    """A table that dice are rolled on: its die and its rows, which cover each face once."""

    key: str
    title: str
    die: Die
    rows: tuple[TableRow, ...]


class Encounter(NamedTuple):
    """A state with its sheets, ready to be exported.

    ``key`` names the encounter and goes into every VTT id; ``game`` is the machine name of the game that made it.
    ``board`` is where it takes place, ``None`` for a force that is not on a board yet. ``pages`` and ``tables`` are what
    people read and roll on besides. ``zones`` are the hexes in which each side begins, by its uid. ``left_out`` are things
    that nobody needs to write down under the rules in force, by name: a card leaves no room for them. They are names of stats,
    trackers, numbers and traits of weapons, and ``orders``.
    """

    key: str
    title: str
    game: str
    state: State
    sheets: Mapping[str, Sheet]
    board: Board | None = None
    pages: tuple[Page, ...] = ()
    tables: tuple[Table, ...] = ()
    zones: Mapping[str, tuple[Hex, ...]] = EMPTY  # type: ignore[assignment]
    left_out: tuple[str, ...] = ()


class Export(NamedTuple):
    """What an exporter made, in memory: nothing is written until all of it is known to be right.

    ``files`` maps a relative path with forward slashes to the bytes of the file. ``counts`` add up: what was read is what
    was made plus what was left out. ``left_out`` names each thing that has no home there and why; ``notes`` say what the
    reader must know; ``next_steps`` say what to do with the files, with :data:`FOLDER` before their names. ``owns`` are folders inside that hold a
    database and that the export puts files into: the files that a database left there before go (by their names; anything
    else stays), each is named, and while a program holds a file ``LOCK`` there nothing is written.
    """

    files: Mapping[str, bytes]
    counts: Mapping[str, int]
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    owns: tuple[str, ...] = ()

    def steps_in(self, folder: str) -> tuple[str, ...]:
        """Return the next steps, for files that are in a folder.

        >>> Export({}, {}, next_steps=("Open {folder}/a.json",)).steps_in("for-me")
        ('Open for-me/a.json',)
        """
        return tuple([each.replace(FOLDER, folder) for each in self.next_steps])


class Imported(NamedTuple):
    """What an importer read out of files, in memory: nothing of ours is changed by reading.

    ``encounter`` holds what was found, as far as the files say it. ``encounter.game`` is the game whose words its facts,
    stats and gear are in: a file of ours that carries everything gives the game's own, an actor that never was one of ours
    gives those of its system, and a converter (``[[converters]]`` of a manifest) turns the one into the other. An entity
    with the uid of a known unit may carry trackers alone.

    A tracker holds the value that the table says *now*, in the game's own terms: where a VTT cannot show the true value
    (a minimum of 2) and nobody has changed what it showed, that is the true value. ``attributes[SENT]`` of an
    entity maps names of trackers to the values that were last sent there: a tracker that is still equal to it is no edit.
    A tracker that is not in it counts as edited.

    ``counts`` add up: what was read is what is in the encounter plus what was left out. ``left_out`` names each thing
    that was not understood and why; ``conflicts`` each value that copies disagree on: it is not in the encounter.
    """

    encounter: Encounter
    counts: Mapping[str, int]
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
