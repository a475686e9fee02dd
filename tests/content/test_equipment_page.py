"""Pages of equipment in Markdown: the form of Disrupter's contributors, read without loss or refused with the line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from rallypoint.content import Catalogue, Content, PageError, Stat, read_content
from rallypoint.content.sentences import words_of

Read: TypeAlias = Callable[..., Content]

KNOWN = {
    words_of("Whoever bears it leaves footprints").digest: ("heavy_tread",),
    words_of("Sleeps 4 turns, then wakes 2").digest: ("recharge({0})", "splash(close,{1})"),
    words_of("Fits under any club").digest: ("mounts(spike)",),
    words_of("Just nice to have").digest: (),
    "kind bot": ("no_panic",),
    "column weapon T": ("indirect",),
}
COLUMNS = {
    "class": ("I",),
    "weapon": ("T", "C", "M", "L", "Max"),
    "armor": ("A", "W", "M"),
    "bot": ("A", "W", "M"),
    "vehicle": ("A", "M", "C", "Cap", "Slots"),
}
GAME = Catalogue([], columns=COLUMNS, stats={"I": Stat("instinct", of_class=True)}, sentences=KNOWN)  # type: ignore[arg-type]

PAGE = """# Gear
Prose with a [link](/rules) and a list:
* Target (T, #) - not a table

# Armor
## **Leather [Coat](/coats)**
> |  A  |  W  |  M  |
> | :-: | :-: | :-: |
> |  **40** | [2][two] |  1  |
>
> | **Description**                    |
> | ---------------------------------- |
> | Whoever bears it leaves *footprints* (See [Rule 6][six]) |
> |                                    |

[two]: /two
[six]: /rules#six

# Bots
## **Tin Man**
| A | W | M |
| - | - | - |
| 70 | 1 | 2 |
| **Description** |
| ------------------- |
| Just nice to have! |

# Weapons
## **Infantry Weapons**
### **O'Brien's Sling**
| T | C | M | L | Max |
| - | :-: | :-: | :-: | :-----: |
| 2 | 1 | 0 | 0 | 2 (Throw) |

| Description |
| --- |
| SLEEPS 5 turns, then wakes 3 See ([Rule 11](/r) |
### **Long Tube**
> | T | C | M | L | Max |
> | - | - | - | - | --- |
> | 0 | 1 | 2 | 3 | Infinite |

> | > Effect > |
> | --- |
> | > Fits under any club > |

# Vehicles
## **Raft-2**
|  A  |  M  |  C  | Cap | Weapon Slots |
| :-: | :-: | :-: | :-: | :----------: |
|  0  |  1  |  4  |  4  |      N/A     |
|     |     |     |     |              |

# Contributors
| Who | When |
| --- | --- |
| somebody | 2024 |
"""


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Read:
    monkeypatch.chdir(tmp_path)

    def reader(text: str, name: str = "gear.md") -> Content:
        Path(name).write_text(text, "utf-8")
        return read_content([name], GAME)

    return reader


def rows(found: Content) -> list[tuple[object, ...]]:
    return [
        (entry.line, entry.item.kind, entry.item.key, entry.item.title, dict(entry.item.numbers), entry.item.traits)
        for entry in found.entries
    ]


def test_every_shape_of_table_is_read(read: Read) -> None:
    found = read(PAGE)
    coat = {"A": 40, "W": 2, "M": 1}
    sling = {"T": 2, "C": 1, "M": 0, "L": 0, "Max": 2}
    tube = {"T": 0, "C": 1, "M": 2, "L": 3, "Max": None}
    assert rows(found) == [
        (6, "armor", "leather_coat", "Leather Coat", coat, ("heavy_tread",)),
        (20, "bot", "tin_man", "Tin Man", {"A": 70, "W": 1, "M": 2}, ("no_panic",)),
        (
            30,
            "weapon",
            "obriens_sling",
            "O'Brien's Sling",
            sling,
            ("indirect", "thrown", "recharge(5)", "splash(close,3)"),
        ),
        (38, "weapon", "long_tube", "Long Tube", tube, ()),
        (48, "vehicle", "raft_2", "Raft-2", {"A": 0, "M": 1, "C": 4, "Cap": 4, "Slots": 0}, ()),
    ]
    assert found.entries[3].item.mounts == ("spike",)
    assert [str(each) for each in found.left_out] == [
        "gear.md:55: Who When under Contributors: a table of something else, not read"
    ]
    assert (found.unknown, found.sentences, found.complete) == ((), 4, False)
    assert found.counts == {
        "files": 1, "found": 6, "items": 5, "left_out": 1, "sentences": 4, "unknown": 0,
        "weapon": 2, "armor": 1, "bot": 1, "vehicle": 1,
    }  # fmt: skip


@pytest.mark.parametrize("note", ["[^1]: /somewhere", "[^1]: Words about it.", ""])
def test_marks_of_footnotes_are_no_part_of_names_numbers_and_sentences(note: str, read: Read) -> None:
    page = (
        "# Weapons\n## Toss Bomb[^1]\n| T[^2] | C | M | L | Max |\n|-|-|-|-|-|\n| 0 | 1[^1] | 1 | 1 | 3 |\n\n"
        f"| Description |\n|-|\n| Whoever bears it leaves footprints[^1] |\n\n{note}\n"
    )
    (entry,) = read(page).entries
    assert (entry.item.key, entry.item.title) == ("toss_bomb", "Toss Bomb")
    assert dict(entry.item.numbers) == {"T": 0, "C": 1, "M": 1, "L": 1, "Max": 3}
    assert entry.item.traits == ("heavy_tread",)


def test_a_sentence_that_nobody_knows_is_kept_and_reported(read: Read) -> None:
    page = "# Weapons\n## Gun\n| T | C | M | L | Max |\n|-|-|-|-|-|\n| 0 | 1 | 1 | 1 | 3 |\n\n| Description |\n|-|\n| Whoever bears it leaves no footprints |\n"
    found = read(page)
    assert found.entries[0].item.traits == ()
    assert found.entries[0].item.description == "Whoever bears it leaves no footprints"
    assert [str(each) for each in found.unknown] == ["gear.md:9: Gun: Whoever bears it leaves no footprints"]
    assert not found.complete


def test_a_row_may_name_a_trait(read: Read) -> None:
    page = "# Weapons\n## Gun\n| T | C | M | L | Max |\n|-|-|-|-|-|\n| 0 | 1 | 1 | 1 | 3 |\n\n| Effect |\n|-|\n| `recharge(2)` |\n| heavy_tread |\n"
    found = read(page)
    assert found.entries[0].item.traits == ("recharge(2)", "heavy_tread")
    assert found.complete
    with pytest.raises(PageError) as caught:
        read(page.replace("recharge(2)", "rechagre(2)"))
    assert (caught.value.line, caught.value.what, caught.value.hint) == (9, "unknown trait", "did you mean recharge?")


@pytest.mark.rule("D-EQ-D3")
@pytest.mark.parametrize(
    ("table", "line", "what", "found", "expected"),
    [
        ("| T | C | M | Max |\n|-|-|-|-|\n| 0 | 1 | 1 | 3 |", 3, "wrong columns for a weapon", "T C M Max", "T C M L Max"),
        ("| T | C | M | Long | Max |\n|-|-|-|-|-|\n| 0 | 1 | 1 | 1 | 3 |", 3, "wrong columns for a weapon", "T C M Long Max", "T C M L Max"),
        ("| C | T | M | L | Max |\n|-|-|-|-|-|\n| 0 | 1 | 1 | 1 | 3 |", 3, "wrong columns for a weapon", "C T M L Max", "T C M L Max"),
        ("| A | M | C | Cap |\n|-|-|-|-|\n| 0 | 1 | 1 | 3 |", 3, "wrong columns for a vehicle", "A M C Cap", "A M C Cap Weapon Slots"),
        ("| T | C | M | L | Max |\n|-|-|-|-|-|\n| 0 | one | 1 | 1 | 3 |", 5, "this is no number for C", "one", "a whole number from 0"),
        ("| T | C | M | L | Max |\n|-|-|-|-|-|\n| 0 | -1 | 1 | 1 | 3 |", 5, "this is no number for C", "-1", "a whole number from 0"),
        ("| T | C | M | L | Max |\n|-|-|-|-|-|\n| 0 | Infinite | 1 | 1 | 3 |", 5, "this is no number for C", "Infinite", "a whole number from 0"),
        ("| T | C | M | L | Max |\n|-|-|-|-|-|\n| N/A | 1 | 1 | 1 | 3 |", 5, "this is no number for T", "N/A", "a whole number from 0"),
        ("| T | C | M | L | Max |\n|-|-|-|-|-|\n| 0 | 1 | 1 | 1 | 2 (Lob) |", 5, "this is no number for Max", "2 (Lob)", "a whole number from 0, Infinite, or 2 (Throw)"),
        ("| T | C | M | L | Max |\n|-|-|-|-|-|\n| 0 | 1 | 1 | 1 | |", 5, "this is no number for Max", "an empty cell", "a whole number from 0, Infinite, or 2 (Throw)"),
        ("| T | C | M | L | Max |\n|-|-|-|-|-|\n| 0 | 1 | 1 | 3 |", 5, "a row that does not fit the columns", "4 cells: 0 1 1 3", "5 cells"),
        ("| T | C | M | L | Max |\n|-|-|-|-|-|\n| 0 | 1 | 1 | 1 | 3 | 9 |", 5, "a row that does not fit the columns", "6 cells: 0 1 1 1 3 9", "5 cells"),
        ("| T | C | M | L | Max |\n|-|-|-|-|-|\n| 0 | 1 | 1 | 1 | 3 |\n| 0 | 1 | 1 | 1 | 4 |", 6, "a second row of numbers", "0 1 1 1 4", "one row for each item"),
        ("| T | C | M | L | Max |\n|-|-|-|-|-|", 3, "a table without its row of numbers", "Gun", "one row"),
        ("| T | C | M | L | Max |\n|-|-|-|-|-|\n| **Description** |\n| --- |\n| Loud |", 3, "a table without its row of numbers", "Gun", "one row"),
        ("| Description |\n|-|\n| Loud |", 3, "a description of nothing", "Gun", "the table of its numbers above it"),
        ("| A | W | M |\n|-|-|-|\n| 1 | 1 | 1 |", 2, "armor or bots", "A W M", "a heading '# Armor' or '# Bots' above"),
    ],
)  # fmt: skip
def test_a_table_that_is_not_right_is_an_error(
    table: str, line: int, what: str, found: str, expected: str, read: Read
) -> None:
    with pytest.raises(PageError) as caught:
        read(f"# Things\n## Gun\n{table}\n")
    first = caught.value.problems[0]
    assert (first.path, first.line, first.what, first.found, first.expected) == ("gear.md", line, what, found, expected)
    assert caught.value.exit_status == 2


def test_all_faults_come_at_once(read: Read) -> None:
    bad = "## {}\n| T | C | M | L | Max |\n|-|-|-|-|-|\n| x | 1 | 1 | 1 | y |\n"
    with pytest.raises(PageError) as caught:
        read(bad.format("One") + bad.format("Two"))
    assert [(each.line, each.found) for each in caught.value.problems] == [(4, "x"), (4, "y"), (8, "x"), (8, "y")]


@pytest.mark.parametrize(("name", "kind"), [("armor.md", "armor"), ("bots.md", "bot"), ("my-bots.md", "bot")])
def test_the_name_of_the_file_tells_armour_from_bots(name: str, kind: str, read: Read) -> None:
    found = read("## Thing\n| A | W | M |\n|-|-|-|\n| 1 | 2 | 3 |\n", name)
    assert [(entry.item.kind, entry.item.numbers["W"]) for entry in found.entries] == [(kind, 2)]


def test_the_nearest_heading_tells(read: Read) -> None:
    table = "\n| A | W | M |\n|-|-|-|\n| 1 | 2 | 3 |\n"
    found = read(f"# Bots\n## Walker{table}# Armor\n## Coat{table}## Scout Bots\n### Ant{table}", "armor.md")
    assert [(entry.item.key, entry.item.kind) for entry in found.entries] == [
        ("walker", "bot"),
        ("coat", "armor"),
        ("ant", "bot"),
    ]


def test_words_are_compared_without_references_marks_and_capitals() -> None:
    plain = words_of("Cannot run and jump in one turn")
    for other in (
        "cannot RUN and jump, in one turn.",
        "Cannot run and jump in one turn (See [Rule 11](/rules#rule11))",
        "Cannot run and jump in one turn See ([Rule 11](/rules#rule11)",
        "Cannot run (see Rule 3) and jump in one turn",
    ):
        assert words_of(other) == plain
    assert words_of("Cannot run or jump in one turn") != plain
    assert words_of("It takes 3 turns").digest == words_of("It takes 12 turns").digest
    assert words_of("It takes 3 turns").digest != words_of("It takes turns").digest
