"""What a relay's answers mean: which failure each status and text is, in words that say what to do."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rallypoint_sync.transport import DoubtfulError, RefusedError, TransportError, UnreachableError

from .wire import Told, json_of

__all__ = ["NOT_THERE", "WHAT_TO_DO", "failure_of", "text_of"]

NOT_THERE = "not_there"
"""The code of a refusal that says that there is no such document."""

WHAT_TO_DO = "open the world in a browser as Gamemaster, with the REST API module on; nothing is lost"
"""What helps a world that is asleep."""

_NOTHING_TO_CHANGE = re.compile(r"Cannot read properties of null \(reading '(uuid|name)'\)")
_NO_SUCH = re.compile(
    r"(Entity not found|No entities found to modify|Document not found|Token not found|Scene not found)", re.IGNORECASE
)
_MOST = 200  # characters of another's text


def text_of(told: Told) -> str:
    """Return what an answer says, in one short line: the ``error`` of JSON, else what kind of body it is."""
    body = json_of(told.content)
    text = body.get("error") if isinstance(body, Mapping) else None
    if isinstance(text, str) and text.strip():
        return " ".join(text.split())[:_MOST]
    return f"status {told.status} with {told.kind or 'no'} body"


def failure_of(told: Told, where: str) -> TransportError:
    """Return the failure that an answer is, for every answer but a success.

    Args:
        told: the answer.
        where: the document, or the path of the call.
    """
    text = text_of(told)
    json = told.kind == "application/json"
    if 300 <= told.status < 400:
        hint = "give the relay's own address; the key is not sent anywhere else"
        return UnreachableError("the relay sends us to another address", code="redirected", where=where, hint=hint)
    if told.status == 400 and json:
        return _refused(text, where)
    if told.status in (401, 403):
        return _not_let_in(told.status, text, where)
    if told.status == 404 and json:
        return _asleep(text, where)
    if told.status == 404:
        hint = "check the address with rallypoint foundry connect; relay 2.x lacks this path"
        return UnreachableError(
            "there is no such path at this address", code="no_such_path", where=where, found=text, hint=hint
        )
    if told.status == 413:
        hint = "raise the limit for a body at the relay, or at the proxy before it"
        what = "this is more than the relay takes at once"
        return RefusedError(what, code="too_large", where=where, found=text, hint=hint)
    if told.status == 429:
        return _too_many(text, where)
    if told.status == 500 and json:
        return UnreachableError(
            "the connection to the world broke off; it was not sent",
            code="not_sent",
            where=where,
            found=text,
            hint="try again; if it stays so, reload the Gamemaster's browser",
            passing=True,
        )
    if told.status == 503 and json:
        return UnreachableError(
            "the relay is being looked after",
            code="maintenance",
            where=where,
            found=text,
            hint="wait until it is open again",
            passing=True,
        )
    if told.status == 405:
        hint = "is it the relay itself, and is it 3.4 or later? rallypoint foundry connect tells its version"
        return RefusedError(
            "the relay does not take this call", code="wrong_method", where=where, found=text, hint=hint
        )
    # 408, 502, 504 and everything else that somebody in between may say: it may have been done.
    passing = told.status == 408 or told.status >= 500
    return DoubtfulError("no answer from the world", code="no_answer", where=where, found=text, passing=passing)


def _refused(text: str, where: str) -> TransportError:
    if "Multiple clients connected" in text:
        hint = "rallypoint foundry connect --world chooses one"
        return UnreachableError("several worlds are online", code="many_worlds", where=where, hint=hint)
    if _NOTHING_TO_CHANGE.search(text) or _NO_SUCH.match(text):
        return RefusedError("there is no such document in the world", code=NOT_THERE, where=where, found=text)
    if "permission" in text or "must be a GM" in text:
        hint = "the key is tied to a user who may not change it"
        return RefusedError(
            "Foundry does not let this key do that", code="no_permission", where=where, found=text, hint=hint
        )
    hint = "look at what it says; the log of the relay, and the console of the Gamemaster's browser, may say more"
    return RefusedError("the world said no", code="refused", where=where, found=text, hint=hint)


def _not_let_in(status: int, text: str, where: str) -> UnreachableError:
    scope = re.search(r"lacks required scope: ([\w:-]+)", text)
    if scope is not None:
        hint = f"give the key {scope[1]} on the relay's page, or ask for a new one: rallypoint foundry connect --ask"
        return UnreachableError("the key lacks a scope", code="scope_missing", where=where, found=scope[1], hint=hint)
    if "not authorized for this client" in text or "for this client ID" in text:
        hint = "take the key of the account whose world this is"
        return UnreachableError("the key is not for this world", code="other_world", where=where, found=text, hint=hint)
    if status == 401:
        hint = "set RALLYPOINT_FOUNDRY_KEY to a scoped key, or ask for a new one: rallypoint foundry connect --ask"
        return UnreachableError(
            "the relay does not take this key", code="key_refused", where=where, found=text, hint=hint
        )
    hint = "log in on the relay's page with the account of this key: it says what is wrong there"
    return UnreachableError("the relay does not let us in", code="not_let_in", where=where, found=text, hint=hint)


def _asleep(text: str, where: str) -> UnreachableError:
    if text in ("Invalid client ID", "No connected Foundry clients found") or "No Foundry client" in text:
        return UnreachableError(
            "the world is asleep", code="world_asleep", where=where, found=text, hint=WHAT_TO_DO, passing=True
        )
    hint = "which versions have relay and module? rallypoint foundry connect tells the relay's"
    return UnreachableError("the relay knows no such thing", code="unknown", where=where, found=text, hint=hint)


def _too_many(text: str, where: str) -> UnreachableError:
    if "onthly" in text:
        hint = "wait for the next month, or run a relay of your own"
        return UnreachableError(
            "this month's requests are used up", code="quota_spent", where=where, found=text, hint=hint
        )
    return UnreachableError(
        "too many requests", code="too_many_requests", where=where, found=text, hint="wait a minute", passing=True
    )
