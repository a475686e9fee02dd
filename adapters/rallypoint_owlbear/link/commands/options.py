"""Options that the commands of the room share."""

from __future__ import annotations

import click

from ..desk import PORT

__all__ = ["PORT_OPTION"]

PORT_OPTION = click.option(
    "--port", type=click.IntRange(1, 65535), default=PORT, show_default=True, help="Port of the running server."
)
