"""Puts the page for Owlbear Rodeo into what is built of this project: as it was built before, or built now with npm.

Without either, the rest is built all the same, and said so; with ``RALLYPOINT_EXTENSION=required`` that is a failure.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_EXTENSION = Path("adapters/rallypoint_owlbear/extension")
_BUNDLE = Path("adapters/rallypoint_owlbear/link/bundle")
_SINGLE = ("build.mjs", "package.json", "package-lock.json", "tsconfig.json")


def fingerprint(extension: Path) -> str:
    """Return a number for the sources of the page, as ``build.mjs`` writes it beside what it builds."""
    files = [extension / name for name in _SINGLE]
    files += [each for folder in ("public", "src") for each in (extension / folder).rglob("*") if each.is_file()]
    lines = [
        f"{each.relative_to(extension).as_posix()} {hashlib.sha256(each.read_bytes()).hexdigest()}\n" for each in files
    ]
    return hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()


def is_up_to_date(root: Path) -> bool:
    """Say whether the page was built of the sources that are there."""
    try:
        built = (root / _BUNDLE / ".sources").read_text(encoding="utf-8").strip()
    except OSError:
        return False
    # A wheel may be built where the sources of the page are not: then what was built is all there is.
    return not (root / _EXTENSION / "src").is_dir() or built == fingerprint(root / _EXTENSION)


class ExtensionHook(BuildHookInterface[Any]):
    """Builds the page before the files are gathered."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """See to the page.

        Raises:
            SystemExit: it must be there and cannot be.
        """
        if version == "editable":
            return
        root = Path(self.root)
        why = None if is_up_to_date(root) else _build(root / _EXTENSION)
        if why is None:
            build_data["artifacts"].append(f"/{_BUNDLE.as_posix()}/")  # it is in no commit
            return
        words = f"the extension for Owlbear Rodeo is not in what is built here: {why}"
        if os.environ.get("RALLYPOINT_EXTENSION") == "required":
            raise SystemExit(words)
        print(f"rallypoint: {words}; `rallypoint owlbear serve` needs it", file=sys.stderr, flush=True)


def _build(extension: Path) -> str | None:
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        return "neither is it built already nor is there npm to build it"
    for command in (("ci", "--no-audit", "--no-fund", "--silent"), ("run", "--silent", "build")):
        done = subprocess.run([npm, *command], cwd=extension, stdout=sys.stderr, check=False)
        if done.returncode:
            return f"npm {command[0]} failed"
    return None
