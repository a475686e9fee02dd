"""What a live command works with: the battle, its ledger, the relay, and the way to the world that was bound."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import cast

from rallypoint.kernel.battle import Battle
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.plugins.opening import Opened, open_battle
from rallypoint.kernel.plugins.switches import Switches
from rallypoint.kernel.state import State
from rallypoint_sync.bindings import Binding
from rallypoint_sync.clock import Clock, SystemClock, waits
from rallypoint_sync.hub import Hub
from rallypoint_sync.ledger import Ledger, ledger_path
from rallypoint_sync.sending import take_lease

from .events import Listener
from .keys import ADDRESS_VARIABLE, find_key
from .relay import Relay
from .transport import VTT, FoundryTransport
from .wire import HttpxWire, Wire

__all__ = ["PATIENCE", "Table", "seated"]

PATIENCE = 20.0
"""Seconds for which a command tries again what may pass by itself."""

_LEASE_WAIT = 10.0


class Table:
    """A battle, its ledger, and the way to its world.

    Args:
        opened: the battle.
        ledger: its ledger.
        clock: the time.
        wire: makes a wire to an address; httpx over the network without it.
    """

    def __init__(
        self, opened: Opened, ledger: Ledger, clock: Clock | None = None, wire: Callable[[str], Wire] | None = None
    ) -> None:
        self.opened, self.ledger = opened, ledger
        self.clock: Clock = SystemClock() if clock is None else clock
        self.wire = wire or HttpxWire
        self.holder = f"process {os.getpid()}"
        self._relays: list[Relay] = []

    @property
    def battle(self) -> Battle[object]:
        """The battle."""
        return self.opened.battle

    @property
    def about(self) -> Mapping[str, Value]:
        """What the ledger says of the world: ``address``, ``client``, ``title``, ``scene``..."""
        return self.ledger.about(VTT)

    def remember(self, bindings: Iterable[Binding] = (), **said: object) -> None:
        """Put something into what the ledger says of the world, and bind; keys are never among it."""
        self.ledger.bind(VTT, {**self.about, **said}, bindings)

    def called(self, uid: str) -> str:
        """Return how people call somebody: by name and code, else by uid."""
        sheet = self.sheets.get(uid)
        if not isinstance(sheet, tuple) or len(sheet) < 3:
            return uid
        name, _, code = map(str, sheet[:3])
        return f"{name} {code}".strip() if name and code not in name else name or code or uid

    @property
    def sheets(self) -> Mapping[str, Value]:
        """Name, class and code of everybody by uid, as the battle's first entry says it."""
        about = self.battle.history.entries[0].body.get("about")
        found = about.get("called") if isinstance(about, Mapping) else None
        return found if isinstance(found, Mapping) else {}

    # The relay

    def relay(self, address: str | None = None, client: str | None = None, *, patient: float = PATIENCE) -> Relay:
        """Return the relay that was connected, with its key and world.

        Raises:
            InputError: none was connected.
            UnreachableError: there is no key.
        """
        known = address or self.about.get("address") or os.environ.get(ADDRESS_VARIABLE)
        if not isinstance(known, str) or not known:
            hint = f"rallypoint foundry connect {self.opened.path} --relay http://localhost:3010"
            raise InputError("this battle is not connected to a relay", where=str(self.opened.path), hint=hint)
        world = client or self.about.get("client")
        made = Relay(
            self.wire(known),
            find_key(known),
            world if isinstance(world, str) else None,
            clock=self.clock,
            patient=patient,
        )
        self._relays.append(made)
        return made

    def transport(self, relay: Relay) -> FoundryTransport:
        """Return the way to the world, for the hub."""
        scene = self.about.get("scene")
        scenes = (scene,) if isinstance(scene, str) else ()
        base = cast("HttpxWire", relay.wire)
        listener = Listener(lambda: self.wire(getattr(base, "base", "")))
        return FoundryTransport(relay, self.ledger.bindings(VTT), listener, scenes)

    def hub(self, transport: FoundryTransport, *, patience: float = PATIENCE) -> Hub:
        """Return the hub for this battle and one way to its world."""
        return Hub(
            self.battle,
            self.ledger,
            [transport],
            holder=self.holder,
            is_out=self.is_out,
            clock=self.clock,
            patience=patience,
        )

    def is_out(self, state: State, uid: str) -> bool:
        """Say whether somebody is out of the fight; a stand is when all in it are."""
        entity = state.get(uid)
        units = [] if entity is None or entity.trackers else [each for each in state.below(uid, None) if each.trackers]
        if units:
            return all(self.opened.is_out(state, each.uid) for each in units)
        return self.opened.is_out(state, uid)

    def bound(self) -> tuple[Binding, ...]:
        """Return what is bound.

        Raises:
            InputError: nothing is.
        """
        found = self.ledger.bindings(VTT)
        if not found:
            hint = f"rallypoint foundry bind {self.opened.path} finds the actors of this battle in the world"
            raise InputError("nothing of this battle is bound to the world", where=str(self.opened.path), hint=hint)
        return found

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes of this battle from the relay: two calls at once cross their answers.

        Raises:
            InputError: another process has it, and does not let go of it.
        """
        tries = waits(0.05, 0.5, _LEASE_WAIT)
        while True:
            try:
                take_lease(self.ledger, VTT, self.holder, self.clock)
                break
            except InputError:
                wait = next(tries, None)
                if wait is None:
                    raise
            self.clock.sleep(wait)
        try:
            yield
        finally:
            self.ledger.release(VTT, self.holder)

    def account(self) -> None:
        """Note in the ledger how many requests were made."""
        if self.about and any(relay.budget.total for relay in self._relays):
            before = self.about.get("budget")
            for relay in self._relays:
                before = relay.budget.value(before)
                relay.budget.total = 0
            self.remember(budget=before)

    def close(self) -> None:
        """Note the requests, and let go of the connections."""
        self.account()
        for relay in self._relays:
            close = getattr(relay.wire, "close", None)
            if callable(close):
                close()


@contextmanager
def seated(
    path: Path,
    switches: Switches | None = None,
    *,
    clock: Clock | None = None,
    wire: Callable[[str], Wire] | None = None,
) -> Iterator[Table]:
    """Open a battle with its ledger; both are closed in the end.

    Raises:
        BattleFileError: there is no such battle, or its ledger cannot be used.
    """
    with ExitStack() as stack:
        opened = open_battle(path, switches)
        stack.enter_context(opened.battle)
        ledger = stack.enter_context(Ledger(ledger_path(path), opened.battle.history.entries[0].hash))
        table = Table(opened, ledger, clock, wire)
        stack.callback(table.close)
        yield table
