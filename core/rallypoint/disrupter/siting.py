"""Where stands had better begin in their zone: Officers out of the enemy's sight, squads together, in cover where there is some.

The rules leave this to the players (D-R10.5, D-GM-2). Nobody knows yet where the other side begins, so it is its whole zone that
counts as looking on, past the land alone. Sight is worked out hex by hex as it is asked for, and remembered for the battle.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import inf
from typing import NamedTuple

from rallypoint.content.scenario_words import Terrain
from rallypoint.kernel.board import Board
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.hexes import distance, neighbours
from rallypoint.kernel.parts import Hex

from .sight import over_land

__all__ = ["STRAY", "Outlook", "Wish"]

LOOKOUTS = 8
"""From how many hexes of the enemy's zone it is counted how much he sees of a hex; three times as many where a CO is concerned."""

STRAY = 8
"""How many hexes a CO begins at most from where he belongs, to be out of sight; an NCO half as many. In a company a
platoon keeps to its stretch: it is shared among its platoons."""

APART = 4
"""How much a hex counts between a stand and the Officer that it follows, beyond Close Range: more than cover and view."""


_NOBODY = frozenset[Hex]()

SCREEN = 4
"""How much it counts to stand right before a CO whom the land does not hide: an enemy does not see through stands (D-AMB-20)."""

SPLASHED = 0.5
"""How many hexes that see a CO count as much as a stand beside him, for splash that is meant for it reaches him."""

BESIDE = 6
"""How much it counts against a hex that the CO is beside it, unless it is to screen him: splash that is meant for one reaches both."""

BUNCHED = 4
"""How much each own stand beside a hex counts against it: one for each of the four units that the same splash costs. Two of them
count less than to be a hex out of an Officer's reach."""


class Wish(NamedTuple):
    """What a stand wants: to be near a hex, and what else counts for it.

    ``rank``: ``CO``, ``NCO``, or empty where no Officer is in it; ``follows``: the hex is that of the Officer who leads it;
    ``looks_out``: it has a weapon that needs a view, such as a rocket; ``head``: where its CO is; ``stray``: see :data:`STRAY`;
    ``others``: where own stands are already.
    """

    near: Hex
    rank: str = ""
    follows: bool = False
    looks_out: bool = False
    head: Hex | None = None
    stray: int = STRAY
    others: Collection[Hex] = _NOBODY


class Outlook:
    """What the enemy's zone looks into.

    Args:
        land: the board.
        options: the rulings in force: what blocks sight goes by them.
        terrain: the kinds of terrain, by key.
        own: the zone of the side that deploys.
        theirs: the zone of the other side.
    """

    def __init__(
        self,
        land: Board,
        options: Mapping[str, Value],
        terrain: Mapping[str, Terrain],
        own: Sequence[Hex],
        theirs: Iterable[Hex],
    ) -> None:
        self._land, self._terrain = land, terrain
        self._line = over_land(land, options)
        self._theirs = [at for at in theirs if self._walkable(at)]
        self._lookouts, self._more = self._spread(LOOKOUTS), self._spread(3 * LOOKOUTS)
        self._hidden: dict[Hex, bool] = {}
        self._seen: dict[Hex, int] = {}
        self._blocked = any(self._kind(at) == "building" for at in land.terrain)
        self._joined = self._largest([at for at in own if self._walkable(at)])

    def best(self, free: Collection[Hex], wish: Wish, dislike: Callable[[Hex], int]) -> Hex:
        """Return the best of some free hexes for a stand.

        Args:
            free: where it may begin; at least one hex.
            wish: what it wants.
            dislike: how little it likes a hex for reasons of its own; that counts before everything else.
        """
        fit = self._fit(free, wish, dislike)
        hidden = self._hiding_place(fit, wish) if wish.rank and not wish.follows else None
        if hidden is not None:
            return hidden
        return (
            self.screened(free, wish, dislike) if wish.rank == "CO" else min(fit, key=lambda at: self._cost(at, wish))
        )

    def covers(self, at: Hex) -> bool:
        """Say whether the land alone hides a CO in a hex, or beside it: he moves before anybody fires (D-R11.9)."""
        return self.hidden(at) or any(self._walkable(each) and self.hidden(each) for each in neighbours(at))

    def _hiding_place(self, fit: Sequence[Hex], wish: Wish) -> Hex | None:
        """Return the nearest hex out of sight, for a CO also one beside such a hex; an NCO keeps off other stands, and off his CO."""
        head = wish.rank == "CO"
        near = [at for at in fit if distance(at, wish.near) <= (wish.stray if head else wish.stray // 2)]
        hidden = next((at for at in near if self.hidden(at) and (head or not _near(at, wish.others))), None)
        if hidden is not None or not head:
            return hidden
        return next((at for at in near if self.covers(at)), None)

    def screened(
        self, free: Collection[Hex], wish: Wish, dislike: Callable[[Hex], int], screen: frozenset[Hex] = _NOBODY
    ) -> Hex:
        """Return the hex that fewest hexes of the enemy's zone see past a side's own stands, which are in his way (D-AMB-20)."""
        fit = self._fit(free, wish, dislike)
        best, least = fit[0], inf
        for at in [at for at in fit if distance(at, wish.near) <= wish.stray]:
            seen: float = SPLASHED * len(screen.intersection(neighbours(at)))
            for each in self._more:
                seen += self._line(each, at, screen)
                if seen >= least:
                    break
            else:
                best, least = at, seen
        return best

    def _fit(self, free: Collection[Hex], wish: Wish, dislike: Callable[[Hex], int]) -> list[Hex]:
        """Return the free hexes that nothing speaks against, the nearest to where a stand belongs first, of two alike the one in front."""
        rated = [((dislike(at), self.walled_in(at)), at) for at in free]
        least = min(rate for rate, _ in rated)
        fit = [at for rate, at in rated if rate == least]
        return sorted(fit, key=lambda at: (distance(at, wish.near), self._to_go(at), at.r, at.q))

    def _cost(self, at: Hex, wish: Wish) -> int:
        """Return what speaks against a hex: the way to where the stand belongs, no cover, who sees it."""
        hexes = distance(at, wish.near)
        away = hexes + APART * max(hexes - 1, 0) if wish.follows else hexes
        if not self._blocked:
            return 2 * away + self._company(at, wish)
        seen = self.seen(at)
        view = 2 * seen if wish.rank else seen // 3
        if wish.looks_out and not wish.rank:
            view = 4 * (seen == 0)
        return 2 * away + view + 2 * (not self._is_cover(at)) + self._company(at, wish)

    def _company(self, at: Hex, wish: Wish) -> int:
        """Return what speaks against a hex for the sake of those beside it, and of the CO."""
        return BUNCHED * _beside(at, wish) + self._by_the_head(at, wish)

    def _by_the_head(self, at: Hex, wish: Wish) -> int:
        """Return what speaks against a hex for the CO's sake: who is beside him to no use; one whom the land does not hide wants a screen."""
        if wish.head is None:
            return 0
        hexes, bare = distance(at, wish.head), not self.covers(wish.head)
        if wish.rank:
            return BESIDE * (hexes <= 1) + 2 * bare * max(hexes - 2, 0)
        screens = bare and hexes == 1 and self._to_go(at) < self._to_go(wish.head)
        return SCREEN * (bare and not screens) + BESIDE * (hexes <= 1 and not screens)

    def ways_out(self, at: Hex, held: Collection[Hex]) -> Sequence[Hex]:
        """Return the hexes beside a hex to which a stand can go, past those that are held: first one out of sight, then the least seen."""
        free = [each for each in neighbours(at) if each not in held and self._walkable(each)]
        return sorted(free, key=lambda each: (not self.hidden(each), self.seen(each)))

    def hidden(self, at: Hex) -> bool:
        """Say whether no hex of the enemy's zone sees a hex."""
        if at not in self._hidden:
            self._hidden[at] = self._blocked and not any(
                self._line(each, at, _NOBODY) for each in self._nearest_first(at)
            )
        return self._hidden[at]

    def seen(self, at: Hex) -> int:
        """Return how many of the lookouts see a hex: some hexes of the enemy's zone, evenly spread."""
        if at not in self._seen:
            known = self._hidden.get(at, False)
            self._seen[at] = 0 if known else sum(self._line(each, at, _NOBODY) for each in self._lookouts)
        return self._seen[at]

    def walled_in(self, at: Hex) -> bool:
        """Say whether no way leads from a hex to where most of its zone can go: a stand there would never get out."""
        return at not in self._joined

    def _to_go(self, at: Hex) -> int:
        """Return how far the enemy's zone is: of two hexes that are alike the one in front is taken, on either edge."""
        return min((distance(each, at) for each in self._theirs), default=0)

    def _nearest_first(self, at: Hex) -> Sequence[Hex]:
        return sorted(self._theirs, key=lambda each: distance(each, at))

    def _spread(self, number: int) -> Sequence[Hex]:
        """Return about so many hexes of the enemy's zone, evenly spread."""
        every = max(len(self._theirs) // number, 1)
        return self._theirs[every // 2 :: every][:number]

    def _largest(self, zone: Sequence[Hex]) -> frozenset[Hex]:
        """Return the ground that is joined to most hexes of a zone."""
        best, most, left = frozenset[Hex](), 0, set(zone)
        for start in zone:
            if start in left:
                ground = self._ground(start)
                if len(left & ground) > most:
                    best, most = ground, len(left & ground)
                left -= ground
        return best

    def _ground(self, start: Hex) -> frozenset[Hex]:
        found, edge = {start}, [start]
        while edge:
            further = [at for here in edge for at in neighbours(here) if at not in found and self._walkable(at)]
            edge = list(dict.fromkeys(further))
            found.update(edge)
        return frozenset(found)

    def _kind(self, at: Hex) -> str:
        word = self._land.terrain_at(at)
        return "" if word is None else self._terrain[word].group

    def _is_cover(self, at: Hex) -> bool:
        return self._kind(at) == "cover"

    def _walkable(self, at: Hex) -> bool:
        word = self._land.terrain_at(at) if self._land.holds(at) else None
        return self._land.holds(at) and (word is None or self._terrain[word].open_to == "all")


def _beside(at: Hex, wish: Wish) -> int:
    """Return how many own stands are beside a hex; not the Officer who leads it, and not the CO, who is reckoned with apart."""
    apart = {wish.head, wish.near if wish.follows else None}
    return _near(at, [each for each in wish.others if each not in apart])


def _near(at: Hex, others: Iterable[Hex]) -> int:
    """Return how many of some hexes are within one of a hex."""
    return sum(distance(at, each) <= 1 for each in others)
