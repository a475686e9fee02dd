"""Where a team of the autopilot moves: towards the enemy's Officers, into fire that pays, out of fire that costs, with its bots led."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rallypoint.kernel.game import Intent
from rallypoint.kernel.hexes import distance, neighbours, ring, within
from rallypoint.kernel.parts import Hex

from .activity import spent
from .cover import is_light_cover
from .deploy import scenario_words
from .field import board, commander, platoons, squad_of, team_of, turn
from .formation import COHESION, Step, station
from .orders import order_of
from .prospects import WORTH_A_BEAM, Danger, Picture, Stand, beam_value
from .records import Attack

__all__ = ["LONG_BATTLE", "Choice", "Manoeuvre", "boldness", "in_order"]

STAYING, CROSSING = 0.4, 0.3
"""How much of the danger of a hex counts: for being there when the enemy acts, and for the Reaction Fire on the way in.

The likelier a stand falls on the way, the more of that counts, in the end all: then nothing is left that would be there, or nearer.
"""

COVER = 0.5
"""What it costs to be without light cover in a hex, for when it is needed: more than to be one hex further from the enemy, at first."""

UNSEEN = 0.4
"""What part of that it costs where nobody sees it yet."""

AHEAD = 0.5
"""How much of that cover one step ahead makes good."""

READY = 0.15
"""What it is worth in view to be Under Cover already: more than :data:`WORTHWHILE`, less than any hex nearer to the enemy."""

MARKED = 0.1
"""What it costs to be in view of an enemy with rockets where no weapon reaches anybody, for each point of a stand's worth."""


IMPATIENCE = 0.15, 0.07
"""What a hex nearer to the enemy is worth: at first, and more with each turn."""

BOLD = 0.5
"""The least part of its caution that a side keeps, however much stronger than the enemy it is."""

LEADING = 0.5
"""How much of what the bots promise counts for the Officer who leads them."""

RALLYING = 0.5
"""What it is worth to an Officer to be where he can rally a team that runs, for each point that it is worth; a hex short of that, half."""

BEHIND = 0.25
"""How much of that urge a CO has at least: he is needed behind his squads, and not in view. He has more where there is less to fear."""

HIDING = 0.2
"""What a step to the next hiding place costs an Officer, for each point that he is worth: the last ones decide (D-R9.7)."""

BUNCHED = 0.2
"""What it costs an Officer in view to stand beside another, for each point that the other is worth: splash reaches both."""

SPLASHED = 0.04
"""What it costs an Officer out of sight that a stand beside him is in view of an enemy with rockets, for each point of his worth."""

UNMASKING = 0.25
"""What it costs a stand to go and leave an Officer in view whom it has screened, for each point that he is worth."""

BACK = 1.2
"""What it costs to go back to the hex that a stand has just left: nobody looks resolute who walks to and fro."""

RECENTLY = 3
"""For how many turns a hex counts as just left."""

FAR = 30
"""Hexes to what cannot be reached at all."""

NEARBY = 3
"""Hexes to the next hiding place beyond which an Officer does not look for one."""

WORTHWHILE = 0.1
"""What a move must promise beyond staying, or teams would go to and fro between hexes that are nearly as good."""


LONG_BATTLE = 10
"""Turns after which a battle is a long one: from then on danger counts less every turn, for two sides may lie in wait for ever."""

DARING = 0.1
"""How much less danger counts with each turn beyond those."""


class Choice(NamedTuple):
    """A Movement Action of a team and what is better by it than by staying."""

    gain: float
    intent: Intent


class Manoeuvre:
    """Weighs the Movement Actions of one side at one moment.

    Args:
        picture: how the battle stands, for that side.
        legal: the Movement Actions of its teams that are open now; a squad goes on together where they are known.
    """

    def __init__(self, picture: Picture, legal: Mapping[str, Sequence[Intent]] | None = None) -> None:
        self.picture = picture
        self._legal = legal or {}
        self._stations: dict[str, Hex] = {}
        self.impatience = IMPATIENCE[0] + IMPATIENCE[1] * turn(picture.state)
        self.caution = boldness(picture) * max(0.0, 1 - DARING * max(turn(picture.state) - LONG_BATTLE, 0))
        heads = [foe.place for foe in picture.foes if _officer(foe)]
        self.goals = heads or [foe.place for foe in picture.foes]
        self._walks: dict[Hex, Ways] = {}
        self._promises: dict[str, float] = {}
        self._dangers: dict[tuple[str, bool, Hex], Danger] = {}
        self._hides: dict[tuple[Hex, Hex], int] = {}
        self._shelters: dict[Hex, float] = {}
        self._urges: dict[str, float] = {}
        self._unmasked: dict[str, float] = {}
        self._rockets = any(foe.rocket for foe in picture.foes)
        self._land = board(picture.state)
        self.way = Ways(picture, self.goals)
        self._squads = {stand.uid: squad_of(picture.state, stand.uid).uid for stand in picture.own}
        self._officers = [each for each in picture.own if _officer(each)]
        self._beside: dict[Hex, set[str]] = {}
        for each in self._officers:
            for place in within(each.place, 1):
                self._beside.setdefault(place, set()).add(each.uid)
        self._wards = self._bots_by_officer()
        heads_of = [commander(picture.state, each.uid) for each in platoons(picture.state, picture.side)]
        self._commands = {team_of(picture.state, head.uid).uid for head in heads_of if head is not None}
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
            path = _path(intent)
            return self.rated(stand, path[-1], moved=True, through=path[:-1])
        if intent.rule == "take_cover":
            return self.rated(stand._replace(covered=True), stand.place, moved=False)
        return -1e9

    def rated(self, stand: Stand, at: Hex, *, moved: bool, through: Sequence[Hex] = ()) -> float:
        """Return how good it is for a stand to be in a hex: a number to compare with others of the same stand.

        Args:
            stand: who.
            at: where it ends.
            moved: whether it walks there now.
            through: the hexes that it enters on the way, where the enemy may react (D-R15.1).
        """
        led = _officer(stand) or self._out_of_reach(stand, at) <= 0
        return self._alone(stand, at, moved=moved, through=through, led=led) + self._cohesion(stand, at)

    def _alone(self, stand: Stand, at: Hex, *, moved: bool, through: Sequence[Hex] = (), led: bool = True) -> float:
        """Return how good it is for a stand to be in a hex, whoever else is where; ``led``: whether its bots are."""
        picture = self.picture
        placed = stand._replace(place=at, covered=stand.covered and not moved)
        figures = stand.figures if led else tuple([figure for figure in stand.figures if not figure.bot])
        fire = picture.promise(placed, at, steady=stand.steady and not moved, figures=figures)
        fire += self._beam(placed) if not moved and len(figures) == len(stand.figures) else 0.0
        danger = self._danger(placed, at)
        crossing = max([danger.reacting, *[self._danger(placed, each).reacting for each in through]]) if moved else 0.0
        lost = crossing / stand.worth if crossing else 0.0
        peril = STAYING * danger.total * (1 - lost) + (CROSSING + (1 - CROSSING) * lost) * crossing
        score = fire - self.caution * peril
        nearer = self._way_left(self._here(stand)) - self._way_left(at)
        score += self._urge(stand) * (nearer if nearer < 0 else nearer * (1 - self.caution * lost))
        score -= self._bareness(stand, at)
        if self.picture.in_view(stand.side, at, self._here(stand)):
            score += READY * placed.covered
            score -= self.caution * MARKED * stand.worth * (self._rockets and fire <= 0)
        if _officer(stand):
            score -= self.caution * self._exposure(stand, at)
        if at != self._here(stand):
            score -= self.caution * self._unmasking(stand) + BACK * (at == self._just_left(stand))
        return score

    def _urge(self, stand: Stand) -> float:
        """Return what a hex nearer to the enemy is worth to a stand: less to a CO, nothing where it is told to hold or halt."""
        if stand.uid not in self._urges:
            order = order_of(self.picture.state, stand.uid)
            holds = order is not None and order.verb == "hold"
            part = 0.0 if holds else max(BEHIND, 1 - self.caution) if stand.uid in self._commands else 1.0
            self._urges[stand.uid] = self.impatience * part
        return self._urges[stand.uid]

    def _bareness(self, stand: Stand, at: Hex) -> float:
        """Return what it costs that a hex has no cover; less where a step ahead there is some, so teams go from cover to cover.

        Where no enemy sees them they need it less, and get on.
        """
        if at not in self._shelters:
            left = self._way_left(at)
            ahead = [each for each in neighbours(at) if self._open(each) and self._way_left(each) < left]
            self._shelters[at] = 1.0 if self._cover(at) else AHEAD * any(self._cover(each) for each in ahead)
        needed = COVER if self.picture.in_view(stand.side, at, self._here(stand)) else UNSEEN * COVER
        return needed * (1 - self._shelters[at])

    def _cover(self, at: Hex) -> bool:
        return is_light_cover(self.picture.state, self.picture.options, at)

    def _danger(self, stand: Stand, at: Hex) -> Danger:
        key = stand.uid, stand.covered, at
        if key not in self._dangers:
            self._dangers[key] = self.picture.danger(stand, at)
        return self._dangers[key]

    def _way_left(self, at: Hex) -> int:
        """Return how far it is from a hex to the nearest goal: on foot, or as the crow flies where no way leads there."""
        left = self.way.to(at)
        return left if left is not None else FAR + min(distance(at, goal) for goal in self.goals)

    def _beam(self, stand: Stand) -> float:
        """Return half of what a steady beam promises at the best foe, for others will fire theirs; friends in its line are spared."""
        armed = [(figure, arm) for figure in stand.figures for arm in figure.arms if arm.trait("beam") is not None]
        aims = [foe.uid for foe in self.picture.foes if armed and self.picture.beams(stand.place, foe.place)]
        found = [
            beam_value(self.picture, Attack(figure.uid, arm.key, aim)) for figure, arm in armed[:1] for aim in aims
        ]
        best = max(found, default=0.0)
        return 0.5 * best if best >= WORTH_A_BEAM else 0.0

    def _exposure(self, stand: Stand, at: Hex) -> float:
        """Return what it costs an Officer to be in a hex that is not out of sight."""
        worth = max(figure.worth for figure in stand.figures if figure.officer)
        score = HIDING * worth * self._steps_to_hide(stand, at)
        if self.picture.in_view(stand.side, at, self._here(stand)):
            score += BUNCHED * worth * len(self._beside.get(at, set()) - {stand.uid})
        elif self._rockets:
            beside = [each for each in self.picture.close_to(stand.side, at) if each != stand.uid]
            score += SPLASHED * worth * sum(self._in_view(each) for each in beside)
        return score

    def _in_view(self, uid: str) -> bool:
        return self.picture.in_view(self.picture.side, self.picture.stands[uid].place)

    def _unmasking(self, stand: Stand) -> float:
        """Return what it costs that a stand leaves its hex: Officers near it may come into view who stood behind it (D-AMB-20)."""
        if stand.uid not in self._unmasked:
            here, side = self._here(stand), stand.side
            behind = [each for each in self._officers if each.uid != stand.uid and distance(each.place, here) <= 2]
            hidden = [each for each in behind if not self.picture.in_view(side, each.place)]
            worths = [each.worth for each in hidden if self.picture.in_view(side, each.place, here)]
            self._unmasked[stand.uid] = UNMASKING * sum(worths)
        return self._unmasked[stand.uid]

    def _just_left(self, stand: Stand) -> Hex | None:
        """Return the hex that a stand has left in one of the last turns; it is still in the battle's state."""
        about: Any = self.picture.state[stand.uid].attributes
        if about.get("left") is None or about["walked"] < turn(self.picture.state) - RECENTLY:
            return None
        return Hex(*about["left"])

    def _steps_to_hide(self, stand: Stand, at: Hex) -> int:
        """Return how far it is from a hex to one where no enemy sees a stand, at most :data:`NEARBY`."""
        here = self._here(stand)
        key = here, at
        if key not in self._hides:
            rings = ((steps, place) for steps in range(NEARBY) for place in ring(at, steps) if self._open(place))
            hidden = (steps for steps, place in rings if not self.picture.in_view(stand.side, place, here))
            self._hides[key] = next(hidden, NEARBY)
        return self._hides[key]

    def _here(self, stand: Stand) -> Hex:
        """Return where a stand is in truth, wherever it is thought to go."""
        return self.picture.stands[stand.uid].place

    def _open(self, at: Hex) -> bool:
        return self._land.holds(at) and at not in self.picture.once(_closed)

    def _cohesion(self, stand: Stand, at: Hex) -> float:
        """Return what is lost where bots are out of an Officer's reach (D-R9.15), and won where the routed can be rallied.

        An Officer looks after bots; they may go ahead of him as far as he can still follow in this portion.
        """
        score = 0.0
        if _officer(stand):
            for other in self._wards[stand.uid]:
                steps = self._walk(other.place).to(at)
                away = (FAR if steps is None else steps) - 1
                score -= COHESION * max(away, 0)
                score += LEADING * self._promise(other) if away <= 0 else 0.0
            for friend in self._routed:
                score += RALLYING * friend.worth * max(0, 1 - 0.5 * max(distance(at, friend.place) - 1, 0))
        elif any(figure.bot for figure in stand.figures):
            score -= COHESION * (max(self._out_of_reach(stand, at), 0) + self._in_the_way(stand, at))
        return score

    def _in_the_way(self, stand: Stand, at: Hex) -> bool:
        """Say whether a team with bots stays in the hex to which an Officer of its squad had best go."""
        own = [other for other in self._officers if self._squads[other.uid] == self._squads[stand.uid]]
        return any(at == self._station(other) for other in own)

    def _promise(self, stand: Stand) -> float:
        """Return what the fire of a stand promises where it stands, if somebody leads its bots."""
        if stand.uid not in self._promises:
            fire = self.picture.promise(stand, stand.place, steady=stand.steady)
            self._promises[stand.uid] = fire + (self._beam(stand) if stand.steady else 0.0)
        return self._promises[stand.uid]

    def _out_of_reach(self, stand: Stand, at: Hex) -> int:
        """Return by how many hexes a hex is beyond what a stand's Officer leads, his own move counted if it is still to come.

        That is the nearest Officer of its squad; of any squad, where it has lost its own.
        """
        state, squad = self.picture.state, self._squads[stand.uid]
        own = [other for other in self._officers if self._squads[other.uid] == squad]
        least = FAR
        for other in own or self._officers:
            follows = bool(own) and other.uid not in self._legal and not spent(state, other.uid, "moved")
            pace, place = _pace(self.picture, other) if follows else 0, self._station(other)
            if distance(at, place) - 1 - pace < least:  # no way is shorter than that
                steps = self._walk(place).to(at)
                least = min(least, (FAR if steps is None else steps - 1) - pace)
        return least

    def _station(self, officer: Stand) -> Hex:
        """Return where an Officer had best go with his teams: where he is, if he cannot move now or has none with bots."""
        if officer.uid not in self._legal or not self._wards[officer.uid]:
            return officer.place
        if officer.uid not in self._stations:
            wards = self._wards[officer.uid]
            steps = [*self._steps(officer), *self._after(officer, wards)]
            self._stations[officer.uid] = station(steps, [self._steps(other) for other in wards])
        return self._stations[officer.uid]

    def _after(self, officer: Stand, wards: Sequence[Stand]) -> Iterator[Step]:
        """Yield an Officer's steps into the hexes that his teams have to leave first."""
        for other in wards:
            steps = self._walk(officer.place).to(other.place)
            if other.uid in self._legal and steps is not None and steps <= _pace(self.picture, officer):
                yield Step(other.place, self._alone(officer, other.place, moved=True))

    def _steps(self, stand: Stand) -> Sequence[Step]:
        """Return where a stand can be after its Movement Action, first where it is now."""
        found = [Step(stand.place, self._alone(stand, stand.place, moved=False))]
        for intent in self._legal.get(stand.uid, ()):
            if intent.rule == "move":
                path = _path(intent)
                found.append(Step(path[-1], self._alone(stand, path[-1], moved=True, through=path[:-1])))
        return found

    def _walk(self, goal: Hex) -> Ways:
        if goal not in self._walks:
            self._walks[goal] = Ways(self.picture, [goal])
        return self._walks[goal]

    def _nearest_officer(self, stand: Stand) -> Sequence[Stand]:
        return sorted(self._officers, key=lambda each: distance(each.place, stand.place))[:1]

    def _bots_by_officer(self) -> Mapping[str, Sequence[Stand]]:
        """Return the stands with bots that each Officer looks after: those of his squad; of a squad without one, the nearest does."""
        found: dict[str, list[Stand]] = {each.uid: [] for each in self._officers}
        for stand in self.picture.own:
            if any(figure.bot for figure in stand.figures) and not _officer(stand):
                squad = self._squads[stand.uid]
                own = [each for each in self._officers if self._squads[each.uid] == squad]
                for each in own or self._nearest_officer(stand):
                    found[each.uid].append(stand)
        return found


def boldness(picture: Picture) -> float:
    """Return how much of its caution a side has: less where it is stronger than the enemy by what is left of both."""
    own, foes = (sum(len(stand.figures) for stand in stands) for stands in (picture.own, picture.foes))
    return min(1.0, max(BOLD, foes / own)) if own else 1.0


def _path(intent: Intent) -> Sequence[Hex]:
    path: Any = intent.args[1]
    return [Hex(*at) for at in path]


def _officer(stand: Stand) -> bool:
    return any(figure.officer for figure in stand.figures)


def _pace(picture: Picture, stand: Stand) -> int:
    paces = [picture.state[figure.uid].facts["movement"] for figure in stand.figures]
    return min(pace for pace in paces if isinstance(pace, int))


def in_order(picture: Picture, teams: Sequence[str]) -> list[str]:
    """Return teams in the order in which they had better move: who is led before his Officer goes on, the others after."""

    def rank(team: str) -> int:
        stand = picture.stands.get(team)
        if stand is None:
            return 3
        if _officer(stand):
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
                if at not in self._steps and at not in self._closed and self._land.holds(at):
                    self._steps[at] = self._steps[here] + 1
                    further.append(at)
        self._edge = further


def _closed(picture: Picture) -> frozenset[Hex]:
    words = scenario_words().terrain
    return frozenset([at for at, word in board(picture.state).terrain.items() if words[word].open_to != "all"])
