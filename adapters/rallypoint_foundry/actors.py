"""Actors: a contractor for each unit, a character that carries the Stress of each platoon."""

from __future__ import annotations

from html import escape
from typing import NamedTuple, cast

from rallypoint.kernel.encounter import Encounter, Sheet
from rallypoint.kernel.state import Entity

from .carried import NOTHING, Carried
from .ids import derived_roll, document_id
from .items import Piece, copy_template, gear_items, put
from .losses import Losses
from .mapping import ActorKind, Conversion, Profile, StatRule, Terms, field
from .record import FLAG, Document, entity_record, fits

__all__ = ["DEFAULT_PICTURE", "Run", "Station", "actor_document", "name_of", "picture_path", "pieces", "token"]

DEFAULT_PICTURE = "icons/svg/mystery-man.svg"
"""A picture that every Foundry installation has."""

_IMAGE_ENDINGS = (".apng", ".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".tiff", ".webp")
_STAT_RANGE = (0, 99)


class Run(NamedTuple):
    """One run of the export: what goes in, by which profile and with which meaning, and what could not be placed.

    ``core`` is the core generation, ``stats`` the ``_stats`` block of every document; ``left_out`` gathers what has no
    field, ``unknown`` the weapons without dice; ``terms`` say what sources disagree about.
    """

    encounter: Encounter
    profile: Profile
    conversion: Conversion
    core: int
    stats: Document
    left_out: Losses
    unknown: Losses
    terms: Terms = Terms()


class Station(NamedTuple):
    """Where an actor belongs: the side's uid, the disposition towards the players (-1 hostile, 0 neutral, 1 friendly).

    ``chain`` are the short records of what stands above it, the side first; ``folder`` is a folder's id, ``sort`` the
    place in the folder, ``rank`` the one among what stands below the same parent.
    """

    side: str
    disposition: int
    chain: list[Document]
    folder: str | None
    sort: int
    rank: int = 0


def name_of(sheet: Sheet) -> str:
    """Return the name to show: that of the sheet, else its code, else the uid.

    >>> name_of(Sheet("red/1", " ", "Bot", "R-1A"))
    'R-1A'
    """
    return next(text for text in (sheet.name, sheet.code, sheet.uid) if text.strip())


def picture_path(sheet: Sheet) -> str | None:
    """Return the sheet's picture if Foundry would take it: Foundry refuses what does not end like an image.

    >>> picture_path(Sheet("u", "U", "Bot", "R-1A", picture="tokens/bot.webp?v=2"))
    'tokens/bot.webp?v=2'
    """
    if sheet.picture and sheet.picture.partition("?")[0].lower().endswith(_IMAGE_ENDINGS):
        return sheet.picture
    return None


def token(name: str, picture: str, disposition: int, bars: tuple[str, str]) -> Document:
    """Return a prototype token: one square, linked to its actor, name and bars shown to the owner on hover (20).

    ``disposition`` is -1 hostile, 0 neutral or 1 friendly; ``bars`` are paths without a leading ``system.``.
    """
    return {
        "name": name,
        "displayName": 20,
        "displayBars": 20,
        "actorLink": True,
        "appendNumber": False,
        "prependAdjective": False,
        "width": 1,
        "height": 1,
        "texture": {"src": picture, "scaleX": 1, "scaleY": 1},
        "lockRotation": False,
        "rotation": 0,
        "alpha": 1,
        "disposition": disposition,
        "bar1": {"attribute": bars[0]},
        "bar2": {"attribute": bars[1]},
        "randomImg": False,
        "flags": {},
    }


def _put_pod(system: Document, path: str, value: int, low: int, high: int | None) -> None:
    put(system, f"{path}.value", value)
    put(system, f"{path}.max", high)
    if "min" in cast("Document", field(system, path)):  # a system may do without
        put(system, f"{path}.min", low)


def _trackers(system: Document, entity: Entity, kind: ActorKind, run: Run, who: str) -> None:
    for pod in kind.trackers.values():
        if f"{pod.path}.value" not in kind.fixed:  # what is fixed is for those who do not have the tracker
            _put_pod(system, pod.path, 0, 0, 0)
    for name, tracker in entity.trackers.items():
        known = kind.trackers.get(name)
        if known is None:
            run.left_out.add(f"tracker {name}", who, f"no field in {run.profile.name}, kept in our flag alone")
        elif not fits(tracker, known.bad):
            why = f"{known.path} needs a maximum and {known.bad} as the bad way, kept in our flag alone"
            run.left_out.add(f"tracker {name}", who, why)
        else:
            _put_pod(system, known.path, tracker.value, tracker.min or 0, tracker.max)


def _derived(system: Document, path: str) -> None:
    """Fill in what the system derives, so that nothing jumps when the actor is first opened."""
    hits, health = system["hits"], system["health"]
    assert isinstance(hits, dict)
    assert isinstance(health, dict)
    put(system, f"{path}.value", (hits["max"] - hits["value"] - 1) * health["max"] + health["value"])
    put(system, f"{path}.max", health["max"] * hits["max"])


def _from_stat(rule: StatRule, sheet: Sheet, run: Run, who: str) -> tuple[int, bool]:
    """Return the value for the field, moved into its range, and whether there is any."""
    own = sheet.stats.get(rule.stat)
    value = 0 if own is None else own // rule.divide
    low, high = _STAT_RANGE
    if own is None or not low <= value <= high:
        found = "missing" if own is None else own
        run.left_out.add(f"{rule.stat} {found}", who, f"gives no {rule.path} from {low} to {high}")
    return min(max(value, low), high), own is not None


def _combat(rule: StatRule, sheet: Sheet, run: Run, who: str) -> tuple[int, bool]:
    """Return a contractor's Combat by the terms of the run, and whether there is any."""
    printed = run.profile.classes.get(sheet.role)
    if run.terms.combat == "archetype" and printed is not None and printed.combat is not None:
        return printed.combat, True
    return _from_stat(rule._replace(divide=1) if run.terms.combat == "equal" else rule, sheet, run, who)


def pieces(sheet: Sheet, carried: Carried) -> tuple[Piece, ...]:
    """Return what becomes items: the gear of the unit, and in its place what it still carries as a contractor."""
    worn = [Piece(piece) for piece in sheet.gear if piece.kind != "weapon"]
    if carried.armor is not None:
        worn = [Piece(piece, True) for piece in carried.armor]
    weapons = [Piece(piece) for piece in sheet.gear if piece.kind == "weapon"]
    if carried.weapons is not None:
        weapons = [Piece(piece, True) for piece in carried.weapons]
    if carried.armor is None and carried.weapons is None:  # the order of the sheet is the game's
        worn, weapons = [Piece(piece) for piece in sheet.gear], []
    return (*worn, *weapons, *[Piece(piece, True) for piece in carried.others])


def _combatant(system: Document, sheet: Sheet, run: Run, who: str, carried: Carried, *, armored: bool) -> str:
    """Fill in the stats as the conversion says; return the words for the class over there."""
    profile, rules = run.profile, run.conversion.stats
    known = profile.classes.get(sheet.role)
    by_class = any(rule.source in ("class", "loyalty") for rule in rules)
    if known is None and by_class and None in (carried.instinct, carried.loyalty):
        run.left_out.add(f"class {sheet.role or '(none)'}", who, f"no Instinct and Loyalty in {profile.name}")
    for path, value in run.conversion.fixed.items():
        put(system, path, value)
    for rule in rules:
        number, shown = 0, armored
        own = {"combat": carried.combat, "class": carried.instinct, "loyalty": carried.loyalty}.get(rule.source)
        if own is not None:
            number, shown = min(own, _STAT_RANGE[1]), True
        elif rule.source == "stat":
            number, shown = _from_stat(rule, sheet, run, who)
        elif rule.source == "combat":
            number, shown = _combat(rule, sheet, run, who)
        elif rule.source == "class":
            number, shown = (0, False) if known is None else (known.instinct, True)
        elif rule.source == "loyalty":
            shown = known is not None and known.loyalty
            number = derived_roll(*profile.loyalty, "loyalty", run.encounter.key, sheet.uid) if shown else 0
        if rule.path is not None:
            put(system, rule.path, number)
        if rule.enabled is not None:
            put(system, rule.enabled, shown)
    return carried.role or (known.words if known is not None and by_class else "")


def _notes(game: str, sheet: Sheet, chain: list[Document], words: str, lines: tuple[str, ...]) -> str:
    rows = [", ".join(part for part in (sheet.code, sheet.role, words and f"contractor type {words}") if part)]
    rows.append(" / ".join(str(entry["name"]) for entry in chain if entry["name"]))
    numbers = ", ".join(f"{name} {value}" for name, value in sheet.stats.items())
    rows.append(numbers and f"In {game}: {numbers}")
    return "".join(f"<p>{escape(row, quote=False)}</p>" for row in [*rows, *lines, *sheet.notes] if row)


def actor_document(
    run: Run, entity: Entity, kind: ActorKind, sheet: Sheet, station: Station, carried: Carried = NOTHING
) -> Document:
    """Return the actor of one entity, whole: nothing is left to the defaults of the system.

    ``carried`` is what it brings from a life as a contractor, :data:`NOTHING` where the numbers are the game's own.
    """
    profile = run.profile
    identity = document_id(run.encounter.key, station.side, entity.uid, "actor", kind.type)
    name = name_of(sheet)
    who = name  # the code on the base may be that of the whole team
    picture = picture_path(sheet)
    if sheet.picture and picture is None:
        run.left_out.add(f"picture {sheet.picture}", who, "Foundry takes only paths with the ending of an image")
    system = copy_template(profile.template["Actor"][kind.type])
    assert isinstance(system, dict)
    for path, value in kind.fixed.items():
        put(system, path, value)
    _trackers(system, entity, kind, run, who)
    if kind.derived is not None:
        _derived(system, kind.derived)
    for what, why in carried.lost:
        run.left_out.add(what, who, why)
    items = gear_items(
        identity,
        pieces(sheet, carried),
        who,
        profile,
        run.conversion,
        run.terms,
        run.stats,
        left_out=run.left_out,
        unknown=run.unknown,
    )
    armored = any(item["type"] == profile.armor_item.type for item in items)
    words = _combatant(system, sheet, run, who, carried, armored=armored) if kind.combatant else ""
    put(system, kind.notes, _notes(run.encounter.game, sheet, station.chain, words, carried.lines))
    return {
        "_id": identity,
        "name": name,
        "type": kind.type,
        "img": picture or DEFAULT_PICTURE,
        "system": system,
        "prototypeToken": token(name, picture or DEFAULT_PICTURE, station.disposition, kind.bars),
        "items": items,
        "effects": [],
        "folder": station.folder,
        "sort": station.sort,
        "ownership": {"default": 0},
        "flags": {FLAG: entity_record(run.encounter, entity, station.side, station.chain, sheet, station.rank)},
        "_stats": run.stats,
    }
