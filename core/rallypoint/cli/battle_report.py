"""``rallypoint battle report``: who fell, who was wounded, who ran; and back into a roster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from rallypoint.kernel.errors import InputError

from .battle_table import Record
from .command_line import Invocation, PlainHelp
from .muster import CONTENT, extended, words_left
from .terminal import as_json, write
from .writing import write_files

if TYPE_CHECKING:
    from rallypoint.kernel.state import Entity, State

__all__ = ["report"]

_WOUNDS = "Wounds"


class _Lost(NamedTuple):
    """What a unit came to: Wounds before and now, how many it can take, what became of it if it is out."""

    uid: str
    name: str
    team: str
    before: int
    now: int
    most: int
    became: str | None
    out_before: bool


@click.command(cls=PlainHelp)
@click.argument("file")
@click.option("--write", "roster", metavar="ROSTER", help="Write Wounds, Stress and losses into this roster.")
@click.option("--side", metavar="SIDE", help="Whose roster it is, where both sides brought it.")
@click.option("--platoon", metavar="CODE", help="Which platoon it was, where a company brought it more than once.")
@click.option("-o", "--out", metavar="FILE", help="Write the changed roster there, and leave ROSTER as it is.")
@CONTENT
@click.option("--dry-run", is_flag=True, help="Say what would be written, and write nothing.")
@click.option("--json", "in_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def report(
    invocation: Invocation,
    file: str,
    roster: str | None,
    side: str | None,
    platoon: str | None,
    out: str | None,
    packs: tuple[str, ...],
    dry_run: bool,
    in_json: bool,
) -> None:
    """Say who died, was wounded, ran: by side and team. With --write it goes back into a roster.

    Of a company each platoon's roster is written by itself.

    Example: rallypoint battle report first.battle

    Example: rallypoint battle report first.battle --write my-platoon.md --side red -o after.toml
    """
    if roster is None and (out is not None or side is not None or platoon is not None):
        raise InputError("a side and a place belong to --write", expected="--write ROSTER")
    with Record(invocation, file) as record:
        rows = {each.uid: list(_rows(record, each)) for each in _sides(record.history.state)}
        written = [] if roster is None else _written(record, roster, side, platoon, out, packs, dry_run)
        if in_json:
            write(as_json(_document(record, rows, written)))
            return
        for line in (*_lines(record, rows), *written):
            write(line)


def _sides(state: State) -> list[Entity]:
    return [entity for entity in state.children(None) if state.children(entity.uid)]


def _rows(record: Record, side: Entity) -> Iterator[_Lost]:
    state = record.history.state
    first = record.state_after(0)
    for unit in state.below(side.uid, "unit"):
        tracker, old = unit.trackers.get(_WOUNDS), first.get(unit.uid)
        before = 0 if old is None or _WOUNDS not in old.trackers else old.value(_WOUNDS)
        now, most = (0, 0) if tracker is None else (tracker.value, tracker.max or 0)
        team = unit.uid if unit.parent is None else unit.parent
        became = record.voice.gone(state, unit.uid)
        off = old is not None and record.voice.gone(first, unit.uid) is not None
        yield _Lost(unit.uid, record.names(unit.uid), record.names(team), before, now, most, became, off)


def _counts(rows: list[_Lost]) -> Mapping[str, int]:
    counts: dict[str, int] = {"units": len(rows)}
    for row in rows:
        if row.became is not None:
            word = f"{row.became} before" if row.out_before else row.became
            counts[word] = counts.get(word, 0) + 1
    counts["wounded"] = sum(row.became is None and row.now > row.before for row in rows)
    counts["unhurt"] = sum(row.became is None and row.now == 0 for row in rows)
    brought = sum(row.became is None and 0 < row.now <= row.before for row in rows)
    return {**counts, "wounded before": brought} if brought else counts


def _lines(record: Record, rows: Mapping[str, list[_Lost]]) -> Iterator[str]:
    state = record.history.state
    headline = record.voice.headline(state)
    yield f"{record.title}  (entry {record.history.head})" + (f"  {headline}" if headline else "")
    for side, found in rows.items():
        yield ""
        yield f"{record.names(side)}: " + ", ".join(f"{count} {word}" for word, count in _counts(found).items())
        yield from [
            f"  {name} of {record.names(entity.uid)}: {tracker.value}"
            for entity in state.below(side)
            if entity.role != "unit"
            for name, tracker in entity.trackers.items()
        ]
        for team in dict.fromkeys(row.team for row in found):
            said = [_said(row) for row in found if row.team == team]
            yield f"  {team}: " + (", ".join(each for each in said if each) or "unhurt")


def _said(row: _Lost) -> str:
    if row.became is not None:
        return f"{row.name} {row.became}{' before the battle' if row.out_before else ''}"
    if row.now > 0:
        brought = f" ({row.before} brought along)" if row.before else ""
        return f"{row.name} wounded, {row.now} of {row.most}{brought}"
    return ""


def _document(record: Record, rows: Mapping[str, list[_Lost]], written: list[str]) -> Mapping[str, object]:
    state = record.history.state
    return {
        "title": record.title,
        "headline": record.voice.headline(state),
        "entry": record.history.head,
        "sides": {
            side: {
                "name": record.names(side),
                "counts": _counts(found),
                "trackers": {
                    entity.uid: {name: tracker.value for name, tracker in entity.trackers.items()}
                    for entity in state.below(side)
                    if entity.role != "unit" and entity.trackers
                },
                "units": [row._asdict() for row in found],
            }
            for side, found in rows.items()
        },
        "written": written,
    }


def _written(
    record: Record,
    roster: str,
    side: str | None,
    platoon: str | None,
    out: str | None,
    packs: tuple[str, ...],
    dry: bool,
) -> list[str]:
    """Write a roster as it is after the battle, whole or not at all, and return what is said of it."""
    from rallypoint.content import form_of, parse_force, read_force, read_text, write_force

    from .battle_game import battle_game

    module = battle_game(record.invocation, record.game_name)
    after_battle = getattr(module, "after_battle", None)
    if after_battle is None:
        raise InputError("this game cannot write a battle into a roster", found=record.game_name)
    catalogue = extended(module.catalogue(), packs)
    source, target = Path(roster), Path(out or roster)
    force = read_force(source, catalogue, with_optional=True)
    state = record.history.state
    fought_as = [] if platoon is None else [record.names.known(platoon)]
    whose = side or (
        state.above(fought_as[0], "side").uid if fought_as else _whose(record, [unit.uid for unit in force.units])
    )
    changed = after_battle(force, whose, state, *fought_as)
    form = form_of(str(target))
    text = write_force(changed, form, catalogue)
    parse_force(text, form, catalogue, path=str(target), title=force.title, with_optional=True)
    files = {target.name: text.encode("utf-8")}
    said = []
    if out is not None and target.exists() and target != source:
        raise InputError("this file is there already", path=out, hint="choose another name")
    if out is None and write_force(force, form, catalogue) != read_text(source):
        files[f"{source.name}.bak"] = source.read_bytes()
        said.append(f"note: the roster is written anew, in our own form; the old file is {source.name}.bak")
    elif target != source:
        said += words_left(source, target)
    if not dry:
        write_files(target.parent, files, through_links=True)
    lost = sum(unit.extra.get("fate") is not None for unit in changed.units)
    wounds = sum(unit.wounds for unit in changed.units)
    verb = "Would write" if dry else "Wrote"
    whose = fought_as[0] if fought_as else whose
    return [
        f"{verb} {target}: {record.names(whose)}, Stress {changed.platoon.stress}, {wounds} Wound{'' if wounds == 1 else 's'}, {lost} lost.",
        *said,
    ]


def _whose(record: Record, uids: list[str]) -> str:
    """Return the one side on which a roster's units fought.

    Raises:
        InputError: it is none or both.
    """
    state = record.history.state
    sides = [
        side.uid
        for side in _sides(state)
        if any(
            unit.uid == uid or unit.uid.endswith(f".{uid}") for unit in state.below(side.uid, "unit") for uid in uids
        )
    ]
    if len(sides) != 1:
        found = " and ".join(sides) or "neither side"
        raise InputError("whose roster is this", found=f"its units fought on {found}", expected="--side SIDE")
    return sides[0]
