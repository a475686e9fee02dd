"""Who of a battle stands on which token of the open scene, and which numbers of theirs are shown there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from rallypoint.kernel.errors import InputError
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import State
from rallypoint_sync.bindings import Binding, Carrier, First, Owner
from rallypoint_sync.fields import PLACE, Field
from rallypoint_sync.lenses import Banded, OnHexes

from ..carriers import bindings as tracker_bindings
from ..stands import RECORD_KEY, counts_up, units_on
from ..trackers import Json
from .changes import BANDS, POSITION, band_path

__all__ = ["Bound", "Enemies", "bound_to", "first_side", "of_one_encounter", "record_of", "units_shown", "zero_of"]

Enemies: TypeAlias = Literal["bands", "numbers", "nothing"]
"""What of the Wounds of the other sides goes to the room, where every player's browser gets all of it."""


class Bound(NamedTuple):
    """What was found: the bindings, whom of the battle no token shows, and tokens that show somebody a second time."""

    bindings: tuple[Binding, ...]
    missing: tuple[str, ...]
    copies: tuple[str, ...]


def bound_to(
    state: State,
    items: Sequence[Json],
    *,
    enemies: Enemies = "bands",
    places: tuple[float, float, float] | None = None,
    owner: Owner = "both",
    first: First = "ask",
    kept: Collection[str] = (),
) -> Bound:
    """Return how a battle is bound to the tokens that carry our record.

    The first side of the battle is ours: its numbers are shown as they are. Of others a word is shown, ``unhurt``, ``hurt`` or
    ``bad``, unless the Warden asks for numbers.

    Args:
        state: the battle's.
        items: the tokens with our record.
        enemies: what is shown of the other sides.
        places: the width of a hex and the point of hex (0, 0); without it places are left alone.
        owner: whose values hold.
        first: whose value holds where the two differ now.
        kept: tokens that are bound already; of two with one uid such a one is the original, else the one that comes first.
    """
    originals, copies = _originals(sorted(items, key=lambda each: each["id"] not in kept))
    ours = first_side(state)
    found: list[Binding] = []
    shown: set[str] = set()
    for item in originals:
        uids = [uid for uid in units_shown(item) if uid in state]
        shown.update(uids)
        open_to_all = {uid for uid in uids if uid in ours or enemies == "numbers"}
        found += [
            each._replace(owner=owner, first=first)
            for each in tracker_bindings([item])
            if _may_be_shown(state, each.field, open_to_all, ours, enemies)
        ]
        if enemies == "bands":
            found += [_band(state, item, uid) for uid in uids if uid not in ours and _has_wounds(state, uid)]
        if places is not None:
            found += _place(state, item, places, owner, first)
    units = [each.uid for each in state if each.role == "unit"]
    return Bound(tuple(found), tuple(each for each in units if each not in shown), copies)


def of_one_encounter(
    state: State, items: Sequence[Json], kept: Collection[str], encounter: str | None
) -> Sequence[Json]:
    """Return the tokens that a battle can be bound to. Two battles of the same units may have tokens in one scene.

    Args:
        state: the battle's.
        items: the tokens with our record.
        kept: tokens that are bound already; they stay, unless an encounter is chosen that they are not of.
        encounter: the key of the one whose tokens are meant; tokens that people have linked are of none.

    Raises:
        InputError: tokens of several stand for the same units, and none is chosen; or none of the chosen one is there.
    """
    keys = {str(each["id"]): record_of(each).get("encounter") for each in items}
    known = sorted({key for key in keys.values() if isinstance(key, str)})
    if encounter is not None:
        if known and encounter not in known:
            what = "no token of this encounter is in the open scene"
            raise InputError(what, where="--encounter", found=encounter, expected=", ".join(known))
        return [each for each in items if keys[str(each["id"])] in (None, encounter)]
    here = [each for each in items if record_of(each).get("optOut") is not True]
    held = {uid for each in here if each["id"] in kept for uid in units_shown(each)}
    of: dict[str, set[object]] = {}
    for each in here:
        for uid in units_shown(each):
            if uid in state and uid not in held:
                of.setdefault(uid, set()).add(keys[str(each["id"])])
    if any(len(found - {None}) > 1 for found in of.values()):
        hint = f"say whose tokens are meant: --encounter {known[-1]}"
        what = "tokens of several encounters in the open scene stand for the same units"
        raise InputError(what, found=", ".join(known), expected="those of one", hint=hint)
    return items


def record_of(item: Mapping[str, object]) -> Mapping[str, object]:
    """Return our record on an item; an empty one where there is none."""
    metadata = item.get("metadata")
    record = metadata.get(RECORD_KEY) if isinstance(metadata, Mapping) else None
    return record if isinstance(record, Mapping) else {}


def units_shown(item: Mapping[str, object]) -> list[str]:
    """Return the uids of the units that a token stands for by our record; none where its link was taken off."""
    record = record_of(item)
    if not isinstance(record.get("uid"), str):
        return []
    listed = [each.get("uid") for each in units_on(record) or () if isinstance(each, Mapping)]
    return [each for each in (listed or [record["uid"]]) if isinstance(each, str)]


def zero_of(grid: Mapping[str, object] | None) -> tuple[float, float, float]:
    """Return the width of a hex and the point of hex (0, 0) of a scene's grid, as the page has measured it.

    Raises:
        InputError: the grid has no hexes that stand on a corner.
    """
    given = {} if grid is None else grid
    zero, dpi = given.get("zero"), given.get("dpi")
    if given.get("type") == "HEX_VERTICAL" and isinstance(zero, Mapping) and isinstance(dpi, int | float) and dpi > 0:
        x, y = zero.get("x"), zero.get("y")
        if isinstance(x, int | float) and isinstance(y, int | float):
            return float(dpi), float(x), float(y)
    raise InputError(
        "the grid of the open scene has no such hexes",
        found=str(given.get("type")),
        expected="HEX_VERTICAL",
        hint="set the grid of the scene to Hex Vertical",
    )


def _originals(items: Iterable[Json]) -> tuple[list[Json], tuple[str, ...]]:
    """Return the first token of each uid, and the ids of the others."""
    found: dict[str, Json] = {}
    copies: list[str] = []
    for item in items:
        uid = record_of(item).get("uid")
        if not isinstance(uid, str) or record_of(item).get("optOut") is True:
            continue
        if uid in found:
            copies.append(str(item["id"]))
        else:
            found[uid] = item
    return list(found.values()), tuple(copies)


def first_side(state: State) -> frozenset[str]:
    """Return the uids of the first side, which is ours; of everybody where there are no sides."""
    root = next((each.uid for each in state.children(None) if each.role == "side"), None)
    if root is None:
        return frozenset(each.uid for each in state)
    return frozenset([root, *(each.uid for each in state.below(root, None))])


def _has_wounds(state: State, uid: str) -> bool:
    tracker = state[uid].trackers.get("Wounds")
    return tracker is not None and counts_up(tracker)


def _may_be_shown(state: State, field: Field, shown: set[str], ours: frozenset[str], enemies: Enemies) -> bool:
    entity = state.get(field.uid)
    if entity is None or field.name not in entity.trackers:
        return False
    return field.uid in shown or field.uid in ours or enemies == "numbers"


def _band(state: State, item: Json, uid: str) -> Binding:
    most = state[uid].trackers["Wounds"].max or 1
    carrier = Carrier(str(item["id"]), band_path(uid))
    return Binding((Field(uid, "Wounds"),), carrier, Banded(most, BANDS), owner="battle", first="battle")


def _place(
    state: State, item: Json, places: tuple[float, float, float], owner: Owner, first: First
) -> Iterable[Binding]:
    uid = record_of(item).get("uid")
    if isinstance(uid, str) and uid in state and isinstance(state[uid].place, Hex):
        yield Binding((Field(uid, PLACE),), Carrier(str(item["id"]), POSITION), OnHexes(*places), owner, first)
