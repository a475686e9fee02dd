"""Each game is played to the end, undone to its first state, redone, replayed and read back from its file."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from rallypoint.kernel.answers import Answers, AtRandom, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.errors import BattleFileError, ReplayError, RuleError
from rallypoint.kernel.game import Over
from rallypoint.kernel.history import Entry, History
from rallypoint.kernel.replay import replay
from rallypoint.kernel.state import State

from .games import CONTENT, GAMES, dogfighters, random_battle
from .plain import SIDES

SEEDS = range(8)


@pytest.mark.parametrize("name", GAMES)
def test_random_play_ends_and_is_the_same_for_the_same_seed(name: str) -> None:
    ends = set()
    for seed in SEEDS:
        one, two = random_battle(name, seed), random_battle(name, seed)
        assert isinstance(one.play(), Over)
        assert two.play() == one.due
        assert [entry.hash for entry in one.history.entries] == [entry.hash for entry in two.history.entries]
        assert [entry.body_text for entry in one.history.entries] == [entry.body_text for entry in two.history.entries]
        ends.add(one.state.digest)
    assert len(ends) == len(SEEDS), "every seed must play another battle"


@pytest.mark.parametrize("name", GAMES)
def test_play_in_pieces_is_play_in_one(name: str) -> None:
    whole, pieces = random_battle(name, 3), random_battle(name, 3)
    whole.play()
    while not isinstance(pieces.play(1), Over):
        pass
    assert [entry.body_text for entry in pieces.history.entries] == [e.body_text for e in whole.history.entries]


@pytest.mark.parametrize("name", GAMES)
def test_it_is_undone_to_the_first_hash_and_redone_to_the_last(name: str) -> None:
    game, first = GAMES[name]()
    battle = random_battle(name, 4)
    battle.play()
    last, hashes = battle.due, [entry.hash for entry in battle.history.entries]
    for digest in hashes[-2::-1]:
        battle.undo()
        assert battle.state.digest == digest
    assert battle.state == first
    assert battle.due == game.next(first)
    with pytest.raises(RuleError, match="there is nothing to undo"):
        battle.undo()
    for digest in hashes[1:]:
        battle.redo()
        assert battle.state.digest == digest
    assert battle.due == last
    with pytest.raises(RuleError, match="there is nothing to redo"):
        battle.redo()
    assert len(battle.history.entries) == 3 * len(hashes) - 2
    assert replay(battle.history.entries, game).hash == hashes[-1]
    assert History.of(battle.history.entries).state.digest == hashes[-1]


@pytest.mark.parametrize("name", GAMES)
def test_from_half_way_back_the_same_dice_come_again(name: str) -> None:
    # Draws that were undone do not count, so seeded dice and seats repeat what they did.
    battle = random_battle(name, 6)
    battle.play()
    bodies = [entry.body_text for entry in battle.history.entries]
    for _ in range(len(bodies) // 2):
        battle.undo()
    half = len(battle.history.past)
    battle.play()
    steps = [battle.history.entries[past.number].body_text for past in battle.history.past]
    assert steps == bodies[1:]
    assert half < len(steps)
    assert battle.history.undone == []


def test_a_closed_battle_lets_go_of_its_file(tmp_path: Path) -> None:
    game, first = GAMES["gunfight"]()
    path = tmp_path / "closed.battle"
    answers = Answers(Seed(1), others=AtRandom(1))
    with Battle.start(game, first, answers, path=path) as battle:
        battle.play(1)
    head, hash_then = battle.history.head, battle.state.digest
    with pytest.raises(BattleFileError, match="cannot write to the battle file"):
        battle.play(1)
    assert (battle.history.head, battle.state.digest) == (head, hash_then)
    with Battle.open(BattleFile(path), game, answers) as again:
        assert again.state.digest == hash_then
    random_battle("gunfight", 1).close()  # nothing to let go of


@pytest.mark.parametrize("name", GAMES)
def test_the_file_gives_the_same_battle_back(name: str, tmp_path: Path, closing: ExitStack) -> None:
    game, first = GAMES[name]()
    seats = {side: AtRandom(side) for side in SIDES}
    path = tmp_path / "kept.battle"
    battle = closing.enter_context(Battle.start(game, first, Answers(Seed(1), seats), path=path))
    battle.play(4)
    with BattleFile(path) as file:
        again = Battle.open(file, game, Answers(Seed(1), seats))
        assert again.state.to_text() == battle.state.to_text()
        again.play()
        behind = again.history.head - battle.history.head
        assert behind > 0
        assert [entry.kind for entry in battle.refresh()] == ["step"] * behind
        assert battle.state == again.state
        entries = file.entries()
        replayed = replay(entries, game)
    memory = Battle.start(game, first, Answers(Seed(1), seats))
    memory.play()
    assert [entry.body_text for entry in entries] == [entry.body_text for entry in memory.history.entries]
    assert (replayed.hash, replayed.entries) == (memory.state.digest, len(entries))
    assert replayed.events == sum(len(entry.events) for entry in entries)


@pytest.mark.parametrize("name", GAMES)
def test_a_state_reads_back_from_its_text_at_every_step(name: str) -> None:
    battle = random_battle(name, 2)
    battle.play()
    for past in battle.history.past:
        text = past.after.to_text()
        again = State.from_text(text)
        assert again.to_text() == text
        assert again.digest == past.after.digest
        assert battle.game.next(again) == battle.game.next(past.after)


@pytest.mark.parametrize("name", GAMES)
def test_events_give_back_what_they_did(name: str) -> None:
    battle = random_battle(name, 2)
    battle.play()
    rules = {event.rule for entry in battle.history.entries for event in entry.events}
    assert {rule.split("-")[0] for rule in rules} <= {"T", "P", "kernel"}
    for entry in battle.history.entries[1:]:
        assert tuple(change for event in entry.events for change in event.changes) == entry.changes
        assert all(event.cause is None or event.cause < at for at, event in enumerate(entry.events))


@pytest.mark.parametrize("name", GAMES)
def test_replay_finds_a_log_that_was_tampered_with(name: str) -> None:
    battle = random_battle(name, 2)
    battle.play()
    entries = list(battle.history.entries)
    at = len(entries) // 2
    old = entries[at]
    text = old.body_text.replace(f'"{old.events[0].rule}"', '"T-XX"')
    assert text != old.body_text
    entries[at] = Entry(old.number, old.kind, old.changes_text, text, old.hash)
    with pytest.raises(ReplayError, match=f"entry {at}: the rules give something else than the log"):
        replay(entries, battle.game)


def test_replay_names_content_that_has_changed() -> None:
    battle = random_battle("dogfight", 2)
    battle.play()
    other = dogfighters({**CONTENT, "M-03": {"step": 4}})
    with pytest.raises(ReplayError, match="option M-03") as caught:
        replay(battle.history.entries, other)
    assert "M-04" not in str(caught.value)
