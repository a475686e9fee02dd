"""Packs in TOML, folders of content, what clashes, what changed, and the schema."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from rallypoint.content import Catalogue, Content, PageError, changes, read_content
from rallypoint.content.content_pack import pack_schema
from rallypoint.kernel.canonical import canonical
from rallypoint.kernel.errors import InputError

Pack: TypeAlias = Callable[..., Content]

ROOT = Path(__file__).parents[2]
HEAD = 'pack = 1\nname = "p"\n'
GUN = '[weapon.gun]\ntitle = "Gun"\nT = 0\nC = 1\nM = 2\nL = 3\nMax = "infinite"\n'


@pytest.fixture
def pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, catalogue: Catalogue) -> Pack:
    monkeypatch.chdir(tmp_path)

    def reader(text: str, name: str = "p.toml") -> Content:
        Path(name).write_text(text, "utf-8")
        return read_content([name], catalogue)

    return reader


def faults(pack: Pack, text: str) -> list[tuple[object, ...]]:
    with pytest.raises(PageError) as caught:
        pack(text)
    assert caught.value.exit_status == 2
    return [(each.line, each.what, each.where, each.hint) for each in caught.value.problems]


def test_a_pack_becomes_items(pack: Pack, catalogue: Catalogue) -> None:
    found = pack(HEAD + GUN + 'traits = ["recharge(2)"]\naliases = ["Boomstick"]\nmounts = ["grenade_launcher"]\n')
    item = found.entries[0].item
    assert (item.kind, item.key, item.title, item.rule) == ("weapon", "gun", "Gun", "p:gun")
    assert dict(item.numbers) == {"T": 0, "C": 1, "M": 2, "L": 3, "Max": None}
    assert (item.traits, item.mounts) == (("recharge(2)",), ("grenade_launcher",))
    extended = found.extended(catalogue)
    named = extended.find("weapon", "boomstick")
    assert named is not None
    assert (named.item, named.alias) == (item, "Boomstick")
    assert len(extended.weapons) == len(catalogue.weapons) + 1
    assert extended.added == (item,)
    assert catalogue.find("weapon", "gun") is None


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("pack = 3\nthis is = 1", None),
        (HEAD + GUN.replace("C = 1", "wepon = 1"), None),
        (HEAD + "[wepon.gun]\n" + GUN.partition("\n")[2], [("p.toml:3: wepon", "unknown field", "did you mean weapon?")]),
        (HEAD + GUN + 'trait = ["x"]\n', [("p.toml:3: weapon.gun.trait", "unknown field", "did you mean traits?")]),
        (HEAD + GUN + "colour = 1\n", [("p.toml:3: weapon.gun.colour", "unknown field", None)]),
        (HEAD + GUN + 'extra = "x"\n', [("p.toml:3: weapon.gun.extra", "a value of the wrong type", None)]),
        (HEAD + GUN.replace("C = 1", 'C = "one"'), [("p.toml:3: weapon.gun.C", "a value of the wrong type", None)]),
        (HEAD + GUN.replace("C = 1\n", ""), [("p.toml:3: weapon.gun.C", "a field is missing", None)]),
        (HEAD + GUN.replace("C = 1", "C = -1"), [("p.toml:3: weapon.gun.C", "a number out of range", None)]),
        (HEAD + GUN.replace("C = 1", "C = {n = 1}"), [("p.toml:3: weapon.gun.C", "a value of the wrong type", None)]),
        (HEAD + GUN + 'traits = "x"\n', [("p.toml:3: weapon.gun.traits", "a value of the wrong type", None)]),
        (HEAD + GUN + "traits = [1]\n", [("p.toml:3: weapon.gun.traits[0]", "a value of the wrong type", None)]),
        (HEAD + GUN + 'traits = ["rechagre(2)"]\n', [("p.toml:3: weapon.gun.traits", "unknown trait", "did you mean recharge?")]),
        (HEAD + GUN + 'traits = ["Goes boom"]\n', [("p.toml:3: weapon.gun.traits", "this is not a trait", None)]),
        (HEAD + GUN.replace("weapon.gun", 'weapon."Gun 2"'), [("p.toml:3: weapon.Gun 2", "this cannot be the key of an item", "did you mean gun_2?")]),
        (HEAD + GUN.replace('"Gun"', '"Gun, large"'), [("p.toml:3: weapon.gun.title", "a value of the wrong type", None)]),
        (HEAD + "weapon = 1\n", [("p.toml: weapon", "this is not a table", None)]),
        (HEAD, [("p.toml:1", "no item in this pack", None)]),
        ('name = "p"\n' + GUN, [("p.toml: pack", "a field is missing", "is it a file of another kind?")]),
        ("pack = 1\n" + GUN, [("p.toml: name", "a field is missing", None)]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_pack(text: str, rows: list[tuple[object, ...]] | None, pack: Pack) -> None:
    if rows is None:
        with pytest.raises(PageError):
            pack(text)
        return
    assert [(where, what, hint) for _, what, where, hint in faults(pack, text)] == rows


def test_a_pack_of_a_newer_form_says_so_and_nothing_else(pack: Pack) -> None:
    text = 'pack = 3\nname = "p"\n[gadgets]\nx = 1\n'
    assert faults(pack, text) == [
        (1, "pack 3, this version reads 1", "p.toml:1", "install a newer version of rallypoint")
    ]


def test_a_wrong_key_is_told_with_its_like(pack: Pack) -> None:
    text = HEAD + GUN.replace("title =", "titel =")
    assert faults(pack, text)[0] == (3, "unknown field", "p.toml:3: weapon.gun.titel", "did you mean title?")


def test_a_trait_that_no_rule_knows_is_kept_and_listed(pack: Pack) -> None:
    found = pack(HEAD + GUN + 'traits = ["smells_of_fish"]\n')
    assert found.entries[0].item.traits == ("smells_of_fish",)
    assert [str(each) for each in found.unknown] == ["p.toml:3: Gun: no rule knows the trait smells_of_fish"]
    assert not found.complete


def test_two_of_one_name_must_say_so(pack: Pack, catalogue: Catalogue) -> None:
    taken = GUN.replace('"Gun"', '"Smart-Rifle"')
    found = pack(HEAD + taken + taken.replace("weapon.gun", "weapon.gun2"))
    with pytest.raises(InputError, match="one name for two"):
        found.extended(catalogue)
    revolver = GUN.replace("weapon.gun", "weapon.revolver").replace('"Gun"', '"Revolver"')
    with pytest.raises(PageError) as caught:
        pack(HEAD + revolver).extended(catalogue)
    assert caught.value.what == "the weapon Revolver is there already"
    assert caught.value.hint == 'give it another name, or say replaces = "revolver"'
    replaced = pack(HEAD + revolver + 'replaces = "revolver"\n').extended(catalogue)
    assert dict(replaced.weapons["revolver"].numbers) == {"T": 0, "C": 1, "M": 2, "L": 3, "Max": None}
    assert len(replaced.weapons) == len(catalogue.weapons)
    with pytest.raises(PageError) as caught:
        pack(HEAD + revolver + 'replaces = "revolvr"\n').extended(catalogue)
    assert caught.value.hint == "did you mean revolver?"


def test_names_that_nobody_has_are_all_listed(pack: Pack, catalogue: Catalogue) -> None:
    text = HEAD + GUN + 'traits = ["requires_armor(hard_suit)"]\nmounts = ["spike", "revolver"]\n'
    with pytest.raises(PageError) as caught:
        pack(text).extended(catalogue)
    assert [(each.line, each.what, each.found) for each in caught.value.problems] == [
        (3, "Gun names an unknown armor", "hard_suit"),
        (3, "Gun mounts an unknown weapon", "spike"),
    ]


def test_one_changed_entry_is_one_change(pack: Pack) -> None:
    rows = [GUN.replace("weapon.gun", f"weapon.gun_{n}").replace('"Gun"', f'"Gun {n}"') for n in range(20)]
    old = pack(HEAD + "".join(rows))
    new = pack(HEAD + "".join([rows[0].replace("C = 1", "C = 2"), *rows[1:]]), "q.toml")
    found = changes(old, new)
    assert {name: len(keys) for name, keys in found.items()} == {"changed": 1, "added": 0, "gone": 0, "unchanged": 19}
    assert found["changed"] == ("weapon gun_0",)
    less = changes(old, pack(HEAD + "".join(rows[1:]) + GUN))
    assert (less["gone"], less["added"]) == (("weapon gun_0",), ("weapon gun",))


def test_a_folder_is_read_as_a_whole(tmp_path: Path, catalogue: Catalogue) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "README.md").write_text("# Words\nNo table.\n")
    (tmp_path / "deep" / "p.toml").write_text(HEAD + GUN)
    (tmp_path / "bots.md").write_text("# Bots\n## Ant\n| A | W | M |\n|-|-|-|\n| 50 | 1 | 1 |\n")
    (tmp_path / "notes.txt").write_text("no content")
    found = read_content([tmp_path], catalogue)
    assert [(entry.item.kind, entry.item.key) for entry in found.entries] == [("bot", "ant"), ("weapon", "gun")]
    assert found.entries[0].item.traits == ("no_panic", "must_be_led")
    assert [(Path(each.path).name, each.why) for each in found.left_out] == [("README.md", "no table of equipment")]
    assert found.counts["found"] == found.counts["items"] + found.counts["left_out"] == 3
    assert found.complete


def test_faults_of_all_files_come_at_once(tmp_path: Path, catalogue: Catalogue) -> None:
    (tmp_path / "a.toml").write_text(HEAD + GUN.replace("C = 1", "C = true"))
    (tmp_path / "b.md").write_text("# Bots\n## Ant\n| A | W | M |\n|-|-|-|\n| 50 | 1 |\n")
    with pytest.raises(PageError) as caught:
        read_content([tmp_path], catalogue)
    assert [each.what for each in caught.value.problems] == [
        "a value of the wrong type",
        "a row that does not fit the columns",
    ]


@pytest.mark.parametrize("name", ["x.md", "x.toml", "x.json", "empty"])
def test_nothing_from_something_is_a_failure(name: str, tmp_path: Path, catalogue: Catalogue) -> None:
    file = tmp_path / name
    if name == "empty":
        file.mkdir()
    else:
        file.write_text("# Words\nNothing to see.\n")
    with pytest.raises(PageError) as caught:
        read_content([file], catalogue)
    assert caught.value.exit_status == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_and_scripts(encoding: str, tmp_path: Path, catalogue: Catalogue) -> None:
    text = HEAD + GUN.replace('"Gun"', '"Żółw\N{RIGHT SINGLE QUOTATION MARK}s 狐 Gun"')
    (tmp_path / "p.toml").write_bytes(text.encode(encoding))
    extended = read_content([tmp_path / "p.toml"], catalogue).extended(catalogue)
    found = extended.find("weapon", "żółw's 狐 gun")
    assert found is not None
    assert found.item.key == "gun"


def test_cp1252_is_refused_with_the_offset(tmp_path: Path, catalogue: Catalogue) -> None:
    data = (HEAD + GUN.replace('"Gun"', '"Gün"')).encode("cp1252")
    (tmp_path / "p.toml").write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_content([tmp_path / "p.toml"], catalogue)
    assert caught.value.found == f"byte 0xFC at offset {data.index(0xFC)}"


def schema() -> Draft202012Validator:
    document = json.loads((ROOT / "docs" / "content-pack.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(document)
    return Draft202012Validator(document)


def test_the_published_schema_is_that_of_the_reader(catalogue: Catalogue) -> None:
    published = json.loads((ROOT / "docs" / "content-pack.schema.json").read_text("utf-8"))
    assert published == json.loads(canonical(pack_schema(catalogue)))


def test_the_schema_takes_what_the_reader_takes() -> None:
    for file in (ROOT / "examples" / "content").glob("*.toml"):
        schema().validate(tomllib.loads(file.read_text("utf-8")))
    assert schema().is_valid(tomllib.loads(HEAD + GUN))


@pytest.mark.parametrize(
    "text",
    [
        HEAD,
        HEAD.replace("1", "3") + GUN,
        GUN,
        HEAD + GUN.replace("C = 1", "wepon = 1"),
        HEAD + GUN.replace("C = 1", 'C = "one"'),
        HEAD + GUN.replace("C = 1", "C = -1"),
        HEAD + GUN.replace("weapon.gun", 'weapon."Gun 2"'),
        HEAD + GUN + 'traits = ["Goes boom"]\n',
        HEAD + GUN + "traits = [1]\n",
        HEAD + "[wepon.gun]\n",
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(text: str, pack: Pack) -> None:
    assert not schema().is_valid(tomllib.loads(text))
    assert faults(pack, text)
