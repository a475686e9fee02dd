"""The export: an encounter as one file of tokens for Owlbear Rodeo, all in memory."""

from __future__ import annotations

import json
from collections.abc import Mapping

from rallypoint.kernel.encounter import FOLDER, Encounter, Export, Sheet
from rallypoint.kernel.errors import InputError

from .choices import Choice, choice_of
from .colours import side_colours
from .items import DPI, image_token, item_id, label, picture_type, shape_token
from .layout import position
from .map_file import map_document
from .others import BUBBLES_KEY, bubbles, initiative
from .parade import parade
from .persistent import persistent_tokens
from .stands import RECORD_KEY, Stand, labels, other_bars, other_trackers, record, stands, wound_bars
from .trackers import LIMIT, TRACKERS_KEY, Json, owl_trackers

__all__ = ["FILE", "FORMAT", "FORMAT_VERSION", "export"]

FILE = "encounter.owlbear.json"
"""The one file."""
FORMAT = "rallypoint.owlbear.encounter"
"""What the file calls itself."""
FORMAT_VERSION = 1
"""Raised when a reader of the old form would misread the new one."""

PERSISTENT = "persistent-tokens.json"
"""For the extension Persistent Tokens, where there are tokens with a picture of their own."""
MAP = "map.dd2vtt"
"""For the extension Smoke & Spectre, where there is a board."""

_MANY = 100
"""Tokens: the official extension for groups of tokens puts down no more at once."""
_NEXT = {
    PERSISTENT: f"With the extension Persistent Tokens: Upload, choose {FOLDER}/{PERSISTENT}; tokens with those pictures get their numbers.",
    MAP: f"With the extension Smoke & Spectre: make a scene of {FOLDER}/{MAP}. It is a square grid there: set it to hexes by hand.",
}


class _Tokens:
    """The tokens of one export, and what was said on the way."""

    def __init__(self, encounter: Encounter, choice: Choice) -> None:
        self.encounter = encounter
        self.choice = choice
        self.stands = stands(encounter, choice.by_unit, choice.show_enemies)
        self.labels = labels(encounter, [(stand.entity, stand.friendly) for stand in self.stands])
        self.colours = side_colours(root.uid for root in encounter.state.children(None))
        # Our own lines are for the owner of the file: there names are no secret.
        self.who = labels(encounter, [(entity, True) for entity in encounter.state])
        self.tokens: list[Json] = []
        self.left_out: list[str] = []
        self.discs: list[str] = []
        self.unreachable: list[str] = []
        self.unmeasured: list[str] = []

    def make(self) -> None:
        hexes = parade(self.encounter, [stand.entity for stand in self.stands])
        for number, stand in enumerate(self.stands):
            place, placed = hexes[stand.entity.uid]
            items = self._items(stand, number)
            if self.encounter.board is not None:
                items = [{**item, "position": position(place, DPI)} for item in items]
            self.tokens.append(
                {
                    "uid": stand.entity.uid,
                    "hex": {"q": place.q, "r": place.r},
                    "placed": placed,
                    "measured": items[0]["type"] != "IMAGE",
                    "items": items,
                }
            )

    def _metadata(self, stand: Stand, number: int) -> Json:
        bars = wound_bars(self.encounter, stand)
        metadata: Json = {RECORD_KEY: record(self.encounter, stand, self.labels[stand.entity.uid], bars)}
        who = self.who[stand.entity.uid]
        if self.choice.initiative is not None:
            metadata[self.choice.initiative] = initiative(number, len(self.stands))
        if not stand.open:
            self.left_out.append(f"Wounds and Stress of {who}: another side's numbers stay here (option enemies)")
            return metadata
        more = other_bars(self.encounter, stand)
        entries, crowded = owl_trackers(stand.stress, [*bars, *more])
        metadata[TRACKERS_KEY] = entries
        shown = bubbles(bars) if self.choice.bubbles else None
        if shown is not None:
            metadata[BUBBLES_KEY] = shown
        self.left_out += [
            f"{bar.tracker} bar of {self.who[bar.uid]} on {who}: Owl Trackers shows {LIMIT} at "
            "most; the numbers are in our record"
            for bar in crowded
        ]
        shown_too = {(bar.uid, bar.tracker) for bar in more}
        for uid, rest in other_trackers(stand).items():
            self.left_out += [
                f"tracker {name} of {self.who[uid]}: Owlbear shows none, kept in our record"
                for name in rest
                if (uid, name) not in shown_too
            ]
        return metadata

    def _items(self, stand: Stand, number: int) -> list[Json]:
        encounter, entity = self.encounter, stand.entity
        sheet = encounter.sheets.get(entity.uid) or Sheet(entity.uid, "", entity.role, "")
        who = self.labels[entity.uid]
        # Every player reads the name: of other sides only what is written on the base.
        name = sheet.name if stand.friendly and sheet.name.strip() else who
        identity = item_id(encounter.key, stand.side, entity.uid, "token")
        metadata = self._metadata(stand, number)
        media = picture_type(sheet.picture)
        if sheet.picture and media:
            self.unmeasured.append(who)
            return [image_token(identity, name, who, sheet.picture, media, metadata)]
        (self.unreachable if sheet.picture else self.discs).append(who)
        text = label(item_id(encounter.key, stand.side, entity.uid, "label"), identity, who)
        return [shape_token(identity, name, self.colours[stand.side], metadata), text]


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


def _notes(made: _Tokens, on_tokens: int) -> tuple[str, ...]:
    notes = []
    if on_tokens:
        notes.append("on tokens: who has no token of their own is told of on the token of their team or of their units")
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
    if len(made.tokens) > _MANY:
        notes.append(f"{len(made.tokens)} tokens: rooms are known to take up to {_MANY} at once, place them in parts")
    notes.append("Wounds count upwards: 0 is unhurt, a full bar is out of action")
    notes.append("places are hexes (q, r), a parade where the battle has none; pixels depend on the grid of your scene")
    return tuple(notes)


def _bytes(document: Json | list[Json]) -> bytes:
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


def _other_files(made: _Tokens) -> tuple[dict[str, bytes], list[str]]:
    """Return the files for other extensions, and what is to be known of them."""
    files: dict[str, bytes] = {}
    notes = []
    items = [token["items"] for token in made.tokens]
    entries, shared = persistent_tokens([each[0] for each in items if isinstance(each, list)])
    if entries:
        files[PERSISTENT] = _bytes(entries)
    if shared:
        notes.append(
            f"not in {PERSISTENT}, which knows tokens by their picture, since others have it: {', '.join(shared)}"
        )
    board = made.encounter.board
    if board is not None:
        document, walled = map_document(board, made.choice.walls)
        files[MAP] = _bytes(document)
        if not walled:
            words = ", ".join(sorted(made.choice.walls)) or "nothing"
            notes.append(
                f"{MAP} has no building ({words}): its one wall runs around the board, without any it cannot be imported"
            )
    return files, notes


def export(encounter: Encounter, options: Mapping[str, str]) -> Export:
    """Return the files, nothing is written: the same encounter gives the same bytes.

    ``encounter.owlbear.json`` always; ``persistent-tokens.json`` where tokens have a picture of their own; ``map.dd2vtt`` where
    the encounter has a board.

    ``options``: ``tokens`` (``stand``: one for each team, or ``unit``), ``enemies`` (``hide`` or ``show`` the numbers of
    every side but the first), ``bubbles`` (``on``: Stat Bubbles, too), ``initiative`` (``official`` or ``pretty``: the order of the
    tokens for that tracker) and ``walls`` (terrain that has walls, with commas; ``building``).

    Each entry of ``tokens`` holds the hex and the items as Owlbear's ``addItems`` takes them, except for the fields that
    Owlbear fills in itself (``createdUserId``, ``zIndex``, ``lastModified``) and, without a board, for ``position`` (null: the page
    works it out from the hex and the grid of the room).

    Raises:
        InputError: an option is unknown, the encounter has no units, or a text cannot be written.
    """
    made = _Tokens(encounter, choice_of(options))
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
    files, more = _other_files(made)
    return Export(
        files={FILE: _bytes(document), **files},
        counts=counts,
        left_out=(*made.left_out, *lost),
        notes=(*_notes(made, counts["on_tokens"]), *more),
        next_steps=(
            f"Keep {FOLDER}/{FILE}: Owlbear Rodeo itself opens no file with tokens, our extension in the room adds them: "
            f"rallypoint owlbear serve, and then rallypoint owlbear place {FOLDER}/{FILE}",
            "Install the Owl Trackers extension in your room: it shows Stress and Wounds on tokens with a picture.",
            "Without it, place your own tokens by hand; ids and metadata of the file show what each should say.",
            *[_NEXT[name] for name in files],
        ),
    )
