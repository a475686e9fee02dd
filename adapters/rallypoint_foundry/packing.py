"""Packing: Foundry's own command line makes LevelDB packs of the sources, and what it made is unpacked and compared."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from rallypoint.kernel.errors import RemoteError

__all__ = ["PROGRAM", "missing", "packed"]

PROGRAM = "fvtt"
"""The program of the npm package ``@foundryvtt/foundryvtt-cli``, looked for on the path and in ``node_modules``."""

_SECONDS = 120
_NOT_DATA = ("LOCK", "LOG", "LOG.old")


def _program() -> str | None:
    near = shutil.which(PROGRAM, path=str(Path("node_modules") / ".bin"))
    return shutil.which(PROGRAM) or (None if near is None else str(Path(near).resolve(strict=False)))


def missing() -> str | None:
    """Return what is not there that packing needs, ``None`` if all is."""
    if shutil.which("node") is None:
        return "Node is not there"
    if _program() is None:
        return f"{PROGRAM} is not there: npm install @foundryvtt/foundryvtt-cli, here or globally"
    return None


def _run(*arguments: str) -> None:
    program = _program()
    assert program is not None
    try:
        done = subprocess.run(  # noqa: S603 - the program that was found, with names of our own
            [program, "package", *arguments],
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RemoteError(f"{PROGRAM} could not be run", found=str(error), hint="leave out --pack") from None
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
        raise RemoteError(f"{PROGRAM} failed, so nothing is written", found=said[-1] if said else done.returncode)


def _documents(files: Mapping[str, bytes]) -> dict[str, object]:
    return {str(document["_key"]): document for document in map(json.loads, files.values())}


def packed(name: str, sources: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of the pack ``name``, made of checked sources and compared with them.

    Log and lock are not part of it, so the same sources give the same bytes.

    Raises:
        RemoteError: the program failed, or what it packed does not unpack to what went in.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for part in ("in", "back"):
            (place / part).mkdir()
        for file, content in sources.items():
            (place / "in" / file).write_bytes(content)
        _run("pack", "-n", name, "--type", "Module", "--in", str(place / "in"), "--out", str(place / "packs"))
        made = {
            each.name: each.read_bytes()
            for each in sorted((place / "packs" / name).iterdir())
            if each.name not in _NOT_DATA
        }
        _run("unpack", "-n", name, "--type", "Module", "--in", str(place / "packs"), "--out", str(place / "back"))
        back = {each.name: each.read_bytes() for each in sorted((place / "back").rglob("*.json"))}
    wanted, found = _documents(sources), _documents(back)
    if wanted != found:
        odd = sorted(key for key in wanted.keys() | found.keys() if wanted.get(key) != found.get(key))
        raise RemoteError(
            "a pack does not hold what was put into it, so nothing is written",
            where=f"pack {name}",
            found=f"{len(found)} documents, of which other than meant: {', '.join(odd[:5])}",
            expected=f"{len(wanted)} documents",
        )
    if "CURRENT" not in made or not any(each.startswith("MANIFEST-") for each in made):
        raise RemoteError(
            "a pack has no CURRENT or no MANIFEST and would open empty", where=f"pack {name}", found=", ".join(made)
        )
    return made
