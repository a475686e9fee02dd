"""``rallypoint owlbear serve``: the server of the extension and of the link."""

from __future__ import annotations

import errno
from pathlib import Path

import click

from rallypoint.kernel.errors import InputError, RemoteError
from rallypoint_sync.saying import LiveCommand, complain, say

from ..desk import PORT, Place, keep_desk

__all__ = ["BUNDLE", "serve"]

BUNDLE = Path(__file__).parents[1] / "bundle"
"""Where the built extension is."""


@click.command(cls=LiveCommand)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="Port; 0 takes a free one."
)
@click.option(
    "--pictures", type=click.Path(path_type=Path, file_okay=False), help="A folder of pictures, seen by the GM only."
)
@click.option("--bundle", type=click.Path(path_type=Path, file_okay=False), help="Another build of the extension.")
@click.option(
    "--frame", "frames", multiple=True, metavar="ORIGIN", help="Let this site frame our pages too; for tests."
)
@click.option(
    "--encounter",
    "encounters",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Offer this encounter.owlbear.json in the popover; repeatable.",
)
def serve(
    port: int, pictures: Path | None, bundle: Path | None, frames: tuple[str, ...], encounters: tuple[Path, ...]
) -> int:
    """Serve our Owlbear extension and the link to it, for this machine alone, until Ctrl-C.

    Example: rallypoint owlbear serve

    Example: rallypoint owlbear serve --encounter for-owlbear/encounter.owlbear.json
    """
    try:
        from ..doors import OWLBEAR, Doors
        from ..encounters import Encounters
        from ..link import Link
        from ..serving import foreground, listening
    except ImportError as error:
        hint = "install it with: pip install 'rallypoint[live]'"
        raise RemoteError("the link needs an extra part of Rallypoint", found=f"no {error.name}", hint=hint) from None
    files = bundle or BUNDLE
    if not (files / "manifest.json").is_file():
        raise InputError(
            "the extension is not there",
            where=str(files),
            expected="manifest.json",
            hint="it is not part of this version yet; --bundle names the folder of a build",
        )
    link = Link()
    Encounters(link, encounters)
    try:
        sockets = listening(port)
    except OSError as error:
        words = "in use" if error.errno == errno.EADDRINUSE else error.strerror
        raise RemoteError("this port cannot be had", found=f"{port}: {words}", hint="take another: --port 0") from None
    port = sockets[0].getsockname()[1]
    say(
        f"Add this extension to your room (Extras, Extensions, Add Custom Extension): http://localhost:{port}/manifest.json"
    )
    doors = Doors(port, (OWLBEAR, *frames), lambda code: complain(f"Pairing code: {code}"))
    kept = keep_desk(Place(port, doors.desk_key))
    try:
        foreground(link, doors, sockets, files, pictures)
    except KeyboardInterrupt as stop:
        if type(stop) is not KeyboardInterrupt:
            raise
    finally:
        kept.unlink(missing_ok=True)
    return 0
