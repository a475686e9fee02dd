"""The games that every test of the shape goes through, and the forces they are played with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from rallypoint.kernel.answers import Answers, AtRandom, Policy, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.game import Acts, Due, Game, Intent, Runs
from rallypoint.kernel.state import Entity, Hex, State, Status, Tracker, Zone

from .dogfight import Dogfight
from .frontline import ZONES, Frontline
from .gunfight import Gunfight
from .plain import SIDES, TABLE

Setting: TypeAlias = "tuple[Game[None], State]"

FIRST = Policy(choose=lambda ask, view: 0)
"""A seat that always takes the first option: it never reacts."""


def counts(**values: int) -> dict[str, Tracker]:
    return {name: Tracker(value, None) for name, value in values.items()}


def gunfight(*fighters: Entity) -> State:
    table = Entity.new(TABLE, "table", trackers=counts(Round=1), attributes={"count": ()})
    return State.of([table, *[Entity.new(side, "side") for side in SIDES], *fighters])


def fighter(uid: str, initiative: int | None = None, *, hit: Status | None = None, **facts: int) -> Entity:
    """Return a fighter of the side that its uid names: characteristics 5, a weapon of 2d6, no DM unless ``facts`` say so."""
    trackers = {part: Tracker(5, 0, 5, "down") for part in ("Endurance", "Strength", "Dexterity")}
    trackers |= counts(Acted=0, Reactions=0, Next=0)
    if initiative is not None:
        trackers |= counts(Initiative=initiative, Rolled=initiative)
    facts = {"skill": 0, "dex_dm": 0, "armour": 0, "dice": 2, "auto": 0, **facts}
    statuses = [] if hit is None else [hit]
    return Entity.new(uid, "fighter", parent=uid.split("-")[0], facts=facts, trackers=trackers, statuses=statuses)


CONTENT: Mapping[str, Mapping[str, int]] = {
    "M-03": {"step": 3},
    "M-04": {"mundane": 1, "special": 2, "critical": 3},
    "M-10": {"speed": 2, "damage": 2, "skill": 30, "move_and_size": 1},
}
"""House numbers for the slots: -1 point each 3 hexes, damage of a gun by quality, one kind of missile."""


def dogfighters(content: Mapping[str, object] = CONTENT) -> Dogfight:
    frozen = freeze(content)
    assert isinstance(frozen, Mapping)
    return Dogfight(frozen)


def dogfight(*ships: tuple[Entity, Entity]) -> State:
    table = Entity.new(TABLE, "table", trackers=counts(Round=0))
    return State.of([table, *[Entity.new(side, "side") for side in SIDES], *[part for ship in ships for part in ship]])


def ship(uid: str, place: Hex, marker: Hex, missiles: int = 1, **facts: int) -> tuple[Entity, Entity]:
    """Return a ship and its trajectory marker; targeting and missile defense are 60 unless ``facts`` say so."""
    numbers = {"agility": 0, "leadership": 0, "thrust": 1, "maneuver": 1, "targeting": 60, "missile_defense": 60}
    trackers = counts(Actions=0, Moved=1, Defended=0, Hull=3, Missiles=missiles)
    facts = {**numbers, "antimissile": 1, **facts}
    body = Entity.new(uid, "ship", parent=uid.split("-")[0], facts=facts, trackers=trackers, place=place)
    return body, Entity.new(f"{uid}-trajectory", "trajectory", parent=uid, place=marker)


def frontline(*units: Entity, red: int = 1, blue: int = 1) -> State:
    """Return a battle between units; ``red`` and ``blue`` are the Tactics of the sides."""
    table = Entity.new(TABLE, "table", trackers=counts(Round=1, Checked=0))
    sides = [
        Entity.new(side, "side", facts={"tactics": tactics}, trackers=counts(Orders=0, Spent=0, Commanded=0))
        for side, tactics in (("red", red), ("blue", blue))
    ]
    return State.of([table, *sides, *units])


def unit(uid: str, kind: str, zone: str, strength: int = 20, morale: int = 6, *, lost: int = 0, **facts: int) -> Entity:
    """Return a formation of ``strength`` members of which ``lost`` are gone."""
    assert zone in ZONES
    blocks = 2 if "Infantry" in kind else 1
    numbers = {"skill": 1, "tl": 8, "rating": 3, "leadership": 1, "strength": strength, "blocks": blocks, **facts}
    trackers = {"Strength": Tracker(strength - lost, 0, strength, "down"), "Morale": Tracker(morale, 0, morale, "down")}
    trackers |= counts(Actions=0, Moved=0, Halved=0, Blocks=blocks)
    side = uid.split("-")[0]
    return Entity.new(uid, "unit", parent=side, facts={"type": kind, **numbers}, trackers=trackers, place=Zone(zone))


def _gunfight() -> Setting:
    reds = fighter("red-1", skill=1, dex_dm=1, auto=4), fighter("red-2", skill=2, armour=2)
    return Gunfight(), gunfight(*reds, fighter("blue-1", skill=1, auto=3), fighter("blue-2", dex_dm=2, dice=3))


def _dogfight() -> Setting:
    red = ship("red-1", Hex(0, 0, 0), Hex(1, 0), 2, agility=1, thrust=2)
    blue = ship("blue-1", Hex(8, 0, 3), Hex(7, 0), agility=2), ship("blue-2", Hex(8, -2, 3), Hex(8, -2), maneuver=0)
    return dogfighters(), dogfight(red, *blue)


def _frontline() -> Setting:
    front = unit("red-1", "Infantry", "red front"), unit("blue-1", "Heavy Infantry", "blue front", 15, 3)
    near = unit("red-2", "Close Quarters", "red front", 12, 2, tl=3), unit("blue-2", "Vehicle", "blue reserves", 4, 2)
    chiefs = unit("red-3", "Command", "red reserves", 5, 5), unit("blue-3", "Command", "blue front", 5, 4, leadership=2)
    return Frontline(), frontline(*front, *near, *chiefs, red=3, blue=2)


GAMES: Mapping[str, Callable[[], Setting]] = {"gunfight": _gunfight, "dogfight": _dogfight, "frontline": _frontline}
"""Each game with the state that it starts from."""


def random_battle(name: str, seed: int) -> Battle[None]:
    """Return a battle in memory, dice from ``seed``, both seats at random."""
    game, state = GAMES[name]()
    return Battle.start(game, state, Answers(Seed(seed), {side: AtRandom(f"{seed} {side}") for side in SIDES}))


def to_act(battle: Battle[None]) -> Due:
    """Run what runs by itself, and return what is due then."""
    while isinstance(battle.due, Runs):
        battle.proceed()
    return battle.due


def visited(name: str, seed: int) -> list[State]:
    """Return the states of a random battle in which a seat has to act."""
    battle, states = random_battle(name, seed), []
    while isinstance(to_act(battle), Acts):
        states.append(battle.state)
        battle.play(1)
    return states


def intents(game: Game[None], state: State) -> list[Intent]:
    """Return everything that may be done in a state."""
    due = game.next(state)
    assert isinstance(due, Acts)
    return [intent for seat in due.seats for intent in game.legal(state, seat)]
