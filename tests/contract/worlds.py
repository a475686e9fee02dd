"""The worlds that the contract suite runs in; an adapter adds its own here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .files_world import FilesWorld
from .foundry_world import FoundryWorld
from .owlbear_world import OwlbearWorld
from .world import Memory, World

WORLDS: dict[str, Callable[[Path], World]] = {
    "memory": lambda _folder: Memory(),
    "files": FilesWorld,
    "foundry": FoundryWorld,
    "owlbear": OwlbearWorld,
}
