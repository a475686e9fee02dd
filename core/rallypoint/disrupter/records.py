"""What rules and plugins of Disrupter hand to each other: small records, all values."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from rallypoint.kernel.game import Rule
from rallypoint.kernel.parts import Hex, Pose

__all__ = [
    "Act",
    "Allocation",
    "Attack",
    "CheckRequest",
    "Grade",
    "Hit",
    "Landing",
    "Modifier",
    "Move",
    "Order",
    "Outcome",
    "Problem",
    "Reaction",
    "Saved",
    "Share",
    "Strike",
    "Template",
]

Grade: TypeAlias = Literal["critical_success", "success", "failure", "critical_failure"]
"""How a check or save comes out (D-R7.1, D-R7.3)."""


class Modifier(NamedTuple):
    """One [+] or [-] with its reason and the rule that gives it."""

    sign: Literal["+", "-"]
    reason: str
    rule: str


class CheckRequest(NamedTuple):
    """A check or save that is to be made.

    ``units`` roll as one (D-R16.7, D-R16.8); ``kind`` is the stat; ``purpose`` says what for: ``initiative``, ``group``,
    ``fire``, ``save``, ``spot``, ``rally``, ``throw``, ``drive``. ``target`` is the team or unit that it is directed at, or a place such as
    ``@3,-1``, ``weapon`` the key of the weapon that is fired, if any; ``reaction`` marks checks and saves of Reaction Fire;
    ``attackers`` are those whom units save against.
    """

    units: tuple[str, ...]
    kind: Literal["instinct", "armor"]
    purpose: str
    target: str | None = None
    weapon: str | None = None
    reaction: bool = False
    attackers: tuple[str, ...] = ()


class Attack(NamedTuple):
    """One unit fires one weapon at a unit or a whole team (D-R16.3, D-R16.4); ``reaction`` marks Reaction Fire.

    ``target`` is a uid, or a place such as ``@3,-1`` for a beam or for fire at a hex
    (:func:`rallypoint.disrupter.field.place_named`).
    """

    shooter: str
    weapon: str
    target: str
    reaction: bool = False


class Hit(NamedTuple):
    """The two grades of an attack or volley (D-R16.6); a side that did not roll has ``None``."""

    attack: Grade | None
    save: Grade | None
    wounds: int
    weapons: int = 1
    reaction: bool = False


class Landing(NamedTuple):
    """Where a shot comes down; ``None``: nowhere, it is lost. A hex need not be on the board: splash may reach back."""

    at: Hex | None


class Saved(NamedTuple):
    """The units of one armour value with their save; ``None`` where none was made."""

    units: tuple[str, ...]
    grade: Grade | None


class Share(NamedTuple):
    """What falls to the units of one armour value: Wounds ``before`` their save, and ``after`` it."""

    units: tuple[str, ...]
    save: Grade | None
    before: int
    after: int


class Strike(NamedTuple):
    """Attacks that hit: where, whom, with which saves; ``grade`` is that of their check, ``None`` where there was none.

    ``part`` says how: what is ``aimed`` at units is divided among them (D-R16.10); of a ``splash`` (D-EQ-T3) and of a
    ``beam`` (D-EQ-T9) each unit takes all.
    """

    attacks: tuple[Attack, ...]
    at: Hex
    part: Literal["aimed", "splash", "beam"]
    groups: tuple[Saved, ...]
    grade: Grade | None = None


class Outcome(NamedTuple):
    """What comes of a hit: Wounds, and whether the attackers have Instinct [-] in the next turn."""

    wounds: int
    attackers_shaken: bool = False


class Allocation(NamedTuple):
    """Wounds for one unit."""

    unit: str
    wounds: int


class Move(NamedTuple):
    """A movement: the hexes entered, in order."""

    team: str
    path: tuple[Hex, ...]


class Template(NamedTuple):
    """A movement template as a vehicle can lay it, or has laid it (D-VE-3).

    ``key`` names it with its face, ``cost`` is what it takes of M (D-VE-4), ``end`` where the middle of the vehicle is then, on
    the Slide Template too if it slid; ``words`` are for people.
    """

    key: str
    cost: int
    end: Pose
    words: str = ""


class Reaction(NamedTuple):
    """A team that reacts to a mover: it must fire, or may choose to spot instead (D-R15.2, D-R15.3)."""

    team: str
    must_fire: bool
    may_spot: bool


class Order(NamedTuple):
    """An order (D-R9.11): one sentence, and where it is known its machine-readable part.

    ``to`` is a squad or team, at company scale a platoon, too; ``code_word`` names the Code Word that it was given by, if any. ``fire_policy`` is ``hold``,
    ``return`` or ``in_range``.
    """

    by: str
    to: str
    text: str
    verb: str | None = None
    place: Hex | None = None
    fire_policy: Literal["hold", "return", "in_range"] | None = None
    code_word: str | None = None


class Act(NamedTuple):
    """A rule that a plugin adds: its name in logs and lists, and the function, whose first argument is the step."""

    name: str
    rule: Rule


class Problem(NamedTuple):
    """Something that is wrong with a force: ``error`` keeps a battle from starting."""

    severity: Literal["error", "warning", "advice"]
    what: str
    rule: str
    where: str
