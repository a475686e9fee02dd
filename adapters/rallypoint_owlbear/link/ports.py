"""Where the server is, and how a command is told so."""

from __future__ import annotations

__all__ = ["MOST", "PORT", "at_port"]

PORT = 8787
"""Where the server is unless somebody says otherwise."""

MOST = 65535
"""The last port there is."""


def at_port(port: int) -> str:
    """Return what a command needs to find the server at a port.

    >>> at_port(8787), at_port(9000)
    ('', ' --port 9000')
    """
    return "" if port == PORT else f" --port {port}"
