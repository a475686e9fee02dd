"""The four kinds of hook through a compiled plan: the meaning of a call, its order, its errors, its notes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Mapping
from typing import Literal, NamedTuple, Protocol

import pytest

from rallypoint.kernel.errors import MissingContentError, PluginError
from rallypoint.kernel.plugins.answer_kinds import checked
from rallypoint.kernel.plugins.hooks import HookStep, change, collect, decide, hook_specs, hookimpl
from rallypoint.kernel.plugins.plan import compile_plan, print_report
from rallypoint.kernel.state import Entity

from .steps import Asked, Hooks, Step, plugin


def adds(amount: int) -> Callable[..., object]:
    def fire_wounds(wounds: int) -> int:
        return wounds + amount

    return fire_wounds


def strictest(answers: tuple[bool, ...]) -> bool:
    return all(answers)


def doubles(wounds: int) -> int:
    return wounds * 2


doubles.__name__ = "fire_wounds"


def test_without_plugins_each_kind_has_its_neutral_answer() -> None:
    hooks, step = compile_plan(Hooks, []), Step()
    assert hooks.fire_wounds(step, "s", 3) == 3
    assert hooks.fire_outcome(step, "u") is None
    assert hooks.modifiers(step, "u") == ()
    assert hooks.total(step, "u") == 0
    first, second = hooks.listed(step), hooks.listed(step)
    assert first == [] == second
    assert first is not second  # a list that the caller may fill is made anew
    hooks.panicked(step, "u")
    assert step.queue == []
    assert step.notes == []


def test_changes_chain_in_declared_order_whatever_order_they_come_in() -> None:
    one = plugin("adder", adds(1))
    two = plugin("doubler", doubles)
    for plugins in ([one, two], [two, one]):
        step = Step()
        assert compile_plan(Hooks, plugins).fire_wounds(step, "s", 3) == 8  # (3 + 1) * 2: ties go by name
        assert step.notes == [("fire_wounds", "adder", 3, 4), ("fire_wounds", "doubler", 4, 8)]
    first = plugin("doubler", doubles, before=("adder",))
    for plugins in ([one, first], [first, one]):
        step = Step()
        assert compile_plan(Hooks, plugins).fire_wounds(step, "s", 3) == 7  # 3 * 2 + 1: the manifest says so
        assert step.notes == [("fire_wounds", "doubler", 3, 6), ("fire_wounds", "adder", 6, 7)]


def test_three_plugins_in_every_order_of_installation_give_the_same() -> None:
    three = [
        plugin("a", adds(5), after=("c",)),
        plugin("b", doubles),
        plugin("c", adds(1), before=("b",)),
    ]
    for order in itertools.permutations(three):
        step = Step()
        assert compile_plan(Hooks, order).fire_wounds(step, "s", 1) == 14  # c, a, b: ((1 + 1) + 5) * 2
        assert [note[1] for note in step.notes] == ["c", "a", "b"]


def test_a_change_to_none_or_to_an_equal_value_is_no_change_and_leaves_no_note() -> None:
    def fire_wounds(step: HookStep) -> None:
        return None

    step = Step()
    assert compile_plan(Hooks, [plugin("a", fire_wounds), plugin("b", adds(0))]).fire_wounds(step, "s", 2000) == 2000
    assert step.notes == []


def test_the_first_answer_decides_and_the_rest_are_not_asked() -> None:
    asked: list[str] = []

    def silent(unit: object) -> None:
        asked.append("silent")

    def says(word: str) -> Callable[..., object]:
        def fire_outcome() -> str:
            asked.append(word)
            return word

        return fire_outcome

    silent.__name__ = "fire_outcome"
    step = Step()
    plugins = [plugin("c", says("hit")), plugin("b", says("miss")), plugin("a", silent)]
    assert compile_plan(Hooks, plugins).fire_outcome(step, "u") == "miss"
    assert asked == ["silent", "miss"]
    assert step.notes == [("fire_outcome", "b", None, "miss")]


def test_an_answer_that_is_false_is_an_answer() -> None:
    def fire_outcome() -> str:
        return ""

    step = Step()
    assert compile_plan(Hooks, [plugin("a", fire_outcome)]).fire_outcome(step, "u") == ""
    assert step.notes == [("fire_outcome", "a", None, "")]


def test_collected_answers_go_through_the_reducer_without_the_nones() -> None:
    def gives(*items: str) -> Callable[..., object]:
        def modifiers() -> tuple[str, ...] | None:
            return items or None

        return modifiers

    def number(value: int | None) -> Callable[..., object]:
        def total(subject: str) -> int | None:
            return value

        return total

    plugins = [
        plugin("a", gives("[+]"), number(3)),
        plugin("b", gives(), number(None)),
        plugin("c", gives("[-]", "cap"), number(4)),
    ]
    step = Step()
    hooks = compile_plan(Hooks, plugins)
    assert hooks.modifiers(step, "u") == ("[+]", "[-]", "cap")
    assert hooks.total(step, "u") == 7
    assert compile_plan(Hooks, [plugins[0], plugins[2]]).total(step, "u") == 7
    assert step.notes == []


def test_an_answer_that_cannot_be_reduced_names_hook_and_plugin() -> None:
    def modifiers() -> int:
        return 5

    with pytest.raises(PluginError) as caught:
        compile_plan(Hooks, [plugin("a", modifiers)]).modifiers(Step(), "u")
    assert (caught.value.plugin, caught.value.hook) == ("a", "modifiers")


@pytest.mark.parametrize(
    ("hook", "answer", "expected"),
    [
        ("fire_wounds", 2.5, "int"),
        ("fire_wounds", True, "int"),
        ("fire_outcome", 7, "str | None"),
        ("modifiers", 5, "tuple[str, ...]"),
        ("modifiers", ("[+]", 5), "tuple[str, ...]"),
        ("modifiers", "[+]", "tuple[str, ...]"),
    ],
)
def test_an_answer_of_another_kind_names_plugin_and_hook(hook: str, answer: object, expected: str) -> None:
    def answers() -> object:
        return answer

    answers.__name__ = hook
    arguments = ("s", 3) if hook == "fire_wounds" else ("s",)
    step = Step()
    with pytest.raises(PluginError, match=f"plugin a, hook {hook}: a .* hook gave a value of another kind") as caught:
        getattr(compile_plan(Hooks, [plugin("a", answers)]), hook)(step, *arguments)
    assert (caught.value.expected, repr(answer) in str(caught.value.found)) == (expected, True)
    assert step.notes == []


def test_what_is_reduced_is_of_the_kind_that_the_reducer_takes() -> None:
    class Allowing(Protocol):
        @collect(reduce=strictest)
        def allowed(self, step: HookStep) -> bool: ...

    def allowed() -> object:
        return "no"

    with pytest.raises(
        PluginError, match=r"a collect hook gave a value of another kind.*found: str 'no'; expected: bool"
    ):
        compile_plan(Allowing, [plugin("a", allowed)]).allowed(Step())


def test_a_wrapper_answers_in_the_kind_of_its_hook() -> None:
    @hookimpl(wrapper=True)
    def fire_outcome() -> Generator[None, str | None, object]:
        yield
        return 7

    with pytest.raises(PluginError, match="plugin a, hook fire_outcome: a decide hook gave a value of another kind"):
        compile_plan(Hooks, [plugin("a", fire_outcome)]).fire_outcome(Step(), "u")


class Shot(NamedTuple):
    at: tuple[int, int]
    sign: Literal["+", "-"]
    words: Mapping[str, object] | None = None


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        (Shot((1, 2), "+"), True),
        (Shot((1, 2), "-", {}), True),
        (Shot((1, 2), "*"), False),  # type: ignore[arg-type]
        (Shot((1, 2, 3), "+"), False),  # type: ignore[arg-type]
        (Shot((1, "2"), "+"), False),  # type: ignore[arg-type]
        (Shot((1, 2), "+", "x"), False),  # type: ignore[arg-type]
        (((1, 2), "+", None), False),
        (None, False),
    ],
)
def test_records_are_checked_field_by_field(value: object, fits: bool) -> None:
    assert checked(Shot)(value) is fits


def test_news_waits_for_the_step_and_one_failure_does_not_stop_the_others() -> None:
    heard: list[object] = []
    failures: list[tuple[str, str, str]] = []

    def hears(name: str) -> Callable[..., object]:
        def panicked(unit: object) -> None:
            heard.append((name, unit))
            if name == "b":
                raise ValueError("deaf")

        return panicked

    plugins = [plugin(name, hears(name)) for name in "abc"]
    hooks = compile_plan(Hooks, plugins, report=lambda name, hook, error: failures.append((name, hook, str(error))))
    step = Step()
    hooks.panicked(step, "red-1")
    hooks.panicked(step, "red-2")
    assert heard == []
    assert len(step.queue) == 2
    for call in step.queue:
        call()
    assert heard == [(name, unit) for unit in ("red-1", "red-2") for name in "abc"]
    assert failures == [("b", "panicked", "deaf")] * 2
    assert step.notes == []


def test_life_cycle_news_without_a_step_comes_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    heard: list[str] = []

    def bad(name: str) -> None:
        raise KeyError(name)

    def good(name: str) -> None:
        heard.append(name)

    bad.__name__ = good.__name__ = "opened"
    hooks = compile_plan(Hooks, [plugin("a", bad), plugin("b", good)], report=print_report)
    hooks.opened("battle")
    assert heard == ["battle"]
    assert capsys.readouterr().err == "warning: plugin a, hook opened: KeyError: 'battle'\n"


@pytest.mark.parametrize(
    ("hook", "arguments", "unit"),
    [
        ("fire_wounds", ("red-7", 2), None),
        ("fire_outcome", ("red-7",), "red-7"),
        ("fire_outcome", (Entity.new("red-8", "unit"),), "red-8"),
        ("modifiers", (5,), None),
        ("total", ("red-9",), "red-9"),
    ],
)
def test_an_exception_names_plugin_hook_and_unit(hook: str, arguments: tuple[object, ...], unit: str | None) -> None:
    def fails() -> None:
        raise ZeroDivisionError("by zero")

    fails.__name__ = hook
    step = Step()
    with pytest.raises(PluginError) as caught:
        getattr(compile_plan(Hooks, [plugin("bad", fails)]), hook)(step, *arguments)
    error = caught.value
    assert (error.plugin, error.hook, error.unit) == ("bad", hook, unit)
    assert isinstance(error.__cause__, ZeroDivisionError)
    names = f"plugin bad, hook {hook}" + ("" if unit is None else f", unit {unit}")
    assert str(error) == f"{names}: ZeroDivisionError: by zero"


@pytest.mark.parametrize("hook", ["fire_wounds", "fire_outcome", "total"])
def test_a_plugin_that_ends_the_program_is_named(hook: str) -> None:
    def ends() -> None:
        raise SystemExit(0)

    ends.__name__ = hook
    arguments = ("s", 1) if hook == "fire_wounds" else ("s",)
    with pytest.raises(PluginError, match=f"plugin bad, hook {hook}.*: SystemExit: 0"):
        getattr(compile_plan(Hooks, [plugin("bad", ends)]), hook)(Step(), *arguments)


def test_one_that_ends_the_program_at_news_does_not_keep_them_from_others(capsys: pytest.CaptureFixture[str]) -> None:
    heard: list[str] = []

    def ends() -> None:
        raise SystemExit(3)

    ends.__name__ = "opened"

    def opened(name: str) -> None:
        heard.append(name)

    compile_plan(Hooks, [plugin("a", ends), plugin("b", opened)]).opened("battle")
    assert heard == ["battle"]
    assert capsys.readouterr().err == "warning: plugin a, hook opened: SystemExit: 3\n"


def test_the_error_of_a_nested_hook_keeps_its_own_names() -> None:
    hooks = compile_plan(Hooks, [])

    def inner() -> None:
        raise ValueError("deep")

    def outer(step: Step) -> None:
        hooks.fire_outcome(step, "red-1")

    inner.__name__, outer.__name__ = "fire_outcome", "fire_wounds"
    hooks = compile_plan(Hooks, [plugin("inner", inner), plugin("outer", outer)])
    with pytest.raises(PluginError) as caught:
        hooks.fire_wounds(Step(), "s", 1)
    assert (caught.value.plugin, caught.value.hook, caught.value.unit) == ("inner", "fire_outcome", "red-1")
    assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.parametrize("hook", ["fire_wounds", "fire_outcome", "total"])
def test_a_refusal_by_the_rules_passes_as_it_is(hook: str) -> None:
    refusal = MissingContentError("M-03", "the panic table", rule="D-R20")

    def refuses() -> None:
        raise refusal

    refuses.__name__ = hook
    arguments = ("s", 1) if hook == "fire_wounds" else ("s",)
    with pytest.raises(MissingContentError) as caught:
        getattr(compile_plan(Hooks, [plugin("a", refuses)]), hook)(Step(), *arguments)
    assert caught.value is refusal


@pytest.mark.parametrize("hook", ["fire_wounds", "fire_outcome", "total"])
def test_a_suspension_passes_through_untouched(hook: str) -> None:
    def asks(step: Step) -> object:
        return step.roll()

    asks.__name__ = hook
    step = Step()
    arguments = ("s", 1) if hook == "fire_wounds" else ("s",)
    with pytest.raises(Asked) as caught:
        getattr(compile_plan(Hooks, [plugin("a", asks)]), hook)(step, *arguments)
    assert caught.value is step.stopped
    assert caught.value.__cause__ is None


def test_two_plans_stand_beside_each_other_and_cannot_be_changed() -> None:
    one, two = compile_plan(Hooks, [plugin("a", adds(1))]), compile_plan(Hooks, [plugin("a", adds(2))])
    step = Step()
    assert (one.fire_wounds(step, "s", 0), two.fire_wounds(step, "s", 0)) == (1, 2)
    with pytest.raises(AttributeError, match="frozen"):
        one.fire_wounds = two.fire_wounds  # type: ignore[method-assign]
    with pytest.raises(AttributeError, match="frozen"):
        one.other = 1  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="frozen"):
        del one.fire_wounds
    assert one.fire_wounds(step, "s", 0) == 1


def test_a_retired_argument_still_gets_its_value() -> None:
    def fire_wounds(hits: int) -> int:
        return hits + 10

    assert compile_plan(Hooks, [plugin("old", fire_wounds)]).fire_wounds(Step(), "s", 1) == 11


def test_one_plugin_may_implement_a_hook_under_another_name() -> None:
    @hookimpl(specname="fire_wounds")
    def sturdy(wounds: int) -> int:
        return wounds - 1

    assert compile_plan(Hooks, [plugin("a", sturdy)]).fire_wounds(Step(), "s", 3) == 2


def test_two_plugins_of_one_name_and_a_bad_implementation_are_refused() -> None:
    with pytest.raises(PluginError, match="two plugins have one name"):
        compile_plan(Hooks, [plugin("a"), plugin("a")])

    def fire_wound(wounds: int) -> int:
        return wounds

    with pytest.raises(PluginError, match="did you mean fire_wounds"):
        compile_plan(Hooks, [plugin("a", fire_wound)])


def test_a_circle_in_the_order_is_named() -> None:
    plugins = [plugin("a", before=("b",)), plugin("b", before=("c",)), plugin("c", before=("a",)), plugin("d")]
    with pytest.raises(PluginError, match="a before b before c before a"):
        compile_plan(Hooks, plugins)


def test_a_specification_that_does_not_hold_together_is_refused() -> None:
    class Wrong(Protocol):
        @change("wound")
        def fire_wounds(self, step: HookStep, wounds: int) -> int: ...

    class Defaulted(Protocol):
        @decide()
        def fire_outcome(self, step: HookStep, unit: str = "") -> str: ...

    class Retired(Protocol):
        @decide(retired={"unit": ("unit", "1.1")})
        def fire_outcome(self, unit: str) -> str: ...

    def needs_one(answers: tuple[int, ...]) -> int:
        return max(answers)

    class Greedy(Protocol):
        @collect(reduce=needs_one)
        def highest(self) -> int: ...

    for specification, what in (
        (Wrong, "not among its arguments"),
        (Defaulted, "without defaults"),
        (Retired, "retired argument"),
    ):
        with pytest.raises(PluginError, match=what):
            hook_specs(specification)
    with pytest.raises(PluginError, match="must accept that nobody answers"):
        compile_plan(Greedy, [])


def test_hooks_are_listed_with_kind_rules_and_inherited_ones_first() -> None:
    class More(Hooks, Protocol):
        @decide()
        def extra(self) -> int | None: ...

    specs = hook_specs(More)
    names = list(specs)
    assert (names[0], names[-1]) == ("fire_wounds", "extra")
    assert (specs["fire_wounds"].kind, specs["fire_wounds"].rules) == ("change", ("D-R16.9",))
    assert specs["panicked"].kind == "tell"
