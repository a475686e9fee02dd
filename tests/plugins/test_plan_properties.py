"""Plans of many plugins against a plain loop that does what the four kinds mean."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from rallypoint.kernel.plugins.hooks import LoadedPlugin, hookimpl
from rallypoint.kernel.plugins.plan import compile_plan

from .steps import Hooks, Step

names = st.lists(st.sampled_from([f"p{n}" for n in range(8)]), unique=True, max_size=6)
maybe = st.none() | st.integers(-3, 3)


def holding(name: str, function: Callable[..., object]) -> LoadedPlugin:
    function.__name__ = function.__qualname__ = "fire_wounds"
    return LoadedPlugin(name, SimpleNamespace(fire_wounds=hookimpl(function)))


def adding(amount: int | None) -> Callable[..., object]:
    def add(step: Step, wounds: int) -> int | None:
        return None if amount is None else wounds + amount

    return add


@given(names, st.data(), st.integers(0, 5))
def test_a_chain_of_changes(plugins: list[str], data: st.DataObject, wounds: int) -> None:
    amounts = {name: data.draw(maybe) for name in plugins}
    expected, notes = wounds, []
    for name in sorted(plugins):
        amount = amounts[name]
        if amount:  # neither None nor nought
            notes.append(("fire_wounds", name, expected, expected + amount))
            expected += amount
    step = Step()
    hooks = compile_plan(Hooks, [holding(name, adding(amounts[name])) for name in plugins])
    assert hooks.fire_wounds(step, "s", wounds) == expected
    assert step.notes == notes


@given(names, st.data())
def test_the_first_of_several_answers(plugins: list[str], data: st.DataObject) -> None:
    answers = {name: data.draw(st.none() | st.sampled_from(["hit", "miss", ""])) for name in plugins}

    def answering(answer: str | None) -> SimpleNamespace:
        def fire_outcome(unit: object) -> str | None:
            return answer

        return SimpleNamespace(fire_outcome=hookimpl(fire_outcome))

    given_answers = [(name, answers[name]) for name in sorted(plugins) if answers[name] is not None]
    step = Step()
    hooks = compile_plan(Hooks, [LoadedPlugin(name, answering(answers[name])) for name in plugins])
    assert hooks.fire_outcome(step, "u") == (given_answers[0][1] if given_answers else None)
    assert step.notes == [("fire_outcome", name, None, answer) for name, answer in given_answers[:1]]


@given(names, st.data())
def test_everything_that_is_collected(plugins: list[str], data: st.DataObject) -> None:
    numbers = {name: data.draw(maybe) for name in plugins}
    rows = {name: data.draw(st.none() | st.lists(st.sampled_from("+-"), max_size=3).map(tuple)) for name in plugins}

    def collecting(name: str) -> SimpleNamespace:
        def total(subject: str) -> int | None:
            return numbers[name]

        def modifiers() -> tuple[str, ...] | None:
            return rows[name]

        def listed() -> int | None:
            return numbers[name]

        return SimpleNamespace(total=hookimpl(total), modifiers=hookimpl(modifiers), listed=hookimpl(listed))

    present = [number for name in sorted(plugins) if (number := numbers[name]) is not None]
    step = Step()
    hooks = compile_plan(Hooks, [LoadedPlugin(name, collecting(name)) for name in plugins])
    assert hooks.total(step, "u") == sum(present)
    assert hooks.listed(step) == present
    assert hooks.modifiers(step, "u") == tuple(mark for name in sorted(plugins) for mark in rows[name] or ())
    assert step.notes == []


@given(names, st.data())
def test_everybody_hears_who_does_not_fail(plugins: list[str], data: st.DataObject) -> None:
    fails = {name: data.draw(st.booleans()) for name in plugins}
    heard: list[tuple[str, object]] = []
    failed: list[str] = []

    def hearing(name: str) -> SimpleNamespace:
        def panicked(unit: object) -> None:
            if fails[name]:
                raise RuntimeError(name)
            heard.append((name, unit))

        return SimpleNamespace(panicked=hookimpl(panicked))

    step = Step()
    loaded = [LoadedPlugin(name, hearing(name)) for name in plugins]
    hooks = compile_plan(Hooks, loaded, report=lambda name, hook, error: failed.append(f"{name} {hook} {error}"))
    hooks.panicked(step, "red-1")
    assert len(step.queue) == (1 if plugins else 0)
    for call in step.queue:
        call()
    assert heard == [(name, "red-1") for name in sorted(plugins) if not fails[name]]
    assert failed == [f"{name} panicked {name}" for name in sorted(plugins) if fails[name]]
