"""Where a team of the autopilot moves: towards the enemy's Officers, into fire that pays, out of fire that costs, with its bots led."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rallypoint.kernel.game import Intent
from rallypoint.kernel.hexes import distance, neighbours, within
from rallypoint.kernel.parts import Hex

from .activity import spent
from .cover import is_light_cover
from .deploy import scenario_words
from .field import board, squad_of, turn
from .prospects import Picture, Stand, has

__all__ = ["LONG_BATTLE", "Choice", "Manoeuvre", "in_order"]

STAYING, CROSSING = 0.4, 0.3
"""How much of the danger of a hex counts: for being there when the enemy acts, and for the Reaction Fire on the way in."""

COHESION = 1.5
"""How much a hex out of an Officer's reach counts for bots, against a hex nearer to the enemy."""

LEADING = 0.5
"""How much of what the bots promise counts for the Officer who leads them."""

PATIENCE = 0.4
"""The urge to go on beyond which nobody waits longer for stragglers."""

FAR = 30
"""Hexes to what cannot be reached at all."""

NEARBY = 3
"""Hexes around a stand in which an Officer looks for a hiding place."""

WORTHWHILE = 0.05
"""What a move must promise beyond staying."""


LONG_BATTLE = 20
"""Turns after which a battle is a long one: from then on danger counts less every turn, for two sides may lie in wait for ever."""

DARING = 0.1
"""How much less danger counts with each turn beyond those."""


class Choice(NamedTuple):
    """A Movement Action of a team and what is better by it than by staying."""

    gain: float
    intent: Intent


class Manoeuvre:
    """Weighs the Movement Actions of one side at one moment."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self.impatience = 0.15 + 0.04 * turn(picture.state)
        self.caution = max(0.0, 1 - DARING * max(turn(picture.state) - LONG_BATTLE, 0))
        heads = [foe.place for foe in picture.foes if any(figure.officer for figure in foe.figures)]
        self.goals = heads or [foe.place for foe in picture.foes]
        self._walks: dict[Hex, Ways] = {}
        self._promises: dict[str, float] = {}
        self._hides: dict[str, list[Hex]] = {}
        self.way = Ways(picture, self.goals)
        self._squads = {stand.uid: squad_of(picture.state, stand.uid).uid for stand in picture.own}
        self._bots: dict[str, list[Stand]] = {}
        for each in picture.own:
            if any(figure.bot for figure in each.figures):
                self._bots.setdefault(self._squads[each.uid], []).append(each)
        self._officers = [each for each in picture.own if any(figure.officer for figure in each.figures)]
        self._routed = [each for each in picture.own if "routed" in picture.state[each.uid].statuses]

    def best(self, team: str, legal: Sequence[Intent]) -> Choice | None:
        """Return the best Movement Action of a team, ``None`` when it had better stay.

        Args:
            team: a team of the picture's side.
            legal: what it may do.
        """
        stand = self.picture.stands.get(team)
        if stand is None:
            return None
        here = self.rated(stand, stand.place, moved=False)
        found = [Choice(self._rated_act(stand, intent) - here, intent) for intent in legal]
        best = max(found, key=lambda choice: choice.gain, default=None)
        return best if best is not None and best.gain > WORTHWHILE else None

    def _rated_act(self, stand: Stand, intent: Intent) -> float:
        if intent.rule == "move":
            path = intent.args[1]
            assert isinstance(path, tuple)
            end = path[-1]
            assert isinstance(end, tuple)
            return self.rated(stand, Hex(*end), moved=True)  # type: ignore[arg-type]
        if intent.rule == "take_cover":
            return self.rated(stand._replace(covered=True), stand.place, moved=False)
        return -1e9

    def rated(self, stand: Stand, at: Hex, *, moved: bool) -> float:
        """Return how good it is for a stand to be in a hex: a number to compare with others of the same stand."""
        picture = self.picture
        placed = stand._replace(place=at, covered=stand.covered and not moved)
        figures = stand.figures
        if not any(figure.officer for figure in figures) and self._out_of_reach(stand, at) > 0:
            figures = tuple([figure for figure in figures if not figure.bot])
        fire = picture.promise(placed, at, steady=stand.steady and not moved, figures=figures)
        fire += self._beam(placed) if not moved and len(figures) == len(stand.figures) else 0.0
        danger = picture.danger(placed, at)
        score = fire - self.caution * (STAYING * danger.total + (CROSSING * danger.reacting if moved else 0.0))
        score -= self.impatience * self._way_left(at)
        if is_light_cover(picture.state, picture.options, at):
            score += 0.1
        if any(figure.officer for figure in stand.figures):
            score -= 0.2 * self.caution * self._steps_to_hide(stand, at)
        return score + self._cohesion(stand, at)

    def _way_left(self, at: Hex) -> int:
        """Return how far it is from a hex to the nearest goal: on foot, or as the crow flies where no way leads there."""
        left = self.way.to(at)
        return left if left is not None else FAR + min(distance(at, goal) for goal in self.goals)

    def _beam(self, stand: Stand) -> float:
        """Return what a steady beam promises: the best foe in sight, half of it, for others will fire it too."""
        if not has(stand, "beam"):
            return 0.0
        seen = [foe.worth for foe in self.picture.foes if self.picture.beams(stand.place, foe.place)]
        return 0.5 * max(seen, default=0.0)

    def _steps_to_hide(self, stand: Stand, at: Hex) -> int:
        """Return how far it is from a hex to one that no heavy weapon of the enemy sees, at most :data:`NEARBY`."""
        if stand.uid not in self._hides:
            heavy = [foe.place for foe in self.picture.foes if has(foe, "no_move_and_fire")]
            land = board(self.picture.state)
            self._hides[stand.uid] = [
                place
                for place in within(stand.place, NEARBY)
                if land.__contains__(place)
                and self.way.to(place) is not None
                and not any(self.picture.sees(place, foe) for foe in heavy)
            ]
        return min([distance(at, place) for place in self._hides[stand.uid]], default=NEARBY)

    def _cohesion(self, stand: Stand, at: Hex) -> float:
        """Return what is lost where bots are out of an Officer's reach (D-R9.15), and won where the routed can be rallied.

        An Officer looks after the bots of his squad; bots may go ahead of him as far as he can still follow in this portion.
        """
        weight, score = COHESION * min(self.impatience, PATIENCE), 0.0
        if any(figure.officer for figure in stand.figures):
            for other in self._bots_of_squad(stand):
                steps = self._walk(other.place).to(at)
                away = (FAR if steps is None else steps) - 1
                score -= weight * max(away, 0)
                score += LEADING * self._promise(other) if away <= 0 else 0.0
            for friend in self._routed:
                score += 1.0 * (distance(at, friend.place) <= 1)
        elif any(figure.bot for figure in stand.figures):
            score -= weight * max(self._out_of_reach(stand, at), 0)
        return score

    def _promise(self, stand: Stand) -> float:
        """Return what the fire of a stand promises where it stands, if somebody leads its bots."""
        if stand.uid not in self._promises:
            fire = self.picture.promise(stand, stand.place, steady=stand.steady)
            self._promises[stand.uid] = fire + (self._beam(stand) if stand.steady else 0.0)
        return self._promises[stand.uid]

    def _out_of_reach(self, stand: Stand, at: Hex) -> int:
        """Return by how many hexes a hex is beyond what the nearest Officer leads, his own move counted if it is still to come."""
        state, squad = self.picture.state, self._squads[stand.uid]
        least = FAR
        for other in self._officers:
            follows = self._squads[other.uid] == squad and not spent(state, other.uid, "moved")
            least = min(least, distance(at, other.place) - 1 - (_pace(self.picture, other) if follows else 0))
        return least

    def _walk(self, goal: Hex) -> Ways:
        if goal not in self._walks:
            self._walks[goal] = Ways(self.picture, [goal])
        return self._walks[goal]

    def _bots_of_squad(self, stand: Stand) -> Iterator[Stand]:
        return (other for other in self._bots.get(self._squads[stand.uid], ()) if other.uid != stand.uid)


def _pace(picture: Picture, stand: Stand) -> int:
    paces = [picture.state[figure.uid].facts["movement"] for figure in stand.figures]
    return min(pace for pace in paces if isinstance(pace, int))


def in_order(picture: Picture, teams: Sequence[str]) -> list[str]:
    """Return teams in the order in which they had better move: who is led before his Officer goes on, the others after."""

    def rank(team: str) -> int:
        stand = picture.stands.get(team)
        if stand is None:
            return 3
        if any(figure.officer for figure in stand.figures):
            return 1
        return 0 if any(distance(stand.place, place) <= 1 for place in picture.led[stand.side]) else 2

    return sorted(teams, key=rank)


class Ways:
    """How many steps hexes are from the nearest of some goals, over ground that can be walked; no further than was asked."""

    def __init__(self, picture: Picture, goals: Sequence[Hex]) -> None:
        self._land = board(picture.state)
        self._closed = picture.once(_closed)
        self._steps = {Hex(goal.q, goal.r): 0 for goal in goals}
        self._edge = list(self._steps)

    def to(self, at: Hex) -> int | None:
        """Return how many steps it is to a hex, ``None`` where no way leads there."""
        while self._edge and at not in self._steps:
            self._further()
        return self._steps.get(at)

    def _further(self) -> None:
        further = []
        for here in self._edge:
            for at in neighbours(here):
                if at not in self._steps and at not in self._closed and self._land.__contains__(at):
                    self._steps[at] = self._steps[here] + 1
                    further.append(at)
        self._edge = further


def _closed(picture: Picture) -> frozenset[Hex]:
    words = scenario_words().terrain
    return frozenset([at for at, word in board(picture.state).terrain.items() if words[word].open_to != "all"])
