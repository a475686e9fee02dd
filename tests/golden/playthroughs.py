"""Battles that are written down whole: every event with its rule, every answer, every value after every step.

Each is a function that returns a battle. ``python -m tests.golden.remake`` writes them to ``tests/golden/*.txt``; what
changes there is what a change of the rules does, and a reader of the diff says whether that was meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from rallypoint.disrupter.explain import event_words
from rallypoint.disrupter.spoken import choice_words
from rallypoint.kernel.answers import PERSON, Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.board import Board
from rallypoint.kernel.canonical import canonical, freeze
from rallypoint.kernel.changes import change_out
from rallypoint.kernel.game import Acts, Intent, Over, Runs
from rallypoint.kernel.history import Entry
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import State
from rallypoint.kernel.tape import Choice, Pick

from ..disrupter.positions import encounter, game, team, two_platoons, unit

__all__ = ["PLAYTHROUGHS", "text_of"]

GROUND = Board(
    6,
    6,
    {
        Hex(2, 2): "forest",
        Hex(1, 2): "building",
        Hex(3, 3): "undergrowth",
        Hex(1, 5): "undergrowth",
        Hex(0, 4): "stream",
        Hex(1, 4): "stream",
    },
)


class _Lots:
    """A seat that takes anything that is allowed, by lot: which, goes by how often it was asked and by nothing else.

    So a playthrough stays the same when the form of a state hash changes.
    """

    def __init__(self, seed: str) -> None:
        self._seed = Seed(seed)
        self._asked = 0

    def _position(self, size: int) -> int:
        self._asked += 1
        return self._seed.positions(Pick("lots", "any", ("",) * size, 1), 0, self._asked)[0]

    def choose(self, ask: Choice, view: State) -> int:
        return self._position(len(ask.options))

    def act(self, legal: Sequence[Intent], view: State) -> Intent:
        return legal[self._position(len(legal))]


def _small() -> State:
    """Return two squads before their briefing, five hexes apart."""
    from rallypoint.disrupter.setup import first_state

    rows = [
        team("R0A", (3, 5), unit("CO", "revolver"), unit("Soldier", "pulse_rifle")),
        team("R1A", (1, 5), unit("NCO", "pulse_rifle"), unit("Soldier", "heavy_machine_gun", wears="battle_dress")),
        team("R1B", (-1, 5), unit("Soldier", "flamethrower"), unit("Bot", "laser_carbine")),
        team("B0A", (2, 0), unit("CO", "revolver"), unit("Soldier", "grenade_launcher")),
        team("B1A", (3, 0), unit("NCO", "pulse_rifle"), unit("Soldier", "pulse_rifle"), unit("Bot", "laser_carbine")),
        team("B1B", (5, 0), unit("Soldier", "rocket_launcher"), unit("Soldier", "pulse_rifle")),
    ]
    made = encounter(rows, GROUND, {"red": (0, 5), "blue": (4, 0)})
    return first_state(made, size="squad", edges={"red": "bottom", "blue": "top"})


def briefing_and_first_turn() -> Battle[Any]:
    """Orders, a Code Word, initiative, a move under fire, a volley, cover, a spot: by a script, with dice from a seed."""
    battle = Battle.start(game(), _small(), Answers(Seed(11), others=PERSON), title="Briefing and first turn")
    _until_asked(battle)
    for rule, *args in (
        ("brief", "R1", {"text": "Hold the ford.", "verb": "hold", "fire_policy": "return"}),
        ("agree", "R1", "Hammer", {"text": "Take the wood.", "verb": "advance", "place": [2, 2]}),
        ("done",),
        ("brief", "B1", {"text": "Take the building.", "verb": "engage"}),
        ("done",),
    ):
        _act(battle, rule, *args)
    for _ in range(14):
        due = battle.due
        if not isinstance(due, Acts):
            break
        battle.act(_next_act(battle, due.seats[0]))
        _until_asked(battle)
    return battle


def _next_act(battle: Battle[Any], seat: str) -> Intent:
    """Return the act of a plain player: fire with all there is, else go as far as the list goes, else cover, else done."""
    legal = battle.legal(seat)
    volleys = [each for each in legal if each.rule == "act" and "fire" in str(each.args)]
    moves = [each for each in legal if each.rule == "move"]
    cover = [each for each in legal if each.rule == "take_cover"]
    return (volleys or cover or moves or legal)[0 if volleys or cover else -1]


def played_at_random() -> Battle[Any]:
    """Two squads whose seats take anything that is allowed, for 40 acts; then two steps are undone and one brought back."""
    answers = Answers(Seed(33), others=_Lots("golden"))
    battle = Battle.start(game({"D-OP-R11.1": "on"}), _small(), answers, title="Played at random")
    battle.play(40)
    battle.undo()
    battle.undo()
    battle.redo()
    return battle


def typed_dice() -> Battle[Any]:
    """Two platoons at close quarters; every die is typed in, from a list that was written down at a table."""
    battle = Battle.start(
        game({"D-AMB-05": "selected"}),
        two_platoons(portion=("1", "red", "battle")),
        Answers(PERSON, others=_Lots("golden")),
        title="Typed dice",
    )
    faces = iter([(34,), (77, 12), (66,), (0,), (99, 98), (5, 50), (41,), (40,), (88,), (13, 31)] * 60)
    for _ in range(300):
        battle.play()
        question: Any = battle.question
        if question is None:
            break
        battle.answer(_typed(question, faces))
        if battle.game.clock(battle.state) > 1:
            break
    return battle


def _typed(question: Any, faces: Iterator[tuple[int, ...]]) -> object:
    """Return what is typed: the next faces of the list that show as many dice, the first members of a draw."""
    if hasattr(question, "among"):
        return list(range(question.k))
    throws = getattr(question, "throws", None) or (question.throw,)
    found = []
    for throw in throws:
        row = next(each for each in faces if len(each) == throw.number)
        found.append([throw.die.low + face % throw.die.sides for face in row])
    return found if len(found) > 1 else found[0]


def _until_asked(battle: Battle[Any]) -> None:
    """Run what runs by itself; reactions are decided by their first option."""
    while True:
        question: Any = battle.question
        if question is not None:
            battle.answer([0] * len(question.asks))
        elif isinstance(battle.due, Runs):
            battle.proceed()
        else:
            return


def _act(battle: Battle[Any], rule: str, *args: object) -> None:
    due = battle.due
    assert isinstance(due, Acts)
    battle.act(Intent(rule, tuple([freeze(argument) for argument in args]), due.seats[0]))
    _until_asked(battle)


PLAYTHROUGHS: Mapping[str, Callable[[], Battle[Any]]] = {
    each.__name__: each for each in (briefing_and_first_turn, played_at_random, typed_dice)
}
"""The playthroughs by the name of their file."""


# As text


def text_of(battle: Battle[Any]) -> str:
    """Return a battle as text: one fact a line, so that a diff shows what is another now."""
    return "\n".join(_lines(battle)) + "\n"


def _lines(battle: Battle[Any]) -> Iterator[str]:
    rules: Any = battle.history.rules
    yield f"{battle.history.entries[0].body['title']}: {rules['game']}, options {canonical(rules['options'])}"
    before: State | None = None
    for entry in battle.history.entries:
        yield ""
        yield from _entry(entry, battle.state)
        after = _state_after(battle, entry)
        if entry.kind in ("step", "start", "undo", "redo") and after is not None:
            yield from _values(before, after)
            before = after
    due = battle.due
    yield ""
    yield f"hash {battle.state.digest}"
    yield f"at the end: {canonical(due.result) if isinstance(due, Over) else canonical(due)}"


def _state_after(battle: Battle[Any], entry: Entry) -> State | None:
    from rallypoint.kernel.history import History

    return History.of(battle.history.entries[: entry.number + 1]).state


def _entry(entry: Entry, state: State) -> Iterator[str]:
    yield f"{entry.number} {entry.kind}" + _intent(entry, state)
    if entry.kind != "step":
        return
    for taped in entry.tape:
        yield f"  answer {canonical(taped.answer)}"
    for number, event in enumerate(entry.events, 1):
        yield f"  {entry.number}.{number} [{event.rule}] {event.kind}: {event_words(event, str)}"
        for key, value in event.why.items():
            yield f"      {key}: {canonical(value)}"
        for change in event.changes:
            yield f"      -> {canonical(change_out(change))}"


def _intent(entry: Entry, state: State) -> str:
    if entry.kind in ("undo", "redo"):
        return f" of {entry.body['entry']}"
    if entry.kind not in ("step", "wait"):
        return ""
    intent = entry.intent
    return f" {intent.seat or 'by itself'}: {choice_words(state, intent, str)}"


def _values(before: State | None, after: State) -> Iterator[str]:
    """Yield every value that is another after a step than before it, and for the first state all of them."""
    old: dict[str, str] = {} if before is None else dict(_flat(before))
    for name, value in _flat(after):
        if old.pop(name, None) != value:
            yield f"  = {name} {value}"
    for name in old:
        yield f"  = {name} is gone"


def _flat(state: State) -> Iterable[tuple[str, str]]:
    for entity in state:
        if entity.place is not None:
            yield f"{entity.uid} place", canonical(entity.place)
        for name, tracker in entity.trackers.items():
            yield f"{entity.uid} {name}", f"{tracker.value} of {tracker.min}..{tracker.max}"
        for name, status in entity.statuses.items():
            yield f"{entity.uid} {name}", canonical(status[1:])
        for name, value in entity.attributes.items():
            yield f"{entity.uid} .{name}", canonical(value)
    for link in state.links.values():
        yield f"{link.kind} {link.source} {link.target}", canonical(link[3:])
