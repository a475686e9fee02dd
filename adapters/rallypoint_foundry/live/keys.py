"""Where keys are: in the environment, or in the system's key store. Never in a battle file, a ledger, or on the screen."""

from __future__ import annotations

import os
from typing import Protocol, cast

from rallypoint_sync.transport import UnreachableError

from .wire import Secret

__all__ = ["ADDRESS_VARIABLE", "KEY_VARIABLE", "find_key", "keep_key", "key_store"]

KEY_VARIABLE = "RALLYPOINT_FOUNDRY_KEY"
ADDRESS_VARIABLE = "RALLYPOINT_FOUNDRY_URL"

_SERVICE = "rallypoint-foundry"


class KeyStore(Protocol):
    """The system's key store, as far as it is needed."""

    def get_password(self, service: str, name: str) -> str | None:
        """Return a key."""

    def set_password(self, service: str, name: str, password: str) -> None:
        """Keep a key."""


def key_store() -> KeyStore | None:
    """Return the system's key store; ``None`` where there is none, or the package keyring is not installed."""
    try:
        import keyring
        from keyring.backends.fail import Keyring
    except ImportError:
        return None
    return None if isinstance(keyring.get_keyring(), Keyring) else cast("KeyStore", keyring)


def find_key(address: str) -> Secret:
    """Return the key for a relay: that of the environment, else that of the key store.

    Raises:
        UnreachableError: there is none, or it is no key: a header could not carry it.
    """
    said = os.environ.get(KEY_VARIABLE, "").strip()
    if said:
        return _key(said, KEY_VARIABLE)
    store = key_store()
    try:
        kept = None if store is None else store.get_password(_SERVICE, address.rstrip("/"))
    except Exception as error:
        hint = f"unlock it, or set {KEY_VARIABLE}"
        raise UnreachableError(
            "the key store cannot be read", code="no_key_store", found=type(error).__name__, hint=hint
        ) from None
    if kept:
        return _key(kept, address)
    hint = f"set {KEY_VARIABLE}, or ask for a key: rallypoint foundry connect --ask"
    raise UnreachableError("there is no key for this relay", code="no_key", where=address, hint=hint)


def _key(text: str, where: str) -> Secret:
    """Return a key; what would break the header is refused before httpx can quote it."""
    if not text.isascii() or not text.isprintable() or " " in text:
        hint = "copy it anew from the relay's page, or ask for another: rallypoint foundry connect --ask"
        raise UnreachableError(
            "this is no key", code="key_refused", where=where, expected="letters and digits in one line", hint=hint
        )
    return Secret(text)


def keep_key(address: str, key: Secret) -> None:
    """Put a key into the key store.

    Raises:
        UnreachableError: there is none, or it cannot be written.
    """
    store = key_store()
    hint = f"make a key on the relay's page, and set {KEY_VARIABLE}; or pip install 'rallypoint[keys]'"
    if store is None:
        raise UnreachableError("there is no key store to keep the key in", code="no_key_store", hint=hint)
    try:
        store.set_password(_SERVICE, address.rstrip("/"), key.reveal())
    except Exception as error:
        raise UnreachableError(
            "the key store cannot be written", code="no_key_store", found=type(error).__name__, hint=hint
        ) from None
