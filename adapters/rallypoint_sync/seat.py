"""Where a live command sits: the battle, its ledger, the hub for one VTT. An adapter adds its way there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from rallypoint.kernel.battle import Battle
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.plugins.opening import Opened
from rallypoint.kernel.state import State

from .bindings import Binding
from .clock import Clock, SystemClock, waits
from .hub import Hub
from .ledger import Ledger
from .living import this_process
from .sending import take_lease
from .transport import Transport

__all__ = ["PATIENCE", "Seat"]

PATIENCE = 20.0
"""Seconds for which a command tries again what may pass by itself."""

_LEASE_WAIT = 10.0


class Seat:
    """A battle and its ledger, at one VTT.

    Args:
        opened: the battle.
        ledger: its ledger.
        vtt: the name of the VTT in the ledger.
        clock: the time.
    """

    def __init__(self, opened: Opened, ledger: Ledger, vtt: str, clock: Clock | None = None) -> None:
        self.opened, self.ledger, self.vtt = opened, ledger, vtt
        self.clock: Clock = SystemClock() if clock is None else clock
        self.holder = this_process()

    @property
    def battle(self) -> Battle[object]:
        """The battle."""
        return self.opened.battle

    @property
    def about(self) -> Mapping[str, Value]:
        """What the ledger says of the VTT: an address, a title, a scene."""
        return self.ledger.about(self.vtt)

    def remember(self, bindings: Iterable[Binding] = (), **said: object) -> None:
        """Put something into what the ledger says of the VTT, and bind; keys are never among it."""
        self.ledger.bind(self.vtt, {**self.about, **said}, bindings)

    @property
    def options(self) -> str:
        """What each command of this VTT needs besides, with a blank before it; nothing, unless an adapter says so."""
        return ""

    def command(self, group: str, what: str, more: str = "") -> str:
        """Return what to type for a command of this battle.

        Args:
            group: the group of commands of the VTT.
            what: the command.
            more: what follows the battle.
        """
        return f"rallypoint {group} {what} {self.opened.path}{more}{self.options}"

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

    def hub(self, *transports: Transport, patience: float = PATIENCE) -> Hub:
        """Return the hub for this battle and the ways to its VTTs."""
        return Hub(
            self.battle,
            self.ledger,
            transports,
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

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes of this battle from the VTT.

        Raises:
            InputError: another process has it, and does not let go of it.
        """
        tries = waits(0.05, 0.5, _LEASE_WAIT)
        while True:
            try:
                take_lease(self.ledger, self.vtt, self.holder, self.clock)
                break
            except InputError:
                wait = next(tries, None)
                if wait is None:
                    raise
            self.clock.sleep(wait)
        try:
            yield
        finally:
            self.ledger.release(self.vtt, self.holder)
