"""The check of a plugin's implementations against the hooks of a game, before anything is called.

It finds what pluggy lets through: a misspelt hook, an argument that would never be filled, one that fails only when
called, a wrapper that turns every answer into ``None``.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from types import FunctionType
from typing import Literal, NamedTuple, cast

from ..errors import PluginError
from .hooks import PROJECT, HookSpec, hook_api, hook_specs

__all__ = ["Problem", "api_problem", "implemented", "lint", "refuse"]

IMPLEMENTATION = PROJECT + "_impl"


class Problem(NamedTuple):
    """What is wrong with one implementation.

    An ``error`` keeps the plugin out; a ``warning`` is shown. ``line`` counts from 1.
    """

    level: Literal["error", "warning"]
    plugin: str
    hook: str
    what: str
    file: str
    line: int
    found: str | None = None
    expected: str | None = None
    hint: str | None = None

    def error(self) -> PluginError:
        """Return the problem as an error that can be raised."""
        return PluginError(
            self.what,
            plugin=self.plugin,
            hook=self.hook,
            where=f"{self.file}:{self.line}: plugin {self.plugin}, hook {self.hook}",
            found=self.found,
            expected=self.expected,
            hint=self.hint,
        )

    def __str__(self) -> str:
        return str(self.error())


class _Subject(NamedTuple):
    """One marked function with what is known about it."""

    plugin: str
    hook: str
    function: FunctionType
    options: Mapping[str, object]
    api: str

    def problem(
        self,
        what: str,
        *,
        level: Literal["error", "warning"] = "error",
        found: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
    ) -> Problem:
        code = inspect.unwrap(self.function).__code__
        return Problem(
            level, self.plugin, self.hook, what, code.co_filename, code.co_firstlineno, found, expected, hint
        )


def api_problem(need: str, have: str) -> str | None:
    """Return why a plugin made for hook API ``need`` cannot run on ``have``, or ``None`` when it can.

    >>> api_problem("1.2", "1.3"), api_problem("2", "1.3")
    (None, 'needs hook API 2, have 1.3')
    """
    needed, had = api_version(need), api_version(have)
    return None if needed[0] == had[0] and needed[1] <= had[1] else f"needs hook API {need}, have {have}"


def api_version(text: str) -> tuple[int, int]:
    """Return major and minor number of an API version such as ``1`` or ``1.3``."""
    major, _, minor = text.partition(".")
    return int(major), int(minor or 0)


def refuse(problems: tuple[Problem, ...]) -> None:
    """Raise the first error among the problems, with the number of the others; warnings pass."""
    errors = [problem for problem in problems if problem.level == "error"]
    if errors:
        error = errors[0].error()
        if len(errors) > 1:
            others = f"and {len(errors) - 1} more of this plugin's hooks have problems"
            error.hint = others if error.hint is None else f"{error.hint}; {others}"
        raise error


def lint(plugin: str, module: object, specification: object) -> tuple[Problem, ...]:
    """Return everything that is wrong with the implementations in ``module``, by file and line.

    Args:
        plugin: the plugin's name, for the problems.
        module: the module (or any object) that holds the functions.
        specification: the game's class of hooks.
    """
    specs = hook_specs(specification)
    api = hook_api(specification)
    problems: list[Problem] = []
    for name in dir(module):
        member = inspect.getattr_static(module, name, None)
        if isinstance(member, staticmethod):
            member = member.__func__
        options = getattr(member, IMPLEMENTATION, None) if callable(member) else None
        if isinstance(options, Mapping):
            hook = str(options.get("specname") or name)
            if isinstance(member, FunctionType):
                problems += _check(_Subject(plugin, hook, member, options, api), specs)
            else:
                problems.append(_not_a_function(plugin, hook, member, module))
        elif name in specs and isinstance(member, FunctionType) and _written_in(member, module):
            problems.append(
                _Subject(plugin, name, member, {}, api).problem(
                    "this function has the name of a hook but is not marked",
                    level="warning",
                    hint="put @hookimpl above it, or give it another name",
                )
            )
    return tuple(sorted(problems, key=lambda problem: (problem.file, problem.line, problem.what)))


def implemented(module: object) -> tuple[str, ...]:
    """Return the names of the hooks that ``module`` has implementations of, sorted."""
    names: set[str] = set()
    for name in dir(module):
        options = getattr(inspect.getattr_static(module, name, None), IMPLEMENTATION, None)
        if isinstance(options, Mapping):
            names.add(str(options.get("specname") or name))
    return tuple(sorted(names))


def _written_in(function: FunctionType, module: object) -> bool:
    """Whether the function is the module's own, not imported from elsewhere."""
    return function.__module__ == getattr(module, "__name__", function.__module__)


def _not_a_function(plugin: str, hook: str, member: object, module: object) -> Problem:
    file = str(getattr(module, "__file__", "?"))
    return Problem(
        "error",
        plugin,
        hook,
        "an implementation must be a plain function",
        file,
        1,
        found=type(member).__name__,
        expected="def",
    )


def _check(subject: _Subject, specs: Mapping[str, HookSpec]) -> Iterator[Problem]:
    spec = specs.get(subject.hook)
    if spec is None:
        near = get_close_matches(subject.hook, specs, 1)
        yield subject.problem(
            "there is no such hook",
            found=subject.hook,
            hint=f"did you mean {near[0]}?" if near else f"the hooks are {', '.join(specs)}",
        )
        return
    yield from _check_arguments(subject, spec)
    yield from _check_shape(subject, spec)


def _check_arguments(subject: _Subject, spec: HookSpec) -> Iterator[Problem]:
    known = ", ".join(spec.arguments)
    for parameter in inspect.signature(subject.function, follow_wrapped=True).parameters.values():
        shown = str(parameter)
        name = parameter.name
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            yield subject.problem("an implementation names its arguments", found=shown, expected=f"any of {known}")
        elif parameter.kind is parameter.KEYWORD_ONLY:
            yield subject.problem(
                "a keyword-only argument cannot be filled", found=name, hint="take away the * in front of it"
            )
        elif parameter.default is not parameter.empty:
            yield subject.problem(
                "an argument of an implementation cannot have a default",
                found=shown,
                expected=name if name in spec.arguments else f"any of {known}",
            )
        elif name in spec.retired:
            yield from _check_retired(subject, name, *spec.retired[name])
        elif name not in spec.arguments:
            near = get_close_matches(name, spec.arguments, 1)
            yield subject.problem(
                "the hook has no such argument",
                found=name,
                expected=f"any of {known}",
                hint=f"did you mean {near[0]}?" if near else None,
            )
        elif name == "step" and spec.kind == "tell":
            yield subject.problem(
                "a tell hook brings news after the step: it cannot take the step",
                found=name,
                expected=f"any of {', '.join(a for a in spec.arguments if a != 'step')}",
            )


def _check_retired(subject: _Subject, old: str, new: str, since: str) -> Iterator[Problem]:
    if api_version(subject.api) <= api_version(since):
        yield subject.problem(
            f"the argument {old} is called {new} since hook API {since}",
            level="warning",
            found=old,
            expected=new,
            hint="the old name works until the next version of the hook API",
        )
    else:
        yield subject.problem(f"the argument {old} went away in hook API {since}", found=old, expected=new)


def _check_shape(subject: _Subject, spec: HookSpec) -> Iterator[Problem]:
    function = inspect.unwrap(subject.function)
    options = subject.options
    for option in ("tryfirst", "trylast"):
        if options.get(option):
            yield subject.problem(
                f"{option} is not used here", hint="declare the order with before and after in the manifest"
            )
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        yield subject.problem("an implementation cannot be async", found="async def", expected="def")
        return
    wrapper = bool(options.get("wrapper"))
    generator = inspect.isgeneratorfunction(function)
    if options.get("hookwrapper"):
        yield subject.problem("old-style wrappers are not used here", found="hookwrapper=True", expected="wrapper=True")
    elif wrapper and spec.kind != "decide":
        yield subject.problem(
            f"a {spec.kind} hook takes no wrapper", found="wrapper=True", expected="a plain implementation"
        )
    elif wrapper and not generator:
        yield subject.problem("a wrapper must yield once", found="no yield")
    elif wrapper and not _returns_something(function):
        yield subject.problem(
            "a wrapper must return the answer, or every answer becomes None",
            found="no return with a value",
            expected="answer = yield, then return answer",
        )
    elif generator and not wrapper:
        yield subject.problem(
            "an implementation cannot yield", found="yield", expected="return, or hookimpl(wrapper=True)"
        )


def _returns_something(function: Callable[..., object]) -> bool:
    """Whether a ``return`` of the function itself has a value; ``True`` where its source cannot be seen."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError, TypeError):
        return True
    nodes: list[ast.AST] = list(cast("ast.FunctionDef", tree.body[0]).body)
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Return) and node.value is not None:
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            nodes.extend(ast.iter_child_nodes(node))
    return False
