"""``rallypoint import``: one command a format, built from the manifests; the importer is imported when it runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from rallypoint.kernel.errors import InputError, PluginError

from .command_line import Invocation, PlainHelp
from .export import as_text, option_parameter
from .format_group import FormatGroup
from .game_choice import ReturningGame, chosen_name, returning_game
from .import_sides import one_roster, part_of
from .imports import ImportFormat, converted, import_formats, read_files, read_from
from .index import IndexedPlugin
from .muster import extended, words_left
from .terminal import as_json, counted, write
from .writing import write_files

if TYPE_CHECKING:  # for --help neither readers nor state are imported
    from rallypoint.content import Catalogue, Force
    from rallypoint.kernel.encounter import Encounter, Imported

    from .import_sides import Part
    from .into_roster import Comparison, Prefer

__all__ = ["import_group"]


class _Formats(FormatGroup):
    def formats(self, invocation: Invocation) -> Sequence[str]:
        return list(import_formats(invocation))

    def command_of(self, invocation: Invocation, name: str) -> click.Command | None:
        found = import_formats(invocation).get(name)
        return None if found is None else _command(found)

    def brought_by(self, plugin: IndexedPlugin) -> Sequence[str]:
        return [each.name for each in plugin.importers]


@click.group(cls=_Formats, name="import")
def import_group() -> None:
    """Read files of a VTT or of contractors: a new roster, or Wounds and Stress of one that is there.

    Everything is read and checked first; if anything is wrong, nothing is written.

    Example: rallypoint import contractors squad.csv -o squad.toml

    Example: rallypoint import owlbear items.json --into my-platoon.toml --dry-run
    """


def _command(form: ImportFormat) -> click.Command:
    """Return the command of one format, with the options that its manifest lists."""
    own = [option_parameter(option) for option in form.importer.options]
    taken = {option for parameter in _parameters() for option in parameter.opts}
    for parameter in own:
        if taken & set(parameter.opts):
            found = ", ".join(parameter.opts)
            raise PluginError("an importer's option has the name of one of ours", plugin=form.plugin, found=found)

    @click.pass_obj
    def run(invocation: Invocation, /, **given: object) -> int:
        options = {
            option.name: as_text(given.pop(parameter.name or ""))
            for option, parameter in zip(form.importer.options, own, strict=True)
        }
        return _import(invocation, form, given, {name: text for name, text in options.items() if text is not None})

    name = form.importer.name
    text = (
        f"{form.importer.help}\n\nWith -o a new roster is written, of files that say what the units are. With --into Wounds and Stress go into a roster that is there, "
        f"found by their uids; with both, the changed roster goes to -o. Of a fight with several sides --side says whose roster it is.\n\n"
        f"Example: rallypoint import {name} FILE --into my-platoon.toml --dry-run"
    )
    return PlainHelp(name, params=[*_parameters(), *own], callback=run, help=text, short_help=form.importer.help)


def _parameters() -> list[click.Parameter]:
    prefer = click.Choice(["neither", "table", "roster"])
    return [
        click.Argument(["files"], nargs=-1, required=True),
        click.Option(["-o", "--out"], metavar="ROSTER", help="The roster to write: .toml, .json, .csv or .md."),
        click.Option(["--into"], metavar="ROSTER", help="The roster whose Wounds and Stress are brought up to date."),
        click.Option(["--side"], metavar="SIDE", help="Whose roster it is, where the files hold several sides."),
        click.Option(["--platoon"], metavar="CODE", help="Which platoon it is, where a side has several."),
        click.Option(
            ["--prefer"], type=prefer, default="neither", show_default=True, help="Whose number where both changed."
        ),
        click.Option(["--content", "packs"], metavar="PATH", multiple=True, help="More equipment; repeatable."),
        click.Option(["--force", "over"], is_flag=True, help="Write over another roster at -o."),
        click.Option(["--dry-run"], is_flag=True, help="Print what would be done, and write nothing."),
        click.Option(["--json", "in_json"], is_flag=True, help="Print what was read and done as JSON."),
        click.Option(["--game"], metavar="NAME", help="The game, if more than one is installed."),
    ]


def _import(invocation: Invocation, form: ImportFormat, given: Mapping[str, object], options: Mapping[str, str]) -> int:
    dry, out, into = bool(given["dry_run"]), _path(given["out"]), _path(given["into"])
    if out is None and into is None and not dry:
        raise InputError(
            "the import needs a roster to write", expected="-o ROSTER or --into ROSTER", hint="--dry-run needs none"
        )
    name = chosen_name(invocation, cast("str | None", given["game"]))
    game = returning_game(invocation, name)
    files = read_files(cast("Sequence[str]", given["files"]))
    with _named(files):
        found = converted(invocation, read_from(form, files, options), name, options)
    if into is not None:
        return _into(game, found, into, out, given)
    with _named(files):
        return _new(game, found, out, given)


@contextmanager
def _named(files: Iterable[str]) -> Iterator[None]:
    """Let errors that name a unit and no file name the files that were read."""
    from rallypoint.content import PageError

    try:
        yield
    except PageError as error:
        if error.path is not None:
            raise
        raise PageError(error.problems, ", ".join(files)) from None


def _refuse_numbers_alone(found: Imported) -> None:
    """Say once of tokens that say Wounds and Stress, and not who has them, what they are good for.

    Raises:
        InputError: none of the units says anything of itself.
    """
    units = [entity for entity in found.encounter.state if entity.role == "unit"]
    if units and not any(entity.facts for entity in units):
        raise InputError(
            "these files hold Wounds and Stress and nothing of the units, so they make no roster",
            found=f"{len(units)} units",
            hint="--into ROSTER, without -o or with it, carries the numbers into a roster that has the rest",
        )


def _whose(given: Mapping[str, object]) -> tuple[str | None, str | None]:
    return cast("str | None", given["side"]), cast("str | None", given["platoon"])


def _with_part(found: Imported, part: Part) -> Imported:
    """Return an import of which only the part of one roster is taken; a line says whose is not."""
    return found._replace(encounter=part.encounter, left_out=(*found.left_out, *part.lines()))


def _path(given: object) -> Path | None:
    return None if given is None else Path(str(given))


def _catalogue(game: ReturningGame, given: Mapping[str, object]) -> Catalogue:
    return extended(game.catalogue(), cast("tuple[str, ...]", given["packs"]))


def _new(game: ReturningGame, found: Imported, out: Path | None, given: Mapping[str, object]) -> int:
    """Write a new roster; exit status 1 where copies disagree."""
    dry = bool(given["dry_run"])
    catalogue = _catalogue(game, given)
    _refuse_numbers_alone(found)
    found = _with_part(found, one_roster(found.encounter, *_whose(given)))
    force = game.force_of(found.encounter, catalogue)
    text = _text(force, catalogue, out or Path("roster.toml"))
    if out is not None and not dry:
        _refuse_other(out, text, bool(given["over"]))
        write_files(out.parent, {out.name: text.encode("utf-8")}, through_links=True)
    if given["in_json"]:
        document = {"roster": force.document(), "out": _shown(out), "written": not dry, **_said(found)}
        write(as_json(document))
    else:
        verb = "Would write" if dry else "Wrote"
        units = len(force.units)
        write(f"{verb} {'a roster' if out is None else out}: {force.title}, {units} unit{'' if units == 1 else 's'}.")
        for line in _report(found):
            write(line)
    return 1 if found.conflicts else 0


def _text(force: Force, catalogue: Catalogue, out: Path) -> str:
    """Return the roster as text, read back once: what cannot be read must not be written."""
    from rallypoint.content import form_of, parse_force, write_force

    form = form_of(out, "written")
    text = write_force(force, form, catalogue)
    parse_force(text, form, catalogue, path=f"{out} (not written)", title=force.title, with_optional=True)
    return text


def _refuse_other(out: Path, text: str, over: bool) -> None:
    if out.exists() and not over and (out.is_dir() or out.read_bytes() != text.encode("utf-8")):
        hint = "--force writes over it; --into changes Wounds and Stress alone"
        raise InputError("there is another file already", path=str(out), hint=hint)


def _into(game: ReturningGame, found: Imported, into: Path, out: Path | None, given: Mapping[str, object]) -> int:
    """Change a roster; exit status 1 where something is in conflict: all else is written."""
    from rallypoint.content import read_force, read_text

    from .into_roster import compared, lines

    dry, catalogue = bool(given["dry_run"]), _catalogue(game, given)
    old = read_text(into)
    force = read_force(into, catalogue, with_optional=True)
    known = _known(game, force)
    uids = {entity.uid for entity in known.state if entity.role == "unit"}
    found = _with_part(found, part_of(found.encounter, uids, *_whose(given)))
    comparison = compared(known, found.encounter, cast("Prefer", given["prefer"]))
    target = out or into
    notes: list[str] = []
    if comparison.rows or out is not None:
        text = _text(game.with_values(force, comparison.values()), catalogue, target)
        files = {target.name: text.encode("utf-8")}
        if out is None and _text(force, catalogue, into) != old:
            # Words, comments and order of a hand-written roster have no place in what we write.
            files[f"{into.name}.bak"] = into.read_bytes()
            verb = "would be kept as" if dry else "is"
            notes.append(f"the roster is written anew, in our own form; the old file {verb} {into.name}.bak")
        elif out is not None and out != into:
            notes += [line.removeprefix("note: ") for line in words_left(into, out)]
            if not dry:
                _refuse_other(out, text, bool(given["over"]))
        if not dry:
            write_files(target.parent, files, through_links=True)
    if given["in_json"]:
        write(as_json({**_comparison(comparison, target, not dry), **_said(found), "notes": [*found.notes, *notes]}))
    else:
        for line in [*lines(comparison, "Would change" if dry else "Changed"), *_report(found)]:
            write(line)
        for note in notes:
            write(f"note: {note}")
    return 1 if found.conflicts or comparison.conflicts else 0


def _known(game: ReturningGame, force: Force) -> Encounter:
    """Return the roster as an encounter, its units with what plugins track of them: for that a roster has a place."""
    plain = game.encounter(force)
    full = game.completed(plain)
    from rallypoint.kernel.state import State

    if full is plain:
        return plain
    entities = [
        full.state[each.uid] if each.role == "unit" and each.uid in full.state else each for each in plain.state
    ]
    return plain._replace(state=State.of(entities))


def _shown(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _comparison(comparison: Comparison, target: Path, written: bool) -> Mapping[str, object]:
    return {
        "out": str(target),
        "written": written and bool(comparison.rows),
        "changed": [row._asdict() for row in comparison.rows],
        "unchanged": comparison.unchanged,
        "kept": comparison.kept,
        "roster_conflicts": comparison.conflicts,
        "not_taken": comparison.left_out,
        "unknown": comparison.unknown,
        "absent": comparison.absent,
    }


def _said(found: Imported) -> Mapping[str, object]:
    return {
        "counts": found.counts,
        "left_out": found.left_out,
        "notes": found.notes,
        "conflicts": found.conflicts,
    }


def _report(found: Imported) -> Iterator[str]:
    yield f"Read: {counted(found.counts)}"
    yield from [f"conflict: {line}" for line in found.conflicts]
    yield from [f"left out: {line}" for line in found.left_out]
    yield from [f"note: {line}" for line in found.notes]
