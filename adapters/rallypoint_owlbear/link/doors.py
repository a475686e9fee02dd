"""Who comes in: the pairing code and its tokens, the key of our own commands, hosts and origins, how much and how often."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from .wire import WireError

__all__ = ["OWLBEAR", "TRIES", "Doors", "Rate"]

OWLBEAR = "https://www.owlbear.rodeo"
"""The only site that may put our pages into a frame."""
TRIES = 5
"""Wrong codes until there is a new one."""
_MOST_TOKENS = 32


class Rate:
    """So many calls at once, and so many a second."""

    def __init__(self, burst: int, a_second: float, now: Callable[[], float]) -> None:
        self.left, self.burst, self.a_second, self._now = float(burst), burst, a_second, now
        self._seen = now()

    def take(self, number: int = 1) -> None:
        """Take one; with ``number`` 0 see that one could be taken.

        Raises:
            WireError: there is none left for now.
        """
        now = self._now()
        self.left = min(self.burst, self.left + (now - self._seen) * self.a_second)
        self._seen = now
        if self.left < 1:
            raise WireError(429, "rate", "too many requests: wait a second")
        self.left -= number


class _Known(NamedTuple):
    """A token that was given out; of the token itself nothing is kept."""

    digest: bytes
    rate: Rate


class Doors:
    """The doors of one server.

    Args:
        port: where it is.
        frames: the sites that may put our pages into a frame.
        show_code: is told a new pairing code.
        now: the present moment.
        secure: whether it is reached by https.
    """

    def __init__(
        self,
        port: int,
        frames: tuple[str, ...] = (OWLBEAR,),
        show_code: Callable[[str], None] = lambda _code: None,
        now: Callable[[], float] = time.monotonic,
        *,
        secure: bool = False,
    ) -> None:
        self.port, self.frames, self.secure = port, frames, secure
        self.desk_key = secrets.token_urlsafe(32)
        self.code = ""
        self._show_code, self._now = show_code, now
        self._wrong = 0
        self._tokens: list[_Known] = []
        self._pairing = Rate(10, 1.0, now)
        self._new_code()

    def _new_code(self) -> None:
        self.code, self._wrong = f"{secrets.randbelow(10**6):06d}", 0
        self._show_code(f"{self.code[:3]} {self.code[3:]}")

    @property
    def origin(self) -> str:
        """Our own origin."""
        return f"{'https' if self.secure else 'http'}://localhost:{self.port}"

    def check_host(self, headers: Mapping[str, str]) -> None:
        """Refuse a request under another name: somebody lets a name of theirs point to this machine.

        Raises:
            WireError: it is another name.
        """
        if headers.get("host", "").lower() != f"localhost:{self.port}":
            raise WireError(403, "host", f"this server is called localhost:{self.port}")

    def check_origin(self, headers: Mapping[str, str]) -> None:
        """Refuse a request that a page of another site makes.

        Raises:
            WireError: it is from another site.
        """
        if headers.get("origin", self.origin) != self.origin:
            raise WireError(403, "origin", "only our own pages may ask this")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise WireError(403, "origin", "only our own pages may ask this")

    def pair(self, said: object) -> str:
        """Return a token for the right code.

        Raises:
            WireError: it is the wrong one, or there were too many.
        """
        self._pairing.take(0)
        code = "".join(each for each in said if each.isdecimal()) if isinstance(said, str) else ""
        if not hmac.compare_digest(code.encode(), self.code.encode()):
            self._pairing.take()
            self._wrong += 1
            if self._wrong >= TRIES:
                self._new_code()
            raise WireError(403, "code", "this is not the code that the terminal shows")
        self._wrong = 0
        token = secrets.token_urlsafe(32)
        self._tokens = [*self._tokens, _Known(_digest(token), Rate(100, 100.0, self._now))][-_MOST_TOKENS:]
        return token

    def check_token(self, headers: Mapping[str, str]) -> None:
        """Refuse a request without a token of this run.

        Raises:
            WireError: there is none, it is an old one, or it is used too often.
        """
        digest = _digest(_bearer(headers))
        for known in self._tokens:
            if hmac.compare_digest(known.digest, digest):
                known.rate.take()
                return
        raise WireError(401, "token", "pair first: type the code that the terminal shows")

    def check_desk(self, headers: Mapping[str, str]) -> None:
        """Refuse a request that is not of a command of this user.

        Raises:
            WireError: it is none.
        """
        if "origin" in headers or "sec-fetch-site" in headers:
            raise WireError(403, "origin", "no page may ask this")
        if not hmac.compare_digest(_digest(_bearer(headers)), _digest(self.desk_key)):
            raise WireError(401, "token", "this is for the commands of whoever started the server")


def _bearer(headers: Mapping[str, str]) -> str:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
