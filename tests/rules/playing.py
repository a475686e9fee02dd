"""Reading what a step did, and playing single rules for odds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from rallypoint.disrupter.game import Disrupter
from rallypoint.disrupter.records import Allocation, Attack
from rallypoint.kernel.events import Event
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import Done, Graded

from ..disrupter.positions import game, position, team, unit


def playing(
    *rules: Callable[..., object], options: Mapping[str, object] | None = None, plugins: Iterable[object] = ()
) -> Disrupter:
    """Return the game with functions as further rules, for odds."""
    made = game(options, *plugins)
    made.rules = {**made.rules, **{rule.__name__: rule for rule in rules}}
    return made


def fight(*teams: list[Entity], **more: object) -> State:
    """Return a position of these teams, each side with a CO far off at the bottom, so that nobody surrenders."""
    chiefs = team("R9Z", (-5, 11), unit("CO")), team("B9Z", (6, 11), unit("CO"))
    return position(*teams, *chiefs, **more)  # type: ignore[arg-type]


def told(done: Done, kind: str) -> list[Event]:
    """Return the events of one kind."""
    return [event for event in done.events if event.kind == kind]


def grade_of(done: Done) -> str:
    """Return the grade of the first check."""
    graded = told(done, "check")[0].why["check"]
    assert isinstance(graded, Graded)
    return graded.grade


def wounds(state: State, team: str) -> list[int]:
    """Return the Wounds that each unit of a team has taken, the fallen among them."""
    return [unit.value("Wounds") for unit in state.children(team)]


def out(state: State) -> dict[str, object]:
    """Return what became of everybody who is out."""
    return {entity.uid: entity.statuses["out"].value for entity in state if "out" in entity.statuses}


def allocated(done: Done, kind: str = "fire.hit") -> dict[str, int]:
    """Return who got how many Wounds from the first event of a kind."""
    rows = told(done, kind)[0].why["allocation"]
    assert isinstance(rows, tuple)
    return dict([Allocation(*row) for row in rows])


def attacks(event: Event) -> list[Attack]:
    """Return what an event says of the attacks that it is about."""
    rows = event.why["attacks"]
    assert isinstance(rows, tuple)
    assert all(isinstance(row, Attack) for row in rows)
    return list(rows)


def winner(done: Done) -> object:
    """Return who has won the battle, which is over."""
    result = done.state["battle"].attributes["result"]
    assert isinstance(result, Mapping)
    return result["winner"]


def dice(done: Done) -> list[tuple[str, str, int]]:
    """Return each check: who rolled, what for, and with how many dice."""
    found = []
    for event in told(done, "check"):
        graded = event.why.get("check")
        if isinstance(graded, Graded):
            found.append((graded.throw.who, graded.throw.purpose, graded.throw.number))
    return found
