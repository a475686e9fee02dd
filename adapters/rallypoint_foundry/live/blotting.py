"""Blotting: a key does not come back in what others say. A relay or a proxy may quote the header that carried it.

Everything that a wire brings passes here before anything of ours reads it, so no message, ledger or log can hold the key.
"""

from __future__ import annotations

import base64
import html
import urllib.parse
from collections.abc import Iterator
from functools import lru_cache

from .wire import Secret, Told

__all__ = ["Blotter"]

STARS = b"***"

_BLOCK = 6
_LONG = 2 * _BLOCK
"""So many signs of a key in a row are a part that nobody else would say: a piece as long holds a whole block of the key."""


class Blotter:
    """Takes a key out of what others say: whole or a long part of it, in any case, as it is, escaped, or in base64.

    >>> Blotter(Secret("0123456789abcdef")).text("no key 0123456789ABCDEF, nor 3456789abcde, but 0123")
    'no key ***, nor ***, but 0123'
    """

    def __init__(self, key: Secret | None) -> None:
        self._forms = () if key is None else _forms(key.reveal())

    def content(self, content: bytes) -> bytes:
        """Return a body without the key."""
        lower = content.lower()
        spans = sorted(span for form in self._forms for span in _found(lower, form))
        if not spans:
            return content
        parts, at = [], 0
        for begin, end in spans:
            if begin >= at:
                parts += [content[at:begin], STARS]
            at = max(at, end)
        return b"".join([*parts, content[at:]])

    def text(self, text: str) -> str:
        """Return a text without the key."""
        return self.content(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")

    def told(self, told: Told) -> Told:
        """Return an answer without the key, in its body, its header and the lines that are still to come."""
        if not self._forms:
            return told
        lines = (self.text(line) for line in told.lines)
        return Told(told.status, self.text(told.kind), self.content(told.content), lines)


@lru_cache(maxsize=8)
def _forms(key: str) -> tuple[bytes, ...]:
    """Return what a key looks like where others quote it, in lower case."""
    found = {key, urllib.parse.quote(key, safe=""), urllib.parse.quote_plus(key), html.escape(key)}
    found |= {key.replace("/", "\\/"), "".join(sign if sign.isalnum() else f"\\u{ord(sign):04x}" for sign in key)}
    for before in range(3):  # it may stand anywhere in what was encoded: behind a name and a colon
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            whole = encode(b" " * before + key.encode()).decode().rstrip("=")
            partly = (before + len(key)) % 3 != 0  # the last sign says something of what follows too
            found.add(whole[(0, 2, 3)[before] : len(whole) - partly])
    return tuple(sorted({form.lower().encode() for form in found if form}))


def _found(text: bytes, form: bytes) -> Iterator[tuple[int, int]]:
    """Yield where a form stands in a text, or a long part of it: whole blocks are looked for, and then what is around them."""
    least = min(_LONG, len(form))
    size = min(_BLOCK, len(form))
    for offset in range(0, len(form) - size + 1, size):
        at = text.find(form[offset : offset + size])
        while at >= 0:
            begin, end = at, at + size
            before, after = offset, offset + size
            while before and begin and text[begin - 1] == form[before - 1]:
                begin, before = begin - 1, before - 1
            while after < len(form) and end < len(text) and text[end] == form[after]:
                end, after = end + 1, after + 1
            if end - begin >= least:
                yield begin, end
            at = text.find(form[offset : offset + size], at + 1)
