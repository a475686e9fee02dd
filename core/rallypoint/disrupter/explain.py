"""Events in words: in one line for the log, and at length with dice, modifiers and their reasons.

>>> from rallypoint.kernel.events import Event
>>> event_words(Event("panic.suppressed", (), "D-PT-T3", why={"team": "r1a", "until": 3}), {"r1a": "R-1A"}.__getitem__)
'R-1A is suppressed until the end of turn 3'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from rallypoint.kernel.canonical import canonical
from rallypoint.kernel.events import Event
from rallypoint.kernel.parts import Hex, Pose
from rallypoint.kernel.step import Graded

from .field import BATTLE, place_named
from .reckoning import reckoned
from .spoken import PORTIONS, Names, hex_name, pose_name, target_name

__all__ = ["event_reasons", "event_words", "explained", "modifier_words", "shots", "worth_telling"]

_PLACES = ("at", "from", "to", "lands")
"""Reasons that are hexes where they are not numbers or uids."""

_SHORT = 40
"""How long the value of an attribute may be to be told."""

_SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "action.spent": "{action}: {on}",
        "battle.declared": "{team} says what it does",
        "briefing.ready": "{side}: ready",
        "campaign.removal": "{unit}: what became of it is rolled",
        "co.relieves_stress": "{co} relieves Stress",
        "co.resolve": "{co} uses Resolve",
        "code_word.agreed": "Code Word {word}",
        "command.company": "{co} commands the company",
        "command.succession": "{co} takes command",
        "cover.ends": "{subject}: its cover ends with the turn",
        "cover.lost": "{subject} is no more under cover",
        "cover.taken": "{subject} is under cover",
        "fire.among_friends": "it goes off among {team}",
        "fire.near_miss": "a near miss{allocation}",
        "fire.recovered": "{units}: Instinct [-] is over",
        "fire.shaken": "{units}: Instinct [-] in the next turn",
        "fire.splash": "splash in {at}{allocation}",
        "fire.beam": "{shooter} burns through to {target}{allocation}",
        "fire.lost": "these shots are lost: {attacks}",
        "flight.held": "{team} cannot leave its place",
        "move.broken_off": "{team} breaks off its move",
        "move.cut_short": "{team} stops after {hexes} hexes",
        "move.step": "{team} moves from {from} to {to}",
        "vehicle.drives": "{team} lays {template} (cost {cost}) and stands at {pose}",
        "order.given": "{by} to {to}: {text}",
        "order.resumed": "{by} to {to}: Resume",
        "panic.halted": "{team} would fall back, but an Officer stops it",
        "panic.retreated": "{team} falls back",
        "panic.routed": "{team} runs",
        "panic.suppressed": "{team} is suppressed until the end of turn {until}",
        "panic.status_effect": "{subject}: a status effect ({table} table, {d20} on the d20)",
        "platoon.surrendered": "{platoon} surrenders: it has no Officer left",
        "portion.last": "nothing is left to do in this turn",
        "raft.attached": "{team} gets into {raft}",
        "raft.struck": "{raft}: {taken} of the {most} Wounds that hole it",
        "raft.left": "{team} leaves {raft}",
        "react.fire": "{team} fires in reaction at {target}",
        "react.spot": "{team} spots in reaction: {target}",
        "retreat.halted": "{team} falls back no further: {officer} is there",
        "retreat.over": "{team} falls back no further",
        "rout.left_board": "{teams} leave the board from {from}",
        "spot": "{unit} has spotted {target}",
        "spot.forgotten": "spot marks are taken away",
        "team.rallied": "{team} is rallied by {officer}",
        "team.walked": "{team} has left its hex",
        "turn.begins": "turn {turn} begins",
        "turn.ends": "turn {turn} ends",
        "turn.group": "{squad} acts in Group {group}",
        "turn.initiative": "{first} goes first",
        "turn.order": "{first} goes first in each of the groups {groups}",
        "unit.removed": "{unit} is out: {became}",
    }
)
"""What an event says; in braces what stands among its reasons, ``subject`` is who its first change is about."""


class _Reasons(dict[str, str]):
    """The reasons of an event as words; one that is not there is a question mark."""

    def __missing__(self, key: str) -> str:
        return "?"


def shots(event: Event) -> Iterator[tuple[str, str | Hex]]:
    """Yield who fires at whom, or at which hex, in an event; one of a plugin has ``shooter`` and ``lands`` among its reasons."""
    attacks: Any = event.why.get("attacks", ()) if event.kind == "fire.shot" else ()
    for shooter, _, target, *_ in attacks:
        yield shooter, place_named(target) or target
    lands: Any = event.why.get("lands")
    if lands is not None and isinstance(event.why.get("shooter"), str):
        yield str(event.why["shooter"]), Hex(lands[0], lands[1])


# In one line


_BOOKKEEPING = frozenset({"action.spent", "battle.declared", "team.walked"})
"""Events that a log for people leaves out: the act that stands above them says the same."""


def worth_telling(event: Event) -> bool:
    """Say whether an event tells people anything that the act itself has not said."""
    return event.kind not in _BOOKKEEPING


def event_words(event: Event, name: Names) -> str:
    """Return an event in one line.

    One that a plugin tells may say itself how it reads: ``words`` among its reasons is a sentence as those of the rules are,
    with what stands among its other reasons in braces. Where reasons do not fit a kind of event, they are listed as they are.
    """
    try:
        return _in_words(event, name)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):  # told by a plugin in its own way
        return _listed(event, [f"{key} {value}" for key, value in event.why.items()])


def _in_words(event: Event, name: Names) -> str:
    if event.kind in _OWN:
        about = {"subject": str(event.changes[0][0])} if event.changes else {}
        return _OWN[event.kind]({**about, **event.why}, name)
    if event.kind in _SENTENCES:
        return _SENTENCES[event.kind].format_map(_reasons(event, name))
    if isinstance(event.why.get("words"), str):
        return _own_words(event, name)
    return _listed(event, [f"{key} {_said(key, value, name)}" for key, value in event.why.items()])


def _listed(event: Event, said: Sequence[str]) -> str:
    head = event.kind.replace(".", ": ").replace("_", " ")
    return f"{head} ({', '.join(said)})" if said else head


def _own_words(event: Event, name: Names) -> str:
    return _filled(str(event.why["words"]), _reasons(event, name))


def _filled(words: str, reasons: _Reasons) -> str:
    """Return a sentence with reasons in place of names in braces; whatever else stands in braces stays as it is."""
    return re.sub(r"\{([A-Za-z_]\w*)\}", lambda match: str(reasons[match[1]]), words)


def event_reasons(words: str, why: Mapping[str, Any], name: Names) -> str:
    """Return a sentence with reasons in place of its braces; one whose braces do not fit as it is."""
    return _filled(words, _said_all(why, name))


def _said_all(why: Mapping[str, Any], name: Names) -> _Reasons:
    return _Reasons({key: _said(key, value, name) for key, value in why.items()})


def _reasons(event: Event, name: Names) -> _Reasons:
    reasons = _said_all(event.why, name)
    if event.changes and "subject" not in reasons:
        reasons["subject"] = name(str(event.changes[0][0]))
    return reasons


def _said(key: str, value: Any, name: Names) -> str:
    if key == "action":
        return "Movement Action" if value == "moved" else "Battlefield Action"
    if key == "allocation":
        return _shared(value, name)
    if key == "attacks":
        return _fired(value, name)
    if key in _PLACES and isinstance(value, (list, tuple)):
        return hex_name(value)
    if key == "pose":
        return pose_name(value)
    if isinstance(value, str):
        return target_name(value, name)
    if isinstance(value, Graded) or (isinstance(value, Mapping) and "faces" in value):
        return _faces(value)
    if isinstance(value, (list, tuple)):
        return ", ".join(_said("", item, name) for item in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{inner} {_said(inner, item, name)}" for inner, item in value.items())
    return str(value)


def _shared(allocation: Any, name: Names) -> str:
    parts = [f"{name(unit)} {wounds}" for unit, wounds in allocation]
    return f": {', '.join(parts)}" if parts else ": no Wounds"


def _check(why: Any, name: Names) -> str:
    who = _said("", why["units"], name)
    if "check" not in why:
        return f"{who}: {why['purpose']}: {_grade(why['grade'])} without dice"
    row = _graded(why["check"])
    target = f" at {target_name(why['target'], name)}" if why.get("target") else ""
    return f"{who}: {row['purpose']}{target}: {_faces(row)} under {why['under']}: {_grade(row['grade'])}"


def _panic(why: Any, name: Names) -> str:
    who = name(why["subject"])
    if "check" not in why:
        return f"{who}: {'keeps its nerve' if why['passed'] else 'panics'} without dice"
    row = _graded(why["check"])
    return f"{who}: nerve: {_faces(row)} against Stress {why['stress']}: {row['grade']}"


def _struck(why: Any, name: Names) -> str:
    at = hex_name(why["at"]) if why["target"] is None else f"{name(why['target'])} in {hex_name(why['at'])}"
    return f"{_said('', why['shooters'], name)} at {at}{_shared(why['allocation'], name)}"


def _fired(attacks: Any, name: Names) -> str:
    """Return shots: who fires what at whom."""
    rows = [
        (name(shooter), weapon.replace("_", " "), target_name(target, name)) for shooter, weapon, target, *_ in attacks
    ]
    targets = ", ".join(dict.fromkeys(target for _, _, target in rows))
    return f"{', '.join(f'{who} ({arm})' for who, arm, _ in rows)} at {targets}"


def _stress(why: Any, name: Names) -> str:
    by, whose = why["by"], f"{name(why['subject'])}: " if "subject" in why else ""
    return f"{whose}Stress {why['from']} {'+' if by >= 0 else '-'} {abs(by)}: {why['reason']}"


def _wounds(why: Any, name: Names) -> str:
    count = f"{why['wounds']} Wound{'' if why['wounds'] == 1 else 's'}"
    lost = f", {why['lost']} of them more than it can take" if why.get("lost") else ""
    return f"{name(why['unit'])}: {count}{lost}"


def _portion(why: Any, name: Names) -> str:
    group = "the CO's group" if why["group"] == "co" else f"Group {why['group']}"
    return f"{group}: {name(why['side'])} {PORTIONS[why['phase']]}"


def _over(why: Any, name: Names) -> str:
    return "over: a draw" if why["winner"] == "draw" else f"over: {name(why['winner'])} has won"


def _briefing(why: Any, name: Names) -> str:
    problems = [f"{_whose(where, name)}{what} ({rule})" for _, what, rule, where in why["problems"]]
    count = f", {len(problems)} thing{'' if len(problems) == 1 else 's'} to think about: " if problems else ""
    return f"the briefing opens{count}{'; '.join(problems)}"


def _whose(where: str, name: Names) -> str:
    return "" if where == BATTLE else f"{name(where)}: "


_OWN: Mapping[str, Callable[[Any, Names], str]] = MappingProxyType(
    {
        "battle.over": _over,
        "briefing.opens": _briefing,
        "check": _check,
        "fire.hit": lambda why, name: f"hit: {_struck(why, name)}",
        "fire.miss": lambda why, name: f"miss: {_struck(why, name)}",
        "fire.shot": lambda why, name: f"fire: {_fired(why['attacks'], name)}",
        "panic.check": _panic,
        "portion.opens": _portion,
        "stress": _stress,
        "wounds": _wounds,
        "wounds.lost": _wounds,
    }
)
"""Events that say more than a sentence can hold."""


def _faces(graded: Any) -> str:
    """Return what dice showed as it is said: 07, or 07 and 66; percentile dice have two digits."""
    row = _graded(graded)
    faces, wide = row["faces"], 2 if tuple(row["die"]) == (0, 99) else 1
    return "?" if faces is None else " and ".join(f"{face:0{wide}}" for face in faces)


def _graded(graded: Any) -> Mapping[str, Any]:
    row = graded if isinstance(graded, Mapping) else graded.as_value()
    assert isinstance(row, Mapping)
    return row


def _grade(word: Any) -> str:
    return str(word).replace("_", " ")


# Events at length


def explained(event: Event, name: Names) -> Iterator[str]:
    """Yield an event at length: what happened, the dice with every modifier and its reason, and what changed."""
    yield event_words(event, name)
    why: Any = event.why
    if "check" in why and "units" in why:
        yield from _explained_check(why, name)
    elif event.kind == "panic.check" and "check" in why:
        yield f"a d20 above Stress {why['stress']} keeps its nerve (D-R8.2); it showed {_faces(why['check'])}"
    if event.kind == "fire.hit":
        yield from reckoned(why, name)
    for row in why.get("problems", ()):
        severity, what, rule, where = row
        yield f"{severity}: {name(where)}: {what} ({rule})"
    used = (
        "check",
        "units",
        "stat",
        "under",
        "modifiers",
        "target",
        "problems",
        "subject",
        "stress",
        "words",
        "shares",
    )
    for key, value in why.items():
        if key not in used:
            yield f"{key}: {_said(key, value, name).removeprefix(': ')}"
    for change in event.changes:
        yield f"changes: {_change(change, name)}"


def _explained_check(why: Any, name: Names) -> Iterator[str]:
    row = _graded(why["check"])
    yield f"d100 under {why['stat'].capitalize()} {why['under']}; doubles are criticals (D-R7.1, D-R7.3)"
    modifiers = why.get("modifiers", ())
    for sign, reason, rule in modifiers:
        yield f"{modifier_words((sign, reason, rule), name)} ({rule})"
    dice = len(row["faces"]) if row["faces"] is not None else 0
    if dice == 2:
        yield f"two dice because of the modifiers (D-R7.5): {_faces(row)}"
    elif modifiers:
        yield f"[+] and [-] cancel out (D-AMB-07), one die: {_faces(row)}"
    else:
        yield f"one die: {_faces(row)}"
    yield f"{_grade(row['grade'])}"


def modifier_words(modifier: tuple[str, str, str], name: Names) -> str:
    """Return a [+] or [-] with its reason, in which uids are names: ``modifier`` is sign, reason and rule."""
    sign, reason, _ = modifier
    return f"[{sign}] " + " ".join(name(word) for word in reason.split(" "))


def _placed(place: Any) -> str:
    if place is None:
        return "off the board"
    return f"at {pose_name(place)}" if isinstance(place, Pose) else f"in {hex_name(place)}"


def _change(change: Any, name: Names) -> str:
    kind = type(change).__name__
    if kind == "SetTracker":
        return f"{change.name} of {name(change.uid)} is {change.value}"
    if kind == "SetPlace":
        return f"{name(change.uid)} is {_placed(change.place)}"
    if kind == "SetStatus":
        until = "" if change.status.until is None else f" until the end of turn {change.status.until}"
        since = "" if change.status.since is None else f" from turn {change.status.since}"
        value = "" if change.status.value is True else f" ({change.status.value})"
        return f"{name(change.uid)} is {change.status.name.replace('_', ' ')}{value}{since}{until}"
    if kind == "DropStatus":
        return f"{name(change.uid)} is no more {change.name.replace('_', ' ')}"
    if kind == "SetAttribute":
        value = canonical(change.value)
        return f"{change.name} of {name(change.uid)}" + (f" is {value}" if len(value) <= _SHORT else "")
    if kind == "SetLink":
        return f"{change.link.kind} from {name(change.link.source)} to {name(change.link.target)}"
    if kind == "DropLink":
        return f"no more {change.kind} from {name(change.source)} to {name(change.target)}"
    return str(change)
