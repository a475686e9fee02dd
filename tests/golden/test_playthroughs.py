"""The golden playthroughs are what the rules say today, line for line."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest

from rallypoint.kernel.replay import replay

from .playthroughs import PLAYTHROUGHS, text_of

HERE = Path(__file__).parent


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_a_battle_is_what_was_written_down(name: str) -> None:
    battle = PLAYTHROUGHS[name]()
    written = (HERE / f"{name}.txt").read_text("utf-8")
    found = text_of(battle)
    if found != written:
        diff = difflib.unified_diff(written.splitlines(), found.splitlines(), "written", "now", lineterm="", n=2)
        shown = "\n".join(list(diff)[:60])
        pytest.fail(f"{shown}\n\nif this is meant: python -m tests.golden.remake, and read the diff", pytrace=False)
    assert replay(battle.history.entries, battle.game).hash == battle.state.digest


def test_every_file_is_of_a_playthrough() -> None:
    assert {path.stem for path in HERE.glob("*.txt")} == set(PLAYTHROUGHS)


def test_they_show_the_phases_of_the_rules() -> None:
    """What a reader should find in them; a playthrough that no longer gets there shows nothing."""
    text = "".join((HERE / f"{name}.txt").read_text("utf-8") for name in PLAYTHROUGHS)
    for kind in (
        "order.given",
        "code_word.agreed",
        "turn.initiative",
        "turn.group",
        "move.step",
        "react.fire",
        "fire.hit",
        "fire.miss",
        "wounds",
        "unit.removed",
        "panic.check",
        "cover.taken",
        "stress",
        "battle.declared",
    ):
        assert f"] {kind}: " in text, kind
    assert " undo of " in text
    assert " redo of " in text
