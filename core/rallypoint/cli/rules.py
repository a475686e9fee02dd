"""``rallypoint rules``: the options and rulings in force, on one page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import click

from rallypoint.kernel.errors import InputError, RallypointError

from .chosen_rules import OPTION, RULES, chosen_options, chosen_rules
from .command_line import Invocation, PlainHelp
from .game_choice import GAME, chosen_name
from .terminal import as_json, table, write

if TYPE_CHECKING:
    from rallypoint.content.scenario_words import ScenarioWords
    from rallypoint.kernel.canonical import Value
    from rallypoint.kernel.rulings import Ruling

    from .battle_table import Record

__all__ = ["rules"]


class _Commands(PlainHelp, click.Group):
    pass


@click.group(cls=_Commands)
def rules() -> None:
    """Show what of a game's rules can be chosen, and what is chosen.

    Example: rallypoint rules show
    """


class _Page(NamedTuple):
    """What there is to show: the game, where it is from, the rulings with what is chosen, the plugins, what they say of it."""

    game: str
    version: str
    source: str
    words: ScenarioWords
    options: Mapping[str, Value]
    plugins: Mapping[str, Value]
    touched: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()

    def chosen(self, ruling: Ruling) -> str:
        return str(ruling.chosen(self.options))

    def differs(self, ruling: Ruling) -> bool:
        return ruling.chosen(self.options) != ruling.default

    def plugin_lines(self) -> Iterator[str]:
        """Yield each plugin with its version and the rules that it touches."""
        for name, version in self.plugins.items():
            if name != self.game:
                touched = ", ".join(self.touched.get(name, ())) or "no rules"
                yield f"{name} {version}: {touched}"


@click.command(cls=PlainHelp)
@click.option("--battle", metavar="FILE", help="Those of a battle.")
@click.option("--scenario", metavar="FILE", help="Those of a scenario.")
@RULES
@OPTION
@click.option("--changed", is_flag=True, help="Only what differs from the defaults.")
@click.option("--markdown", is_flag=True, help="Print Markdown, to paste into a chat.")
@click.option("--json", "in_json", is_flag=True, help="Print JSON.")
@GAME
@click.pass_obj
def show(
    invocation: Invocation,
    battle: str | None,
    scenario: str | None,
    preset: str | None,
    options: tuple[str, ...],
    changed: bool,
    markdown: bool,
    in_json: bool,
    game: str | None,
) -> None:
    """Print the rulings in force: what each decides, what is chosen, what else could be, the rules it belongs to.

    Plugins stand there with the rules that they touch, and what people should know of a combination.

    Example: rallypoint rules show --markdown

    Example: rallypoint rules show --rules streamline --changed

    Example: rallypoint rules show --battle first.battle --changed
    """
    if battle is not None and scenario is not None:
        raise InputError("whose rules", found="a battle and a scenario", expected="one of them")
    if battle is not None and (preset is not None or options):
        raise InputError("whose rules", found="a battle and other rulings", expected="--battle alone")
    page = _page(invocation, battle, _Asked(scenario, preset, options), game)
    listed = [ruling for ruling in page.words.options.values() if not changed or page.differs(ruling)]
    if in_json:
        write(as_json(_document(page, listed)))
        return
    for line in _markdown(page, listed) if markdown else _plain(page, listed):
        write(line)


rules.add_command(show, "show")


class _Asked(NamedTuple):
    """Whose rules are asked for, where it is not a battle's."""

    scenario: str | None
    preset: str | None
    options: tuple[str, ...]


def _page(invocation: Invocation, battle: str | None, asked: _Asked, game: str | None) -> _Page:
    from .battle_game import battle_game, notes_of, playing
    from .battle_table import Record

    touched = _touched()
    if battle is not None:
        with Record(invocation, battle) as record:
            words = battle_game(invocation, record.game_name).scenario_words()
            plugins, version = record.history.rules.get("plugins"), str(record.history.rules.get("version"))
            found = plugins if isinstance(plugins, Mapping) else {}
            notes = _notes_of_battle(invocation, record, found)
            return _Page(record.game_name, version, record.title, words, record.options, found, touched, notes)
    name = chosen_name(invocation, game)
    words = battle_game(invocation, name).scenario_words()
    options: Mapping[str, str | int] = {}
    source = "defaults" if asked.preset is None else asked.preset
    if asked.scenario is not None:
        from rallypoint.content.scenario import read_scenario

        read = read_scenario(asked.scenario, words)
        options, source = read.options, read.title
    options = {**chosen_rules(words, asked.preset, ()), **options, **chosen_options(words, asked.options)}
    rules_of = playing(invocation, name, options)
    in_force = rules_of.game
    return _Page(name, in_force.version, source, words, in_force.options, rules_of.plugins, touched, notes_of(rules_of))


def _notes_of_battle(invocation: Invocation, record: Record, plugins: Mapping[str, object]) -> tuple[str, ...]:
    """Return what the game and the plugins of a battle say of its rulings; only they can, so that others are not asked."""
    from .battle_game import notes_of, playing

    try:
        rules = playing(invocation, record.game_name, record.options)
    except RallypointError:
        return ("The rules of this battle cannot be loaded, so what they say of its rulings is left out.",)
    if dict(rules.plugins) != dict(plugins):
        return ("Other plugins are on than this battle is played with, so what they say of its rulings is left out.",)
    return notes_of(rules)


def _touched() -> Mapping[str, tuple[str, ...]]:
    """Return by plugin the ids of the rules that it touches: those of its manifest and of its rulings."""
    from rallypoint.kernel.plugins.discovery import discover

    return {each.name: each.manifest.touched for each in discover().found if each.manifest is not None}


def _others(page: _Page, ruling: Ruling) -> str:
    if ruling.numbers is not None:
        return f"{ruling.numbers[0]} to {ruling.numbers[1]}"
    return ", ".join(word for word in ruling.words if word != page.chosen(ruling))


def _plain(page: _Page, listed: list[Ruling]) -> Iterator[str]:
    yield f"{page.game} {page.version}: {page.source}"
    plugins = list(page.plugin_lines())
    yield "Plugins, and the rules that they touch:" if plugins else "Plugins: none"
    yield from [f"  {line}" for line in plugins]
    yield ""
    rows = [
        (
            "*" if page.differs(ruling) else " ",
            ruling.id,
            page.chosen(ruling),
            f"{ruling.question} ({', '.join(ruling.rules)}); or {_others(page, ruling)}",
        )
        for ruling in listed
    ]
    yield from table(rows) if rows else ["Everything is at its default."]
    if any(page.differs(ruling) for ruling in listed):
        yield ""
        yield "* differs from the default"
    yield from [f"note: {note}" for note in page.notes]


def _markdown(page: _Page, listed: list[Ruling]) -> Iterator[str]:
    yield f"**{page.source}**: {page.game} {page.version}"
    plugins = list(page.plugin_lines())
    if plugins:
        yield ""
        yield "Plugins, and the rules that they touch:"
        yield ""
        yield from [f"- {line}" for line in plugins]
    for note in page.notes:
        yield ""
        yield f"Note: {note}"
    yield ""
    if not listed:
        yield "Every ruling is at its default."
        return
    yield "| ruling | decides | chosen | else | rules |"
    yield "| --- | --- | --- | --- | --- |"
    for ruling in listed:
        chosen = page.chosen(ruling)
        mark = f"**{chosen}**" if page.differs(ruling) else chosen
        cells = (ruling.id, ruling.question, mark, _others(page, ruling), ", ".join(ruling.rules))
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _document(page: _Page, listed: list[Ruling]) -> Mapping[str, object]:
    return {
        "game": page.game,
        "version": page.version,
        "source": page.source,
        "plugins": page.plugins,
        "touched": {name: page.touched.get(name, ()) for name in page.plugins if name != page.game},
        "notes": page.notes,
        "rulings": [
            {
                "id": ruling.id,
                "decides": ruling.question,
                "chosen": ruling.chosen(page.options),
                "default": ruling.default,
                "choices": None if ruling.numbers is not None else ruling.words,
                "numbers": ruling.numbers,
                "rules": ruling.rules,
                "excludes": ruling.excludes,
            }
            for ruling in listed
        ],
    }
