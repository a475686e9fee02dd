"""Tokens against literal facts of Owlbear's items and the Owl Trackers array."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import rallypoint_owlbear
from rallypoint.kernel.encounter import Encounter, Export, Gear, Sheet
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity, Hex, Place, State, Tracker
from rallypoint_owlbear.colours import side_colours
from rallypoint_owlbear.export import export
from rallypoint_owlbear.items import item_id, picture_type
from rallypoint_owlbear.trackers import Bar, owl_trackers

Json = dict[str, Any]
RECORD = "io.github.rallypoint/unit"
OWL = "com.owl-trackers/trackers"


class Force:
    """Entities and sheets, added one by one."""

    def __init__(self) -> None:
        self.entities: list[Entity] = []
        self.sheets: dict[str, Sheet] = {}

    def add(
        self,
        uid: str,
        role: str,
        parent: str | None = None,
        *,
        name: str = "",
        code: str = "",
        trackers: Mapping[str, Tracker] | None = None,
        place: Place | None = None,
        picture: str | None = None,
    ) -> None:
        self.entities.append(Entity.new(uid, role, parent=parent, trackers=trackers or {}, place=place))
        gear = (Gear("weapon", "pulse_rifle", "Pulse Rifle"),) if role == "unit" else ()
        stats = {"Instinct": 60} if role == "unit" else {}
        self.sheets[uid] = Sheet(uid, name, role.title(), code, stats, gear, ("secret orders",), picture)

    def side(self, uid: str, stress: int = 0) -> None:
        self.add(uid, "side", name=f"Side {uid}")
        self.add(f"{uid}/p", "platoon", uid, name="Platoon", trackers={"Stress": Tracker(stress, 0, 20, "up")})
        self.add(f"{uid}/1", "squad", f"{uid}/p", name="Squad 1")

    def team(
        self, uid: str, parent: str, *wounds: tuple[int, int], picture: str | None = None, place: Place | None = None
    ) -> None:
        code = f"{uid[0].upper()}-{uid[-1]}"
        self.add(uid, "team", parent, name=f"Team {uid[-1]}", code=code, picture=picture, place=place)
        for number, (taken, most) in enumerate(wounds):
            trackers = {"Wounds": Tracker(taken, 0, most, "up")}
            self.add(f"{uid}/{number}", "unit", uid, name=f"Unit {number}", code=f"{code}{'ABCDEFGHIJKLM'[number]}",
                     trackers=trackers)  # fmt: skip

    def encounter(self) -> Encounter:
        return Encounter("enc", "Encounter", "disrupter", State.of(self.entities), self.sheets)


def squad(picture: str | None = "https://example.org/team.png") -> Encounter:
    force = Force()
    force.side("red", stress=4)
    force.team("red/1/A", "red/1", (0, 2), (1, 3), (0, 1), picture=picture)
    force.team("red/1/B", "red/1", (1, 1), picture=picture)
    return force.encounter()


def two_sides() -> Encounter:
    force = Force()
    for side in ("red", "blue"):
        force.side(side, stress=3)
        force.team(f"{side}/1/A", f"{side}/1", (1, 2))
    return force.encounter()


def tokens(result: Export) -> dict[str, Json]:
    document = json.loads(result.files["encounter.owlbear.json"])
    assert (document["format"], document["version"]) == ("rallypoint.owlbear.encounter", 1)
    assert document["encounter"] == {"key": "enc", "title": "Encounter", "game": "disrupter"}
    return {token["uid"]: token for token in document["tokens"]}


def metadata(result: Export, uid: str) -> Json:
    return dict(tokens(result)[uid]["items"][0]["metadata"])


def test_one_token_a_team_with_a_bar_a_unit_and_stress() -> None:
    result = export(squad(), {})
    assert list(result.files) == ["encounter.owlbear.json"]
    assert list(tokens(result)) == ["red/1/A", "red/1/B"]
    assert metadata(result, "red/1/A")[OWL] == [
        {"id": "rallypoint-stress", "name": "Stress", "variant": "value", "color": 6, "value": 4},
        {"id": "rallypoint-wounds-red/1/A/0", "name": "R-AA", "variant": "value-max", "color": 2, "value": 0, "max": 2},
        {"id": "rallypoint-wounds-red/1/A/1", "name": "R-AB", "variant": "value-max", "color": 2, "value": 1, "max": 3},
        {"id": "rallypoint-wounds-red/1/A/2", "name": "R-AC", "variant": "value-max", "color": 2, "value": 0, "max": 1},
    ]
    # side, platoon, squad, two teams, four units
    assert result.counts == {"read": 9, "tokens": 2, "on_tokens": 7, "left_out": 0, "items": 2}
    assert result.left_out == ()


def test_our_record() -> None:
    assert metadata(export(squad(), {}), "red/1/A")[RECORD] == {
        "v": 1,
        "uid": "red/1/A",
        "encounter": "enc",
        "side": "red",
        "kind": "team",
        "code": "R-A",
        "rev": 1,
        "by": "kernel",
        "units": [
            {"uid": "red/1/A/0", "code": "R-AA", "wounds": 0, "maxWounds": 2},
            {"uid": "red/1/A/1", "code": "R-AB", "wounds": 1, "maxWounds": 3},
            {"uid": "red/1/A/2", "code": "R-AC", "wounds": 0, "maxWounds": 1},
        ],
        "stress": 4,
        "stressOf": "red/p",
        "wounds": 1,
        "maxWounds": 6,
    }


def test_one_token_a_unit() -> None:
    result = export(squad(), {"tokens": "unit"})
    assert list(tokens(result)) == ["red/1/A/0", "red/1/A/1", "red/1/A/2", "red/1/B/0"]
    found = metadata(result, "red/1/A/1")
    assert [(entry["name"], entry["value"]) for entry in found[OWL]] == [("Stress", 4), ("Wounds", 1)]
    assert found[OWL][1]["max"] == 3
    record = found[RECORD]
    assert (record["kind"], record["wounds"], record["maxWounds"], record["stress"]) == ("unit", 1, 3, 4)
    assert "units" not in record
    assert result.counts == {"read": 9, "tokens": 4, "on_tokens": 5, "left_out": 0, "items": 8}


def test_units_with_the_code_of_their_team_are_told_apart_by_name() -> None:
    force = Force()
    for side in ("red", "blue"):
        force.side(side)
        force.add(f"{side}/1/A", "team", f"{side}/1", name="Team A", code=f"{side}-A")
        for name in ("Gunner", "Scout"):
            wounds = {"Wounds": Tracker(0, 0, 2, "up")}
            force.add(f"{side}/1/A/{name[0]}", "unit", f"{side}/1/A", name=name, code=f"{side}-A", trackers=wounds)
    whole = export(force.encounter(), {"enemies": "show"})
    assert [entry["name"] for entry in metadata(whole, "red/1/A")[OWL]] == ["Stress", "Gunner", "Scout"]
    # Every player reads what stands on the other side's tokens.
    assert [entry["name"] for entry in metadata(whole, "blue/1/A")[OWL]] == ["Stress", "blue-A 1", "blue-A 2"]
    assert [unit["code"] for unit in metadata(whole, "blue/1/A")[RECORD]["units"]] == ["blue-A 1", "blue-A 2"]
    single = tokens(export(force.encounter(), {"tokens": "unit"}))
    texts = {uid: token["items"][1]["text"]["plainText"] for uid, token in single.items()}
    assert texts == {
        "red/1/A/G": "Gunner", "red/1/A/S": "Scout", "blue/1/A/G": "blue-A 1", "blue/1/A/S": "blue-A 2",
    }  # fmt: skip
    assert "Gunner" not in json.dumps([single["blue/1/A/G"], single["blue/1/A/S"]])


def test_a_picture_makes_an_image() -> None:
    (item,) = tokens(export(squad(), {}))["red/1/A"]["items"]
    assert item["type"] == "IMAGE"
    assert item["layer"] == "CHARACTER"
    assert item["name"] == "Team A"
    assert item["image"] == {"url": "https://example.org/team.png", "mime": "image/png", "width": 300, "height": 300}
    assert item["grid"] == {"dpi": 300, "offset": {"x": 150, "y": 150}}
    assert item["textItemType"] == "LABEL"
    assert item["text"]["plainText"] == "R-A"
    assert (item["visible"], item["locked"], item["rotation"], item["scale"]) == (True, False, 0, {"x": 1, "y": 1})
    assert item["position"] is None
    assert tokens(export(squad(), {}))["red/1/A"]["measured"] is False
    assert not {"createdUserId", "zIndex", "lastModified", "lastModifiedUserId"} & set(item)


@pytest.mark.parametrize("picture", [None, "tokens/team.png", "file:///team.png", "https://"])
def test_without_a_public_picture_a_disc_with_its_code(picture: str | None) -> None:
    result = export(squad(picture), {})
    token = tokens(result)["red/1/A"]
    disc, text = token["items"]
    assert (disc["type"], disc["shapeType"], disc["layer"]) == ("SHAPE", "CIRCLE", "CHARACTER")
    assert (disc["width"], disc["height"]) == (150, 150)
    assert (text["type"], text["layer"], text["text"]["plainText"]) == ("TEXT", "TEXT", "R-A")
    assert text["attachedTo"] == disc["id"]
    assert text["disableHit"] is text["locked"] is True
    assert token["measured"] is True
    assert OWL in disc["metadata"]
    notes = " ".join(result.notes)
    assert "Owl Trackers draws on pictures only" in notes
    assert ("no public address" in notes) is (picture is not None)
    assert result.counts["items"] == 4


def test_pictures_everywhere_need_no_warning() -> None:
    assert "draws on pictures only" not in " ".join(export(squad(), {}).notes)


@pytest.mark.parametrize(
    ("picture", "media"),
    [
        ("https://example.org/a.PNG", "image/png"),
        ("http://example.org/a.jpg?size=2", "image/jpeg"),
        ("https://example.org/v1.2/abc", "image/png"),
        ("https://example.org/a.svg#top", "image/svg+xml"),
        ("//example.org/a.png", None),
        ("https://[half/a.png", None),
        ("", None),
        (None, None),
    ],
)
def test_picture_type(picture: str | None, media: str | None) -> None:
    assert picture_type(picture) == media


# More than Owl Trackers shows


def test_twelve_fit_and_the_rest_is_named() -> None:
    force = Force()
    force.side("red", stress=2)
    force.team("red/1/A", "red/1", *[(0, 2)] * 13)
    result = export(force.encounter(), {})
    entries = metadata(result, "red/1/A")[OWL]
    assert len(entries) == 12
    assert entries[0]["name"] == "Stress"
    assert entries[-1]["name"] == "R-AK"
    assert len(result.left_out) == 2
    assert result.left_out[0].startswith("Wounds bar of R-AL on R-A: Owl Trackers shows 12")
    assert result.left_out[1].startswith("Wounds bar of R-AM on R-A: Owl Trackers shows 12")
    assert len(metadata(result, "red/1/A")[RECORD]["units"]) == 13
    assert metadata(result, "red/1/A")[RECORD]["maxWounds"] == 26


def test_without_stress_twelve_bars_fit() -> None:
    bars = [Bar(str(number), "", 0, 1) for number in range(13)]
    entries, left = owl_trackers(None, bars)
    assert (len(entries), left) == (12, [bars[12]])
    entries, left = owl_trackers(0, bars)
    assert (len(entries), left) == (12, bars[11:])
    assert entries[0]["value"] == 0


def test_ids_of_entries_are_ours_and_unique() -> None:
    for item in (token["items"][0] for token in tokens(export(squad(), {})).values()):
        ids = [entry["id"] for entry in item["metadata"][OWL]]
        assert len(set(ids)) == len(ids)
        assert all(identity.startswith("rallypoint-") for identity in ids)


def test_an_unknown_tracker_is_kept_and_reported() -> None:
    force = Force()
    force.side("red")
    force.add("red/1/A", "team", "red/1", code="R-A", trackers={"Morale": Tracker(2, 0, 5, "down")})
    wounds = {"Wounds": Tracker(0, 0, 2, "up"), "Ammo": Tracker(3, 0, None, "down"), "Stress": Tracker(1, 0, 20, "up")}
    force.add("u", "unit", "red/1/A", code="R-AA", trackers=wounds)
    force.add("red/2", "squad", "red/p", code="S-2", trackers={"Supply": Tracker(1, 0, 9, "down")})
    result = export(force.encounter(), {})
    assert result.left_out == (
        "tracker Ammo of R-AA: Owlbear shows none, kept in our record",
        "tracker Stress of R-AA: Owlbear shows none, kept in our record",
        "squad S-2: it has no unit and so no token",
        "tracker Supply of S-2: a squad has no token",
    )
    assert metadata(result, "red/1/A")[RECORD]["trackers"] == [
        {"uid": "red/1/A", "name": "Morale", "value": 2, "min": 0, "max": 5, "bad": "down"},
        {"uid": "u", "name": "Ammo", "value": 3, "min": 0, "max": None, "bad": "down"},
        {"uid": "u", "name": "Stress", "value": 1, "min": 0, "max": 20, "bad": "up"},
    ]


def test_the_nearest_stress_counts() -> None:
    force = Force()
    force.side("red", stress=4)
    force.add("red/2", "squad", "red/p", code="S-2", trackers={"Stress": Tracker(9, 0, 20, "up")})
    force.team("red/2/A", "red/2", (0, 1))
    assert metadata(export(force.encounter(), {}), "red/2/A")[RECORD]["stress"] == 9


@pytest.mark.parametrize("wounds", [Tracker(1, 0, None, "up"), Tracker(1, 0, 2, "down"), Tracker(0, 0, 0, "up")])
def test_wounds_that_no_bar_can_show(wounds: Tracker) -> None:
    force = Force()
    force.side("red")
    force.add("u", "unit", "red/1", code="U", trackers={"Wounds": wounds})
    result = export(force.encounter(), {})
    assert [entry["name"] for entry in metadata(result, "u")[OWL]] == ["Stress"]
    assert result.left_out == ("tracker Wounds of U: Owlbear shows none, kept in our record",)


# What players may know


def test_another_sides_numbers_stay_here() -> None:
    result = export(two_sides(), {})
    enemy = metadata(result, "blue/1/A")
    assert OWL not in enemy
    assert enemy[RECORD] == {
        "v": 1, "uid": "blue/1/A", "encounter": "enc", "side": "blue", "kind": "team", "code": "B-A", "rev": 1,
        "by": "kernel", "units": [{"uid": "blue/1/A/0", "code": "B-AA"}],
    }  # fmt: skip
    assert tokens(result)["blue/1/A"]["items"][0]["name"] == "B-A"
    assert tokens(result)["red/1/A"]["items"][0]["name"] == "Team A"
    assert result.left_out == ("Wounds and Stress of B-A: another side's numbers stay here (option enemies)",)
    assert any("metadata is no secret" in note for note in result.notes)


def test_unless_asked_for() -> None:
    result = export(two_sides(), {"enemies": "show"})
    assert metadata(result, "blue/1/A")[RECORD]["wounds"] == 1
    assert [entry["value"] for entry in metadata(result, "blue/1/A")[OWL]] == [3, 1]
    assert result.left_out == ()


def test_stats_gear_and_notes_never_go_in() -> None:
    text = export(squad(), {}).files["encounter.owlbear.json"].decode("utf-8")
    for secret in ("Instinct", "pulse_rifle", "Pulse Rifle", "secret orders"):
        assert secret not in text


@pytest.mark.parametrize(
    ("sides", "colours"),
    [
        (("red", "blue"), ["#c62828", "#1565c0"]),
        (("blue", "red"), ["#1565c0", "#c62828"]),
        (("Green", "PURPLE"), ["#2e7d32", "#6a1b9a"]),
        # who is called nothing that is a colour gets the next that no other has
        (("crew", "red"), ["#1565c0", "#c62828"]),
        (("crew", "horrors"), ["#c62828", "#1565c0"]),
    ],
)
def test_a_side_has_its_own_colour_whether_it_is_the_first_or_not(sides: tuple[str, str], colours: list[str]) -> None:
    made = Force()
    for side in sides:
        made.side(side)
        made.team(f"{side}/1/A", f"{side}/1", (0, 1))
    found = tokens(export(made.encounter(), {}))
    assert [found[f"{side}/1/A"]["items"][0]["style"]["fillColor"] for side in sides] == colours


def test_white_letters_can_be_read_on_every_colour() -> None:
    for colour in side_colours(["red", "blue", "green", "yellow", "purple", "grey"]).values():
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        assert 1.05 / (light + 0.05) >= 4.5  # the contrast that WCAG asks of text


# Places


def test_a_parade_of_rows() -> None:
    force = Force()
    for side in ("red", "blue"):
        force.side(side)
        force.add(f"{side}/2", "squad", f"{side}/p")
        force.team(f"{side}/1/A", f"{side}/1", (0, 1))
        force.team(f"{side}/1/B", f"{side}/1", (0, 1))
        force.team(f"{side}/2/A", f"{side}/2", (0, 1))
    found = tokens(export(force.encounter(), {}))
    hexes = {uid: (token["hex"]["q"], token["hex"]["r"]) for uid, token in found.items()}
    # rows 0 and 1, two rows left free, rows 4 and 5; half a step left on every second row
    assert hexes == {
        "red/1/A": (0, 0), "red/1/B": (1, 0), "red/2/A": (0, 1),
        "blue/1/A": (-2, 4), "blue/1/B": (-1, 4), "blue/2/A": (-2, 5),
    }  # fmt: skip
    assert not any(token["placed"] for token in found.values())


def test_a_token_that_has_a_hex_keeps_it_and_nobody_else_gets_it() -> None:
    force = Force()
    force.side("red")
    force.team("red/1/A", "red/1", (0, 1))
    force.team("red/1/B", "red/1", (0, 1), place=Hex(0, 0))
    found = tokens(export(force.encounter(), {}))
    assert (found["red/1/B"]["hex"], found["red/1/B"]["placed"]) == ({"q": 0, "r": 0}, True)
    assert (found["red/1/A"]["hex"], found["red/1/A"]["placed"]) == ({"q": 1, "r": 0}, False)


# Identity


def test_item_ids_are_uuids_unique_and_of_all_parts() -> None:
    ids = [item["id"] for token in tokens(export(squad(None), {})).values() for item in token["items"]]
    assert len(set(ids)) == len(ids) == 4
    assert all(str(uuid.UUID(identity)) == identity and uuid.UUID(identity).version == 5 for identity in ids)
    tried = [("ab", "c"), ("a", "bc"), ("abc",), ('a","bc',), ("sqd-1/α",)]
    assert len({item_id(*parts) for parts in tried}) == len(tried)
    namespace = uuid.uuid5(uuid.NAMESPACE_URL, "rallypoint:owlbear")
    assert item_id("enc", "red") == str(uuid.uuid5(namespace, '["enc","red"]'))


def test_a_new_process_writes_the_same_bytes() -> None:
    here = Path(__file__)
    roots = [str(Path(path).parent) for path in rallypoint_owlbear.__path__]
    core = str(Path(sys.modules["rallypoint.kernel"].__path__[0]).parents[1])
    program = (
        f"import sys; sys.path[:0] = {[*roots, core, str(here.parent)]!r}\n"
        "import test_export\n"
        "from rallypoint_owlbear.export import export\n"
        "sys.stdout.buffer.write(export(test_export.squad(), {}).files['encounter.owlbear.json'])\n"
    )
    again = subprocess.run(
        [sys.executable, "-B", "-c", program],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )
    assert again.stdout == export(squad(), {}).files["encounter.owlbear.json"]


def test_names_of_all_scripts_survive() -> None:
    force = Force()
    force.side("red")
    names = ["Отряд Ворон", "狐 🦊", "O'Neil ", "O’Neil", "   "]
    for place, name in enumerate(names):
        force.add(f"u{place}", "unit", "red/1", name=name, trackers={"Wounds": Tracker(0, 0, 1, "up")})
    result = export(force.encounter(), {})
    assert [token["items"][0]["name"] for token in tokens(result).values()] == [*names[:4], "u4"]
    text = result.files["encounter.owlbear.json"].decode("utf-8")
    assert "狐 🦊" in text
    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"


# Who gets a token


def test_units_without_a_team_and_entities_without_units() -> None:
    force = Force()
    force.side("red")
    force.add("scout", "unit", "red/1", code="S", trackers={"Wounds": Tracker(0, 0, 1, "up")})
    force.add("mine", "marker", "red", code="M1")
    force.team("red/1/A", "red/1")
    result = export(force.encounter(), {})
    assert list(tokens(result)) == ["scout"]
    assert result.left_out == (
        "marker M1: it has no unit and so no token",
        "team R-A: it has no unit and so no token",
    )
    counts = result.counts
    assert counts["read"] == counts["tokens"] + counts["on_tokens"] + counts["left_out"] == 6
    assert counts["left_out"] == 2


def test_growth_is_by_the_team() -> None:
    force = Force()
    force.side("red")
    for number in range(16):
        force.team(f"red/1/{number:X}", "red/1", *[(0, 2)] * 4)
    found = tokens(export(force.encounter(), {}))
    assert len(found) == 16
    assert len({(token["hex"]["q"], token["hex"]["r"]) for token in found.values()}) == 16


# Options and input


@pytest.mark.parametrize(
    ("options", "what", "expected"),
    [
        ({"tokens": "squad"}, "no such choice", "stand or unit"),
        ({"enemies": "yes"}, "no such choice", "hide or show"),
        ({"token": "unit"}, "no such option", "tokens or enemies or bubbles or initiative or walls"),
    ],
)
def test_illegal_options(options: dict[str, str], what: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        export(squad(), options)
    assert what in caught.value.what
    assert caught.value.expected == expected
    assert caught.value.exit_status == 2


def test_a_misspelt_option_is_guessed() -> None:
    with pytest.raises(InputError, match="did you mean tokens"):
        export(squad(), {"token": "unit"})


def test_nobody_is_an_error() -> None:
    force = Force()
    force.side("red")
    with pytest.raises(InputError) as caught:
        export(force.encounter(), {})
    assert (caught.value.expected, caught.value.found) == ("a unit", "3 entities")


def test_half_a_character_is_an_error() -> None:
    force = Force()
    force.side("red")
    force.add("u", "unit", "red/1", name="\ud800")
    with pytest.raises(InputError) as caught:
        export(force.encounter(), {})
    assert caught.value.expected == "text in UTF-8"
