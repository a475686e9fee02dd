"""The wire: one method that carries a call to a relay. httpx is behind it; another client or a test's double fits as well."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol
from urllib.parse import urlencode

from rallypoint_sync.json_text import parsed, whole_signs
from rallypoint_sync.transport import UnreachableError

if TYPE_CHECKING:  # imported when a wire is made: help and lists do without
    import httpx

__all__ = [
    "CONNECT",
    "QUICK",
    "SLOW",
    "STREAM",
    "Asked",
    "HttpxWire",
    "LostError",
    "NotSentError",
    "Secret",
    "Told",
    "Wire",
    "json_of",
]

QUICK, SLOW, STREAM = 15.0, 40.0, 45.0
"""Seconds to wait for an answer: above the relay's 10 and 30, and above three signs of life of a stream."""

CONNECT = 5.0
"""Seconds to wait for a connection."""


class Secret:
    """A key that shows itself nowhere: what prints it prints stars.

    >>> Secret("0123")
    Secret(***)
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return "Secret(***)"

    __str__ = __repr__

    def reveal(self) -> str:
        """Return the key, for the header and the key store alone."""
        return self._text


class Asked(NamedTuple):
    """One call: ``body`` is sent as JSON, ``patience`` are the seconds to wait for an answer, ``stream`` says that it goes on."""

    method: str
    path: str
    query: Mapping[str, str]
    body: object = None
    patience: float = QUICK
    key: Secret | None = None
    stream: bool = False


class Told(NamedTuple):
    """An answer; ``lines`` are those of a stream, and empty otherwise."""

    status: int
    kind: str
    content: bytes
    lines: Iterator[str]


class NotSentError(Exception):
    """Nobody was reached: nothing was done."""


class LostError(Exception):
    """It was sent, and no answer came."""


class Wire(Protocol):
    """Carries calls."""

    def send(self, asked: Asked) -> Told:
        """Return the answer, whatever its status; a redirection is not followed.

        Raises:
            NotSentError: nobody was reached.
            LostError: no answer came, or not all of it; the lines of a stream raise it too, when it breaks off.
        """


class HttpxWire:
    """The wire over httpx, with one connection that is kept open.

    Args:
        base: the relay's address, with a path where a proxy gives it one.
        transport: httpx's own way out; the network without it.

    Raises:
        UnreachableError: httpx is not installed, or this is no address.
    """

    def __init__(self, base: str, transport: httpx.BaseTransport | None = None) -> None:
        try:
            import httpx
        except ImportError:
            hint = "install it with: pip install 'rallypoint[live]'"
            raise UnreachableError(
                "the live commands need an extra part of Rallypoint", code="extra_missing", hint=hint
            ) from None
        self._httpx = httpx
        self.base = base.rstrip("/")
        try:
            address = httpx.URL(self.base)
        except (httpx.InvalidURL, TypeError):
            address = httpx.URL("")
        if address.scheme not in ("http", "https") or not address.host or address.userinfo:
            expected = "http://host:port, maybe with a path, and without a name or key in it"
            hint = "the relay's page shows its address; a relay on this machine is http://localhost:3010"
            raise UnreachableError(
                "this is no address of a relay",
                code="no_address",
                found=address.host or "?",
                expected=expected,
                hint=hint,
            )
        self._timeouts: dict[float, httpx.Timeout] = {}
        # No key among the client's own headers: what shows a client shows those.
        self._client = httpx.Client(transport=transport, follow_redirects=False, trust_env=transport is None)

    def __repr__(self) -> str:
        return f"HttpxWire({self.base!r})"

    def close(self) -> None:
        """Let go of the connection."""
        self._client.close()

    def send(self, asked: Asked) -> Told:
        """Return the answer."""
        httpx = self._httpx
        headers = {} if asked.key is None else {"x-api-key": asked.key.reveal()}
        if asked.stream:  # its connection is for nothing else, and another thread may let go of it at any moment
            headers["connection"] = "close"
        # httpx would parse the address twice to put the query into it.
        query = f"?{urlencode(asked.query)}" if asked.query else ""
        timeout = self._timeouts.get(asked.patience) or httpx.Timeout(asked.patience, connect=CONNECT)
        self._timeouts[asked.patience] = timeout
        request = self._client.build_request(
            asked.method, f"{self.base}{asked.path}{query}", json=asked.body, headers=headers, timeout=timeout
        )
        try:
            response = self._client.send(request, stream=asked.stream)
            if asked.stream and response.status_code != 200:
                response.read()
        except (
            httpx.ConnectError,
            httpx.ConnectTimeout,
            httpx.PoolTimeout,
            httpx.UnsupportedProtocol,
            httpx.InvalidURL,
        ) as error:
            raise NotSentError(_said(error)) from None
        except httpx.HTTPError as error:
            raise LostError(_said(error)) from None
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if asked.stream and response.status_code == 200:
            return Told(200, kind, b"", self._lines(response))
        return Told(response.status_code, kind, response.content, iter(()))

    def _lines(self, response: httpx.Response) -> Iterator[str]:
        with contextlib.closing(response):
            try:
                yield from response.iter_lines()
            except (self._httpx.HTTPError, self._httpx.StreamError, OSError) as error:
                raise LostError(_said(error)) from None


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".removesuffix(": ")[:200]


def json_of(content: bytes) -> object:
    """Return what a body says as JSON, half a sign as U+FFFD; ``None`` where it is none.

    >>> json_of(b'{"total": 0}'), json_of(b"<html>")
    ({'total': 0}, None)
    """
    try:
        text = content.decode(json.detect_encoding(content), "surrogatepass")
        found: object = parsed(whole_signs(text))
    except (ValueError, RecursionError):
        return None
    return found
