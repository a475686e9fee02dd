"""Who watches: at each VTT one process keeps a battle in step as long as it runs; a single sync in between takes its turn."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from rallypoint.kernel.errors import BattleFileError

from .clock import Clock
from .ledger import Ledger
from .sending import LEASE, BusyError, leased

__all__ = ["Hold"]

_RENEWED = LEASE / 4


class Hold:
    """The hold of a process on a battle at some VTTs: a lease of the ledger for each, beside that of who writes just now.

    Args:
        ledger: the battle's.
        vtts: the names of the VTTs.
        holder: the process.
        clock: the time.
    """

    def __init__(self, ledger: Ledger, vtts: Iterable[str], holder: str, clock: Clock) -> None:
        self.ledger, self.vtts, self.holder, self.clock = ledger, tuple(vtts), holder, clock
        self._due_at = float("-inf")

    def keep(self) -> None:
        """Take it, and renew it from time to time; of a process of this machine that has ended it is taken over.

        Raises:
            BusyError: another process has it; nothing is held then.
        """
        now = self.clock.now()
        if now < self._due_at:
            return
        for vtt in self.vtts:
            other = leased(self.ledger, _name(vtt), self.holder, self.clock)
            if other is not None:
                self.release()
                hint = (
                    f"end that watch or table first, or leave {vtt} out here; if it ran on another machine and has ended without a "
                    f"word, wait {LEASE:g} seconds"
                )
                what = "another process keeps this battle in step there already"
                raise BusyError(what, where=vtt, found=other, expected="one watch or table for each VTT", hint=hint)
        self._due_at = now + _RENEWED

    def leave(self, vtt: str) -> None:
        """Hold one VTT no more, for whoever comes; the others stay."""
        self.vtts = tuple([each for each in self.vtts if each != vtt])
        with suppress(BattleFileError):
            self.ledger.release(_name(vtt), self.holder)

    def release(self) -> None:
        """Let go of it; where the ledger is gone there is nothing to let go of."""
        self._due_at = float("-inf")
        with suppress(BattleFileError):
            for vtt in self.vtts:
                self.ledger.release(_name(vtt), self.holder)


def _name(vtt: str) -> str:
    return f"watch of {vtt}"
