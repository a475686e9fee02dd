"""What goes over the wire: a call as it came in, an answer as it goes out, and those that the relay always words alike."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["NOT_FOUND", "Answer", "Call", "Forward", "from_module", "html_not_found", "no_method", "refusal", "said"]


class Call(NamedTuple):
    """One HTTP request: query and headers with the last of equal names, header names in lower case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes = b""


class Answer(NamedTuple):
    """One HTTP answer; ``delay`` are the seconds after which it comes, infinite for never."""

    status: int
    body: bytes
    kind: str | None = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    delay: float = 0.0


class Forward(NamedTuple):
    """A message that the relay sends to a world, and how many seconds it waits for the answer."""

    client: str
    message: dict[str, object]
    timeout: float


def said(status: int, body: Mapping[str, object], delay: float = 0.0) -> Answer:
    """Return an answer in the relay's own words: keys in order, a line break at the end, ``&`` spelt out."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    for sign in "&<>":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Answer(status, f"{text}\n".encode(), delay=delay)


def refusal(status: int, error: str, delay: float = 0.0, **others: object) -> Answer:
    """Return the relay's refusal.

    >>> json.loads(refusal(408, "Request timed out").body)
    {'error': 'Request timed out'}
    """
    return said(status, {"error": error, **others}, delay)


def from_module(body: Mapping[str, object]) -> Answer:
    """Return the module's own message: 400 if there is an ``error`` in it, whatever it is."""
    return Answer(400 if "error" in body else 200, json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode())


def no_method(allowed: str) -> Answer:
    """Return the answer to a method that the path does not know."""
    return Answer(405, b"", None, (("allow", allowed),))


NOT_FOUND = Answer(404, b"404 page not found\n", "text/plain; charset=utf-8")


def html_not_found(method: str, path: str) -> Answer:
    """Return what relay 2.x and many a proxy say to a path that they do not know."""
    page = f"<!DOCTYPE html>\n<html><head><title>Error</title></head><body><pre>Cannot {method} {path}</pre></body></html>\n"
    return Answer(404, page.encode(), "text/html; charset=utf-8")
