"""The page of the fake: actors with Wounds and Stress to edit by hand, the world to send to sleep, keys to approve."""

from __future__ import annotations

from html import escape
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from .documents import FoundryError
from .relay import Relay
from .table import TRACKERS, Sheet, Table, sheets

__all__ = ["page_routes"]

_STYLE = (
    "body{font:16px sans-serif;margin:2em auto;max-width:60em}td,th{padding:.2em .8em;text-align:left}"
    "input{width:4em;font:inherit}button{font:inherit}tr:nth-child(even){background:#eee}"
)
_LOCAL = ("127.0.0.1", "localhost", "::1", "testserver", "fake")


def page_routes(relay: Relay) -> list[Route]:
    """Return the routes of the page, all below ``/fake``, and the page on which a key is approved."""

    async def show(request: Request) -> Response:
        return _strange(request) or HTMLResponse(_page(relay))

    async def change(request: Request) -> Response:
        strange = _strange(request)
        if strange is not None:
            return strange
        form = dict(parse_qsl((await request.body()).decode("utf-8", "replace")))
        try:
            _do(relay, form)
        except (FoundryError, ValueError) as error:
            return PlainTextResponse(f"That was refused: {error}\n", 400)
        return RedirectResponse("/fake", 303)

    async def consent(request: Request) -> Response:
        code = request.path_params["code"]
        asked = relay.accounts.asked.get(code)
        if asked is None:
            return PlainTextResponse("Nobody asked for this key.\n", 404)
        scopes = ", ".join(asked.scopes)
        form = (
            _form("approve", f"Give a key for {scopes}", code=code)
            if asked.state == "pending"
            else f"It is {asked.state}."
        )
        return HTMLResponse(_frame(f"<h1>Somebody asks for a key</h1>{form}"))

    return [
        Route("/fake", show, methods=["GET"]),
        Route("/fake", change, methods=["POST"]),
        Route("/approve/{code}", consent, methods=["GET"]),
    ]


def _strange(request: Request) -> Response | None:
    """Refuse what another site makes a browser send."""
    origin = request.headers.get("origin")
    host = urlsplit(f"//{request.headers.get('host', '')}")
    if host.hostname not in _LOCAL or (origin is not None and urlsplit(origin).netloc != host.netloc):
        return PlainTextResponse("This page is for this machine alone.\n", 403)
    return None


def _do(relay: Relay, form: dict[str, str]) -> None:
    world = relay.worlds.get(form.get("world", ""))
    act = form.get("act")
    if act == "approve":
        relay.accounts.approve(form["code"])
    elif isinstance(world, Table) and act == "sleep":
        world.sleep()
    elif isinstance(world, Table) and act == "wake":
        world.wake()
    elif isinstance(world, Table) and act == "edit":
        world.edit(form["uuid"], {form["path"]: int(form["value"])})
    else:
        raise ValueError(f"nothing known is asked for: {act}")


def _frame(body: str) -> str:
    return f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Fake Foundry</title><style>{_STYLE}</style></head><body>{body}</body></html>'


def _form(act: str, title: str, **hidden: str) -> str:
    fields = "".join(f'<input type="hidden" name="{name}" value="{escape(value)}">' for name, value in hidden.items())
    return (
        f'<form method="post" action="/fake">{fields}<button name="act" value="{act}">{escape(title)}</button></form>'
    )


def _page(relay: Relay) -> str:
    parts = []
    for world in relay.worlds.values():
        state, act, title = ("awake", "sleep", "Send to sleep") if world.online else ("asleep", "wake", "Wake up")
        parts.append(
            f"<h1>{escape(world.title)}</h1><p>{escape(world.client)}, {state}</p>{_form(act, title, world=world.client)}"
        )
        with world.lock:
            shown = sheets(world)
        lines = "".join(_line(world.client, sheet) for sheet in shown)
        parts.append(f"<table><tr><th>actor</th><th>Wounds</th><th>Stress</th></tr>{lines}</table>")
    return _frame("".join(parts))


def _line(client: str, sheet: Sheet) -> str:
    cells = {name: _cell(client, sheet.uuid, path, value) for path, (name, value) in sheet.numbers.items()}
    numbers = "".join(f"<td>{cells.get(name, '')}</td>" for name in TRACKERS)
    return f'<tr><td title="{escape(sheet.uuid)}">{escape(sheet.name)}</td>{numbers}</tr>'


def _cell(client: str, uuid: str, path: str, value: object) -> str:
    hidden = {"world": client, "uuid": uuid, "path": path}
    fields = "".join(f'<input type="hidden" name="{key}" value="{escape(text)}">' for key, text in hidden.items())
    field = f'<input name="value" type="number" aria-label="{escape(path)}" value="{escape(str(value))}">'
    return f'<form method="post" action="/fake">{fields}{field} <button name="act" value="edit">Set</button></form>'
