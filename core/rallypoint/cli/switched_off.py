"""Names that somebody asks for and that a plugin has which is off: said as such, with the way back."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rallypoint.kernel.errors import InputError
from rallypoint.kernel.plugins.switches import Switches

from .index import IndexedPlugin, read_index

__all__ = ["switched_off"]


def switched_off(
    switches: Switches, what: str, name: str, names_of: Callable[[IndexedPlugin], Iterable[str]]
) -> InputError | None:
    """Return the error for a name that only a plugin which is off has, or ``None`` where none has it.

    Args:
        switches: what is off, and by what.
        what: the kind of name: ``format``, ``command``, ``game``.
        name: what somebody asked for.
        names_of: the names of that kind that a plugin has.
    """
    for each in read_index():
        why = switches.why_off(each.name)
        if why is not None and name in names_of(each):
            hint = f"rallypoint plugin enable {each.name} takes it back" if why == "disabled" else None
            return InputError(f"the {what} {name} is off", found=f"plugin {each.name}: {why}", hint=hint)
    return None
