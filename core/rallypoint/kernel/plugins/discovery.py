"""Finding plugins and their manifests without importing anything of theirs.

The entry points are read straight from the ``*.dist-info`` folders: importing ``importlib.metadata`` alone costs more
than four bare starts of Python, and a listing must be quick.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from typing import NamedTuple

from .manifest import MANIFEST_NAME, MOST_BYTES, Manifest, read_manifest

__all__ = ["GROUP", "Discovery", "Found", "discover"]

GROUP = "rallypoint.plugins"
"""The entry point group in which a distribution names its plugins: ``name = "package"``."""

_MOST_SAID = 300  # signs of an error


class Found(NamedTuple):
    """One plugin as installed; with a ``problem`` it cannot be used, and there may be no manifest.

    ``folder`` is where its manifest lies.
    """

    name: str
    distribution: str
    version: str
    package: str
    manifest: Manifest | None = None
    problem: str | None = None
    folder: str = ""


class Discovery(NamedTuple):
    """The plugins by name, and every path whose change can change them."""

    found: tuple[Found, ...]
    watched: tuple[str, ...]


class _EntryPoint(NamedTuple):
    name: str
    package: str
    distribution: str
    version: str


def discover(path: Sequence[str] | None = None) -> Discovery:
    """Return every installed plugin, broken ones too, in the order of their names.

    Args:
        path: the folders to look in, ``sys.path`` if it is not given.
    """
    folders = list(dict.fromkeys(Path(folder).absolute() for folder in (sys.path if path is None else path)))
    watched = list(folders)
    found = [_guarded(point, path, watched) for point in _entry_points(folders, watched)]
    found.sort(key=lambda each: (each.name, each.distribution, each.package))
    return Discovery(tuple(_without_doubles(found)), tuple([str(each) for each in dict.fromkeys(watched)]))


def _without_doubles(found: list[Found]) -> Iterator[Found]:
    """Two plugins of one name: neither can be used, whichever was installed first."""
    all_owners: dict[str, list[str]] = {}
    for each in found:
        all_owners.setdefault(each.name, []).append(f"{each.distribution} {each.version}".strip())
    for each in found:
        owners = all_owners[each.name]
        if len(owners) > 1:
            problem = f"{len(owners)} plugins have this name: {', '.join(owners)}; uninstall all but one"
            yield each._replace(manifest=None, problem=problem)
        else:
            yield each


def _entry_points(folders: list[Path], watched: list[Path]) -> Iterator[_EntryPoint]:
    """Yield the entry points of our group; of two copies of a distribution the first on the path counts."""
    seen: set[str] = set()
    for folder in folders:
        for information in _distributions(folder):
            key = re.sub(r"[-_.]+", "-", information.name.partition("-")[0]).lower()
            if key in seen:
                continue
            seen.add(key)
            file = information / "entry_points.txt"
            text = _text(file)
            if text is not None and GROUP in text:
                watched.append(file)
                distribution, version = _name_and_version(information)
                for name, target in _group(text):
                    yield _EntryPoint(name, target.partition(":")[0].strip(), distribution, version)


def _distributions(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.name.endswith(".dist-info"))
    except OSError:
        return []  # a zip file, or a folder that is not there


def _text(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def _group(text: str) -> Iterator[tuple[str, str]]:
    inside = False
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("["):
            inside = line == f"[{GROUP}]"
        elif inside and "=" in line and not line.startswith(("#", ";")):
            name, _, target = line.partition("=")
            yield name.strip(), target.strip()


def _name_and_version(information: Path) -> tuple[str, str]:
    """Return what METADATA says, or else what the folder is called."""
    name, _, version = information.name.removesuffix(".dist-info").partition("-")
    header = (_text(information / "METADATA") or "").partition("\n\n")[0]
    for line in header.splitlines():
        key, _, value = line.partition(":")
        if key == "Name":
            name = value.strip()
        elif key == "Version":
            version = value.strip()
    return name, version


def _guarded(point: _EntryPoint, path: Sequence[str] | None, watched: list[Path]) -> Found:
    """Return what is read of one plugin; whatever goes wrong with it is that plugin's problem and no other's."""
    try:
        return _read(point, path, watched)
    except Exception as error:
        found = Found(point.name, point.distribution, point.version, point.package)
        text = f"{type(error).__name__}: {error}"[:_MOST_SAID]
        return found._replace(problem=f"the manifest cannot be read: {text}")


def _read(point: _EntryPoint, path: Sequence[str] | None, watched: list[Path]) -> Found:
    found = Found(point.name, point.distribution, point.version, point.package)
    folders = _package_folders(point.package, path)
    if not folders:
        return found._replace(problem=f"there is no package {point.package}")
    files = [folder / MANIFEST_NAME for folder in folders]
    watched += files
    file = next((file for file in files if file.exists()), None)
    if file is None:
        return found._replace(problem=f"no manifest: {MANIFEST_NAME} is missing in package {point.package}")
    try:
        if not file.is_file() or file.stat().st_size > MOST_BYTES:
            what = f"found: {file.stat().st_size} bytes" if file.is_file() else "it is no file"
            return found._replace(problem=f"{file}: the manifest cannot be read: {what}")
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return found._replace(problem=f"{file}: the manifest cannot be read: {error}")
    manifest, problems = read_manifest(text, str(file))
    if problems:
        return found._replace(problem=" | ".join(str(problem) for problem in problems))
    if manifest is not None and manifest.name != point.name:
        problem = f"{file}: the name differs from the entry point's; found: {manifest.name}; expected: {point.name}"
        return found._replace(problem=problem)
    for name in () if manifest is None else manifest.content:
        if not (file.parent / name).is_file():
            return found._replace(problem=f"{file}: the package has no such file; found: content {name}")
    return found._replace(manifest=manifest, folder=str(file.parent))


def _package_folders(package: str, path: Sequence[str] | None) -> list[Path]:
    """Return where a package lies: the finders are asked for the first part only, for which they import nothing."""
    top, *rest = package.split(".")
    finders = [PathFinder] if path is not None else sys.meta_path
    for finder in finders:
        find = getattr(finder, "find_spec", None)
        spec = None if find is None else find(top, path)
        if spec is not None:
            folders = [Path(folder, *rest) for folder in spec.submodule_search_locations or ()]
            return [folder for folder in folders if folder.is_dir()]
    return []
