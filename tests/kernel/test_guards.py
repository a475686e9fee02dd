"""What a careless or hostile rule, plugin, seat or caller tries must not reach the log."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar, Protocol

import pytest
from duel import Duel, first_state, pass_turn

from rallypoint.kernel.answers import PERSON, Answers, Policy, Script, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.changes import Add, Remove, SetAgenda, SetAttribute, SetLink, SetStatus, SetTracker
from rallypoint.kernel.dice import D6, D100, Throw
from rallypoint.kernel.errors import BattleFileError, PluginError, RuleError, StateError, TapeError
from rallypoint.kernel.fold import fold
from rallypoint.kernel.game import Intent, Rule
from rallypoint.kernel.history import History
from rallypoint.kernel.odds import outcomes
from rallypoint.kernel.parts import Appointment, Link, Status
from rallypoint.kernel.plugins.hooks import LoadedPlugin, change, hookimpl
from rallypoint.kernel.plugins.plan import compile_plan
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import Step, run
from rallypoint.kernel.tape import Choice, Option, Pick

FIRE = Intent("fire", ("red-1", "blue-1"), "red")


def duel(**rules: Rule) -> Duel:
    game = Duel()
    game.rules = {**Duel.rules, **rules}
    return game


def battle(game: Duel, path: Path | None = None, answers: Answers | None = None) -> Battle[object]:
    return Battle.start(game, first_state(), answers or Answers(PERSON), path=path)


def reopened(path: Path) -> History:
    with BattleFile(path) as file:
        return History.of(file.entries())


def sealed(step: Step[object], shooter: str, target: str) -> None:
    options = (Option("a", "A"), Option("b", "B"))
    step.choose(Choice("red", "p", options), Choice("blue", "p", options))
    pass_turn(step)  # type: ignore[arg-type]


@pytest.mark.parametrize("ask", [True, "a", 1.0, 2, -1])
def test_a_part_of_a_sealed_question_is_a_whole_number_in_range(tmp_path: Path, ask: object) -> None:
    path = tmp_path / "x.battle"
    with battle(duel(fire=sealed), path) as made:
        made.act(FIRE)
        head = made.history.head
        with pytest.raises(TapeError, match="no such part of the question"):
            made.answer("a", ask)  # type: ignore[arg-type]
        assert made.history.head == head
        made.answer("a", 1)
        made.answer("b", 0)
        assert reopened(path).state == made.state


@pytest.mark.parametrize("ask", ["a", -1, 1, True])
def test_a_question_of_one_part_has_the_part_0_only(ask: object) -> None:
    made = battle(duel())
    made.act(FIRE)
    with pytest.raises(TapeError, match="no such part"):
        made.answer(34, ask)  # type: ignore[arg-type]
    made.answer(34, 0)


VALUES: list[Callable[[list[int]], object]] = [
    lambda kept: SetAttribute("red-1", "x", kept),  # type: ignore[arg-type]
    lambda kept: SetStatus("red-1", Status("x", kept)),  # type: ignore[arg-type]
    lambda kept: SetLink(Link("x", "red-1", "red-2", kept)),  # type: ignore[arg-type]
    lambda kept: SetAgenda(Appointment("x", 9, "aim", (kept,))),  # type: ignore[arg-type]
    lambda kept: Add(Entity("new", "unit", "red", {"x": kept}, {}, {}, None, {})),  # type: ignore[dict-item]
]


@pytest.mark.parametrize("make", VALUES)
def test_a_value_that_is_altered_after_it_was_told_stays_as_it_was_told(
    tmp_path: Path, make: Callable[[list[int]], object]
) -> None:
    def rule(step: Step[object], shooter: str, target: str) -> None:
        kept = [1]
        step.emit("kept", make(kept), rule="r")  # type: ignore[arg-type]
        kept.append(2)
        pass_turn(step)  # type: ignore[arg-type]

    path = tmp_path / "x.battle"
    with battle(duel(fire=rule), path) as made:
        made.act(FIRE)
        assert reopened(path).state == made.state
        assert "[1,2]" not in made.history.entries[-1].changes_text
        assert "[1]" in made.history.entries[-1].changes_text


def test_a_rule_that_writes_into_the_step_is_told_so_and_nothing_is_kept(tmp_path: Path) -> None:
    def rule(step: Step[object], shooter: str, target: str) -> None:
        step.state = fold(step.state, [SetTracker("red-1", "Wounds", 2)])

    path = tmp_path / "x.battle"
    with battle(duel(fire=rule), path) as made:
        before = made.state.digest
        with pytest.raises(StateError, match="what the step told is not what it did"):
            made.act(FIRE)
        assert (made.state.digest, made.history.head) == (before, 0)
        assert reopened(path).state == made.state
        made.act(Intent("aim", ("red-1",), "red"))  # and it goes on


@pytest.mark.parametrize("name", ["undo", "redo", "edit", "act", "proceed", "answer", "retract", "cancel", "adopt"])
def test_nobody_drives_the_battle_from_inside_a_step(tmp_path: Path, name: str) -> None:
    seen: list[str] = []

    def rule(step: Step[object], shooter: str, target: str) -> None:
        arguments = {"edit": ("w", SetTracker("red-1", "Wounds", 1)), "act": (FIRE,), "answer": (1,)}.get(name, ())
        try:
            getattr(made, name)(*arguments)
        except (RuleError, TapeError) as error:
            seen.append(str(error))
        pass_turn(step)  # type: ignore[arg-type]

    path = tmp_path / "x.battle"
    with battle(duel(fire=rule), path) as made:
        made.act(Intent("aim", ("red-1",), "red"))
        made.act(Intent("aim", ("blue-1",), "blue"))
        made.undo()
        made.act(Intent("aim", ("blue-2",), "blue"))
        made.act(FIRE)
        assert len(seen) == 1
        assert "a step is under way" in seen[0] or "no question is open" in seen[0]
        assert [entry.kind for entry in reopened(path).entries] == ["start", "step", "step", "undo", "step", "step"]


@pytest.mark.parametrize(
    "args",
    [("blue-1", "blue-2"), ("red-1", "red-1"), ("red", "blue"), (("red-1",), {}), ("nobody", "blue-1"), (1, 2)],
)
def test_the_duel_refuses_arguments_that_are_not_legal(args: tuple[object, ...]) -> None:
    made = battle(duel())
    before = made.state.digest
    with pytest.raises(RuleError):
        made.act(Intent("fire", args, "red"))  # type: ignore[arg-type]
    assert (made.state.digest, made.history.head, made.question) == (before, 0, None)


def test_a_fault_of_the_rule_in_a_legal_act_is_not_hidden() -> None:
    def rule(step: Step[object], shooter: str, target: str) -> None:
        raise KeyError("a slip in the rule")

    with pytest.raises(KeyError, match="a slip in the rule"):
        battle(duel(fire=rule)).act(FIRE)


@pytest.mark.parametrize("intent", ["fire", None, 5, ("fire",)])
def test_an_act_is_an_intent(intent: object) -> None:
    with pytest.raises(RuleError, match="this is not an intent"):
        battle(duel()).act(intent)  # type: ignore[arg-type]
    seats = {"red": Policy(act=lambda legal, view: intent)}  # type: ignore[arg-type, return-value]
    if intent is not None:
        with pytest.raises(RuleError, match="something else than an intent"):
            battle(duel(), answers=Answers(Seed(1), seats)).play()


class Loaded:
    """Dice that show whatever they are told to."""

    def __init__(self, faces: object) -> None:
        self._faces = faces

    def faces(self, throw: Throw, turn: int, ordinal: int) -> tuple[int, ...]:
        return self._faces  # type: ignore[return-value]

    def positions(self, pick: Pick, turn: int, ordinal: int) -> tuple[int, ...]:
        return self._faces  # type: ignore[return-value]


@pytest.mark.parametrize("faces", [(True,), (-1,), (34, 35), (100,), (), 34.5, (1.5,), ("3",)])
def test_dice_that_show_what_they_cannot_are_refused(faces: object) -> None:
    made = battle(duel(), answers=Answers(Loaded(faces)))
    with pytest.raises(TapeError):
        made.act(FIRE)
    assert made.history.head == 0


def test_a_pick_of_somebody_elses_is_looked_at_too() -> None:
    def rule(step: Step[object]) -> None:
        step.pick(("a", "b", "c"), 1, "which")

    with pytest.raises(TapeError):
        run(duel(rule=rule), first_state(), Intent("rule"), Answers(Loaded((7,))))


@pytest.mark.parametrize("number", [0, -1])
def test_a_throw_needs_dice(number: int) -> None:
    def graded(step: Step[object]) -> None:
        from duel import under

        step.grade(Throw("a", "b", D100, number), under(50))

    def rolled(step: Step[object]) -> None:
        step.roll(Throw("a", "b", D6, 1), Throw("a", "b", D6, number))

    for rule in (graded, rolled):
        with pytest.raises(RuleError, match="a throw needs dice"):
            run(duel(rule=rule), first_state(), Intent("rule"), Answers(Seed(1)))


@pytest.mark.parametrize("what", ["call", "window", "note", "later", "emit", "pick"])
def test_a_step_that_is_over_refuses_everything(what: str) -> None:
    kept: list[Step[object]] = []
    run(duel(rule=kept.append), first_state(), Intent("rule"), Script([]))
    arguments: dict[str, tuple[object, ...]] = {
        "call": (lambda step: None,),
        "window": ("w", "red-1"),
        "note": ("hook", "plugin", 1, 2),
        "later": (lambda: None,),
        "emit": ("kind",),
        "pick": (("a", "b"), 1, "p"),
    }
    extra = {"rule": "r"} if what == "emit" else {}
    with pytest.raises(RuleError, match="this step is over"):
        getattr(kept[0], what)(*arguments[what], **extra)


def test_errors_can_show_numbers_of_thousands_of_digits() -> None:
    made = battle(duel())
    made.act(FIRE)
    with pytest.raises(TapeError) as caught:
        made.answer(10**5000)
    assert "too long to be shown" in str(caught.value)


def test_a_reason_that_goes_round_in_a_circle_is_refused() -> None:
    circle: dict[str, object] = {}
    circle["me"] = circle

    def rule(step: Step[object], shooter: str, target: str) -> None:
        step.emit("round", rule="r", why=circle)
        pass_turn(step)  # type: ignore[arg-type]

    made = battle(duel(fire=rule))
    with pytest.raises(StateError, match=r"(?i)circ|recursion"):
        made.act(FIRE)
    assert made.history.head == 0


def test_names_of_attributes_are_text() -> None:
    with pytest.raises(StateError, match="a name must be text"):
        battle(duel()).edit("w", SetAttribute("red-1", 5, 1))  # type: ignore[arg-type]


def test_a_battle_file_may_be_named_by_text_and_not_by_half_a_path(tmp_path: Path) -> None:
    with battle(duel(), str(tmp_path / "x.battle")) as made:  # type: ignore[arg-type]
        assert reopened(tmp_path / "x.battle").state == made.state
    with pytest.raises(BattleFileError):
        battle(duel(), Path("k\0x"))


class Hooks(Protocol):
    hook_api: ClassVar[str] = "1.0"

    @change("wounds")
    def wounds(self, unit: str, wounds: int) -> int: ...


@pytest.mark.parametrize("given", ["x", [1], 1.5, (2,)])
def test_a_change_hook_that_gives_another_kind_of_value_is_named(given: object) -> None:
    @hookimpl
    def wounds() -> object:
        return given

    plan = compile_plan(Hooks, [LoadedPlugin("careless", SimpleNamespace(wounds=wounds))])
    with pytest.raises(PluginError, match="a value of another kind") as caught:
        plan.wounds("red-1", 2)
    assert (caught.value.plugin, caught.value.hook, caught.value.expected) == ("careless", "wounds", "int")


class Hiding(Duel):
    """A duel in which a side does not see the other one's units."""

    def view(self, state: State, seat: str) -> State:
        other = "blue" if seat == "red" else "red"
        return fold(state, [Remove(unit.uid) for unit in state.children(other)])


def test_a_seat_that_decides_by_itself_gets_its_view_and_no_more() -> None:
    seen: list[tuple[str, tuple[str, ...]]] = []

    def look(view: State) -> tuple[str, ...]:
        return tuple(unit.uid for side in ("red", "blue") for unit in view.children(side))

    def choose(ask: Choice, view: State) -> int:
        seen.append((ask.seat, look(view)))
        return 0

    def act(legal: Sequence[Intent], view: State) -> Intent:
        seen.append(("act", look(view)))
        return legal[0]

    game = Hiding()
    game.rules = {**Duel.rules, "fire": sealed}
    seats = {"red": Policy(choose, act), "blue": Policy(choose, act)}
    Battle.start(game, first_state(), Answers(Seed(1), seats)).play(1)
    red, blue = ("red-1", "red-2", "red-3"), ("blue-1", "blue-2", "blue-3")
    assert seen == [("act", red), ("red", red), ("blue", blue)]


def test_a_policy_for_odds_gets_the_view_too() -> None:
    game = Hiding()
    game.rules = {**Duel.rules, "fire": sealed}
    seen: list[bool] = []

    def policy(ask: Choice, view: State) -> int:
        seen.append("red-1" in view and "blue-1" not in view if ask.seat == "red" else "blue-1" in view)
        return 0

    assert sum(outcomes(game, first_state(), FIRE, lambda done: done.state, policy).values()) == 1
    assert seen == [True, True]


@pytest.mark.parametrize(
    "sql",
    [
        "ALTER TABLE log RENAME TO l2; CREATE VIEW log AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c)"
        " SELECT x number, 'step' kind, '[]' changes, '{}' body, '' hash, 0 checksum FROM c",
        "CREATE TRIGGER eat BEFORE INSERT ON log BEGIN SELECT RAISE(IGNORE); END",
        "CREATE TABLE more (x)",
        "DROP TABLE log",
    ],
)
def test_a_battle_file_holds_a_log_and_nothing_else(tmp_path: Path, sql: str) -> None:
    path = tmp_path / "x.battle"
    battle(duel(), path).close()
    connection = sqlite3.connect(path)
    connection.executescript(sql)
    connection.close()
    with pytest.raises(BattleFileError, match="something else than a log"):
        BattleFile(path)
