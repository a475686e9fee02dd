"""A campaign file: readable JSON beside the battle files; and what the command line asks of a game with campaigns.

What is written takes the place of the old file in one rename, so that a kill at any moment leaves the old one or the new one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from rallypoint.kernel.canonical import Value, canonical
from rallypoint.kernel.errors import InputError, StateError

from .battle_game import BattleGame, battle_game
from .command_line import Invocation
from .guard import GuardedModule

if TYPE_CHECKING:
    from rallypoint.content.scenario import Scenario
    from rallypoint.kernel.encounter import Encounter
    from rallypoint.kernel.state import State

__all__ = [
    "CampaignFile",
    "CampaignRules",
    "Fought",
    "Standing",
    "campaign_rules",
    "file_text",
    "is_battle",
    "opened",
    "placed",
    "saved",
]

FORM = "rallypoint campaign 1"
"""What a campaign file says it is, with the version of its form."""


class Fought(Protocol):
    """One battle of a campaign: its file and state hash, who won in which turn, what became of whom."""

    battle: str
    hash: str
    winner: str
    turn: int
    fates: Mapping[str, str]


class Standing(Protocol):
    """How a campaign stands, as its game says it; see :class:`rallypoint.disrupter.campaign_standing.Campaign`."""

    wins: int
    sides: Mapping[str, str]
    kinds: Mapping[str, str]
    holders: Mapping[str, str | None]
    reserves: Mapping[str, str]
    fought: Sequence[Fought]
    conceded: str | None

    def to_text(self) -> str:
        """Return it as a text of JSON."""


class Ending(Protocol):
    """How a campaign ended: a side or ``draw``, and why."""

    winner: str
    why: str


class CampaignRules(Protocol):
    """What the ``campaigns()`` of a game's module returns."""

    def start(self, key: str, state: State, *, wins: int, reserves: bool) -> Standing:
        """Return a campaign of the forces in a state."""

    def read(self, text: str) -> Standing:
        """Return the campaign that a text says."""

    def changes(self, campaign: Standing, state: State) -> Sequence[str]:
        """Name what is otherwise in the forces than when the campaign began."""

    def next_battle(self, campaign: Standing, scenario: Scenario, encounter: Encounter) -> tuple[Scenario, Encounter]:
        """Return what the next battle begins with."""

    def after(self, campaign: Standing, state: State, battle: str) -> Standing:
        """Return the campaign after a battle."""

    def replaced(self, campaign: Standing, choices: Mapping[str, str | None] | None) -> Standing:
        """Return the campaign with slots filled from the Reserve."""

    def concede(self, campaign: Standing, side: str) -> Standing:
        """Return the campaign after a side has given up."""

    def forgotten(self, campaign: Standing) -> Standing:
        """Return the campaign without what was taken in last."""

    def ending(self, campaign: Standing) -> Ending | None:
        """Return how a campaign ended, ``None`` while it goes on."""

    def slot_of(self, campaign: Standing, person: str) -> str:
        """Return the slot whose class and gear a person has."""


def campaign_rules(module: BattleGame, name: str) -> CampaignRules:
    """Return what a game says of campaigns.

    Raises:
        InputError: it has none.
    """
    asked = getattr(module, "campaigns", None)
    if asked is None:
        raise InputError("this game has no campaigns", found=name)
    return cast("CampaignRules", GuardedModule(name, asked()))


class CampaignFile(NamedTuple):
    """What a campaign file says, and the game's module and rules that it is played by.

    ``text`` is what was read; ``scenario`` is where the scenario is, seen from the file's folder; ``called`` are the words for sides
    and slots (``R-1A-2 Soldier``), ``standing`` is the game's.
    """

    path: Path
    text: str
    game: str
    title: str
    scenario: str
    called: Mapping[str, str]
    standing: Standing
    rules: CampaignRules

    def name(self, uid: str) -> str:
        """Return what somebody, a slot or a side is called."""
        if uid in self.called:
            return self.called[uid]
        slot = self.rules.slot_of(self.standing, uid)
        return f"Reserve {self.called[slot]}" if slot in self.called else uid

    def slot(self, said: str) -> str:
        """Return the slot that a code or a uid means; what is neither is returned as it is."""
        codes = {self.called[slot].partition(" ")[0].casefold(): slot for slot in self.standing.sides}
        return said if said in self.standing.sides else codes.get(said.casefold(), said)

    def in_codes(self, error: InputError) -> InputError:
        """Return an error that speaks of slots, and of persons by the slot they are like, in codes, as those who typed it do."""
        said = {slot: self.called[slot].partition(" ")[0] for slot in self.standing.sides if slot in self.called}
        said |= {person: said.get(slot, person) for person, slot in self.standing.reserves.items()}

        def codes(text: object) -> str:
            return ", ".join(said.get(part, part) for part in str(text).split(", "))

        where, found, expected = [
            None if part is None else codes(part) for part in (error.where, error.found, error.expected)
        ]
        return InputError(error.what, where=where, found=found, expected=expected, hint=error.hint)

    def person(self, said: str) -> str:
        """Return who in reserve is meant: a uid, or the code or uid of the slot whose class and gear he has."""
        like = {slot: uid for uid, slot in self.standing.reserves.items()}
        return said if said in self.standing.reserves else like.get(self.slot(said), said)


def opened(invocation: Invocation, path: str) -> CampaignFile:
    """Return what a campaign file says.

    Raises:
        InputError: it cannot be read, is none, or does not fit together.
        PluginError: its game is not there.
    """
    from rallypoint.content.source import read_text

    if is_battle(Path(path)):
        hint = "rallypoint campaign record CAMPAIGN BATTLE"
        raise InputError("this is a battle file, and the campaign comes first", path=path, hint=hint)
    text = read_text(path)
    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or not str(document.get("file", "")).startswith("rallypoint campaign"):
        hint = "rallypoint campaign new makes one"
        raise InputError("this is no campaign file", path=path, expected=f'JSON with "file": "{FORM}"', hint=hint)
    if document["file"] != FORM:
        raise InputError("a campaign file of another version", path=path, found=document["file"], expected=FORM)
    texts = [document.get(key) for key in ("game", "title", "scenario")]
    called = document.get("called")
    if not all(isinstance(each, str) for each in texts) or not isinstance(called, dict):
        raise InputError("this campaign file lacks something", path=path, expected="game, title, scenario, called")
    game, title, scenario = [str(each) for each in texts]
    rules = campaign_rules(battle_game(invocation, game), game)
    try:
        standing = rules.read(canonical(document.get("standing")))
    except StateError as error:
        hint = "it was changed by hand; an older copy of the file still reads"
        raise InputError(error.what, path=path, found=error.found, hint=hint) from None
    missing = [uid for uid in (*standing.sides, *standing.sides.values()) if not isinstance(called.get(uid), str)]
    if missing:
        raise InputError("this campaign file has no word for somebody", path=path, found=missing[0], expected="called")
    return CampaignFile(Path(path), text, game, title, scenario, called, standing, rules)


def is_battle(path: Path) -> bool:
    """Say whether this is a battle file, by how SQLite begins its files."""
    try:
        with path.open("rb") as stream:
            return stream.read(16) == b"SQLite format 3\0"
    except (OSError, ValueError):
        return False


def file_text(file: CampaignFile) -> str:
    """Return a campaign as its file says it."""
    standing: Value = json.loads(file.standing.to_text())
    document = {
        "file": FORM,
        "game": file.game,
        "title": file.title,
        "scenario": file.scenario,
        "called": file.called,
        "standing": standing,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def saved(file: CampaignFile, *, dry: bool) -> None:
    """Write a campaign file, whole or not at all; with ``dry`` only make sure that it could be.

    Raises:
        InputError: it cannot be written, or somebody has written to it since it was read; it is left as it is.
    """
    from rallypoint.content.source import read_text

    from .writing import write_files

    try:
        content = file_text(file).encode("utf-8")
    except UnicodeEncodeError as error:
        found = f"U+{ord(error.object[error.start]):04X}"
        raise InputError("this campaign has a sign that no file can hold", path=str(file.path), found=found) from None
    if (read_text(file.path) if file.path.exists() else "") != file.text:
        hint = "nothing was changed; look at it with campaign show, and try again"
        raise InputError("somebody has written to this campaign meanwhile", path=str(file.path), hint=hint)
    if not dry:
        write_files(file.path.parent, {file.path.name: content}, through_links=True)


def placed(file: Path, other: str) -> str:
    """Return where another file is, seen from the folder of a campaign file; from one disk to another, where it is at all."""
    try:
        found = os.path.relpath(other, file.parent)
    except ValueError:
        found = str(Path(other).resolve())
    return found.replace(os.sep, "/")
