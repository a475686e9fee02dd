"""The export: an encounter as folders and actors for a Foundry world, all in memory."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from difflib import get_close_matches

from rallypoint.kernel.encounter import Encounter, Export
from rallypoint.kernel.errors import InputError

from .check import check
from .documents import Documents
from .profile import load_profile
from .record import Document
from .text import pretty

__all__ = ["FORMAT", "FORMAT_VERSION", "LEGAL_PAIRS", "export", "slug"]

FORMAT = "rallypoint.foundry.encounter"
"""What ``encounter.json`` calls itself."""
FORMAT_VERSION = 1
"""Raised when a reader of the old form would misread the new one."""

LEGAL_PAIRS: tuple[tuple[str, str], ...] = (
    ("mosh-0.5.27", "12"),
    ("mosh-0.6.1", "13"),
    ("mosh-0.6.1", "14"),
    ("mothershiprpg-0.1.0", "13"),
    ("mothershiprpg-0.1.0", "14"),
)
"""System and core generation that go together in the world at large."""
_BUILT = (("mosh-0.6.1", "13"),)
_DEFAULTS = {"system": "mosh-0.6.1", "core": "13"}


def _pairs(pairs: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{system} with core {core}" for system, core in pairs)


def _choice(options: Mapping[str, str]) -> tuple[str, str]:
    for name in options:
        if name not in _DEFAULTS:
            near = get_close_matches(name, _DEFAULTS, 1)
            raise InputError(
                "the Foundry exporter has no such option",
                found=name,
                expected=" or ".join(_DEFAULTS),
                hint=f"did you mean {near[0]}?" if near else None,
            )
    chosen = (options.get("system", _DEFAULTS["system"]), options.get("core", _DEFAULTS["core"]))
    if chosen in _BUILT:
        return chosen
    missing = tuple(pair for pair in LEGAL_PAIRS if pair not in _BUILT)
    raise InputError(
        "this pair is not built yet" if chosen in LEGAL_PAIRS else "this system and core do not go together",
        where="options system and core",
        found=_pairs((chosen,)),
        expected=_pairs(_BUILT),
        hint=f"pairs that exist but are not built yet: {_pairs(missing)}",
    )


def slug(name: str) -> str:
    """Return the name as it goes into a file name: lower-case ASCII, at most 40 characters, maybe empty.

    >>> slug("O'Neil "), slug("Żółw-1"), slug("狐 🦊")
    ('o-neil', 'zow-1', '')
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii").lower()
    words = "".join(letter if letter.isalnum() else " " for letter in plain.replace("'", " ")).split()
    return "-".join(words)[:40].strip("-")


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


def _files(documents: Documents, core: str) -> dict[str, bytes]:
    encounter, profile = documents.run.encounter, documents.run.profile
    frame: Document = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "encounter": {"key": encounter.key, "title": encounter.title, "game": encounter.game},
        "system": {"id": profile.system, "version": profile.version},
        "core": {"generation": int(core), "version": profile.cores[core]},
        "folders": documents.folders,
        "kept": documents.kept,
    }
    single = {_file_name(actor): pretty(actor) for actor in documents.actors}
    # Each actor is written once: a line break in JSON is never inside a text, so the lines can simply be moved in.
    inner = ",\n".join(["    " + text.replace("\n", "\n    ") for text in single.values()])
    whole = f'{pretty(frame)[:-2]},\n  "actors": [\n{inner}\n  ]\n}}\n'
    files = {"encounter.json": _bytes(whole, "encounter.json")}
    files.update({name: _bytes(text + "\n", name) for name, text in single.items()})
    return files


def _notes(documents: Documents) -> tuple[str, ...]:
    notes = [f"no dice for {line}" for line in documents.run.unknown.lines()]
    notes.append(
        "Loyalty is 2d10+10, rolled once from the encounter's key and the unit's uid: the same on every export"
    )
    notes.append("Wounds count upwards, as mosh does: 0 is unhurt, the maximum is out of action")
    if len(documents.dispositions) > 1:
        notes.append("the first side is friendly, every other side hostile")
    return tuple(notes)


def _next_steps(documents: Documents) -> tuple[str, ...]:
    types = sorted({str(actor["type"]) for actor in documents.actors})
    return (
        f'For each file in actors/, create an empty actor of the same type ({" or ".join(types)}: the "type" near the top '
        "of the file) in your world.",
        "Right-click the new actor in the sidebar, choose Import Data and pick the file. If the types differ, Foundry may "
        "report success and change nothing.",
        "Import Data also puts right what mosh 0.6.1 sets on every new actor: afterwards the bars and the disposition are "
        "those of the file. The actor keeps its own id; Rallypoint knows it by flags.rallypoint.uid.",
        "Set folder and permissions afterwards; do not count on their being taken from the file.",
        "With the Calm setting on, mosh replaces the Stress of a new character: check it after the import.",
    )


def export(encounter: Encounter, options: Mapping[str, str]) -> Export:
    """Return the files for a Foundry world; nothing is written, and the same encounter gives the same bytes.

    ``options``: ``system`` (``mosh-0.6.1``) and ``core`` (``13``). ``encounter.json`` holds folders and actors with the
    ids that are kept on every export; each file in ``actors/`` is one actor for Foundry's Import Data.

    Raises:
        InputError: an option is unknown or not built, the encounter has nobody who could be an actor, or a text cannot
            be written.
        PluginError: the result would not be accepted by Foundry.
    """
    system, core = _choice(options)
    profile = load_profile(system)
    documents = Documents(encounter, profile, core)
    documents.make()
    if not documents.actors:
        raise InputError(
            "there is nobody to export",
            where=f"encounter {encounter.key}",
            found=f"{len(encounter.state)} entities",
            expected=" or ".join(sorted({f"a {kind.role}" for kind in profile.actors})),
        )
    check(documents.folders, documents.actors, profile, encounter)
    return Export(
        files=_files(documents, core),
        counts=documents.counts,
        left_out=documents.run.left_out.lines(),
        notes=_notes(documents),
        next_steps=_next_steps(documents),
    )
