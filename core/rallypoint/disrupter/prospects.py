"""What fire promises: chances, the worth of units, and what one stand can expect to do to another. For seats that play alone.

A :class:`Picture` is what a seat sees of the battle at one moment, laid out for quick questions. Worths are plain numbers: a
soldier is 1; the Officers of a side together are 12, however many are left, for without them it surrenders (D-R9.7).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from math import inf
from typing import NamedTuple, TypeVar, cast

from rallypoint.kernel.canonical import Value
from rallypoint.kernel.dice import D100
from rallypoint.kernel.hexes import distance
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import Entity, State

from .activity import fleeing, holds, walked
from .beam import struck_by
from .checks import check_cut
from .cover import under_cover
from .field import (
    Weapon,
    board,
    enemy,
    held,
    hex_of,
    is_bot,
    living,
    officers,
    place_named,
    sides,
    teams,
    weapon,
    weapons,
)
from .outcome import band, lobbed, splashes_friends
from .reaction import has_reacted
from .records import Attack
from .rulings import chosen
from .sight import over_land
from .spotting import spotted, spotted_by_other

__all__ = [
    "WORTH_A_BEAM",
    "Danger",
    "Figure",
    "Picture",
    "Shot",
    "Stand",
    "beam_value",
    "chance",
    "has",
    "place_value",
    "strength",
    "value",
    "worth",
]

Found = TypeVar("Found")

WORTH_A_BEAM = 1.5
"""What a beam must promise before it is fired: it takes turns to recharge."""

OFFICERS = 12.0
"""The worth of all living Officers of a side together."""


ALMOST_LOST = 0.1
"""The part of a stand still safe below which further rockets are not reckoned with."""


@lru_cache(maxsize=4096)
def chance(stat: int, sign: int, override: str = "always") -> float:
    """Return how likely a check succeeds (D-R7.1, D-R7.5, D-R7.6).

    >>> chance(60, 0), chance(60, 1), chance(60, -1)
    (0.6, 0.7968, 0.4032)
    """
    ways = check_cut(stat, sign, override).ways(D100, 2 if sign else 1)
    return (ways.get("success", 0) + ways.get("critical_success", 0)) / sum(ways.values())


class Figure(NamedTuple):
    """A living unit: stats in percent, Wounds it can still take, its worth, the arms that it could fire if it stood still."""

    uid: str
    instinct: int
    armor: int
    left: int
    worth: float
    bot: bool
    officer: bool
    shaken: bool
    arms: tuple[Weapon, ...]


class Stand(NamedTuple):
    """A team on the board.

    ``steady``: it has not moved in this turn, so it may fire what is not moved (D-EQ-T1); ``alert``: it can still react in
    this portion (D-R15.2). ``reach`` is how many hexes away its weapons do anything, beams and grenades left out; ``beam``: it
    has a beam that is not recharging; ``rocket``: it can fire what is sure to hit whom somebody spots.
    """

    uid: str
    side: str
    place: Hex
    figures: tuple[Figure, ...]
    covered: bool
    steady: bool
    spotted: bool
    alert: bool
    reach: float
    beam: bool
    rocket: bool

    @property
    def worth(self) -> float:
        """What all its figures are worth together."""
        return sum(figure.worth for figure in self.figures)


class Danger(NamedTuple):
    """What fire could cost a stand: of all who see it, and of those among them who can still react to its move."""

    total: float
    reacting: float


class Shot(NamedTuple):
    """One figure fires one weapon: what :func:`value` reckons with."""

    figure: Figure
    arm: Weapon


class Picture:
    """The battle as a side sees it now; ``beam_reach`` is how many hexes away beams are aimed at most (``None``: any)."""

    def __init__(self, state: State, options: Mapping[str, Value], side: str, beam_reach: int | None = None) -> None:
        self.state = state
        self.beam_reach = beam_reach
        self.options = options
        self.side = side
        both = (side, enemy(state, side))
        self.led = {each: [place for _, place in _officers(state, each)] for each in both}
        found = [_stand(state, team, each, len(self.led[each])) for each in sides(state) for team in teams(state, each)]
        self.stands = {stand.uid: stand for stand in found if stand is not None}
        self.own = [stand for stand in self.stands.values() if stand.side == side]
        self.foes = [stand for stand in self.stands.values() if stand.side != side]
        self._line = over_land(board(state), options)
        self._in_the_way = {each: held(state, enemy(state, each)) for each in both}
        self._lines: dict[tuple[str, Hex, Hex], bool] = {}
        self._in_view: dict[tuple[str, Hex, Hex | None], bool] = {}
        self._leaders: dict[tuple[str, Hex], int] = {}
        self._close: dict[tuple[str, Hex], tuple[str, ...]] = {}
        self._worked_out: dict[Callable[[Picture], object], object] = {}

    def sees(self, side: str, a: Hex, b: Hex, gone: Hex | None = None) -> bool:
        """Say whether a side has a line between two hexes: past stands of the other side, for its own are never in its way (D-R12.1).

        Args:
            side: whose line it is.
            a: where its stand is.
            b: what it looks at.
            gone: a hex that a stand of the other side is thought to have left.
        """
        key = side, a, b
        known = self._lines.get(key)
        if known is None:
            known = self._lines[key] = self._line(a, b, self._in_the_way[side])
        if known or gone is None or gone not in self._in_the_way[side]:
            return known
        return self._line(a, b, self._in_the_way[side] - {gone})

    def in_view(self, side: str, at: Hex, gone: Hex | None = None) -> bool:
        """Say whether any enemy of a side sees a hex, past its stands but for the one that is thought to have left a hex."""
        key = side, at, gone
        found = self._in_view.get(key)
        if found is None:
            foes = [foe for foe in self.stands.values() if foe.side != side]
            found = self._in_view[key] = any(self.sees(foe.side, foe.place, at, gone) for foe in foes)
        return found

    def beams(self, a: Hex, b: Hex) -> bool:
        """Say whether a beam is aimed from one hex at another, through whatever is between: within the reach agreed on."""
        return self.beam_reach is None or distance(a, b) <= self.beam_reach

    def near_officer(self, side: str, figure: Figure, at: Hex) -> bool:
        """Say whether a figure standing in a hex has another Officer of its side within Close Range (D-R9.4)."""
        near = self._leaders.get((side, at))
        if near is None:
            near = self._leaders[side, at] = sum(distance(place, at) <= 1 for place in self.led[side])
        return near > (1 if figure.officer else 0)

    def close_to(self, side: str, at: Hex) -> tuple[str, ...]:
        """Return the stands of a side within Close Range of a hex."""
        found = self._close.get((side, at))
        if found is None:
            near = [
                stand.uid for stand in self.stands.values() if stand.side == side and distance(stand.place, at) <= 1
            ]
            found = self._close[side, at] = tuple(near)
        return found

    def once(self, function: Callable[[Picture], Found]) -> Found:
        """Return what a function makes of this picture, worked out when it is first asked for."""
        if function not in self._worked_out:
            self._worked_out[function] = function(self)
        return cast("Found", self._worked_out[function])

    def shots(
        self, stand: Stand, at: Hex, foe: Stand, *, steady: bool, figures: Iterable[Figure] | None = None
    ) -> list[Shot]:
        """Return the best shot of each figure of a stand in a hex at a foe, where it has one; beams and grenades are not among them.

        Args:
            stand: who fires.
            at: where it stands then.
            foe: at whom.
            steady: whether it has stood still and may fire what is not moved.
            figures: who of them may fire; all, where nothing is said.
        """
        hexes = distance(at, foe.place)
        if hexes > stand.reach:
            return []
        seen = self.sees(stand.side, at, foe.place, self.stands[foe.uid].place)
        if not seen and not foe.spotted:
            return []
        found = []
        for figure in stand.figures if figures is None else figures:
            arms = [arm for arm in figure.arms if self._reaches(stand, arm, hexes, foe, steady, seen)]
            if arms:
                found.append(Shot(figure, max(arms, key=lambda arm: strength(arm, hexes))))
        return found

    def _reaches(self, stand: Stand, arm: Weapon, hexes: int, foe: Stand, steady: bool, seen: bool) -> bool:
        if lobbed(arm) or arm.trait("beam") is not None or (arm.Max is not None and hexes > arm.Max):
            return False
        if not steady and arm.trait("no_move_and_fire") is not None:
            return False
        if not seen and arm.trait("needs_los_or_spot") is None:
            return False
        return strength(arm, hexes) > 0 and not self._endangers(stand, arm, foe, hexes)

    def _endangers(self, stand: Stand, arm: Weapon, foe: Stand, hexes: int) -> bool:
        """Say whether splash would hit friends of a stand that fires from so many hexes away (D-EQ-T3)."""
        if arm.trait("splash") is None:
            return False
        near = any(uid != stand.uid for uid in self.close_to(stand.side, foe.place))
        return splashes_friends(self.options, arm, near=near, company=len(stand.figures) if hexes <= 1 else 0)

    def promise(self, stand: Stand, at: Hex, *, steady: bool, figures: Sequence[Figure] | None = None) -> float:
        """Return the value of the best fire of a stand from a hex at any one foe, beams among it."""
        best = 0.0
        for foe in self.foes if stand.side == self.side else self.own:
            shots = self.shots(stand, at, foe, steady=steady, figures=figures)
            if shots:
                best = max(
                    best,
                    value(self, stand, at, shots, foe, foe.figures),
                    *[value(self, stand, at, shots, foe, (figure,)) for figure in foe.figures if figure.worth > 1.5]
                    or [0.0],
                )
        return best

    def danger(self, stand: Stand, at: Hex) -> Danger:
        """Return what the enemy's fire could cost a stand in a hex: of each foe at its best, together no more than it is worth.

        Rockets are sure to hit, from everywhere, whom any foe sees and spots (D-EQ-T14). That is counted where an Officer is, for
        there are few rockets and that is where they go; and it is no matter of Reaction Fire.
        """
        moved, heads = stand._replace(place=at), [(figure,) for figure in stand.figures if figure.officer]
        here = self.stands[stand.uid].place
        marked = moved._replace(spotted=True, covered=False)
        safe = unhurt = 1.0
        for foe in self.foes:
            beams = foe.steady and foe.beam and self.beams(foe.place, at)
            seen = (beams or distance(foe.place, at) <= foe.reach) and self.sees(foe.side, foe.place, at, here)
            threat = 1.0 if seen and beams else self._threat(foe, moved, heads) if seen else 0.0
            unhurt *= 1 - threat * foe.alert
            if foe.rocket and heads and safe * (1 - threat) > ALMOST_LOST and self.in_view(stand.side, at, here):
                threat = max(threat, self._threat(foe, marked, heads))
            safe *= 1 - threat
        return Danger(stand.worth * (1 - safe), stand.worth * (1 - unhurt))

    def _threat(self, foe: Stand, stand: Stand, heads: Sequence[Sequence[Figure]]) -> float:
        """Return what part of a stand a foe can expect to take: from all of it, or from one of its Officers."""
        shots = self.shots(foe, foe.place, stand, steady=foe.steady)
        rated = [value(self, foe, foe.place, shots, stand, aimed) for aimed in (stand.figures, *heads)] if shots else []
        return min(max(rated, default=0.0) / stand.worth, 1.0) if rated else 0.0


def _stand(state: State, team: Entity, side: str, leaders: int) -> Stand | None:
    at = hex_of(state, team)
    if at is None:
        return None
    figures = tuple([_figure(state, unit, leaders) for unit in living(state, team.uid)])
    place = Hex(at.q, at.r)
    marked = spotted(state, enemy(state, side), team.uid)
    steady, alert = not walked(state, team.uid), _alert(state, team.uid)
    arms = [arm for figure in figures for arm in figure.arms]
    beams = [arm for arm in arms if arm.trait("beam") is not None]
    reach = max([inf if arm.Max is None else arm.Max for arm in arms if arm not in beams], default=0)
    covered = under_cover(state, team.uid)
    rocket = steady and any(arm.trait("auto_hit_if_spotted") is not None for arm in arms)
    return Stand(team.uid, side, place, figures, covered, steady, marked, alert, reach, bool(beams), rocket)


def _alert(state: State, team: str) -> bool:
    return not (has_reacted(state, team) or holds(state, team, "suppressed") or fleeing(state, team))


def has(stand: Stand, trait: str) -> bool:
    """Say whether a stand has a weapon with a trait that is not recharging."""
    return any(arm.trait(trait) is not None for figure in stand.figures for arm in figure.arms)


def _figure(state: State, unit: Entity, leaders: int) -> Figure:
    taken = unit.trackers["Wounds"]
    instinct, armor = unit.facts["instinct"], unit.facts["armor"]
    assert isinstance(instinct, int)
    assert isinstance(armor, int)
    recharging = unit.statuses.get("recharging")
    charging = recharging.value if recharging is not None and holds(state, unit.uid, "recharging") else None
    arms = tuple([arm for arm in weapons(state, unit) if arm.key != charging])
    officer = unit.facts.get("class") in ("CO", "NCO")
    left = (taken.max or 1) - taken.value
    shaken = holds(state, unit.uid, "shaken")
    return Figure(unit.uid, instinct, armor, left, worth(unit, arms, leaders), is_bot(unit), officer, shaken, arms)


def _officers(state: State, side: str) -> list[tuple[str, Hex]]:
    found = [(unit.uid, hex_of(state, state.above(unit.uid, "team"))) for unit in officers(state, side)]
    return [(uid, Hex(at.q, at.r)) for uid, at in found if at is not None]


def worth(unit: Entity, arms: Sequence[Weapon], leaders: int) -> float:
    """Return what a living unit is worth: an Officer his part of :data:`OFFICERS`, a heavy weapon 2, a soldier 1, a bot less.

    Args:
        unit: the unit.
        arms: what it carries.
        leaders: how many Officers its side has left.
    """
    if unit.facts.get("class") in ("CO", "NCO"):
        return OFFICERS / max(leaders, 1)
    if any(arm.trait("no_move_and_fire") is not None for arm in arms):
        return 2.0
    return 0.7 if is_bot(unit) else 1.0


def strength(arm: Weapon, hexes: int) -> int:
    """Return the Wounds of a weapon's hit at a distance (D-R16.9)."""
    close = band(hexes)
    return arm.C if close == "C" else arm.M if close == "M" else arm.L


# Values


def value(
    picture: Picture, stand: Stand, at: Hex, shots: Sequence[Shot], foe: Stand, targets: Sequence[Figure]
) -> float:
    """Return what shots at some figures of a foe (one, or all of them) can be expected to take from it.

    A figure that falls counts with its worth, one that is wounded with a part of it.
    """
    hexes, saves = distance(at, foe.place), _save(picture, foe, targets)
    total: dict[tuple[int, int], float] = {(0, 0): 1.0}  # Wounds and weapons that hit: how likely
    for hit, wounds, number in _volleys(picture, stand, at, shots, foe, hexes):
        mixed: dict[tuple[int, int], float] = {}
        for (so_far, arms), likely in total.items():
            mixed[so_far, arms] = mixed.get((so_far, arms), 0.0) + likely * (1 - hit)
            key = so_far + wounds, arms + number
            mixed[key] = mixed.get(key, 0.0) + likely * hit
        total = mixed
    found = _near_misses(shots, foe, targets)
    for (wounds, arms), likely in total.items():
        if wounds:
            kept = _taken(targets, wounds), _taken(targets, max(wounds - arms, 0))
            found += likely * ((1 - saves) * kept[0] + saves * kept[1])
    return found


def _volleys(
    picture: Picture, stand: Stand, at: Hex, shots: Sequence[Shot], foe: Stand, hexes: int
) -> list[tuple[float, int, int]]:
    """Return for each check of a volley how likely it hits, its Wounds and its weapons (D-R16.8)."""
    groups: dict[tuple[int, int, bool], list[Shot]] = {}
    for shot in shots:
        plus = len(shots) > 1 or picture.near_officer(stand.side, shot.figure, at)
        minus = (stand.covered and shot.arm.trait("no_cover_penalty") is None) or shot.figure.shaken
        sure = foe.spotted and shot.arm.trait("auto_hit_if_spotted") is not None
        groups.setdefault((shot.figure.instinct, plus - minus, sure), []).append(shot)
    override = chosen(picture.options, "D-AMB-05")
    return [
        (
            1.0 if sure else chance(instinct, sign, "selected" if override == "stress_only" else override),
            sum(strength(shot.arm, hexes) for shot in group),
            len(group),
        )
        for (instinct, sign, sure), group in groups.items()
    ]


def _near_misses(shots: Sequence[Shot], foe: Stand, targets: Sequence[Figure]) -> float:
    """Return what rockets take that miss: their Wounds to each figure, without a save (D-EQ-T14)."""
    found = 0.0
    for shot in shots:
        each = shot.arm.trait("miss_wounds_each")
        if each is not None and not foe.spotted:
            found += (1 - chance(shot.figure.instinct, 0)) * _taken(targets, int(each[0]) * len(targets))
    return found


def _save(picture: Picture, foe: Stand, targets: Sequence[Figure]) -> float:
    chances = [
        chance(figure.armor, int(foe.covered or picture.near_officer(foe.side, figure, foe.place)))
        for figure in targets
    ]
    return sum(chances) / len(chances)


def _taken(targets: Sequence[Figure], wounds: int) -> float:
    """Return what Wounds divided among figures are worth (D-R16.10)."""
    each = wounds / len(targets)
    return sum(figure.worth * (1.0 if each >= figure.left else 0.3 * each / figure.left) for figure in targets)


def beam_value(picture: Picture, attack: Attack) -> float:
    """Return what a beam takes from the enemy, less one and a half times what it takes from friends (D-EQ-T9)."""
    hit = set(struck_by(picture.state, attack))
    total = 0.0
    for stand in picture.stands.values():
        lost = sum(figure.worth for figure in stand.figures if figure.uid in hit)
        total += lost if stand.side != picture.side else -1.5 * lost
    return total


def place_value(picture: Picture, stand: Stand, attack: Attack) -> float:
    """Return what fire at a place takes from the enemy, less one and a half times what it takes from friends (D-IF-1, D-IF-6).

    Where a shot that misses comes down is not reckoned with.
    """
    arm, at = weapon(picture.state, attack.weapon), place_named(attack.target)
    assert at is not None
    near = arm.trait("splash")
    total = 0.0
    for other in picture.stands.values():
        hexes = distance(other.place, at)
        if hexes == 0:
            lost = _shelled(picture, other, other.figures, arm.T)
        elif hexes == 1 and near is not None:
            lost = sum(_shelled(picture, other, (figure,), int(near[-1])) for figure in other.figures)
        else:
            continue
        total += lost if other.side != picture.side else -1.5 * lost
    figure = next(each for each in stand.figures if each.uid == attack.shooter)
    plus, minus = picture.near_officer(stand.side, figure, stand.place), stand.covered or figure.shaken
    sure = spotted_by_other(picture.state, attack.shooter, attack.target)
    return total if sure else total * chance(figure.instinct, plus - minus)


def _shelled(picture: Picture, stand: Stand, targets: Sequence[Figure], wounds: int) -> float:
    saves = _save(picture, stand, targets)
    return (1 - saves) * _taken(targets, wounds) + saves * _taken(targets, max(wounds - 1, 0))
