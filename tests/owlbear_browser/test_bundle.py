"""What is built of the page, and how it comes into a wheel. O numbers are failures that others met."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

from .browser import Browser
from .program import Program
from .requirements import BUNDLE, need

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "adapters" / "rallypoint_owlbear" / "extension"
IN_WHEEL = "rallypoint_owlbear/link/bundle/"


@pytest.fixture(autouse=True)
def _built() -> None:
    need()


@pytest.fixture
def hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def manifest() -> dict[str, Any]:
    return dict(json.loads((BUNDLE / "manifest.json").read_text()))


def test_what_is_tested_here_is_what_the_sources_say(hook: ModuleType) -> None:
    assert hook.is_up_to_date(ROOT), "make extension"


def test_the_manifest_has_the_fields_that_owlbear_reads() -> None:
    """O31: `background` is no field; a name has at most 45 characters and a description 128."""
    found = manifest()
    assert len(found["name"]) <= 45
    assert len(found["description"]) <= 128
    assert found["manifest_version"] == 1
    assert isinstance(found["version"], str)
    assert found.keys() == {
        "name",
        "version",
        "manifest_version",
        "author",
        "description",
        "icon",
        "background_url",
        "action",
    }
    assert found["action"].keys() == {"title", "icon", "popover", "width", "height"}
    for path in (found["icon"], found["background_url"], found["action"]["icon"]):
        assert (BUNDLE / path.removeprefix("/")).is_file(), path


def test_scripts_have_a_name_that_changes_with_them_and_pages_are_asked_for_anew(
    browser: Browser, program: Program
) -> None:
    """O32, O34: no kept page points to a script that is gone; Owlbear alone may frame ours. O30: the SDK is in the first script."""
    host = {"host": program.base.removeprefix("http://")}
    with httpx.Client(base_url=program.base.replace("localhost", "127.0.0.1"), headers=host, trust_env=False) as client:
        page = client.get("/background.html")
        scripts = re.findall(r'<script type="module" src="(/assets/[^"]+)"></script>', page.text)
        assert page.text.count("<script") == 1
        assert page.headers["cache-control"] == "no-cache"
        assert "https://www.owlbear.rodeo" in page.headers["content-security-policy"].partition("frame-ancestors")[2]
        (script,) = scripts
        assert re.fullmatch(r"/assets/background-[A-Z0-9]{8}\.js", script)
        text = client.get(script).text
        assert "OBR_READY" in text
        assert "import(" not in text
        given = client.get("/manifest.json")
        assert (given.headers["access-control-allow-origin"], given.headers["cache-control"]) == ("*", "no-cache")
        icon = client.get(manifest()["icon"])
        assert (icon.headers["content-type"], icon.headers["access-control-allow-origin"]) == ("image/svg+xml", "*")


def test_whose_work_is_in_it_stands_beside_it() -> None:
    text = (BUNDLE / "licences.txt").read_text()
    for name in ("@owlbear-rodeo/sdk 3.1.0", "immer", "uuid", "events", "js-base64"):
        assert name in text
    assert text.count("Permission is hereby granted") >= 3


@pytest.mark.parametrize("folder", [EXTENSION, ROOT / "tests" / "owlbear_browser"])
def test_lock_files_name_no_registry(folder: Path) -> None:
    lock = (folder / "package-lock.json").read_text()
    assert '"resolved"' not in lock
    assert "integrity" in lock


# Wheels and source distributions


def small(tmp_path: Path, hook: ModuleType, *, is_built: bool = True) -> Path:
    """A project with the page's sources and little else, built or not."""
    root = tmp_path / "project"
    adapter = root / "adapters" / "rallypoint_owlbear"
    (root / "core" / "rallypoint").mkdir(parents=True)
    (root / "core" / "rallypoint" / "__init__.py").write_text('__version__ = "0.1"\n')
    shutil.copytree(EXTENSION, adapter / "extension", ignore=shutil.ignore_patterns("node_modules"))
    for package in ("adapters/rallypoint_sync", "adapters/rallypoint_foundry", "plugins/rallypoint_indirect_fire"):
        (root / package).mkdir(parents=True)
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "NOTICE", ".gitignore"):
        shutil.copy(ROOT / name, root / name)
    roster = "examples/rosters/starter-platoon.md"
    (root / roster).parent.mkdir(parents=True)
    shutil.copy(ROOT / roster, root / roster)
    if is_built:
        shutil.copytree(BUNDLE, adapter / "link" / "bundle")
    assert hook.is_up_to_date(root) is is_built
    return root


def wheel_of(root: Path) -> list[str]:
    (path,) = WheelBuilder(str(root)).build(directory=str(root / "dist"), versions=["standard"])
    with zipfile.ZipFile(path) as wheel:
        return wheel.namelist()


def without_npm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)


def test_a_wheel_has_the_page_and_not_its_sources(
    tmp_path: Path, hook: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_npm(monkeypatch)  # what is built already is taken
    names = wheel_of(small(tmp_path, hook))
    built = {each.relative_to(BUNDLE).as_posix() for each in BUNDLE.rglob("*") if each.is_file()}
    assert {each.removeprefix(IN_WHEEL) for each in names if each.startswith(IN_WHEEL)} == built
    assert not [each for each in names if each.endswith((".ts", ".mjs")) or "node_modules" in each]


def test_without_page_and_npm_a_wheel_is_built_and_says_what_it_lacks(
    tmp_path: Path, hook: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without_npm(monkeypatch)
    monkeypatch.delenv("RALLYPOINT_EXTENSION", raising=False)
    root = small(tmp_path, hook, is_built=False)
    assert not [each for each in wheel_of(root) if each.startswith(IN_WHEEL)]
    assert "the extension for Owlbear Rodeo is not in what is built here" in capsys.readouterr().err
    monkeypatch.setenv("RALLYPOINT_EXTENSION", "required")
    with pytest.raises(SystemExit, match="is not in what is built"):
        wheel_of(root)


def test_a_page_of_other_sources_is_not_taken(
    tmp_path: Path, hook: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_npm(monkeypatch)
    monkeypatch.delenv("RALLYPOINT_EXTENSION", raising=False)
    root = small(tmp_path, hook)
    source = root / "adapters/rallypoint_owlbear/extension/src/apply.ts"
    source.write_text(source.read_text() + "\n// changed\n")
    assert not [each for each in wheel_of(root) if each.startswith(IN_WHEEL)]


def test_from_a_source_distribution_a_wheel_with_the_page_is_built_without_npm(
    tmp_path: Path, hook: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_npm(monkeypatch)
    (path,) = SdistBuilder(str(small(tmp_path, hook))).build(directory=str(tmp_path / "dist"), versions=["standard"])
    with tarfile.open(path) as archive:
        archive.extractall(tmp_path / "out", filter="data")
    (root,) = (tmp_path / "out").iterdir()
    assert (root / "adapters/rallypoint_owlbear/extension/src/background.ts").is_file()
    assert f"{IN_WHEEL}background.html" in wheel_of(root)


def test_types_hold() -> None:
    done = subprocess.run(
        ["npm", "run", "--silent", "check"], cwd=EXTENSION, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
