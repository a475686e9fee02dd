"""Checks, attacks and odds of the duel in ``examples/``, beside d20, icepool and boardgame.io."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial

from duel import Duel, Hooks, first_state, under

from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.dice import D100, Throw
from rallypoint.kernel.fold import fold
from rallypoint.kernel.game import Acts, Due, Intent
from rallypoint.kernel.odds import Odds, outcomes
from rallypoint.kernel.state import Entity, State, Tracker
from rallypoint.kernel.step import Done, Step, run

from .machine import beside_boardgame, plain_calls, speed, written
from .timing import Row, best, repeat

ATTACK = Intent("attack", ("red-1", ("blue-1", "blue-2", "blue-3", "blue-4")))
FIRE = Intent("fire", ("red-1", "blue-1"), "red")


def attack(step: Step[Hooks], shooter: str, targets: tuple[str, ...]) -> None:
    """A check with [+], a save, and Wounds shared among a team of four: division, then the rest at random."""
    state = step.state
    hit = step.grade(Throw(shooter, "instinct", D100, 2), under(60, True))
    step.emit("check", rule="D-R7.5", why={"check": hit, "target": 60})
    save = step.grade(Throw(targets[0], "armor", D100), under(60))
    step.emit("save", rule="D-R16.7", why={"check": save, "target": 60})
    if hit.grade != "success":
        return
    each, rest = divmod(2 if save.grade == "success" else 3, len(targets))
    extra = step.pick(targets, rest, "wounds") if rest else ()
    changes = []
    for uid in targets:
        wounds = each + (uid in extra)
        if wounds:
            taken = state[uid].trackers["Wounds"]
            changes.append(SetTracker(uid, "Wounds", taken.clamp(taken.value + wounds)))
    step.emit("wounds", *changes, rule="D-R16.10", why={"each": each, "extra": extra})


def checks(step: Step[Hooks], number: int) -> None:
    cut = under(60, True)
    for _ in range(number):
        graded = step.grade(Throw("red-1", "instinct", D100, 2), cut)
        step.emit("check", rule="D-R7.5", why={"check": graded, "target": 60})


class Bench(Duel):
    rules = {**Duel.rules, "attack": attack, "checks": checks}  # noqa: RUF012 - a constant of the class


def rows() -> Iterator[Row]:
    game, state, answers = Bench(), first_state(30), Answers(Seed(7))
    yield from _checks(game, state, answers)
    yield from _attacks(game, state, answers)
    yield from _undo(state)
    yield from _odds(game)


def _checks(game: Bench, state: State, answers: Answers) -> Iterator[Row]:
    cases = {"ours": lambda number: run(game, state, Intent("checks", (number,)), answers)}
    try:
        import d20
    except ImportError:
        yield Row("a logged check with [+]", "d20 is not installed", "6 x faster than d20", None)
        return
    found = best({**cases, "d20": repeat(d20.roll, "2d100kl1")}, 2_000)
    ratio = found["d20"] / found["ours"]
    yield Row(
        "a logged check with [+]", f"{ratio:.1f} x d20 ({found['ours']:.0f} ns)", "at least 6 x d20.roll", ratio >= 6
    )


def _attacks(game: Bench, state: State, answers: Answers) -> Iterator[Row]:
    battle, logged = _logged(answers)
    found = best(
        {
            "log": logged,
            "texts": written(battle.history.entries[1:]),
            "events": repeat(run, game, state, ATTACK, answers),
            "bare": repeat(partial(run, log=False), game, state, ATTACK, answers),
            "plain": plain_calls,
        },
        1_000,
    )
    call = found["plain"]
    goal, met = "20,000 a second", found["log"] <= 1e9 / 20_000
    yield Row("one attack through the log: texts and state hash", speed(found["log"], call), goal, met)
    yield Row("its texts alone, by the standard library", speed(found["texts"], call), "(none set)", None)
    yield Row("the same with its events in memory", speed(found["events"], call), "(none set)", None)
    goal, met = "100,000 a second", found["bare"] <= 1e9 / 100_000
    yield Row("the same without a log", speed(found["bare"], call), goal, met)
    yield beside_boardgame("one attack through the log", found["log"])
    yield beside_boardgame("events in memory", found["events"])  # its log is in memory, too


class Endless(Bench):
    """A fight in which red attacks for as long as it is to be measured."""

    def next(self, state: State) -> Due:
        return Acts(("red",))

    def legal(self, state: State, seat: str) -> Sequence[Intent]:
        return (_BY_RED,)


_BY_RED = ATTACK._replace(seat="red")


def _logged(answers: Answers) -> tuple[Battle[Hooks], Callable[[int], object]]:
    """Return the case of attacks that are written out for a log in memory, as a battle file would keep them, and such a log."""
    tough = [
        entity._replace(trackers={"Wounds": Tracker(0, 0, None)}) if entity.role == "unit" else entity
        for entity in first_state(30)
    ]

    def attacked(number: int) -> Battle[Hooks]:
        battle = Battle.start(Endless(), State.of(tough), answers)
        for _ in range(number):
            battle.act(_BY_RED)
        return battle

    return attacked(100), attacked


def _undo(state: State) -> Iterator[Row]:
    sixty = State.of([*state])
    change = [SetTracker("red-7", "Wounds", 1)]
    kept: list[State] = []

    def keep(number: int) -> None:
        kept.clear()
        kept.extend(fold(sixty, change) for _ in range(number))

    spent = best({"keep": keep}, 2_000)["keep"] / 1000
    yield Row(
        "a new state of 60 units, the old one kept", f"{spent:.2f} microseconds", "at most 2 microseconds", spent <= 2
    )


def _wounds(done: Done) -> int:
    return done.state["blue-1"].value("Wounds")


def _odds(game: Bench) -> Iterator[Row]:
    state = first_state(1)
    state = fold(state, [])
    odds = Odds(game)
    aimed = State.of([_aimed(entity) for entity in state])
    ours = outcomes(game, aimed, FIRE, _wounds)
    cases = {"ours": repeat(outcomes, game, aimed, FIRE, _wounds), "again": repeat(odds.of, aimed, FIRE, _wounds)}
    try:
        import icepool
    except ImportError:
        yield Row("exact odds of a fire action", "icepool is not installed", "2 x icepool", None)
        return

    def model() -> object:
        attack = icepool.lowest(
            icepool.z(100).map(lambda face: face >= 60), icepool.z(100).map(lambda face: face >= 60)
        )
        save = icepool.z(100).map(lambda face: face < 60)
        return icepool.map(lambda missed, saved: 0 if missed else 2 - saved, attack, save)

    theirs = model()
    assert ours == {wounds: Fraction(theirs.probability(wounds)) for wounds in (0, 1, 2)}  # type: ignore[attr-defined]
    found = best({**cases, "icepool": repeat(model)}, 20)
    ratio, again = found["icepool"] / found["ours"], found["icepool"] / found["again"]
    yield Row(
        "exact odds of a fire action",
        f"{ratio:.1f} x icepool ({found['ours'] / 1000:.0f} us)",
        "at least 2 x icepool",
        ratio >= 2,
    )
    yield Row("the same odds again", f"{again:.0f} x icepool", "at least 20 x icepool", again >= 20)


def _aimed(entity: Entity) -> Entity:
    if entity.uid != "red-1":
        return entity
    return Entity.new(
        "red-1",
        "unit",
        parent="red",
        facts=entity.facts,
        trackers={"Wounds": Tracker(0, 0, 2)},
        attributes={"aimed": True},
    )
