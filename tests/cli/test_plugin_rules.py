"""What plugins bring to a game, at the command line: rulings, sets of rules, acts, equipment; on, off, broken, or of two plugins."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ..plugins.distributions import distribution, rallypoint
from .battles import ROSTER, SCENARIO

NERVES = """
from rallypoint.disrupter.records import Act
from rallypoint.kernel.changes import SetAttribute
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.game import Intent
from rallypoint.kernel.plugins.hooks import hookimpl

@hookimpl
def turn_start(step, stress):
    return stress + (step.options.get("NERVES-1") == "two")

def brace(step, words):
    if words == "never":
        raise RuleError("nobody braces for that", rule="NERVES-3", found=words)
    step.emit("nerves.braced", SetAttribute("battle", "braced", words), rule="NERVES-3", by="nerves")

@hookimpl
def acts():
    return (Act("brace", brace),)

@hookimpl
def legal_acts(seat):
    return (Intent("brace", ("all",), seat),)

@hookimpl
def setup_briefing(options):
    return ("Nerves are worse.",) if options.get("NERVES-1") == "two" else None
"""
BROUGHT = """
[[rulings]]
id = "NERVES-1"
decides = "Stress at the start of a turn"
choices = ["one", "two"]
rules = ["D-R8.3"]
excludes = ["NERVES-2"]
because = "there is one measure of nerves"
[[rulings]]
id = "NERVES-2"
decides = "how nervous"
numbers = [1, 0, 9]
[[presets]]
name = "grim"
help = "Nerves break soon."
options = { "NERVES-1" = "two", "D-AMB-08.start" = 2 }
"""
ARMS = 'id = "ARMS-1"\ndecides = "arms"\nchoices = ["off", "on"]\n'
NEEDS = '[needs]\ndisrupter = "1"\n'
NEW = ("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "1")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    (tmp_path / "small.md").write_text(ROSTER)
    (tmp_path / "skirmish.toml").write_text(SCENARIO)
    nerves(folder)
    return folder


def nerves(folder: Path, body: str = NERVES, version: str = "1.0") -> Path:
    manifest = f'hooks = "pkg_nerves.impl"\n{NEEDS}{BROUGHT}'
    return distribution(folder, "nerves", {"impl.py": body}, manifest=manifest, version=version)


def manifest_alone(folder: Path, name: str, text: str) -> Path:
    return distribution(folder, name, manifest=f"{text.partition('[[')[0]}{NEEDS}{''.join(text.partition('[[')[1:])}")


def ok(site: Path, *arguments: str) -> str:
    done = rallypoint(*arguments, folder=site)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(site: Path, *arguments: str) -> str:
    done: subprocess.CompletedProcess[str] = rallypoint(*arguments, folder=site)
    assert (done.returncode, done.stdout) == (2, ""), done
    assert "Traceback" not in done.stderr
    return done.stderr


def rulings(out: str) -> dict[str, str]:
    rows = [line.removeprefix("Ruling ").split(": ") for line in out.splitlines() if line.startswith("Ruling ")]
    return {row[0]: row[1] for row in rows}


def changed(site: Path, *arguments: str) -> dict[str, Any]:
    rows = json.loads(ok(site, "rules", "show", *arguments, "--changed", "--json"))["rulings"]
    return {row["id"]: row["chosen"] for row in rows}


# Choosing


def test_a_set_of_rules_and_single_rulings_over_it(site: Path) -> None:
    out = ok(site, *NEW, "--rules", "grim", "--option", "D-AMB-08.start=3", "--dry-run")
    assert rulings(out) == {"D-AMB-08.start": "3", "NERVES-1": "two"}
    assert "Note: Nerves are worse." in out
    assert changed(site, "--rules", "grim") == {"D-AMB-08.start": 2, "NERVES-1": "two"}
    assert changed(site, "--option", "NERVES-2=4") == {"NERVES-2": 4}


def test_a_scenario_names_the_set_and_chooses_otherwise(site: Path) -> None:
    text = SCENARIO.replace('size = "squad"', 'size = "squad"\nrules = "grim"')
    own = text.replace("[board]", '[options]\n"D-AMB-08.start" = 1\n"D-AMB-05" = "selected"\n[board]')
    (site.parent / "skirmish.toml").write_text(own)
    assert rulings(ok(site, *NEW, "--dry-run")) == {"D-AMB-05": "selected", "D-AMB-08.start": "1", "NERVES-1": "two"}
    over = ok(site, *NEW, "--dry-run", "--option", "NERVES-1=one")
    assert rulings(over)["NERVES-1"] == "one"
    assert changed(site, "--scenario", "skirmish.toml")["NERVES-1"] == "two"


def test_cards_and_exports_take_the_same_options(site: Path) -> None:
    ok(site, "card", "small.md", "-o", "a.md", "--rules", "grim", "--option", "NERVES-1=one")
    ok(site, "export", "owlbear", "small.md", "-o", "o", "--rules", "grim", "--dry-run")
    for command in (("card", "small.md", "-o", "b.md"), ("export", "owlbear", "small.md", "-o", "o")):
        assert "did you mean grim?" in refused(site, *command, "--rules", "grimm")
        assert "one or two" in refused(site, *command, "--option", "NERVES-1=three")
    assert not (site.parent / "b.md").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("--option", "NERVES-2=10"),
            "NERVES-2: this ruling has no such choice; found: 10; expected: a whole number from 0 to 9",
        ),
        (("--option", "NERVS-1=two"), "did you mean NERVES-1?"),
        (("--option", "NERVES-1"), "D-AMB-05=selected"),
        (
            ("--option", "NERVES-1=two", "--option", "NERVES-2=3"),
            "two rulings exclude each other: there is one measure of nerves",
        ),
        (("--rules", "gloom"), "plugins bring some"),
    ],
)
def test_a_choice_that_is_none_is_refused(site: Path, arguments: tuple[str, ...], said: str) -> None:
    assert said in refused(site, *NEW, *arguments)
    assert not (site.parent / "a.battle").exists()


# Off, broken, of two plugins


def test_a_ruling_of_a_plugin_that_is_off_is_named_with_its_plugin(site: Path) -> None:
    off = ("-p", "no:nerves")
    said = "it is of the plugin nerves, which is off (-p no:nerves)"
    assert said in refused(site, *off, *NEW, "--option", "NERVES-1=two")
    assert said in refused(site, *off, *NEW, "--rules", "grim")
    (site.parent / "skirmish.toml").write_text(SCENARIO.replace("[board]", '[options]\n"NERVES-1" = "two"\n[board]'))
    error = refused(site, *off, *NEW)
    assert "skirmish.toml:5: unknown option; found: NERVES-1" in error
    assert said in error


def test_a_set_that_chooses_a_ruling_of_a_plugin_that_is_off(site: Path) -> None:
    manifest_alone(site, "dusk", '[[presets]]\nname = "dusk"\noptions = { "NERVES-1" = "two" }\n')
    assert rulings(ok(site, *NEW, "--rules", "dusk", "--dry-run")) == {"NERVES-1": "two"}
    error = refused(site, "-p", "no:nerves", *NEW, "--rules", "dusk")
    assert "set of rules dusk: this set of rules chooses a ruling that is not there; found: NERVES-1" in error
    assert "it is of the plugin nerves, which is off" in error
    text = SCENARIO.replace('size = "squad"', 'size = "squad"\nrules = "dusk"')
    (site.parent / "skirmish.toml").write_text(text)
    error = refused(site, "-p", "no:nerves", *NEW)
    assert "skirmish.toml:4: this set of rules chooses a ruling that is not there; found: NERVES-1" in error


def test_a_set_with_a_choice_that_is_none_is_named(site: Path) -> None:
    manifest_alone(site, "dusk", '[[presets]]\nname = "dusk"\noptions = { "NERVES-1" = "three" }\n')
    error = refused(site, *NEW, "--rules", "dusk")
    assert "set of rules dusk: this set of rules makes a choice that is not there; found: NERVES-1 three" in error
    assert rulings(ok(site, *NEW, "--rules", "grim", "--dry-run"))["NERVES-1"] == "two"


@pytest.mark.parametrize(
    ("gone", "said"), [("off", "NERVES-1 = two (plugin nerves is off: "), ("removed", "played with nerves 1.0")]
)
def test_a_battle_outlives_the_plugin_of_its_rulings(site: Path, gone: str, said: str) -> None:
    ok(site, *NEW, "--option", "NERVES-1=two")
    switch = ("-p", "no:nerves") if gone == "off" else ()
    if gone == "removed":
        shutil.rmtree(next(site.glob("*nerves*.dist-info")))
    error = refused(site, *switch, "battle", "act", "a.battle", "done")
    assert "rulings of a plugin that does not take part" in error
    assert said in error
    assert "rallypoint battle adopt a.battle" in error
    shown = ok(site, *switch, "battle", "show", "a.battle")
    assert "other rules: plugin nerves: 1.0 in the log, none here" in shown
    adopted = ok(site, *switch, "battle", "adopt", "a.battle", "--option", "D-AMB-08.start=2")
    assert "dropped: NERVES-1, which no plugin that takes part brings\n" in adopted
    ok(site, *switch, "battle", "replay", "a.battle")


def test_a_ruling_of_a_broken_plugin_is_refused_with_the_reason(site: Path) -> None:
    (site / "pkg_nerves" / "impl.py").write_text("import nowhere_at_all\n")
    error = refused(site, *NEW, "--option", "NERVES-1=two")
    assert "NERVES-1: a ruling is of a plugin that does not take part" in error
    assert "plugin nerves is broken: ModuleNotFoundError: No module named 'nowhere_at_all'" in error
    done = rallypoint(*NEW, folder=site)
    assert done.returncode == 0
    assert "plugin nerves does not take part" in done.stderr


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('decides = ["D-AMB-08.start"]\n', "2 plugins decide the ruling D-AMB-08.start"),
        ('[[rulings]]\nid = "DUSK-1"\ndecides = "x"\nchoices = ["a", "b"]\n', "2 plugins bring the ruling DUSK-1"),
        ('[[presets]]\nname = "gloom"\n', "2 plugins bring the set of rules gloom"),
    ],
)
def test_two_plugins_of_one_mind_are_named_at_start_with_the_choice(site: Path, line: str, what: str) -> None:
    for name in ("dusk", "dawn"):
        manifest_alone(site, name, line)
    error = refused(site, *NEW)
    choice = "choose: rallypoint plugin disable dawn, or rallypoint plugin disable dusk"
    assert f"plugins dawn and dusk: {what}; {choice}" in error
    assert f"clash: plugins dawn and dusk: {what}" in ok(site, "plugins")
    ok(site, "-p", "no:dusk", *NEW)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            '[[rulings]]\nid = "D-AMB-05"\ndecides = "x"\nchoices = ["a", "b"]\n',
            "a ruling that is the game's own; found: D-AMB-05",
        ),
        ('[[presets]]\nname = "full"\n', "a set of rules that is the game's own; found: full"),
    ],
)
def test_what_is_the_games_own_cannot_be_brought_again(site: Path, line: str, said: str) -> None:
    manifest_alone(site, "dusk", line)
    error = refused(site, *NEW)
    assert said in error
    assert "rallypoint plugin disable dusk" in error


def test_equipment_that_cannot_be_read_breaks_its_plugin_alone(site: Path) -> None:
    home = manifest_alone(site, "arms", 'content = ["good.toml", "arms.toml"]\n[[rulings]]\n' + ARMS)
    columns = "T = 0\nC = 1\nM = 1\nL = 0\nMax = 2\n"
    (home / "good.toml").write_text(f'pack = 1\nname = "good"\n[weapon.pike]\ntitle = "Pike"\n{columns}')
    (home / "arms.toml").write_text(f'pack = 1\nname = "arms"\n[weapon.x]\ntitle = "X"\ntitel = "X"\n{columns}')
    said = "warning: plugin arms does not take part: "
    done = rallypoint("muster", "small.md", folder=site)
    assert (done.returncode, done.stderr.count(said)) == (0, 1)
    assert "arms.toml:3: weapon.x.titel: unknown field" in done.stderr
    done = rallypoint(*NEW, folder=site)
    assert (done.returncode, done.stderr.count(said)) == (0, 1)
    error = refused(site, *NEW[:4], "b.battle", "--option", "ARMS-1=on")
    assert "plugin arms is broken" in error
    # The file itself can be looked at: its plugin does not stand in the way.
    done = rallypoint("content", "check", str(home / "arms.toml"), folder=site)
    assert (done.returncode, "arms.toml:3: weapon.x.titel: unknown field" in done.stderr) == (2, True)
    ok(site, "content", "check", str(home / "good.toml"))
    # Nothing of a broken plugin counts, also not the file that could be read.
    assert "Pike" not in ok(site, "content", "list")
    rows = {row["name"]: row for row in json.loads(ok(site, "plugins", "--json"))["plugins"]}
    assert (rows["arms"]["state"], rows["nerves"]["state"]) == ("broken", "on")
    assert "arms.toml:3" in rows["arms"]["reason"]


def test_several_problems_of_a_plugin_stand_on_a_line_each(site: Path) -> None:
    home = manifest_alone(site, "arms", 'content = ["arms.toml"]\n')
    (home / "arms.toml").write_text('pack = 1\nname = "arms"\ncolour = "red"\n[weapon.x]\ntitle = "X"\n')
    lines = [line.strip() for line in ok(site, "plugins").splitlines() if "arms.toml:" in line]
    # One field too many, and the five numbers of a weapon.
    assert len(lines) == 6
    assert all(line.count("arms.toml:") == 1 for line in lines)


def test_traits_and_names_that_a_plugin_knows(site: Path) -> None:
    manifest_alone(site, "arms", 'traits = ["heavy"]\n[names.weapon]\n"Big Bow" = "Revolver"\n[[rulings]]\n' + ARMS)
    numbers = "T = 0\nC = 1\nM = 1\nL = 0\nMax = 2\n"
    text = f'pack = 1\nname = "x"\n[weapon.x]\ntitle = "X"\ntraits = ["heavy(3)", "sharp"]\n{numbers}'
    (site.parent / "x.toml").write_text(text)
    out = rallypoint("content", "check", "x.toml", folder=site).stdout
    assert ("trait heavy" in out, "no rule knows the trait sharp" in out) == (False, True)
    assert (
        "no rule knows the trait heavy(3)"
        in rallypoint("-p", "no:arms", "content", "check", "x.toml", folder=site).stdout
    )
    (site.parent / "bow.md").write_text(ROSTER.replace("Revolver", "big bow", 1))
    assert "unknown weapon; found: big bow" in (error := refused(site, "muster", "bow.md"))
    assert "did you mean Revolver? (plugin arms)" in error


# In a battle


def test_an_act_of_a_plugin_is_listed_taken_and_refused(site: Path) -> None:
    ok(site, *NEW)
    ok(site, "battle", "step", "a.battle")
    out = ok(site, "battle", "act", "a.battle", "brace", '["all"]')
    assert "nerves" in out
    legal = json.loads(ok(site, "battle", "legal", "a.battle", "--json"))["legal"]
    assert [row["rule"] for row in legal][-2:] == ["brace", "done"]
    (event,) = json.loads(ok(site, "battle", "log", "a.battle", "--json"))[-1]["events"]
    assert (event["kind"], event["rule"], event["by"]) == ("nerves.braced", "NERVES-3", "nerves")
    assert "nobody braces for that" in refused(site, "battle", "act", "a.battle", "brace", '["never"]')


def test_a_battle_pins_names_and_versions_of_manifests_alone_too(site: Path) -> None:
    manifest_alone(site, "dusk", '[[presets]]\nname = "dusk"\noptions = { "NERVES-1" = "two" }\n')
    ok(site, *NEW)
    for name in ("nerves", "dusk"):
        (site / f"pkg_{name}-1.0.dist-info" / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 2.0\n"
        )
    told = ok(site, "battle", "show", "a.battle")
    for name in ("nerves", "dusk"):
        assert f"other rules: plugin {name}: 1.0 in the log, 2.0 here" in told
    error = refused(site, "battle", "act", "a.battle", "done")
    assert "plugin dusk: 1.0 in the log, 2.0 here; plugin nerves: 1.0 in the log, 2.0 here" in error
    assert "plugin dusk: 1.0 in the log, none here" in ok(site, "-p", "no:dusk", "battle", "show", "a.battle")
    ok(site, "battle", "adopt", "a.battle")
    assert "other rules" not in ok(site, "battle", "show", "a.battle")


@pytest.mark.parametrize("how", ["off", "broken", "gone"])
def test_a_battle_with_a_ruling_of_a_plugin_that_is_missing_can_be_adopted(site: Path, how: str) -> None:
    ok(site, *NEW, "--option", "NERVES-1=two", "--option", "D-AMB-08.start=3")
    off = ("-p", "no:nerves") if how == "off" else ()
    if how == "broken":
        (site / "pkg_nerves" / "impl.py").write_text("import nowhere_at_all\n")
    elif how == "gone":
        shutil.rmtree(site / "pkg_nerves-1.0.dist-info")
    error = refused(site, *off, "battle", "step", "a.battle")
    assert "NERVES-1" in error
    assert "rallypoint battle adopt" in error or how == "gone"
    assert "other rules: option NERVES-1: two in the log, none here" in ok(site, *off, "battle", "show", "a.battle")
    told = ok(site, *off, "battle", "adopt", "a.battle")
    assert "option NERVES-1: two in the log, none here" in told
    assert "plugin nerves: 1.0 in the log, none here" in told
    assert "D-AMB-08" not in told  # the game's own stay
    ok(site, *off, "battle", "step", "a.battle")


def test_what_is_off_is_not_imported_and_switching_imports_nothing(site: Path) -> None:
    mark = site.parent / "imported"
    effect = f"open({str(mark)!r}, 'a').write('x')\n"
    nerves_home = site / "pkg_nerves"
    for file in ("__init__.py", "impl.py"):
        (nerves_home / file).write_text(effect + (NERVES if file == "impl.py" else ""))
    for command in (
        ("plugin", "disable", "nerves"),
        ("plugins",),
        (*NEW[:-2], "--dry-run"),
        ("plugin", "enable", "nerves"),
        ("plugins", "--no-import"),
        ("-p", "no:nerves", "plugins"),
        ("-p", "no:nerves", *NEW),
        ("-p", "no:nerves", "card", "small.md", "-o", "a.md"),
        ("muster", "small.md"),
        ("--help",),
        ("rules", "--help"),
    ):
        ok(site, *command)
        assert not mark.exists(), command
    ok(site, "plugins")
    assert mark.read_text() == "xx"


def test_a_battle_of_seats_that_play_alone_stops_where_a_plugin_fails(site: Path) -> None:
    home = site / "pkg_nerves" / "impl.py"
    home.write_text(NERVES.replace("return stress + (step", "return 1 // 0 + (step"))
    ok(site, *NEW, "--seat", "red=auto", "--seat", "blue=auto")
    done = rallypoint("battle", "play", "a.battle", folder=site)
    assert done.returncode == 2
    assert "ZeroDivisionError" in done.stderr
    assert "nerves" in done.stderr
    assert "Refused" not in done.stdout
