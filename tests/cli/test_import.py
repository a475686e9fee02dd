"""``rallypoint import``: new rosters, Wounds and Stress into known ones, and everything that must stay as it is."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from rallypoint.cli.imports import read_files
from rallypoint.kernel.errors import InputError

from ..plugins.distributions import ROOT, distribution, rallypoint

STARTER = ROOT / "examples" / "rosters" / "starter-platoon.md"
PLUGINS = {
    "disrupter": "rallypoint.disrupter",
    "foundry": "rallypoint_foundry",
    "mothership": "rallypoint_mothership",
    "owlbear": "rallypoint_owlbear",
}

NAMES = {"a": "O'Neil ", "b": "O’Neil", "c": "Отряд Ворон", "d": "狐 🦊"}
ROSTER = {
    "roster": 1,
    "title": "Crew",
    "key": "crew",
    "stress": 4,
    "mood": "grim",
    "units": [
        {"id": uid, "class": "Soldier", "name": name, "armor": "battle_dress", "weapons": ["revolver"], "pay": number}
        for number, (uid, name) in enumerate(NAMES.items())
    ],
}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a folder in which the project is installed; ``roster.json`` and the tokens made of it lie beside it."""
    information = tmp_path / "site" / "rallypoint-0.1.dist-info"
    information.mkdir(parents=True)
    rows = "".join(f"{name} = {package}\n" for name, package in PLUGINS.items())
    (information / "entry_points.txt").write_text(f"[rallypoint.plugins]\n{rows}")
    (tmp_path / "roster.json").write_text(json.dumps(ROSTER, ensure_ascii=False), encoding="utf-8")
    return tmp_path / "site"


def run(site: Path, *arguments: str, env: Mapping[str, str] | None = None, **more: str) -> CompletedProcess[str]:
    only = {"RALLYPOINT_PLUGINS": ",".join([*PLUGINS, *more.values()])}
    return rallypoint(*arguments, folder=site, env={**only, **(env or {})})


def tokens(site: Path, roster: str = "roster.json") -> Any:
    """Export the roster for Owlbear and return the document."""
    done = run(site, "export", "owlbear", roster, "-o", "tokens", "--tokens", "unit")
    assert done.returncode == 0, done.stderr
    return json.loads((site.parent / "tokens" / "encounter.owlbear.json").read_text(encoding="utf-8"))


def tracker(document: Any, uid: str, name: str) -> dict[str, Any]:
    token = next(each for each in document["tokens"] if each["uid"] == uid)
    entries = token["items"][0]["metadata"]["com.owl-trackers/trackers"]
    found: dict[str, Any] = next(entry for entry in entries if entry["name"] == name)
    return found


def keep(site: Path, document: Any, name: str = "back.json") -> str:
    (site.parent / name).write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return name


def wounds(path: Path) -> dict[str, int]:
    document = json.loads(path.read_text(encoding="utf-8"))
    return {unit["id"]: unit.get("wounds", 0) for unit in document["units"]}


# Into a known roster


def test_wounds_and_stress_find_their_units_by_uid(site: Path) -> None:
    document = tokens(site)
    tracker(document, "a", "Wounds")["value"] = 1
    tracker(document, "b", "Wounds")["value"] = 3
    tracker(document, "c", "Stress")["value"] = 6
    for token in document["tokens"]:
        token["items"][0]["name"] = "same name for all"
    done = run(site, "import", "owlbear", keep(site, document), "--into", "roster.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[:5] == [
        "Changed 3 numbers:",
        "  crew  Crew  Stress 4 -> 6",
        "  a  O'Neil   Wounds 0 -> 1",
        "  b  O’Neil  Wounds 0 -> 3",
        "Numbers: 3 changed, 2 unchanged, 0 kept as the roster has them, 0 in conflict, 0 left out; "
        "units that the roster does not have: 0",
    ]
    path = site.parent / "roster.json"
    assert wounds(path) == {"a": 1, "b": 3, "c": 0, "d": 0}
    after = json.loads(path.read_text(encoding="utf-8"))
    assert after["stress"] == 6
    # Names, and fields that nobody here knows, are what they were.
    assert {unit["id"]: unit["name"] for unit in after["units"]} == NAMES
    assert [unit["pay"] for unit in after["units"]] == [0, 1, 2, 3]
    assert after["mood"] == "grim"
    # Nothing of what was written by hand is lost.
    assert json.loads((site.parent / "roster.json.bak").read_text(encoding="utf-8")) == ROSTER


def test_the_second_import_changes_nothing(site: Path) -> None:
    document = tokens(site)
    tracker(document, "a", "Wounds")["value"] = 1
    name = keep(site, document)
    run(site, "import", "owlbear", name, "--into", "roster.json")
    first = (site.parent / "roster.json").read_bytes()
    done = run(site, "import", "owlbear", name, "--into", "roster.json")
    assert done.stdout.startswith("Changed 0 numbers.\n")
    assert (site.parent / "roster.json").read_bytes() == first


def test_a_dry_run_says_it_and_writes_nothing(site: Path) -> None:
    document = tokens(site)
    tracker(document, "a", "Wounds")["value"] = 1
    before = sorted((path.name, path.stat().st_mtime_ns) for path in site.parent.iterdir() if path.is_file())
    done = run(
        site, "import", "owlbear", keep(site, document, "tokens/back.json"), "--into", "roster.json", "--dry-run"
    )
    assert done.stdout.startswith("Would change 1 number:\n  a  O'Neil   Wounds 0 -> 1\n")
    assert sorted((path.name, path.stat().st_mtime_ns) for path in site.parent.iterdir() if path.is_file()) == before


def test_json_says_what_changed(site: Path) -> None:
    document = tokens(site)
    tracker(document, "d", "Wounds")["value"] = 2
    done = run(site, "import", "owlbear", keep(site, document), "--into", "roster.json", "--json")
    found = json.loads(done.stdout)
    assert found["changed"] == [{"uid": "d", "name": "狐 🦊", "tracker": "Wounds", "old": 0, "new": 2}]
    assert (found["written"], found["unchanged"], found["kept"], found["unknown"]) == (True, 4, 0, [])


def test_what_only_the_roster_changed_stays_and_what_both_changed_is_a_conflict(site: Path) -> None:
    document = tokens(site)
    later = json.loads(json.dumps(ROSTER))
    later["units"][0]["wounds"] = 1
    later["units"][1]["wounds"] = 1
    path = site.parent / "roster.json"
    path.write_text(json.dumps(later), encoding="utf-8")
    tracker(document, "b", "Wounds")["value"] = 3
    tracker(document, "c", "Wounds")["value"] = 2
    name = keep(site, document)
    done = run(site, "import", "owlbear", name, "--into", "roster.json")
    assert done.returncode == 1
    assert "conflict: Wounds of b: sent 0, then 3 at the table and 1 in the roster" in done.stdout.splitlines()
    assert "Numbers: 1 changed, 2 unchanged, 1 kept as the roster has them, 1 in conflict" in done.stdout
    assert wounds(path) == {"a": 1, "b": 1, "c": 2, "d": 0}
    done = run(site, "import", "owlbear", name, "--into", "roster.json", "--prefer", "table")
    assert done.returncode == 0
    assert wounds(path) == {"a": 1, "b": 3, "c": 2, "d": 0}


def test_copies_that_disagree_are_a_conflict_and_the_rest_is_done(site: Path) -> None:
    document = tokens(site)
    tracker(document, "a", "Stress")["value"] = 5
    tracker(document, "b", "Stress")["value"] = 7
    tracker(document, "b", "Wounds")["value"] = 1
    done = run(site, "import", "owlbear", keep(site, document), "--into", "roster.json")
    assert done.returncode == 1
    assert "conflict: Stress of crew: sent 4, then 5 on " in done.stdout
    assert json.loads((site.parent / "roster.json").read_text())["stress"] == 4
    assert wounds(site.parent / "roster.json")["b"] == 1


@pytest.mark.parametrize(
    "items", [[], {"items": []}, {"format": "rallypoint.owlbear.encounter", "version": 1, "tokens": []}]
)
def test_an_empty_answer_empties_nothing(site: Path, items: object) -> None:
    before = (site.parent / "roster.json").read_bytes()
    done = run(site, "import", "owlbear", keep(site, items), "--into", "roster.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no token of ours in these files, so nothing is changed" in done.stderr
    assert (site.parent / "roster.json").read_bytes() == before


def test_tokens_of_another_force_change_nobody(site: Path) -> None:
    (site.parent / "other.json").write_text(json.dumps({**ROSTER, "key": "other", "units": ROSTER["units"][:1]}))  # type: ignore[index]
    document = json.loads(json.dumps(tokens(site)).replace('"a"', '"aa"'))
    document["tokens"] = document["tokens"][:1]
    (site.parent / "roster.json").write_text(json.dumps({**ROSTER, "key": "new"}))
    done = run(site, "import", "owlbear", keep(site, document), "--into", "roster.json")
    assert done.returncode == 2
    assert "nobody in this roster is in the files" in done.stderr


def test_uids_that_nobody_has_and_units_that_are_not_there_are_said(site: Path) -> None:
    document = tokens(site)
    for token in document["tokens"][2:]:
        token["items"][0]["metadata"]["io.github.rallypoint/unit"]["uid"] += "-2"
    done = run(site, "import", "owlbear", keep(site, document), "--into", "roster.json")
    assert "note: 2 units of the roster are not in the files, they stay as they are" in done.stdout.splitlines()
    assert "left out: c-2: the roster has nobody of this uid" in done.stdout.splitlines()


def test_numbers_that_do_not_fit_the_roster_are_left_out(site: Path) -> None:
    document = tokens(site)
    tracker(document, "a", "Wounds")["value"] = 3
    weaker = json.loads(json.dumps(ROSTER))
    weaker["units"][0]["armor"] = "combat_armor"
    (site.parent / "roster.json").write_text(json.dumps(weaker))
    done = run(site, "import", "owlbear", keep(site, document), "--into", "roster.json")
    assert "left out: Wounds of a: found 3, expected 0 to 2; stays 0" in done.stdout.splitlines()
    assert wounds(site.parent / "roster.json")["a"] == 0


@pytest.mark.parametrize("form", ["toml", "csv", "md", "json"])
def test_into_every_form_and_out_elsewhere(site: Path, form: str) -> None:
    assert run(site, "convert", "roster.json", "-o", f"crew.{form}").returncode == 0
    document = tokens(site)
    tracker(document, "c", "Wounds")["value"] = 2
    before = (site.parent / f"crew.{form}").read_bytes()
    done = run(site, "import", "owlbear", keep(site, document), "--into", f"crew.{form}", "-o", f"after.{form}")
    assert done.returncode == 0, done.stderr
    assert (site.parent / f"crew.{form}").read_bytes() == before
    done = run(site, "muster", f"after.{form}", "--json")
    units = json.loads(done.stdout)["platoon"]["squads"][0]["teams"][0]["units"]
    assert [(unit["uid"], unit["name"], unit.get("wounds", 0)) for unit in units] == [
        (uid, name, 2 if uid == "c" else 0) for uid, name in NAMES.items()
    ]


def test_the_starter_platoon_as_a_page_keeps_its_optional_squad(site: Path) -> None:
    page = site.parent / "platoon.md"
    page.write_text(STARTER.read_text(encoding="utf-8"), encoding="utf-8")
    done = run(site, "export", "contractors", "platoon.md", "-o", "out")
    assert done.returncode == 0, done.stderr
    squad = json.loads((site.parent / "out" / "contractors.json").read_text(encoding="utf-8"))
    assert squad["contractors"][0]["uid"] == "starter-0A-1-1"
    squad["contractors"][0]["wounds"] = 2
    squad["stress"] = 3
    done = run(site, "import", "contractors", keep(site, squad), "--into", "platoon.md")
    assert done.stdout.startswith("Changed 2 numbers:\n  starter-platoon  Starter Platoon  Stress 0 -> 3\n")
    assert "note: 8 units of the roster are not in the files, they stay as they are" in done.stdout.splitlines()
    done = run(site, "muster", "platoon.md", "--with-optional", "--json")
    document = json.loads(done.stdout)
    assert (document["counts"]["units"], document["platoon"]["stress"]) == (36, 3)
    first = document["platoon"]["squads"][0]["teams"][0]["units"][0]
    assert (first["uid"], first["wounds"]) == ("starter-0A-1-1", 2)
    # The words that a page had besides its platoon are still there.
    assert (site.parent / "platoon.md.bak").read_text(encoding="utf-8") == STARTER.read_text(encoding="utf-8")


@pytest.mark.parametrize("stress", [0, 4])
def test_a_world_whose_stress_begins_at_two_lifts_nobody(site: Path, stress: int) -> None:
    (site.parent / "roster.json").write_text(json.dumps({**ROSTER, "stress": stress}), encoding="utf-8")
    assert run(site, "export", "foundry", "roster.json", "-o", "actors").returncode == 0
    files = sorted((site.parent / "actors" / "actors").glob("*.json"))
    for file in files:
        actor = json.loads(file.read_text(encoding="utf-8"))
        if actor["type"] == "character":
            pod = actor["system"]["other"]["stress"]
            pod["min"], pod["value"] = 2, max(2, pod["value"])
        elif actor["name"] == NAMES["b"]:
            actor["name"], actor["system"]["hits"]["value"] = "somebody else", 2
        file.write_text(json.dumps(actor), encoding="utf-8")
    done = run(site, "import", "foundry", *map(str, files), "--into", "roster.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Changed 1 number:\n  b  O’Neil  Wounds 0 -> 2\n")
    after = json.loads((site.parent / "roster.json").read_text(encoding="utf-8"))
    assert after.get("stress", 0) == stress
    assert {unit["id"]: unit["name"] for unit in after["units"]} == NAMES


# New rosters

CREW = 'name,type,combat,loyalty,max_wounds,armor,weapons,salary\nAna,Marine (officer),35,22,3,Dress (10/3),Pulse rifle (3d10),2500\n"O\'Neil ",Doctor,15,,1,Vaccsuit (3),Scalpel (1d5),6000\n'


@pytest.mark.parametrize("form", ["toml", "csv", "md", "json"])
def test_contractors_become_a_roster_and_come_back(site: Path, form: str) -> None:
    (site.parent / "crew.csv").write_text(CREW, encoding="utf-8")
    done = run(site, "import", "contractors", "crew.csv", "-o", f"out.{form}")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Wrote out.{form}: crew, 2 units.\n")
    assert "left out: O'Neil : Armour Points 3: Combat Armor is the least that there is" in done.stdout.splitlines()
    assert "note: O'Neil : weapon Scalpel (1d5): taken as Revolver, the nearest damage" in done.stdout.splitlines()
    done = run(site, "export", "contractors", f"out.{form}", "-o", "back")
    assert done.returncode == 0, done.stderr
    found = json.loads((site.parent / "back" / "contractors.json").read_text(encoding="utf-8"))
    assert [row["name"] for row in found["contractors"]] == ["Ana", "O'Neil "]
    ana, neil = found["contractors"]
    assert (ana["combat"], ana["loyalty"], ana["salary"], ana["max_wounds"]) == (35, 22, 2500, 3)
    assert (neil["combat"], neil["type"], neil["salary"], neil["max_wounds"]) == (15, "Doctor", 6000, 1)
    assert neil["weapons"] == [{"title": "Scalpel", "damage": "1d5"}]
    assert neil["armor"] == [{"title": "Vaccsuit", "armor_points": 3}]


def test_another_file_is_not_written_over(site: Path) -> None:
    (site.parent / "crew.csv").write_text(CREW, encoding="utf-8")
    (site.parent / "out.toml").write_text("mine")
    done = run(site, "import", "contractors", "crew.csv", "-o", "out.toml")
    assert done.returncode == 2
    assert "there is another file already; --force writes over it;" in done.stderr
    assert (site.parent / "out.toml").read_text() == "mine"
    assert run(site, "import", "contractors", "crew.csv", "-o", "out.toml", "--force").returncode == 0
    # Written again it is the same file, so nothing is in the way.
    assert run(site, "import", "contractors", "crew.csv", "-o", "out.toml").returncode == 0


def test_a_dry_run_says_what_would_become_of_the_old_file(site: Path) -> None:
    (site.parent / "crew.csv").write_text(CREW, encoding="utf-8")
    assert run(site, "import", "contractors", "crew.csv", "-o", "own.toml").returncode == 0
    own = site.parent / "own.toml"
    own.write_text("# Mine.\n" + own.read_text(encoding="utf-8"), encoding="utf-8")
    note = "note: the roster is written anew, in our own form; the old file {} own.toml.bak"
    arguments = ("import", "owlbear", keep(site, _hurt(site, "own.toml")), "--into", "own.toml")
    lines = run(site, *arguments, "--dry-run").stdout.splitlines()
    assert note.format("would be kept as") in lines
    assert not (site.parent / "own.toml.bak").exists()
    lines = run(site, *arguments).stdout.splitlines()
    assert note.format("is") in lines
    assert (site.parent / "own.toml.bak").read_text(encoding="utf-8").startswith("# Mine.")


def _hurt(site: Path, roster: str) -> Any:
    """Return the tokens of a roster whose first unit has one Wound more."""
    document = tokens(site, roster)
    tracker(document, document["tokens"][0]["uid"], "Wounds")["value"] = 1
    return document


def test_tokens_alone_make_no_roster(site: Path) -> None:
    done = run(site, "import", "owlbear", keep(site, tokens(site)), "-o", "new.toml")
    assert done.returncode == 2
    # Once, and not for each of the four.
    assert done.stderr.startswith(
        "error: these files hold Wounds and Stress and nothing of the units, so they make no roster; found: 4 units; --into"
    )
    assert done.stderr.count("\n") == 1
    assert not (site.parent / "new.toml").exists()


def test_without_the_converter_it_says_who_is_missing(site: Path) -> None:
    distribution(
        site,
        "cards",
        {
            "back.py": "from rallypoint.kernel.encounter import Encounter, Imported\nfrom rallypoint.kernel.state import State\n"
            "def read(files, options):\n    return Imported(Encounter('k', 't', 'whist', State.of([]), {}), {})\n"
        },
        manifest='[[importers]]\nname = "cards"\nhelp = "Cards."\nrun = "pkg_cards.back:read"\n',
    )
    done = run(site, "import", "cards", "roster.json", "-o", "x.toml", more="cards")
    assert done.returncode == 2
    assert "no plugin converts these units; found: whist; expected: disrupter" in done.stderr


# Importers that fail, and wrong arguments


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("1 / 0", "plugin cards"),
        ("return None", "this gave something else"),
        ("raise InputError('no cards', path='roster.json')", "error: roster.json: no cards"),
    ],
)
def test_an_importer_that_fails_is_named(site: Path, body: str, said: str) -> None:
    code = f"from rallypoint.kernel.errors import InputError\ndef read(files, options):\n    {body}\n"
    manifest = '[[importers]]\nname = "cards"\nhelp = "Cards."\nrun = "pkg_cards.back:read"\n'
    distribution(site, "cards", {"back.py": code}, manifest=manifest)
    done = run(site, "import", "cards", "roster.json", "--dry-run", more="cards")
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr
    assert said in done.stderr or "importer cards" in done.stderr


def test_an_importers_options_reach_it(site: Path) -> None:
    code = "from rallypoint.kernel.errors import InputError\ndef read(files, options):\n    raise InputError(repr(sorted(options.items())))\n"
    manifest = (
        '[[importers]]\nname = "cards"\nhelp = "Cards."\nrun = "pkg_cards.back:read"\n'
        '[[importers.options]]\nname = "suit"\ndefault = "clubs"\nchoices = ["clubs", "hearts"]\n'
        '[[importers.options]]\nname = "joker"\ndefault = false\n'
    )
    distribution(site, "cards", {"back.py": code}, manifest=manifest)
    done = run(site, "import", "cards", "roster.json", "--suit", "hearts", "--joker", "--dry-run", more="cards")
    assert "[('joker', 'true'), ('suit', 'hearts')]" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("owlbear", "gone.json", "--dry-run"), "there is no such file"),
        (("owlbear", "site", "--dry-run"), "this is a folder"),
        (("owlbear", "roster.json", "roster.json", "--dry-run"), "a file is named twice"),
        (("owlbear", "roster.json"), "the import needs a roster to write"),
        (("owlber", "roster.json"), "did you mean owlbear?"),
        (("owlbear",), "Missing argument"),
        (("contractors", "roster.json", "-o", "x.toml"), "there are no contractors in this file"),
        (
            ("contractors", "crew.csv", "-o", "x.xml"),
            "x.xml: rosters of this kind are not written; found: .xml; expected: .md,",
        ),
        (("contractors", "crew.csv", "--into", "gone.md"), "there is no such file"),
        (("contractors", "crew.csv", "-o", "x.toml", "--game", "chess"), "there is no such game"),
    ],
)
def test_wrong_arguments(site: Path, arguments: tuple[str, ...], said: str) -> None:
    (site.parent / "crew.csv").write_text(CREW, encoding="utf-8")
    before = sorted(path.name for path in site.parent.iterdir() if path.name != "cache")
    done = run(site, "import", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert sorted(path.name for path in site.parent.iterdir() if path.name != "cache") == before


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_output_without_unicode(site: Path, encoding: str) -> None:
    document = tokens(site)
    tracker(document, "d", "Wounds")["value"] = 1
    arguments = ("import", "owlbear", keep(site, document), "--into", "roster.json", "--dry-run")
    done = run(site, *arguments, env={"PYTHONIOENCODING": encoding})
    assert (done.returncode, done.stderr) == (0, "")
    assert "  d  ? ?  Wounds 0 -> 1" in done.stdout


def test_help_names_the_formats(site: Path) -> None:
    done = run(site, "import", "--help")
    assert "contractors  Read contractors from a JSON or CSV file." in done.stdout
    assert "owlbear      Read Wounds and Stress of Owlbear Rodeo tokens, for --into." in done.stdout
    assert "--prefer" in run(site, "import", "owlbear", "--help").stdout


@pytest.mark.parametrize(
    ("rows", "head"),
    [
        ([{"name": ""}, {"name": 3}], "error: crew.json: 2 problems\n"),
        ([{"name": "Ana", "uid": " x"}, {"name": "Bo", "uid": "y "}], "error: crew.json: 2 problems\n"),
        ([{"name": "Ana", "disrupter": {"class": 3}}], "error: crew.json"),
    ],
)
def test_what_is_wrong_with_contractors_names_their_file(site: Path, rows: list[Any], head: str) -> None:
    done = run(site, "import", "contractors", keep(site, rows, "crew.json"), "-o", "new.toml")
    assert done.returncode == 2
    assert done.stderr.startswith(head)
    assert "None" not in done.stderr
    assert not (site.parent / "new.toml").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
@pytest.mark.parametrize("form", ["contractors", "foundry", "owlbear"])
def test_what_is_no_ordinary_file_is_not_opened(site: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = site.parent / "pipe.json"
    os.mkfifo(pipe)
    done = run(site, "import", form, os.devnull, "--dry-run")
    assert (done.returncode, done.stdout) == (2, "")
    assert "this is no ordinary file" in done.stderr
    monkeypatch.setattr(Path, "read_bytes", lambda _file: pytest.fail("it was opened"))
    for path in (os.devnull, str(pipe)):
        with pytest.raises(InputError, match="this is no ordinary file"):
            read_files([path])
