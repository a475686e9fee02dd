"""The dispatch plan: for each hook one plain function, written out for the plugins of one battle.

pluggy finds the implementations and reads their arguments; the meaning of a call comes from here. A generated function
calls each implementation by position with what it asked for, so that an idle hook costs next to nothing, and a plan can
stand beside another with other plugins in the same process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias, TypeVar, cast

import pluggy

from ..errors import PluginError, RuleError
from ..state import Entity
from .hooks import PROJECT, HookSpec, HookStep, LoadedPlugin, hook_specs, joined
from .lint import lint, refuse
from .order import in_order
from .wrappers import Wrapper, wrapped

__all__ = ["Report", "compile_plan", "is_answered", "print_report"]

H = TypeVar("H")

Report: TypeAlias = Callable[[str, str, Exception], None]
"""Hears of an exception in a *tell* hook: plugin, hook, exception."""

_IMMUTABLE = (tuple, frozenset, str, int, float, bytes, type(None))
_ANSWERED = "_answered"
"""Where a plan keeps the names of the hooks that somebody implements."""

_SUBJECTS = ("unit", "uid", "subject")


class _Implementation(NamedTuple):
    plugin: str
    function: Callable[..., object]
    arguments: tuple[str, ...]
    wrapper: bool


def print_report(plugin: str, hook: str, error: Exception) -> None:
    """Write one line about a failed *tell* hook to standard error: what a plan does unless it is given another way."""
    import sys

    sys.stderr.write(f"warning: plugin {plugin}, hook {hook}: {type(error).__name__}: {error}\n")


def compile_plan(
    specification: Callable[..., H], plugins: Sequence[LoadedPlugin], *, report: Report = print_report
) -> H:
    """Return the hooks of ``specification`` as plain functions that call the plugins.

    Args:
        specification: the game's Protocol class of hooks.
        plugins: those that take part, in any order: it is worked out from ``before``, ``after`` and the names.
        report: hears of exceptions in *tell* hooks.

    Raises:
        PluginError: an implementation does not fit its hook, two plugins have one name, or their order is a circle.
    """
    specs = hook_specs(specification)
    manager = pluggy.PluginManager(PROJECT)
    by_name: dict[str, LoadedPlugin] = {}
    for plugin in plugins:
        if plugin.name in by_name:
            raise PluginError("two plugins have one name", plugin=plugin.name)
        by_name[plugin.name] = plugin
        refuse(lint(plugin.name, plugin.module, specification))
        manager.register(_Namespace(plugin.module), plugin.name)
    rank = {name: index for index, name in enumerate(in_order(plugins))}
    found = {name: _implementations(manager, spec, rank) for name, spec in specs.items()}
    functions: dict[str, object] = {name: _compile(spec, found[name], report) for name, spec in specs.items()}
    functions[_ANSWERED] = frozenset([name for name, each in found.items() if each])
    return cast("H", _frozen(getattr(specification, "__name__", "Hooks"), functions))


def is_answered(plan: object, hook: str) -> bool:
    """Say whether a plugin of a plan implements a hook; where none does, a ruling that only plugins read does nothing."""
    return hook in getattr(plan, _ANSWERED, ())


class _Namespace:
    """Stands for a plugin's module, so that one module may be in a plan under two names."""

    def __init__(self, module: object) -> None:
        for name in dir(module):
            if not name.startswith("__"):
                member = getattr(module, name)
                if hasattr(member, PROJECT + "_impl"):
                    setattr(self, name, member)


def _frozen(name: str, attributes: dict[str, object]) -> object:
    """Return an object with the functions, and what else belongs to it, as attributes that cannot be set again.

    Slots: an attribute of a slot is found as fast as one of a dictionary, and there is no dictionary to write to.
    """

    def refuse_to_set(self: object, attribute: str, *_value: object) -> None:  # noqa: ARG001
        raise AttributeError(f"a plan is frozen: {attribute} cannot be set")

    kind = type(name, (), {"__slots__": tuple(attributes), "__setattr__": refuse_to_set, "__delattr__": refuse_to_set})
    plan = kind()
    for attribute, value in attributes.items():
        object.__setattr__(plan, attribute, value)
    return plan


def _implementations(
    manager: pluggy.PluginManager, spec: HookSpec, rank: dict[str, int]
) -> tuple[_Implementation, ...]:
    caller = getattr(manager.hook, spec.name, None)
    if caller is None:
        return ()
    found = [
        _Implementation(each.plugin_name, each.function, tuple(each.argnames), bool(each.wrapper))
        for each in caller.get_hookimpls()
    ]
    return tuple(sorted(found, key=lambda each: (rank[each.plugin], each.function.__name__)))


def _failed(plugin: str, spec: HookSpec, error: Exception, *values: object) -> PluginError:
    """Return the error that names plugin, hook and the unit that the call was about."""
    unit: str | None = None
    for name, value in zip(spec.arguments, values, strict=True):
        if isinstance(value, Entity):
            unit = value.uid
        elif name in _SUBJECTS and isinstance(value, str):
            unit = value
        if unit is not None:
            break
    return PluginError(f"{type(error).__name__}: {error}", plugin=plugin, hook=spec.name, unit=unit)


def _wrong_kind(plugin: str, hook: str, before: object, after: object) -> PluginError:
    return PluginError(
        "a change hook gave a value of another kind",
        plugin=plugin,
        hook=hook,
        found=f"{type(after).__name__} {after!r}",
        expected=type(before).__name__,
    )


def _compile(spec: HookSpec, implementations: tuple[_Implementation, ...], report: Report) -> Callable[..., object]:
    """Write the hook's function and compile it; names with an underscore are the plan's own."""
    plain = [each for each in implementations if not each.wrapper]
    scope: dict[str, object] = {"_PluginError": PluginError, "_RuleError": RuleError, "_report": report}
    for index, each in enumerate(plain):
        scope[f"_call{index}"] = each.function
        scope[f"_failed{index}"] = partial(_failed, each.plugin, spec)
        scope[f"_wrong_kind{index}"] = partial(_wrong_kind, each.plugin, spec.name)
    if spec.reduce is not None:
        scope["_reduce"] = spec.reduce
        scope["_empty"] = _empty(spec)
        scope["_failed_reduce"] = partial(_failed, " or ".join(dict.fromkeys(each.plugin for each in plain)), spec)
    if spec.kind == "tell" and plain:
        scope["_partial"] = partial
        scope["_tell_all"] = _define(spec, _told(spec), list(_tell_all(spec, plain)), dict(scope))
    body = {"decide": _decide, "change": _change, "collect": _collect, "tell": _tell}[spec.kind]
    function = _define(spec, spec.arguments, list(body(spec, plain)), scope)
    wrappers = [each for each in implementations if each.wrapper]
    return _guard(spec, wrappers, function) if wrappers else function


def _define(
    spec: HookSpec, arguments: Iterable[str], body: list[str], scope: dict[str, object]
) -> Callable[..., object]:
    text = "\n".join([f"def {spec.name}({', '.join(arguments)}):", *[f"    {line}" for line in body]])
    exec(compile(text, f"<plan of hook {spec.name}>", "exec"), scope)  # noqa: S102 - this is what a plan is
    return cast("Callable[..., object]", scope[spec.name])


def _arguments(spec: HookSpec, each: _Implementation) -> str:
    return ", ".join([spec.retired[name][0] if name in spec.retired else name for name in each.arguments])


def _guarded(spec: HookSpec, call: str, failed: str) -> Iterator[str]:
    """Yield a call whose exceptions name the plugin.

    An error of a nested hook has its names already, and a RuleError is a refusal of the act, not a fault.
    """
    yield "try:"
    yield f"    {call}"
    yield "except (_PluginError, _RuleError):"
    yield "    raise"
    yield "except Exception as _error:"
    yield f"    raise {failed}(_error, {', '.join(spec.arguments)}) from _error"


def _decide(spec: HookSpec, plain: list[_Implementation]) -> Iterator[str]:
    for index, each in enumerate(plain):
        yield from _guarded(spec, f"_answer = _call{index}({_arguments(spec, each)})", f"_failed{index}")
        yield "if _answer is not None:"
        if "step" in spec.arguments:
            yield f"    step.note({spec.name!r}, {each.plugin!r}, None, _answer)"
        yield "    return _answer"
    yield "return None"


def _change(spec: HookSpec, plain: list[_Implementation]) -> Iterator[str]:
    for index, each in enumerate(plain):
        yield from _guarded(spec, f"_new = _call{index}({_arguments(spec, each)})", f"_failed{index}")
        yield f"if _new is not None and _new is not {spec.value} and _new != {spec.value}:"
        yield f"    if not isinstance(_new, type({spec.value})) and {spec.value} is not None:"
        yield f"        raise _wrong_kind{index}({spec.value}, _new)"
        if "step" in spec.arguments:
            yield f"    step.note({spec.name!r}, {each.plugin!r}, {spec.value}, _new)"
        yield f"    {spec.value} = _new"
    yield f"return {spec.value}"


def _collect(spec: HookSpec, plain: list[_Implementation]) -> Iterator[str]:
    if not plain:
        yield "return _reduce(())" if not isinstance(_empty(spec), _IMMUTABLE) else "return _empty"
        return
    for index, each in enumerate(plain):
        yield from _guarded(spec, f"_answer{index} = _call{index}({_arguments(spec, each)})", f"_failed{index}")
    names = [f"_answer{index}" for index in range(len(plain))]
    if spec.reduce is joined:  # the usual reducer, written out: one call less
        for name in names:
            yield f"if {name} is None:"
            yield f"    {name} = ()"
        yield from _guarded(spec, f"return ({', '.join(f'*{name}' for name in names)},)", "_failed_reduce")
        return
    every = f"({', '.join(names)},)"
    yield f"if {' or '.join(f'{name} is None' for name in names)}:"
    yield f"    _answers = tuple([_answer for _answer in {every} if _answer is not None])"
    yield "else:"
    yield f"    _answers = {every}"
    yield from _guarded(spec, "return _reduce(_answers)", "_failed_reduce")


def _tell(spec: HookSpec, plain: list[_Implementation]) -> Iterator[str]:
    """With a step only the call is prepared here: what the news was is kept, and told once the step is committed."""
    if not plain:
        yield "return None"
    elif "step" in spec.arguments:
        yield f"step.later(_partial(_tell_all, {', '.join(_told(spec))}))"
    else:
        yield from _tell_all(spec, plain)


def _told(spec: HookSpec) -> list[str]:
    return [name for name in spec.arguments if name != "step"]


def _tell_all(spec: HookSpec, plain: list[_Implementation]) -> Iterator[str]:
    for index, each in enumerate(plain):
        yield "try:"
        yield f"    _call{index}({_arguments(spec, each)})"
        yield "except Exception as _error:"
        yield f"    _report({each.plugin!r}, {spec.name!r}, _error)"


def _empty(spec: HookSpec) -> object:
    """Return what the reducer makes of no answers at all."""
    assert spec.reduce is not None
    try:
        return spec.reduce(())
    except Exception as error:
        raise PluginError(
            "the reducer of this hook must accept that nobody answers",
            plugin=getattr(spec.reduce, "__module__", "?"),
            hook=spec.name,
            found=repr(error),
        ) from error


def _guard(spec: HookSpec, wrappers: list[_Implementation], function: Callable[..., object]) -> Callable[..., object]:
    """Put the wrappers around ``function``, the first in order outermost, and hold on to a suspension."""
    step = spec.arguments.index("step") if "step" in spec.arguments else None
    for each in reversed(wrappers):
        body = [f"return _start({_arguments(spec, each)})"]
        start = _define(spec, spec.arguments, body, {"_start": each.function})
        failed = partial(_failed, each.plugin, spec)
        function = wrapped(Wrapper(start, each.plugin, spec.name, failed, step), function)  # type: ignore[arg-type]
    if step is None:
        return function
    chain = function

    def guarded(*values: object) -> object:
        try:
            answer = chain(*values)
        except Exception:
            cast("HookStep", values[step]).check()
            raise
        cast("HookStep", values[step]).check()
        return answer

    return guarded
