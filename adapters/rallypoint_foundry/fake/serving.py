"""The fake relay on a real socket of this machine: in a thread for tests, in the foreground for a person."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from .app import application
from .relay import Relay

__all__ = ["foreground", "listening", "served"]


def _server(relay: Relay, latency: float, pace: float) -> uvicorn.Server:
    return uvicorn.Server(
        uvicorn.Config(
            application(relay, latency=latency, pace=pace),
            log_level="critical",
            access_log=False,
            server_header=False,
            lifespan="off",
            timeout_graceful_shutdown=1,
        )
    )


def listening(port: int) -> socket.socket:
    """Return a socket on this machine alone that listens already; port 0 takes one that is free."""
    # asyncio turns Nagle's algorithm off for sockets that name TCP alone; with it on each answer costs 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


@contextmanager
def served(relay: Relay, *, latency: float = 0.0, pace: float = 1.0, port: int = 0) -> Iterator[str]:
    """Serve the relay from a thread, and give its base address; port 0 takes one that is free.

    Args:
        relay: the relay; give it a clock that goes.
        latency: seconds from the relay to the world and back.
        pace: what its time-outs are multiplied by; small in tests.
        port: the port.
    """
    listener = listening(port)
    server = _server(relay, latency, pace)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        relay.accounts.base = f"http://127.0.0.1:{listener.getsockname()[1]}"
        yield relay.accounts.base
    finally:
        relay.streams.end("clean")
        server.should_exit = True
        thread.join(10)
        listener.close()


def foreground(relay: Relay, listener: socket.socket) -> None:
    """Serve the relay until somebody presses Ctrl-C."""
    _server(relay, 0.002, 1.0).run(sockets=[listener])
