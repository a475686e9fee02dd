"""A room of Owlbear Rodeo at ``rallypoint table``: the link is served inside that process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rallypoint.kernel.errors import InputError
from rallypoint_sync.live import Given

from .popover import Popover
from .seat import RoomSeat
from .server import Certificate, Choices, Ready, ready
from .transport import OwlbearTransport

__all__ = ["Served", "at_table", "certificate_of"]


class Served:
    """A room at a table. Nothing need be bound when it begins: bind works at another terminal, once the room is linked.

    Args:
        seat: the battle, at the link of this process.
    """

    title = "the room"

    def __init__(self, seat: RoomSeat) -> None:
        self.seat = seat
        self.transport: OwlbearTransport = seat.transport(patient=True, unbound=True)
        self.heard = Popover(seat)


@contextmanager
def at_table(given: Given) -> Iterator[Served]:
    """Serve the extension and the link, and open the room of a battle for ``rallypoint table``."""

    def told(made: Ready) -> None:
        given.say(f"add this extension to your room (Extras, Extensions, Add Custom Extension): {made.manifest}")

    with ready(_choices(given), lambda code: given.say(f"pairing code: {code}"), told) as made:
        from .serving import served

        with served(made):
            made.link.battle = str(given.opened.path.resolve())
            seat = RoomSeat(given.opened, given.ledger, made.link, given.clock)
            if not seat.bound_tokens():
                given.say(seat.nothing_bound())
            seat.way.say(**seat.status())
            yield Served(seat)


def _choices(given: Given) -> Choices:
    options = given.options
    port = options.get("port")
    return Choices(
        port if isinstance(port, int) else 0,
        _path(options.get("pictures")),
        _path(options.get("bundle")),
        (),
        [Path(each.strip()) for each in str(options.get("encounter") or "").split(",") if each.strip()],
        certificate_of(_path(options.get("certificate")), _path(options.get("key"))),
    )


def _path(found: object) -> Path | None:
    return Path(found) if isinstance(found, str) and found else None


def certificate_of(certificate: Path | None, key: Path | None) -> Certificate | None:
    """Return the files of a certificate, where somebody wants https.

    Raises:
        InputError: one of the two is missing.
    """
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        missing = "a key" if key is None else "a certificate"
        raise InputError("https needs two files", found=f"no file of {missing}", expected="--certificate and --key")
    return Certificate(certificate, key)
