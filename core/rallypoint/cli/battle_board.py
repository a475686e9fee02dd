"""The board of a battle as text: which stand is in which hex, and where terrain is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rallypoint.kernel.hexes import to_offset
from rallypoint.kernel.parts import Hex

if TYPE_CHECKING:
    from rallypoint.kernel.state import State

    from .battle_table import Record

__all__ = ["board_lines"]


def board_lines(record: Record, state: State) -> Iterator[str]:
    """Yield the board a row a line, every second one half a hex to the right; a battle without a board has none.

    A hex holds the code of the stand in it, or the sign of its terrain, which the last line explains; a dot is open ground.
    """
    from .battle_words import hex_words

    board = record.about.board
    if board is None:
        yield "This battle has no board of hexes."
        return
    inside: dict[Hex, str] = {}
    for entity in state:
        if isinstance(entity.place, Hex) and entity.role == "team":
            inside[Hex(entity.place.q, entity.place.r)] = record.names.codes(entity.uid)
    words = sorted(set(board.terrain.values()))
    signs = {word: _sign(word, words) for word in words}
    wide = max([4, *[len(each) for each in inside.values()]]) + 2
    rows: dict[int, dict[int, str]] = {}
    for place in board.hexes():
        column, row = to_offset(place)
        rows.setdefault(row, {})[column] = inside.get(place) or signs.get(board.terrain.get(place, ""), ".")
    columns = range(board.columns)
    letters = [hex_words((column, 0)).rstrip("0123456789") for column in columns]
    yield "    " + "".join(letter.ljust(wide) for letter in letters).rstrip()
    for row, cells in sorted(rows.items()):
        shift = " " * (wide // 2) if row % 2 else ""
        yield f"{row + 1:3} {shift}{''.join(cells[column].ljust(wide) for column in columns)}".rstrip()
    yield ", ".join(f"{signs[word]} {word.replace('_', ' ')}" for word in words)


def _sign(word: str, words: list[str]) -> str:
    """Return the fewest first letters of a kind of terrain by which it is told from the others."""
    for length in range(1, len(word) + 1):
        if sum(other[:length] == word[:length] for other in words) == 1:
            return word[:length]
    return word
