"""Binding the open scene: what the GM has linked gets our record, and tokens with our record are bound.

The command ``bind`` does it once; a running watch does it whenever the GM has linked or placed something in the popover.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple, cast

from rallypoint.kernel.errors import InputError
from rallypoint_sync.bindings import First, Owner
from rallypoint_sync.hub import bound_documents
from rallypoint_sync.seat import Seat

from ..trackers import Json
from .binding import Bound, Enemies, bound_to, of_one_encounter, units_shown
from .encounters import open_scene
from .link import Way
from .linking import link_change, without_what_is_there
from .transport import VTT, OwlbearTransport, all_ours

__all__ = ["Chosen", "Joined", "bind_open_scene", "bind_what_came"]

_NOBODY: Mapping[str, str] = MappingProxyType({})


class Chosen(NamedTuple):
    """How a battle is bound: what is shown of enemies, whether places are kept in step, whose values hold, now and at first.

    ``encounter`` is the key of the one whose tokens are meant, where the scene has those of several.
    """

    enemies: Enemies = "bands"
    places: bool = False
    owner: Owner = "both"
    first: First = "ask"
    encounter: str | None = None


class Joined(NamedTuple):
    """What was bound, in which scene; and why tokens that were to be linked were not."""

    scene: str
    found: Bound
    failed: Mapping[str, str]


def bind_open_scene(
    seat: Seat, way: Way, chosen: Chosen, named: Mapping[str, str] = _NOBODY, *, dry: bool = False
) -> Joined:
    """Bind the tokens of the open scene that stand for somebody of the battle. One that another scene had is bound no more.

    Args:
        seat: the battle.
        way: the way to the page.
        chosen: how it is bound; it is remembered.
        named: tokens that get our record besides those that were linked in the popover, by uid.
        dry: find out what would be bound, and do nothing.

    Raises:
        InputError: places are wanted, and the scene has no hexes; or a token or somebody who was named is not there; or tokens of
            several encounters stand for the same units, and none is chosen.
        TransportError: the room could not be reached, or said no.
    """
    scene, measured, _ = open_scene(way)
    if chosen.places and measured is None:
        raise InputError("places need hexes", hint="set the grid of the scene to Hex Vertical, or leave out --places")
    links: Mapping[str, str | None] = {} if dry else {**way.links(), **{item: uid for uid, item in named.items()}}
    failed = _link(seat, way, scene, links, named, numbers=chosen.enemies == "numbers") if links else _NOBODY
    items = all_ours(way, scene)
    if not dry:
        _forget(seat, items)
    kept = bound_documents(seat.ledger.bindings(VTT))
    meant = of_one_encounter(seat.battle.state, items, kept, chosen.encounter)
    found = bound_to(
        seat.battle.state,
        meant,
        enemies=chosen.enemies,
        places=measured if chosen.places else None,
        owner=chosen.owner,
        first=chosen.first,
        kept=kept,
    )
    if found.bindings and not dry:
        others = {str(each["id"]) for each in items} - {str(each["id"]) for each in meant}
        seat.ledger.unbind(VTT, others.intersection(kept))
        if seat.about.get("scene") not in (None, scene):
            seat.ledger.unbind(VTT)
        seat.remember(found.bindings, scene=scene, chosen=chosen._asdict())
    way.forget_links(links)  # last: what is cut off before is done again
    return Joined(scene, found, failed)


def bind_what_came(seat: Seat, way: Way) -> None:
    """Bind what the GM has linked or placed in the popover, as the battle was bound before.

    Raises:
        InputError: another scene is bound, or a token could not be linked.
        TransportError: the room could not be reached, or said no.
    """
    scene, _, _ = open_scene(way)
    bound = seat.about.get("scene")
    if bound not in (None, scene) and seat.ledger.bindings(VTT):
        hint = f"open that one, or bind this one: {seat.command(VTT, 'bind')}"
        raise InputError("not bound: another scene is open than the one that is bound", hint=hint)
    failed = bind_open_scene(seat, way, _chosen_before(seat)).failed
    if failed:
        raise InputError("not linked", found="; ".join(f"{item}: {why}" for item, why in failed.items()))


def _chosen_before(seat: Seat) -> Chosen:
    said = seat.about.get("chosen")
    if not isinstance(said, Mapping):
        return Chosen()
    return Chosen(
        cast("Enemies", said["enemies"]),
        said["places"] is True,
        cast("Owner", said["owner"]),
        cast("First", said["first"]),
        cast("str | None", said.get("encounter")),
    )


def _link(
    seat: Seat,
    way: Way,
    scene: str,
    links: Mapping[str, str | None],
    named: Mapping[str, str],
    *,
    numbers: bool,
) -> Mapping[str, str]:
    """Put our record on tokens that are to stand for somebody; return why some did not get it.

    Raises:
        InputError: a token or somebody who was named is not there.
        TransportError: the room could not be reached, or said no.
    """
    state = seat.battle.state
    for uid in named:
        if uid not in state:
            raise InputError("there is nobody of this uid in the battle", where="--map", found=uid)
    failed = {item: f"nobody is called {uid}" for item, uid in links.items() if uid is not None and uid not in state}
    items = {str(each["id"]): each for each in all_ours(way, scene)}
    failed |= _second_ones(seat, links, items.values())
    changes = [
        without_what_is_there(link_change(state, item, uid, seat.called(uid or ""), numbers=numbers), items.get(item))
        for item, uid in links.items()
        if item not in failed
    ]
    failed |= OwlbearTransport(way, scene, ()).put(changes)
    for item in named.values():
        if item in failed:
            raise InputError("this token cannot be linked", where="--map", found=item, hint=failed[item])
    return failed


def _second_ones(seat: Seat, links: Mapping[str, str | None], items: Iterable[Json]) -> Mapping[str, str]:
    """Return why tokens cannot be linked: their unit has another one. Of two that are linked at once the first has it."""
    held = {uid for each in items if each["id"] not in links for uid in units_shown(each)}
    failed: dict[str, str] = {}
    for item, uid in links.items():
        if uid in held:
            failed[item] = f"{seat.called(uid)} has a token already: take the link off that one first"
        elif uid is not None:
            held.add(uid)
    return failed


def _forget(seat: Seat, items: Iterable[Json]) -> None:
    """Unbind tokens that stand for somebody else by now, or for nobody: what their record says holds, whoever wrote it."""
    shown: dict[str, set[str]] = {}
    for each in seat.ledger.bindings(VTT):
        units = {field.uid for field in each.fields if field.name == "Wounds"}
        shown.setdefault(each.carrier.document, set()).update(units)
    stands = {str(each["id"]): set(units_shown(each)) for each in items}
    gone = [item for item, units in shown.items() if item in stands and not (stands[item] and units <= stands[item])]
    if gone:
        seat.ledger.unbind(VTT, gone)
