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

    [[rulings]]                           # what it can do otherwise; the first choice is the default
    id = "D-SL-R8.1"
    decides = "Stress and Panic Checks"
    choices = ["off", "on"]               # or numbers = [default, lowest, highest]
    rules = ["D-R8.1", "D-R8.2"]          # and excludes, a list of other rulings, with because, the reason

    [[presets]]                           # rulings that are chosen together
    name = "streamline"
    help = "Fewer rolls, no Stress."
    options = { "D-SL-R8.1" = "on" }

``content`` lists files of equipment inside the package, ``traits`` the names of traits of equipment that its rules know, ``[names]`` what
another game calls things: ``weapon = { "Smart Rifle" = "Sniper Rifle" }``. Further tables: ``[game]`` (module, hooks, rosters), ``[[commands]]``, ``[[exporters]]``, ``[[importers]]`` and ``[[vtts]]`` (name, help, run),
``[[converters]]`` (from, to, run), ``[[options]]`` and the same inside exporters, importers, converters and vtts (name, type,
default, choices, help).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from ..errors import InputError
from ..nesting import deep_key_line, too_much
from ..rulings import Preset, Ruling
from .manifest_table import ManifestPage, ManifestTable, OptionValue, shown

__all__ = [
    "MANIFEST_NAME",
    "MOST_BYTES",
    "Command",
    "Converter",
    "Exporter",
    "GameModule",
    "Importer",
    "Manifest",
    "Name",
    "Option",
    "Vtt",
    "read_manifest",
]

MANIFEST_NAME = "rallypoint-plugin.toml"
"""The file's name; it lies beside the package's ``__init__.py``."""

MOST_BYTES = 1_000_000
"""A file that is larger is no manifest."""

_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_TARGET = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")
_TRAIT = re.compile(r"[a-z][a-z0-9_]*")
_RULING = re.compile(r"[A-Za-z][A-Za-z0-9._-]*")
_FILE = re.compile(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*\.(toml|md)")
_API = re.compile(r"\d+(\.\d+)?")
_MOST_BITS = 63
_MOST_DIGITS = 18
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


class Vtt(NamedTuple):
    """A virtual tabletop that ``rallypoint table`` can keep in step; ``rallypoint_sync.live`` says what ``run`` takes and returns."""

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


class Name(NamedTuple):
    """What another game calls a thing: rosters are told of it, it is not read as that.

    ``kind`` is a kind of the game's equipment (``weapon``), ``stands_for`` the name there.
    """

    kind: str
    name: str
    stands_for: str


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
    rulings: tuple[Ruling, ...] = ()
    presets: tuple[Preset, ...] = ()
    content: tuple[str, ...] = ()
    traits: tuple[str, ...] = ()
    names: tuple[Name, ...] = ()
    vtts: tuple[Vtt, ...] = ()

    @property
    def touched(self) -> tuple[str, ...]:
        """The rules that it touches: those that it names, then those of its rulings."""
        return tuple(dict.fromkeys([*self.rules, *[rule for ruling in self.rulings for rule in ruling.rules]]))


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
    page = ManifestPage(text, path)
    manifest = _manifest(ManifestTable(document, page))
    return (None if page.problems else manifest), page.all_problems()


def _why(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "lists in lists without end"
    text = str(error).split(" (at")[0]
    return "a number of thousands of digits" if text.startswith("Exceeds the limit") else text


def _manifest(table: ManifestTable) -> Manifest:
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
        rulings=_rulings(table),
        presets=_presets(table),
        content=_content(table),
        traits=_traits(table),
        names=_names(table),
        vtts=tuple([_vtt(each) for each in table.tables("vtts")]),
    )
    table.close()
    brought = {
        "hooks": manifest.hooks,
        "rulings": manifest.rulings,
        "presets": manifest.presets,
        "content": manifest.content,
        "traits": manifest.traits,
        "names": manifest.names,
    }
    adds = next((what for what, each in brought.items() if each), None)
    if adds is not None and (needs is None or not needs.content):
        table.problem(
            f"the plugin has {adds} but does not say of which game",
            adds,
            expected='[needs] with a line such as disrupter = "1"',
        )
    return manifest


def _name(table: ManifestTable) -> str:
    return table.text_of("name", '"small-letters-and-digits"', _NAME, required=True) or ""


def _needs(table: ManifestTable) -> dict[str, str]:
    needs = {game: table.text_of(game, '"1" or "1.2"', _API) for game in table.content}
    return {game: version for game, version in needs.items() if version is not None}


def _game(table: ManifestTable) -> GameModule:
    module = table.text_of("module", '"package.module"', _MODULE, required=True) or ""
    hooks = table.text_of("hooks", '"package.module:Class"', _TARGET)
    game = GameModule(module, hooks, table.value("rosters", "true or false", (bool,)) is True)
    table.close()
    return game


def _run(table: ManifestTable) -> str:
    return table.text_of("run", '"package.module:function"', _TARGET, required=True) or ""


def _command(table: ManifestTable) -> Command:
    command = Command(_name(table), table.text_of("help") or "", _run(table))
    table.close()
    return command


def _exporter(table: ManifestTable) -> Exporter:
    exporter = Exporter(_name(table), table.text_of("help") or "", _run(table), _options(table))
    table.close()
    return exporter


def _importer(table: ManifestTable) -> Importer:
    importer = Importer(_name(table), table.text_of("help") or "", _run(table), _options(table))
    table.close()
    return importer


def _vtt(table: ManifestTable) -> Vtt:
    vtt = Vtt(_name(table), table.text_of("help") or "", _run(table), _options(table))
    table.close()
    return vtt


def _converter(table: ManifestTable) -> Converter:
    source, target = [
        table.text_of(key, '"small-letters-and-digits"', _NAME, required=True) or "" for key in ("from", "to")
    ]
    converter = Converter(source, target, _run(table), _options(table))
    table.close()
    return converter


def _rulings(table: ManifestTable) -> tuple[Ruling, ...]:
    found = [_ruling(each) for each in table.tables("rulings")]
    for name in _doubles([each.id for each in found]):
        table.problem("two rulings have one id", "rulings", found=name, expected="an id each")
    return tuple(found)


def _wrong_choices(table: ManifestTable, words: Sequence[str], numbers: Sequence[int] | None) -> bool:
    """Say whether there are too few choices, or choices and numbers; what does not fit at all has been noted."""
    named, numbered = "choices" in table.content, "numbers" in table.content
    if named != numbered:
        return named and len(words) < 2 and table.content["choices"] in ([], list(words))
    return not named or (bool(words) and numbers is not None)


def _doubles(names: Sequence[str]) -> list[str]:
    return [name for name, number in Counter(names).items() if name and number > 1]


def _ruling(table: ManifestTable) -> Ruling:
    name = table.text_of("id", '"letters, digits, dots and hyphens"', _RULING, required=True) or ""
    question = table.text_of("decides", '"what it decides"', required=True) or ""
    words, numbers = table.texts("choices"), table.numbers("numbers", 3)
    if _wrong_choices(table, words, numbers):
        table.problem(
            "a ruling has two choices or more, or numbers",
            "choices",
            expected='choices = ["off", "on"] or numbers = [default, lowest, highest]',
        )
    elif numbers is not None and not numbers[1] <= numbers[0] <= numbers[2]:
        table.problem("the default is not within its limits", "numbers", numbers, "[default, lowest, highest]")
    elif numbers is not None and max(map(abs, numbers)) >= 10**_MOST_DIGITS:
        expected = f"{_MOST_DIGITS} digits at most"
        table.problem("a number of a ruling is too large", "numbers", [shown(each) for each in numbers], expected)
    for choice in _doubles(words):
        table.problem("two choices are the same", "choices", choice)
    choices = words if numbers is None else (numbers[0], numbers[1], numbers[2])
    rules, excludes = table.texts("rules"), table.texts("excludes")
    if name in excludes:
        table.problem("a ruling cannot exclude itself", "excludes", name)
    ruling = Ruling(name, question, choices, rules or (name,), excludes, table.text_of("because") or "")
    table.close()
    return ruling


def _presets(table: ManifestTable) -> tuple[Preset, ...]:
    found = [_preset(each) for each in table.tables("presets")]
    for name in _doubles([each.name for each in found]):
        table.problem("two sets of rules have one name", "presets", found=name, expected="a name each")
    return tuple(found)


def _preset(table: ManifestTable) -> Preset:
    name, text, inner = _name(table), table.text_of("help") or "", table.table("options")
    options: dict[str, str | int] = {}
    for ruling in () if inner is None else inner.content:
        value = inner.value(ruling, "a choice", (str, int)) if inner is not None else None
        if isinstance(value, (str, int)):
            options[ruling] = value
    table.close()
    return Preset(name, text, MappingProxyType(options))


def _content(table: ManifestTable) -> tuple[str, ...]:
    found = table.texts("content")
    for name in found:
        if not _FILE.fullmatch(name):
            table.problem("this is no file of the package", "content", name, '"equipment.toml", "folder/page.md"')
    for name in _doubles(found):
        table.problem("a file of content is named twice", "content", found=name, expected="each once")
    return found


def _traits(table: ManifestTable) -> tuple[str, ...]:
    found = table.texts("traits")
    for name in found:
        if not _TRAIT.fullmatch(name):
            table.problem("this is not the name of a trait", "traits", name, '"templates", "no_move_and_fire"')
    return found


def _names(table: ManifestTable) -> tuple[Name, ...]:
    found: list[Name] = []
    names = table.table("names")
    for kind in () if names is None else names.content:
        inner = None if names is None else names.table(kind)
        for name in () if inner is None else inner.content:
            stands_for = None if inner is None else inner.text_of(name)
            found.append(Name(kind, name, stands_for or ""))
    return tuple(found)


def _options(table: ManifestTable) -> tuple[Option, ...]:
    return tuple([_option(each) for each in table.tables("options")])


def _option(table: ManifestTable) -> Option:
    name = _name(table)
    kinds = tuple(_TYPES.values())
    default = table.value("default", "text, a number, true or false", kinds)
    stated = table.text_of("type", " or ".join(_TYPES), re.compile("|".join(_TYPES)))
    choices = table.texts("choices")
    option = Option(name, stated or _type_of(default), default, choices, table.text_of("help") or "")
    if stated is not None and default is not None and type(default) is not _TYPES[stated]:
        table.problem("the default is not of the option's type", "default", found=repr(default), expected=stated)
    if type(default) is int and default.bit_length() > _MOST_BITS:
        table.problem("the default is too large a number", "default", shown(default), "at most 63 bits")
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
