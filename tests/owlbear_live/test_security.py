"""What strangers try: each is refused or bounded, nothing is lost, and the server is up afterwards."""

from __future__ import annotations

import base64
import contextlib
import http.client
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from rallypoint_owlbear.link.app import MOST_BYTES, MOST_STREAMS
from rallypoint_owlbear.link.doors import TRIES, Doors
from rallypoint_owlbear.link.serving import listening
from rallypoint_owlbear.link.transport import OwlbearTransport
from rallypoint_owlbear.link.wire import WireError

from .room import Page, Room, token
from .served_page import Served, Server, running


@pytest.fixture(scope="module")
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("served")) as found:
        yield found


@pytest.fixture
def server(_server: Server) -> Iterator[Server]:
    """The server, which must be up after each of the tests."""
    yield _server
    assert _server.client.get("/manifest.json").json() == {"name": "Rallypoint link"}


def refused(answer: httpx.Response, status: int, code: str) -> None:
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "localhost", "localhost:1", "localhost.evil.example:80", ""]
)
@pytest.mark.parametrize("path", ["/manifest.json", "/link/events?page=a", "/pictures/marine.png"])
def test_a_wrong_host(server: Server, host: str, path: str) -> None:
    refused(server.client.get(path, headers={"host": host}), 403, "host")


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "https://www.owlbear.rodeo"},
        {"origin": "null"},
        {"origin": "http://localhost:1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_foreign_origin_even_with_the_code_or_a_token(server: Server, headers: dict[str, str]) -> None:
    paired = {**server.pair(), **headers}
    refused(server.client.post("/link/pair", json={"v": 1, "code": server.doors.code}, headers=headers), 403, "origin")
    refused(server.client.post("/link/up", json={}, headers=paired), 403, "origin")
    refused(server.client.get("/link/events?page=a", headers=paired), 403, "origin")
    desk = {"authorization": f"Bearer {server.doors.desk_key}", **headers}
    refused(server.client.post("/desk/standing", json={"v": 1}, headers=desk), 403, "origin")


def test_our_own_origin_comes_in(server: Server) -> None:
    headers = {**server.pair(), "origin": server.doors.origin, "sec-fetch-site": "same-origin"}
    assert server.hello(headers, "own").json()["heard"] == 1


@pytest.mark.parametrize("said", ["", "Bearer", "Bearer nonsense", "Basic YTpi", "bearer \u00e9"])
def test_no_token(server: Server, said: str) -> None:
    headers = {b"authorization": said.encode("latin-1")}
    refused(server.client.post("/link/up", json={}, headers=headers), 401, "token")
    refused(server.client.get("/link/events?page=a", headers=headers), 401, "token")
    refused(server.client.post("/desk/standing", json={"v": 1}, headers=headers), 401, "token")


def test_the_token_of_an_earlier_run_and_that_of_a_page_at_the_desk(server: Server) -> None:
    old = Doors(server.doors.port)
    headers = {"authorization": f"Bearer {old.pair(old.code)}"}
    refused(server.client.post("/link/up", json={}, headers=headers), 401, "token")
    refused(server.client.post("/desk/standing", json={"v": 1}, headers=server.pair()), 401, "token")


def test_a_code_is_guessed() -> None:
    shown: list[str] = []
    doors = Doors(1, show_code=shown.append, now=lambda: 0.0)
    first = doors.code
    wrong = f"{(int(first) + 1) % 10**6:06d}"
    codes = []
    for _ in range(11):
        with pytest.raises(WireError) as error:
            doors.pair(wrong)
        codes.append(error.value.code)
    assert codes == ["code"] * 10 + ["rate"]
    assert len(shown) == 1 + 10 // TRIES  # and those who guess must begin anew with another code
    assert shown[0].replace(" ", "") == first


def test_the_code_may_be_typed_as_it_is_shown() -> None:
    shown: list[str] = []
    doors = Doors(1, show_code=shown.append)
    assert doors.pair(f" {shown[0].replace(' ', '-')} ")


@pytest.mark.parametrize("said", [None, 482913, ["482913"], {}, "", "\u0664\u0668\u0662\u0669\u0661\u0663"])
def test_a_code_that_is_none(said: object) -> None:
    with pytest.raises(WireError, match="not the code"):
        Doors(1).pair(said)


def test_a_body_of_100_megabytes_is_not_read(server: Server) -> None:
    line = http.client.HTTPConnection("127.0.0.1", server.doors.port, timeout=20)
    headers = {**server.pair(), "Host": f"localhost:{server.doors.port}", "Content-Type": "application/json"}
    line.putrequest("POST", "/link/up", skip_host=True)
    for name, value in {**headers, "Content-Length": "100000000"}.items():
        line.putheader(name, value)
    line.endheaders()
    answer = line.getresponse()  # without a byte of it sent
    assert answer.status == 413
    line.close()


def test_a_body_that_does_not_say_how_big_it_is(server: Server) -> None:
    sent = 0

    def parts() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(100):
            sent += 1_000_000
            yield b" " * 1_000_000

    headers = {**server.pair(), "content-type": "application/json"}
    with contextlib.suppress(httpx.WriteError, httpx.ReadError, httpx.RemoteProtocolError):
        refused(server.client.post("/link/up", content=parts(), headers=headers), 413, "size")
    assert sent < 100_000_000
    assert sent > MOST_BYTES


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"v": NaN}',
        b'{"v":1,"page":' + b"[" * 100_000,
        b'{"v": 1' + b"0" * 5000 + b"}",
    ],
)
def test_broken_json(server: Server, body: bytes) -> None:
    headers = {**server.pair(), "content-type": "application/json"}
    assert server.client.post("/link/up", content=body, headers=headers).status_code == 400


@pytest.mark.parametrize("version", [0, 2, "1", True, 1.0, None])
def test_another_version(server: Server, version: object) -> None:
    answer = server.client.post("/link/up", json={"v": version}, headers=server.pair())
    refused(answer, 400, "version")


def test_a_body_that_calls_itself_something_else(server: Server) -> None:
    headers = {**server.pair(), "content-type": "text/plain"}  # what a form of another site can send without asking
    refused(server.client.post("/link/up", content=b'{"v":1}', headers=headers), 400, "json")


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"m": 0, "kind": "lease"},
        {"m": True, "kind": "lease"},
        {"m": 1, "kind": "format the disk"},
        {"m": 1, "kind": ["lease"]},
        {"m": 1, "kind": "edited", "items": [{}], "removed": []},
        {"m": 1, "kind": "edited", "items": [{"id": "a", "metadata": []}], "removed": []},
        {"m": 1, "kind": "edited", "items": {}, "removed": []},
        {"m": 1, "kind": "scene changed", "scene": 7},
        {"m": 1, "kind": "scene changed", "scene": "s", "grid": {"type": "x" * 5000}},
        {"m": 1, "kind": "link", "item": "x" * 5000},
        {"m": 1, "kind": "link", "item": "x", "uid": "x" * 5000},
        {"m": 1, "kind": "edited", "items": [{"id": "x" * 5000, "metadata": {}}], "removed": []},
        {"m": 1, "kind": "hello", "player": "gm", "name": None, "role": "GM", "room": "r1"},
    ],
)
def test_a_message_that_is_none_and_nothing_beside_it_is_taken(server: Server, message: object) -> None:
    headers = server.pair()
    server.hello(headers, "teller")
    good = {"m": 5, "kind": "lease"}
    answer = server.client.post(
        "/link/up", json={"v": 1, "page": "teller", "messages": [good, message]}, headers=headers
    )
    refused(answer, 400, "message")
    assert server.link.pages.by_id["teller"].heard == 1


@pytest.mark.parametrize(
    "path",
    [
        "/pictures/../secret.json",
        "/pictures/..%2fsecret.json",
        "/pictures/%2e%2e/secret.json",
        "/pictures/..%5csecret.json",
        "/pictures/%2fetc%2fpasswd",
        "/pictures//etc/hostname",
        "/pictures/marine.png%00.png",
        "/pictures/way-out.png",
        "/pictures/notes.txt",
        "/pictures/",
        "/pictures/kept/../secret.json",
        "/pictures/kept/..%2f..%2fsecret.json",
        "/pictures/kept/%2e%2e/marine.png",
        "/pictures/kept/marine.png",
        "/pictures/kept/",
        "/..%2fsecret.json",
        "/%2e%2e/secret.json",
        "/../secret.json",
    ],
)
def test_a_path_that_climbs_out(server: Server, path: str) -> None:
    line = http.client.HTTPConnection("127.0.0.1", server.doors.port, timeout=20)
    line.putrequest("GET", path, skip_host=True)  # as it is: a client would tidy it
    line.putheader("Host", f"localhost:{server.doors.port}")
    line.endheaders()
    answer = line.getresponse()
    assert (answer.status, b"business" in answer.read()) == (404, False)
    line.close()


def test_what_everybody_may_have_and_who_may_frame_it(server: Server) -> None:
    for path, is_open in (("/manifest.json", True), ("/pictures/marine.png", True), ("/popover.html", False)):
        headers = server.client.get(path, headers={"origin": "https://www.owlbear.rodeo"}).headers
        assert (headers.get("access-control-allow-origin") == "*") is is_open
        assert headers["content-security-policy"].endswith("frame-ancestors https://www.owlbear.rodeo")
        assert headers["cache-control"] == "no-cache"
        assert "x-frame-options" not in headers
    answer = server.client.post("/link/pair", json={"v": 1, "code": "x"})
    assert "access-control-allow-origin" not in answer.headers
    assert server.client.get("/settings.json").json() == {"v": 1, "hosts": ["https://www.owlbear.rodeo"]}


def test_it_listens_to_this_machine_alone() -> None:
    sockets = listening(0)
    assert {each.getsockname()[0] for each in sockets} <= {"127.0.0.1", "::1"}
    assert len({each.getsockname()[1] for each in sockets}) == 1
    for each in sockets:
        each.close()


def test_fifty_that_never_read(tmp_path: Path) -> None:
    """More than the server has streams for: the rest is told so, a page that was there goes on, and a write comes through."""
    with running(tmp_path) as server, contextlib.ExitStack() as stack:
        room = Room()
        room.items["t1"] = token("t1", "u1", {"rallypoint-wounds-u1": 0})
        line = Served(server, Page(room))
        line.connect()
        headers = server.pair()
        answers = []
        for number in range(50):
            server.hello(headers, f"idle-{number}")
            raw = stack.enter_context(socket.create_connection(("127.0.0.1", server.doors.port), timeout=10))
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            head = f"GET /link/events?page=idle-{number} HTTP/1.1\r\nHost: localhost:{server.doors.port}\r\n"
            raw.sendall(f"{head}Authorization: {headers['authorization']}\r\n\r\n".encode())
            answers.append(raw.recv(12)[9:])
        assert answers.count(b"200") == MOST_STREAMS - 1
        assert answers.count(b"503") == 50 - (MOST_STREAMS - 1)
        for number in range(500):
            server.link.say(error="x" * 10_000, linked=number)
        waiting = [page.stream for page in server.link.pages.by_id.values() if page.stream is not None]
        assert all(len(each.waiting) <= 2 for each in waiting)  # of news only the newest waits
        way = OwlbearTransport(server.link, "scene-1", ())
        path = "/metadata/com.owl-trackers~1trackers/rallypoint-wounds-u1/value"
        assert way.write("t1", {path: 2}) == {path: 2}


def test_what_is_remembered_of_a_page_is_bounded(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        headers = server.pair()
        server.hello(headers)
        last, _ = server.link.changes_after(-1, 0)
        edited = {"m": 2, "kind": "edited", "items": [], "removed": [f"item {number}" for number in range(10_000)]}
        body = {"v": 1, "page": "tab-1", "messages": [edited]}
        assert server.client.post("/link/up", json=body, headers=headers).json()["heard"] == 2
        assert server.link.changes_after(last, 0)[1] == ([],)  # anything may have changed
        linked = [{"m": number, "kind": "link", "item": f"i{number}", "uid": "u"} for number in range(3, 403)]
        for _ in range(4):
            body = {"v": 1, "page": "tab-1", "messages": linked}
            assert server.client.post("/link/up", json=body, headers=headers).status_code == 200
            linked = [{**each, "m": int(str(each["m"])) + 400, "item": f"{each['item']}+"} for each in linked]
        assert len(server.link.links()) == 1000


def said(server: Server, headers: dict[str, str], page: str, *messages: dict[str, object]) -> httpx.Response:
    return server.client.post("/link/up", json={"v": 1, "page": page, "messages": messages}, headers=headers)


@pytest.mark.parametrize(
    "message",
    [
        {"kind": "set", "uid": "u1", "field": "wounds", "value": 1, "was": 0},
        {"kind": "resolve", "number": 1, "take": "battle"},
        {"kind": "encounter", "name": "The Ford"},
        {"kind": "link", "item": "a", "uid": "u1"},
    ],
)
def test_what_is_the_gms_alone(server: Server, message: dict[str, object]) -> None:
    headers = server.pair()
    hello = {"m": 1, "kind": "hello", "player": "p", "name": "Ann", "role": "PLAYER", "room": "r1"}
    server.link.attend(60, "players", begins=True)
    refused(said(server, headers, "phone", hello, {"m": 2, **message}), 403, "role")
    assert (server.link.take_wishes("players"), server.link.links()) == ([], {})
    assert server.link.pages.by_id["phone"].heard == 1
    server.link.leave("players")


def test_a_number_of_thirty_digits_and_a_message_beside_it(server: Server) -> None:
    headers = server.pair()
    server.hello(headers, "clicks")
    server.link.attend(60, "digits", begins=True)
    good: dict[str, object] = {"m": 5, "kind": "set", "uid": "u1", "field": "wounds", "value": 1, "was": 0}
    refused(said(server, headers, "clicks", good, {**good, "m": 6, "value": 10**30}), 400, "message")
    assert server.link.take_wishes("digits") == []
    server.link.leave("digits")


def test_ten_thousand_clicks_leave_the_server_as_it_was(server: Server) -> None:
    headers = server.pair()
    server.hello(headers, "clicks")
    server.link.attend(60, "many", begins=True)
    click: dict[str, object] = {"kind": "set", "uid": "u1", "field": "wounds", "value": 1, "was": 0}
    refused(said(server, headers, "clicks", *[{**click, "m": 10 + each} for each in range(10_000)]), 400, "message")
    codes = [
        said(server, headers, "clicks", *[{**click, "m": 10 + start + each} for each in range(500)]).json()["code"]
        for start in range(0, 10_000, 500)
    ]
    assert set(codes) == {"rate"}
    assert len(server.link.take_wishes("many")) == 100
    server.link.leave("many")


@pytest.mark.parametrize("content", [None, 7, "", "no base64!", "AAAA", "PHN2Zy8+"])
def test_a_picture_that_is_none_is_not_held(server: Server, content: object) -> None:
    desk = {"authorization": f"Bearer {server.doors.desk_key}"}
    refused(server.client.post("/desk/picture", json={"v": 1, "base64": content}, headers=desk), 400, "picture")
    refused(server.client.post("/desk/picture", json={"v": 1, "base64": content}, headers=server.pair()), 401, "token")


def test_a_picture_that_is_held_is_nothing_that_a_browser_runs(server: Server) -> None:
    desk = {"authorization": f"Bearer {server.doors.desk_key}"}
    content = base64.b64encode(b"GIF89a\x01\x00\x01\x00<script>alert(1)</script>").decode()
    url = server.client.post("/desk/picture", json={"v": 1, "base64": content}, headers=desk).json()["url"]
    answer = server.client.get(url.removeprefix(server.doors.origin))
    headers = [answer.headers[name] for name in ("content-type", "x-content-type-options")]
    assert headers == ["image/gif", "nosniff"]
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")


def test_too_many_requests_of_one_token(tmp_path: Path) -> None:
    doors = Doors(1, now=lambda: 0.0)
    headers = {"authorization": f"Bearer {doors.pair(doors.code)}"}
    for _ in range(100):
        doors.check_token(headers)
    with pytest.raises(WireError, match="too many"):
        doors.check_token(headers)
