"""Overriding: the things of an actor that an export made, brought up to date with a newer export; those of other people stay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from ..record import FLAG, Document
from .addresses import flags_of
from .relay import Relay

__all__ = ["items_changed", "overridden"]


def _items(actor: Mapping[str, object]) -> list[Document]:
    rows = actor.get("items")
    return [row for row in (rows if isinstance(rows, list) else ()) if isinstance(row, dict)]


def _is_ours(item: Mapping[str, object]) -> bool:
    return "key" in flags_of(item)


def items_changed(
    wanted: Mapping[str, object], there: Mapping[str, object]
) -> tuple[list[Document], list[Document], list[Document]]:
    """Return the items of an actor that are to be taken away, made, and changed.

    Only what carries our flag is ever taken away or changed: it went there with an export. An item is changed where the export says
    something else of it than its flag does, so ammunition that was shot off stays shot off.
    """
    meant = {str(each.get("_id")): each for each in _items(wanted)}
    known = {str(each.get("_id")): each for each in _items(there)}
    gone = [each for key, each in known.items() if key not in meant and _is_ours(each)]
    new = [each for key, each in meant.items() if key not in known]
    other = [
        each
        for key, each in meant.items()
        if key in known
        and _is_ours(known[key])
        and any(flags_of(known[key]).get(name) != said for name, said in flags_of(each).items())
    ]
    return gone, new, other


def overridden(relay: Relay, uuid: str, wanted: Document, there: Document) -> Iterator[tuple[str, str]]:
    """Bring our things on an actor up to date, and what our flag says of it; yield what was done and to which.

    What is taken away is deleted item by item. New ones can only come with the whole list, so that is read again just before.

    Raises:
        RefusedError: the world said no.
        DoubtfulError: nobody knows.
    """
    gone, new, other = items_changed(wanted, there)
    for item in gone:
        one = f"{uuid}.Item.{item['_id']}"
        relay.write("DELETE", "/delete", {"uuid": one}, where=one, same=("uuid", one))
    left = (
        {str(each.get("_id")) for each in _items(relay.get(uuid))} if gone else set()
    )  # a deletion is a success at any rate
    for item in gone:
        yield "failed" if str(item["_id"]) in left else "taken away", str(item.get("name"))
    for item in other:
        one = f"{uuid}.Item.{item['_id']}"
        relay.update(one, {key: item[key] for key in ("name", "img", "system", "flags") if key in item})
        yield "changed", str(item.get("name"))
    if new:
        yield from (("added", str(item.get("name"))) for item in _added(relay, uuid, new))
    ours = {name: said for name, said in flags_of(wanted).items() if flags_of(there).get(name) != said}
    if ours:
        relay.update(uuid, {f"flags.{FLAG}.{name}": said for name, said in ours.items()})
        yield "changed", "what our flag says"


def _added(relay: Relay, uuid: str, new: Sequence[Document]) -> Sequence[Document]:
    now = relay.get(uuid)
    identity = str(now["_id"])
    data = {"_id": identity, "name": now.get("name"), "type": now.get("type"), "items": [*_items(now), *new]}
    body = {"entityType": uuid.partition(".")[0], "data": data, "keepId": True, "override": True}
    answer = relay.write("POST", "/create", None, body, where=uuid, same=("uuid", uuid))
    made = {str(each.get("_id")) for each in _items(cast("Document", answer.get("entity") or {}))}
    return [each for each in new if str(each["_id"]) in made]
