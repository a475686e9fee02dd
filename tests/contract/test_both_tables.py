"""One battle before two tables at once: the fake Foundry and a room of Owlbear. They end equal on all three sides."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from .both_tables import play
from .foundry_world import FoundryWorld
from .owlbear_world import OwlbearWorld
from .world import World

EDITS = 200


@pytest.mark.parametrize("seed", [1, 2])
def test_two_hundred_edits_on_each_side_end_in_agreement(tmp_path: Path, seed: int) -> None:
    (tmp_path / "foundry").mkdir()
    worlds: list[World] = [FoundryWorld(tmp_path / "foundry"), OwlbearWorld(tmp_path)]
    played = play(tmp_path, worlds, EDITS, random.Random(seed))
    assert played.differing == ()
    assert played.is_done
    assert played.people == {"somebody at foundry", "somebody at owlbear"}
    assert played.conflicts > 10  # they did get in each other's way
