"""The module as files: what its manifest says, what the zip holds, and that the same force gives the same bytes."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from rallypoint import __version__
from rallypoint.cli.writing import check_names, write_files
from rallypoint.kernel.encounter import Encounter
from rallypoint_foundry.export import export
from rallypoint_foundry.module import module_id

from .forces import COMBAT_ARMOR, PULSE_RIFLE, Force, small

Json = dict[str, Any]


def manifest(**options: str) -> Json:
    return dict(json.loads(export(small(), options).files["rallypoint-demo/module.json"]))


def test_the_manifest() -> None:
    found = manifest()
    assert (found["id"], found["title"], found["version"]) == ("rallypoint-demo", "Demo", __version__)
    assert found["compatibility"] == {"minimum": "13", "verified": "13"}
    assert found["esmodules"] == ["rallypoint.mjs"]
    assert found["relationships"]["systems"] == [
        {"id": "mosh", "type": "system", "compatibility": {"minimum": "0.6.1", "verified": "0.6.1"}}
    ]


@pytest.mark.parametrize(
    ("profile", "core", "system", "version"),
    [
        ("mosh-0.5.27", "12", "mosh", "0.5.27"),
        ("mosh-0.6.1", "14", "mosh", "0.6.1"),
        ("mothershiprpg-0.1.0", "14", "mothershiprpg", "0.1.0"),
    ],
)
def test_the_manifest_of_other_worlds(profile: str, core: str, system: str, version: str) -> None:
    found = manifest(profile=profile, core=core)
    assert found["compatibility"] == {"minimum": core, "verified": core}
    (related,) = found["relationships"]["systems"]
    # a minimum must be a version that was released: it is the one whose template the profile has
    assert (related["id"], related["compatibility"]["minimum"]) == (system, version)


def test_no_pack_is_named_that_was_not_packed() -> None:
    assert manifest()["packs"] == []
    files = export(small(), {}).files
    assert not [name for name in files if "/packs/" in name and "/_source/" not in name]
    assert [name for name in files if "/_source/units/" in name]


def test_the_zip_holds_the_folder() -> None:
    files = export(small(), {}).files
    with zipfile.ZipFile(io.BytesIO(files["rallypoint-demo.zip"])) as archive:
        assert archive.testzip() is None
        held = {name: archive.read(name) for name in archive.namelist()}
    assert held == {name: data for name, data in files.items() if name.startswith("rallypoint-demo/")}
    assert held["rallypoint-demo/encounter.json"] == files["encounter.json"]


def test_a_third_export_changes_nothing(tmp_path: Path) -> None:
    def state() -> dict[str, bytes]:
        return {
            path.relative_to(tmp_path).as_posix(): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()
        }

    seen = []
    for _ in range(3):
        write_files(tmp_path, export(small(), {}).files)
        seen.append(state())
    assert seen[0] == seen[1] == seen[2]
    assert set(seen[0]) == set(export(small(), {}).files)


def keyed(key: str) -> Encounter:
    return small()._replace(key=key)


def test_ids_of_modules() -> None:
    assert module_id(keyed("Ash Ridge '26")) == "rallypoint-ash-ridge-26"
    crow, raven = module_id(keyed("Отряд Ворон")), module_id(keyed("Отряд Ворон 2"))
    assert crow != raven
    assert module_id(keyed("Отряд Ворон")) == crow
    assert module_id(keyed("Żółw")) != module_id(keyed("Zow"))
    for key in ("Отряд", "狐 🦊", "a/b", "..", "CON", "O'Neil ", "x" * 200):
        found = module_id(keyed(key))
        assert found.removeprefix("rallypoint-").replace("-", "").isalnum()
        assert found == found.lower()
        assert found.isascii()
        check_names("foundry", export(keyed(key), {}).files)


def test_names_of_any_script_arrive() -> None:
    names = ["Отряд Ворон", "Żółw-1", "狐 🦊", "O'Neil", "O’Neil ", 'The "Old" One', "<b>bold</b> & co"]
    force = Force(title="Отряд 'Ворон'")
    force.frame()
    for number, name in enumerate(names):
        force.unit(f"u{number}", "Soldier", "red/1/A", COMBAT_ARMOR, PULSE_RIFLE, name=name)
    document = json.loads(export(force.encounter(), {}).files["encounter.json"])
    assert [actor["name"] for actor in document["actors"][1:]] == names
    assert [token["name"] for token in document["scenes"][0]["tokens"]] == names
    assert [each["name"] for each in document["combats"][0]["combatants"]] == names
    assert document["scenes"][0]["name"] == "Отряд 'Ворон'"


def test_next_steps_say_how_to_import() -> None:
    said = " ".join(export(small(), {}).next_steps)
    assert "Data/modules" in said
    assert 'game.modules.get("rallypoint-demo").api.importEncounter()' in said
    assert "core 13" in said
