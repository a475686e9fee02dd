"""``rallypoint battle map``: the board as it is, or as it was after any entry of the log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from rallypoint.kernel.errors import InputError
from rallypoint.kernel.parts import Hex, Pose

from .battle_table import Record
from .command_line import Invocation, PlainHelp
from .scenario import write_one

if TYPE_CHECKING:
    from rallypoint.kernel.encounter import Encounter, Sheet
    from rallypoint.kernel.events import Event
    from rallypoint.kernel.history import History, Past
    from rallypoint.kernel.state import Entity, State
    from rallypoint.paper.battle_map import Happening, Shot, Walk
    from rallypoint.paper.terrain import TerrainLook

__all__ = ["map_command", "pictured"]


@click.command(cls=PlainHelp, name="map")
@click.argument("file")
@click.option("-o", "--out", metavar="FILE", required=True, help="The picture: .svg or .png.")
@click.option(
    "--entry", type=click.IntRange(0), metavar="N", help="As it was after this entry of the log.  [default: the last]"
)
@click.option(
    "--last",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    metavar="K",
    help="Moves and shots of the last K acts.",
)
@click.option("--pixels", type=click.IntRange(100, 20000), help="Width of a PNG.  [default: 80 for each hex]")
@click.option("--true-size", is_flag=True, help="For an SVG: as large as the table, for print.")
@click.option("--dry-run", is_flag=True, help="Say what would be written, and write nothing.")
@click.pass_obj
def map_command(
    invocation: Invocation,
    file: str,
    out: str,
    entry: int | None,
    last: int,
    pixels: int | None,
    true_size: bool,
    dry_run: bool,
) -> None:
    """Draw the board of a battle: terrain, stands with Wounds and statuses, what moved and fired last.

    Example: rallypoint battle map first.battle -o now.svg

    Example: rallypoint battle map first.battle -o then.png --entry 12 --last 3
    """
    suffix = Path(out).suffix.casefold()
    if suffix not in (".svg", ".png"):
        raise InputError("a picture of this kind cannot be drawn", path=out, expected=".svg or .png")
    with Record(invocation, file) as record:
        svg, columns = pictured(
            record, record.history.head if entry is None else entry, last, true_size and suffix == ".svg"
        )
    if suffix == ".svg":
        content = svg.encode()
    else:
        from rallypoint.paper.png import png

        content = png(svg, pixels or max(80 * columns, 400))
    write_one(out, content, dry=dry_run)


def pictured(record: Record, number: int, last: int = 1, true_size: bool = False) -> tuple[str, int]:
    """Return the map after an entry as SVG, and how many columns the board has.

    Raises:
        InputError: there is no such entry, or the battle has no board.
    """
    from rallypoint.kernel.history import History
    from rallypoint.paper.battle_map import battle_map

    record.entry(number)
    board = record.about.board
    if board is None:
        raise InputError("this battle has no board to draw", where=record.path)
    history = History.of(record.entries[: number + 1])
    encounter = _encounter(record, history.state, number)
    happening = _happening(record, history, last)
    return battle_map(encounter, happening, terrain=_looks(record), true_size=true_size), board.columns


def _encounter(record: Record, state: State, number: int) -> Encounter:
    """Return the state with its sheets; what stands at the top and has nobody below it is not drawn."""
    from rallypoint.kernel.changes import Remove
    from rallypoint.kernel.encounter import Encounter
    from rallypoint.kernel.fold import fold

    empty = [Remove(entity.uid) for entity in state.children(None) if not state.children(entity.uid)]
    headline = record.voice.headline(state)
    title = f"{record.title}, entry {number}" + (f": {headline}" if headline else "")
    return Encounter("battle", title, record.game_name, fold(state, empty), _sheets(record, state), record.about.board)


def _sheets(record: Record, state: State) -> Mapping[str, Sheet]:
    from rallypoint.kernel.encounter import Sheet

    return {uid: Sheet(uid, *row) for uid, row in record.about.called.items() if uid in state}


def _looks(record: Record) -> Mapping[str, TerrainLook]:
    """Return how terrain looks, by the game's words; plain patterns where the game is not there."""
    from rallypoint.paper.terrain import TerrainLook

    from .battle_game import battle_game

    if record.module() is None:
        return {}
    words = battle_game(record.invocation, record.game_name).scenario_words()
    return {key: TerrainLook(each.title, each.pattern) for key, each in words.terrain.items()}


def _happening(record: Record, history: History, last: int) -> Happening:
    from rallypoint.paper.battle_map import Happening

    state = history.state
    units = [entity.uid for entity in state if entity.role == "unit"]
    gone = {uid: became for uid in units if (became := record.voice.gone(state, uid)) is not None}
    walks, shots = _lately(record, history, last)
    return Happening({stand.uid: _notes(state, stand) for stand in state if stand.role == "team"}, gone, walks, shots)


def _notes(state: State, stand: Entity) -> Sequence[str]:
    found = [name.replace("_", " ") for name in stand.statuses]
    members = [stand.uid, *[unit.uid for unit in state.children(stand.uid)]]
    marks = {link.kind for link in state.links.values() if link.target in members and link.source not in members}
    return [*found, *[f"{kind} mark" for kind in sorted(marks)]]


class _Told(NamedTuple):
    """An event, and where everybody was when it was told."""

    event: Event
    places: Mapping[str, Hex | Pose]


def _lately(record: Record, history: History, last: int) -> tuple[tuple[Walk, ...], tuple[Shot, ...]]:
    """Return moves and shots of the last acts of seats, with all that happened since."""
    from rallypoint.kernel.changes import SetPlace
    from rallypoint.paper.battle_map import Shot, Walk

    paths: dict[str, list[Hex | Pose]] = {}
    shots: dict[Shot, None] = {}
    state = history.state
    for told in _events(record, _latest(record, history.past, last)):
        for change in told.event.changes:
            if isinstance(change, SetPlace) and isinstance(change.place, (Hex, Pose)) and change.uid in told.places:
                paths.setdefault(change.uid, [told.places[change.uid]]).append(_plain(change.place))
        for shooter, target in record.voice.shots(told.event):
            here = _where(state, told.places, shooter)
            there = target if isinstance(target, Hex) else _where(state, told.places, target)
            if here is not None and there is not None:
                shots[Shot(_side(state, shooter), here, there)] = None
    walks = [Walk(_side(state, uid), tuple(path)) for uid, path in paths.items()]
    return tuple(walks), tuple(shots)


def _latest(record: Record, past: Sequence[Past], last: int) -> Sequence[Past]:
    """Return the steps from the last ``last`` acts of seats on."""
    left = last
    for at in range(len(past) - 1, -1, -1):
        entry = record.entries[past[at].number]
        if entry.kind == "step" and entry.intent.seat is not None:
            left -= 1
            if left == 0:
                return past[at:]
    return past if last else ()


def _events(record: Record, past: Sequence[Past]) -> Iterator[_Told]:
    from rallypoint.kernel.changes import SetPlace

    for each in past:
        places = {entity.uid: _plain(entity.place) for entity in each.before if isinstance(entity.place, (Hex, Pose))}
        for event in record.entries[each.number].events:
            yield _Told(event, places)
            places = dict(places)
            for change in event.changes:
                if isinstance(change, SetPlace) and isinstance(change.place, (Hex, Pose)):
                    places[change.uid] = _plain(change.place)


def _plain(place: Hex | Pose) -> Hex | Pose:
    return place if isinstance(place, Pose) else Hex(place.q, place.r)


def _where(state: State, places: Mapping[str, Hex | Pose], uid: str) -> Hex | Pose | None:
    """Return where somebody was: at his own place, or that of what he belongs to."""
    entity: Entity | None = state.get(uid)
    while entity is not None:
        if entity.uid in places:
            return places[entity.uid]
        entity = None if entity.parent is None else state[entity.parent]
    return None


def _side(state: State, uid: str) -> str:
    entity = state[uid]
    while entity.parent is not None:
        entity = state[entity.parent]
    return entity.uid
