"""Document ids: 16 letters and digits, derived, so that they are the same on every run."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from rallypoint.kernel.canonical import canonical

__all__ = ["ID", "derived_roll", "document_id", "slug"]

ID = re.compile(r"[A-Za-z0-9]{16}", re.ASCII)
"""What Foundry accepts as an ``_id``; use ``fullmatch``."""

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def _number(*parts: str) -> int:
    # The canonical text keeps ("ab", "c") and ("a", "bc") apart.
    return int.from_bytes(hashlib.sha256(canonical(parts).encode("utf-8", "surrogatepass")).digest(), "big")


def document_id(*parts: str) -> str:
    """Return the id for what ``parts`` name: encounter, side, uid and kind, or parent, kind and occurrence.

    The 256 bits of SHA-256 are taken modulo 62**16 (about 2**95), so no id is likelier than another by more than one
    part in 2**160, and two among a million meet once in 10**17 exports.

    >>> document_id("demo", "red", "red/1/A", "actor")
    'OTUvXmEqRV3srGLt'
    """
    number = _number(*parts)
    letters = []
    for _ in range(16):
        number, digit = divmod(number, 62)
        letters.append(_ALPHABET[digit])
    return "".join(letters)


def derived_roll(dice: int, sides: int, plus: int, *seed: str) -> int:
    """Return ``dice`` d ``sides`` + ``plus``, always the same for one ``seed``.

    For numbers that a conversion has to roll and that must not change when the same force is exported again.
    ``dice`` is 1 to 10, ``sides`` 2 to 100.

    >>> derived_roll(2, 10, 10, "loyalty", "demo", "red/1/A") == derived_roll(2, 10, 10, "loyalty", "demo", "red/1/A")
    True
    """
    number = _number(*seed)
    total = plus
    for _ in range(dice):
        number, face = divmod(number, sides)
        total += face + 1
    return total


def slug(name: str) -> str:
    """Return the name as it goes into a file name: lower-case ASCII, at most 40 characters, maybe empty.

    >>> slug("O'Neil "), slug("Żółw-1"), slug("狐 🦊")
    ('o-neil', 'zow-1', '')
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii").lower()
    words = "".join(letter if letter.isalnum() else " " for letter in plain.replace("'", " ")).split()
    return "-".join(words)[:40].strip("-")
