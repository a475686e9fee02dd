"""Manifests: everything read, everything wrong told at once, with file and line."""

from __future__ import annotations

import difflib

import pytest

from rallypoint.kernel.errors import PluginError
from rallypoint.kernel.plugins import manifest_table
from rallypoint.kernel.plugins.clashes import clashes, refuse_clashes
from rallypoint.kernel.plugins.manifest import Command, Exporter, GameModule, Manifest, Name, Option, read_manifest
from rallypoint.kernel.rulings import Preset, Ruling

FULL = """manifest = 1
name = "cold-steel"
title = "Cold steel"
rules = ["D-R17"]
decides = ["D-AMB-12"]
before = ["b"]
after = ["a"]
conflicts = ["c"]
requires = ["r"]
hooks = "cold_steel.impl"

[needs]
disrupter = "1.2"

[game]
module = "cold_steel.game"
hooks = "cold_steel.specs:Hooks"
rosters = true

[[commands]]
name = "duel"
help = "Fight a duel."
run = "cold_steel.duel:main"

[[exporters]]
name = "cards"
help = "Write cards."
run = "cold_steel.cards:export"

[[exporters.options]]
name = "size"
default = "a7"
choices = ["a6", "a7"]
help = "Paper."

[[options]]
name = "parry"
type = "switch"
default = true
"""


def test_a_full_manifest() -> None:
    manifest, problems = read_manifest(FULL, "m.toml")
    assert problems == ()
    assert manifest is not None
    assert manifest._replace(needs={}) == Manifest(
        name="cold-steel",
        title="Cold steel",
        rules=("D-R17",),
        decides=("D-AMB-12",),
        before=("b",),
        after=("a",),
        conflicts=("c",),
        requires=("r",),
        hooks="cold_steel.impl",
        needs={},
        game=GameModule("cold_steel.game", "cold_steel.specs:Hooks", True),
        commands=(Command("duel", "Fight a duel.", "cold_steel.duel:main"),),
        exporters=(
            Exporter(
                "cards",
                "Write cards.",
                "cold_steel.cards:export",
                (Option("size", "text", "a7", ("a6", "a7"), "Paper."),),
            ),
        ),
        options=(Option("parry", "switch", True),),
    )
    assert dict(manifest.needs) == {"disrupter": "1.2"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('title = "', 'titel = "'), "m.toml:3: unknown key; found: titel; did you mean title?"),
        (("rules = [", "ruels = ["), "m.toml:4: unknown key; found: ruels; did you mean rules?"),
        (("manifest = 1", "manifest = 2"), "m.toml:1: this form of manifest is not known; found: 2; expected: 1"),
        (("manifest = 1\n", ""), "m.toml: a key is missing; expected: manifest = 1"),
        (("manifest = 1", "manifest = true"), "m.toml:1: manifest does not fit; found: True; expected: 1"),
        (('name = "cold-steel"\n', ""), 'expected: name = "small-letters-and-digits"'),
        (('"cold-steel"', '"Cold Steel"'), "m.toml:2: name does not fit; found: 'Cold Steel'"),
        (('["D-R17"]', '"D-R17"'), "m.toml:4: rules does not fit; found: 'D-R17'; expected: [\"text\", ...]"),
        (('"cold_steel.impl"', '"cold-steel"'), "m.toml:10: hooks does not fit; found: 'cold-steel'"),
        (('"1.2"', "1.2"), 'm.toml:13: [needs] disrupter does not fit; found: 1.2; expected: "1" or "1.2"'),
        (('"cold_steel.duel:main"', '"cold_steel.duel"'), "[commands] run does not fit; found: 'cold_steel.duel'"),
        (("[[commands]]", "[commands]"), "m.toml:20: commands does not fit;"),
        (('module = "cold_steel.game"\n', ""), '[game] a key is missing; expected: module = "package.module"'),
        (
            ("rosters = true", "rosters = 1"),
            "m.toml:18: [game] rosters does not fit; found: 1; expected: true or false",
        ),
        (('default = "a7"', 'default = "a8"'), "the default is not among the choices; found: 'a8'; expected: a6, a7"),
        (("default = true", 'default = "yes"'), "the default is not of the option's type; found: 'yes'"),
        (('type = "switch"', 'type = "bool"'), "[options] type does not fit; found: 'bool'"),
        (('help = "Paper."', 'halp = "Paper."'), "[exporters.options] unknown key; found: halp; did you mean help?"),
        (('[needs]\ndisrupter = "1.2"\n', ""), "m.toml:10: the plugin has hooks but does not say of which game"),
        (('name = "cold-steel"', 'name = "cold-steel'), "m.toml:2: this is not TOML: "),
    ],
)
def test_one_fault_is_named_with_its_line(change: tuple[str, str], said: str) -> None:
    old, new = change
    assert old in FULL
    manifest, problems = read_manifest(FULL.replace(old, new, 1), "m.toml")
    assert manifest is None
    assert len(problems) == 1
    assert said in str(problems[0])


def test_all_faults_at_once() -> None:
    text = 'manifest = 1\nname = "X"\nbefore = "a"\nhoks = "b"\n[[commands]]\nname = "c"\n'
    manifest, problems = read_manifest(text, "m.toml")
    assert manifest is None
    assert [problem.line for problem in problems] == [2, 3, 5, 4]
    assert [problem.what for problem in problems] == [
        "name does not fit",
        "before does not fit",
        "[commands] a key is missing",
        "unknown key",
    ]


def test_types_of_options_follow_from_the_default() -> None:
    rows = "".join(
        f'[[options]]\nname = "{name}"\ndefault = {value}\n'
        for name, value in zip("abcd", ('"x"', 2, 2.5, "false"), strict=True)
    )
    manifest, _ = read_manifest(f'manifest = 1\nname = "x"\n{rows}[[options]]\nname = "e"\n', "m.toml")
    assert manifest is not None
    assert [option.type for option in manifest.options] == ["text", "integer", "number", "switch", "text"]


def test_two_that_decide_one_ruling_are_named_with_the_choice() -> None:
    one = Manifest("b", decides=("D-AMB-1", "D-AMB-2"))
    two = Manifest("a", decides=("D-AMB-2",))
    assert clashes([one]) == ()
    (error,) = clashes([one, two])
    assert str(error) == (
        "plugins a and b: 2 plugins decide the ruling D-AMB-2; "
        "choose: rallypoint plugin disable a, or rallypoint plugin disable b"
    )
    with pytest.raises(PluginError, match="D-AMB-2"):
        refuse_clashes([two, one])
    refuse_clashes([two])


def test_who_brings_a_ruling_decides_it_too() -> None:
    owner = Manifest("b", rulings=(Ruling("NERVES-1", "nerves", ("one", "two"), ()),))
    other = Manifest("a", decides=("NERVES-1",))
    (error,) = clashes([owner, other])
    assert str(error).startswith("plugins a and b: 2 plugins decide the ruling NERVES-1; choose: ")
    both = owner._replace(decides=("NERVES-1",))
    assert clashes([both]) == ()
    (error,) = clashes([both, both._replace(name="c")])
    assert "2 plugins bring the ruling NERVES-1" in str(error)


def test_conflicts_are_named_once_whoever_declares_them() -> None:
    for manifests in (
        [Manifest("a", conflicts=("b",)), Manifest("b")],
        [Manifest("a"), Manifest("b", conflicts=("a",))],
        [Manifest("b", conflicts=("a",)), Manifest("a", conflicts=("b", "gone"))],
    ):
        assert [error.what for error in clashes(manifests)] == ["a and b cannot be on together"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("rules = " + "9" * 5000, "this is not TOML: a number of thousands of digits"),
        ("rules = 0x" + "f" * 5000, "this is no manifest; found: a number of hundreds of digits"),
        ("rules = " + "[" * 5000, "this is not TOML: lists in lists without end"),
        ("rules = " + "[" * 60 + "]" * 60, "this is no manifest; found: more than 40 tables and lists in each other"),
        ("a" + ".a" * 20000 + " = 1", "m.toml:3: this key has too many parts; expected: at most 40"),
        ("a" + ".'a'" * 20000 + " = 1", "m.toml:3: this key has too many parts; expected: at most 40"),
        ("[" + "a . " * 20000 + "a]", "m.toml:3: this key has too many parts; expected: at most 40"),
        ("rules = 1979-02-30", "m.toml:3: this is not TOML: Invalid date or datetime"),
        ("title = '" + "x" * 900_000 + "'\nx = 1", "m.toml:4: unknown key; found: x"),
        ("title = [" + "'x'," * 900 + "]", "m.toml:3: title does not fit; found: ['x', 'x'"),
    ],
)
def test_what_nobody_writes_by_hand_is_one_clear_problem(line: str, said: str) -> None:
    manifest, problems = read_manifest(f'manifest = 1\nname = "a"\n{line}\n', "m.toml")
    assert manifest is None
    assert len(problems) == 1
    assert said in str(problems[0])
    assert len(str(problems[0])) < 500


def test_a_default_must_fit_where_numbers_are_kept() -> None:
    text = f'manifest = 1\nname = "a"\n[[options]]\nname = "o"\ndefault = {2**63}\n'
    assert "the default is too large a number; found: 9223372036854775808" in str(read_manifest(text, "m.toml")[1][0])
    assert read_manifest(text.replace(str(2**63), str(2**63 - 1)), "m.toml")[1] == ()


def test_of_many_problems_the_first_are_told_and_the_others_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def near(word: str, known: list[str], number: int) -> list[str]:
        asked.append(word)
        return difflib.get_close_matches(word, known, number)

    monkeypatch.setattr(manifest_table, "get_close_matches", near)
    text = 'manifest = 1\nname = "a"\n' + "".join(f"k{number} = 1\n" for number in range(30_000))
    manifest, problems = read_manifest(text, "m.toml")
    assert manifest is None
    assert [problem.line for problem in problems] == [*range(3, 23), None]
    assert str(problems[-1]) == "m.toml: and 29980 more problems"
    assert len(asked) == 20


def test_lines_of_keys_that_begin_alike() -> None:
    text = 'manifest = 1\nname = "a"\nrules-of-old = 1\nrules = 1\n"odd key" = 1\n'
    assert [(problem.line, problem.found) for problem in read_manifest(text, "m.toml")[1]] == [
        (4, "1"),
        (3, "rules-of-old"),
        (5, "odd key"),
    ]


BROUGHT = """manifest = 1
name = "nerves"
content = ["arms.toml", "deep/page.md"]

[needs]
disrupter = "1"

[[rulings]]
id = "NERVES-1"
decides = "Stress"
choices = ["one", "two"]
rules = ["D-R8.3"]
excludes = ["D-SL-R8.1"]
because = "without Stress there is none"

[[rulings]]
id = "NERVES-2"
decides = "how much"
numbers = [2, 0, 20]

[[presets]]
name = "grim"
help = "Nerves break soon."
options = { "NERVES-1" = "two", "NERVES-2" = 3 }
"""


def test_rulings_sets_of_rules_and_content() -> None:
    manifest, problems = read_manifest(BROUGHT, "m.toml")
    assert problems == ()
    assert manifest is not None
    assert manifest.rulings == (
        Ruling("NERVES-1", "Stress", ("one", "two"), ("D-R8.3",), ("D-SL-R8.1",), "without Stress there is none"),
        Ruling("NERVES-2", "how much", (2, 0, 20), ("NERVES-2",)),
    )
    (preset,) = manifest.presets
    assert (preset.name, preset.text, dict(preset.options)) == (
        "grim",
        "Nerves break soon.",
        {"NERVES-1": "two", "NERVES-2": 3},
    )
    assert manifest.content == ("arms.toml", "deep/page.md")
    assert manifest.touched == ("D-R8.3", "NERVES-2")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            ('id = "NERVES-1"\n', ""),
            'm.toml:8: [rulings] a key is missing; expected: id = "letters, digits, dots and hyphens"',
        ),
        (('id = "NERVES-1"', 'id = "NERVES 1"'), "m.toml:9: [rulings] id does not fit; found: 'NERVES 1'"),
        (('id = "NERVES-1"', 'id = "1"'), "m.toml:9: [rulings] id does not fit; found: '1'"),
        (('decides = "Stress"\n', ""), '[rulings] a key is missing; expected: decides = "what it decides"'),
        (('decides = "Stress"', "decides = 3"), "[rulings] decides does not fit; found: 3"),
        (('["one", "two"]', '["one"]'), "m.toml:11: [rulings] a ruling has two choices or more, or numbers"),
        (('["one", "two"]', '["one", "one"]'), "m.toml:11: [rulings] two choices are the same; found: one"),
        (('choices = ["one", "two"]\n', ""), "[rulings] a ruling has two choices or more, or numbers"),
        (('choices = ["one", "two"]', "choices = [1, 2]"), "m.toml:11: [rulings] choices does not fit; found: [1, 2]"),
        (
            ("numbers = [2, 0, 20]", "numbers = [2, 0]"),
            "m.toml:19: [rulings] numbers does not fit; found: [2, 0]; expected: 3 whole numbers",
        ),
        (("numbers = [2, 0, 20]", "numbers = [2, 0, true]"), "m.toml:19: [rulings] numbers does not fit"),
        (("numbers = [2, 0, 20]", "numbers = [2, 0, 2.5]"), "m.toml:19: [rulings] numbers does not fit"),
        (
            ("numbers = [2, 0, 20]", "numbers = [21, 0, 20]"),
            "m.toml:19: [rulings] the default is not within its limits; found: (21, 0, 20)",
        ),
        (("numbers = [2, 0, 20]", "numbers = [2, 20, 0]"), "m.toml:19: [rulings] the default is not within its limits"),
        (
            ("numbers = [2, 0, 20]", f"numbers = [2, 0, {10**18}]"),
            "m.toml:19: [rulings] a number of a ruling is too large",
        ),
        (
            ('["one", "two"]', '["one", "two"]\nnumbers = [1, 0, 2]'),
            "[rulings] a ruling has two choices or more, or numbers",
        ),
        (('"D-SL-R8.1"', "1"), "m.toml:13: [rulings] excludes does not fit; found: [1]"),
        (('["D-SL-R8.1"]', '["NERVES-1"]'), "m.toml:13: [rulings] a ruling cannot exclude itself; found: NERVES-1"),
        (("because", "becuase"), "m.toml:14: [rulings] unknown key; found: becuase; did you mean because?"),
        (('id = "NERVES-2"', 'id = "NERVES-1"'), "two rulings have one id; found: NERVES-1; expected: an id each"),
        (('name = "grim"\n', ""), '[presets] a key is missing; expected: name = "small-letters-and-digits"'),
        (('name = "grim"', 'name = "Grim"'), "[presets] name does not fit; found: 'Grim'"),
        (
            ('help = "Nerves break soon."', 'halp = "x"'),
            "m.toml:23: [presets] unknown key; found: halp; did you mean help?",
        ),
        (
            ('options = { "NERVES-1" = "two", "NERVES-2" = 3 }', "options = 3"),
            "m.toml:24: [presets] options does not fit; found: 3",
        ),
        (
            ('"NERVES-2" = 3 }', '"NERVES-2" = true }'),
            "[presets.options] NERVES-2 does not fit; found: True; expected: a choice",
        ),
        (('"NERVES-2" = 3 }', '"NERVES-2" = ["x"] }'), "[presets.options] NERVES-2 does not fit"),
        (
            ('help = "Nerves break soon."\n', '[[presets]]\nname = "grim"\n'),
            "two sets of rules have one name; found: grim",
        ),
        (('"deep/page.md"', '"../page.md"'), "m.toml:3: this is no file of the package; found: ../page.md"),
        (('"deep/page.md"', '"/page.md"'), "m.toml:3: this is no file of the package; found: /page.md"),
        (('"deep/page.md"', '"page.json"'), "m.toml:3: this is no file of the package; found: page.json"),
        (('content = ["arms.toml", "deep/page.md"]', 'content = "arms.toml"'), "m.toml:3: content does not fit"),
        (('[needs]\ndisrupter = "1"\n', ""), "the plugin has rulings but does not say of which game"),
    ],
)
def test_one_fault_of_what_a_plugin_brings_is_named_with_its_line(change: tuple[str, str], said: str) -> None:
    old, new = change
    assert old in BROUGHT
    manifest, problems = read_manifest(BROUGHT.replace(old, new, 1), "m.toml")
    assert manifest is None
    assert len(problems) == 1, [str(problem) for problem in problems]
    assert said in str(problems[0])


def test_sets_of_rules_alone_need_a_game_too() -> None:
    for what, text in (("content", 'content = ["a.toml"]\n'), ("presets", '[[presets]]\nname = "grim"\n')):
        problems = read_manifest(f'manifest = 1\nname = "a"\n{text}', "m.toml")[1]
        assert [problem.what for problem in problems] == [f"the plugin has {what} but does not say of which game"]


def test_two_that_bring_one_ruling_or_one_set_are_named_with_the_choice() -> None:
    ruling, preset = Ruling("N-1", "x", ("a", "b"), ()), Preset("grim", "", {})
    one, two = Manifest("a", rulings=(ruling,), presets=(preset,)), Manifest("b", rulings=(ruling,), presets=(preset,))
    assert clashes([one]) == ()
    assert [error.what for error in clashes([two, one])] == [
        "2 plugins bring the ruling N-1",
        "2 plugins bring the set of rules grim",
    ]
    assert {error.hint for error in clashes([one, two])} == {
        "choose: rallypoint plugin disable a, or rallypoint plugin disable b"
    }


def test_a_fault_in_a_later_table_of_many_is_at_its_own_line() -> None:
    first = '[[exporters]]\nname = "a"\nrun = "m:f"\n[[exporters.options]]\nname = "x"\n'
    second = (
        '[[exporters]]\nname = "b"\nrun = "m:f"\n[[exporters.options]]\nname = "y"\n[[exporters.options]]\nname = "Z"\n'
    )
    rulings = '[[rulings]]\nid = "A"\ndecides = "d"\nchoices = ["a", "b"]\n[[rulings]]\nid = "B"\ndecides = "d"\nchoices = ["a"]\n'
    text = f'manifest = 1\nname = "p"\n{first}{second}{rulings}[needs]\nduel = "x"\n'
    lines = text.splitlines()
    problems = read_manifest(text, "m.toml")[1]
    assert [(problem.line, lines[(problem.line or 0) - 1]) for problem in problems] == [
        (24, 'duel = "x"'),
        (14, 'name = "Z"'),
        (22, 'choices = ["a"]'),
    ]


def test_a_name_of_a_table_is_not_taken_for_that_of_the_plugin() -> None:
    (problem,) = read_manifest('manifest = 1\n[[commands]]\nname = "c"\nrun = "m:f"\n', "m.toml")[1]
    assert (problem.line, problem.what) == (None, "a key is missing")


def test_traits_and_names_of_another_game() -> None:
    text = 'manifest = 1\nname = "a"\ntraits = ["heavy"]\n[needs]\ndisrupter = "1"\n[names.weapon]\n"Big Bow" = "Revolver"\n'
    manifest, problems = read_manifest(text, "m.toml")
    assert (problems, manifest is not None) == ((), True)
    assert manifest is not None
    assert (manifest.traits, manifest.names) == (("heavy",), (Name("weapon", "Big Bow", "Revolver"),))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('traits = ["Heavy Gun"]', "m.toml:3: this is not the name of a trait; found: Heavy Gun"),
        ('names = { weapon = { "Big Bow" = 3 } }', "Big Bow does not fit; found: 3"),
        ('traits = ["heavy"]', "m.toml:3: the plugin has traits but does not say of which game"),
    ],
)
def test_traits_and_names_that_do_not_fit(line: str, said: str) -> None:
    needs = "" if "which game" in said else '[needs]\ndisrupter = "1"\n'
    manifest, problems = read_manifest(f'manifest = 1\nname = "a"\n{line}\n{needs}', "m.toml")
    assert manifest is None
    assert said in str(problems[0])
