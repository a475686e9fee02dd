"""Pictures that the server holds in memory for a while, until the page has fetched them."""

from __future__ import annotations

import hashlib
import threading

from .pictures import measured

__all__ = ["FOLDER", "MOST_BYTES", "KeptPictures"]

FOLDER = "kept"
"""Under ``/pictures/``."""
MOST_BYTES = 32_000_000
"""Of all together; the oldest go."""


class KeptPictures:
    """The pictures, each under a name that follows from what it shows."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[str, bytes]] = {}
        self._lock = threading.Lock()

    def keep(self, content: bytes) -> str | None:
        """Hold a picture and return its name; ``None`` for what is none."""
        size = measured(content)
        if size is None or len(content) > MOST_BYTES:
            return None
        name = f"{hashlib.sha256(content).hexdigest()[:32]}{size.ending}"
        with self._lock:
            self._held.pop(name, None)
            self._held[name] = (size.mime, content)
            while sum(len(each) for _, each in self._held.values()) > MOST_BYTES:
                del self._held[next(iter(self._held))]
        return name

    def get(self, name: str) -> tuple[str, bytes] | None:
        """Return kind and content of a picture by its name, and nothing else's."""
        return self._held.get(name)
