"""A VTT that could not be opened when its watch began: it says why, and is opened later where that may pass by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.errors import RallypointError

from .snapshot import Snapshot
from .transport import TransportError, UnreachableError, WatchingTransport

__all__ = ["Unopened", "as_away"]


class Unopened:
    """Stands in for the way to a VTT until there is one; to a watch it is a VTT that is away, or over.

    Args:
        vtt: what the VTT is called.
        error: why it could not be opened.
        opening: tries again to open it.
    """

    def __init__(self, vtt: str, error: RallypointError, opening: Callable[[], WatchingTransport]) -> None:
        self.vtt = vtt
        self.error = as_away(error)
        self._opening = opening
        self._told = False

    def opened(self) -> WatchingTransport:
        """Return the way to the VTT, from the second time on, or this if there still is none."""
        if not self._told:
            self._told = True
            return self
        try:
            return self._opening()
        except RallypointError as error:
            self.error = as_away(error)
            return self

    def read(self, documents: Sequence[str]) -> Snapshot:
        """Say why nothing can be read."""
        raise self.error

    def write(self, document: str, values: Mapping[str, Value]) -> Mapping[str, Value]:
        """Say why nothing can be written."""
        raise self.error

    def changes(self) -> Iterator[Sequence[str]]:
        """Say why nothing can be heard."""
        raise self.error


def as_away(error: RallypointError) -> UnreachableError:
    """Return a failure as one of a VTT; what is no transport's does not pass by itself.

    >>> from rallypoint.kernel.errors import InputError
    >>> str(as_away(InputError("nothing is bound", where="first.battle", hint="bind it")))
    'first.battle: nothing is bound; bind it'
    """
    if isinstance(error, UnreachableError):
        return error
    code = getattr(error, "code", "bad_input" if error.exit_status == 2 else "failed")
    passing = isinstance(error, TransportError) and error.passing
    made = UnreachableError(
        error.what,
        code=code,
        where=error.where,
        found=error.found,
        expected=error.expected,
        hint=error.hint,
        passing=passing,
    )
    made.__cause__ = error
    return made
