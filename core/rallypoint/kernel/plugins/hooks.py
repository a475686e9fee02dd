"""Hook specifications: what a game asks its plugins, and of which kind each question is.

A game publishes one Protocol class. Each method is a hook and carries its kind:

========  =========================================================  ==============================================
kind      meaning                                                    an exception in a plugin
========  =========================================================  ==============================================
decide    the first answer wins; ``None`` is no opinion              PluginError: the step is undone
change    value in, value out, chained in declared order             PluginError: the step is undone
collect   all answers, put together by the one declared reducer      PluginError: the step is undone
tell      news after a live commit; it can neither roll nor emit     reported; the others still hear
========  =========================================================  ==============================================

>>> from typing import ClassVar
>>> class Hooks(Protocol):
...     hook_api: ClassVar[str] = "1.0"
...
...     @change("wounds", rules=("D-R16.9",))
...     def fire_wounds(self, step: HookStep, shot: str, wounds: int) -> int: ...
>>> hook_specs(Hooks)["fire_wounds"].arguments
('step', 'shot', 'wounds')

The game calls ``step.hooks.fire_wounds(step, shot, 2)``, by position, on what
:func:`~rallypoint.kernel.plugins.plan.compile_plan` makes of the class; a plugin marks its functions with :data:`hookimpl`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from types import FunctionType, MappingProxyType
from typing import Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import pluggy

from ..errors import PluginError
from .answer_kinds import answer_kind

__all__ = [
    "HookSpec",
    "HookStep",
    "Kind",
    "LoadedPlugin",
    "change",
    "collect",
    "decide",
    "hook_api",
    "hook_specs",
    "hookimpl",
    "joined",
    "tell",
]

PROJECT = "rallypoint"
MARK = "__rallypoint_hook__"

hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a plugin's function as the implementation of the hook of its name; see :mod:`rallypoint.kernel.plugins.lint`."""

_hookspec = pluggy.HookspecMarker(PROJECT)

Kind: TypeAlias = Literal["decide", "change", "collect", "tell"]
F = TypeVar("F", bound=Callable[..., object])
T = TypeVar("T")

_NONE_RETIRED: Mapping[str, tuple[str, str]] = MappingProxyType({})


class HookStep(Protocol):
    """What the plan needs of a step; a hook that takes one names the argument ``step``."""

    def later(self, call: Callable[[], None], /) -> None:
        """Keep ``call`` until the step has been committed in live play; drop it otherwise."""

    def note(self, hook: str, plugin: str, before: object, after: object, /) -> None:
        """Write down that ``plugin`` decided or changed something."""

    def check(self) -> None:
        """Raise the step's suspension again, if somebody swallowed it."""


class LoadedPlugin(NamedTuple):
    """A plugin whose module has been imported: what a plan is made of.

    ``before`` and ``after`` name the plugins that it comes before and after; ``module`` holds its implementations.
    """

    name: str
    module: object
    version: str = ""
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


class HookSpec(NamedTuple):
    """One hook.

    ``value`` is the argument that a *change* hook changes, ``reduce`` what puts the answers of a *collect* hook
    together. ``retired`` maps an argument's former name to its name now and the API version that renamed it.
    ``answer`` is the annotation of what one plugin answers.
    """

    name: str
    kind: Kind
    arguments: tuple[str, ...]
    value: str | None = None
    reduce: Callable[[tuple[object, ...]], object] | None = None
    rules: tuple[str, ...] = ()
    retired: Mapping[str, tuple[str, str]] = _NONE_RETIRED
    doc: str = ""
    answer: object = object


class _Mark(NamedTuple):
    kind: Kind
    value: str | None
    reduce: Callable[[tuple[object, ...]], object] | None
    rules: tuple[str, ...]
    retired: Mapping[str, tuple[str, str]]


def _marker(mark: _Mark) -> Callable[[F], F]:
    def apply(function: F) -> F:
        setattr(function, MARK, mark)
        return _hookspec(function, firstresult=mark.kind == "decide")

    return apply


def decide(*, rules: Iterable[str] = (), retired: Mapping[str, tuple[str, str]] = _NONE_RETIRED) -> Callable[[F], F]:
    """Mark a hook whose first answer other than ``None`` wins; only here plugins may use ``hookimpl(wrapper=True)``.

    Args:
        rules: ids of the rules that the hook belongs to.
        retired: former argument names: ``{"shooter": ("unit", "1.3")}``; they work, with a warning, until 1.4.
    """
    return _marker(_Mark("decide", None, None, tuple(rules), retired))


def change(
    value: str, *, rules: Iterable[str] = (), retired: Mapping[str, tuple[str, str]] = _NONE_RETIRED
) -> Callable[[F], F]:
    """Mark a hook that takes the argument ``value`` in and gives it out, changed or not (``None``: unchanged)."""
    return _marker(_Mark("change", value, None, tuple(rules), retired))


def collect(
    *,
    reduce: Callable[[tuple[T, ...]], object],
    rules: Iterable[str] = (),
    retired: Mapping[str, tuple[str, str]] = _NONE_RETIRED,
) -> Callable[[F], F]:
    """Mark a hook that gathers every answer; ``reduce`` gets those that are not ``None``, in declared order.

    With no answers at all ``reduce(())`` is the result.
    """
    return _marker(_Mark("collect", None, reduce, tuple(rules), retired))  # type: ignore[arg-type]


def tell(*, rules: Iterable[str] = (), retired: Mapping[str, tuple[str, str]] = _NONE_RETIRED) -> Callable[[F], F]:
    """Mark a hook that only brings news.

    With an argument ``step`` the call is put off until the step has been committed in live play; without one (the
    kernel's life-cycle) it is made at once.
    """
    return _marker(_Mark("tell", None, None, tuple(rules), retired))


def joined(answers: tuple[tuple[T, ...], ...]) -> tuple[T, ...]:
    """Put tuples one behind the other: the usual reducer for modifiers, problems and reactions.

    >>> joined(((1, 2), (), (3,)))
    (1, 2, 3)
    """
    return tuple(chain.from_iterable(answers))


def hook_api(specification: object) -> str:
    """Return the version of the hook API, ``"1.0"`` where the class does not say.

    >>> hook_api(object)
    '1.0'
    """
    version = getattr(specification, "hook_api", "1.0")
    return version if isinstance(version, str) else "1.0"


def hook_specs(specification: object) -> Mapping[str, HookSpec]:
    """Return the hooks of a specification class by name, inherited ones first, then in the order written.

    Raises:
        PluginError: a hook's declaration does not hold together; ``plugin`` is then the class that declares it.
    """
    found: dict[str, HookSpec] = {}
    owners: tuple[type, ...] = getattr(specification, "__mro__", ())
    for owner in reversed(owners):
        for name, member in vars(owner).items():
            mark = getattr(member, MARK, None)
            if isinstance(mark, _Mark) and isinstance(member, FunctionType):
                found[name] = _spec(owner.__name__, name, member, mark)
    return MappingProxyType(found)


def _spec(owner: str, name: str, function: FunctionType, mark: _Mark) -> HookSpec:
    parameters = list(inspect.signature(function).parameters.values())[1:]
    for parameter in parameters:
        plain = parameter.kind is parameter.POSITIONAL_OR_KEYWORD and parameter.default is parameter.empty
        if not plain or parameter.name.startswith("_"):
            raise PluginError(
                "a hook takes plain arguments without defaults", plugin=owner, hook=name, found=str(parameter)
            )
    arguments = tuple([parameter.name for parameter in parameters])
    if mark.value is not None and mark.value not in arguments:
        raise PluginError(
            "the value that this hook changes is not among its arguments",
            plugin=owner,
            hook=name,
            found=mark.value,
            expected=" or ".join(arguments),
        )
    for old, (new, since) in mark.retired.items():
        if new not in arguments or old in arguments:
            raise PluginError(
                "a retired argument must stand for one that the hook has",
                plugin=owner,
                hook=name,
                found=f"{old} for {new} since {since}",
            )
    doc = inspect.getdoc(function) or ""
    answer = answer_kind(function, mark.reduce, mark.reduce is joined)
    return HookSpec(name, mark.kind, arguments, mark.value, mark.reduce, mark.rules, mark.retired, doc, answer)
