"""The fake relay: who may come in, to which world a call goes, what comes back. No sockets, no threads, no clock of its own."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TypeAlias

from rallypoint_sync.clock import Clock

from .accounts import SESSION, Accounts, Key
from .answers import NOT_FOUND, Answer, Call, Forward, from_module, html_not_found, no_method, refusal, said
from .faults import AT_THE_DOOR, ON_THE_WAY, Faults, carried
from .module import answer as module_answer
from .routes import CANVAS_TYPES, IN_2X, Route, body_of, read_parameters, route_of
from .streams import Streams, Subscription, is_stream
from .world import World

__all__ = ["SHAPES", "Relay", "StillClock"]

SHAPES = ("3.4.1", "2.2.1", "foundry")
"""What can be played: the relay of today, that of 2.x in its memory mode, and a bare Foundry that is no relay."""

Step: TypeAlias = Answer | Forward | Subscription | None


class StillClock:
    """A clock that stands still unless somebody waits."""

    def __init__(self, now: float = 1796008587.0) -> None:
        self.time = now

    def now(self) -> float:
        """Return the present moment in seconds."""
        return self.time

    def sleep(self, seconds: float) -> None:
        """Let that much time go by, at once."""
        self.time += seconds


class Relay:
    """A relay with worlds behind it.

    Args:
        worlds: the worlds, all of the account ``owner``.
        clock: what request ids and the rate are taken from; stands still without one.
        shape: one of :data:`SHAPES`.
        per_minute: how many calls a key has a minute, 0 for as many as it likes.
        largest: how many bytes a body may have.
        approves: whether a request for a key is approved at once.
    """

    def __init__(
        self,
        *worlds: World,
        clock: Clock | None = None,
        shape: str = "3.4.1",
        per_minute: int = 0,
        largest: int = 250 * 1024 * 1024,
        approves: bool = False,
    ) -> None:
        self.clock: Clock = clock or StillClock()
        self.shape, self.per_minute, self.largest = shape, per_minute, largest
        self.accounts = Accounts(approves=approves)
        self.faults = Faults()
        self.streams = Streams(self.faults)
        self.worlds: dict[str, World] = {}
        self.owners: dict[str, str] = {}
        self.heard: list[Call] = []
        self.running = True
        self._held: list[tuple[World, dict[str, object]]] = []
        for world in worlds:
            self.add(world)

    def add(self, world: World, account: str = "owner") -> None:
        """Pair a world."""
        self.worlds[world.client] = world
        self.owners[world.client] = account
        self.streams.listen(world)

    def add_key(
        self, *scopes: str, secret: str | None = None, account: str = "owner", clients: tuple[str, ...] = ()
    ) -> str:
        """Make a key, of all scopes unless some are named, and return its secret."""
        return self.accounts.add_key(scopes or None, secret=secret, account=account, clients=clients).secret

    def stop(self) -> None:
        """Go down: streams are cut, nobody listens."""
        self.running = False
        self._held.clear()
        self.streams.end("cut")

    def start(self, *, forget_keys: bool = False) -> None:
        """Come up again, in memory mode without the keys of before."""
        self.running = True
        if forget_keys:
            self.accounts.keys.clear()

    # --- a call

    def answer(self, call: Call) -> Answer | Subscription | None:
        """Return the answer to a call, or the stream that it opens; ``None``: nobody listens."""
        step = self.open(call)
        return self.carry(step) if isinstance(step, Forward) else step

    def open(self, call: Call) -> Step:
        """Look at a call as the relay does before it goes on to a world."""
        self.heard.append(call)
        if not self.running:
            return None
        fault = self.faults.take(AT_THE_DOOR) if self.faults.waiting else None
        if fault is not None:
            return AT_THE_DOOR[fault.name]
        if self.shape == "foundry":
            return self._bare(call)
        if int(call.headers.get("content-length") or 0) > self.largest:
            return refusal(413, "Request body too large")
        if len(call.body) > self.largest:
            call = call._replace(body=b"")
        return self._open_to_all(call) or self._with_key(call)

    def _bare(self, call: Call) -> Answer:
        if call.path == "/api/status":
            world = next(iter(self.worlds.values()), None)
            body = {"active": world is not None, "version": "13.351", "world": world and world.identity}
            return Answer(200, json.dumps(body).encode())
        return html_not_found(call.method, call.path)

    def _open_to_all(self, call: Call) -> Answer | None:
        """Answer what needs no key; ``None`` for everything else."""
        if call.path == "/api/status":
            old = self.shape == "2.2.1"
            more = {} if old else {"billingEnabled": False, "headlessEnabled": False}
            return said(200, {"status": "ok", "version": "2.2.0" if old else self.shape, "websocket": "/relay", **more})
        if call.path == "/api/health":
            return said(200, {"status": "ok", "instanceId": "local"})
        parts = call.path.strip("/").split("/")
        if parts[:2] == ["api", "clients"] and len(parts) == 4 and parts[3] == "active" and self.shape != "2.2.1":
            world = self.worlds.get(parts[2])
            return refusal(404, "Unknown clientId") if world is None else said(200, {"active": world.online})
        if parts[0] == "auth":
            return self.accounts.answer(call) or NOT_FOUND
        return None

    def _with_key(self, call: Call) -> Step:
        route, canvas, allowed = route_of(call.method, call.path)
        stream = is_stream(call.path)
        old = self.shape == "2.2.1"
        if old and (stream or (call.path != "/clients" and call.path not in IN_2X)):
            return html_not_found(call.method, call.path)
        if route is None and not stream and call.path != "/clients" and not call.path.startswith("/contents/"):
            return no_method(allowed) if allowed else NOT_FOUND
        if route is None and call.method != "GET":
            return no_method("GET")
        key = self._key(call)
        if isinstance(key, Answer):
            return key
        if self._too_many(key):
            return AT_THE_DOOR["too_many"]
        scope = route.scope if route else "events:subscribe" if stream else "clients:read"
        if not old and scope not in key.scopes:
            return refusal(403, f"API key lacks required scope: {scope}")
        if call.path == "/clients":
            return self._clients(key)
        if call.path.startswith("/contents/"):
            words = "Use GET /structure with the path query parameter instead."
            return refusal(
                400,
                "This endpoint has been deprecated.",
                message=words,
                example="/structure?path=your/path&recursive=true",
            )
        if canvas and canvas not in CANVAS_TYPES:
            return refusal(
                400, f"Invalid documentType. Must be one of: {', '.join(CANVAS_TYPES)}", validTypes=list(CANVAS_TYPES)
            )
        return self._to_world(call, key, route, canvas, stream)

    def _key(self, call: Call) -> Key | Answer:
        secret = call.headers.get("x-api-key")
        if secret is None:
            bearer = call.headers.get("authorization")
            if bearer is None:
                return refusal(401, "API key is required")
            if bearer == f"Bearer {SESSION}":
                return refusal(401, "A scoped API key is required for API calls. Create one from your dashboard.")
            return refusal(401, "Invalid or expired session. Please log in again.")
        key = self.accounts.keys.get(secret)
        if self.shape == "2.2.1":  # memory mode takes any key
            return key or self.accounts.add_key(secret=secret)
        if key is None:
            return refusal(401, "Invalid API key")
        if not key.enabled:
            return refusal(401, "API key is disabled")
        return refusal(401, "API key has expired") if key.expired else key

    def _too_many(self, key: Key) -> bool:
        if not self.per_minute:
            return False
        now = self.clock.now()
        if key.refilled == 0.0:
            key.tokens, key.refilled = float(self.per_minute), now
        key.tokens = min(key.tokens + (now - key.refilled) * self.per_minute / 60, self.per_minute)
        key.refilled = now
        if key.tokens < 1:
            return True
        key.tokens -= 1
        return False

    def _clients(self, key: Key) -> Answer:
        listed = []
        for client, world in self.worlds.items():
            if self.owners[client] == key.account and (not key.clients or client in key.clients):
                listed += self._entry(world)
        return said(200, {"clients": listed, "total": len(listed)})

    def _entry(self, world: World) -> list[dict[str, object]]:
        known: dict[str, object] = {"worldId": world.identity, "worldTitle": world.title}
        seen = int(self.clock.now() * 1000) if world.online else 0
        if world.online:
            system = world.system
            known |= {"foundryVersion": world.core, "systemId": system.identity, "systemTitle": system.title}
            known |= {
                "systemVersion": system.version,
                "instanceId": "local",
                "ipAddress": "127.0.0.1:55732",
                "tokenName": "Fake",
            }
        known |= {"lastSeen": seen, "connectedSince": seen}
        if self.shape == "2.2.1":
            return [{"id": world.client, **known}] if world.online else []
        return [{"clientId": world.client, "isOnline": world.online, **known}]

    def _world(self, call: Call, key: Key, *, named: bool) -> World | Answer:
        """Return the world that a call is for; ``named``: it must be said which."""
        wanted = call.query.get("clientId")
        if wanted:
            world = self.worlds.get(wanted)
            if key.clients and wanted not in key.clients:
                return refusal(403, "API key is not authorized for this client")
            if world is not None and self.owners[wanted] != key.account:
                return refusal(401, "Invalid API key for this client ID")
            return world if world is not None and world.online else refusal(404, "Invalid client ID")
        if named:
            return refusal(400, "'clientId' is required")
        if len(key.clients) == 1:
            world = self.worlds.get(key.clients[0])
            if world is not None and world.online:
                return world
            words = "No Foundry client connected with this ID."
            return refusal(404, "Invalid client ID", clientId=key.clients[0], message=words)
        online = [world for client, world in self.worlds.items() if world.online and self.owners[client] == key.account]
        if not online:
            return refusal(404, "No connected Foundry clients found")
        if len(online) > 1:
            names = [world.client for world in online]
            return refusal(400, "Multiple clients connected. Please specify clientId.", connectedClients=names)
        return online[0]

    def _to_world(self, call: Call, key: Key, route: Route | None, canvas: str, stream: str | None) -> Step:
        old = self.shape == "2.2.1"
        world = self._world(call, key, named=old or stream is not None)
        if isinstance(world, Answer):
            return world
        if stream is not None:
            return self.streams.subscribe(stream, world.client, call.query) or refusal(429, "Too many event streams")
        assert route is not None
        if old and call.body and not body_of(call) and call.body.strip() != b"{}":
            return refusal(400, "Invalid JSON format", details="Unexpected token in JSON")
        found = read_parameters(route, call)
        if isinstance(found, Answer):
            return found
        message = {"type": route.type, "requestId": f"{route.type}_{int(self.clock.now() * 1000)}", **found}
        if canvas:
            message |= {
                "documentType": canvas,
                "className": "Token" if canvas == "tokens" else canvas.rstrip("s").title(),
            }
        return Forward(world.client, message, route.timeout)

    def carry(self, forward: Forward) -> Answer:
        """Send a message to its world, and return what comes back."""
        world = self.worlds[forward.client]
        with world.lock:
            fault = self.faults.take(ON_THE_WAY, str(forward.message["type"])) if self.faults.waiting else None
            answer, hold = carried(world, forward, fault)
            if not world.online:
                self.streams.end("clean", world.client)
            held, self._held = self._held, [(world, forward.message)] if hold else []
            for other, message in held:
                module_answer(other, message)
        if self.shape == "2.2.1":
            return _with_client(answer, forward.client)
        return answer


def _with_client(answer: Answer, client: str) -> Answer:
    if answer.status == 408 and answer.delay == 10.0:
        return answer._replace(delay=math.inf)  # 2.x leaves them hanging
    body: Mapping[str, object] | None = json.loads(answer.body) if answer.kind == "application/json" else None
    return (
        answer
        if body is None or "type" not in body
        else from_module({**body, "clientId": client})._replace(delay=answer.delay)
    )
