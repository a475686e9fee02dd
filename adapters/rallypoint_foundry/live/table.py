"""What a live command works with: the battle, its ledger, the relay, and the way to the world that was bound."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import cast

from rallypoint.kernel.plugins.opening import Opened, open_battle
from rallypoint.kernel.plugins.switches import Switches
from rallypoint_sync.bindings import Binding
from rallypoint_sync.clock import Clock
from rallypoint_sync.ledger import Ledger, ledger_path
from rallypoint_sync.saying import complain
from rallypoint_sync.seat import PATIENCE, Seat
from rallypoint_sync.transport import NotSetUpError

from .events import Listener
from .keys import ADDRESS_VARIABLE, find_key
from .marks import new_mark
from .relay import Relay
from .transport import VTT, FoundryTransport
from .wire import HttpxWire, Wire

__all__ = ["PATIENCE", "Table", "seated"]


class Table(Seat):
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
        super().__init__(opened, ledger, VTT, clock)
        self._made_by = wire or HttpxWire
        self._wires: list[Wire] = []
        self._relays: list[Relay] = []
        self._mark: str | None = None

    @property
    def mark(self) -> str:
        """What marks documents as this battle's; it is kept by whoever binds."""
        kept = self.about.get("mark")
        if isinstance(kept, str):
            return kept
        self._mark = self._mark or new_mark(self.opened.path)
        return self._mark

    def wire(self, address: str) -> Wire:
        """Return a wire to an address; it is closed with the table."""
        self._wires.append(self._made_by(address))
        return self._wires[-1]

    # The relay

    def relay(self, address: str | None = None, client: str | None = None, *, patient: float = PATIENCE) -> Relay:
        """Return the relay that was connected, with its key and world.

        Args:
            address: one that is being connected: then no world need be chosen yet.
            client: the world; that which was connected without it.
            patient: for how many seconds to try again what may pass by itself.

        Raises:
            NotSetUpError: none was connected, or it was not connected to the end, so that no world is chosen.
            UnreachableError: there is no key.
        """
        known = address or self.about.get("address") or os.environ.get(ADDRESS_VARIABLE)
        if not isinstance(known, str) or not known:
            hint = f"rallypoint foundry connect {self.opened.path} --relay http://localhost:3010"
            raise NotSetUpError("this battle is not connected to a relay", where=str(self.opened.path), hint=hint)
        world = client or self.about.get("client")
        if address is None and not isinstance(world, str):
            hint = f"rallypoint foundry connect {self.opened.path} finds the world and keeps it"
            raise NotSetUpError("this battle is not connected to a world", where=str(self.opened.path), hint=hint)
        made = Relay(
            self.wire(known),
            find_key(known),
            world if isinstance(world, str) else None,
            clock=self.clock,
            patient=patient,
            waiting=_say_waiting,
        )
        self._relays.append(made)
        return made

    def transport(self, relay: Relay) -> FoundryTransport:
        """Return the way to the world, for the hub."""
        scene = self.about.get("scene")
        scenes = (scene,) if isinstance(scene, str) else ()
        base = cast("HttpxWire", relay.wire)
        listener = Listener(lambda: self._made_by(getattr(base, "base", "")))
        return FoundryTransport(relay, self.ledger.bindings(VTT), listener, scenes, self.mark)

    def bound(self) -> tuple[Binding, ...]:
        """Return what is bound.

        Raises:
            NotSetUpError: nothing is.
        """
        found = self.ledger.bindings(VTT)
        if not found:
            hint = (
                f"rallypoint foundry push {self.opened.path} FOLDER makes the actors of an export in the world; where they "
                f"are there already, rallypoint foundry bind {self.opened.path} finds them"
            )
            raise NotSetUpError("nothing of this battle is bound to the world", where=str(self.opened.path), hint=hint)
        return found

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
        for wire in self._wires:
            close = getattr(wire, "close", None)
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


def _say_waiting(seconds: float) -> None:
    complain(f"the relay's requests of this minute are used up: waiting {seconds:.0f} seconds")
