"""A seat that plays alone: an opponent for one player, or both sides of a battle that nobody watches.

It keeps to the rules that bind everybody, sees what its side may know, and remembers nothing: the same view gives the same
act. Its squads engage; teams go for the enemy's Officers, take what cover there is when they have nothing to fire at, keep their
bots led and spot for rockets; Officers rally who runs and look after bots that have lost theirs. Officers keep out of sight, the
CO behind the others, and he relieves Stress when it is high or when he has no enemy in sight.

One thing it does by agreement and not by the rules: it aims beams no further than :data:`BEAM_REACH` hexes. By the rules a
Laser Cutter kills every stand in a line across the whole board, seen or not, and the side with the initiative would win in the
first turn. ``beam_reach=None`` lifts this. In a long battle it aims a hex further every turn, and minds danger less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import dist
from types import MappingProxyType
from typing import Any

from rallypoint.kernel.answers import Seed
from rallypoint.kernel.canonical import EMPTY, Value
from rallypoint.kernel.game import Intent
from rallypoint.kernel.parts import Hex, Place, Pose
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.tape import Choice, Pick

from .command import rallied_by
from .declaration import best_attacks, strikes_friends
from .engagement import Plan, best_target, plan, shots_at_places
from .field import board, commander, living, platoon, platoons, side_of, sides, squad_of, team_of, turn
from .leadership import ENGAGE, Deeds, words_due
from .manoeuvre import LONG_BATTLE, Manoeuvre, in_order
from .prospects import Picture
from .reaction_shots import attack_of
from .records import Attack
from .stress import level
from .turn import portion

__all__ = ["Autopilot"]

CALM = 4
"""Stress that a CO in sight of the enemy leaves as it is: to 5 a team is suppressed at worst (D-PT-T6)."""

RELIEF = 0.25
"""What it is worth to take 1 off Stress, for each point beyond that."""

BEAM_REACH = 4
"""How many hexes away the autopilot aims a beam at most: as far as a pulse rifle."""

CLOSE_UP = 100.0
"""How near to the enemy, in millimetres, the autopilot drives a vehicle."""

WARY: Mapping[str, Value] = MappingProxyType(
    {"text": "Engage, but in Reaction Fire only who threatens you.", "verb": "engage", "fire_policy": "return"}
)
"""The Order for the CO's squad: so its beam is held back where it would have to be fired at everything that moves."""


class Autopilot:
    """The seat.

    Args:
        options: the rulings in force.
        seed: decides between acts that look alike.
        beam_reach: how many hexes away it aims beams at most; ``None``: at anybody.
    """

    def __init__(
        self, options: Mapping[str, Value] = EMPTY, seed: int | str = 0, *, beam_reach: int | None = BEAM_REACH
    ) -> None:
        self.options = options
        self._beam_reach = beam_reach
        self._seed = Seed(seed)

    def _picture(self, view: State, side: str) -> Picture:
        reach = self._beam_reach
        if reach is not None:
            reach += max(turn(view) - LONG_BATTLE, 0)
        return Picture(view, self.options, side, reach)

    # Acts

    def act(self, legal: Sequence[Intent], view: State) -> Intent:
        """Return the next act of the seat; one that ends its portion when nothing is worth doing any more."""
        now = portion(view)
        if now is None:
            return self._brief(legal, view)
        picture = self._picture(view, now.side)
        found = self._move(picture, legal) if now.phase == "move" else self._battle(picture, legal)
        return legal[-1] if found is None else found

    def _brief(self, legal: Sequence[Intent], view: State) -> Intent:
        """Order each CO's squad to fire only at who threatens it, and other platoons of a company to engage (D-SF-4).

        All other squads get the standing Order, which is that, too.
        """
        seat = legal[-1].seat or ""
        for intent in legal:
            if intent.rule == "brief" and view[str(intent.args[0])].role == "platoon":
                return Intent("brief", (intent.args[0], ENGAGE), seat)
        heads = [commander(view, each.uid) for each in platoons(view, seat)]
        for own in [squad_of(view, head.uid).uid for head in heads if head is not None]:
            if any(intent.rule == "brief" and intent.args[0] == own for intent in legal):
                return Intent("brief", (own, WARY), seat)
        return legal[-1]

    def _move(self, picture: Picture, legal: Sequence[Intent]) -> Intent | None:
        by_team: dict[str, list[Intent]] = {}
        for intent in legal:
            if intent.rule in ("move", "take_cover"):
                by_team.setdefault(str(intent.args[0]), []).append(intent)
        by_team = {team: self._shuffled(intents, picture.state) for team, intents in by_team.items()}
        manoeuvre = Manoeuvre(picture, by_team)
        reliefs = self._reliefs(picture, legal)
        for team in in_order(picture, list(by_team)):
            choice = manoeuvre.best(team, by_team[team])
            rest = RELIEF * max(level(platoon(picture.state, team)) - CALM, 0) if team in reliefs else 0.0
            if choice is not None and (choice.gain > rest or self._leaves_view(picture, choice.intent)):
                return choice.intent
        return self._drive(picture, legal) or next(iter(reliefs.values()), None)

    def _leaves_view(self, picture: Picture, intent: Intent) -> bool:
        """Say whether a team that an enemy sees moves to where none does: there its CO relieves Stress in the next turn."""
        stand = picture.stands[str(intent.args[0])]
        if intent.rule != "move" or not picture.in_view(stand.side, stand.place):
            return False
        path: Any = intent.args[1]
        return not picture.in_view(stand.side, Hex(*path[-1]), stand.place)

    def _reliefs(self, picture: Picture, legal: Sequence[Intent]) -> Mapping[str, Intent]:
        """Return the relief of Stress that a CO may well take, by his team: where he cannot see the enemy, or where Stress is high.

        Who has a routed team beside him rallies it before it runs on (D-R16.15), a company commander may have words to give. In a long battle COs fight rather than rest.
        """
        found = {}
        for intent in legal if turn(picture.state) <= LONG_BATTLE else ():
            if intent.rule == "relieve_stress":
                head = self._relieving(picture, intent)
                if rallied_by(picture.state, head.uid) or words_due(picture, head.uid):
                    continue
                team = team_of(picture.state, head.uid).uid
                stand, stress = picture.stands.get(team), level(platoon(picture.state, team))
                if stress > CALM or stand is None or not picture.in_view(stand.side, stand.place):
                    found[team] = intent
        return found

    def _drive(self, picture: Picture, legal: Sequence[Intent]) -> Intent | None:
        """Drive a vehicle off the grid that is not near the enemy yet."""
        for intent in legal:
            if intent.rule == "drive" and _to_go(picture, picture.state[str(intent.args[0])].place) > CLOSE_UP:
                return intent
        return None

    def _relieving(self, picture: Picture, intent: Intent) -> Entity:
        """Return the CO who relieves Stress: his platoon is named where the side has several."""
        head = commander(picture.state, str(intent.args[0]) if intent.args else picture.side)
        assert head is not None
        return head

    def _shuffled(self, intents: list[Intent], view: State) -> list[Intent]:
        """Return intents so that of equals another comes first by another seed: rotated, which keeps it cheap."""
        start = self._seed.positions(Pick(view.digest, "alike", ("",) * len(intents), 1), 0, 0)[0]
        return intents[start:] + intents[:start]

    def _battle(self, picture: Picture, legal: Sequence[Intent]) -> Intent | None:
        covers = {str(intent.args[0]): intent for intent in legal if intent.rule == "take_cover"}
        teams = dict.fromkeys(str(intent.args[0]) for intent in legal if intent.rule == "act")
        listed, at_places = frozenset(_shots(legal)), shots_at_places(legal)
        may = _deeds(legal)
        plans = {team: plan(picture, team, listed, may, at_places.get(team, ())) for team in teams}
        ready = [team for team in teams if plans[team].deeds]
        if ready:
            # Who only spots goes first, for the others to use it; then whoever promises most.
            team = min(ready, key=lambda each: (_fires(plans[each]), -plans[each].value))
            return Intent("act", (team, plans[team].deeds), picture.side)
        for team, intent in covers.items():
            stand = picture.stands.get(team)
            if stand is not None and not stand.covered and picture.in_view(stand.side, stand.place):
                return intent
        return None

    # Choices

    def choose(self, ask: Choice, view: State) -> int:
        """Return the position of an option: whom to fire at in reaction, who follows the CO, how to go on."""
        decide = self._choices.get(ask.purpose)
        return 0 if decide is None else decide(self, ask, view)

    def _reaction(self, ask: Choice, view: State) -> int:
        """Fire at the best target; under cover only where it pays to lose it."""
        team = str(ask.subject)
        picture = self._picture(view, side_of(view, team))
        keys = [option.key for option in ask.options]
        value = ask.options[0].value
        assert isinstance(value, tuple)
        mover = picture.stands[team_of(view, str(value[2])).uid]
        stand = picture.stands[team]
        beam_only = not picture.shots(stand, stand.place, mover, steady=stand.steady)
        if beam_only and "hold" in keys and not picture.beams(stand.place, mover.place):
            return keys.index("hold")
        if stand.covered and picture.promise(stand, stand.place, steady=stand.steady) < 0.8:
            return keys.index("hold") if "hold" in keys else 0
        if "choose" in keys and any(
            strikes_friends(view, self.options, shot) for shot in best_attacks(view, self.options, team, mover.uid)
        ):
            return keys.index("hold" if "hold" in keys else "choose")
        key = f"fire {best_target(picture, stand, mover)}"
        return keys.index(key) if key in keys else 0

    def _reaction_shot(self, ask: Choice, view: State) -> int:
        """Fire the first weapon that strikes no friends, at the whole stand; hold rather than burn them."""
        shots = [attack_of(ask, option) for option in ask.options]
        clear = [
            at for at, shot in enumerate(shots) if shot is not None and not strikes_friends(view, self.options, shot)
        ]
        return clear[0] if clear else len(shots) - 1

    def _succession(self, ask: Choice, view: State) -> int:
        """Name the Officer with the most living units around him."""
        sizes = [len(living(view, team_of(view, option.key).uid)) for option in ask.options]
        return sizes.index(max(sizes))

    def _further(self, ask: Choice, view: State) -> int:
        """Go on where that is better than to stop."""
        team = str(ask.subject)
        manoeuvre = Manoeuvre(self._picture(view, side_of(view, team)))
        stand = manoeuvre.picture.stands[team]
        rated = [manoeuvre.rated(stand, stand.place, moved=True)]
        for option in ask.options[1:]:
            q, r = option.key.split(",")
            rated.append(manoeuvre.rated(stand, Hex(int(q), int(r)), moved=True))
        return rated.index(max(rated))

    def _template(self, ask: Choice, view: State) -> int:
        """Lay the template that ends nearest to the enemy; stop when near."""
        team = str(ask.subject)
        picture = self._picture(view, side_of(view, team))
        left = [_to_go(picture, view[team].place if each.value is None else Pose(*each.value)) for each in ask.options]  # type: ignore[misc]
        if ask.options[0].value is None and left[0] <= CLOSE_UP:
            return 0
        return left.index(min(left))

    def _resolve(self, ask: Choice, view: State) -> int:
        """Use Resolve as soon as the sides see each other."""
        picture = self._picture(view, ask.seat if ask.seat in sides(view) else sides(view)[0])
        sight = any(picture.sees(stand.side, stand.place, foe.place) for stand in picture.own for foe in picture.foes)
        return int(sight and len(ask.options) > 1)

    def _wounds(self, ask: Choice, view: State) -> int:
        """Let the unit that is worth least take Wounds."""
        picture = self._picture(view, side_of(view, str(ask.subject)))
        worths = {figure.uid: figure.worth for stand in picture.own for figure in stand.figures}
        rated = [worths.get(option.key, 0.0) for option in ask.options]
        return rated.index(min(rated))

    _choices: Mapping[str, Callable[[Autopilot, Choice, State], int]] = {
        "reaction": _reaction,
        "reaction.shot": _reaction_shot,
        "company commander": _succession,
        "succession": _succession,
        "move.further": _further,
        "vehicle.template": _template,
        "resolve": _resolve,
        "wounds": _wounds,
    }


def _deeds(legal: Sequence[Intent]) -> Deeds:
    """Return who may do what by a list of acts."""
    acts: Any = [intent.args[1] for intent in legal if intent.rule == "act"]
    return {(deed[0], deed[1]) for deeds in acts for deed in deeds}


def _to_go(picture: Picture, place: Place | None) -> float:
    """Return the millimetres from a place to the middle of the nearest enemy stand; a vehicle has time for no more than that."""
    land = board(picture.state)
    if place is None or not picture.foes:
        return 0.0
    return min(dist(land.point(place), land.point(foe.place)) for foe in picture.foes)


def _shots(legal: Sequence[Intent]) -> Iterator[Attack]:
    """Yield the shots that are listed alone, each weapon of a unit at each enemy team in its reach."""
    for intent in legal:
        deeds: Any = intent.args[1] if intent.rule == "act" else ()
        if len(deeds) == 1 and deeds[0][1] == "fire":
            shooter, _, weapon, target = deeds[0]
            yield Attack(shooter, weapon, target)


def _fires(plan: Plan) -> bool:
    return any(deed[1] != "spot" for deed in plan.deeds)
