"""Ids: 16 letters and digits, one each, the same on every run and in every process."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import rallypoint.kernel
import rallypoint_foundry
from rallypoint.kernel.encounter import Export
from rallypoint_foundry.export import export, slug
from rallypoint_foundry.ids import derived_roll, document_id

from .forces import COMBAT_ARMOR, PULSE_RIFLE, Force, large

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def documents(result: Export) -> list[dict[str, Any]]:
    whole = json.loads(result.files["encounter.json"])
    return [*whole["folders"], *whole["actors"], *(item for actor in whole["actors"] for item in actor["items"])]


def test_the_id_is_sixteen_digits_to_base_62_of_sha_256() -> None:
    number = int(hashlib.sha256(b'["sqd-1","x"]').hexdigest(), 16)
    digits = [number // 62**place % 62 for place in range(16)]
    assert document_id("sqd-1", "x") == "".join(ALPHABET[digit] for digit in digits)


@given(st.lists(st.text()))
def test_any_text_gives_a_legal_id(parts: list[str]) -> None:
    assert re.fullmatch("[A-Za-z0-9]{16}", document_id(*parts))


def test_the_parts_are_kept_apart() -> None:
    tried = [("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), ("", "abc"), ('a","bc',), ("sqd-1/α",), ("sqd-1/a",)]
    assert len({document_id(*parts) for parts in tried}) == len(tried)


def test_no_collision_in_many() -> None:
    assert len({document_id("e", "side", str(number)) for number in range(50_000)}) == 50_000


def test_letters_are_spread_evenly() -> None:
    counts = Counter("".join(document_id(str(number)) for number in range(10_000)))
    # 160,000 letters over 62: 2,581 expected, standard deviation about 50.
    assert len(counts) == 62
    assert all(2_300 < count < 2_860 for count in counts.values())


def test_derived_roll_has_two_fair_dice() -> None:
    totals = Counter(derived_roll(2, 10, 10, "loyalty", "demo", str(number)) for number in range(20_000))
    assert (min(totals), max(totals)) == (12, 30)
    # 21 comes up in 10 of 100 throws, 12 and 30 in one each.
    assert 1_800 < totals[21] < 2_200
    assert 130 < totals[12] < 270
    assert 130 < totals[30] < 270


def test_all_ids_of_an_export_are_legal_and_unique() -> None:
    ids = [document["_id"] for document in documents(export(large(24), {}))]
    assert len(ids) == 24 + 1 + 2 + 24 * 2  # units, the platoon, side and squad, armour and rifle
    assert all(re.fullmatch("[A-Za-z0-9]{16}", identity) for identity in ids)
    assert len(set(ids)) == len(ids)


def test_two_weapons_of_one_kind_have_two_ids() -> None:
    force = Force()
    force.frame()
    force.unit("u", "Soldier", "red/1/A", COMBAT_ARMOR, PULSE_RIFLE, PULSE_RIFLE)
    force.unit("v", "Soldier", "red/1/A", COMBAT_ARMOR, PULSE_RIFLE)
    whole = json.loads(export(force.encounter(), {}).files["encounter.json"])
    rifles = [item for actor in whole["actors"] for item in actor["items"] if item["type"] == "weapon"]
    assert len({rifle["_id"] for rifle in rifles}) == 3
    assert [rifle["flags"]["rallypoint"]["occurrence"] for rifle in rifles] == [1, 2, 1]


def test_ids_depend_on_encounter_and_uid_but_not_on_name_or_wounds() -> None:
    def identity(key: str, uid: str, name: str, taken: int) -> str:
        force = Force(key)
        force.frame()
        force.unit(uid, "Soldier", "red/1/A", COMBAT_ARMOR, name=name, taken=taken)
        return str(json.loads(export(force.encounter(), {}).files["encounter.json"])["actors"][1]["_id"])

    base = identity("demo", "u", "One", 0)
    assert identity("demo", "u", "Renamed", 1) == base
    assert identity("other", "u", "One", 0) != base
    assert identity("demo", "v", "One", 0) != base


def test_a_new_process_writes_the_same_bytes() -> None:
    roots = [str(Path(module.__path__[0]).parent) for module in (rallypoint_foundry, rallypoint.kernel)]
    roots[1] = str(Path(roots[1]).parent)
    program = (
        "import sys, hashlib\n"
        f"sys.path[:0] = {[*roots, str(Path(__file__).parents[1])]!r}\n"
        "from foundry.forces import large\n"
        "from rallypoint_foundry.export import export\n"
        "for name, data in export(large(9), {}).files.items(): print(name, hashlib.sha256(data).hexdigest())\n"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PATH": "", "PYTHONUTF8": "1"},
        ).stdout.splitlines()
        for seed in ("1", "2")
    ]
    here = [f"{name} {hashlib.sha256(data).hexdigest()}" for name, data in export(large(9), {}).files.items()]
    assert runs[0] == runs[1] == here
    assert len(here) == 11 + 1 + 4 + 1 + 12  # as in the test of sixty actors, for 10 actors and 2 folders


def test_file_names() -> None:
    force = Force()
    force.frame()
    names = {"a": "Żółw-1", "b": "狐 🦊", "c": "O'Neil ", "d": "O’Neil", "e": "Отряд Ворон", "f": "../../etc/passwd"}
    for uid, name in names.items():
        force.unit(uid, "Soldier", "red/1/A", COMBAT_ARMOR, name=name)
    result = export(force.encounter(), {})
    whole = json.loads(result.files["encounter.json"])
    by_uid = {actor["flags"]["rallypoint"]["uid"]: actor for actor in whole["actors"]}
    assert {uid: by_uid[uid]["name"] for uid in names} == names
    files = {uid: next(name for name in result.files if by_uid[uid]["_id"] in name) for uid in names}
    slugs = {"a": "zow-1-", "b": "", "c": "o-neil-", "d": "oneil-", "e": "", "f": "etc-passwd-"}
    for uid, start in slugs.items():
        assert files[uid] == f"actors/fvtt-Actor-{start}{by_uid[uid]['_id']}.json"
        assert json.loads(result.files[files[uid]]) == by_uid[uid]
    assert len({name.lower() for name in result.files}) == len(result.files)


def test_a_long_name_makes_a_short_file_name() -> None:
    assert slug("x" * 300) == "x" * 40
    assert slug("Robot " * 20) == "robot-robot-robot-robot-robot-robot-robo"
