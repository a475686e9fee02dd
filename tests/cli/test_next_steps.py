"""What to do with the files of an export: each that is named is named with the folder that it was written to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .battles import ROSTER, said


@pytest.mark.parametrize("name", ["owlbear", "foundry", "contractors"])
def test_every_file_in_the_next_steps_has_its_folder(tmp_path: Path, name: str) -> None:
    roster, out = tmp_path / "small.md", tmp_path / "made for you"
    roster.write_text(ROSTER, encoding="utf-8")
    shown = said("export", name, str(roster), "-o", str(out))
    steps = shown.partition("Next:\n")[2]
    assert steps
    made = [each.name for each in out.iterdir() if each.suffix]
    named = [(before, each) for each in made for before in re.findall(rf"(\S+ \S+ \S+){re.escape(each)}", steps)]
    assert named
    for before, each in named:
        assert f"{before}{each}".endswith(f"{out}/{each}"), before
    assert "{folder}" not in shown
    dry = said("export", name, str(roster), "--dry-run", "--json")
    assert "FOLDER/" in dry
    assert "{folder}" not in dry


def test_the_demo_says_it_too(tmp_path: Path) -> None:
    shown = said("demo", "-o", str(tmp_path / "demo"))
    assert f"rallypoint owlbear place {tmp_path / 'demo' / 'owlbear'}/encounter.owlbear.json" in shown
    assert "{folder}" not in shown
