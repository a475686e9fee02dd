"""The list of disabled plugins and the index, in one process."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rallypoint.cli import disabled, index
from rallypoint.kernel.errors import InputError

from ..plugins.distributions import distribution


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def test_the_list_round_trips_and_comments_are_no_names(home: Path) -> None:
    assert disabled.read_disabled() == frozenset()
    disabled.change_disabled(lambda _: frozenset({"b", "a"}))
    text = Path(disabled.disabled_file()).read_text(encoding="utf-8")
    assert text.splitlines()[1:] == ["a", "b"]
    assert text.startswith("# ")
    assert disabled.read_disabled() == {"a", "b"}
    disabled.change_disabled(lambda _: frozenset())
    assert disabled.read_disabled() == frozenset()
    names = sorted(path.name for path in (home / "config" / "rallypoint").iterdir())
    assert names == ["disabled-plugins.txt", "disabled-plugins.txt.lock"]


def test_a_list_mended_by_hand(home: Path) -> None:
    file = Path(disabled.disabled_file())
    file.parent.mkdir(parents=True)
    file.write_bytes(b"\r\n  a  \r\n# b\r\n\xff\r\nc")
    assert disabled.read_disabled() == {"a", "c", "\ufffd"}


def test_a_list_that_cannot_be_written_stays(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disabled.change_disabled(lambda _: frozenset({"a"}))

    def refuse(*_paths: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(InputError, match="cannot be written; found: Permission denied"):
        disabled.change_disabled(lambda _: frozenset({"b"}))
    assert disabled.read_disabled() == {"a"}


MANIFEST = """title = "Duels"
[game]
module = "pkg_d.game"
rosters = true
[[commands]]
name = "duel"
help = "Fight."
run = "pkg_d.duel:main"
[[exporters]]
name = "cards"
help = "Cards."
run = "pkg_d.cards:export"
[[exporters.options]]
name = "size"
type = "integer"
default = 3
help = "How big."
[[importers]]
name = "cards"
help = "Cards again."
run = "pkg_d.cards:read"
[[importers.options]]
name = "strict"
default = false
[[converters]]
from = "whist"
to = "d"
run = "pkg_d.cards:turned"
[[converters.options]]
name = "suit"
default = "clubs"
choices = ["clubs", "hearts"]
"""

EXPECTED = index.IndexedPlugin(
    "d",
    "Duels",
    "pkg_d.game",
    [index.IndexedCommand("duel", "Fight.", "pkg_d.duel:main")],
    [
        index.IndexedExporter(
            "cards", "Cards.", "pkg_d.cards:export", [index.IndexedOption("size", "integer", 3, [], "How big.")]
        )
    ],
    (
        index.IndexedImporter(
            "cards", "Cards again.", "pkg_d.cards:read", [index.IndexedOption("strict", "switch", False, [], "")]
        ),
    ),
    (
        index.IndexedConverter(
            "whist",
            "d",
            "pkg_d.cards:turned",
            [index.IndexedOption("suit", "text", "clubs", ["clubs", "hearts"], "")],
        ),
    ),
    True,
)


def test_the_index_says_the_same_when_built_and_when_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = home / "site"
    site.mkdir()
    distribution(site, "d", manifest=MANIFEST)
    distribution(site, "broken", manifest="][")
    for path in (*site.rglob("*"), site):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    monkeypatch.setattr("sys.path", [str(site)])
    built = index.read_index()
    assert built == (index.IndexedPlugin("broken", "", None, [], []), EXPECTED)
    assert Path(index.index_file()).is_file()
    monkeypatch.setattr(index, "_build", lambda: pytest.fail("built again"))
    assert index.read_index() == built


def test_what_was_just_installed_is_not_kept_yet(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = home / "site"
    site.mkdir()
    distribution(site, "d", manifest=MANIFEST)
    monkeypatch.setattr("sys.path", [str(site)])
    assert index.read_index() == (EXPECTED,)
    assert not Path(index.index_file()).exists()


def test_each_path_has_its_own_index(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = set()
    for folders in (["a"], ["b"], ["a", "b"], ["ab"]):
        monkeypatch.setattr("sys.path", folders)
        files.add(index.index_file())
    assert len(files) == 4


def test_an_index_of_another_version_is_not_used(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = home / "site"
    site.mkdir()
    distribution(site, "d", manifest=MANIFEST)
    for path in (*site.rglob("*"), site):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    monkeypatch.setattr("sys.path", [str(site)])
    index.read_index()
    before = Path(index.index_file()).read_bytes()
    monkeypatch.setattr(index, "__version__", "99")
    assert index.read_index() == (EXPECTED,)
    assert b'"99"' in Path(index.index_file()).read_bytes()
    assert b'"99"' not in before
