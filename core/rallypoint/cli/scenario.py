"""``rallypoint scenario``: a new scenario file, its check, its picture; and what other commands need of scenarios."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

import click

from rallypoint.kernel.errors import InputError, PluginError

from .chosen_rules import chosen_options, chosen_rules
from .command_line import Invocation, PlainHelp
from .game_choice import GameOnCommandLine, chosen_game, chosen_name
from .line_of_error import told_by_line
from .muster import CONTENT, extended
from .terminal import as_json, preview, write
from .writing import write_files

if TYPE_CHECKING:  # for --help neither readers nor state are imported
    from rallypoint.content import Catalogue, Force
    from rallypoint.content.force import Forces
    from rallypoint.content.scenario import Scenario, Side
    from rallypoint.content.scenario_words import ScenarioWords
    from rallypoint.kernel.encounter import Encounter
    from rallypoint.kernel.parts import Hex

__all__ = ["Brought", "brought_by", "forces_of", "left_off", "scenario", "write_one"]


class _Deployment(Protocol):
    encounter: Encounter
    zones: Mapping[str, tuple[Hex, ...]]


class GameWithScenarios(GameOnCommandLine, Protocol):
    """What a game's module must have for scenarios to be read."""

    def scenario_words(self) -> ScenarioWords:
        """Return the words in which they are written."""

    def deployed(self, scenario: Scenario, forces: Forces) -> _Deployment:
        """Return the encounter with its zones; a side that has no force brings nobody."""


def _with_scenarios(game: GameOnCommandLine) -> GameWithScenarios:
    if not hasattr(game, "scenario_words") or not hasattr(game, "deployed"):
        raise InputError("this game has no scenarios", found=getattr(game, "__name__", "the game"))
    return cast("GameWithScenarios", game)


def forces_of(scenario: Scenario, catalogue: Catalogue) -> Forces:
    """Read the rosters of a scenario, beside its file: by side its force, or all of them where it brings several.

    Raises:
        InputError: a roster cannot be read; a PageError if several cannot. What is wrong in a roster that both sides have
            is told once.
    """
    from rallypoint.content import PageError, read_force

    forces: dict[str, Force | tuple[Force, ...]] = {}
    problems: dict[str, InputError] = {}
    for side in scenario.sides:
        own: list[Force] = []
        for number, roster in enumerate(side.rosters, 1):
            try:
                own.append(read_force(scenario.roster(side, number), catalogue, with_optional=side.with_optional))
            except PageError as error:
                problems.update({str(each): each for each in error.problems})
            except InputError as error:
                each = _in_scenario(error, scenario, side.name, roster.line)
                problems[str(each)] = each
        forces[side.name] = own[0] if len(side.rosters) == len(own) == 1 else tuple(own)
    if problems:
        found = list(problems.values())
        raise found[0] if len(found) == 1 else PageError(found)
    return forces


def _in_scenario(error: InputError, scenario: Scenario, side: str, line: int | None) -> InputError:
    """Return an error about the file of a roster, with the line of the scenario that names it."""
    return InputError(
        f"the roster of {side} cannot be read: {error.what}",
        path=scenario.path,
        line=line,
        found=error.path if error.found is None else f"{error.path}: {error.found}",
        expected=error.expected,
        hint=error.hint or "rosters lie beside the scenario",
    )


def _deployed(game: GameWithScenarios, read: Scenario, forces: Forces) -> _Deployment:
    """Return the forces on their board; what is wrong with a unit is told with its line."""
    from rallypoint.content.force import each_of

    rosters = {
        f"{side.name}.{number}": (str(read.roster(side, number)), force)
        for side in read.sides
        for number, force in enumerate(each_of(forces.get(side.name, ())), 1)
    }
    with told_by_line(read.path, rosters):
        return game.deployed(read, forces)


def left_off(game: object, encounter: Encounter) -> Iterator[str]:
    """Yield by code and name who does not fight, because of what became of him in an earlier battle."""
    asked = getattr(game, "left_off", None)
    for uid, became in {} if asked is None else asked(encounter).items():
        sheet = encounter.sheets[uid]
        yield f"{sheet.code} {sheet.name}: {became}"


class Brought(NamedTuple):
    """What a file brings to the table: the encounter, and the forces in it."""

    encounter: Encounter
    forces: tuple[Force, ...]


def brought_by(
    game: GameOnCommandLine,
    file: str,
    *,
    side: str,
    with_optional: bool,
    packs: tuple[str, ...] = (),
    placeholder: bool = False,
    preset: str | None = None,
    options: Sequence[str] = (),
) -> Brought:
    """Return what a file brings: a scenario both of its forces on the board, a roster one force for one side.

    Args:
        game: whose words and tables hold.
        file: a scenario or a roster.
        side: for a roster, the side that it fights for.
        with_optional: for a roster, take the optional squads too.
        packs: paths of content packs.
        placeholder: take weapons of packs that are not there by their names.
        preset: a set of rules; a scenario's own rulings are over it.
        options: single rulings, each ``ID=CHOICE``, over all others.

    Raises:
        InputError: it cannot be understood.
    """
    from rallypoint.content import read_force
    from rallypoint.content.force import each_of
    from rallypoint.content.scenario import is_scenario, read_scenario
    from rallypoint.paper.card_html import card_pages

    catalogue = extended(game.catalogue(), packs, placeholder=placeholder)
    if is_scenario(file):
        able = _with_scenarios(game)
        read = read_scenario(file, able.scenario_words())
        forces = forces_of(read, catalogue)
        encounter = _deployed(able, read, forces).encounter
        brought = tuple([force for own in forces.values() for force in each_of(own)])
        rulings = {**chosen_rules(read.words, preset, ()), **read.options, **chosen_options(read.words, options)}
    else:
        force = read_force(file, catalogue, with_optional=with_optional)
        with told_by_line(file, {f"{side}.1": (file, force)}):
            encounter, brought = game.encounter(force, side=side), (force,)
        rulings = {}
        if preset is not None or options:
            rulings = {**chosen_rules(_with_scenarios(game).scenario_words(), preset, options)}
    encounter = game.completed(encounter, rulings)
    return Brought(encounter._replace(pages=(*encounter.pages, *card_pages(encounter))), brought)


def write_one(out: str, content: bytes, *, dry: bool) -> None:
    """Write one file whole or not at all, and say so."""
    path = Path(out)
    if not dry:
        write_files(path.parent, {path.name: content}, through_links=True)
    write(f"{'Would write' if dry else 'Wrote'} {path} ({len(content)} bytes).")


class _Commands(PlainHelp, click.Group):
    pass


@click.group(cls=_Commands)
def scenario() -> None:
    """Write, check and draw scenarios: players, rules, forces and board of a fight.

    Example: rallypoint scenario new -o first-fight.toml
    """


@scenario.command(cls=PlainHelp)
@click.option("-o", "--out", metavar="FILE", required=True, help="The file to write.")
@click.option("--force", "over", is_flag=True, help="Write over a file that is there.")
@click.option("--roster", metavar="FILE", default="my-platoon.md", show_default=True, help="What both sides bring.")
@click.option("--dry-run", is_flag=True, help="Print the file, and write nothing.")
@click.option("--game", metavar="NAME", help="The game, if more than one is installed.")
@click.pass_obj
def new(invocation: Invocation, out: str, over: bool, roster: str, dry_run: bool, game: str | None) -> None:
    """Write a scenario with comments, to be changed.

    Example: rallypoint scenario new -o first-fight.toml
    """
    from rallypoint.content.scenario_example import example_scenario

    text = example_scenario(_with_scenarios(chosen_game(invocation, game)).scenario_words(), roster)
    if dry_run:
        preview(text)
        return
    if Path(out).exists() and not over:
        raise InputError("this file is there already", path=out, hint="choose another name, or --force to replace it")
    write_one(out, text.encode(), dry=False)
    beside = Path(out).parent / roster
    if not beside.is_file():
        write(
            f"Both sides bring the roster {roster}, which is not there yet: put it at {beside}, or change the lines roster = ..."
        )
    write(f"Next: change it, then rallypoint scenario check {out}")


@scenario.command(cls=PlainHelp)
@click.argument("file")
@click.option("--json", "in_json", is_flag=True, help="Print JSON.")
@click.option("--strict", is_flag=True, help="Exit with 1 if there are warnings.")
@CONTENT
@click.option("--game", metavar="NAME", help="The game, if more than one is installed.")
@click.pass_obj
def check(
    invocation: Invocation, file: str, in_json: bool, strict: bool, packs: tuple[str, ...], game: str | None
) -> int:
    """Read a scenario with its rosters, deploy it, and say what to think about. Nothing is written.

    What no battle could begin with is an error here, too: an Officer must be fit on each side.

    Example: rallypoint scenario check first-fight.toml
    """
    from rallypoint.content.scenario import read_scenario
    from rallypoint.content.scenario_check import check_scenario

    name = chosen_name(invocation, game)
    able = _with_scenarios(chosen_game(invocation, name))
    words = able.scenario_words()
    read = read_scenario(file, words)
    forces = forces_of(read, extended(able.catalogue(), packs))
    deployment = _deployed(able, read, forces)
    _refuse_unplayable(invocation, name, read, deployment.encounter)
    warnings = check_scenario(read, words)
    off = list(left_off(able, deployment.encounter))
    if in_json:
        document = _document(read, forces, deployment, [each._asdict() for each in warnings], words)
        write(as_json({**document, "left_off": off}))
    else:
        for line in _report(read, forces, words):
            write(line)
        for who in off:
            write(f"Left off, not fit to fight: {who}")
        for each in warnings:
            write(f"warning: {each}")
    return int(strict and bool(warnings))


def _refuse_unplayable(invocation: Invocation, name: str, read: Scenario, encounter: Encounter) -> None:
    """Refuse what the rules would refuse at the beginning of a battle; a game that is not played here says nothing.

    Raises:
        RuleError: the rules do not let this battle begin.
    """
    from .battle_game import battle_game, playing, rehearse

    try:
        module = battle_game(invocation, name)
    except PluginError:
        return
    rules = playing(invocation, name, read.options).game
    rehearse(rules, module.opening(read, module.completed(encounter, read.options), rules.options))


def _share(read: Scenario) -> tuple[int, int]:
    return len(read.board.terrain), read.board.columns * read.board.rows


def _report(read: Scenario, forces: Forces, words: ScenarioWords) -> Iterator[str]:
    from rallypoint.content.force import each_of

    covered, hexes = _share(read)
    yield f"{read.title}  ({read.key})"
    yield f"Rules: {read.rules}, {words.modes[read.mode].title}, {words.sizes[read.size].title} scale"
    yield f"Board: {read.board.columns} by {read.board.rows} hexes, {covered} of {hexes} are terrain ({covered / hexes:.0%})"
    for side in read.sides:
        own = each_of(forces[side.name])
        points = ", ".join(point.name for point in side.rally_points) or "none"
        rows = [f"{force.title}, {force.counts['units']} units in {force.counts['teams']} teams" for force in own]
        yield f"{side.title}: {side.players} player{'' if side.players == 1 else 's'}, {'; '.join(rows)}, " + (
            f"begins at the {side.edge}; Rally Points: {points}"
        )


def _document(
    read: Scenario,
    forces: Forces,
    deployment: _Deployment,
    warnings: list[dict[str, object]],
    words: ScenarioWords,
) -> Mapping[str, object]:
    from rallypoint.content.force import each_of
    from rallypoint.content.scenario_terrain import coordinate
    from rallypoint.kernel.parts import Hex

    covered, hexes = _share(read)
    kinds = {kind: list(read.board.terrain.values()).count(kind) for kind in words.terrain}
    placed = [entity for entity in deployment.encounter.state if isinstance(entity.place, Hex)]
    return {
        "key": read.key,
        "title": read.title,
        "mode": read.mode,
        "size": read.size,
        "rules": read.rules,
        "options": read.options,
        "referee": read.referee,
        "board": {
            "columns": read.board.columns,
            "rows": read.board.rows,
            "terrain": covered,
            "share": round(covered / hexes, 4),
            "kinds": {kind: count for kind, count in kinds.items() if count},
        },
        "deployment": {"from": read.deployment, "depth": read.depth},
        "sides": [
            {
                "name": side.name,
                "title": side.title,
                "players": side.players,
                "edge": side.edge,
                **_brought(side, each_of(forces[side.name])),
                "rally_points": {point.name: coordinate(point.place) for point in side.rally_points},
            }
            for side in read.sides
        ],
        "places": {entity.uid: coordinate(entity.place) for entity in placed if isinstance(entity.place, Hex)},
        "warnings": warnings,
    }


def _brought(side: Side, own: tuple[Force, ...]) -> Mapping[str, object]:
    """Return what a side brings: its roster with its counts, or a row for each platoon of a company."""
    rows = [{"roster": roster.path, "counts": force.counts} for roster, force in zip(side.rosters, own, strict=True)]
    return rows[0] if len(rows) == 1 else {"platoons": rows}


@scenario.command(cls=PlainHelp)
@click.argument("file")
@click.option("-o", "--out", metavar="FILE", required=True, help="The picture: .svg or .png.")
@click.option("--pixels", type=click.IntRange(100, 20000), help="Width of a PNG.  [default: 80 for each hex]")
@click.option("--true-size", is_flag=True, help="For an SVG: as large as the table, for print.")
@CONTENT
@click.option("--empty", is_flag=True, help="Draw board, zones and Rally Points without the forces.")
@click.option("--dry-run", is_flag=True, help="Say what would be written, and write nothing.")
@click.option("--game", metavar="NAME", help="The game, if more than one is installed.")
@click.pass_obj
def draw(
    invocation: Invocation,
    file: str,
    out: str,
    pixels: int | None,
    true_size: bool,
    packs: tuple[str, ...],
    empty: bool,
    dry_run: bool,
    game: str | None,
) -> None:
    """Draw the board of a scenario with its zones, stands and Rally Points.

    Example: rallypoint scenario draw first-fight.toml -o first-fight.svg
    """
    from rallypoint.content.scenario import read_scenario
    from rallypoint.paper.board_picture import board_picture
    from rallypoint.paper.terrain import TerrainLook

    suffix = Path(out).suffix.casefold()
    if suffix not in (".svg", ".png"):
        raise InputError("a picture of this kind cannot be drawn", path=out, expected=".svg or .png")
    able = _with_scenarios(chosen_game(invocation, game))
    words = able.scenario_words()
    read = read_scenario(file, words)
    deployment = _deployed(able, read, {} if empty else forces_of(read, extended(able.catalogue(), packs)))
    looks = {key: TerrainLook(each.title, each.pattern) for key, each in words.terrain.items()}
    svg = board_picture(
        deployment.encounter, terrain=looks, zones=deployment.zones, true_size=true_size and suffix == ".svg"
    )
    if suffix == ".svg":
        content = svg.encode()
    else:
        from rallypoint.paper.png import png

        content = png(svg, pixels or max(80 * read.board.columns, 400))
    write_one(out, content, dry=dry_run)
