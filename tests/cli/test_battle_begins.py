"""What a battle cannot begin with is refused before there is a battle file: by scenario check and by battle new."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..plugins.distributions import distribution, rallypoint
from .battles import ROSTER, said, say

CO = "* 1 CO - Combat Armor, Revolver"
NOTES = """
from rallypoint.kernel.plugins.hooks import hookimpl

@hookimpl
def setup_briefing():
    raise ValueError("no words")
"""


@pytest.mark.rule("D-R6.1")
@pytest.mark.parametrize(
    "command", [("scenario", "check", "skirmish.toml"), ("battle", "new", "skirmish.toml", "-o", "a.battle")]
)
def test_what_the_briefing_would_refuse_is_refused_before(home: Path, command: tuple[str, ...]) -> None:
    said(*command)
    (home / "a.battle").unlink(missing_ok=True)
    (home / "small.md").write_text(ROSTER.replace(CO, f"{CO} {{I=81}}"), encoding="utf-8")
    done = say(*command)
    assert done.status == 2
    assert "instinct 81 is above 80 (D-R6.1)" in done.err
    assert not (home / "a.battle").exists()


def test_a_plugin_that_fails_at_the_notes_leaves_no_battle(home: Path) -> None:
    site = home / "site"
    site.mkdir()
    manifest = 'hooks = "pkg_mute.rules"\n[needs]\ndisrupter = "1"\n'
    distribution(site, "mute", {"rules.py": NOTES}, manifest=manifest)
    done = rallypoint("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "7", folder=site)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no words" in done.stderr
    assert not (home / "a.battle").exists()


def test_a_seed_of_nothing_is_refused(home: Path) -> None:
    done = say("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "")
    assert done.status == 2
    assert "a seed is a number or a word" in done.err
    assert not (home / "a.battle").exists()
