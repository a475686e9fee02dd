"""Battles of a campaign that have begun and are not recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from .battles import said, say

AUTO = ("--seat", "red=auto", "--seat", "blue=auto")


@pytest.fixture
def campaign(home: Path) -> Path:
    said("campaign", "new", "skirmish.toml", "-o", "f.campaign", "--wins", "3")
    return home / "f.campaign"


def test_a_battle_that_has_begun_is_shown_until_it_is_recorded(campaign: Path) -> None:
    assert "has begun" not in said("campaign", "show", "f.campaign")
    said("campaign", "battle", "f.campaign", "-o", "c1.battle", "--seed", "1", *AUTO)
    out = said("campaign", "show", "f.campaign")
    assert "  battle 1 has begun in c1.battle, and is not recorded\n" in out
    last = "Next: rallypoint battle play c1.battle; when it is over: rallypoint campaign record f.campaign c1.battle"
    assert out.splitlines()[-1] == last
    assert say("campaign", "show", "f.campaign", "--json").document["begun"] == [
        {"number": 1, "file": "c1.battle", "entries": 1}
    ]
    said("battle", "step", "c1.battle")
    said("campaign", "record", "f.campaign", "c1.battle")
    assert "has begun" not in said("campaign", "show", "f.campaign")


def test_a_second_start_of_the_same_battle_is_told(campaign: Path) -> None:
    said("campaign", "battle", "f.campaign", "-o", "c1.battle", "--seed", "1")
    out = said("campaign", "battle", "f.campaign", "-o", "other.battle", "--seed", "1")
    assert "Note: battle 1 has begun in c1.battle, and is not recorded; this begins it another time\n" in out


def test_other_battles_and_other_files_are_none_of_it(campaign: Path) -> None:
    said("battle", "new", "skirmish.toml", "-o", "alone.battle", "--seed", "1")
    said("campaign", "new", "skirmish.toml", "-o", "g.campaign", "--wins", "3")
    said("campaign", "battle", "g.campaign", "-o", "g1.battle", "--seed", "1")
    (campaign.parent / "broken.battle").write_bytes(b"SQLite format 3\0 and no more")
    assert "has begun" not in said("campaign", "show", "f.campaign")


def test_a_battle_in_which_nobody_is_asked_goes_on_with_step(home: Path) -> None:
    assert said("battle", "new", "skirmish.toml", "-o", "a.battle", *AUTO).endswith(
        "Next: rallypoint battle step a.battle\n"
    )
    out = said("battle", "new", "skirmish.toml", "-o", "b.battle", *AUTO, "--dice", "typed")
    assert out.endswith("Next: rallypoint battle play b.battle\n")
