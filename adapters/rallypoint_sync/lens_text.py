"""Lenses and bindings as text, for the ledger: a lens is its name and its numbers.

>>> lens_in(lens_out(Clamped(low=2))), lens_out(Turned(3))
(Clamped(low=2, high=None), ('turned', 3))
"""

from __future__ import annotations

from typing import Any, cast

from rallypoint.kernel.canonical import Value, canonical, parse
from rallypoint.kernel.errors import InputError

from .bindings import OWNERS, Binding, Carrier
from .fields import Field
from .lenses import Banded, Clamped, Exact, Lens, OnHexes, Summed, Turned

__all__ = ["binding_in", "binding_out", "lens_in", "lens_out"]

_KINDS: dict[str, type] = {
    "exact": Exact,
    "clamped": Clamped,
    "turned": Turned,
    "banded": Banded,
    "summed": Summed,
    "on hexes": OnHexes,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def lens_out(lens: Lens) -> Value:
    """Return a lens as a value.

    Raises:
        InputError: it is none of ours; a third party's transport shows its values through ours.
    """
    name = _NAMES.get(type(lens))
    if name is None:
        raise InputError("a lens of this kind cannot be kept", found=type(lens).__name__, expected=", ".join(_KINDS))
    return (name, *cast("tuple[Value, ...]", lens))


def lens_in(value: Value) -> Lens:
    """Return the lens that :func:`lens_out` wrote.

    Raises:
        InputError: it is no lens.
    """
    if isinstance(value, tuple) and value and isinstance(value[0], str) and value[0] in _KINDS:
        try:
            lens: Lens = _KINDS[value[0]](*value[1:])
        except TypeError:
            pass
        else:
            return lens
    raise InputError("this is no lens", found=value, expected=", ".join(_KINDS))


def binding_out(binding: Binding) -> str:
    """Return a binding as text, without its first carrier: that is the key under which it is kept."""
    return canonical(
        {
            "fields": [tuple(field) for field in binding.fields],
            "lens": lens_out(binding.lens),
            "owner": binding.owner,
            "first": binding.first,
            "fallback": None if binding.fallback is None else tuple(binding.fallback),
        }
    )


def binding_in(carrier: Carrier, text: str) -> Binding:
    """Return the binding that :func:`binding_out` wrote.

    Raises:
        InputError: it is no binding.
    """
    row: Any = parse(text, "binding")
    try:
        fields = tuple([Field(*each) for each in row["fields"]])
        fallback = None if row["fallback"] is None else Carrier(*row["fallback"])
        found = Binding(fields, carrier, lens_in(row["lens"]), row["owner"], row["first"], fallback)
    except (KeyError, TypeError) as error:
        raise InputError("this is no binding", where=str(carrier), found=text[:200]) from error
    if not fields or found.owner not in OWNERS:
        raise InputError("this is no binding", where=str(carrier), found=text[:200])
    return found
