"""``rallypoint export``: one command a format, built from the manifests; the exporter is imported when it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import click

from rallypoint.kernel.errors import InputError, PluginError

from .command_line import Invocation, PlainHelp, imported
from .earlier_export import NowSomebodyElse, left_alone_lines, now_somebody_else
from .format_group import FormatGroup
from .game_choice import GameOnCommandLine, chosen_game
from .guard import guarded
from .index import IndexedExporter, IndexedOption, IndexedPlugin
from .muster import PLACEHOLDER_HELP, extended, remarks
from .terminal import as_json, counted, write
from .writing import left_alone, taken_away, write_files

if TYPE_CHECKING:  # for --help neither readers nor state are imported
    from rallypoint.content import Force, Moves
    from rallypoint.kernel.encounter import Encounter, Export

__all__ = ["Format", "as_text", "export", "formats", "made_by", "option_parameter"]


class Format(NamedTuple):
    """An exporter and the plugin that it belongs to."""

    plugin: str
    exporter: IndexedExporter


def formats(invocation: Invocation) -> Mapping[str, Format]:
    """Return the formats by name; of two exporters of one name the first plugin by name has it."""
    found: dict[str, Format] = {}
    for plugin in invocation.plugins():
        for exporter in plugin.exporters:
            found.setdefault(exporter.name, Format(plugin.name, exporter))
    return dict(sorted(found.items()))


def made_by(form: Format, encounter: Encounter, options: Mapping[str, str]) -> Export:
    """Run the exporter; nothing is written yet.

    Args:
        form: which.
        encounter: what to export.
        options: the exporter's own options as text; those left out have their defaults.

    Raises:
        PluginError: the exporter fails, gives something else, or names that cannot be files.
    """
    from .plugin_results import checked_export

    run = imported(form.plugin, form.exporter.run)
    where = f"exporter {form.exporter.name}"
    with guarded(form.plugin, where):
        made = cast("Callable[[Encounter, Mapping[str, str]], object]", run)(encounter, options)
    with guarded(form.plugin, where):  # what it gave may still run code of its own when it is looked at
        return checked_export(form.plugin, where, made)


class _Formats(FormatGroup):
    def formats(self, invocation: Invocation) -> Sequence[str]:
        return list(formats(invocation))

    def command_of(self, invocation: Invocation, name: str) -> click.Command | None:
        found = formats(invocation).get(name)
        return None if found is None else _command(found)

    def brought_by(self, plugin: IndexedPlugin) -> Sequence[str]:
        return [each.name for each in plugin.exporters]


@click.group(cls=_Formats)
def export() -> None:
    """Write a roster or a scenario as files for a VTT.

    A scenario brings both forces on its board. Everything is made and checked first; if anything is wrong, nothing is written.

    Example: rallypoint export foundry my-platoon.md -o for-foundry
    """


def _command(form: Format) -> click.Command:
    """Return the command of one format, with the options that its manifest lists."""
    own = [option_parameter(option) for option in form.exporter.options]
    taken = {option for parameter in _parameters() for option in parameter.opts}
    for parameter in own:
        if taken & set(parameter.opts):
            found = ", ".join(parameter.opts)
            raise PluginError("an exporter's option has the name of one of ours", plugin=form.plugin, found=found)

    @click.pass_obj
    def run(invocation: Invocation, /, **given: object) -> None:
        options = {
            option.name: as_text(given.pop(parameter.name or ""))
            for option, parameter in zip(form.exporter.options, own, strict=True)
        }
        _export(invocation, form, given, {name: text for name, text in options.items() if text is not None})

    name = form.exporter.name
    text = f"{form.exporter.help}\n\nExample: rallypoint export {name} my-platoon.md -o for-{name}"
    return PlainHelp(name, params=[*_parameters(), *own], callback=run, help=text, short_help=form.exporter.help)


def _parameters() -> list[click.Parameter]:
    return [
        click.Argument(["file"]),
        click.Option(["-o", "--out"], metavar="FOLDER", help="Where the files go; made if need be."),
        click.Option(["--with-optional"], is_flag=True, help="Take the optional squads too."),
        click.Option(["--content", "packs"], metavar="PATH", multiple=True, help="More equipment; repeatable."),
        click.Option(["--placeholder"], is_flag=True, help=PLACEHOLDER_HELP),
        click.Option(["--rules", "preset"], metavar="NAME", help="A set of rules: what it does not track is left out."),
        click.Option(["--option", "rulings"], metavar="ID=CHOICE", multiple=True, help="A ruling; repeatable."),
        click.Option(["--side"], type=click.Choice(["red", "blue"]), default="red", show_default=True),
        click.Option(["--against"], metavar="OLD", help="Say whose uids mean somebody else since an older roster."),
        click.Option(["--dry-run"], is_flag=True, help="Print what would be written, and write nothing."),
        click.Option(["--json", "in_json"], is_flag=True, help="Print what was made as JSON."),
        click.Option(["--game"], metavar="NAME", help="The game, if more than one is installed."),
    ]


def option_parameter(option: IndexedOption) -> click.Option:
    """Return the option of the command line for one that a manifest lists."""
    flags = [f"--{option.name}", f"option_{option.name.replace('-', '_')}"]
    if option.type == "switch":
        flags[0] = f"--{option.name}/--no-{option.name}"
        return click.Option(flags, default=bool(option.default), help=option.help, show_default=True)
    kinds = {"integer": click.INT, "number": click.FLOAT}
    kind = click.Choice(option.choices) if option.choices else kinds.get(option.type, click.STRING)
    shown = option.default is not None
    return click.Option(flags, type=kind, default=option.default, help=option.help, show_default=shown)


def as_text(value: object) -> str | None:
    """Return the text of an option's value, as exporters and importers take it; ``None`` where there is none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


def _export(
    invocation: Invocation,
    form: Format,
    given: Mapping[str, object],
    options: Mapping[str, str],
) -> None:
    from .scenario import brought_by

    dry = bool(given["dry_run"])
    if given["out"] is None and not dry:
        raise InputError("the export needs a folder", expected="-o FOLDER", hint="--dry-run needs none")
    game = chosen_game(invocation, cast("str | None", given["game"]))
    brought = brought_by(
        game,
        str(given["file"]),
        side=str(given["side"]),
        with_optional=bool(given["with_optional"]),
        packs=cast("tuple[str, ...]", given["packs"]),
        placeholder=bool(given["placeholder"]),
        preset=cast("str | None", given["preset"]),
        options=cast("tuple[str, ...]", given["rulings"]),
    )
    made = made_by(form, brought.encounter, options)
    out = None if given["out"] is None else Path(str(given["out"]))
    others = [] if out is None else left_alone(out, made.files, made.owns)
    someone_else = () if out is None else now_somebody_else(out, made.files, brought.encounter)
    moved = _moved(game, brought.forces, given)
    gone = [] if out is None else taken_away(out, made.files, made.owns)
    if out is not None and not dry:
        write_files(out, made.files, made.owns)
    if given["in_json"]:
        document = _document(form.exporter.name, made, out, others, gone, brought.forces, written=not dry)
        more = {} if moved is None else {"moves": moved.document()}
        write(as_json({**document, "now_somebody_else": [each._asdict() for each in someone_else], **more}))
        return
    # Two sides of one roster say the same; once is enough.
    said = dict.fromkeys(line for force in brought.forces for line in remarks(force))
    for line in [*_report(made, out, others, gone, dry), *said]:
        write(line)
    for line in _someone_else(out, someone_else, dry):
        write(line)
    for line in () if moved is None else moved.lines():
        write(line)


def _moved(game: GameOnCommandLine, forces: tuple[Force, ...], given: Mapping[str, object]) -> Moves | None:
    """Return what moved since the roster of ``--against``; of a scenario it must be a roster of one of the sides."""
    if given["against"] is None:
        return None
    from rallypoint.content import moves, read_force

    packs, placeholder = cast("tuple[str, ...]", given["packs"]), bool(given["placeholder"])
    old = read_force(str(given["against"]), extended(game.catalogue(), packs, placeholder=placeholder))
    new = next((force for force in forces if force.key == old.key), forces[0])
    if len(forces) > 1 and new.key != old.key:
        expected = " or ".join(dict.fromkeys(force.key for force in forces))
        raise InputError("neither side has this roster", path=str(given["against"]), found=old.key, expected=expected)
    if given["with_optional"]:
        return moves(old, new)
    return moves(old._replace(left_out=()), new._replace(left_out=()))


def _someone_else(out: Path | None, found: tuple[NowSomebodyElse, ...], dry: bool) -> Iterator[str]:
    if found:
        yield f"warning: uids mean somebody else than in the export that {'lies' if dry else 'lay'} in {out}:"
        yield from [f"  {each}" for each in found]
        yield (
            "  Tokens and actors that are on a table keep their uids, so they are taken for the new units. Give the new units "
            "an id of their own, or let rallypoint convert --against do it."
        )


def _document(
    name: str,
    made: Export,
    out: Path | None,
    others: list[str],
    gone: list[str],
    forces: tuple[Force, ...],
    *,
    written: bool,
) -> Mapping[str, object]:
    return {
        "format": name,
        "out": None if out is None else str(out),
        "written": written,
        "files": [{"path": path, "bytes": len(content)} for path, content in made.files.items()],
        "taken_away": gone,
        "others_left_alone": len(others),
        "others": others,
        "counts": made.counts,
        "left_out": made.left_out,
        "notes": made.notes,
        "remarks": [str(remark) for force in forces for remark in force.remarks],
        "next_steps": made.steps_in("FOLDER" if out is None else str(out)),
    }


def _report(made: Export, out: Path | None, others: list[str], gone: list[str], dry: bool) -> Iterator[str]:
    files = f"{len(made.files)} file{'' if len(made.files) == 1 else 's'}"
    where = "" if out is None else f" in {out}"
    yield f"Would write {files}{where}; they are listed below." if dry else f"Wrote {files}{where}."
    yield f"Counts: {counted(made.counts)}"
    yield from [f"left out: {line}" for line in made.left_out]
    yield from [f"note: {line}" for line in made.notes]
    if gone:
        yield f"{'Would take away' if dry else 'Took away'} what an older database left in {out}:"
        yield from [f"  {path}" for path in gone]
    if out is not None:
        yield from left_alone_lines(out, others, "this export")
    if dry:
        yield "Files:"
        yield from [f"  {path}  ({len(content)} bytes)" for path, content in made.files.items()]
    if made.next_steps and not dry:
        yield "Next:"
        steps = made.steps_in("FOLDER" if out is None else str(out))
        yield from [f"  {number}. {line}" for number, line in enumerate(steps, 1)]
