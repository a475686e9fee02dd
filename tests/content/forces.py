"""Forces of every shape for round trips: with names in any script, fields that nobody knows, wounds, ids, no squads."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hypothesis import strategies as st

from rallypoint.content import Force, Platoon, Squad, Team, Unit
from rallypoint.content.force import force_key, short_key
from rallypoint.content.platoon_headings import read_squad_heading
from rallypoint.kernel.canonical import Value

HUMANS = ["CO", "NCO", "Soldier"]
LOADOUTS = [
    ("combat_armor", ("revolver",)),
    ("battle_dress", ("pulse_rifle", "grenade_launcher", "revolver")),
    ("battle_dress", ("heavy_machine_gun",)),
    ("combat_armor", ("sniper_rifle", "frag_grenade")),
    ("combat_armor", ()),
]
NAMES = [
    "O'Neil",
    "O\N{RIGHT SINGLE QUOTATION MARK}Neil",
    "Отряд Ворон",
    "狐 🦊",
    "Żółw-1 ",
    "a | b, *c* {d=1}",
    'q"\\\n#',
]
texts = st.one_of(
    st.sampled_from(NAMES), st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)
)
# Names stand in one line; any sign but control characters may be in them.
titles = st.one_of(
    st.sampled_from([name for name in NAMES if "\n" not in name]),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=12),
)
pictures = st.one_of(
    st.sampled_from(
        ["https://example.org/\u72d0.png?a=b:c#d", "data:image/png;base64,AAAA", "a b/\u017c.png", "../x.png"]
    ),
    st.text(st.characters(codec="utf-8", categories=["L", "N", "S"]), min_size=1, max_size=12),
)
ids = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=6).map(
    lambda text: f"id/{text}"
)
names = st.one_of(st.sampled_from(["mood", "debt", "id", "extra", "wepons", "I", "a b", "Ä=", "титул", "title"]), texts)


def values() -> st.SearchStrategy[Value]:
    plain = st.one_of(
        st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False), texts
    )
    leaf = st.one_of(plain, st.none(), st.integers(2**63, 2**70))
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.lists(inner, max_size=2).map(tuple), st.dictionaries(texts, inner, max_size=2).map(frozen)
        ),
        max_leaves=3,
    )


def frozen(fields: Mapping[str, Value]) -> Mapping[str, Value]:
    return MappingProxyType(dict(fields))


def extras() -> st.SearchStrategy[Mapping[str, Value]]:
    return st.one_of(st.just({}), st.dictionaries(names, values(), max_size=2)).map(frozen)


@st.composite
def units(draw: st.DrawFn) -> Unit:
    stats: Mapping[str, int] = draw(st.sampled_from([{}, {}, {"I": 35}, {"I": 50, "A": 20, "W": 3, "M": 2}]))
    weapons: tuple[str, ...]
    if len(stats) == 4 and draw(st.booleans()):
        kind = draw(st.sampled_from(["Horror", "Tek-Horror", "Thing, large", "It - That", "Ужас", "**x**"]))
        weapons = draw(st.sampled_from([(), ("flamethrower",)]))
        unit = Unit("", kind, None, False, weapons, 0)
    elif draw(st.booleans()):
        weapons = draw(st.sampled_from([("laser_carbine",), ("laser_cutter",), ()]))
        unit = Unit("", "Bot", "basic_battlefield_robot", True, weapons, 0)
    else:
        armor, weapons = draw(st.sampled_from(LOADOUTS))
        unit = Unit("", draw(st.sampled_from(HUMANS)), armor, False, weapons, 0)
    return unit._replace(
        name=draw(st.none() | titles),
        picture=draw(st.none() | pictures),
        wounds=draw(st.sampled_from([0, 0, 1])),
        stats=MappingProxyType(dict(stats)),
        extra=draw(extras()),
    )


@st.composite
def teams(draw: st.DrawFn, letter: str, start: str) -> Team:
    found: list[Unit] = []
    for row in range(1, draw(st.integers(1, 3)) + 1):
        unit = draw(units())
        number = draw(st.sampled_from([1, 1, 3]))
        found += [unit._replace(uid=f"{start}-{row}-{occurrence}") for occurrence in range(1, number + 1)]
    vehicle = draw(st.sampled_from([None, None, "inflatable_raft"])) if letter else None
    word = "Boat" if vehicle else "Team"
    title = draw(st.one_of(st.just(f"{word} {letter}"), titles)) if letter else ""
    extra: Mapping[str, Value] = draw(extras()) if letter else MappingProxyType({})
    return Team(letter, title, vehicle, tuple(found), 0, extra)


def _titled(title: str, number: int) -> bool:
    """A title that ends in nearly "Optional" is refused by the page on purpose."""
    found = read_squad_heading(f"Squad {number} - {title}")
    return found is not None and found.doubtful is None


@st.composite
def forces(draw: st.DrawFn) -> Force:
    """Return a force with fields of every kind, also such as TOML has no word for."""
    title = draw(st.one_of(st.just("Green Platoon"), titles))
    key = draw(st.sampled_from([force_key(title), "other-key"]))
    start = short_key(key)
    squads = []
    if draw(st.booleans()):
        loose = [draw(teams("", start))] if draw(st.booleans()) else []
        named = [draw(teams("A", f"{start}-A"))] if not loose or draw(st.booleans()) else []
        squads.append(Squad(None, "", False, tuple(loose + named), 0))
    for number in draw(st.lists(st.integers(0, 12), unique=True, min_size=0 if squads else 1, max_size=2)):
        optional = draw(st.booleans())
        kept = [draw(teams(letter, f"{start}-{number}{letter}")) for letter in draw(st.sampled_from(["A", "AC"]))]
        squad_title = draw(st.one_of(st.sampled_from(["", "Infantry", "Boats - Optional", "Optionl"]), titles))
        squads.append(Squad(number, squad_title, optional, tuple(kept), 0, draw(extras())))
    squads = _with_ids(squads, draw(st.lists(ids, unique=True, max_size=3)))
    wanted = tuple(squad for squad in squads if not squad.optional)
    left_out = tuple(squad for squad in squads if squad.optional)
    stress = draw(st.sampled_from([0, 0, 7]))
    retired = draw(st.sampled_from([(), ("gone-1", "gone 2; and,more")]))
    return Force(key, Platoon(title, wanted, stress), left_out, (), retired, draw(extras()))


def _with_ids(squads: list[Squad], given: list[str]) -> list[Squad]:
    """Give the first unit of some teams an id of its own."""
    left = list(given)
    found = []
    for squad in squads:
        kept = []
        for team in squad.teams:
            first, *rest = team.units
            first = first._replace(uid=left.pop()) if left else first
            kept.append(team._replace(units=(first, *rest)))
        found.append(squad._replace(teams=tuple(kept)))
    return found
