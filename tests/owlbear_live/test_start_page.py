"""The start page: what it says, where it says the server is, and that it needs no script."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from rallypoint_owlbear.link import app

from .served_page import Server, running

SOURCE = Path(app.__file__).parents[1] / "extension" / "public" / "index.html"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with running(tmp_path) as found:
        (tmp_path / "bundle" / "index.html").write_bytes(SOURCE.read_bytes())
        yield found


def words_of(page: str) -> str:
    """What a person reads."""
    body = page.partition("<body>")[2]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", body)).split())


def test_it_names_the_port_that_the_server_has(server: Server) -> None:
    answer = server.client.get("/")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert re.findall(r"http://\S+?/manifest\.json", answer.text) == [
        f"http://localhost:{server.doors.port}/manifest.json"
    ]
    assert "127.0.0.1 is not accepted" in words_of(answer.text)


def test_it_says_what_one_must_know(server: Server) -> None:
    words = words_of(server.client.get("/").text)
    told = [
        "Extras, Extensions, Add Custom Extension",
        "pairing code. The terminal in which rallypoint owlbear serve runs shows it",
        "access other apps and services on this device",
        "If it was denied, the extension looks dead",
        "set Apps on device (older versions: Local network) to Allow",
        "Nothing of our extension: it is served by your computer to you",
        "Owl Trackers",
        "No picture that your computer serves: you alone see those",
        "In a private window the browser may forget the link: type the code in each session",
        "Firefox and Safari were not tried. Nothing was tried in a real room yet",
    ]
    assert [each for each in told if each not in words] == []


def test_it_gives_nothing_away_and_runs_nothing(server: Server) -> None:
    answer = server.client.get("/")
    assert server.doors.code not in answer.text
    assert server.doors.desk_key not in answer.text
    assert "<script" not in answer.text
    assert re.findall(r"\son\w+=", answer.text) == []
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-cache"


def luminance(colour: str) -> float:
    """The relative luminance of a colour such as #1b1e2b, by WCAG 2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = [each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_it_can_be_read_in_both_colour_schemes() -> None:
    style = SOURCE.read_text("utf-8")
    light, dark = [
        dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))
        for block in re.findall(r":root \{[^}]*--ground[^}]*\}", style)
    ]
    assert (luminance(light["ground"]) > 0.9, luminance(dark["ground"]) < 0.05) == (True, True)
    for scheme in (light, dark):
        for text, ground in (("text", "ground"), ("soft", "ground"), ("link", "ground"), ("text", "raised")):
            low, high = sorted((luminance(scheme[text]), luminance(scheme[ground])))
            assert (high + 0.05) / (low + 0.05) >= 4.5, (text, scheme)


def test_a_build_without_it(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        answer = server.client.get("/")
    assert (answer.status_code, answer.json()["code"]) == (404, "file")


def test_strangers_do_not_get_it(server: Server) -> None:
    answer = server.client.get("/", headers={"host": f"example.org:{server.doors.port}"})
    assert (answer.status_code, answer.json()["code"]) == (403, "host")
