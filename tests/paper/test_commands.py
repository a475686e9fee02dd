"""rallypoint tokens and card: what they print, write and return."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ..plugins.distributions import rallypoint
from .pictures import ROOT


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return an empty folder of distributions; Disrupter is found in the checkout. A roster lies beside it."""
    folder = tmp_path / "site"
    folder.mkdir()
    shutil.copy(ROOT / "examples" / "rosters" / "starter-platoon.md", tmp_path / "p.md")
    return folder


def run(*arguments: str, site: Path) -> tuple[int, str, str]:
    done = rallypoint(*arguments, folder=site)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def files(folder: Path) -> set[str]:
    return {each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file()}


def test_tokens_writes_a_picture_for_each_stand_and_unit(site: Path) -> None:
    status, out, err = run("tokens", "p.md", "-o", "t", "--png", "--pixels", "64", "--sheet", site=site)
    assert (status, err) == (0, "")
    assert out.splitlines()[:2] == ["Wrote 71 files in t.", "Counters: 7 of stands, 28 of units"]
    found = files(site.parent / "t")
    assert len(found) == 2 * 35 + 1
    assert {"stands/starter-1A.svg", "stands/starter-1A.png", "units/starter-0A-1-1.svg", "counters-a4.html"} <= found
    png = (site.parent / "t" / "stands" / "starter-1A.png").read_bytes()
    assert int.from_bytes(png[16:20], "big") == 64


def test_tokens_of_a_scenario_are_those_of_both_sides(site: Path) -> None:
    run("scenario", "new", "-o", "s.toml", "--roster", "p.md", site=site)
    status, out, _ = run("tokens", "s.toml", "-o", "t", site=site)
    assert status == 0
    assert "Counters: 14 of stands, 56 of units" in out
    assert len(files(site.parent / "t")) == 70


def test_a_dry_run_writes_nothing(site: Path) -> None:
    before = files(site.parent)
    status, out, _ = run("tokens", "p.md", "--dry-run", "--with-optional", site=site)
    assert status == 0
    assert out.splitlines()[0] == "Would write 45 files."
    assert "Counters: 9 of stands, 36 of units" in out
    status, out, _ = run("card", "p.md", "-o", "c.html", "--dry-run", site=site)
    assert (status, out.startswith("Would write c.html")) == (0, True)
    assert {each for each in files(site.parent) if not each.startswith("cache/")} == before


def test_files_of_others_are_counted_and_left_alone(site: Path) -> None:
    folder = site.parent / "t"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine", encoding="utf-8")
    _, out, _ = run("tokens", "p.md", "-o", "t", site=site)
    assert "Files in t that this command did not make: 1, left alone; if they are of another export" in out
    assert "\n  mine.txt\n" in out
    assert (folder / "mine.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("name", "head"), [("c.html", b"<!DOCTYPE html>"), ("c.md", b"# Starter Platoon"), ("c.pdf", b"%PDF-")]
)
def test_a_card_in_three_forms(site: Path, name: str, head: bytes) -> None:
    status, out, err = run("card", "p.md", "-o", f"deep/{name}", site=site)
    assert (status, err) == (0, "")
    content = (site.parent / "deep" / name).read_bytes()
    assert content.startswith(head)
    assert f"({len(content)} bytes)" in out


def test_paper_and_side_are_heeded(site: Path) -> None:
    run("card", "p.md", "-o", "c.html", "--paper", "letter", "--side", "blue", site=site)
    html = (site.parent / "c.html").read_text(encoding="utf-8")
    assert "size: Letter" in html
    assert "<h1>Starter Platoon (B)</h1>" in html


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("card", "p.md", "-o", "c.doc"), ".html, .md or .pdf"),
        (("card", "p.md", "-o", "c.html", "--font", "x.ttf"), "--font is for a PDF"),
        (("card", "p.md", "-o", "c.pdf", "--font", "x.ttf"), "font cannot be used"),
        (("card", "missing.md", "-o", "c.html"), "no such file"),
        (("tokens", "p.md"), "-o FOLDER"),
        (("tokens", "p.md", "-o", "p.md"), "must be a folder"),
        (("tokens", "p.md", "-o", "t", "--figure-mm", "3"), "figure-mm"),
    ],
)
def test_mistakes_are_exit_2_and_write_nothing(site: Path, arguments: tuple[str, ...], told: str) -> None:
    status, out, err = run(*arguments, site=site)
    assert (status, out) == (2, "")
    assert told in err
    assert {each for each in files(site.parent) if not each.startswith("cache/")} == {"p.md"}


@pytest.mark.parametrize("command", ["tokens", "card"])
def test_help_has_an_example(site: Path, command: str) -> None:
    status, out, _ = run(command, "--help", site=site)
    assert status == 0
    assert f"Example: rallypoint {command} my-platoon.md" in out


def test_the_pictures_in_the_docs_are_what_the_program_draws(site: Path) -> None:
    run("tokens", "p.md", "-o", "red", site=site)
    run("tokens", "p.md", "-o", "blue", "--side", "blue", site=site)
    docs = ROOT / "docs" / "pictures"
    for name, drawn in (
        ("counter-stand.svg", "red/stands/starter-1A.svg"),
        ("counter-unit.svg", "red/units/starter-1A-1-1.svg"),
        ("counter-stand-blue.svg", "blue/stands/starter-1A.svg"),
    ):
        assert (site.parent / drawn).read_bytes() == (docs / name).read_bytes(), name


def test_a_card_is_not_written_over_its_own_roster(site: Path) -> None:
    roster = site.parent / "p.md"
    before = roster.read_bytes()
    for out in ("p.md", "./p.md"):
        done = rallypoint("card", "p.md", "-o", out, folder=site)
        assert (done.returncode, done.stdout) == (2, "")
        assert "the card would be written over what it is made of" in done.stderr
        assert roster.read_bytes() == before
