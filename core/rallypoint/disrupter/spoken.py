"""A battle in words: how far it is, what an entity has to say, what an act means, and an order put into an act.

Names of stands and units come from outside (a uid goes in, a code comes out), so that they are those of the roster. What
events say stands in :mod:`rallypoint.disrupter.explain`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from rallypoint.kernel.canonical import canonical, freeze
from rallypoint.kernel.errors import InputError, RuleError
from rallypoint.kernel.game import Intent
from rallypoint.kernel.hexes import to_offset
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import State

from .activity import spent
from .field import BATTLE, commander, living, place_named, platoon, platoons, rally_points, side_of, team_of, turn
from .modes import result
from .orders import standing
from .turn import group_of, portion

__all__ = [
    "PORTIONS",
    "choice_words",
    "combined",
    "gone",
    "headline",
    "hex_name",
    "ordered",
    "pose_name",
    "remarks",
    "target_name",
]

Names: TypeAlias = Callable[[str], str]

_PHASES: Mapping[str, str] = MappingProxyType(
    {
        "initiative": "Initiative Phase",
        "groups": "Groups are decided",
        "end": "the turn ends",
    }
)
PORTIONS: Mapping[str, str] = MappingProxyType({"move": "moves", "battle": "takes Battlefield Actions"})


def hex_name(place: Any) -> str:
    """Return the name of a hex as it stands on the map: a letter for the column, the row from 1.

    >>> hex_name((2, 0)), hex_name(Hex(25, 3))
    ('C1', 'AA4')
    """
    column, row = to_offset(Hex(place[0], place[1]))
    letters, column = "", column + 1
    while column > 0:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row + 1}"


def pose_name(place: Any) -> str:
    """Return where a vehicle off the grid is: millimetres from the top left corner, and its heading.

    >>> pose_name((125.04, 90.0, 270.0))
    '125, 90 heading 270'
    """
    x, y, heading = (round(each, 1) for each in place)
    return f"{x:g}, {y:g} heading {heading:g}"


def target_name(target: str, name: Names) -> str:
    """Return what is fired at: somebody by name, or a hex.

    >>> target_name("@2,0", str.upper), target_name("r-1a", str.upper)
    ('C1', 'R-1A')
    """
    at = place_named(target)
    return name(target) if at is None else hex_name(at)


# How far it is


def headline(state: State, name: Names) -> str:
    """Return in a few words how far a battle is: turn, group, who does what."""
    ended = result(state)
    if ended is not None:
        winner = str(ended["winner"])
        return f"Turn {ended['turn']}: over, {'a draw' if winner == 'draw' else name(winner) + ' has won'} ({ended['rule']})"
    now = portion(state)
    if now is not None:
        group = "the CO's group" if now.group == "co" else f"Group {now.group}"
        return f"Turn {turn(state)}: {group}, {name(now.side)} {PORTIONS[now.phase]}"
    phase = str(state[BATTLE].attributes["phase"])
    if phase == "start":  # between two turns: the number is still that of the one before
        return f"Turn {turn(state)} ends" if turn(state) else "Turn 1 begins"
    return "Briefing" if phase == "briefing" else f"Turn {turn(state)}: {_PHASES[phase]}"


def remarks(state: State, uid: str, name: Names) -> Sequence[str]:
    """Return what is worth saying of an entity besides trackers and statuses: orders, Group, what it has done, spot marks."""
    entity, said = state[uid], list[str]()
    if entity.role in ("squad", "platoon"):
        said += [f"order: {each.order.text}" for each in standing(entity)[-1:]]
    if entity.role == "team" and portion(state) is not None and living(state, uid):
        group = group_of(state, uid)
        said.append("with the CO" if group == "co" else f"Group {group}")
        said += [word for action, word in (("moved", "has moved"), ("acted", "has acted")) if spent(state, uid, action)]  # type: ignore[arg-type]
    said += [f"spotted by {name(link.source)}" for link in state.linked("spot", target=uid)]
    if entity.role == "unit":
        head, first = commander(state, platoon(state, uid).uid), commander(state, side_of(state, uid))
        if head is not None and head.uid == uid and entity.facts.get("class") != "CO":
            said.append("acting CO")
        if first is not None and first.uid == uid and len(platoons(state, side_of(state, uid))) > 1:
            said.append("company commander")
    return tuple(said)


def gone(state: State, uid: str) -> str | None:
    """Return what became of a unit that is out: dead, incapacitated, ran, missing."""
    out = state[uid].statuses.get("out")
    return None if out is None else str(out.value)


# Acts


def choice_words(state: State, intent: Intent, name: Names) -> str:
    """Return an act in words: whom it is about, a colon, what is done."""
    args: Any = intent.args
    try:
        if intent.rule in _PLAIN:
            return _PLAIN[intent.rule].format(*[name(each) for each in args])
        return _ACTS[intent.rule](state, args, name)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):  # typed by hand, and refused by the rule
        return f"{intent.rule} {canonical(args)}"


def _move(_state: State, args: Any, name: Names) -> str:
    team, path = args
    hexes = [hex_name(place) for place in path]
    way = f" by {', '.join(hexes[:-1])}" if len(hexes) > 1 else ""
    return f"{name(team)}: move to {hexes[-1]}{way}"


def _drive(_state: State, args: Any, name: Names) -> str:
    team, *templates = args
    way = f" {', '.join(templates[0])}" if templates and templates[0] else ""
    return f"{name(team)}: drive{way}"


def _act(state: State, args: Any, name: Names) -> str:
    team, deeds = args
    return f"{name(team)}: {'; '.join(_deed(state, deed, name) for deed in deeds) or 'nothing'}"


def _deed(state: State, deed: Any, name: Names) -> str:
    unit, word, *rest = deed
    who = name(unit)
    if word == "fire":
        return f"{who} fires {_weapon(state, rest[0])} at {target_name(rest[1], name)}"
    if word == "spot":
        return f"{who} spots {name(rest[0])}"
    if word == "order":
        return f"{who} orders {name(rest[0])}: {rest[1].get('text', '')}"
    if word == "code_word":
        to = ", ".join(name(squad) for squad in rest[1])
        return f"{who} says {rest[0]}{f' ({rest[2]})' if len(rest) > 2 and rest[2] else ''} to {to}"
    return f"{who} {'tries to rally' if word == 'rally' else 'does nothing'}"


def _weapon(state: State, key: str) -> str:
    table = state[BATTLE].facts["weapons"] if BATTLE in state else {}
    row = table.get(key) if isinstance(table, Mapping) else None
    return str(row["title"]) if isinstance(row, Mapping) else key.replace("_", " ")


def _relieve(_state: State, args: Any, name: Names) -> str:
    return f"CO of {name(args[0])}: relieve Stress" if args else "CO: relieve Stress"


def _brief(_state: State, args: Any, name: Names) -> str:
    return f"{name(args[0])}: first order: {args[1]['text']}"


def _agree(_state: State, args: Any, name: Names) -> str:
    return f"{name(args[0])}: Code Word {args[1]}: {args[2]['text']}"


_Act: TypeAlias = Callable[[State, Any, Names], str]
_ACTS: Mapping[str, _Act] = MappingProxyType(
    {"move": _move, "drive": _drive, "act": _act, "brief": _brief, "agree": _agree, "relieve_stress": _relieve}
)
_PLAIN: Mapping[str, str] = MappingProxyType(
    {
        "take_cover": "{}: take cover",
        "leave_cover": "{}: leave cover",
        "attach": "{}: get into {}",
        "flee": "{}: flees",
        "done": "done: end this part",
        "begin": "the briefing opens",
        "begin_turn": "a turn begins",
        "end_turn": "the turn ends",
        "initiative": "initiative",
        "groups": "Groups",
    }
)
"""Acts that say no more than whom they are about."""


def combined(intents: Sequence[Intent]) -> Intent:
    """Return one Battlefield Action of what several say of one team: all its units do it together (D-R16.1).

    Raises:
        RuleError: they are not Battlefield Actions of one team.
    """
    first: Any = intents[0].args
    deeds: list[Any] = []
    for intent in intents:
        args: Any = intent.args
        if intent.rule != "act" or intent.seat != intents[0].seat or args[0] != first[0]:
            expected = "Battlefield Actions of one team, each by other units"
            found = f"{len(intents)} choices"
            raise RuleError("these cannot be done at once", rule="D-R16.1", found=found, expected=expected)
        deeds += args[1]
    return Intent("act", (first[0], freeze(deeds)), intents[0].seat)


def ordered(state: State, officer: str, to: str, words: Mapping[str, str]) -> Intent:
    """Return the act by which an officer gives an order: in the briefing a squad's first, later his team's action.

    Args:
        state: the battle.
        officer: who gives it.
        to: the squad or team, or a platoon that the company commander orders.
        words: ``text``, and if you like ``verb``, ``place`` (the name of a hex, a Rally Point, or q,r), ``fire_policy``, ``code_word``.

    Raises:
        InputError: a place does not exist, or there is something else in ``words``.
        RuleError: the officer is out of the fight.
    """
    fate = gone(state, officer)
    if fate is not None:
        raise RuleError("this Officer is out", rule="D-R9.10", where=officer, found=fate)
    row: dict[str, object] = {}
    for key, value in words.items():
        if key not in ("text", "verb", "place", "fire_policy"):
            expected = "verb, place or fire_policy"
            raise InputError("an order has no such part", found=key, expected=expected)
        row[key] = _place(state, officer, value) if key == "place" else value
    side = side_of(state, officer)
    if state[BATTLE].attributes.get("phase") == "briefing":
        return Intent("brief", (to, freeze(row), officer), side)
    return Intent("act", (team_of(state, officer).uid, freeze([[officer, "order", to, row]])), side)


def _place(state: State, officer: str, said: str) -> tuple[int, int]:
    from rallypoint.content.scenario_terrain import hex_at

    points = rally_points(state, side_of(state, officer))
    found = points.get(said) or hex_at(said)
    if found is None:
        expected = f"a hex such as B12{', or ' + ', '.join(points) if points else ''}"
        raise InputError("this is no place", found=said, expected=expected)
    return found.q, found.r
