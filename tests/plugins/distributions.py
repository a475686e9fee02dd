"""Tiny distributions written into a folder: a package, its manifest and the metadata that an installer leaves."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]

GAME = {
    "__init__.py": """
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.encounter import Encounter

class Items(dict):
    classes = weapons = armor = bots = vehicles = {}

def catalogue():
    return Items()

def encounter(force, *, side="red"):
    return Encounter("k", "t", "skirmish", State.of([Entity.new(side, "side")]), {})
""",
    "specs.py": """
from typing import Protocol
from rallypoint.kernel.plugins.hooks import change, collect, decide, joined, tell

class Hooks(Protocol):
    hook_api = "1.3"

    @change("wounds")
    def fire_wounds(self, step, shot: str, wounds: int) -> int: ...

    @decide()
    def fire_outcome(self, step, unit: str): ...

    @collect(reduce=joined)
    def modifiers(self, step, unit: str): ...

    @tell()
    def panicked(self, step, unit: str) -> None: ...
""",
}


def distribution(
    folder: Path,
    name: str,
    files: Mapping[str, str] | None = None,
    *,
    manifest: str | None = "",
    version: str = "1.0",
    package: str | None = None,
    entry: str | None = None,
) -> Path:
    """Write a distribution; ``manifest`` is what follows its first two lines, ``None``: no manifest."""
    package = package or f"pkg_{name.replace('-', '_')}"
    home = folder / package
    home.mkdir(parents=True, exist_ok=True)
    for file, text in {"__init__.py": "", **(files or {})}.items():
        (home / file).write_text(text, encoding="utf-8")
    if manifest is not None:
        text = f'manifest = 1\nname = "{entry or name}"\n{manifest}'
        (home / "rallypoint-plugin.toml").write_text(text, encoding="utf-8")
    information = folder / f"{package}-{version}.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nText\n")
    points = f"[console_scripts]\nx = y:z\n\n[rallypoint.plugins]\n{entry or name} = {package}\n"
    (information / "entry_points.txt").write_text(points)
    return home


def hooked(
    folder: Path, name: str, body: str, *, needs: str = "1", extra: str = "", package: str | None = None
) -> Path:
    """Write a plugin of the game ``skirmish`` whose module ``impl`` has this body."""
    package = package or f"pkg_{name.replace('-', '_')}"
    manifest = f'{extra}\nhooks = "{package}.impl"\n[needs]\nskirmish = "{needs}"\n'
    text = f"from rallypoint.kernel.plugins.hooks import hookimpl\n\n{body}\n"
    return distribution(folder, name, {"impl.py": text}, manifest=manifest, package=package)


def game(folder: Path, name: str = "skirmish") -> Path:
    """Write a small game with hooks of all four kinds."""
    package = f"pkg_{name}"
    manifest = f'[game]\nmodule = "{package}"\nhooks = "{package}.specs:Hooks"\n'
    return distribution(folder, name, GAME, manifest=manifest)


OWN = ("disrupter", "foundry", "indirect-fire", "mothership", "owlbear")
"""The plugins of the project, which are installed beside the tests or not."""


def names_in(folder: Path) -> list[str]:
    """Return the names of the plugins whose distributions lie in a folder."""
    found = []
    for points in sorted(folder.glob("*.dist-info/entry_points.txt")):
        rows = points.read_text(encoding="utf-8", errors="replace").partition("[rallypoint.plugins]")[2].splitlines()
        found += [row.partition("=")[0].strip() for row in rows if "=" in row]
    return found


def rallypoint(
    *arguments: str,
    folder: Path,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    text: bool = True,
    beside: Sequence[Path] = (),
) -> subprocess.CompletedProcess[str]:
    """Run the command line in a new process with the distributions in ``folder`` installed.

    Whatever else is installed (as in the folders ``beside``) is off: a test must not depend on it.
    """
    home = folder.parent
    path = os.pathsep.join(map(str, (folder, ROOT / "core", ROOT / "plugins", ROOT / "adapters", *beside)))
    full = {
        **{key: value for key, value in os.environ.items() if not key.startswith(("RALLYPOINT", "PYTHON"))},
        "PYTHONPATH": path,
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "NO_COLOR": "1",
        "PYTHONIOENCODING": "utf-8",
        "RALLYPOINT_PLUGINS": ",".join([*OWN, *names_in(folder)]),
        **(env or {}),
    }
    command = [sys.executable, "-m", "rallypoint", *arguments]
    return subprocess.run(
        command, env=full, cwd=cwd or home, capture_output=True, text=text, encoding="utf-8", check=False
    )
