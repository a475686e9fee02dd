"""Files that are served: of one folder, of known kinds, and no other."""

from __future__ import annotations

from pathlib import Path

__all__ = ["file_in"]

_KINDS = frozenset(
    {".avif", ".css", ".gif", ".html", ".jpeg", ".jpg", ".js", ".json", ".png", ".svg", ".webp", ".woff2"}
)


def file_in(folder: Path, name: str) -> Path | None:
    """Return the file of a folder that a path of a URL names; ``None``: there is none, or it is not in the folder.

    >>> file_in(Path("."), "../secret.json") is None
    True
    """
    steps = name.split("/")
    # What one system takes for a step another takes for a name: neither is a file of ours.
    if any(step in ("", ".", "..") or step.startswith(".") or set(step) & set("\\:\0") for step in steps):
        return None
    try:
        root = folder.resolve()
        found = root.joinpath(*steps).resolve()
        is_file = found.is_file()
    except (OSError, ValueError):
        return None
    if not is_file or found.suffix.lower() not in _KINDS or not found.is_relative_to(root):
        return None
    return found
