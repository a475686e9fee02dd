"""rallypoint scenario new, check and draw: what they print, write and return; and exports of scenarios."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from rallypoint.content.scenario import parse_scenario
from rallypoint.content.scenario_check import check_scenario
from rallypoint.content.scenario_example import example_scenario
from rallypoint.disrupter import scenario_words

from ..plugins.distributions import rallypoint
from .scenes import BOARD, HEAD, ROOT, SIDES, STARTER


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return an empty folder of distributions; Disrupter is found in the checkout. A roster lies beside it."""
    folder = tmp_path / "site"
    folder.mkdir()
    shutil.copy(STARTER, tmp_path / "my-platoon.md")
    return folder


def run(*arguments: str, site: Path) -> tuple[int, str, str]:
    done = rallypoint(*arguments, folder=site)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def test_a_new_scenario_can_be_checked_and_drawn_as_it_is(site: Path) -> None:
    status, out, err = run("scenario", "new", "-o", "first.toml", site=site)
    assert (status, err) == (0, "")
    assert "rallypoint scenario check first.toml" in out
    status, out, err = run("scenario", "check", "first.toml", "--strict", site=site)
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "First Fight  (first-fight)",
        "Rules: full, Last Man Standing, platoon scale",
        "Board: 12 by 12 hexes, 72 of 144 are terrain (50%)",
        "Red Company: 1 player, Starter Platoon, 28 units in 7 teams, begins at the bottom; Rally Points: Alpha, Bravo",
        "Blue Company: 1 player, Starter Platoon, 28 units in 7 teams, begins at the top; Rally Points: Tango",
    ]
    status, out, err = run("scenario", "draw", "first.toml", "-o", "pictures/first.svg", site=site)
    assert (status, err) == (0, "")
    picture = (site.parent / "pictures" / "first.svg").read_bytes()
    assert f"({len(picture)} bytes)" in out
    assert ET.fromstring(picture).tag.endswith("svg")


def test_a_side_whose_every_officer_is_out_cannot_be_played(site: Path) -> None:
    roster = site.parent / "my-platoon.md"
    text = roster.read_text(encoding="utf-8")
    # A CO in Combat Armor can take two Wounds, an NCO in Battle Dress three.
    text = text.replace("Combat Armor, Revolver\n", "Combat Armor, Revolver {wounds=2}\n", 1)
    text = re.sub(r"(\* 1 NCO .*)", r"\1 {wounds=3}", text)
    roster.write_text(text, encoding="utf-8")
    run("scenario", "new", "-o", "first.toml", site=site)
    status, out, err = run("scenario", "check", "first.toml", site=site)
    assert (status, out) == (2, "")
    assert "every Officer of this side is out from the start" in err
    assert "rallypoint campaign" in err


def test_the_example_names_every_word_of_the_game() -> None:
    words = scenario_words()
    text = example_scenario(words, 'a "quoted" roster.md')
    for word in [*words.terrain, *words.modes, *words.sizes, *words.rules, *words.options]:
        assert word in text, word
    found = parse_scenario(text, "x.toml", words)
    assert {side.roster for side in found.sides} == {'a "quoted" roster.md'}
    assert check_scenario(found, words) == ()


def test_new_overwrites_nothing_and_a_dry_run_prints_the_file(site: Path) -> None:
    (site.parent / "first.toml").write_text("mine", encoding="utf-8")
    status, out, err = run("scenario", "new", "-o", "first.toml", site=site)
    assert (status, out) == (2, "")
    assert "there already" in err
    assert (site.parent / "first.toml").read_text(encoding="utf-8") == "mine"
    status, out, _ = run("scenario", "new", "-o", "other.toml", "--dry-run", site=site)
    assert status == 0
    assert "scenario = 1" in out.splitlines()
    assert not (site.parent / "other.toml").exists()


def test_check_as_json_says_where_everybody_stands(site: Path) -> None:
    run("scenario", "new", "-o", "first.toml", site=site)
    status, out, _ = run("scenario", "check", "first.toml", "--json", site=site)
    found = json.loads(out)
    assert status == 0
    assert found["board"]["terrain"] == 72
    assert found["board"]["share"] == 0.5
    assert sum(found["board"]["kinds"].values()) == 72
    assert found["board"]["kinds"]["building"] == 18
    assert [side["edge"] for side in found["sides"]] == ["bottom", "top"]
    assert found["sides"][0]["rally_points"] == {"Alpha": "B12", "Bravo": "K11"}
    assert found["sides"][1]["rally_points"] == {"Tango": "J1"}  # on open ground of the scattered board
    assert found["sides"][0]["counts"]["units"] == 28
    assert len(found["places"]) == 14 + 3  # teams and Rally Points
    assert found["warnings"] == []


def test_warnings_are_told_and_only_strict_makes_them_a_no(site: Path) -> None:
    text = (HEAD + BOARD + SIDES).replace("red.md", "my-platoon.md").replace("blue.md", "my-platoon.md")
    (site.parent / "bare.toml").write_text(text, encoding="utf-8")
    status, out, err = run("scenario", "check", "bare.toml", site=site)
    assert (status, err) == (0, "")
    warnings = [line for line in out.splitlines() if line.startswith("warning: ")]
    assert len(warnings) == 3
    assert "0% of the board is terrain" in warnings[0]
    assert warnings[0].endswith("(D-R2.1)")
    assert run("scenario", "check", "bare.toml", "--strict", site=site)[0] == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("scenario = 2\n", "scenario 2, this version reads 1"),
        ("scenario = 1\n", "a key is missing"),
        ((HEAD + BOARD + SIDES), "no such file"),
        (
            (HEAD + BOARD + SIDES)
            .replace("12", "2")
            .replace("red.md", "my-platoon.md")
            .replace("blue.md", "my-platoon.md"),
            "no room",
        ),
    ],
)
def test_what_is_wrong_is_exit_2_and_nothing_is_written(site: Path, text: str, told: str) -> None:
    (site.parent / "bad.toml").write_text(text, encoding="utf-8")
    for arguments in (("check", "bad.toml"), ("draw", "bad.toml", "-o", "bad.svg")):
        status, out, err = run("scenario", *arguments, site=site)
        assert (status, out) == (2, "")
        assert told in err
        assert err.startswith("error: ")
    assert not (site.parent / "bad.svg").exists()


def test_both_missing_rosters_are_named(site: Path) -> None:
    (site.parent / "bad.toml").write_text(HEAD + BOARD + SIDES, encoding="utf-8")
    _, _, err = run("scenario", "check", "bad.toml", site=site)
    missing = "cannot be read: there is no such file; found:"
    assert err.splitlines() == [
        "error: bad.toml: 2 problems",
        f"bad.toml:9: the roster of red {missing} red.md; rosters lie beside the scenario",
        f"bad.toml:13: the roster of blue {missing} blue.md; rosters lie beside the scenario",
    ]


def test_what_is_wrong_in_a_roster_of_both_sides_is_told_once(site: Path) -> None:
    text = (site.parent / "my-platoon.md").read_text(encoding="utf-8").replace("Flamethrower", "Flamethrowler", 1)
    (site.parent / "my-platoon.md").write_text(text, encoding="utf-8")
    run("scenario", "new", "-o", "first.toml", site=site)
    line = next(number for number, each in enumerate(text.splitlines(), 1) if "Flamethrowler" in each)
    for command in (("scenario", "check", "first.toml"), ("export", "owlbear", "first.toml", "--dry-run")):
        status, out, err = run(*command, site=site)
        assert (status, out) == (2, "")
        assert err.startswith(f"error: my-platoon.md:{line}: unknown weapon; found: Flamethrowler; ")
        assert len(err.splitlines()) == 1


def test_wounds_that_nobody_can_take_are_told_with_the_line_of_the_roster(site: Path) -> None:
    text = (site.parent / "my-platoon.md").read_text(encoding="utf-8")
    text = text.replace("* 1 CO - Combat Armor, Revolver", "* 1 CO - Combat Armor, Revolver {wounds=9}")
    (site.parent / "my-platoon.md").write_text(text, encoding="utf-8")
    run("scenario", "new", "-o", "first.toml", site=site)
    line = next(number for number, each in enumerate(text.splitlines(), 1) if "wounds=9" in each)
    said = "more Wounds than the unit can take; found: 9; expected: 0 to 2"
    for file, uids in (
        ("my-platoon.md", ["starter-0A-1-1"]),
        ("first.toml", ["red.starter-0A-1-1", "blue.starter-0A-1-1"]),
    ):
        for command in (
            ("muster",),
            ("export", "owlbear", "--dry-run"),
            ("card", "-o", "card.html"),
            ("scenario", "check"),
        ):
            if (command[0] == "muster" and len(uids) > 1) or (command[0] == "scenario" and len(uids) == 1):
                continue
            status, out, err = run(*command, file, site=site)
            assert (status, out) == (2, "")
            assert [each.removeprefix("error: ") for each in err.splitlines()][-len(uids) :] == [
                f"my-platoon.md:{line}: {uid}: {said}" for uid in uids
            ]


def test_stress_that_no_platoon_has_is_told_with_the_file(site: Path) -> None:
    text = '{"roster": 1, "title": "Crew", "stress": 21, "units": [{"class": "CO", "armor": "combat_armor", "weapons": []}]}'
    (site.parent / "crew.json").write_text(text, encoding="utf-8")
    for command in (("muster",), ("export", "owlbear", "--dry-run")):
        status, _, err = run(*command, "crew.json", site=site)
        assert status == 2
        assert err == (
            "error: crew.json: crew: a platoon's Stress is out of range (D-R8.1); found: 21; expected: 0 to 20\n"
        )


def test_a_new_scenario_says_where_its_roster_must_lie(site: Path) -> None:
    _, out, _ = run("scenario", "new", "-o", "fights/first.toml", site=site)
    assert "the roster my-platoon.md, which is not there yet: put it at fights/my-platoon.md, or change" in out
    _, out, _ = run("scenario", "new", "-o", "first.toml", site=site)
    assert "not there yet" not in out


def test_new_writes_over_a_file_with_force_alone(site: Path) -> None:
    (site.parent / "first.toml").write_text("mine", encoding="utf-8")
    assert "or --force to replace it" in run("scenario", "new", "-o", "first.toml", site=site)[2]
    assert run("scenario", "new", "-o", "first.toml", "--force", site=site)[0] == 0
    assert "scenario = 1" in (site.parent / "first.toml").read_text(encoding="utf-8")


def test_a_board_can_be_drawn_without_rosters_as_png_and_true_to_size(site: Path) -> None:
    (site.parent / "s.toml").write_text(HEAD + BOARD + SIDES, encoding="utf-8")
    status, _, err = run("scenario", "draw", "s.toml", "-o", "s.svg", "--empty", "--true-size", site=site)
    assert (status, err) == (0, "")
    assert ET.fromstring((site.parent / "s.svg").read_bytes()).attrib["width"] == "653mm"
    status, _, err = run("scenario", "draw", "s.toml", "-o", "s.png", "--empty", "--pixels", "300", site=site)
    assert (status, err) == (0, "")
    assert int.from_bytes((site.parent / "s.png").read_bytes()[16:20], "big") == 300
    status, out, _ = run("scenario", "draw", "s.toml", "-o", "t.svg", "--empty", "--dry-run", site=site)
    assert (status, out.startswith("Would write t.svg")) == (0, True)
    assert not (site.parent / "t.svg").exists()
    status, _, err = run("scenario", "draw", "s.toml", "-o", "s.gif", "--empty", site=site)
    assert status == 2
    assert ".svg or .png" in err


@pytest.mark.parametrize("command", [(), ("new",), ("check",), ("draw",)])
def test_every_command_has_help_with_an_example(site: Path, command: tuple[str, ...]) -> None:
    status, out, _ = run("scenario", *command, "--help", site=site)
    assert status == 0
    assert f"Example: rallypoint scenario {command[0] if command else 'new'}" in out


def test_exports_take_scenarios_with_both_forces(site: Path) -> None:
    run("scenario", "new", "-o", "first.toml", site=site)
    status, out, err = run("export", "owlbear", "first.toml", "-o", "out", "--json", site=site)
    assert (status, err) == (0, "")
    assert json.loads(out)["counts"]["tokens"] == 14
    status, out, err = run("export", "foundry", "first.toml", "--dry-run", "--json", site=site)
    assert (status, err) == (0, "")
    counts = json.loads(out)["counts"]
    assert counts["tokens"] == 56
    assert counts["pages"] == 3  # the briefing, and a card for each side


def test_the_picture_in_the_docs_is_what_the_program_draws(site: Path) -> None:
    shutil.copytree(ROOT / "examples", site.parent / "examples")
    run("scenario", "draw", "examples/scenarios/ford.toml", "-o", "ford.svg", site=site)
    assert (site.parent / "ford.svg").read_bytes() == (ROOT / "docs" / "pictures" / "ford.svg").read_bytes()
