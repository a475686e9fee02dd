"""Where tokens stand before anybody has placed them: a parade, one row a squad."""

from __future__ import annotations

from collections.abc import Iterable

from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.state import Entity, Hex

__all__ = ["parade"]

_GAP = 2


def parade(encounter: Encounter, tokens: Iterable[Entity]) -> dict[str, tuple[Hex, bool]]:
    """Return for each token its hex (axial, pointy tops) and whether the battle itself has put it there.

    Tokens with a hex keep it. The others line up: those with the same parent stand in one row, from the left, and two empty
    rows lie between one side and the next. A hex that is taken is passed over.
    """
    tokens = list(tokens)
    hexes = {token.uid: token.place for token in tokens if isinstance(token.place, Hex)}
    found = {uid: (place, True) for uid, place in hexes.items()}
    taken = {(place.q, place.r) for place in hexes.values()}
    rows: dict[str | None, int] = {}
    columns: dict[str | None, int] = {}
    last_side, next_row = None, 0
    for token in tokens:
        if token.uid in found:
            continue
        side = _root(encounter, token)
        if token.parent not in rows:
            next_row += _GAP if last_side not in (None, side) else 0
            rows[token.parent], last_side, next_row = next_row, side, next_row + 1
        row, column = rows[token.parent], columns.get(token.parent, 0)
        # Half a step to the left on every second row makes the block upright in axial coordinates.
        while (column - row // 2, row) in taken:
            column += 1
        columns[token.parent] = column + 1
        taken.add((column - row // 2, row))
        found[token.uid] = (Hex(column - row // 2, row), False)
    return found


def _root(encounter: Encounter, entity: Entity) -> str:
    while entity.parent is not None:
        entity = encounter.state[entity.parent]
    return entity.uid
