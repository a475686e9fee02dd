"""Wrappers around a decide hook: set-up and tear-down, and no way to keep a suspension."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress

import pytest

from rallypoint.kernel.errors import PluginError, RuleError
from rallypoint.kernel.plugins.hooks import HookStep, hookimpl
from rallypoint.kernel.plugins.plan import compile_plan

from .steps import Asked, Hooks, Step, plugin

Turn = Generator[None, object, object]


def wrapper(function: Callable[..., Turn]) -> Callable[..., object]:
    function.__name__ = "fire_outcome"
    return hookimpl(wrapper=True)(function)


def answers(word: str) -> Callable[..., object]:
    def fire_outcome() -> str:
        return word

    return fire_outcome


def asks(step: Step) -> object:
    return step.roll()


asks.__name__ = "fire_outcome"


def test_wrappers_nest_in_declared_order_and_what_they_return_is_the_answer() -> None:
    seen: list[str] = []

    def around(name: str) -> Callable[..., object]:
        def turn(unit: object) -> Turn:
            seen.append(f"{name} in {unit}")
            answer = yield
            seen.append(f"{name} out {answer}")
            return f"{name}({answer})"

        return wrapper(turn)

    step = Step()
    plugins = [
        plugin("inner", around("b"), after=("outer",)),
        plugin("core", answers("hit")),
        plugin("outer", around("a")),
    ]
    assert compile_plan(Hooks, plugins).fire_outcome(step, "u") == "a(b(hit))"
    assert seen == ["a in u", "b in u", "b out hit", "a out b(hit)"]
    assert step.notes == [
        ("fire_outcome", "core", None, "hit"),
        ("fire_outcome", "inner", "hit", "b(hit)"),
        ("fire_outcome", "outer", "b(hit)", "a(b(hit))"),
    ]


def test_a_wrapper_that_passes_the_answer_on_leaves_no_note() -> None:
    def turn() -> Turn:
        return (yield)

    step = Step()
    assert compile_plan(Hooks, [plugin("w", wrapper(turn))]).fire_outcome(step, "u") is None
    assert step.notes == []


def except_everything() -> Turn:
    try:
        yield
    except BaseException:
        return "mine"
    return "nothing happened"


def return_in_finally() -> Turn:
    try:
        yield
    finally:
        return "mine"  # noqa: B012 - this is what a wrapper must not get away with


def another_error() -> Turn:
    try:
        yield
    except BaseException:
        raise ValueError("mine") from None
    return None


def yields_again() -> Turn:
    try:
        yield
    except BaseException:
        yield
    return None


def refuses() -> Turn:
    try:
        yield
    except BaseException:
        raise RuleError("not allowed", rule="D-R1") from None
    return None


@pytest.mark.parametrize("greedy", [except_everything, return_in_finally, another_error, yields_again, refuses])
def test_a_wrapper_cannot_swallow_a_suspension(greedy: Callable[..., Turn]) -> None:
    step = Step()
    hooks = compile_plan(Hooks, [plugin("asks", asks), plugin("greedy", wrapper(greedy))])
    with pytest.raises(Asked) as caught:
        hooks.fire_outcome(step, "u")
    assert caught.value is step.stopped


def test_an_outer_wrapper_cannot_either_when_an_inner_one_asks() -> None:
    def inner(step: Step) -> Turn:
        answer = yield
        step.roll()
        return answer

    step = Step()
    plugins = [plugin("a", wrapper(except_everything)), plugin("b", wrapper(inner)), plugin("c", answers("hit"))]
    with pytest.raises(Asked) as caught:
        compile_plan(Hooks, plugins).fire_outcome(step, "u")
    assert caught.value is step.stopped


def test_the_tear_down_runs_when_a_step_is_suspended() -> None:
    torn: list[str] = []

    def turn() -> Turn:
        try:
            return (yield)
        finally:
            torn.append("down")

    with pytest.raises(Asked):
        compile_plan(Hooks, [plugin("asks", asks), plugin("w", wrapper(turn))]).fire_outcome(Step(), "u")
    assert torn == ["down"]


def test_an_inner_failure_runs_the_outer_tear_down_and_names_the_inner_plugin() -> None:
    torn: list[str] = []

    def outer() -> Turn:
        try:
            return (yield)
        finally:
            torn.append("outer")

    def inner() -> Turn:
        answer = yield
        if answer == "hit":
            raise ValueError("after the answer")
        return answer

    plugins = [plugin("a", wrapper(outer)), plugin("b", wrapper(inner)), plugin("c", answers("hit"))]
    with pytest.raises(PluginError, match="ValueError: after the answer") as caught:
        compile_plan(Hooks, plugins).fire_outcome(Step(), "red-1")
    assert torn == ["outer"]
    assert (caught.value.plugin, caught.value.hook, caught.value.unit) == ("b", "fire_outcome", "red-1")


def test_a_failure_in_the_set_up_names_its_plugin() -> None:
    def turn() -> Turn:
        ready: dict[str, bool] = {}
        if ready["early"]:
            yield
        return None

    with pytest.raises(PluginError) as caught:
        compile_plan(Hooks, [plugin("w", _returning(turn))]).fire_outcome(Step(), "u")
    assert (caught.value.plugin, caught.value.hook) == ("w", "fire_outcome")
    assert isinstance(caught.value.__cause__, KeyError)


def _returning(turn: Callable[..., Turn]) -> Callable[..., object]:
    def fire_outcome() -> Turn:
        return (yield from turn())

    return wrapper(fire_outcome)


@pytest.mark.parametrize("late", [False, True])
def test_a_wrapper_may_refuse_the_act(late: bool) -> None:
    def turn(unit: object) -> Turn:
        if not late:
            raise RuleError("not allowed", rule="D-R1")
        answer = yield
        if answer is None:
            raise RuleError("not allowed", rule="D-R1")
        return answer

    with pytest.raises(RuleError) as caught:
        compile_plan(Hooks, [plugin("w", wrapper(turn))]).fire_outcome(Step(), "u")
    assert caught.value.rule == "D-R1"


@pytest.mark.parametrize(("count", "what"), [(0, "did not yield"), (2, "a second time")])
def test_a_wrapper_must_yield_once(count: int, what: str) -> None:
    def turn() -> Turn:
        for _ in range(count):
            yield
        return "x"

    with pytest.raises(PluginError, match=what) as caught:
        compile_plan(Hooks, [plugin("w", wrapper(turn))]).fire_outcome(Step(), "u")
    assert caught.value.plugin == "w"


def test_a_wrapper_may_handle_an_honest_error_and_that_is_noted() -> None:
    def fire_outcome() -> str:
        raise ValueError("no table")

    def turn() -> Turn:
        try:
            return (yield)
        except PluginError:
            return "jammed"

    step = Step()
    assert (
        compile_plan(Hooks, [plugin("a", fire_outcome), plugin("w", wrapper(turn))]).fire_outcome(step, "u") == "jammed"
    )
    assert step.notes == [("fire_outcome", "w", None, "jammed")]


def test_an_honest_error_that_becomes_no_opinion_is_noted_too() -> None:
    def fire_outcome() -> str:
        raise ValueError("no table")

    def turn() -> Turn:
        with suppress(PluginError):
            return (yield)
        return None

    step = Step()
    hooks = compile_plan(Hooks, [plugin("a", fire_outcome), plugin("w", wrapper(turn))])
    assert hooks.fire_outcome(step, "u") is None
    assert step.notes == [("fire_outcome", "w", None, None)]


def test_a_hook_without_a_step_may_be_wrapped_too() -> None:
    @hookimpl(wrapper=True)
    def named(name: str) -> Turn:
        answer = yield
        return f"{name}: {answer}"

    assert compile_plan(Hooks, [plugin("w", named)]).named("x") == "x: None"


def test_wrappers_take_a_subset_of_the_arguments_like_all_others() -> None:
    seen: list[object] = []

    def turn(unit: object, step: HookStep) -> Turn:
        seen.append((unit, step))
        return (yield)

    step = Step()
    compile_plan(Hooks, [plugin("w", wrapper(turn))]).fire_outcome(step, "u")
    assert seen == [("u", step)]
