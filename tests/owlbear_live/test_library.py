"""Encounters from the popover, new scenes and pictures of tokens: what goes to the room, and what is said when nobody knows."""

from __future__ import annotations

import base64
import http.server
import json
import struct
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from rallypoint.kernel.errors import InputError
from rallypoint_owlbear.hex_picture import png
from rallypoint_owlbear.link.encounters import Encounters
from rallypoint_owlbear.link.found_pictures import PublicPictures
from rallypoint_owlbear.link.kept_pictures import MOST_BYTES, KeptPictures
from rallypoint_owlbear.link.new_scene import map_beside
from rallypoint_owlbear.link.pictures import MOST_PIXELS, by_name, measured, picked
from rallypoint_owlbear.link.placing import items_of
from rallypoint_owlbear.link.wire import Message
from rallypoint_owlbear.stands import RECORD_KEY

from .room import Item
from .served_page import running
from .test_commands import OURS, THEIRS, Play
from .test_link import Table


def drawn(width: int, height: int) -> bytes:
    return png([bytes(width)] * height, [(200, 0, 0)])


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Play]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with running(tmp_path) as server:
        yield Play(tmp_path, server)


@pytest.fixture
def counters(tmp_path: Path) -> Path:
    """Two pictures as `rallypoint tokens` calls them, one for the rest of a side, and a file that is none."""
    folder = tmp_path / "counters"
    (folder / "units").mkdir(parents=True)
    (folder / "units" / f"{OURS}.png").write_bytes(drawn(28, 32))
    (folder / "units" / f"{THEIRS.removeprefix('blue.')}.png").write_bytes(drawn(20, 20))
    (folder / "Blue-Unit.png").write_bytes(drawn(12, 10))
    (folder / "notes.txt").write_text("no picture")
    return folder


# Sizes


def _webp(kind: bytes, body: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", len(body) + 12) + b"WEBP" + kind + struct.pack("<I", len(body)) + body


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (drawn(300, 200), "image/png"),
        (b"GIF87a\x2c\x01\xc8\x00", "image/gif"),
        (b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc2\x00\x0b\x08\x00\xc8\x01\x2c\x03", "image/jpeg"),
        (_webp(b"VP8X", b"\0\0\0\0" + (299).to_bytes(3, "little") + (199).to_bytes(3, "little")), "image/webp"),
        (_webp(b"VP8L", b"\x2f" + (299 | 199 << 14).to_bytes(4, "little")), "image/webp"),
        (_webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 300, 200)), "image/webp"),
    ],
)
def test_o18_a_picture_says_its_true_size(content: bytes, kind: str) -> None:
    assert measured(content) == (kind, 300, 200)
    assert all(measured(content[:length]) is None for length in range(10))


@pytest.mark.parametrize(
    "content",
    [b"", b"<svg/>", b"\xff\xd8\xff", b"RIFFxxxxWEBPxxxx", drawn(2, 2).replace(b"\0\0\0\x02", b"\0\1\0\0", 1)],
)
def test_what_is_no_picture_or_too_wide(content: bytes) -> None:
    assert measured(content) is None


def test_pictures_that_are_held_are_bounded_and_have_no_other_names() -> None:
    kept = KeptPictures()
    first = kept.keep(drawn(2, 2))
    assert first is not None
    assert kept.get(first) == ("image/png", drawn(2, 2))
    assert kept.keep(b"no picture") is None
    big = drawn(3, 3).ljust(MOST_BYTES, b"\0")
    assert kept.keep(big) is not None
    assert kept.get(first) is None
    assert kept.keep(big + b"\0") is None


@pytest.mark.parametrize(
    "change", [{"width": 0}, {"height": MOST_PIXELS + 1}, {"dpi": "70"}, {"offset": None}, {"dpi": True}]
)
@pytest.mark.parametrize(
    "also", [{}, {"url": "http://127.0.0.1/x.png"}, {"url": "javascript:alert(1)"}, {"mime": "text/html"}]
)
def test_a_picked_picture_that_cannot_be(change: Item, also: Item) -> None:
    good: Item = {"name": "a", "url": "https://x/a.png", "mime": "image/png", "width": 96, "height": 64, "dpi": 96}
    good["offset"] = {"x": 48, "y": 32}
    answer = Message(1, "picked", {"images": [good, good | (also or change), "none", None]})
    pictures, odd = picked(answer)
    assert [(each.name, each.width, each.height, each.offset) for each in pictures] == [("a", 96, 64, (48, 32))]
    assert odd == ("a",)


# Encounters in the popover


def offered(table: Table, path: Path) -> Encounters:
    table.room.pages[0].say("lease")
    return Encounters(table.link, [path])


def test_an_encounter_is_offered_and_placed_by_a_click(play: Play) -> None:
    encounters = Encounters(play.server.link, [play.export, play.export])
    play.line.connect()
    (name, second) = encounters.offered
    assert second == f"{name} ({play.export})"
    tokens = len(json.loads(play.export.read_text())["tokens"])
    assert play.page.status["encounters"] == [{"name": name, "tokens": tokens}, {"name": second, "tokens": tokens}]
    placed = threading.Event()
    say = play.server.link.say

    def saying(**status: object) -> None:
        say(**status)
        placed.set()

    play.server.link.say = saying  # type: ignore[method-assign]
    play.page.say("encounter", name=name)
    assert placed.wait(20)
    by_click = {each["id"]: each for each in play.room.items.values()}
    (first,) = placings(by_click.values())
    assert play.page.status["error"] is None
    play.room.items.clear()
    assert play.say("place", str(play.export)).status == 0
    (again,) = placings(play.room.items.values())  # one word for all of a placing, another for each
    assert again != first
    text = json.dumps({each["id"]: each for each in play.room.items.values()})
    assert json.loads(text.replace(again, first)) == by_click
    assert all(len(call) <= 20 for call in play.room.calls)


def placings(items: Iterable[Item]) -> set[str]:
    """By which placings tokens are there."""
    return {each["metadata"][RECORD_KEY]["placing"] for each in items if RECORD_KEY in each["metadata"]}


def test_an_encounter_that_is_not_offered_and_a_scene_without_hexes(play: Play) -> None:
    table = Table()
    encounters = offered(table, play.export)
    (name,) = encounters.offered
    with pytest.raises(InputError, match="no such encounter"):
        encounters.place("../../etc/passwd")
    table.link.pages.by_id["tab-1"].shown = table.link.pages.by_id["tab-1"].shown._replace(grid={"type": "SQUARE"})
    with pytest.raises(InputError, match="tokens stand on hexes"):
        encounters.place(name)
    table.room.items.clear()
    done = threading.Event()
    say = table.link.say
    table.link.say = lambda **status: (say(**status), done.set())[0]  # type: ignore[method-assign,func-returns-value]
    table.page.say("encounter", name=name)
    assert done.wait(20)
    assert "tokens stand on hexes" in table.page.status["error"]
    assert table.room.items == {}


def test_without_encounters_a_click_says_so() -> None:
    table = Table()
    table.page.say("encounter", name="The Ford")
    assert table.page.status["error"] == "no encounters are offered"


def test_serve_refuses_an_encounter_that_is_none(play: Play, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("{}")
    bundle = str(tmp_path / "bundle")
    done = play.say("serve", "--bundle", bundle, "--encounter", str(path))
    assert (done.status, "no export for Owlbear" in done.err) == (2, True)


# A new scene


def test_a_new_scene_has_hexes_map_and_all_tokens_where_they_stand(play: Play) -> None:
    play.line.connect()
    done = play.say("place", str(play.export), "--new-scene", "--name", "Ambush")
    assert (done.status, "A picker opens" in done.err) == (0, True)
    assert "open the scene in Owlbear" in done.out
    assert "not known" not in done.out
    (scene,) = play.room.library["scenes"]
    assert (scene["name"], scene["grid"]["type"], scene["grid"]["dpi"]) == ("Ambush", "HEX_VERTICAL", 150)
    assert play.room.items == {}
    told = {each["uid"]: each["hex"] for each in json.loads(play.export.read_text())["tokens"]}
    placed = {each["metadata"][RECORD_KEY]["uid"]: each for each in scene["items"] if RECORD_KEY in each["metadata"]}
    assert placed.keys() == told.keys()
    for uid, item in placed.items():
        q, r = told[uid]["q"], told[uid]["r"]
        assert item["position"] == {"x": round(150 * (q + r / 2)), "y": round(129.9038 * r - 43.301)}


def test_the_map_of_the_export_is_served_and_lies_under_the_hexes(play: Play) -> None:
    board = drawn(700, 606)
    folder = play.battle.parent / "with map"
    folder.mkdir()
    path = folder / "encounter.owlbear.json"
    path.write_bytes(play.export.read_bytes())
    (folder / "map.dd2vtt").write_text(json.dumps({"image": base64.b64encode(board).decode()}))
    play.line.connect()
    assert play.say("place", str(path), "--new-scene").status == 0
    shown = play.room.library["scenes"][0]["map"]
    assert (shown["width"], shown["height"], shown["dpi"]) == (700, 606, 70)
    # The centre of the first hex lies half a width from the left and one side from above; the world's zero half a side below it.
    side = 70 / 3**0.5
    assert shown["offset"] == {"x": 35, "y": pytest.approx(side + side / 2, abs=0.001)}
    path_on_server = shown["url"].removeprefix(play.server.doors.origin)
    answer = play.server.client.get(path_on_server)
    assert (answer.content, answer.headers["content-type"]) == (board, "image/png")
    assert answer.headers["access-control-allow-origin"] == "*"


def test_o38_a_picker_that_ran_out_of_time_is_told_as_unknown(play: Play) -> None:
    play.line.connect()
    play.page.faults = ["picker times out"]
    done = play.say("place", str(play.export), "--new-scene")
    assert (done.status, "is not known" in done.out) == (0, True)
    play.page.faults = ["picker times out"]
    assert json.loads(play.say("place", str(play.export), "--new-scene", "--json").out)["sure"] is False


def test_o33_a_picker_that_was_closed_is_a_failure(play: Play) -> None:
    play.line.connect()
    play.page.faults = ["picker closed"]
    done = play.say("place", str(play.export), "--new-scene", "--json")
    assert (done.status, json.loads(done.out)["code"]) == (3, "other")
    assert play.room.library["scenes"] == []


def test_a_new_scene_may_be_made_while_none_is_open_and_a_dry_run_sends_nothing(play: Play) -> None:
    play.room.open(None)
    play.line.connect()
    done = play.say("place", str(play.export), "--new-scene", "--dry-run")
    assert (done.status, "Nothing was sent" in done.out) == (0, True)
    assert play.room.library["scenes"] == []
    assert play.say("place", str(play.export), "--new-scene").status == 0
    assert len(play.room.library["scenes"]) == 1


@pytest.mark.parametrize("content", ["", "[]", '{"image": 7}', '{"image": "%%%"}', '{"image": "AAAA"}'])
def test_a_map_that_is_none_is_left_out(tmp_path: Path, content: str) -> None:
    (tmp_path / "map.dd2vtt").write_text(content)
    assert map_beside(tmp_path / "encounter.owlbear.json") is None
    assert map_beside(tmp_path / "elsewhere" / "encounter.owlbear.json") is None


# Pictures


def test_pictures_go_into_the_library_once_with_their_true_sizes(play: Play, counters: Path) -> None:
    play.line.connect()
    assert play.say("pictures", "upload", str(counters), "--dry-run").status == 0
    assert play.room.library["images"] == []
    assert play.say("pictures", "upload", str(counters)).status == 0
    sizes = {each["name"]: (each["width"], each["height"], each["dpi"]) for each in play.room.library["images"]}
    assert sizes == {
        OURS: (28, 32, 28),
        THEIRS.removeprefix("blue."): (20, 20, 20),
        "Blue-Unit": (12, 10, 12),
    }
    for each in play.room.library["images"]:
        answer = play.server.client.get(each["url"].removeprefix(play.server.doors.origin))
        assert measured(answer.content) == ("image/png", each["width"], each["height"])
        assert each["offset"] == {"x": each["width"] / 2, "y": each["height"] / 2}


def test_tokens_get_the_pictures_that_the_gm_picks_and_the_others_are_named(play: Play, counters: Path) -> None:
    play.line.connect()
    assert play.say("pictures", "upload", str(counters)).status == 0
    done = play.say("place", str(play.export), "--pictures", "library")
    assert done.status == 0
    ours, theirs = play.token(OURS), play.token(THEIRS)
    assert [ours["type"], theirs["type"]] == ["IMAGE", "IMAGE"]
    assert (ours["image"]["width"], ours["image"]["height"], ours["grid"]["dpi"]) == (28, 32, 28)
    assert theirs["image"]["width"] == 20  # its own before the one for all of its side
    kinds = [each["type"] for each in play.room.items.values()]
    discs = [each["metadata"][RECORD_KEY]["uid"] for each in play.room.items.values() if each["type"] == "SHAPE"]
    assert kinds.count("IMAGE") == 1 + sum(
        RECORD_KEY in each["metadata"] and each["metadata"][RECORD_KEY]["side"] == "blue"
        for each in play.room.items.values()
    )
    assert OURS not in discs
    assert discs
    assert all(uid.startswith("red.") for uid in discs)
    assert all(uid in done.out for uid in discs)
    assert ours["text"]["plainText"]  # and what stood on the disc stands on the picture
    assert not [each for each in play.room.items.values() if each.get("attachedTo") == ours["id"]]


def test_the_picker_is_closed_or_the_pictures_have_no_size(play: Play, counters: Path) -> None:
    play.line.connect()
    assert play.say("pictures", "upload", str(counters)).status == 0
    for fault, words in (
        ("picker closed", "No pictures were picked"),
        ("wrong sizes", "its size or address cannot be"),
    ):
        play.room.items.clear()
        play.page.faults = [fault]
        done = play.say("place", str(play.export), "--pictures", "library")
        assert (done.status, words in done.err) == (0, True)
        assert {each["type"] for each in play.room.items.values()} == {"SHAPE", "TEXT"}


@pytest.mark.parametrize("what", ["missing", "empty"])
def test_a_folder_without_pictures(play: Play, tmp_path: Path, what: str) -> None:
    play.line.connect()
    (tmp_path / "empty").mkdir()
    assert play.say("pictures", "upload", str(tmp_path / what)).status == 2
    assert play.room.library["images"] == []


@pytest.fixture
def public(counters: Path) -> Iterator[str]:
    """The pictures under an address that everybody may read; on this machine alone, for the test."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *given: object, **more: object) -> None:
            super().__init__(*given, directory=str(counters / "units"), **more)  # type: ignore[arg-type]

        def log_message(self, *_given: object) -> None:
            return

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join(10)


def test_pictures_of_a_public_address_are_measured(play: Play, public: str) -> None:
    play.line.connect()
    assert play.say("place", str(play.export), "--images", public).status == 0
    assert play.token(OURS)["image"] == {
        "url": f"{public}/{OURS}.png",
        "mime": "image/png",
        "width": 28,
        "height": 32,
    }
    assert play.token(THEIRS)["image"]["width"] == 20
    assert play.token("red.small-1A-1-1")["type"] == "SHAPE"


@pytest.mark.parametrize(
    "base", ["tokens", "file:///etc", "ftp://example.org", "https://", "https://me:key@example.org"]
)
def test_an_address_that_is_none(base: str) -> None:
    with pytest.raises(InputError, match="this is no address"):
        PublicPictures(base)


def test_an_address_that_does_not_answer(public: str) -> None:
    looked = PublicPictures(public)
    assert looked("../../secret") is None
    assert looked(OURS) == looked(OURS)
    gone = PublicPictures("http://127.0.0.1:1")
    with pytest.raises(InputError, match="does not answer"):
        gone(OURS)


def test_two_sources_of_pictures_are_one_too_many(play: Play) -> None:
    done = play.say("place", str(play.export), "--images", "https://example.org", "--pictures", "library")
    assert (done.status, "one place" in done.err) == (2, True)


def test_o17_more_than_a_hundred_tokens_are_warned_of(play: Play, tmp_path: Path) -> None:
    content = json.loads(play.export.read_text())
    content["tokens"] = (content["tokens"] * 101)[:101]
    path = tmp_path / "many.json"
    path.write_text(json.dumps(content))
    assert items_of(path, (150, 0, 0)).warning is not None
    play.line.connect()
    assert "warning: 101 tokens" in play.say("place", str(path)).out
    content["tokens"].pop()
    path.write_text(json.dumps(content))
    assert items_of(path, (150, 0, 0)).warning is None


def test_o17_never_more_than_twenty_items_in_one_call(play: Play, tmp_path: Path) -> None:
    content = json.loads(play.export.read_text())
    first = content["tokens"][0]
    content["tokens"] = [first | {"items": [{**first["items"][0], "id": f"token {number}"}]} for number in range(45)]
    path = tmp_path / "many.json"
    path.write_text(json.dumps(content))
    play.line.connect()
    assert play.say("place", str(path)).status == 0
    assert [len(call) for call in play.room.calls] == [20, 20, 5]


def test_of_two_pictures_with_one_name_the_first_is_taken() -> None:
    one: Item = {"name": "A.png", "url": "https://x/1", "mime": "image/png", "width": 1, "height": 1, "dpi": 1}
    one["offset"] = {"x": 0, "y": 0}
    found, _ = picked(Message(1, "picked", {"images": [one, one | {"name": "a", "url": "https://x/2"}]}))
    assert {name: each.url for name, each in by_name(found).items()} == {"a": "https://x/1"}
