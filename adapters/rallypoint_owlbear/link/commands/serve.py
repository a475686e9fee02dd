"""``rallypoint owlbear serve``: the server of the extension and of the link."""

from __future__ import annotations

from pathlib import Path

import click

from rallypoint_sync.saying import LiveCommand, complain, say

from ..at_table import certificate_of
from ..desk import PORT
from ..server import Choices, Ready, ready

__all__ = ["serve"]

_FOLDER = click.Path(path_type=Path, file_okay=False)
_PICTURES = click.Path(path_type=Path, file_okay=False, exists=True)
_FILE = click.Path(path_type=Path)


@click.command(cls=LiveCommand)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="Port; 0 takes a free one."
)
@click.option("--pictures", type=_PICTURES, help="A folder of pictures, seen by the GM only.")
@click.option("--bundle", type=_FOLDER, help="Another build of the extension.")
@click.option(
    "--frame", "frames", multiple=True, metavar="ORIGIN", help="Let this site frame our pages too; for tests."
)
@click.option(
    "--encounter",
    "encounters",
    type=_FILE,
    multiple=True,
    help="Offer this encounter.owlbear.json in the popover; repeatable.",
)
@click.option("--certificate", type=_FILE, help="Serve by https, with this certificate as mkcert makes it; with --key.")
@click.option("--key", type=_FILE, help="The key of the certificate.")
def serve(
    port: int,
    pictures: Path | None,
    bundle: Path | None,
    frames: tuple[str, ...],
    encounters: tuple[Path, ...],
    certificate: Path | None,
    key: Path | None,
) -> int:
    """Serve our Owlbear extension and the link to it, for this machine alone, until Ctrl-C.

    Take https only where the browser does not accept http://localhost: --certificate localhost.pem --key localhost-key.pem, made by
    `mkcert localhost`.

    Example: rallypoint owlbear serve

    Example: rallypoint owlbear serve --encounter for-owlbear/encounter.owlbear.json
    """
    choices = Choices(port, pictures, bundle, frames, encounters, certificate_of(certificate, key))

    def told(made: Ready) -> None:
        say(f"Add this extension to your room (Extras, Extensions, Add Custom Extension): {made.manifest}")

    with ready(choices, lambda code: complain(f"Pairing code: {code}"), told) as made:
        from ..serving import foreground

        try:
            foreground(made)
        except KeyboardInterrupt as stop:
            if type(stop) is not KeyboardInterrupt:
                raise
    return 0
