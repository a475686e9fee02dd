"""A scenario: what is agreed before a fight (players, rules and mode, forces, board) in one TOML file.

The form is described in ``docs/scenarios.md``; :data:`FORMAT` is its version. The words for terrain, modes, sizes and rules
are the game's: see :class:`~rallypoint.content.scenario_words.ScenarioWords`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from rallypoint.kernel.board import Board
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.hexes import from_offset
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.rulings import Ruling

from .force import force_key
from .problems import Problems
from .scenario_table import Reader, lines_of, parsed
from .scenario_terrain import Scatter, board_of_signs, coordinate, hex_at, scattered, without
from .scenario_words import ScenarioWords, Size
from .source import read_text

__all__ = [
    "EDGES",
    "FORMAT",
    "Placement",
    "RallyPoint",
    "Roster",
    "Scenario",
    "Side",
    "is_scenario",
    "parse_scenario",
    "read_scenario",
]

FORMAT = 1
"""The version of the form; a file says it with ``scenario = 1``."""

EDGES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "edges": ("top", "bottom", "left", "right"),
        "corners": ("top-left", "bottom-right", "top-right", "bottom-left"),
    }
)
"""How sides are deployed, and the places where one can begin."""

_OPPOSITE = {"top": "bottom", "bottom": "top", "left": "right", "right": "left"}
_SIDE = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_LARGEST = 60


class RallyPoint(NamedTuple):
    """A place that Orders can name; ``line`` is where it stands in the file."""

    name: str
    place: Hex
    line: int | None = None


class Placement(NamedTuple):
    """Where a team starts: ``team`` is its code without the side, such as ``1A``."""

    team: str
    place: Hex
    line: int | None = None


class Roster(NamedTuple):
    """The path of a roster as it is written, beside the scenario's file, and where it stands there."""

    path: str
    line: int | None = None


class Side(NamedTuple):
    """One side.

    ``name`` is its uid in the battle; ``rosters`` are those of its platoons, which is one unless the fight is larger;
    ``edge`` is where it deploys.
    """

    name: str
    title: str
    rosters: tuple[Roster, ...]
    players: int
    edge: str
    with_optional: bool = False
    rally_points: tuple[RallyPoint, ...] = ()
    placements: tuple[Placement, ...] = ()
    line: int | None = None

    @property
    def roster(self) -> str:
        """The path of its first roster, for most sides the only one."""
        return self.rosters[0].path


class Scenario(NamedTuple):
    """All four parts of the agreement (D-R10.1).

    ``path`` is the file it came from; ``rules`` is the set of rules, ``options`` the rulings that it and the scenario itself choose;
    ``deployment`` is ``edges`` or ``corners``, ``depth`` the depth of the zones in hexes. ``words`` are those it is written in.
    """

    key: str
    title: str
    path: str
    mode: str
    size: str
    rules: str
    options: Mapping[str, str | int]
    referee: bool
    board: Board
    sides: tuple[Side, ...]
    deployment: str
    depth: int
    words: ScenarioWords
    seed: str | None = None

    def roster(self, side: Side, number: int = 1) -> Path:
        """Return the path of a side's roster, seen from where the program runs; ``number`` counts them from 1."""
        return Path(self.path).parent / side.rosters[number - 1].path


def is_scenario(path: str | Path) -> bool:
    """Say whether a file is a scenario and not a roster: TOML that begins with a version of the form.

    A file that cannot be read is none; who reads it next says why.
    """
    file = Path(path)
    if file.suffix.casefold() != ".toml" or not file.is_file():
        return False
    head = file.read_bytes()[:4000].decode("utf-8", "replace")
    return re.search(r"^\s*scenario\s*=", head, re.MULTILINE) is not None


def read_scenario(path: str | Path, words: ScenarioWords) -> Scenario:
    """Return the scenario in a file.

    Raises:
        InputError: the file cannot be read, or (as ``PageError``, with every problem in it) cannot be understood.
    """
    return parse_scenario(read_text(path), str(path), words)


def parse_scenario(text: str, path: str, words: ScenarioWords) -> Scenario:
    """Return the scenario that ``text`` says; ``path`` names it in errors and rosters lie beside it.

    Raises:
        PageError: something cannot be understood; it holds every problem, each with its line.
    """
    problems = Problems(path)
    document = parsed(text, problems)
    top = Reader(document, (), lines_of(text), problems)
    _check_version(top)
    return _Scenario(top, text, path, words).read()


def _check_version(top: Reader) -> None:
    version = top.table.get("scenario")
    if version == FORMAT and not isinstance(version, bool):
        return
    if version is None:
        top.problems.add("this is no scenario", None, found="no key scenario", expected=f"scenario = {FORMAT}")
    elif isinstance(version, int) and version > FORMAT:
        hint = "a newer rallypoint may read it"
        top.wrong("scenario", f"scenario {version}, this version reads {FORMAT}", hint=hint)
    else:
        top.wrong("scenario", "an unknown version of the form", expected=f"scenario = {FORMAT}")
    top.problems.check()


class _Scenario:
    """Reads one file: what is wrong is collected, and told at the end."""

    def __init__(self, top: Reader, text: str, path: str, words: ScenarioWords) -> None:
        self.top = top
        self.text = text
        self.path = path
        self.words = words
        self.problems = top.problems

    def read(self) -> Scenario:
        top, words = self.top, self.words
        keys = (
            "scenario",
            "title",
            "game",
            "mode",
            "size",
            "rules",
            "referee",
            "options",
            "board",
            "deployment",
            "sides",
        )
        top.check_keys(*keys, needed=("title", "board", "sides"))
        title = top.text("title", "Scenario")
        top.choice("game", (words.game,), words.game)
        board, seed = self.board(top.inner("board"))
        rules = top.choice("rules", words.rules, next(iter(words.rules)))
        own = self.options(top.inner("options"))
        options = MappingProxyType(dict(sorted({**self.set_of_rules(top, rules), **own}.items())))
        deployment, depth = self.deployment(top.inner("deployment"), board, options)
        size = top.choice("size", words.sizes, next(iter(words.sizes)))
        sides = self.sides(board, deployment, words.sizes.get(size))
        if seed is not None:
            board = without(board, [point.place for side in sides for point in side.rally_points])
        scenario = Scenario(
            force_key(title),
            title,
            self.path,
            top.choice("mode", words.modes, next(iter(words.modes))),
            size,
            rules,
            options,
            top.flag("referee"),
            board,
            sides,
            deployment,
            depth,
            words,
            seed,
        )
        self.problems.check()
        return scenario

    def set_of_rules(self, top: Reader, rules: str) -> Mapping[str, str | int]:
        try:
            return self.words.set_of_rules(rules)
        except InputError as error:
            top.wrong("rules", error.what, found=error.found, expected=error.expected, hint=error.hint)
            return {}

    def options(self, reader: Reader) -> Mapping[str, str | int]:
        """Return the options; ``a.b = 1`` is what ``"a.b" = 1`` is."""
        known, chosen = self.words.options, dict[str, str | int]()
        for key, value in reader.table.items():
            parts = [f"{key}.{part}" for part in value] if isinstance(value, dict) and key not in known else []
            if parts and all(part in known for part in parts):
                inner = reader.inner(key)
                chosen.update({f"{key}.{part}": _value(inner, part, known[f"{key}.{part}"]) for part in inner.table})
            elif key in known:
                chosen[key] = _value(reader, key, known[key])
            else:
                hint = self.words.no_such_ruling(key) or f"there are {len(known)}: rallypoint scenario new lists them"
                reader.wrong(key, "unknown option", found=key, hint=hint)
        return chosen

    def board(self, reader: Reader) -> tuple[Board, str | None]:
        reader.check_keys("columns", "rows", "inches", "terrain", "scatter")
        if "terrain" in reader.table and "scatter" in reader.table:
            reader.wrong(
                "scatter", "terrain is drawn and scattered", found="terrain and scatter", expected="one of both"
            )
        if "terrain" in reader.table:
            return self.drawn(reader), None
        columns, rows = self.measures(reader)
        if "scatter" not in reader.table:
            return Board(columns, rows), None
        how = self.scatter(reader.inner("scatter"))
        return scattered(columns, rows, how, self.words), how.seed

    def measures(self, reader: Reader) -> tuple[int, int]:
        """Return columns and rows: stated as such, or a side in inches of which two are a hex."""
        if "inches" in reader.table:
            inches = reader.number("inches", 24, 2, 2 * _LARGEST)
            if inches % 2:
                reader.wrong("inches", "half a hex", expected="an even number: a hex is 2 inches wide")
            if "columns" in reader.table or "rows" in reader.table:
                reader.wrong("inches", "a size is given twice", expected="inches, or columns and rows")
            return inches // 2, inches // 2
        for key in ("columns", "rows"):
            if key not in reader.table and self.top.table.get("board") is not None:
                reader.wrong(key, "a key is missing", expected="columns and rows, or inches, or terrain")
        return reader.number("columns", 12, 1, _LARGEST), reader.number("rows", 12, 1, _LARGEST)

    def drawn(self, reader: Reader) -> Board:
        line = reader.line("terrain")
        raw = self.text.splitlines()[line - 1] if line is not None else ""
        # TOML drops a line break right after the quotes: the first row stands a line further down.
        first = None if line is None else line + (raw.partition("=")[2].strip() in ('"""', "'''"))
        board = board_of_signs(reader.text("terrain"), self.words, self.problems, first)
        for key, size in (("columns", board.columns), ("rows", board.rows)):
            if key in reader.table and reader.table[key] != size:
                reader.wrong(key, "the drawing has another size", expected=f"{key} = {size}, or leave it out")
        if "inches" in reader.table:
            reader.wrong("inches", "the drawing has its own size", expected="terrain without inches")
        if max(board.columns, board.rows) > _LARGEST:
            found = f"{board.columns} columns, {board.rows} rows"
            reader.wrong("terrain", "a board too large", found=found, expected=f"at most {_LARGEST}")
        return board

    def scatter(self, reader: Reader) -> Scatter:
        reader.check_keys("seed", "density", "buildings", "water", needed=("seed",))
        seed = reader.table.get("seed", "")
        if not isinstance(seed, int) or isinstance(seed, bool):
            seed = reader.text("seed")
        water = tuple([key for key, each in self.words.terrain.items() if each.group == "water"])
        chosen = reader.choice("water", ("none", *water), "none")
        return Scatter(
            str(seed),
            reader.share("density", 0.5),
            reader.share("buildings", 0.25),
            None if chosen == "none" else chosen,
        )

    def deployment(self, reader: Reader, board: Board, options: Mapping[str, str | int]) -> tuple[str, int]:
        reader.check_keys("from", "depth")
        deepest = max(min(board.columns, board.rows) // 2, 1)
        ruled = options.get(self.words.depth_option or "", self.words.depth)
        assert isinstance(ruled, int)
        return reader.choice("from", EDGES, "edges"), reader.number("depth", min(ruled, deepest), 1, deepest)

    def sides(self, board: Board, deployment: str, size: Size | None) -> tuple[Side, ...]:
        readers = list(self.top.each("sides"))
        if len(readers) != 2 and isinstance(self.top.table.get("sides"), list):
            self.top.wrong("sides", "a battle has two sides (D-R1.1)", found=len(readers), expected=2)
        edges = self.edges(readers, deployment)
        sides = tuple([self.side(reader, edge, board, size) for reader, edge in zip(readers, edges, strict=True)])
        for number, side in enumerate(sides):
            if side.name.casefold() in [each.name.casefold() for each in sides[:number]]:
                readers[number].wrong("name", "two sides of one name", expected="another name")
        self.check_apart(sides)
        return sides

    def edges(self, readers: list[Reader], deployment: str) -> list[str]:
        """Return the edges of the sides: one that is not given lies opposite the other's."""
        known = EDGES[deployment]
        given = [reader.choice("edge", known, "") for reader in readers]
        if len(given) != 2:
            return [edge or known[0] for edge in given]
        if not any(given):
            return [known[0], known[1]]
        first = given[0] or _opposite(given[1])
        second = given[1] or _opposite(first)
        if second != _opposite(first):
            readers[1].wrong("edge", "the sides do not begin opposite each other (D-GM-2)", expected=_opposite(first))
        return [first, second]

    def side(self, reader: Reader, edge: str, board: Board, size: Size | None) -> Side:
        keys = ("name", "title", "roster", "rosters", "with_optional", "players", "edge", "rally_points", "place")
        reader.check_keys(*keys, needed=("name",) if "rosters" in reader.table else ("name", "roster"))
        name = reader.text("name", "side")
        if not _SIDE.fullmatch(name):
            reader.wrong("name", "this cannot name a side", expected="a letter, then letters, digits, hyphens (ASCII)")
        return Side(
            name,
            reader.text("title", name.capitalize()),
            self.rosters(reader, size),
            reader.number("players", 1, 1, self.words.most_players),
            edge,
            reader.flag("with_optional"),
            tuple([RallyPoint(key, place, line) for key, place, line in self.places(reader, "rally_points", board)]),
            tuple([Placement(key, place, line) for key, place, line in self.places(reader, "place", board)]),
            reader.line(),
        )

    def rosters(self, reader: Reader, size: Size | None) -> tuple[Roster, ...]:
        """Return the roster of a side, or of each of its platoons, where the size of the fight has several."""
        if "rosters" not in reader.table:
            return (Roster(reader.text("roster"), reader.line("roster")),)
        if "roster" in reader.table:
            reader.wrong("rosters", "a side's force is named twice", expected="roster, or rosters with several")
        listed = reader.table["rosters"]
        named = [each for each in listed if isinstance(each, str) and each.strip()] if isinstance(listed, list) else []
        if not named or not isinstance(listed, list) or len(named) != len(listed):
            reader.wrong("rosters", "a value of the wrong type", expected='a list of rosters: ["one.md", "two.md"]')
            return (Roster("", reader.line("rosters")),)
        if size is not None and len(named) > 1 and size.platoons[1] == 1:
            larger = [f'size = "{key}"' for key, each in self.words.sizes.items() if each.platoons[1] > 1]
            what, expected = f"a side has one platoon at {size.title} scale", " or ".join(["one roster", *larger])
            reader.wrong("rosters", what, found=f"{len(named)} rosters", expected=expected)
        lines = self.lines_in_list(reader.line("rosters"), named)
        return tuple([Roster(path, line) for path, line in zip(named, lines, strict=True)])

    def lines_in_list(self, first: int | None, texts: list[str]) -> Iterator[int | None]:
        """Yield the line of each text of a list that begins in line ``first``, and may go on for several."""
        rows, at = self.text.splitlines(), first
        for text in texts:
            if at is not None:
                at = next((number for number in range(at, len(rows) + 1) if text in rows[number - 1]), first)
            yield at

    def places(self, side: Reader, key: str, board: Board) -> Iterator[tuple[str, Hex, int | None]]:
        """Yield names with their hexes."""
        reader = side.inner(key)
        last = f"a hex of this board, from A1 to {_last(board)}"
        for name, value in reader.table.items():
            place = hex_at(value) if isinstance(value, str) else None
            if place is None or not board.holds(place):
                reader.wrong(name, "this is no hex of the board", expected=last)
            elif not name.strip():
                reader.wrong(name, "a name is blank", expected="a name")
            else:
                yield name, place, reader.line(name)

    def check_apart(self, sides: tuple[Side, ...]) -> None:
        """Note two teams that start in one hex."""
        taken: dict[Hex, str] = {}
        for side in sides:
            for team, place, line in side.placements:
                other = taken.setdefault(place, f"{side.name} {team}")
                if other != f"{side.name} {team}":
                    self.problems.add(
                        "two teams in one hex (D-R14.3)",
                        line,
                        found=f"{other}, {side.name} {team}",
                        expected="another hex",
                    )


def _value(reader: Reader, key: str, ruling: Ruling) -> str | int:
    """Return the choice of a ruling; where yes and no, or on and off, are words, TOML's own are taken too."""
    value = reader.table[key]
    if ruling.numbers is not None:
        return reader.number(key, int(ruling.default), *ruling.numbers)
    for yes, no in (("yes", "no"), ("on", "off")) if isinstance(value, bool) else ():
        if {yes, no} <= set(ruling.words):
            return yes if value else no
    return reader.choice(key, ruling.words, ruling.words[0])


def _opposite(edge: str) -> str:
    """Return the edge or the corner over against one.

    >>> _opposite("top-left")
    'bottom-right'
    """
    return "-".join(_OPPOSITE[part] for part in edge.split("-"))


def _last(board: Board) -> str:
    """Return the name of the last hex; a board without hexes has been refused by then, or will be."""
    return coordinate(from_offset(max(board.columns, 1) - 1, max(board.rows, 1) - 1))
