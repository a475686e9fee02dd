"""What a game finds wrong with a force, told with the file and the line of the unit that it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rallypoint.kernel.errors import InputError

if TYPE_CHECKING:  # for --help the readers of rosters are not imported
    from rallypoint.content import Force

__all__ = ["told_by_line"]


@contextmanager
def told_by_line(file: str, forces: Mapping[str, tuple[str, Force]]) -> Iterator[None]:
    """Give each error that names a unit, and no file, the place of that unit in its roster.

    Args:
        file: what is named where no unit is.
        forces: path of the roster and the force, by side and number of the platoon (``red.1``); a uid may begin with the
            side, or with both, and a full stop.

    Raises:
        InputError: what was raised inside, with its place; a PageError where it held several problems.
    """
    from rallypoint.content import PageError

    try:
        yield
    except PageError as error:
        raise PageError([_placed(each, file, forces) for each in error.problems]) from None
    except InputError as error:
        raise _placed(error, file, forces) from None


def _placed(error: InputError, file: str, forces: Mapping[str, tuple[str, Force]]) -> InputError:
    if error.path is not None or error.where is None:
        return error
    path, line = file, None
    for own, (roster, force) in forces.items():
        lines = {unit.uid: unit.line for unit in force.units}
        side = own.partition(".")[0]
        uid = error.where if error.where in lines else error.where.removeprefix(f"{own}.").removeprefix(f"{side}.")
        if uid in lines or uid == force.key:
            path, line = roster, lines.get(uid) or None
            break
    where = f"{path}{'' if line is None else f':{line}'}: {error.where}"
    return InputError(
        error.what,
        path=path,
        line=line,
        where=where,
        found=error.found,
        expected=error.expected,
        hint=error.hint,
    )
