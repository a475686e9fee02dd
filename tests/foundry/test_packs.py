"""Packs made by Foundry's own command line: they unpack to equal documents, and an open one is left alone."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from rallypoint.cli.writing import write_files
from rallypoint.kernel.board import Board
from rallypoint.kernel.dice import Die
from rallypoint.kernel.encounter import Encounter, Export, Page, Table, TableRow
from rallypoint.kernel.errors import RemoteError
from rallypoint.kernel.state import Hex
from rallypoint_foundry import packing
from rallypoint_foundry.export import export

from .forces import COMBAT_ARMOR, PULSE_RIFLE, Force
from .requirements import cli_path, need_cli

Json = dict[str, Any]
PAIRS = [("mosh-0.5.27", "12"), ("mosh-0.6.1", "13"), ("mosh-0.6.1", "14"), ("mothershiprpg-0.1.0", "14")]


def force() -> Encounter:
    """Two Soldiers with the same weapons, names of three scripts, a wood, a page and a table."""
    found = Force(title="Отряд 'Ворон'")
    found.frame(stress=4)
    found.unit("a", "Soldier", "red/1/A", COMBAT_ARMOR, PULSE_RIFLE, name="狐 🦊", taken=1)
    found.unit("b", "Soldier", "red/1/A", COMBAT_ARMOR, PULSE_RIFLE, name="O'Neil ")
    table = Table("team_panic", "Panic", Die(1, 20), (TableRow(1, 20, "all", "Row 1"),))
    pages = (Page("card", "Card", "<p>Żółw</p>"),)
    return found.encounter()._replace(pages=pages, tables=(table,))


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch) -> None:
    need_cli()
    monkeypatch.setenv("PATH", cli_path())


def run(tmp_path: Path, made: Export, pack: str) -> dict[str, Json]:
    """Unpack a pack of the export by hand; return its documents by key."""
    write_files(tmp_path / "out", made.files, made.owns)
    back = tmp_path / f"back-{pack}"
    subprocess.run(
        ["fvtt", "package", "unpack", "-n", pack, "--type", "Module", "--in", str(tmp_path / "out/rallypoint-demo/packs"),
         "--out", str(back)],
        check=True, capture_output=True,
    )  # fmt: skip
    documents = [json.loads(path.read_bytes()) for path in back.rglob("*.json")]
    return {document["_key"]: document for document in documents}


@pytest.mark.usefixtures("cli")
@pytest.mark.parametrize(("profile", "core"), PAIRS)
@pytest.mark.parametrize("board", [None, Board(5, 5, {Hex(1, 1): "wood"})], ids=["parade", "board"])
def test_packs_unpack_to_equal_documents(tmp_path: Path, profile: str, core: str, board: Board | None) -> None:
    made = export(force()._replace(board=board), {"profile": profile, "core": core, "pack": "true"})
    whole = json.loads(made.files["encounter.json"])
    (adventure,) = run(tmp_path, made, "encounter").values()
    for name in ("folders", "actors", "scenes", "tables", "journal", "combats"):
        assert adventure[name] == whole[name], name
    units = run(tmp_path, made, "units")
    assert len(units) == 2 + 3  # two folders, the platoon and two Soldiers
    for actor in whole["actors"]:
        found = units[f"!actors!{actor['_id']}"]
        keyless = {key: value for key, value in found.items() if key != "_key"}
        keyless["items"] = [{key: value for key, value in item.items() if key != "_key"} for item in found["items"]]
        assert keyless == actor


@pytest.mark.usefixtures("cli")
def test_the_same_weapon_twice_is_two_items_after_unpacking(tmp_path: Path) -> None:
    units = run(tmp_path, export(force(), {"pack": "true"}), "units")
    rifles = [item["_id"] for unit in units.values() for item in unit.get("items", []) if item["name"] == "Pulse Rifle"]
    assert len(rifles) == len(set(rifles)) == 2


@pytest.mark.usefixtures("cli")
def test_the_manifest_names_what_was_packed_and_the_zip_has_it() -> None:
    made = export(force(), {"pack": "true"})
    manifest = json.loads(made.files["rallypoint-demo/module.json"])
    assert [(pack["name"], pack["type"], pack["path"], pack["system"]) for pack in manifest["packs"]] == [
        ("encounter", "Adventure", "packs/encounter", "mosh"),
        ("units", "Actor", "packs/units", "mosh"),
    ]
    with zipfile.ZipFile(io.BytesIO(made.files["rallypoint-demo.zip"])) as archive:
        names = archive.namelist()
    for pack in ("encounter", "units"):
        own = [name.rpartition("/")[2] for name in names if name.startswith(f"rallypoint-demo/packs/{pack}/")]
        assert "CURRENT" in own
        assert any(name.startswith("MANIFEST-") for name in own)
        assert any(name.endswith((".ldb", ".log")) for name in own)
        assert not {"LOCK", "LOG", "LOG.old"} & set(own)


@pytest.mark.usefixtures("cli")
def test_packing_again_gives_the_same_bytes(tmp_path: Path) -> None:
    first = export(force(), {"pack": "true"})
    assert export(force(), {"pack": "true"}) == first
    write_files(tmp_path, first.files, first.owns)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    (tmp_path / "rallypoint-demo/packs/units/000099.log").write_bytes(b"left by an older pack")
    (tmp_path / "rallypoint-demo/mine.txt").write_text("mine")
    write_files(tmp_path, first.files, first.owns)
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert after == {**before, tmp_path / "rallypoint-demo/mine.txt": b"mine"}


HOLDER = """
import fcntl, sys
stream = open(sys.argv[1], "w")
fcntl.lockf(stream, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="holds a lock as POSIX programs do")
def test_an_open_pack_is_left_alone(tmp_path: Path) -> None:
    lock = tmp_path / "m/packs/units/LOCK"
    lock.parent.mkdir(parents=True)
    lock.touch()
    (lock.parent / "000005.ldb").write_bytes(b"old")
    files = {"m/module.json": b"{}", "m/packs/units/CURRENT": b"new"}
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(RemoteError) as caught:
            write_files(tmp_path, files, ["m/packs/units"])
    finally:
        holder.communicate(b"")
    assert caught.value.exit_status == 3
    assert "open in another program" in str(caught.value)
    assert "close" in str(caught.value)
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["000005.ldb", "LOCK"]
    write_files(tmp_path, files, ["m/packs/units"])
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["CURRENT", "module.json"]


@pytest.mark.usefixtures("cli")
def test_a_pack_that_foundry_s_own_database_holds_is_left_alone(tmp_path: Path) -> None:
    made = export(force(), {"pack": "true"})
    write_files(tmp_path, made.files, made.owns)
    modules = Path(__file__).parent / "node"
    script = (
        "const { ClassicLevel } = require('classic-level');"
        "const db = new ClassicLevel(process.argv[1]);"
        "db.open().then(() => { console.log('held'); process.stdin.resume(); process.stdin.on('end', () => db.close()); });"
    )
    pack = tmp_path / "rallypoint-demo/packs/units"
    holder = subprocess.Popen(
        ["node", "-e", script, str(pack)], cwd=modules, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        before = sorted(path.name for path in pack.iterdir())
        with pytest.raises(RemoteError):
            write_files(tmp_path, made.files, made.owns)
        assert sorted(path.name for path in pack.iterdir()) == before
    finally:
        holder.communicate(b"")
    write_files(tmp_path, made.files, made.owns)
    assert len(run(tmp_path, made, "units")) == 5


def test_without_the_program_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    made = export(force(), {"pack": "true"})
    assert json.loads(made.files["rallypoint-demo/module.json"])["packs"] == []
    assert any(note.startswith("nothing was packed: Node is not there") for note in made.notes)
    assert made.owns == ()
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\n")
    node.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert "npm install @foundryvtt/foundryvtt-cli" in str(packing.missing())


def fake_cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    for name, text in (("node", ":"), ("fvtt", body)):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")


def test_a_failure_is_told_by_its_exit_status(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake_cli(tmp_path, monkeypatch, "echo packed everything; echo iterator is not open >&2; exit 1")
    with pytest.raises(RemoteError, match="iterator is not open"):
        export(force(), {"pack": "true"})


def test_a_pack_that_lost_something_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # it makes a folder with a file and unpacks nothing
    made = 'for last; do :; done; mkdir -p "$last/$4"; touch "$last/$4/CURRENT"; exit 0'
    fake_cli(tmp_path, monkeypatch, made)
    with pytest.raises(RemoteError) as caught:
        export(force(), {"pack": "true"})
    assert caught.value.where == "pack encounter"
    assert str(caught.value.found).startswith("0 documents")
    assert caught.value.expected == "1 documents"
