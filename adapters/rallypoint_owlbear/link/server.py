"""The server of the extension and of the link, made ready: its port, its doors, what it offers, the key to its desk."""

from __future__ import annotations

import errno
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rallypoint.kernel.errors import InputError, RemoteError

from .desk import Place, keep_desk
from .ports import MOST, PORT

if TYPE_CHECKING:
    import socket

    from .doors import Doors
    from .link import Link

__all__ = ["BUNDLE", "Certificate", "Choices", "Ready", "ready"]

BUNDLE = Path(__file__).parent / "bundle"
"""Where the built extension is."""


class Certificate(NamedTuple):
    """The files of a certificate and of its key, as mkcert makes them."""

    certificate: Path
    key: Path


class Choices(NamedTuple):
    """What somebody wants of the server."""

    port: int = PORT
    pictures: Path | None = None
    bundle: Path | None = None
    frames: tuple[str, ...] = ()
    encounters: Sequence[Path] = ()
    certificate: Certificate | None = None


class Ready(NamedTuple):
    """A server that can begin; ``manifest`` is the address that people add to their room."""

    link: Link
    doors: Doors
    sockets: list[socket.socket]
    bundle: Path
    pictures: Path | None
    certificate: Certificate | None

    @property
    def manifest(self) -> str:
        """The address of the extension's manifest."""
        return f"{self.doors.origin}/manifest.json"


@contextmanager
def ready(choices: Choices, show_code: Callable[[str], None], told: Callable[[Ready], None]) -> Iterator[Ready]:
    """Make a server ready, and keep where it is for our commands until it ends.

    Args:
        choices: what is wanted.
        show_code: is told each pairing code.
        told: is told of the server, before the first code.

    Raises:
        InputError: the extension is not there, the port or an encounter is none, a certificate cannot be used.
        RemoteError: an extra part is not installed, or the port cannot be had.
    """
    try:
        from .doors import OWLBEAR, Doors
        from .encounters import Encounters
        from .link import Link
        from .serving import listening
    except ImportError as error:
        hint = "install it with: pip install 'rallypoint[live]'"
        raise RemoteError("the link needs an extra part of Rallypoint", found=f"no {error.name}", hint=hint) from None
    files = choices.bundle or BUNDLE
    if not (files / "manifest.json").is_file():
        raise InputError(
            "the extension is not there",
            where=str(files),
            expected="manifest.json",
            hint="run `make extension` in the sources of this Rallypoint, with npm: they do not hold what is built; or name the folder of a build",
        )
    if not 0 <= choices.port <= MOST:
        raise InputError("this is no port", found=str(choices.port), expected=f"0 to {MOST}; 0 takes a free one")
    _check(choices.certificate)
    link = Link()
    Encounters(link, choices.encounters)
    try:
        sockets = listening(choices.port)
    except OSError as error:
        words = "in use" if error.errno == errno.EADDRINUSE else error.strerror
        hint = "end what runs there, or take a free one: --port 0; of a table: --owlbear-port 0"
        raise RemoteError("this port cannot be had", found=f"{choices.port}: {words}", hint=hint) from None
    port = link.port = sockets[0].getsockname()[1]
    codes: list[str] = []
    shown = False

    def show(code: str) -> None:
        show_code(code) if shown else codes.append(code)

    frames = (OWLBEAR, *choices.frames)
    doors = Doors(port, frames, show, secure=choices.certificate is not None)
    made = Ready(link, doors, sockets, files, choices.pictures, choices.certificate)
    told(made)
    shown = True
    for code in codes:
        show_code(code)
    certificate = None if choices.certificate is None else str(choices.certificate.certificate.absolute())
    kept = keep_desk(Place(port, doors.desk_key, certificate))
    try:
        yield made
    finally:
        kept.unlink(missing_ok=True)


def _check(certificate: Certificate | None) -> None:
    if certificate is None:
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(*map(str, certificate))
    except (OSError, ssl.SSLError) as error:
        raise InputError(
            "this certificate cannot be used",
            path=str(certificate.certificate),
            found=str(error),
            hint="mkcert localhost makes both files: --certificate localhost.pem --key localhost-key.pem",
        ) from None
