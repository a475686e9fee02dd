"""The export: an encounter as one file of tokens for Owlbear Rodeo, all in memory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from difflib import get_close_matches

from rallypoint.kernel.encounter import Encounter, Export, Sheet
from rallypoint.kernel.errors import InputError

from .items import image_token, item_id, label, picture_type, shape_token
from .parade import parade
from .stands import RECORD_KEY, Stand, labels, other_trackers, record, stands, wound_bars
from .trackers import LIMIT, TRACKERS_KEY, Json, owl_trackers

__all__ = ["FILE", "FORMAT", "FORMAT_VERSION", "export"]

FILE = "encounter.owlbear.json"
"""The one file."""
FORMAT = "rallypoint.owlbear.encounter"
"""What the file calls itself."""
FORMAT_VERSION = 1
"""Raised when a reader of the old form would misread the new one."""

_CHOICES = {"tokens": ("stand", "unit"), "enemies": ("hide", "show")}


def _choice(options: Mapping[str, str]) -> tuple[bool, bool]:
    for name, value in options.items():
        if name not in _CHOICES:
            near = get_close_matches(name, _CHOICES, 1)
            raise InputError(
                "the Owlbear exporter has no such option",
                found=name,
                expected=" or ".join(_CHOICES),
                hint=f"did you mean {near[0]}?" if near else None,
            )
        if value not in _CHOICES[name]:
            raise InputError(
                "no such choice", where=f"option {name}", found=value, expected=" or ".join(_CHOICES[name])
            )
    return options.get("tokens") == "unit", options.get("enemies") == "show"


class _Tokens:
    """The tokens of one export, and what was said on the way."""

    def __init__(self, encounter: Encounter, by_unit: bool, show_enemies: bool) -> None:
        self.encounter = encounter
        self.stands = stands(encounter, by_unit, show_enemies)
        self.labels = labels(encounter, [(stand.entity, stand.friendly) for stand in self.stands])
        # Our own lines are for the owner of the file: there names are no secret.
        self.who = labels(encounter, [(entity, True) for entity in encounter.state])
        self.tokens: list[Json] = []
        self.left_out: list[str] = []
        self.discs: list[str] = []
        self.unreachable: list[str] = []
        self.unmeasured: list[str] = []

    def make(self) -> None:
        hexes = parade(self.encounter, [stand.entity for stand in self.stands])
        for stand in self.stands:
            place, placed = hexes[stand.entity.uid]
            items = self._items(stand)
            self.tokens.append(
                {
                    "uid": stand.entity.uid,
                    "hex": {"q": place.q, "r": place.r},
                    "placed": placed,
                    "measured": items[0]["type"] != "IMAGE",
                    "items": items,
                }
            )

    def _metadata(self, stand: Stand) -> Json:
        bars = wound_bars(self.encounter, stand)
        metadata: Json = {RECORD_KEY: record(self.encounter, stand, self.labels[stand.entity.uid], bars)}
        who = self.who[stand.entity.uid]
        if not stand.open:
            self.left_out.append(f"Wounds and Stress of {who}: another side's numbers stay here (option enemies)")
            return metadata
        entries, crowded = owl_trackers(stand.stress, bars)
        metadata[TRACKERS_KEY] = entries
        self.left_out += [
            f"Wounds bar of {self.who[bar.uid]} on {who}: Owl Trackers shows {LIMIT} at "
            "most; the numbers are in our record"
            for bar in crowded
        ]
        for uid, rest in other_trackers(stand).items():
            self.left_out += [
                f"tracker {name} of {self.who[uid]}: Owlbear shows none, kept in our record" for name in rest
            ]
        return metadata

    def _items(self, stand: Stand) -> list[Json]:
        encounter, entity = self.encounter, stand.entity
        sheet = encounter.sheets.get(entity.uid) or Sheet(entity.uid, "", entity.role, "")
        who = self.labels[entity.uid]
        # Every player reads the name: of other sides only what is written on the base.
        name = sheet.name if stand.friendly and sheet.name.strip() else who
        identity = item_id(encounter.key, stand.side, entity.uid, "token")
        metadata = self._metadata(stand)
        media = picture_type(sheet.picture)
        if sheet.picture and media:
            self.unmeasured.append(who)
            return [image_token(identity, name, who, sheet.picture, media, metadata)]
        (self.unreachable if sheet.picture else self.discs).append(who)
        text = label(item_id(encounter.key, stand.side, entity.uid, "label"), identity, who)
        return [shape_token(identity, name, stand.friendly, metadata), text]


def _rest(made: _Tokens) -> tuple[Mapping[str, int], list[str]]:
    """Count the entities, and name those that no token tells of, and the trackers of those that have none."""
    state, on_tokens, lost = made.encounter.state, set[str](), []
    for stand in made.stands:
        on_tokens.update(entity.uid for entity in (*stand.units, *stand.above))
    tokens = {stand.entity.uid for stand in made.stands}
    on_tokens -= tokens
    missing = 0
    for entity in state:
        if entity.uid in tokens:
            continue
        who = made.who[entity.uid]
        if entity.uid not in on_tokens:
            missing += 1
            lost.append(f"{entity.role} {who}: it has no unit and so no token")
        if entity.role != "unit":
            lost += [
                f"tracker {name} of {who}: a {entity.role} has no token" for name in entity.trackers if name != "Stress"
            ]
    counts = {
        "read": len(state),
        "tokens": len(tokens),
        "on_tokens": len(on_tokens),
        "left_out": missing,
        "items": sum(len(token["items"]) for token in made.tokens if isinstance(token["items"], list)),
    }
    return counts, lost


def _notes(made: _Tokens) -> tuple[str, ...]:
    notes = []
    if made.discs or made.unreachable:
        if made.discs:
            notes.append(f"no picture, so a disc with the code: {', '.join(made.discs)}")
        if made.unreachable:
            notes.append(
                f"the picture is no public address, so players could not see it: {', '.join(made.unreachable)}"
            )
        notes.append(
            "Owl Trackers draws on pictures only: on a disc nothing of Stress and Wounds is seen. Give the token a picture "
            "with an https address, or choose one from your Owlbear library in its place"
        )
    if made.unmeasured:
        notes.append(
            f"pictures are taken to be 300 pixels square, nobody has looked: {', '.join(made.unmeasured)} (measured: false)"
        )
    notes.append(
        "metadata is no secret: every player's browser gets all of it, hidden tokens too. It holds codes, uids and, for the "
        "first side or with enemies=show, Stress and Wounds; stats and gear are not in it"
    )
    notes.append("Wounds count upwards: 0 is unhurt, a full bar is out of action")
    notes.append("places are hexes (q, r), a parade where the battle has none; pixels depend on the grid of your scene")
    return tuple(notes)


def _bytes(document: Json) -> bytes:
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            "a name holds half a character, which no file can hold",
            where=FILE,
            found=repr(text[max(error.start - 20, 0) : error.end + 20]),
            expected="text in UTF-8",
        ) from None


def export(encounter: Encounter, options: Mapping[str, str]) -> Export:
    """Return ``encounter.owlbear.json``; nothing is written, and the same encounter gives the same bytes.

    ``options``: ``tokens`` (``stand``: one for each team, or ``unit``) and ``enemies`` (``hide`` or ``show`` the numbers of
    every side but the first). Each entry of ``tokens`` holds the hex and the items as Owlbear's ``addItems`` takes
    them, except for ``position`` (null: the page works it out from the hex and the grid of the room) and the fields
    that Owlbear fills in itself (``createdUserId``, ``zIndex``, ``lastModified``).

    Raises:
        InputError: an option is unknown, the encounter has no units, or a text cannot be written.
    """
    by_unit, show_enemies = _choice(options)
    made = _Tokens(encounter, by_unit, show_enemies)
    if not made.stands:
        raise InputError(
            "there is nobody to export",
            where=f"encounter {encounter.key}",
            found=f"{len(encounter.state)} entities",
            expected="a unit",
        )
    made.make()
    counts, lost = _rest(made)
    document: Json = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "encounter": {"key": encounter.key, "title": encounter.title, "game": encounter.game},
        "grid": {"type": "HEX_VERTICAL", "dpi": 150},
        "tokens": made.tokens,
    }
    return Export(
        files={FILE: _bytes(document)},
        counts=counts,
        left_out=(*made.left_out, *lost),
        notes=_notes(made),
        next_steps=(
            f"Keep {FILE}: Owlbear Rodeo itself opens no file with tokens, a Rallypoint page in the room has to add them. "
            "That page is not part of this version.",
            "Install the Owl Trackers extension in your room: it shows Stress and Wounds on tokens with a picture.",
            "Until then, place your own tokens by hand; ids and metadata of the file show what each should say.",
        ),
    )
