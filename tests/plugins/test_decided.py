"""A ruling that a plugin decides and that people choose as well: a note says it, wherever rulings are shown."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from rallypoint.kernel.plugins.discovery import discover
from rallypoint.kernel.plugins.variant import frozen_variant

from .distributions import ROOT, distribution, rallypoint

OWN = '[[rulings]]\nid = "SHELLS-1"\ndecides = "x"\nchoices = ["off", "on"]\n'
NOTE = "D-AMB-43 is chosen as 3, and the plugin shells decides it"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a folder with a plugin that decides a ruling of the game, and one that it brings."""
    folder = tmp_path / "site"
    folder.mkdir()
    manifest = f'decides = ["D-AMB-43", "SHELLS-1"]\n[needs]\ndisrupter = "1.1"\n{OWN}'
    distribution(folder, "shells", manifest=manifest)
    shutil.copy(ROOT / "examples" / "rosters" / "starter-platoon.md", tmp_path / "p.md")
    return folder


def said(site: Path, *arguments: str) -> str:
    done = rallypoint(*arguments, folder=site)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_rules_in_force_name_the_plugin_that_decides_what_was_chosen(site: Path) -> None:
    both = ("--option", "D-AMB-43=3", "--option", "SHELLS-1=on")
    assert f"note: {NOTE}" in said(site, "rules", "show", *both)
    assert f"Note: {NOTE}" in said(site, "rules", "show", *both, "--markdown")
    notes = json.loads(said(site, "rules", "show", *both, "--json"))["notes"]
    (note,) = [each for each in notes if "shells" in each]
    assert note.endswith("Leave D-AMB-43 out, or: rallypoint plugin disable shells.")


def test_nothing_is_said_of_what_nobody_chose_and_of_what_no_plugin_decides(site: Path) -> None:
    assert "shells decides" not in said(site, "rules", "show")
    assert "shells decides" not in said(site, "rules", "show", "--option", "D-AMB-30=5", "--option", "SHELLS-1=on")
    said(site, "plugin", "disable", "shells")
    assert "shells" not in said(site, "rules", "show", "--option", "D-AMB-43=3")


def test_a_new_battle_says_it_too(site: Path) -> None:
    said(site, "scenario", "new", "-o", "s.toml", "--roster", "p.md")
    out = said(site, "battle", "new", "s.toml", "-o", "a.battle", "--seed", "7", "--option", "D-AMB-43=3")
    assert f"Note: {NOTE}" in out


def test_a_variant_knows_who_decides_what_it_does_not_bring(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(site))
    found = [each for each in discover().found if each.name in ("disrupter", "shells", "indirect-fire")]
    assert dict(frozen_variant("disrupter", found).decided) == {"D-AMB-43": "shells"}  # D-AMB-29 is brought
