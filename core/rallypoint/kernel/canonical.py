"""The one text form of values: what is hashed, compared and kept is written by this module alone.

A *value* is what JSON can say: ``None``, ``bool``, ``int``, ``float``, ``str``, tuples and string-keyed mappings.
Inside a state values are frozen: tuples instead of lists, read-only mappings in key order, so that two equal values
iterate alike whatever their history.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from .errors import StateError

__all__ = ["EMPTY", "Value", "canonical", "digest", "freeze", "parse"]

Value: TypeAlias = "None | bool | int | float | str | tuple[Value, ...] | Mapping[str, Value]"
"""What a fact, an attribute or an argument can be."""

EMPTY: Mapping[str, Value] = MappingProxyType({})
"""The empty mapping, shared."""


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
        speaks = getattr(value, "as_value", None)
        if speaks is not None:
            return freeze(speaks())
    except RecursionError:
        raise StateError("this value goes round in a circle, or is nested too deeply") from None
    raise StateError("this cannot be kept as a value", found=type(value).__name__, expected="what JSON can say")


def _plain(value: object) -> object:
    speaks: Any = getattr(value, "as_value", None)
    if speaks is not None:
        return speaks()
    if isinstance(value, Mapping):
        return dict(value)
    raise StateError("this cannot be written as text", found=type(value).__name__, expected="what JSON can say")


def _make_encode() -> Callable[[object], str]:
    """Return the encoder. The standard one builds its inner part anew for every text, which costs more than the text."""
    slow = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False, default=_plain)
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    try:
        inner: Any = make(None, _plain, json.encoder.encode_basestring, None, ":", ",", True, False, False)
        if "".join(inner({"b": (1, "ä"), "a": None}, 0)) != slow.encode({"b": (1, "ä"), "a": None}):
            return slow.encode
    except TypeError:  # another Python, without it or with another form of it
        return slow.encode
    return lambda value: "".join(inner(value, 0))


_encode = _make_encode()


def canonical(value: object) -> str:
    """Return the canonical text: compact JSON with sorted keys; equal values give equal texts.

    >>> canonical({"b": (1, 2), "a": None})
    '{"a":null,"b":[1,2]}'

    Raises:
        StateError: it holds something that JSON cannot say.
    """
    try:
        return _encode(value)
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
