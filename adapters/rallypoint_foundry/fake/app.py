"""The fake relay as an ASGI app: many calls at once, real waiting, streams, and a page to edit the world by hand."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from .answers import Answer, Call, Forward, refusal
from .page import page_routes
from .relay import Relay
from .streams import KEEPALIVE, LIFE, Subscription

__all__ = ["application"]

Endpoint = Callable[[Request], Awaitable[Response]]

_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


class _Line:
    """The line between relay and worlds: messages of one type in one millisecond share an id, as they do there."""

    def __init__(self, relay: Relay, latency: float, pace: float) -> None:
        self.relay, self.latency, self.pace = relay, latency, pace
        self.waiting: dict[str, asyncio.Future[Answer]] = {}
        self.tasks: set[asyncio.Task[None]] = set()

    async def send(self, forward: Forward) -> Answer:
        """Send a message and wait for an answer with its id, as long as the relay does."""
        identity = str(forward.message["requestId"])
        mine: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.waiting[identity] = mine  # whoever waited under this id will wait in vain
        task = asyncio.create_task(self._there_and_back(identity, forward))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        done, _ = await asyncio.wait([mine], timeout=forward.timeout * self.pace)
        if done:
            return mine.result()
        if self.waiting.get(identity) is mine:
            del self.waiting[identity]
        if self.relay.shape == "2.2.1":
            await asyncio.get_running_loop().create_future()  # never answered
        return refusal(408, "Request timed out")

    async def _there_and_back(self, identity: str, forward: Forward) -> None:
        await asyncio.sleep(self.latency)
        answer = self.relay.carry(forward)
        if 0 < answer.delay < math.inf:
            return  # the caller times out by itself
        caller = self.waiting.pop(identity, None)
        if caller is not None and not caller.done():
            caller.set_result(answer)


async def _call(request: Request) -> Call:
    query: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        query.setdefault(name, value)
    return Call(request.method, request.url.path, query, request.headers, await request.body())


class _Stream(Response):
    """An event stream that lives 600 s, or until it is cut or ended."""

    def __init__(self, relay: Relay, subscription: Subscription, pace: float) -> None:
        super().__init__()
        self.relay, self.subscription, self.pace = relay, subscription, pace

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        loop, news, one = asyncio.get_running_loop(), asyncio.Event(), self.subscription
        one.wake = lambda: _from_anywhere(loop, news)
        head = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache")]
        gone = asyncio.create_task(_until_gone(receive, news))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": head})
            ends = loop.time() + LIFE * self.pace
            while not gone.done():
                news.clear()
                while one.chunks:
                    await send({"type": "http.response.body", "body": one.chunks.popleft(), "more_body": True})
                if one.ended == "clean":
                    await send({"type": "http.response.body", "body": b""})
                    return
                if one.ended == "cut" or loop.time() >= ends:
                    return  # no last chunk: the server closes the connection in the middle of the body
                try:
                    await asyncio.wait_for(news.wait(), KEEPALIVE * self.pace)
                except TimeoutError:
                    await send({"type": "http.response.body", "body": b": keepalive\n\n", "more_body": True})
        finally:
            gone.cancel()
            self.relay.streams.forget(one)


def _from_anywhere(loop: asyncio.AbstractEventLoop, news: asyncio.Event) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(news.set)


async def _until_gone(receive: Receive, news: asyncio.Event) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    news.set()


def _response(answer: Answer) -> Response:
    response = Response(answer.body, answer.status, dict(answer.headers), answer.kind)
    if answer.kind is not None:
        response.headers["content-type"] = answer.kind  # Starlette would add a charset
    return response


def application(relay: Relay, *, latency: float = 0.0, pace: float = 1.0) -> Starlette:
    """Return the relay as an ASGI app.

    Args:
        relay: the relay; give it a clock that goes, or all request ids are equal.
        latency: seconds from the relay to the world and back; while they pass other calls may come.
        pace: what the relay's time-outs, keep-alives and the life of streams are multiplied by.
    """
    line = _Line(relay, latency, pace)

    async def endpoint(request: Request) -> Response:
        step = relay.open(await _call(request))
        if isinstance(step, Forward):
            step = await line.send(step)
        if isinstance(step, Subscription):
            return _Stream(relay, step, pace)
        if step is None:
            return Response("<html><body>502 Bad Gateway</body></html>", 502, media_type="text/html")
        if math.isinf(step.delay):
            await asyncio.get_running_loop().create_future()
        await asyncio.sleep(step.delay * pace)
        return _response(step)

    return Starlette(routes=[*page_routes(relay), Route("/{path:path}", endpoint, methods=_METHODS)])
