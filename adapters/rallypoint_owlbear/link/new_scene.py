"""A scene of its own for an encounter, for the GM's library: a grid of hexes, the map of the export, all tokens."""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ..items import DPI
from ..map_file import PIXELS
from ..trackers import Json
from .pictures import Measured, Picture, measured

__all__ = ["GRID", "NEW_PLACES", "MapPicture", "map_beside"]

GRID: Json = {"dpi": DPI, "type": "HEX_VERTICAL", "scale": "2in", "measurement": "CHEBYSHEV"}
"""The grid of a new scene: hexes that stand on a corner, 2 inches apart as on a table."""
NEW_PLACES = (float(DPI), 0.0, -DPI / (2 * math.sqrt(3)))
"""The width of its hexes, and the point of hex (0, 0): half a side above the world's zero."""

MAP_FILE = "map.dd2vtt"


class MapPicture(NamedTuple):
    """The picture of a map, as its file has it."""

    content: bytes
    size: Measured

    def at(self, url: str, name: str) -> Picture:
        """Return it as a picture of the room; the pixel that lies on the world's zero is half a side below the first hex."""
        side = PIXELS / math.sqrt(3)
        offset = (PIXELS / 2, round(1.5 * side, 3))
        return Picture(url, name, self.size.mime, self.size.width, self.size.height, PIXELS, offset)


def map_beside(export: Path) -> MapPicture | None:
    """Return the picture of the map that lies beside an export; ``None`` where there is none that can be read."""
    try:
        document = json.loads(export.with_name(MAP_FILE).read_text(encoding="utf-8"))
        image = document.get("image") if isinstance(document, Mapping) else None
        content = base64.b64decode(image, validate=True) if isinstance(image, str) else b""
    except (OSError, ValueError, RecursionError, binascii.Error):
        return None
    size = measured(content)
    return None if size is None else MapPicture(content, size)
