"""``rallypoint rules``: the options and rulings in force, on one page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import click

from rallypoint.kernel.errors import InputError

from .command_line import Invocation, PlainHelp
from .game_choice import chosen_name
from .terminal import as_json, table, write

if TYPE_CHECKING:
    from rallypoint.content.scenario_words import Option, ScenarioWords
    from rallypoint.kernel.canonical import Value

__all__ = ["rules"]


class _Commands(PlainHelp, click.Group):
    pass


@click.group(cls=_Commands)
def rules() -> None:
    """Show what of a game's rules can be chosen, and what is chosen.

    Example: rallypoint rules show
    """


class _Page(NamedTuple):
    """What there is to show: the game, where it is from, the rulings with what is chosen, the plugins."""

    game: str
    version: str
    source: str
    words: ScenarioWords
    options: Mapping[str, Value]
    plugins: Mapping[str, Value]

    def chosen(self, option: Option) -> str:
        return str(self.options.get(option.key, option.values[0]))

    def differs(self, option: Option) -> bool:
        return self.chosen(option) != option.values[0]


@click.command(cls=PlainHelp)
@click.option("--battle", metavar="FILE", help="Those of a battle.")
@click.option("--scenario", metavar="FILE", help="Those of a scenario.")
@click.option("--changed", is_flag=True, help="Only what differs from the defaults.")
@click.option("--markdown", is_flag=True, help="Print Markdown, to paste into a chat.")
@click.option("--json", "in_json", is_flag=True, help="Print JSON.")
@click.option("--game", metavar="NAME", help="The game, if more than one is installed.")
@click.pass_obj
def show(
    invocation: Invocation,
    battle: str | None,
    scenario: str | None,
    changed: bool,
    markdown: bool,
    in_json: bool,
    game: str | None,
) -> None:
    """Print the rulings in force: what each decides, what is chosen, what else could be, the rule it belongs to.

    Example: rallypoint rules show --markdown

    Example: rallypoint rules show --battle first.battle --changed
    """
    if battle is not None and scenario is not None:
        raise InputError("whose rules", found="a battle and a scenario", expected="one of them")
    page = _page(invocation, battle, scenario, game)
    listed = [option for option in page.words.options.values() if not changed or page.differs(option)]
    if in_json:
        write(as_json(_document(page, listed)))
        return
    for line in _markdown(page, listed) if markdown else _plain(page, listed):
        write(line)


rules.add_command(show, "show")


def _page(invocation: Invocation, battle: str | None, scenario: str | None, game: str | None) -> _Page:
    from .battle_game import battle_game, playing
    from .battle_table import Record

    if battle is not None:
        with Record(invocation, battle) as record:
            words = battle_game(invocation, record.game_name).scenario_words()
            plugins, version = record.history.rules.get("plugins"), str(record.history.rules.get("version"))
            found = plugins if isinstance(plugins, Mapping) else {}
            return _Page(record.game_name, version, record.title, words, record.options, found)
    name = chosen_name(invocation, game)
    words = battle_game(invocation, name).scenario_words()
    options: Mapping[str, str | int] = {}
    source = "defaults"
    if scenario is not None:
        from rallypoint.content.scenario import read_scenario

        read = read_scenario(scenario, words)
        options, source = read.options, read.title
    rules_of = playing(invocation, name, options)
    return _Page(name, rules_of.game.version, source, words, rules_of.game.options, rules_of.plugins)


def _others(page: _Page, option: Option) -> str:
    if option.numbers is not None:
        return f"{option.numbers[0]} to {option.numbers[1]}"
    return ", ".join(value for value in option.values if value != page.chosen(option))


def _plugins(page: _Page) -> Mapping[str, Value]:
    return {name: version for name, version in page.plugins.items() if name != page.game}


def _plain(page: _Page, listed: list[Option]) -> Iterator[str]:
    yield f"{page.game} {page.version}: {page.source}"
    plugins = _plugins(page)
    yield "Plugins: " + (", ".join(f"{name} {version}" for name, version in plugins.items()) or "none")
    yield ""
    rows = [
        (
            "*" if page.differs(option) else " ",
            option.key,
            page.chosen(option),
            f"{option.text} ({option.rule}); or {_others(page, option)}",
        )
        for option in listed
    ]
    yield from table(rows) if rows else ["Everything is at its default."]
    if any(page.differs(option) for option in listed):
        yield ""
        yield "* differs from the default"


def _markdown(page: _Page, listed: list[Option]) -> Iterator[str]:
    yield f"**{page.source}**: {page.game} {page.version}"
    plugins = _plugins(page)
    if plugins:
        yield ""
        yield "Plugins: " + ", ".join(f"{name} {version}" for name, version in plugins.items())
    yield ""
    if not listed:
        yield "Every ruling is at its default."
        return
    yield "| ruling | decides | chosen | else | rule |"
    yield "| --- | --- | --- | --- | --- |"
    for option in listed:
        chosen = page.chosen(option)
        mark = f"**{chosen}**" if page.differs(option) else chosen
        cells = (option.key, option.text, mark, _others(page, option), option.rule)
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _document(page: _Page, listed: list[Option]) -> Mapping[str, object]:
    return {
        "game": page.game,
        "version": page.version,
        "source": page.source,
        "plugins": page.plugins,
        "rulings": [
            {
                "id": option.key,
                "decides": option.text,
                "chosen": page.options.get(option.key, _default(option)),
                "default": _default(option),
                "choices": None if option.numbers is not None else option.values,
                "numbers": option.numbers,
                "rule": option.rule,
            }
            for option in listed
        ],
    }


def _default(option: Option) -> str | int:
    return int(option.values[0]) if option.numbers is not None else option.values[0]
