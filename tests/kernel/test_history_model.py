"""Any sequence of commands against a model: a plain list of states, and a table of which dice were ever seen.

After every command the battle is opened anew from its file, and what was opened is what was live.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.replay import replay

from .duel import Duel, act, battle, close

sides = st.sampled_from(("red", "blue"))


class Moment(NamedTuple):
    """What the model believes: everything that the state shows, and how often each side has thrown in this turn."""

    turn: int
    phase: str
    wounds: tuple[int, int]
    luck: tuple[Any, Any]
    yields: tuple[Any, Any]
    acts: int
    thrown: tuple[tuple[str, str, int], ...]

    def throws(self, who: str, purpose: str) -> tuple[int, Moment]:
        """Return the ordinal of the throw that comes now, and the moment with it counted."""
        counts = {(one, what): number for one, what, number in self.thrown}
        ordinal = counts.get((who, purpose), 0)
        counts[who, purpose] = ordinal + 1
        return ordinal, self._replace(thrown=tuple(sorted((*key, number) for key, number in counts.items())))


class Made(NamedTuple):
    """One thing that can be undone."""

    before: Moment
    after: Moment
    edit: bool


def with_side(pair: tuple[Any, Any], who: str, value: object) -> tuple[Any, Any]:
    return (value, pair[1]) if who == "red" else (pair[0], value)


def may_act(machine: Any) -> bool:
    return machine.open is None and bool(machine.now.phase == "acts")


class Commands(RuleBasedStateMachine):
    """The battle and its model side by side."""

    @initialize()
    def begins(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "fight.battle"
        self.table: Battle[None] = battle(path=self.path)
        self.now = Moment(1, "acts", (0, 0), (None, None), (None, None), 0, ())
        self.past: list[Made] = []
        self.undone: list[Made] = []
        self.open: tuple[str, Moment] | None = None
        self.seen: dict[tuple[str, str, int, int], object] = {}

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            assert replay(self.table.history.entries, Duel()).hash == self.table.state.digest
            close(self.table)
            shutil.rmtree(self.folder)

    # What the model says about a command

    def made(self, after: Moment, edit: bool = False) -> None:
        self.past.append(Made(self.now, after, edit))
        self.undone.clear()
        self.now = after

    def same_dice(self, who: str, purpose: str, ordinal: int, faces: object) -> None:
        """The dice of one key are the same whenever they are thrown."""
        assert self.seen.setdefault((who, purpose, self.now.turn, ordinal), faces) == faces

    # Commands

    @precondition(may_act)
    @rule(who=sides)
    def rolls(self, who: str) -> None:
        ordinal, after = self.now.throws(who, "luck")
        self.table.act(act("rolls", who))
        faces = self.table.state[who].attributes["luck"]
        self.same_dice(who, "luck", ordinal, faces)
        self.made(after._replace(luck=with_side(self.now.luck, who, faces), acts=self.now.acts + 1))

    @precondition(may_act)
    @rule(who=sides)
    def asks(self, who: str) -> None:
        ordinal, after = self.now.throws(who, "nerve")
        self.table.act(act("asks", who))
        waiting = self.table.history.waiting
        assert waiting is not None
        self.same_dice(who, "nerve", ordinal, waiting.tape[0].answer)
        self.open = who, after

    @precondition(lambda self: self.open is not None)
    @rule(key=st.sampled_from(("yes", "no")))
    def answers(self, key: str) -> None:
        assert self.open is not None
        who, after = self.open
        self.table.answer(key)
        self.open = None
        self.made(after._replace(yields=with_side(self.now.yields, who, key == "yes"), acts=self.now.acts + 1))

    @precondition(lambda self: self.open is not None)
    @rule()
    def cancels(self) -> None:
        self.table.cancel()
        self.open = None

    @precondition(may_act)
    @rule()
    def ends_turn(self) -> None:
        self.table.act(act("ends turn"))
        self.made(self.now._replace(phase="upkeep"))

    @precondition(lambda self: self.open is None and self.now.phase == "upkeep")
    @rule()
    def keeps_up(self) -> None:
        self.table.play()
        self.made(self.now._replace(turn=self.now.turn + 1, phase="acts", thrown=()))

    @precondition(lambda self: self.open is None)
    @rule(who=sides, value=st.integers(0, 99))
    def edits(self, who: str, value: int) -> None:
        self.table.edit("foundry", SetTracker(who, "Wounds", value))
        self.made(self.now._replace(wounds=with_side(self.now.wounds, who, value)), edit=True)

    @precondition(lambda self: self.open is None)
    @rule(sure=st.booleans())
    def undoes(self, sure: bool) -> None:
        if not self.past or (self.past[-1].edit and not sure):
            with pytest.raises(RuleError):
                self.table.undo(edits=sure)
            return
        self.table.undo(edits=sure)
        self.undone.append(self.past.pop())
        self.now = self.undone[-1].before

    @precondition(lambda self: self.open is None)
    @rule()
    def redoes(self) -> None:
        if not self.undone:
            with pytest.raises(RuleError):
                self.table.redo()
            return
        self.table.redo()
        self.past.append(self.undone.pop())
        self.now = self.past[-1].after

    @precondition(lambda self: self.open is None and self.past)
    @rule()
    def adopts(self) -> None:
        self.table.adopt()
        self.past.clear()
        self.undone.clear()

    @precondition(lambda self: self.open is not None)
    @rule()
    def does_nothing_else_while_a_question_is_open(self) -> None:
        for way in (self.table.undo, self.table.redo, self.table.adopt, self.table.retract):
            with pytest.raises(RuleError):
                way()

    @rule()
    def is_left_and_opened_again(self) -> None:
        close(self.table)
        self.table = Battle.open(BattleFile(self.path), Duel(), Answers(Seed(7)))

    # What holds after each

    @invariant()
    def the_state_is_what_the_model_says(self) -> None:
        state = self.table.state
        red, blue = state["red"], state["blue"]
        assert (state["table"].attributes["turn"], state["table"].attributes["phase"]) == self.now[:2]
        assert state["table"].attributes.get("acts", 0) == self.now.acts
        assert (red.value("Wounds"), blue.value("Wounds")) == self.now.wounds
        assert (red.attributes.get("luck"), blue.attributes.get("luck")) == self.now.luck
        assert (red.attributes.get("yields"), blue.attributes.get("yields")) == self.now.yields
        assert len(self.table.history.past) == len(self.past)
        assert len(self.table.history.undone) == len(self.undone)
        assert (self.table.question is None) == (self.open is None)

    @invariant()
    def the_dice_are_counted_as_the_model_counts_them(self) -> None:
        counted = {(who, purpose): number for who, purpose, number in self.now.thrown}
        assert dict(self.table.history.draws(self.now.turn)) == counted

    @invariant()
    def what_is_opened_from_the_file_is_what_is_live(self) -> None:
        with BattleFile(self.path) as file:
            again = Battle.open(file, Duel(), Answers(Seed(7)))
        live = self.table.history
        assert again.state == live.state
        assert again.question == self.table.question
        assert [past[:2] for past in again.history.past] == [past[:2] for past in live.past]
        assert [past.after for past in again.history.undone] == [past.after for past in live.undone]
        assert again.history.draws(self.now.turn) == live.draws(self.now.turn)
        assert again.history.epoch == live.epoch


TestCommands = Commands.TestCase
TestCommands.settings = settings(max_examples=100, stateful_step_count=25, deadline=None)
