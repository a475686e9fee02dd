"""Every allowed pair of switches plays to the end; a switch that is on changes what it says first (D-SL, D-VA)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import combinations
from typing import Any

import pytest
from bench import streamline_pairs

from rallypoint.disrupter.hooks import Hooks
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.game import Over
from rallypoint.kernel.replay import replay

from .battles import PRESETS, ROWS, first_difference, fought, game, on, started

PAIRS = [pair for pair in combinations(ROWS, 2) if pair != ("D-SL-R16.2", "D-VA-R16.1")]

SAMPLE = PAIRS[::3]
"""Every row is in some of these; ``python -m bench.streamline_pairs`` plays all of them, twenty battles each."""


def test_one_pair_alone_is_refused() -> None:
    assert len(PAIRS) == 13 * 12 // 2 - 1
    assert {row for pair in SAMPLE for row in pair} == set(ROWS)
    for pair in combinations(ROWS, 2):
        if pair in PAIRS:
            game(on(*pair))
        else:
            with pytest.raises(InputError):
                game(on(*pair))


@pytest.mark.rule("D-SL-R6.1", "D-SL-R8.1", "D-SL-R9.1", "D-SL-R9.2", "D-SL-R16.1", "D-SL-R16.2", "D-SL-R16.3")
@pytest.mark.parametrize("pair", SAMPLE, ids="+".join)
def test_a_pair_plays_to_the_end(pair: tuple[str, str]) -> None:
    battle = fought(on(*pair), seed=PAIRS.index(pair))
    assert isinstance(battle.due, Over)
    result: Any = battle.due.result
    assert result["winner"] in ("red", "blue", "draw")


def test_the_bench_fails_where_a_battle_is_broken_off(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    over = streamline_pairs.fought({}, seed=1)
    assert over.winner is not None
    assert streamline_pairs.told([("full rules", [over])]) == 0
    monkeypatch.setattr(streamline_pairs, "MOST", 0)
    broken = streamline_pairs.fought({}, seed=1)
    assert broken.winner is None
    capsys.readouterr()
    assert streamline_pairs.told([("full rules", [over]), ("D-SL-R6.1 + D-SL-R8.1", [over, broken])]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("D-SL-R6.1 + D-SL-R8.1: 1 of 2 ended")
    assert lines[-1] == "broken off after 0 turns: D-SL-R6.1 + D-SL-R8.1"


@pytest.mark.parametrize("name", PRESETS)
def test_a_set_plays_to_the_end_and_again(name: str) -> None:
    for seed in range(2):
        battle = fought(PRESETS[name].options, seed)
        assert isinstance(battle.due, Over)
        assert replay(battle.history.entries, battle.game).hash == battle.state.digest


def begun(options: Mapping[str, object], seed: int) -> Battle[Hooks]:
    """Return a battle of a few turns that began with all trackers of the full rules."""
    battle = started(options, seed, bare=True)
    while not isinstance(battle.due, Over) and battle.game.clock(battle.state) <= 3:
        battle.play(10)
    return battle


@cache
def by_the_rules(seed: int) -> Battle[Hooks]:
    return begun({}, seed)


def _rolled_for(*purposes: str) -> Callable[[Any, Any], bool]:
    def said(full: Any, _: Any) -> bool:
        kind, _, _, why = full
        return kind == "check" and "check" in why and why["check"]["purpose"] in purposes

    return said


FIRST: Mapping[str, Callable[[Any, Any], bool]] = {
    "D-SL-R6.1": lambda full, one: full[0] == one[0] == "wounds",
    "D-SL-R8.1": lambda full, _: full[0] == "stress",
    "D-SL-R9.1": lambda full, one: full[0] == one[0] == "briefing.opens",
    "D-SL-R9.2": lambda full, one: full[0] == one[0] == "briefing.opens",
    "D-SL-R11.1": _rolled_for("initiative"),
    "D-SL-R11.2": _rolled_for("group"),
    "D-SL-R11.3": lambda full, one: full[0] == one[0] == "turn.order",
    "D-SL-R16.1": _rolled_for("spot"),
    "D-SL-R16.2": _rolled_for("fire", "save"),
    "D-VA-R16.1": _rolled_for("fire"),
    "D-SL-R16.3": lambda full, one: full[0] == one[0] and full[0] in ("fire.hit", "fire.near_miss", "fire.beam"),
    "D-SL-R16.4": _rolled_for("rally"),
}
"""What the first event is like that a battle under a switch has otherwise than the same battle under the full rules."""


@pytest.mark.rule("D-SL-R6.1", "D-SL-R8.1", "D-SL-R9.1", "D-SL-R9.2", "D-SL-R11.1", "D-SL-R11.2", "D-SL-R11.3")
@pytest.mark.rule("D-SL-R16.1", "D-SL-R16.2", "D-VA-R16.1", "D-SL-R16.3", "D-SL-R16.4", "D-SL-VE.1")
@pytest.mark.parametrize("row", ROWS)
def test_a_battle_under_a_switch_is_the_same_until_the_rule_speaks(row: str) -> None:
    differed = 0
    for seed in range(5):
        number, full, one = first_difference(by_the_rules(seed), begun(on(row), seed))
        if number >= 0:
            differed += 1
            assert row in FIRST, f"{row} should change nothing here, and changed {full} to {one}"
            assert FIRST[row](full, one), (number, full, one)
    # Nobody drives in these battles, and hardly anybody is rallied.
    assert differed >= 3 or row in ("D-SL-VE.1", "D-SL-R16.4", "D-SL-R16.1")
