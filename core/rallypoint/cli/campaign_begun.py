"""Battles of a campaign that have begun and are not recorded: found in its folder, by what their first entry says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.errors import RallypointError

from .campaign_file import CampaignFile, is_battle

__all__ = ["Begun", "begun_battles", "belonging"]


class Begun(NamedTuple):
    """A battle file of a campaign, which battle of it that is, and how many entries its log has."""

    path: Path
    number: int
    entries: int

    @property
    def words(self) -> str:
        """What there is to say of it."""
        return f"battle {self.number} has begun in {self.path.name}, and is not recorded"


def belonging(file: CampaignFile) -> Mapping[str, object]:
    """Return what the first entry of the next battle says of its campaign."""
    return {"campaign": {"file": file.path.name, "number": len(file.standing.fought) + 1}}


def begun_battles(file: CampaignFile) -> Sequence[Begun]:
    """Return the next battle of a campaign, where it has begun: once, or more than once.

    Only files in the campaign's own folder are known, and only if they were begun by ``campaign battle``.
    """
    from rallypoint.kernel.battle_file import BattleFile

    recorded = {(file.path.parent / each.battle).resolve() for each in file.standing.fought}
    number, found = len(file.standing.fought) + 1, list[Begun]()
    for path in sorted(file.path.parent.iterdir()):
        if path.resolve() in recorded or not path.is_file() or not is_battle(path):
            continue
        try:
            with BattleFile(path) as battle:
                entries = battle.entries()
        except (RallypointError, OSError, ValueError):  # no battle, or a damaged one: that is not what was asked
            continue
        if _campaign_of(entries[0].body) == (file.path.name, number):
            found.append(Begun(path, number, len(entries)))
    return found


def _campaign_of(body: Mapping[str, Value]) -> tuple[object, object] | None:
    about = body.get("about")
    said = about.get("campaign") if isinstance(about, Mapping) else None
    return (said.get("file"), said.get("number")) if isinstance(said, Mapping) else None
