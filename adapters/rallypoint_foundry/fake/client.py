"""The fake relay for httpx, in this very thread: no socket, no waiting; time goes by on the relay's clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import parse_qsl

import httpx

from .answers import Answer, Call
from .relay import Relay
from .streams import KEEPALIVE, LIFE, Subscription

__all__ = ["FakeTransport"]


class FakeTransport(httpx.BaseTransport):
    """Carries the calls of an ``httpx.Client`` to a fake relay.

    An answer that comes late lets the relay's clock go forward; beyond the client's read time-out it is
    ``httpx.ReadTimeout``, as on a wire. A stream on which nothing happens is kept alive for 600 s of that clock, then
    cut.

    Args:
        relay: the relay.
        when_quiet: called each time that a stream has told everything, so that a test can do something meanwhile.

    >>> from rallypoint_foundry.fake.table import demo_world
    >>> relay = Relay(demo_world())
    >>> headers = {"x-api-key": relay.add_key()}
    >>> with httpx.Client(transport=FakeTransport(relay), base_url="http://fake", headers=headers) as client:
    ...     client.get("/clients").json()["total"]
    1
    """

    def __init__(self, relay: Relay, when_quiet: Callable[[], object] | None = None) -> None:
        self.relay = relay
        self.when_quiet = when_quiet

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the relay's answer."""
        found = self.relay.answer(_call(request))
        if found is None:
            raise httpx.ConnectError("[Errno 111] Connection refused")
        if isinstance(found, Subscription):
            return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=_Told(self, found))
        return self._response(request, found)

    def _response(self, request: httpx.Request, answer: Answer) -> httpx.Response:
        if answer.delay:
            patience = request.extensions.get("timeout", {}).get("read")
            if patience is not None and patience < answer.delay:
                self.relay.clock.sleep(patience)
                raise httpx.ReadTimeout("The read operation timed out")
            if answer.delay == float("inf"):
                raise httpx.ReadTimeout("the fake relay never answers, and this client would wait for ever")
            self.relay.clock.sleep(answer.delay)
        headers = [*answer.headers, ("content-length", str(len(answer.body)))]
        if answer.kind is not None:
            headers.append(("content-type", answer.kind))
        return httpx.Response(answer.status, headers=headers, content=answer.body)


def _call(request: httpx.Request) -> Call:
    url = request.url
    query: dict[str, str] = {}
    for name, value in parse_qsl(url.query.decode("ascii"), keep_blank_values=True):
        query.setdefault(name, value)
    return Call(request.method, url.path, query, dict(request.headers), request.read())


class _Told(httpx.SyncByteStream):
    """The body of an event stream."""

    def __init__(self, transport: FakeTransport, subscription: Subscription) -> None:
        self.transport, self.subscription = transport, subscription

    def __iter__(self) -> Iterator[bytes]:
        clock, subscription = self.transport.relay.clock, self.subscription
        ends = clock.now() + LIFE
        while True:
            while subscription.chunks:
                yield subscription.chunks.popleft()
            if subscription.ended is None and self.transport.when_quiet is not None:
                self.transport.when_quiet()
                if subscription.chunks:
                    continue
            if subscription.ended == "clean":
                return
            if subscription.ended is None and clock.now() + KEEPALIVE < ends:
                clock.sleep(KEEPALIVE)
                yield b": keepalive\n\n"
            else:
                clock.sleep(max(ends - clock.now(), 0) if subscription.ended is None else 0)
                self.close()
                raise httpx.RemoteProtocolError(
                    "peer closed connection without sending complete message body (incomplete chunked read)"
                )

    def close(self) -> None:
        """Let the relay forget this listener."""
        self.transport.relay.streams.forget(self.subscription)
