"""Limits for documents that anybody may have written: how deep tables lie in tables, how large numbers are.

What is deeper or larger is no mistake that somebody makes by hand; it would end readers and writers with errors of their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["DEEPEST", "MOST_BITS", "deep_key_line", "too_much"]

DEEPEST = 40
"""So many tables and lists may lie in each other."""

MOST_BITS = 1024
"""A whole number may have so many: more than 300 digits."""

_PART = r"(?:[A-Za-z0-9_-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+"
_DEEP_KEY = re.compile(rf"(?<![A-Za-z0-9_-]){_PART}(?:\.[ \t]*+{_PART}){{{DEEPEST},}}")


def deep_key_line(text: str) -> int | None:
    r"""Return the line, from 1, where a TOML document has a key of more than :data:`DEEPEST` parts; ``None``: nowhere.

    A reader of TOML takes time with the square of the parts, so this is asked before.

    >>> deep_key_line("a = 1\n" + ".".join("a" * 99) + " = 1"), deep_key_line("a.b.c = 1")
    (2, None)
    """
    found = _DEEP_KEY.search(text)
    return None if found is None else text.count("\n", 0, found.start()) + 1


def too_much(document: object) -> str | None:
    """Return what of a document is too deep or too large, in words; ``None`` where all is well.

    >>> too_much([[{"a": 1}]])
    >>> too_much({"a": 16**400})
    'a number of hundreds of digits'
    """
    level: list[object] = [document]
    for _ in range(DEEPEST + 1):
        below: list[object] = []
        for each in level:
            if isinstance(each, Mapping):
                below += each.values()
            elif isinstance(each, (list, tuple)):
                below += each
            elif isinstance(each, int) and each.bit_length() > MOST_BITS:
                return "a number of hundreds of digits"
        if not below:
            return None
        level = below
    return f"more than {DEEPEST} tables and lists in each other"
