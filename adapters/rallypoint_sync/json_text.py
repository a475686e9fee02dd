"""JSON of other programs, read so that all of it can be written again."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

__all__ = ["parsed", "whole_signs"]

_HALF = re.compile("[\ud800-\udfff]")
_ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def parsed(text: str) -> Any:
    r"""Return what JSON says; where a text in it has half a sign, which no UTF-8 can say, it has U+FFFD.

    >>> parsed(r'["\ud83d", "\ud83d\ude00"]') == ["\ufffd", "\U0001f600"]
    True

    Raises:
        ValueError: it is no JSON, or has a number that is none.
        RecursionError: too much is in each other.
    """
    found = _loaded(text)
    # A pair of escapes is one sign by now, so only what is half is changed.
    return _loaded(whole_signs(json.dumps(found, ensure_ascii=False))) if _ESCAPED_HALF.search(text) else found


def whole_signs(text: str) -> str:
    """Return a text with U+FFFD in place of each half of a sign."""
    return _HALF.sub("\ufffd", text)


def _loaded(text: str) -> Any:
    return json.loads(text, parse_constant=_no_number, parse_float=_number)


def _number(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number of JSON")
