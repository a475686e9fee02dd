"""The module: a folder and a zip that build the whole encounter in a world on one click."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from importlib.resources import files as package_files

from rallypoint import __version__
from rallypoint.kernel.encounter import Encounter

from .actors import Run
from .ids import document_id, slug
from .record import FLAG, Document
from .text import pretty

__all__ = [
    "ADVENTURES",
    "SCRIPT",
    "UNITS",
    "adventure_document",
    "manifest_text",
    "module_id",
    "module_manifest",
    "script",
    "zipped",
]

SCRIPT = "rallypoint.mjs"
ADVENTURES = "encounter"
UNITS = "units"

_EPOCH = (1980, 1, 1, 0, 0, 0)


def module_id(encounter: Encounter) -> str:
    """Return the id of the encounter's module: lower-case letters, digits and hyphens.

    >>> from rallypoint.kernel.state import State
    >>> module_id(Encounter("Ash Ridge", "", "disrupter", State.of([]), {}))
    'rallypoint-ash-ridge'
    """
    name = slug(encounter.key)
    # A key that cannot be spelt in ASCII whole must not share the id of another that looks alike.
    plain = encounter.key.isascii() and name != ""
    rest = name if plain else "-".join(part for part in (name, document_id(encounter.key, "module").lower()) if part)
    return f"rallypoint-{rest}"


def module_manifest(run: Run, identity: str, packs: tuple[str, ...]) -> Document:
    """Return ``module.json``; ``packs`` are the names of those that were really packed."""
    encounter, profile = run.encounter, run.profile
    title = encounter.title if encounter.title.strip() else encounter.key
    core = str(run.core)
    kinds = {ADVENTURES: ("Adventure", title), UNITS: ("Actor", f"{title}: units")}
    manifest: Document = {
        "id": identity,
        "title": title,
        "description": "Made by Rallypoint. Press Import in the module's settings, or in the sidebar of actors.",
        "version": __version__,
        "compatibility": {"minimum": core, "verified": core},
        "authors": [{"name": "Rallypoint"}],
        "esmodules": [SCRIPT],
        "relationships": {
            "systems": [
                {
                    "id": profile.system,
                    "type": "system",
                    "compatibility": {"minimum": profile.version, "verified": profile.version},
                }
            ]
        },
        "packs": [
            {
                "name": name,
                "label": kinds[name][1],
                "path": f"packs/{name}",
                "type": kinds[name][0],
                "system": profile.system,
            }
            for name in packs
        ],
    }
    return manifest


def adventure_document(run: Run, documents: Mapping[str, list[Document]]) -> Document:
    """Return the adventure that holds everything, whole, by the names of Foundry's lists."""
    encounter = run.encounter
    title = encounter.title if encounter.title.strip() else encounter.key
    return {
        "_id": document_id(encounter.key, "adventure"),
        "name": title,
        "img": "icons/svg/book.svg",
        "caption": "",
        "description": "<p>Made by Rallypoint. Importing it again sets everything back; the module's own button does not.</p>",
        "sort": 0,
        "folder": None,
        **{name: documents.get(name, []) for name in ("actors", "combats", "folders", "journal", "scenes", "tables")},
        "items": [],
        "macros": [],
        "cards": [],
        "playlists": [],
        "flags": {
            FLAG: {
                "v": 1,
                "uid": "adventure",
                "encounter": encounter.key,
                "system": run.profile.system,
                "core": run.core,
            }
        },
        "_stats": run.stats,
    }


def script() -> bytes:
    """Return the module's script, the same for every encounter: it reads ``encounter.json`` beside it."""
    return (package_files(__package__) / "module" / SCRIPT).read_bytes()


def manifest_text(manifest: Document) -> bytes:
    """Return ``module.json`` as bytes."""
    return (pretty(manifest) + "\n").encode("utf-8")


def zipped(folder: str, files: Mapping[str, bytes]) -> bytes:
    """Return a zip of the files under ``folder``; the same files give the same bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{folder}/{name}", _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            archive.writestr(entry, files[name])
    return target.getvalue()
