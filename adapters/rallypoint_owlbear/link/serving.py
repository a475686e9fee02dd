"""The server on a real socket of this machine, and of this machine alone."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from .app import application
from .server import Ready

__all__ = ["foreground", "listening", "served"]

MOST_CONNECTIONS = 128


def listening(port: int) -> list[socket.socket]:
    """Return sockets that listen to this machine alone, by both versions of IP where it has both; port 0 takes a free one.

    Raises:
        OSError: the port is in use.
    """
    first = _socket(socket.AF_INET, "127.0.0.1", port)
    try:
        return [first, _socket(socket.AF_INET6, "::1", first.getsockname()[1])]
    except OSError:
        return [first]  # no IPv6 here; a browser tries both


def _socket(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind((address, port))
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


def _server(made: Ready) -> uvicorn.Server:
    return uvicorn.Server(
        uvicorn.Config(
            application(made.link, made.doors, made.bundle, made.pictures),
            log_level="critical",
            access_log=False,
            server_header=False,
            lifespan="off",
            limit_concurrency=MOST_CONNECTIONS,
            timeout_graceful_shutdown=1,
            ssl_certfile=None if made.certificate is None else made.certificate.certificate,
            ssl_keyfile=None if made.certificate is None else made.certificate.key,
        )
    )


@contextmanager
def served(made: Ready) -> Iterator[None]:
    """Serve from a thread."""
    server = _server(made)
    thread = threading.Thread(target=server.run, kwargs={"sockets": made.sockets}, daemon=True, name="owlbear link")
    thread.start()
    try:
        yield
    finally:
        made.link.close()
        server.should_exit = True
        thread.join(10)
        for each in made.sockets:
            each.close()


def foreground(made: Ready) -> None:
    """Serve until somebody presses Ctrl-C."""
    try:
        _server(made).run(sockets=made.sockets)
    finally:
        made.link.close()
