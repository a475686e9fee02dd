"""A plugin's manifest, ``rallypoint-plugin.toml``: what it is and what it adds, readable without importing it.

::

    manifest = 1
    name = "cold-steel"
    title = "Cold steel"
    rules = ["D-R17"]                     # rules that it touches
    decides = ["D-AMB-12"]                # rulings that only one plugin may settle
    before = ["streamline"]               # order; after, conflicts, requires are lists of plugin names, too
    hooks = "cold_steel.implementations"  # the module with its hookimpl functions

    [needs]
    disrupter = "1.2"                     # whose hooks, and the API version it was written for

Further tables: ``[game]`` (module, hooks, rosters), ``[[commands]]``, ``[[exporters]]`` and ``[[importers]]`` (name, help, run),
``[[converters]]`` (from, to, run), ``[[options]]`` and the same inside exporters, importers and converters (name, type,
default, choices, help).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from ..errors import InputError
from ..nesting import deep_key_line, too_much

__all__ = [
    "MANIFEST_NAME",
    "MOST_BYTES",
    "MOST_PROBLEMS",
    "Command",
    "Converter",
    "Exporter",
    "GameModule",
    "Importer",
    "Manifest",
    "Option",
    "OptionValue",
    "read_manifest",
]

MANIFEST_NAME = "rallypoint-plugin.toml"
"""The file's name; it lies beside the package's ``__init__.py``."""

MOST_BYTES = 1_000_000
"""A file that is larger is no manifest."""

MOST_PROBLEMS = 20
"""So many problems of one manifest are told; of the others only how many there are."""

OptionValue: TypeAlias = "str | int | float | bool"

_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_TARGET = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")
_API = re.compile(r"\d+(\.\d+)?")
_KEY = re.compile(r"\s*\[*\s*(?:(?P<bare>[A-Za-z0-9_-]+)|\"(?P<quoted>[^\"]*)\")")
_MOST_SHOWN = 200
_MOST_BITS = 63
_TYPES: Mapping[str, type] = MappingProxyType({"text": str, "integer": int, "number": float, "switch": bool})


class Option(NamedTuple):
    """A setting of a plugin or of an exporter; ``type`` is ``text``, ``integer``, ``number`` or ``switch``."""

    name: str
    type: str = "text"
    default: OptionValue | None = None
    choices: tuple[str, ...] = ()
    help: str = ""


class Command(NamedTuple):
    """A command that the plugin adds; ``run`` is ``module:function``, imported when the command runs."""

    name: str
    help: str
    run: str


class Exporter(NamedTuple):
    """A format that ``rallypoint export`` can write; ``run`` takes the encounter and the options."""

    name: str
    help: str
    run: str
    options: tuple[Option, ...] = ()


class Importer(NamedTuple):
    """A format that ``rallypoint import`` can read.

    ``run`` takes the files (bytes by name) and the options (text by name), and returns
    :class:`~rallypoint.kernel.encounter.Imported`.
    """

    name: str
    help: str
    run: str
    options: tuple[Option, ...] = ()


class Converter(NamedTuple):
    """A way from the words of one game to those of another.

    ``run`` takes an encounter whose game is ``source`` and the options (text by name), and returns
    :class:`~rallypoint.kernel.encounter.Imported` with an encounter of the game ``target``. A manifest calls them ``from``
    and ``to``.
    """

    source: str
    target: str
    run: str
    options: tuple[Option, ...] = ()


class GameModule(NamedTuple):
    """The module of a game, and ``module:Class`` of its hook specifications where it publishes any.

    ``rosters`` says that the module can muster: it has ``catalogue()`` and ``encounter()``, so rosters can be for this game.
    """

    module: str
    hooks: str | None = None
    rosters: bool = False


class Manifest(NamedTuple):
    """What a manifest says, checked."""

    name: str
    title: str = ""
    rules: tuple[str, ...] = ()
    decides: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    hooks: str | None = None
    needs: Mapping[str, str] = MappingProxyType({})
    game: GameModule | None = None
    commands: tuple[Command, ...] = ()
    exporters: tuple[Exporter, ...] = ()
    options: tuple[Option, ...] = ()
    importers: tuple[Importer, ...] = ()
    converters: tuple[Converter, ...] = ()


def read_manifest(text: str, path: str) -> tuple[Manifest | None, tuple[InputError, ...]]:
    r"""Return the manifest and every problem found in it; with problems there is no manifest.

    Args:
        text: the file's content.
        path: the file's name, for the problems.

    >>> read_manifest('manifest = 1\nname = "cold-steel"', "x.toml")[0].name
    'cold-steel'
    >>> print(read_manifest('manifest = 1\nname = "a"\nhoks = "b"', "x.toml")[1][0])
    x.toml:3: unknown key; found: hoks; did you mean hooks?
    """
    import tomllib

    deep = deep_key_line(text)
    if deep is not None:
        return None, (InputError("this key has too many parts", path=path, line=deep, expected="at most 40"),)
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        line = re.search(r"line (\d+)", str(error))
        what = f"this is not TOML: {_why(error)}"
        return None, (InputError(what, path=path, line=int(line[1]) if line else None),)
    much = too_much(document)
    if much is not None:
        return None, (InputError("this is no manifest", path=path, found=much),)
    page = _Page(text, path)
    manifest = _manifest(_Table(document, "", page))
    return (None if page.problems else manifest), page.all_problems()


def _why(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "lists in lists without end"
    text = str(error).split(" (at")[0]
    return "a number of thousands of digits" if text.startswith("Exceeds the limit") else text


class _Page:
    """The text of a manifest: where its keys stand, and what is wrong with it."""

    def __init__(self, text: str, path: str) -> None:
        self.path = path
        self.problems: list[InputError] = []
        self._more = 0
        self._text = text
        self._lines: dict[str, int] | None = None

    @property
    def is_full(self) -> bool:
        """Whether enough problems are known."""
        return len(self.problems) >= MOST_PROBLEMS

    def line(self, key: str) -> int | None:
        """Return the first line that begins with a key, as far as that can be told."""
        if self._lines is None:
            self._lines = {}
            for number, content in enumerate(self._text.splitlines(), 1):
                found = _KEY.match(content)
                if found is not None:
                    self._lines.setdefault(found["bare"] or found["quoted"] or "", number)
        return self._lines.get(key)

    def add(self, what: str, key: str, found: object, expected: str | None, hint: str | None) -> None:
        """Note a problem."""
        if self.is_full:
            self._more += 1
            return
        shown = None if found is None else _shown(found)
        self.problems.append(
            InputError(what, path=self.path, line=self.line(key), found=shown, expected=expected, hint=hint)
        )

    def all_problems(self) -> tuple[InputError, ...]:
        """Return the problems, and as the last one how many more there are."""
        if not self._more:
            return tuple(self.problems)
        more = InputError(f"and {self._more} more problem{'' if self._more == 1 else 's'}", path=self.path)
        return (*self.problems, more)


def _shown(found: object) -> str:
    text = str(found)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


class _Table:
    """One table of the document: takes keys out, notes what is wrong, and names what is left over."""

    def __init__(self, content: Mapping[str, object], name: str, page: _Page) -> None:
        self.content = content
        self.name = name
        self.page = page
        self.known: list[str] = []

    def problem(self, what: str, key: str, found: object = None, expected: str | None = None, hint: str = "") -> None:
        """Note a problem at the line where the key stands, as far as that can be told."""
        self.page.add(f"[{self.name}] {what}" if self.name else what, key, found, expected, hint or None)

    def _take(self, key: str, expected: str, fits: Callable[[object], bool], required: bool = False) -> object:
        self.known.append(key)
        if key not in self.content:
            if required:
                self.problem("a key is missing", key, expected=f"{key} = {expected}")
            return None
        value = self.content[key]
        if fits(value):
            return value
        self.problem(f"{key} does not fit", key, found=repr(value), expected=expected)
        return None

    def text_of(
        self, key: str, expected: str = '"text"', form: re.Pattern[str] | None = None, required: bool = False
    ) -> str | None:
        """Return a text, or ``None``."""

        def fits(value: object) -> bool:
            return isinstance(value, str) and (form is None or form.fullmatch(value) is not None)

        value = self._take(key, expected, fits, required)
        return value if isinstance(value, str) else None

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts."""

        def fits(value: object) -> bool:
            return isinstance(value, list) and all(isinstance(item, str) and item for item in value)

        value = self._take(key, '["text", ...]', fits)
        return tuple([str(item) for item in value]) if isinstance(value, list) else ()

    def value(self, key: str, expected: str, kinds: tuple[type, ...]) -> OptionValue | None:
        """Return a plain value of one of the kinds; ``True`` is not a number."""
        value = self._take(key, expected, lambda value: type(value) in kinds)
        return value if isinstance(value, (str, int, float)) else None

    def table(self, key: str) -> _Table | None:
        """Return a table inside this one."""
        value = self._take(key, f"[{key}]", lambda value: isinstance(value, dict))
        return self._inner(value, key) if isinstance(value, dict) else None

    def tables(self, key: str) -> list[_Table]:
        """Return an array of tables."""

        def fits(value: object) -> bool:
            return isinstance(value, list) and all(isinstance(item, dict) for item in value)

        value = self._take(key, f"[[{key}]]", fits)
        return [self._inner(item, key) for item in value] if isinstance(value, list) else []

    def _inner(self, content: Mapping[str, object], key: str) -> _Table:
        name = f"{self.name}.{key}" if self.name else key
        return _Table(content, name, self.page)

    def close(self) -> None:
        """Name the keys that nobody asked for."""
        for key in self.content:
            if key not in self.known:
                near = [] if self.page.is_full else get_close_matches(key, self.known, 1)
                hint = f"did you mean {near[0]}?" if near else f"the keys are {', '.join(self.known)}"
                self.problem("unknown key", key, found=key, hint=hint)


def _manifest(table: _Table) -> Manifest:
    version = table.value("manifest", "1", (int,))
    if "manifest" not in table.content:
        table.problem("a key is missing", "manifest", expected="manifest = 1")
    elif version not in (None, 1):
        table.problem("this form of manifest is not known", "manifest", found=version, expected="1")
    game = table.table("game")
    needs = table.table("needs")
    manifest = Manifest(
        name=_name(table),
        title=table.text_of("title") or "",
        rules=table.texts("rules"),
        decides=table.texts("decides"),
        before=table.texts("before"),
        after=table.texts("after"),
        conflicts=table.texts("conflicts"),
        requires=table.texts("requires"),
        hooks=table.text_of("hooks", '"package.module"', _MODULE),
        needs=MappingProxyType({} if needs is None else _needs(needs)),
        game=None if game is None else _game(game),
        commands=tuple([_command(each) for each in table.tables("commands")]),
        exporters=tuple([_exporter(each) for each in table.tables("exporters")]),
        options=_options(table),
        importers=tuple([_importer(each) for each in table.tables("importers")]),
        converters=tuple([_converter(each) for each in table.tables("converters")]),
    )
    table.close()
    if manifest.hooks is not None and (needs is None or not needs.content):
        table.problem(
            "the plugin has hooks but does not say of which game",
            "hooks",
            expected='[needs] with a line such as disrupter = "1"',
        )
    return manifest


def _name(table: _Table) -> str:
    return table.text_of("name", '"small-letters-and-digits"', _NAME, required=True) or ""


def _needs(table: _Table) -> dict[str, str]:
    needs = {game: table.text_of(game, '"1" or "1.2"', _API) for game in table.content}
    return {game: version for game, version in needs.items() if version is not None}


def _game(table: _Table) -> GameModule:
    module = table.text_of("module", '"package.module"', _MODULE, required=True) or ""
    hooks = table.text_of("hooks", '"package.module:Class"', _TARGET)
    game = GameModule(module, hooks, table.value("rosters", "true or false", (bool,)) is True)
    table.close()
    return game


def _run(table: _Table) -> str:
    return table.text_of("run", '"package.module:function"', _TARGET, required=True) or ""


def _command(table: _Table) -> Command:
    command = Command(_name(table), table.text_of("help") or "", _run(table))
    table.close()
    return command


def _exporter(table: _Table) -> Exporter:
    exporter = Exporter(_name(table), table.text_of("help") or "", _run(table), _options(table))
    table.close()
    return exporter


def _importer(table: _Table) -> Importer:
    importer = Importer(_name(table), table.text_of("help") or "", _run(table), _options(table))
    table.close()
    return importer


def _converter(table: _Table) -> Converter:
    source, target = [
        table.text_of(key, '"small-letters-and-digits"', _NAME, required=True) or "" for key in ("from", "to")
    ]
    converter = Converter(source, target, _run(table), _options(table))
    table.close()
    return converter


def _options(table: _Table) -> tuple[Option, ...]:
    return tuple([_option(each) for each in table.tables("options")])


def _option(table: _Table) -> Option:
    name = _name(table)
    kinds = tuple(_TYPES.values())
    default = table.value("default", "text, a number, true or false", kinds)
    stated = table.text_of("type", " or ".join(_TYPES), re.compile("|".join(_TYPES)))
    choices = table.texts("choices")
    option = Option(name, stated or _type_of(default), default, choices, table.text_of("help") or "")
    if stated is not None and default is not None and type(default) is not _TYPES[stated]:
        table.problem("the default is not of the option's type", "default", found=repr(default), expected=stated)
    if type(default) is int and default.bit_length() > _MOST_BITS:
        table.problem("the default is too large a number", "default", _shown(default), "at most 63 bits")
    if choices and default is not None and default not in choices:
        table.problem("the default is not among the choices", "default", repr(default), _listed(choices))
    table.close()
    return option


def _type_of(default: OptionValue | None) -> str:
    for name, kind in _TYPES.items():
        if type(default) is kind:
            return name
    return "text"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words)
