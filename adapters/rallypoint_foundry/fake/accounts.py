"""Keys of the fake relay: made by an owner or by consent (device flow), with scopes, a rate, and worlds they are bound to."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple, cast

from .answers import Answer, Call, refusal, said
from .routes import SCOPES, body_of

__all__ = ["SESSION", "Accounts", "Key"]

SESSION = "session-of-the-owner"
"""The session token of the one account that can be used over HTTP; others are made by calls."""


class Key:
    """A scoped key.

    Args:
        secret: what goes into ``x-api-key``.
        scopes: what it may do.
        account: whose it is; the key of one account does not open the worlds of another.
        clients: the worlds that it is bound to, none for all of the account.
    """

    def __init__(self, secret: str, scopes: Sequence[str], account: str = "owner", clients: Sequence[str] = ()) -> None:
        self.secret, self.scopes = secret, frozenset(scopes)
        self.account, self.clients = account, tuple(clients)
        self.enabled, self.expired = True, False
        self.tokens, self.refilled = 0.0, 0.0


class Asked(NamedTuple):
    """A key that somebody asked for; ``secret`` once it is approved, ``fetched`` once it was told."""

    scopes: tuple[str, ...]
    state: str = "pending"
    secret: str = ""


class Accounts:
    """The keys of a relay, and the requests for keys that wait for consent.

    ``approves`` makes every request for a key approved at once, as a person would who sits beside.
    """

    def __init__(self, *, approves: bool = False) -> None:
        self.keys: dict[str, Key] = {}
        self.asked: dict[str, Asked] = {}
        self.approves = approves
        self.base = "http://127.0.0.1:3010"
        self._made = 0

    def _secret(self, what: str) -> str:
        self._made += 1
        return hashlib.sha256(f"fake {what} {self._made}".encode()).hexdigest()

    def add_key(
        self,
        scopes: Sequence[str] | None = None,
        *,
        secret: str | None = None,
        account: str = "owner",
        clients: Sequence[str] = (),
    ) -> Key:
        """Make a key, of all scopes unless said otherwise."""
        key = Key(secret or self._secret("key"), sorted(SCOPES) if scopes is None else scopes, account, clients)
        self.keys[key.secret] = key
        return key

    # --- the device flow

    def approve(self, code: str, scopes: Sequence[str] | None = None) -> Key:
        """Approve a request for a key as its owner does, maybe for fewer scopes."""
        asked = self.asked[code]
        key = self.add_key(asked.scopes if scopes is None else scopes)
        self.asked[code] = Asked(tuple(scopes or asked.scopes), "approved", key.secret)
        return key

    def decide(self, code: str, state: str) -> None:
        """Let a request be ``denied`` or ``expired``."""
        self.asked[code] = self.asked[code]._replace(state=state)

    def answer(self, call: Call) -> Answer | None:
        """Return the answer to a call under ``/auth``, ``None`` for a path that the fake does not play."""
        parts = call.path.strip("/").split("/")
        if (call.method, call.path) == ("POST", "/auth/key-request"):
            return self._ask(call)
        if parts[:2] == ["auth", "key-request"] and len(parts) == 4:
            if parts[2] not in self.asked:
                return refusal(404, "Key request not found")
            if (call.method, parts[3]) == ("GET", "status"):
                return self._status(parts[2])
            if (call.method, parts[3]) == ("POST", "approve"):
                return self._owner(call) or self._approved(parts[2])
        if (call.method, call.path) == ("POST", "/auth/api-keys"):
            return self._owner(call) or self._create(call)
        return None

    def _owner(self, call: Call) -> Answer | None:
        if call.headers.get("authorization") == f"Bearer {SESSION}":
            return None
        return refusal(401, "Invalid or expired session. Please log in again.")

    def _ask(self, call: Call) -> Answer:
        scopes = _scopes(body_of(call).get("scopes"))
        if isinstance(scopes, Answer):
            return scopes
        code = self._secret("code")[:6].upper()
        self.asked[code] = Asked(scopes)
        if self.approves:
            self.approve(code)
        return said(201, {"code": code, "approvalUrl": f"{self.base}/approve/{code}", "expiresIn": 600})

    def _status(self, code: str) -> Answer:
        asked = self.asked[code]
        if asked.state == "pending":
            return said(200, {"status": "pending"})
        if asked.state in ("denied", "expired"):
            return said(410, {"status": asked.state})
        if asked.state == "exchanged":
            return said(200, {"status": "exchanged", "message": "API key has already been retrieved"})
        self.asked[code] = asked._replace(state="exchanged")
        return said(
            200, {"status": "approved", "apiKey": asked.secret, "scopes": list(asked.scopes), "clientIds": None}
        )

    def _approved(self, code: str) -> Answer:
        key = self.approve(code)
        return said(200, {"success": True, "keyId": len(self.keys), "scopes": sorted(key.scopes)})

    def _create(self, call: Call) -> Answer:
        body = body_of(call)
        scopes = _scopes(body.get("scopes"))
        if isinstance(scopes, Answer):
            return scopes
        clients = cast("list[str]", body.get("scopedClientIds") or [])
        key = self.add_key(scopes, clients=clients)
        limit = body.get("monthlyLimit")  # read when it is a text of digits, and kept; the fake does not count months
        return said(
            201,
            {
                "id": len(self.keys),
                "key": key.secret,
                "name": body.get("name"),
                "scopes": list(scopes),
                "enabled": True,
                "expiresAt": None,
                "monthlyLimit": int(limit) if isinstance(limit, str) and limit.isdigit() else 0,
                "scopedClientId": "",
                "scopedClientIds": clients or None,
                "scopedUserId": "",
                "scopedUserIds": None,
            },
        )


def _scopes(wanted: object) -> tuple[str, ...] | Answer:
    if not isinstance(wanted, list) or not wanted:
        return refusal(400, "At least one scope is required")
    for scope in wanted:
        if scope not in SCOPES:
            return refusal(400, f"Invalid scope: {scope}")
    return tuple(wanted)
