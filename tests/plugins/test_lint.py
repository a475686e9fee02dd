"""Lint: each fault of an implementation is found, with file, line and what to do."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from rallypoint.kernel.errors import PluginError
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.plugins.lint import Problem, api_problem, implemented, lint, refuse

from .steps import Hooks


def module(folder: Path, body: str) -> ModuleType:
    """Import a module with this body; its third line is the first of the body."""
    file = folder / "impl.py"
    file.write_text(f"from rallypoint.kernel.plugins.hooks import hookimpl\n\n{body}\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location("impl", file)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


IMPL = "@hookimpl\n"
WRAPPER = "@hookimpl(wrapper=True)\n"


@pytest.mark.parametrize(
    ("body", "hook", "what", "found", "hint"),
    [
        (IMPL + "def fire_wound(wounds): ...", "fire_wound", "no such hook", "fire_wound", "did you mean fire_wounds?"),
        (IMPL + "def zzz(wounds): ...", "zzz", "no such hook", "zzz", "the hooks are fire_wounds, fire_outcome,"),
        (IMPL + "def fire_wounds(wound): ...", "fire_wounds", "no such argument", "wound", "did you mean wounds?"),
        (IMPL + "def fire_wounds(wounds=3): ...", "fire_wounds", "cannot have a default", "wounds=3", None),
        (IMPL + "def fire_wounds(wounds, more=1): ...", "fire_wounds", "cannot have a default", "more=1", None),
        (IMPL + "def fire_wounds(*, wounds): ...", "fire_wounds", "keyword-only", "wounds", "take away the *"),
        (IMPL + "def fire_wounds(*wounds): ...", "fire_wounds", "names its arguments", "*wounds", None),
        (IMPL + "def fire_wounds(**all): ...", "fire_wounds", "names its arguments", "**all", None),
        (IMPL + "async def fire_wounds(wounds): ...", "fire_wounds", "cannot be async", "async def", None),
        (IMPL + "async def fire_wounds(wounds):\n    yield 1", "fire_wounds", "cannot be async", "async def", None),
        (IMPL + "def fire_wounds(wounds):\n    yield wounds", "fire_wounds", "cannot yield", "yield", None),
        (
            "@hookimpl(hookwrapper=True)\ndef fire_outcome():\n    yield",
            "fire_outcome",
            "old-style",
            "hookwrapper=True",
            None,
        ),
        (
            WRAPPER + "def fire_wounds():\n    return (yield)",
            "fire_wounds",
            "a change hook takes no wrapper",
            "wrapper=True",
            None,
        ),
        (
            WRAPPER + "def modifiers():\n    return (yield)",
            "modifiers",
            "a collect hook takes no wrapper",
            "wrapper=True",
            None,
        ),
        (WRAPPER + "def fire_outcome():\n    return 1", "fire_outcome", "must yield once", "no yield", None),
        (
            WRAPPER + "def fire_outcome():\n    a = yield\n    def f():\n        return a\n    return",
            "fire_outcome",
            "must return the answer",
            "no return with a value",
            None,
        ),
        (
            "@hookimpl(tryfirst=True)\ndef fire_wounds(wounds): ...",
            "fire_wounds",
            "tryfirst is not used",
            None,
            "declare the order with before and after",
        ),
        (
            "@hookimpl(trylast=True)\ndef fire_wounds(wounds): ...",
            "fire_wounds",
            "trylast is not used",
            None,
            "declare the order with before and after",
        ),
        (IMPL + "def panicked(step): ...", "panicked", "cannot take the step", "step", None),
        (IMPL + "class fire_wounds: ...", "fire_wounds", "must be a plain function", "type", None),
    ],
)
def test_each_fault_is_one_error_with_file_and_line(
    tmp_path: Path, body: str, hook: str, what: str, found: str | None, hint: str | None
) -> None:
    made = module(tmp_path, body)
    (problem,) = lint("p", made, Hooks)
    assert (problem.level, problem.plugin, problem.hook, problem.found) == ("error", "p", hook, found)
    assert what in problem.what
    assert problem.file == str(tmp_path / "impl.py")
    assert problem.line == (1 if "class" in body else 3)
    assert (hint is None) or (problem.hint or "").startswith(hint)
    with pytest.raises(PluginError) as caught:
        refuse((problem,))
    assert str(caught.value).startswith(f"{tmp_path / 'impl.py'}:{problem.line}: plugin p, hook {hook}: ")


def test_what_is_right_has_no_problems(tmp_path: Path) -> None:
    body = """
@hookimpl
def fire_wounds(step, wounds): return wounds

@hookimpl(wrapper=True)
def fire_outcome(unit):
    answer = yield
    if answer:
        return answer

@hookimpl
def modifiers(): return ()

@hookimpl
def panicked(unit): ...

def helper(anything=1, *args): ...
"""
    made = module(tmp_path, body)
    assert lint("p", made, Hooks) == ()
    assert implemented(made) == ("fire_outcome", "fire_wounds", "modifiers", "panicked")


def test_an_unmarked_function_with_the_name_of_a_hook_is_a_warning(tmp_path: Path) -> None:
    made = module(tmp_path, "def fire_wounds(wounds): ...")
    (problem,) = lint("p", made, Hooks)
    assert (problem.level, problem.hook, problem.line) == ("warning", "fire_wounds", 3)
    assert problem.hint == "put @hookimpl above it, or give it another name"
    refuse((problem,))  # warnings pass
    assert implemented(made) == ()


def test_an_unmarked_function_from_elsewhere_is_nobodys_business(tmp_path: Path) -> None:
    made = module(tmp_path, "from tempfile import gettempdir as fire_wounds")
    assert lint("p", made, Hooks) == ()


def test_all_faults_are_told_and_the_first_is_raised_with_their_number(tmp_path: Path) -> None:
    made = module(tmp_path, IMPL + "def fire_wounds(a, b): ...\n" + IMPL + "async def modifiers(c): ...")
    problems = lint("p", made, Hooks)
    assert [(problem.line, problem.found) for problem in problems] == [(3, "a"), (3, "b"), (5, "async def"), (5, "c")]
    with pytest.raises(PluginError, match="and 3 more of this plugin's hooks have problems"):
        refuse(problems)


def test_a_retired_argument_is_a_warning_for_one_version() -> None:
    def fire_wounds(hits: int) -> int:
        return hits

    holder = SimpleNamespace(fire_wounds=hookimpl(fire_wounds))
    (problem,) = lint("p", holder, Hooks)
    assert (problem.level, problem.found, problem.expected) == ("warning", "hits", "wounds")
    assert problem.file == __file__
    assert problem.line == fire_wounds.__code__.co_firstlineno

    class Later(Hooks):
        hook_api = "1.4"

    (problem,) = lint("p", holder, Later)
    assert (problem.level, problem.what) == ("error", "the argument hits went away in hook API 1.3")


@pytest.mark.parametrize(
    ("need", "have", "answer"),
    [
        ("1", "1.3", None),
        ("1.3", "1.3", None),
        ("1.4", "1.3", "needs hook API 1.4, have 1.3"),
        ("2", "1.3", "needs hook API 2, have 1.3"),
        ("1.9", "2.0", "needs hook API 1.9, have 2.0"),
        ("1.2", "1.10", None),
    ],
)
def test_hook_api_versions(need: str, have: str, answer: str | None) -> None:
    assert api_problem(need, have) == answer


def test_a_problem_reads_as_one_line() -> None:
    problem = Problem("error", "p", "h", "it is wrong", "f.py", 7, "this", "that", "do so")
    assert str(problem) == "f.py:7: plugin p, hook h: it is wrong; found: this; expected: that; do so"
