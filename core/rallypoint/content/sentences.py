"""Sentences of descriptions that a game knows, kept as a digest of their words and not as sentences.

What a sentence means is a list of traits; where it has numbers, ``{0}`` in a trait stands for the first of them. References
to rules (``(See Rule 5)``), links, capitals and marks do not count.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from typing import NamedTuple

from rallypoint.kernel.errors import InputError

__all__ = ["Sentence", "read_sentences", "traits_of", "words_of"]

_REFERENCE = re.compile(r"\(\s*see\b(?:[^()]|\([^()]*\))*\)?|\bsee\s*\((?:[^()]|\([^()]*\))*\)?", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")


class Sentence(NamedTuple):
    """The words of a sentence that count, numbers as ``#``, and the numbers."""

    words: tuple[str, ...]
    numbers: tuple[str, ...]

    @property
    def digest(self) -> str:
        """What the words are kept as."""
        return hashlib.sha256(" ".join(self.words).encode()).hexdigest()[:20]


def words_of(text: str) -> Sentence:
    """Return what counts of a sentence.

    >>> words_of("Needs 3 turns, at least (See Rule 7)")
    Sentence(words=('needs', '#', 'turns', 'at', 'least'), numbers=('3',))
    """
    plain = _REFERENCE.sub(" ", text.replace("\u2019", "").replace("'", ""))
    words = [word.casefold() for word in _WORD.findall(plain)]
    numbers = tuple([word for word in words if word.isdecimal()])
    return Sentence(tuple(["#" if word.isdecimal() else word for word in words]), numbers)


def traits_of(text: str, known: Mapping[str, tuple[str, ...]]) -> tuple[str, ...] | None:
    """Return the traits that a sentence gives, or ``None`` where nobody knows it.

    >>> known = {words_of("Needs 3 turns").digest: ("recharge({0})",)}
    >>> traits_of("needs 2 turns", known), traits_of("needs turns", known)
    (('recharge(2)',), None)
    """
    sentence = words_of(text)
    traits = known.get(sentence.digest)
    return None if traits is None else tuple([trait.format(*sentence.numbers) for trait in traits])


def read_sentences(text: str, path: str) -> Mapping[str, tuple[str, ...]]:
    """Return the table of known sentences: traits by digest.

    Raises:
        InputError: an entry is no list of texts.
    """
    found: dict[str, tuple[str, ...]] = {}
    for digest, traits in tomllib.loads(text).items():
        if not isinstance(traits, list) or not all(isinstance(trait, str) for trait in traits):
            raise InputError("this is no list of traits", path=path, found=digest)
        found[digest] = tuple(traits)
    return found
