"""Of what kind an answer of a plugin must be: read from the annotations of the hook, once, when a plan is made.

>>> fits = checked(tuple[int, ...] | None)
>>> fits((1, 2)), fits(("a",)), fits(True), kind_words(tuple[int, ...] | None)
(True, False, False, 'tuple[int, ...] | None')
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping
from types import FunctionType, NoneType, SimpleNamespace, UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin

__all__ = ["Check", "answer_kind", "checked", "kind_words"]

Check: TypeAlias = Callable[[object], bool]
"""Says whether a value is of a kind."""

_DEEPEST = 6
"""How far into records and tuples is looked; what stands deeper is taken as it is."""


def answer_kind(function: FunctionType, reduce: Callable[..., object] | None, joins: bool) -> object:
    """Return the annotation of what one plugin answers, :class:`object` where there is none that can be read.

    Args:
        function: the hook as its class declares it.
        reduce: the reducer of a *collect* hook; unless it ``joins`` tuples, its argument says what is reduced.
        joins: whether each answer is of the kind of the result.
    """
    if reduce is None or joins:
        return _read(function, "return")
    arguments = get_args(_read(reduce, "answers"))
    return arguments[0] if len(arguments) == 2 and arguments[1] is ... else object


def _read(function: object, name: str) -> object:
    hint = getattr(function, "__annotations__", {}).get(name, object)
    found = _resolved({name: hint}, getattr(function, "__globals__", {}))
    return found.get(name, object)


def _resolved(annotations: Mapping[str, object], names: dict[str, Any] | None = None) -> Mapping[str, object]:
    """Return annotations as types; nothing where one cannot be resolved, as of a class inside a function."""
    try:
        return typing.get_type_hints(SimpleNamespace(__annotations__=dict(annotations)), names)
    except (NameError, TypeError, AttributeError, SyntaxError):
        return {}


def checked(kind: object, depth: int = 0) -> Check:
    """Return the check of an annotation; what it cannot judge fits."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is None or kind is NoneType:
        return lambda value: value is None
    if depth > _DEEPEST:
        return _anything
    if origin in (Union, UnionType):
        checks = tuple([checked(each, depth) for each in arguments])
        return lambda value: any(fits(value) for fits in checks)
    if origin is Literal:
        return lambda value: any(type(value) is type(each) and value == each for each in arguments)
    if origin is tuple:
        return _tuple(arguments, depth)
    if kind is int:
        return lambda value: isinstance(value, int) and not isinstance(value, bool)
    if kind is float:
        return lambda value: isinstance(value, (int, float)) and not isinstance(value, bool)
    return _class(kind if origin is None else origin, depth)


def _anything(value: object) -> bool:  # noqa: ARG001
    return True


def _tuple(arguments: tuple[object, ...], depth: int) -> Check:
    """Return the check of a tuple; a list is as good, since the plan makes a tuple of it."""
    if len(arguments) == 2 and arguments[1] is ...:
        fits = checked(arguments[0], depth + 1)
        return lambda value: isinstance(value, (tuple, list)) and all(fits(item) for item in value)
    checks = tuple([checked(each, depth + 1) for each in arguments])

    def fit(value: object) -> bool:
        right = isinstance(value, (tuple, list)) and len(value) == len(checks)
        return right and all(fits(item) for fits, item in zip(checks, typing.cast("tuple[object]", value), strict=True))

    return fit


def _class(kind: object, depth: int) -> Check:
    """Return the check of a class, of a record with its fields; a protocol or a variable cannot be judged."""
    if not isinstance(kind, type):
        return _anything
    try:
        isinstance(None, kind)
    except TypeError:
        return _anything
    if not (issubclass(kind, tuple) and hasattr(kind, "_fields")):
        return lambda value: isinstance(value, kind)
    try:
        fields = typing.get_type_hints(kind)
    except (NameError, TypeError):
        fields = {}
    checks = tuple([checked(fields.get(name, object), depth + 1) for name in kind._fields])
    return lambda value: isinstance(value, kind) and all(fits(item) for fits, item in zip(checks, value, strict=True))


def kind_words(kind: object) -> str:
    """Return an annotation in words, with names of classes as they are."""
    if kind is None or kind is NoneType:
        return "None"
    if isinstance(kind, type) and get_origin(kind) is None:
        return kind.__name__
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return " | ".join([kind_words(each) for each in arguments])
    if origin is Literal:
        return " or ".join([repr(each) for each in arguments])
    if origin is tuple:
        return f"tuple[{', '.join(['...' if each is ... else kind_words(each) for each in arguments])}]"
    return str(kind)
