"""The export: an encounter as a module, single actors and pack sources for a Foundry world, all in memory."""

from __future__ import annotations

from collections.abc import Mapping

from rallypoint.kernel.board import Board
from rallypoint.kernel.encounter import FOLDER, Encounter, Export
from rallypoint.kernel.errors import InputError

from .board_svg import board_picture, has_picture
from .check import check
from .choices import LEGAL_PAIRS, Choice, chosen
from .documents import Documents
from .exported import FORMAT, FORMAT_VERSION
from .ids import document_id, slug
from .module import (
    ADVENTURES,
    SCRIPT,
    UNITS,
    adventure_document,
    manifest_text,
    module_id,
    module_manifest,
    script,
    zipped,
)
from .packing import missing, packed
from .places import Spot, parade_board, spots
from .reading import combat_document, journal_document, table_document
from .record import Document
from .scene import scene_document, token_document
from .sources import actor_sources, adventure_source, check_sources
from .text import pretty

__all__ = ["FORMAT", "FORMAT_VERSION", "LEGAL_PAIRS", "export", "slug"]


_BOARD = "board.svg"


def _file_name(actor: Document) -> str:
    # Foundry's own names look like this; a name without ASCII letters leaves the id alone.
    parts = ["fvtt-Actor", slug(str(actor["name"])), str(actor["_id"])]
    return f"actors/{'-'.join(part for part in parts if part)}.json"


def _bytes(text: str, what: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            "a name or note holds half a character, which no file can hold",
            where=what,
            found=repr(text[max(error.start - 20, 0) : error.end + 20]),
            expected="text in UTF-8",
        ) from None


class _Stage:
    """Everything beside folders and actors: the board, who stands on it, tables, journal, combat."""

    def __init__(self, documents: Documents, picture_folder: str) -> None:
        run, encounter = documents.run, documents.run.encounter
        fighters = documents.combatants
        self.board: Board
        found: dict[str, Spot]
        self.invented = encounter.board is None
        if encounter.board is None:
            self.board, found = parade_board(encounter, [entity for entity, _, _ in fighters])
        else:
            self.board = encounter.board
            found, off = spots(encounter, self.board, [entity for entity, _, _ in fighters])
            names = {entity.uid: str(actor["name"]) for entity, actor, _ in fighters}
            for uid, why in off.items():
                run.left_out.add("token", names[uid], f"{why}, so no token is placed and no combatant made")
        scene = document_id(encounter.key, "scene")
        placed = [
            (entity, actor, token_document(run, scene, entity, actor, found[entity.uid]))
            for entity, actor, _ in fighters
            if entity.uid in found
        ]
        picture = f"{picture_folder}/{_BOARD}" if has_picture(encounter, self.board) else None
        journal = journal_document(run)
        self.others: dict[str, list[Document]] = {
            "scenes": [scene_document(run, self.board, [token for _, _, token in placed], scene, picture)],
            "tables": [table_document(run, table, place * 100000) for place, table in enumerate(encounter.tables)],
            "journal": [] if journal is None else [journal],
            "combats": [combat_document(run, scene, placed)] if placed else [],
        }
        documents.counts.update(
            combatants=len(fighters),
            tokens=len(placed),
            tokens_left_out=len(fighters) - len(placed),
            tables=len(encounter.tables),
            pages=len(encounter.pages),
        )


def _whole(documents: Documents, stage: _Stage, choice: Choice, single: Mapping[str, str]) -> bytes:
    encounter, profile = documents.run.encounter, documents.run.profile
    frame: Document = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "encounter": {"key": encounter.key, "title": encounter.title, "game": encounter.game},
        "system": {"id": profile.system, "version": profile.version},
        "core": {"generation": int(choice.core), "version": profile.cores[choice.core]},
        "as": choice.meaning,
        "order": [entity.uid for entity in encounter.state],
        "folders": documents.folders,
        "kept": documents.kept,
        **stage.others,
    }
    # Each actor is written once: a line break in JSON is never inside a text, so the lines can simply be moved in.
    inner = ",\n".join(["    " + text.replace("\n", "\n    ") for text in single.values()])
    return _bytes(f'{pretty(frame)[:-2]},\n  "actors": [\n{inner}\n  ]\n}}\n', "encounter.json")


def _module_files(
    documents: Documents, stage: _Stage, whole: bytes, identity: str, pack: bool
) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the files of the module by path inside it, and the packs among them."""
    run = documents.run
    everything = {"folders": documents.folders, "actors": documents.actors, **stage.others}
    sources = {
        ADVENTURES: adventure_source(adventure_document(run, everything)),
        UNITS: actor_sources(documents.folders, documents.actors),
    }
    files = {
        "encounter.json": whole,
        SCRIPT: script(),
        _BOARD: _bytes(board_picture(run.encounter, stage.board), _BOARD),
    }
    packs: list[str] = []
    for name, content in sources.items():
        check_sources(name, content)
        files.update({f"packs/_source/{name}/{file}": data for file, data in content.items()})
        if pack:
            files.update({f"packs/{name}/{file}": data for file, data in packed(name, content).items()})
            packs.append(name)
    files["module.json"] = manifest_text(module_manifest(run, identity, tuple(packs)))
    return files, tuple(packs)


def _notes(documents: Documents, stage: _Stage, choice: Choice, no_pack: str | None) -> tuple[str, ...]:
    notes = [f"no dice for {line}" for line in documents.run.unknown.lines()]
    rules = documents.run.conversion.stats
    if any(rule.source == "loyalty" for rule in rules):
        notes.append(
            "Loyalty is 2d10+10, rolled once from the encounter's key and the unit's uid: the same on every export"
        )
    if documents.own:
        notes.append(
            f"contractors before they were units ({'; '.join(documents.own)}): Combat, Instinct, Loyalty, weapons and armour are "
            "those that they carry, where nobody has changed them since"
        )
    if not documents.run.conversion.dice:
        notes.append("weapons have no dice: their numbers are those of the game, in the description")
    if documents.counts["in_flags"]:
        notes.append(
            "in flags: a team is neither actor nor folder; what is known of it goes along with the actors of its units"
        )
    notes.append("Wounds count upwards, as mosh does: 0 is unhurt, the maximum is out of action")
    if len(documents.dispositions) > 1:
        notes.append("the first side is friendly, every other side hostile")
    if stage.invented:
        notes.append("the encounter has no board: everybody lines up on a small one, a team in a hex")
    if choice.pack and no_pack is not None:
        notes.append(
            f"nothing was packed: {no_pack}; the sources are in packs/_source, and the module works without packs"
        )
    return tuple(notes)


def _next_steps(documents: Documents, identity: str, choice: Choice, packs: tuple[str, ...]) -> tuple[str, ...]:
    types = sorted({str(actor["type"]) for actor in documents.actors})
    profile = documents.run.profile
    return (
        f"Copy the folder {FOLDER}/{identity} into Data/modules of your Foundry (or unpack {FOLDER}/{identity}.zip there), "
        f"start a world of {profile.system} on core {choice.core}, turn the module on, and press Import in the sidebar of actors or in its "
        f'settings. A macro does the same: game.modules.get("{identity}").api.importEncounter()',
        "Importing again brings what is new and leaves alone what people have changed.",
        *(("Compendium packs: the adventure and the actors are in the module.",) if packs else ()),
        f"Without the module: for each file in {FOLDER}/actors, create an empty actor of the same type ({' or '.join(types)}: the "
        '"type" near the top of the file), right-click it in the sidebar and choose Import Data. If the types differ, '
        "Foundry may report success and change nothing. Set folder and permissions afterwards.",
        "Import Data also puts right what mosh 0.6.1 sets on every new actor, and the module does so by itself: bars, "
        "disposition, and Stress where the Calm setting is on.",
    )


def export(encounter: Encounter, options: Mapping[str, str]) -> Export:
    """Return the files for a Foundry world; nothing is written, and the same encounter gives the same bytes.

    ``options``: ``profile`` (name or TOML file), ``core``, ``as`` (``contractor`` or ``disrupter``), ``pack`` (``true`` runs
    Foundry's own command line), and for contractors ``combat``, ``revolver-bonus`` and ``anti-armor``. ``encounter.json`` holds everything with the ids that are kept on every export; each
    file in ``actors/`` is one actor for Foundry's Import Data; the folder and the zip named by the encounter are a module.

    Raises:
        InputError: an option is unknown or does not fit, the encounter has nobody who could be an actor, or a text cannot
            be written.
        PluginError: the result would not be accepted by Foundry.
        RemoteError: packing failed.
    """
    choice = chosen(options)
    documents = Documents(encounter, choice.profile, choice.core, choice.meaning, choice.terms)
    documents.make()
    if not documents.actors:
        raise InputError(
            "there is nobody to export",
            where=f"encounter {encounter.key}",
            found=f"{len(encounter.state)} entities",
            expected=" or ".join(sorted({f"a {kind.role}" for kind in choice.profile.actors})),
        )
    identity = module_id(encounter)
    stage = _Stage(documents, f"modules/{identity}")
    check(documents.folders, documents.actors, choice.profile, encounter, stage.others)
    single = {_file_name(actor): pretty(actor) for actor in documents.actors}
    whole = _whole(documents, stage, choice, single)
    files = {"encounter.json": whole, **{name: _bytes(text + "\n", name) for name, text in single.items()}}
    no_pack = missing() if choice.pack else None
    module, packs = _module_files(documents, stage, whole, identity, choice.pack and no_pack is None)
    files.update({f"{identity}/{name}": data for name, data in module.items()})
    files[f"{identity}.zip"] = zipped(identity, module)
    return Export(
        files=files,
        counts=documents.counts,
        left_out=documents.run.left_out.lines(),
        notes=_notes(documents, stage, choice, no_pack),
        next_steps=_next_steps(documents, identity, choice, packs),
        owns=tuple(f"{identity}/packs/{name}" for name in packs),
    )
