"""The words that are drawn in a PDF."""

from __future__ import annotations

import re
import zlib


def drawn_words(pdf: bytes) -> str:
    """Return the words of a PDF with blanks between the pieces in which they are drawn."""
    streams = re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL)
    drawn = b"".join(_inflated(stream) for stream in streams).decode("latin-1")
    return " ".join(re.findall(r"\((.*?)(?<!\\)\) ?Tj", drawn, re.DOTALL)).replace("\\", "")


def _inflated(stream: bytes) -> bytes:
    try:
        return zlib.decompress(stream.strip(b"\r\n"))
    except zlib.error:
        return b""
