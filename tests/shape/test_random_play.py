"""Random legal play by hypothesis: at every step the state goes through its text, and the step is undone and redone."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rallypoint.kernel.answers import Answers, Policy, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.game import Acts, Over, Runs
from rallypoint.kernel.history import History
from rallypoint.kernel.replay import replay
from rallypoint.kernel.state import State

from .games import GAMES
from .plain import SIDES

PROFILE = settings(
    max_examples=80,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def check_text(battle: Battle[None]) -> None:
    """The state that is read back from its text is the same to the rules."""
    game, state, due = battle.game, battle.state, battle.due
    again = State.from_text(state.to_text())
    assert again.digest == state.digest
    assert game.next(again) == due
    for seat in due.seats if isinstance(due, Acts) else ():
        assert list(game.legal(again, seat)) == list(game.legal(state, seat))
    for seat in SIDES:
        assert game.view(again, seat) == game.view(state, seat)


def check_undo(battle: Battle[None], before: State) -> None:
    """Undo gives the state before, redo the one after, whatever was folded."""
    after, due = battle.state, battle.due
    battle.undo()
    assert battle.state is before
    battle.redo()
    assert battle.state is after
    assert battle.due == due


def check_seats(battle: Battle[None], due: Acts) -> None:
    """An act of a seat whose turn it is not is refused."""
    acts = battle.legal(due.seats[0])
    assert acts
    assert len(set(acts)) == len(acts)
    for seat in (*[side for side in SIDES if side not in due.seats], None, "nobody"):
        head = battle.history.head
        with pytest.raises(RuleError, match="it is not this seat's act"):
            battle.act(acts[-1]._replace(seat=seat))
        assert battle.history.head == head
        assert seat is None or battle.legal(seat) == ()


@pytest.mark.parametrize("name", GAMES)
def test_random_legal_play(name: str) -> None:
    told: Counter[str] = Counter()

    @PROFILE
    @given(st.integers(0, 2**32), st.randoms(use_true_random=False))
    def play(seed: int, random: Random) -> None:
        game, state = GAMES[name]()
        seat = Policy(lambda ask, view: random.randrange(len(ask.options)), lambda legal, view: random.choice(legal))
        battle = Battle.start(game, state, Answers(Seed(seed), others=seat))
        for _ in range(400):
            before, due = battle.state, battle.due
            check_text(battle)
            if isinstance(due, Over):
                break
            if isinstance(due, Runs):
                battle.proceed()
            else:
                check_seats(battle, due)
                battle.play(1)
            told["steps"] += 1
            told.update(event.kind for event in battle.history.entries[-1].events)
            check_undo(battle, before)
        assert isinstance(battle.due, Over), "every battle must end"
        assert History.of(battle.history.entries).state == battle.state
        assert replay(battle.history.entries, game).hash == battle.state.digest

    play()
    print(name, told)  # noqa: T201
    assert told["steps"] > 1000


@pytest.mark.parametrize("name", GAMES)
def test_play_that_goes_back_and_forth_ends_where_its_steps_end(name: str) -> None:
    """Undo, redo and other ways on, in any order: folding the log from the start gives the same state."""

    @settings(PROFILE, max_examples=25)
    @given(st.integers(0, 2**32), st.lists(st.integers(0, 9), min_size=5, max_size=40))
    def wander(seed: int, moves: list[int]) -> None:
        game, state = GAMES[name]()
        seat = Policy(lambda ask, view: seed % len(ask.options), lambda legal, view: None)
        battle = Battle.start(game, state, Answers(Seed(seed), others=seat))
        line, redo = [state], list[State]()
        for move in moves:
            due = battle.due
            if move == 0 and len(line) > 1:
                battle.undo()
                redo.append(line.pop())
            elif move == 1 and redo:
                battle.redo()
                line.append(redo.pop())
            elif isinstance(due, Acts):
                acts = battle.legal(due.seats[0])
                battle.act(acts[move % len(acts)])
                line.append(battle.state)
                redo.clear()
            elif isinstance(due, Runs):
                battle.proceed()
                line.append(battle.state)
                redo.clear()
            assert battle.state == line[-1]
        assert len(battle.history.past) == len(line) - 1
        assert len(battle.history.undone) == len(redo)
        again = History.of(battle.history.entries)
        assert again.state.to_text() == line[-1].to_text()
        assert [past.after for past in again.past] == line[1:]
        assert [past.after for past in again.undone] == redo

    wander()
