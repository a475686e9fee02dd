"""The link as an ASGI app: the extension's files for everybody, the link for paired pages, the desk for our commands."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rallypoint_sync.transport import DoubtfulError, TransportError

from ..trackers import Json
from .doors import Doors
from .kept_pictures import FOLDER, KeptPictures
from .link import ANSWER_SECONDS, Link
from .room import Stream
from .served_files import file_in
from .wire import VERSION, WireError, body_of, messages_of, text_of

__all__ = ["MOST_BYTES", "MOST_STREAMS", "application"]

MOST_BYTES = 4_000_000
"""Bytes of a body, at most."""
MOST_STREAMS = 16
SIGN_OF_LIFE = 5.0
SLOWEST = 10.0
"""Seconds that a page may take to read what it was sent; after that its stream is cut."""

_LONGEST_WAIT = 60.0
_USUAL_ORIGIN = "http://localhost:8787"
"""What the start page says of where the server is; it is told the port that it has."""
_OPEN = ("/manifest.json", "/icon.svg", "/pictures/", "/images/")

Endpoint = Callable[[Request], Awaitable[Response]]


def application(link: Link, doors: Doors, bundle: Path, pictures: Path | None = None) -> ASGIApp:
    """Return the app. Pictures that our commands hand over are held in memory, and served beside those of the folder.

    Args:
        link: the link.
        doors: who may come in.
        bundle: the folder of the built extension.
        pictures: a folder of pictures for tokens.
    """
    streams: list[Stream] = []
    kept = KeptPictures()
    pages, desk = _Pages(link, doors, streams), _Desk(link, doors, kept)

    async def settings(_: Request) -> Response:
        return JSONResponse({"v": VERSION, "hosts": list(doors.frames)})

    async def start(_: Request) -> Response:
        page = file_in(bundle, "index.html")
        if page is None:
            return _no_file()
        return HTMLResponse(page.read_text("utf-8").replace(_USUAL_ORIGIN, doors.origin))

    async def picture(request: Request) -> Response:
        return _file(pictures, request.path_params["name"])

    async def held(request: Request) -> Response:
        found = kept.get(request.path_params["name"])
        return _file(None, "") if found is None else Response(found[1], media_type=found[0])

    async def bundled(request: Request) -> Response:
        return _file(bundle, request.path_params["name"])

    routes = [
        Route("/", start),
        Route("/settings.json", settings),
        Route("/link/pair", _answering(pages.pair), methods=["POST"]),
        Route("/link/up", _answering(pages.up), methods=["POST"]),
        Route("/link/events", _answering(pages.events)),
        Route("/desk/{what}", _answering(desk.answer), methods=["POST"]),
        Route(f"/pictures/{FOLDER}/{{name}}", held),
        Route("/pictures/{name:path}", picture),
        Route("/{name:path}", bundled),
    ]
    return _Guard(Starlette(routes=routes), doors)


def _file(folder: Path | None, name: str) -> Response:
    found = None if folder is None else file_in(folder, name)
    return _no_file() if found is None else FileResponse(found)


def _no_file() -> Response:
    return _refusal(WireError(404, "file", "there is no such file"))


def _refusal(error: WireError) -> Response:
    # Whoever sends too much is not heard to the end.
    headers = {"connection": "close"} if error.status == 413 else None
    return JSONResponse({"v": VERSION, "error": str(error), "code": error.code}, error.status, headers)


def _answering(endpoint: Endpoint) -> Endpoint:
    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except WireError as error:
            return _refusal(error)

    return answer


class _Guard:
    """Stands before everything: the name of the server, and the headers that each answer has."""

    def __init__(self, app: ASGIApp, doors: Doors) -> None:
        self.app, self.doors = app, doors
        frames = " ".join(doors.frames)
        self._headers = [
            (b"content-security-policy", _policy(frames).encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"no-referrer"),
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        path = scope["path"]
        is_open = path.startswith(_OPEN)

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                more = [*self._headers, (b"cache-control", b"no-store" if path.startswith("/link/") else b"no-cache")]
                if is_open:
                    more += [(b"access-control-allow-origin", b"*"), (b"cross-origin-resource-policy", b"cross-origin")]
                message["headers"] = [*message.get("headers", ()), *more]
            await send(message)

        try:
            self.doors.check_host(Headers(scope=scope))
        except WireError as error:
            await _refusal(error)(scope, receive, sending)
            return
        await self.app(scope, receive, sending)


def _policy(frames: str) -> str:
    """Return what our pages may load, and who may show them."""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' https: data:; "
        f"font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors {frames}"
    )


async def _body(request: Request) -> Json:
    """Return the body of a request, of which never more is read than is allowed.

    Raises:
        WireError: it is too big, or no JSON.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise WireError(400, "json", "expected Content-Type: application/json")
    size = request.headers.get("content-length", "0")
    too_big = WireError(413, "size", f"a body has at most {MOST_BYTES} bytes: send fewer items")
    if not size.isdecimal() or int(size) > MOST_BYTES:
        raise too_big
    raw = bytearray()
    async for part in request.stream():
        raw += part
        if len(raw) > MOST_BYTES:
            raise too_big
    return body_of(bytes(raw))


class _Pages:
    """What a page may ask."""

    def __init__(self, link: Link, doors: Doors, streams: list[Stream]) -> None:
        self.link, self.doors, self.streams = link, doors, streams

    async def pair(self, request: Request) -> Response:
        self.doors.check_origin(request.headers)
        return JSONResponse({"v": VERSION, "token": self.doors.pair((await _body(request)).get("code"))})

    async def up(self, request: Request) -> Response:
        self._check(request)
        page, messages = messages_of(await _body(request))
        heard = self.link.hear(page, messages)
        return JSONResponse({"v": VERSION, **heard._asdict(), "lease_ms": 6000})

    async def events(self, request: Request) -> Response:
        self._check(request)
        page, last = request.query_params.get("page", ""), request.query_params.get("last", "0")
        if not (last.isascii() and last.isdecimal()) or len(last) > 15:
            raise WireError(400, "message", "last: expected a number")
        if len(self.streams) >= MOST_STREAMS:
            raise WireError(503, "full", f"there are {MOST_STREAMS} streams already")
        return _Events(self.link, page, int(last), self.streams)

    def _check(self, request: Request) -> None:
        self.doors.check_origin(request.headers)
        self.doors.check_token(request.headers)


class _Events(Response):
    """A stream of events, until the page goes, is too slow, or comes a second time."""

    media_type = "text/event-stream"

    def __init__(self, link: Link, page: str, last: int, streams: list[Stream]) -> None:
        self.link, self.page, self.streams = link, page, streams
        self.stream = Stream()
        self.news = asyncio.Event()
        self.loop = asyncio.get_running_loop()
        self.stream.wake = self._wake
        link.listen(page, last, self.stream)
        streams.append(self.stream)
        super().__init__(None, headers={"content-type": self.media_type, "x-accel-buffering": "no"})
        del self.headers["content-length"]

    def _wake(self) -> None:
        with contextlib.suppress(RuntimeError):  # the server has stopped
            self.loop.call_soon_threadsafe(self.news.set)

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        gone = asyncio.create_task(_gone(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            while not (gone.done() or self.stream.ended):
                text = "".join(self.stream.texts()) or ":\n\n"
                part = {"type": "http.response.body", "body": text.encode(), "more_body": True}
                await asyncio.wait_for(send(part), SLOWEST)
                woken = asyncio.create_task(self.news.wait())
                await asyncio.wait({woken, gone}, timeout=SIGN_OF_LIFE, return_when=asyncio.FIRST_COMPLETED)
                woken.cancel()
                self.news.clear()
            if not gone.done():
                await asyncio.wait_for(send({"type": "http.response.body", "body": b""}), SLOWEST)
        except TimeoutError:
            return  # it reads nothing: the server cuts the connection
        finally:
            gone.cancel()
            self.streams.remove(self.stream)
            self.link.left(self.page, self.stream)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class _Desk:
    """What a command of ours may ask: it has no page of its own, and asks that of the running server."""

    def __init__(self, link: Link, doors: Doors, kept: KeptPictures) -> None:
        self.link, self.doors, self.kept = link, doors, kept

    async def answer(self, request: Request) -> Response:
        self.doors.check_desk(request.headers)
        body = await _body(request)
        what = request.path_params["what"]
        battle = str(body.get("battle") or "")
        if what == "standing":
            self.link.check_battle(battle)
            return _said(self.link.standing()._asdict())
        if what == "status":
            self.link.check_battle(battle)
            self.link.say(**_mapping(body.get("status")))
            return _said({})
        if what == "links":
            return _said({"links": self.link.links()})
        if what == "forget-links":
            done = _mapping(body.get("links")).items()
            self.link.forget_links({item: uid if isinstance(uid, str) else None for item, uid in done})
            return _said({})
        if what == "picture":
            return self._keep(body.get("base64"))
        if what == "leave":
            self.link.leave(_watch(body))
            return _said({})
        if what == "answer":
            why = body.get("why")
            self.link.answer(str(body.get("key")), why if isinstance(why, str) else None)
            return _said({})
        if what == "ask":
            return await run_in_threadpool(self._ask, body)
        if what == "changes":
            after, seconds, watch = body.get("after"), _seconds(body.get("seconds")), _watch(body)
            number = after if type(after) is int else -1
            self.link.attend(seconds, watch, battle=battle, begins=number < 0)
            last, found = await run_in_threadpool(self.link.changes_after, number, seconds)
            return _said({"number": last, "changes": found, "wishes": self.link.take_wishes(watch)})
        raise WireError(404, "desk", "there is nothing of this name")

    def _keep(self, text: object) -> Response:
        try:
            content = base64.b64decode(text, validate=True) if isinstance(text, str) else b""
        except ValueError:
            content = b""
        name = self.kept.keep(content)
        if name is None:
            raise WireError(400, "picture", "this is no picture: PNG, JPEG, GIF or WebP")
        return _said({"url": f"{self.doors.origin}/pictures/{FOLDER}/{name}"})

    def _ask(self, body: Json) -> Response:
        scene = body.get("scene")
        try:
            answer = self.link.ask(
                str(body.get("kind")),
                _mapping(body.get("body")),
                scene=scene if isinstance(scene, str) else None,
                seconds=_seconds(body.get("seconds")),
            )
        except TransportError as error:
            doubtful = isinstance(error, DoubtfulError)
            told = {"error": error.what, "code": error.code, "passing": error.passing, "hint": error.hint}
            return _said({**told, "doubtful": doubtful}, 502)
        return _said({"number": answer.number, "kind": answer.kind, "body": answer.body})


def _said(body: Json, status: int = 200) -> Response:
    return Response(text_of({"v": VERSION, **body}), status, media_type="application/json")


def _watch(body: Json) -> str:
    """Return which watch it is that asks."""
    return str(body.get("watch"))


def _mapping(found: object) -> Json:
    if not isinstance(found, dict):
        raise WireError(400, "message", "expected an object")
    return found


def _seconds(found: object) -> float:
    return min(float(found), _LONGEST_WAIT) if type(found) in (int, float) and found > 0 else ANSWER_SECONDS  # type: ignore[operator,arg-type]
