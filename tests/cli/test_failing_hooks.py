"""A plugin that raises in a hook of any kind: the battle is whole, and ``rallypoint plugins`` has its row with the reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..plugins.distributions import distribution, rallypoint
from .battles import ROSTER, SCENARIO

HEAD = "from rallypoint.kernel.plugins.hooks import hookimpl\n\n@hookimpl\n"
FAULTS = {
    "decides": ("turn_initiative", "def turn_initiative():\n    raise ValueError('no idea who is first')"),
    "changes": ("turn_start", "def turn_start(stress):\n    return stress / 0"),
    "collects": ("check_modifiers", "def check_modifiers():\n    raise LookupError('no modifier')"),
    "tells": ("step_committed", "def step_committed():\n    raise RuntimeError('nobody listens')"),
}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    for name, (_, body) in FAULTS.items():
        package = f"pkg_{name}"
        manifest = f'hooks = "{package}.impl"\n[needs]\ndisrupter = "1.0"\n'
        distribution(folder, name, {"impl.py": HEAD + body + "\n"}, manifest=manifest, package=package)
    disrupter = "[rallypoint.plugins]\ndisrupter = rallypoint.disrupter\n"
    information = folder / "rallypoint-9.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: rallypoint\nVersion: 9\n\n")
    (information / "entry_points.txt").write_text(disrupter)
    (tmp_path / "small.md").write_text(ROSTER, encoding="utf-8")
    (tmp_path / "skirmish.toml").write_text(SCENARIO, encoding="utf-8")
    return folder


def rows(site: Path) -> dict[str, tuple[str, str]]:
    done = rallypoint("plugins", "--json", folder=site)
    assert done.returncode == 0, done.stderr
    return {row["name"]: (row["state"], row["reason"]) for row in json.loads(done.stdout)["plugins"]}


def others_off(name: str) -> list[str]:
    return [part for other in FAULTS if other != name for part in ("-p", f"no:{other}")]


@pytest.mark.parametrize("name", FAULTS)
def test_a_hook_that_raises_is_named_at_once_and_in_the_list(site: Path, name: str) -> None:
    hook = FAULTS[name][0]
    assert rows(site)[name] == ("on", "")
    seats = ["--seat", "red=random", "--seat", "blue=random"]
    made = rallypoint(
        *others_off(name), "battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "7", *seats, folder=site
    )
    assert made.returncode == 0, made.stderr
    acts = ["--acts", "2"] if name == "tells" else []
    gone_on = rallypoint(*others_off(name), "battle", "step", "a.battle", *acts, folder=site)
    assert f"plugin {name}, hook {hook}" in gone_on.stderr
    assert "Traceback" not in gone_on.stderr
    assert gone_on.returncode == (0 if name == "tells" else 2)
    state, reason = rows(site)[name]
    assert state == "on"
    assert reason.startswith(f"hook {hook} failed when it was called last: ")
    assert [other for other, (_, why) in rows(site).items() if why and other != name] == []
    # The step that failed was undone whole: what the log holds is right.
    assert rallypoint(*others_off(name), "battle", "replay", "a.battle", folder=site).returncode == 0


def test_the_battle_goes_on_without_the_plugin_and_enabling_it_forgets(site: Path) -> None:
    seats = ["--seat", "red=random", "--seat", "blue=random"]
    off = [part for name in FAULTS for part in ("-p", f"no:{name}") if name != "changes"]
    rallypoint(*off, "battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "7", *seats, folder=site)
    assert rallypoint(*off, "battle", "step", "a.battle", folder=site).returncode == 2
    assert rallypoint("plugin", "disable", "changes", folder=site).returncode == 0
    assert rallypoint(*off, "battle", "adopt", "a.battle", folder=site).returncode == 0
    assert rallypoint(*off, "battle", "step", "a.battle", "--acts", "2", folder=site).returncode == 0
    assert rows(site)["changes"] == ("off", "disabled")
    assert rallypoint("plugin", "enable", "changes", folder=site).returncode == 0
    assert rows(site)["changes"] == ("on", "")


def test_a_cache_that_cannot_be_used_does_no_harm(site: Path) -> None:
    cache = site.parent / "cache" / "rallypoint"
    cache.mkdir(parents=True, exist_ok=True)
    for text in ("", "[]", '{"changes": 5}', '{"changes": ["a"]}', "nonsense"):
        (cache / "plugin-failures.json").write_text(text)
        assert rows(site)["changes"] == ("on", "")
