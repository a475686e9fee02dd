"""Contractors and units of every kind, for the round trips."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from rallypoint.content.fields import one_line
from rallypoint.disrupter import catalogue
from rallypoint.kernel.canonical import Value, freeze
from rallypoint_mothership.records import Armor, Contractor, Figure, Weapon

NAMES = st.one_of(
    st.sampled_from(["Отряд Ворон", "Żółw-1", "狐 🦊", "O'Neil ", "O’Neil", '"Doc", the', "a;b\tc", "null", " x"]),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8).filter(str.strip),
)
TEXTS = st.one_of(st.just(""), NAMES)
PERCENT = st.none() | st.integers(0, 99)
UIDS = st.from_regex(r"[a-z][a-z0-9-]{2,8}", fullmatch=True)
NOTHING = st.none()

WEAPONS = st.builds(
    Weapon,
    title=st.sampled_from(["Pulse rifle", "SMG", "Boarding axe", "Laser cutter", "Grenade launcher"]) | NAMES,
    damage=st.sampled_from(["3d10", "1d5", "", "4d10 AA", "1d100"]) | TEXTS,
    range=st.sampled_from(["", "Close", "Adjacent", "Extreme"]) | TEXTS,
    shots=st.none() | st.integers(0, 40),
    wound=st.sampled_from(["", "Gunshot", "Fire & Explosives [-]"]),
    anti_armor=st.booleans(),
    note=TEXTS,
)
ARMOR = st.builds(
    Armor,
    title=NAMES,
    armor_points=st.integers(0, 12),
    damage_reduction=st.integers(0, 5),
    speed=TEXTS,
    equipped=st.booleans(),
    note=TEXTS,
)


def _frozen(value: Mapping[str, object]) -> Mapping[str, Value]:
    found = freeze(value)
    assert isinstance(found, Mapping)
    return found


EXTRA: st.SearchStrategy[Mapping[str, Value]] = st.dictionaries(
    st.sampled_from(["trinket", "patch", "скилл", "rank"]),
    st.none() | st.booleans() | st.integers(-5, 500) | TEXTS | st.lists(st.integers(0, 9), max_size=2).map(tuple),
    max_size=3,
).map(_frozen)


@st.composite
def contractors(draw: st.DrawFn) -> Contractor:
    most = draw(st.integers(1, 6))
    return Contractor(
        uid=draw(UIDS),
        name=draw(NAMES),
        type=draw(st.sampled_from(["Marine (grunt)", "Captain", "Android", "Pilot", ""]) | TEXTS),
        combat=draw(PERCENT),
        instinct=draw(PERCENT),
        loyalty=draw(PERCENT),
        wounds=draw(st.integers(0, most)),
        max_wounds=most,
        weapons=tuple(draw(st.lists(WEAPONS, max_size=4))),
        armor=tuple(draw(st.lists(ARMOR, max_size=2))),
        salary=draw(st.none() | st.integers(0, 10_000)),
        motivation=draw(TEXTS),
        hidden_motivation=draw(TEXTS),
        speed=draw(st.sampled_from(["", "slow", "normal", "crawls"])),
        team=draw(st.sampled_from(["", "1A", "2C"])),
        notes=tuple(draw(st.lists(NAMES, max_size=2))),
        picture=draw(st.sampled_from([None, "https://example.org/a.png", "/systems/mosh/a.png", "javascript:x"])),
        extra=draw(EXTRA),
    )


@st.composite
def figures(draw: st.DrawFn) -> Figure:
    kind = draw(st.sampled_from(["CO", "NCO", "Soldier", "Bot"]))
    wears = draw(st.sampled_from(["combat_armor", "battle_dress"])) if kind != "Bot" else "basic_battlefield_robot"
    worn = catalogue().item("bot" if kind == "Bot" else "armor", wears)
    most = draw(st.integers(1, 3))
    found = catalogue().find("class", kind)
    assert found is not None
    return Figure(
        uid=draw(UIDS),
        name=one_line(draw(NAMES)),
        kind=kind,
        wears=wears,
        is_bot=kind == "Bot",
        weapons=tuple(draw(st.lists(st.sampled_from(sorted(catalogue().weapons)), max_size=3))),
        instinct=found.item.number("I") + draw(st.sampled_from([0, 0, 5])),
        armor=worn.number("A"),
        max_wounds=most,
        movement=worn.number("M"),
        wounds=draw(st.integers(0, most)),
        team=draw(st.sampled_from(["", "0A", "1B"])),
        picture=draw(st.none() | st.just("https://example.org/b.png")),
        place=draw(st.sampled_from([{}, {"squad": "Squad 1 - Infantry", "team": "Squad 1, Boat A"}])),
    )
