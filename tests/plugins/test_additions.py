"""What plugins add by their manifests alone: those that are on, of this game, in the order of their names."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rallypoint.kernel.plugins.additions import Additions, additions
from rallypoint.kernel.plugins.discovery import discover
from rallypoint.kernel.plugins.switches import Switches
from rallypoint.kernel.plugins.variant import frozen_variant

from .distributions import distribution, game


def brings(name: str, needs: str = "skirmish") -> str:
    ruling = f'[[rulings]]\nid = "{name}-1"\ndecides = "x"\nchoices = ["off", "on"]\n'
    preset = f'[[presets]]\nname = "set-{name}"\noptions = {{ "{name}-1" = "on" }}\n'
    return f'content = ["arms.toml"]\n[needs]\n{needs} = "1"\n{ruling}{preset}'


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path; what is imported from it is forgotten afterwards."""
    folder = tmp_path / "site"
    folder.mkdir()
    game(folder)
    for name in ("beta", "alpha"):
        home = distribution(folder, name, {"arms.toml": ""}, manifest=brings(name))
        assert home.exists()
    distribution(folder, "other", {"arms.toml": ""}, manifest=brings("other", "feud"))
    distribution(folder, "broken", {"arms.toml": ""}, manifest=brings("broken") + "what = is this")
    monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        del sys.modules[name]


def added(site: Path, switches: Switches = Switches()) -> Additions:  # noqa: B008
    return additions("skirmish", discover([str(site)]).found, switches)


def test_what_is_on_and_of_this_game_in_the_order_of_names(site: Path) -> None:
    found = added(site)
    assert [(plugin, ruling.id) for plugin, ruling in found.rulings] == [("alpha", "alpha-1"), ("beta", "beta-1")]
    assert [(plugin, preset.name) for plugin, preset in found.presets] == [("alpha", "set-alpha"), ("beta", "set-beta")]
    assert found.content == tuple((name, str(site / f"pkg_{name}" / "arms.toml")) for name in ("alpha", "beta"))
    assert dict(found.off) == {}
    assert (found.owner("beta-1"), found.owner("other-1"), found.owner("broken-1")) == ("beta", None, None)


def test_what_is_off_adds_nothing_and_is_known_by_name(site: Path) -> None:
    found = added(site, Switches.of(disabled=["beta"], off=["other"]))
    assert [plugin for plugin, _ in (*found.rulings, *found.presets, *found.content)] == ["alpha"] * 3
    said = "beta, which is off (disabled)"
    assert dict(found.off) == {"beta-1": said, "set-beta": said}
    assert added(site, Switches.of(none=True))[:3] == ((), (), ())


def test_another_game_gets_its_own(site: Path) -> None:
    assert [plugin for plugin, _ in additions("feud", discover([str(site)]).found, Switches()).rulings] == ["other"]
    assert additions("chess", discover([str(site)]).found, Switches()) == Additions()


def test_a_variant_has_the_rulings_of_those_that_take_part_and_pins_manifests_alone(site: Path) -> None:
    found = discover([str(site)]).found
    variant = frozen_variant("skirmish", found)
    assert list(variant.rulings) == ["alpha-1", "beta-1"]
    assert variant.plugins == {"alpha": "1.0", "beta": "1.0", "skirmish": "1.0"}
    variant = frozen_variant("skirmish", found, Switches.of(off=["alpha"]))
    assert (list(variant.rulings), variant.plugins) == (["beta-1"], {"beta": "1.0", "skirmish": "1.0"})


def test_a_file_that_is_not_in_the_package_breaks_the_plugin_and_adds_nothing(site: Path) -> None:
    (site / "pkg_beta" / "arms.toml").unlink()
    assert [plugin for plugin, _ in added(site).rulings] == ["alpha"]
    (problem,) = [each.problem for each in discover([str(site)]).found if each.name == "beta"]
    assert str(problem).endswith("the package has no such file; found: content arms.toml")
