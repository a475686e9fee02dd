"""The one text form of values: what is hashed, compared and kept is written by this module alone.

A *value* is what JSON can say: ``None``, ``bool``, ``int``, ``float``, ``str``, tuples and string-keyed mappings.
Inside a state values are frozen: tuples instead of lists, read-only mappings in key order, so that two equal values
iterate alike whatever their history.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol, TypeAlias, runtime_checkable

from .errors import StateError

__all__ = ["EMPTY", "Value", "canonical", "digest", "freeze", "parse"]

Value: TypeAlias = "None | bool | int | float | str | tuple[Value, ...] | Mapping[str, Value]"
"""What a fact, an attribute or an argument can be."""

EMPTY: Mapping[str, Value] = MappingProxyType({})
"""The empty mapping, shared."""


@runtime_checkable
class _Speaks(Protocol):
    """An object that says which value stands for it in a log."""

    def as_value(self) -> object: ...


def freeze(value: object) -> Value:
    """Return ``value`` as a frozen value.

    Raises:
        StateError: it holds something that JSON cannot say.

    >>> freeze({"weapons": ["revolver"], "armor": "combat_armor"})
    mappingproxy({'armor': 'combat_armor', 'weapons': ('revolver',)})
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if value - value != 0.0:
            raise StateError("a number must be finite", found=value)
        return value
    try:
        if isinstance(value, (list, tuple)):
            return tuple([freeze(item) for item in value])
        if isinstance(value, Mapping):
            for key in value:
                if not isinstance(key, str):
                    raise StateError("a key must be text", found=repr(key))
            return MappingProxyType({key: freeze(value[key]) for key in sorted(value)})
        if isinstance(value, _Speaks):
            return freeze(value.as_value())
    except RecursionError:
        raise StateError("this value goes round in a circle, or is nested too deeply") from None
    raise StateError("this cannot be kept as a value", found=type(value).__name__, expected="what JSON can say")


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, _Speaks):
        return value.as_value()
    raise StateError("this cannot be written as text", found=type(value).__name__, expected="what JSON can say")


_encoder = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False, default=_plain)


def canonical(value: object) -> str:
    """Return the canonical text: compact JSON with sorted keys; equal values give equal texts.

    >>> canonical({"b": (1, 2), "a": None})
    '{"a":null,"b":[1,2]}'

    Raises:
        StateError: it holds something that JSON cannot say.
    """
    try:
        return _encoder.encode(value)
    except (ValueError, TypeError, RecursionError) as error:
        raise StateError("this cannot be written as text", found=str(error), expected="what JSON can say") from None


def digest(value: object) -> str:
    """Return 32 hexadecimal digits (128 bits of SHA-256) that stand for the canonical text of ``value``."""
    return hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def parse(text: str, what: str = "text") -> Value:
    """Return the frozen value that ``text`` says; ``what`` names it in the error.

    Raises:
        StateError: the text is not JSON.
    """
    try:
        return freeze(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise StateError(f"this {what} is not valid JSON", found=str(error)) from None
