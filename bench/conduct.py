"""Count what looks foolish when the autopilot fights battles of two Starter Platoons: COs in view, bots left behind, idle teams.

    python -m bench.conduct [battles]

It watches the battles of :mod:`bench.battles_of_two` act by act. A count is no verdict: some of each has its reason. It asserts
nothing.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from statistics import median

from rallypoint.disrupter.autopilot import Autopilot
from rallypoint.disrupter.cover import is_light_cover
from rallypoint.disrupter.field import commander, enemy, hex_of, is_bot, living, side_of, team_of, teams, turn
from rallypoint.disrupter.game import Disrupter
from rallypoint.disrupter.orders import led
from rallypoint.disrupter.sight import lines
from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.game import Over
from rallypoint.kernel.hexes import distance
from rallypoint.kernel.history import Entry
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import Entity, State

from .battles_of_two import MOST, starter_battle

FAR_OFF = 5
"""Hexes from the nearest enemy beyond which nobody need leave his cover: out of reach of a pulse rifle."""

LINES: Mapping[str, str] = {
    "battles": "battles",
    "early": "  over within three turns",
    "side-turns": "side-turns that came to their end",
    "bunched": "  at whose end the CO was in view beside another Officer",
    "co.relieves_stress": "times a CO relieved Stress",
    "panic.routed": "teams that were routed",
    "team.rallied": "teams that were rallied",
    "co": "COs who fell",
    "co turn 1": "  in turn 1",
    "co step": "  on a move of their own",
    "co exposed": "moves of a CO into sight of more stands",
    "team-turns": "team-turns that came to their end",
    "unled": "  of teams with bots that nobody led",
    "unled idle": "    which did nothing",
    "in view": "  idle in view without cover",
    "in view, cover": "    in a hex with light cover",
    "moves": "moves",
    "back": "  to a hex where the team had been before",
    "uncovered": "  out of light cover into open view, with no enemy near",
}
"""What is counted, under which name, in the order of the print."""


class Watch:
    """Counts what happens, battle after battle."""

    def __init__(self) -> None:
        self.found: Counter[str] = Counter()
        self.turns: list[int] = []
        self._been: dict[str, set[Hex]] = {}

    def battle(self, seed: int, edge: str) -> None:
        """Watch a battle to its end."""
        game = Disrupter()
        answers = Answers(Seed(seed), others=Autopilot(game.options, seed))
        battle = Battle.start(game, starter_battle(seed, edge), answers)
        self._been = {}
        while not isinstance(battle.due, Over) and game.clock(battle.state) <= MOST:
            before, known = battle.state, battle.history.head
            battle.play(1)
            for entry in battle.history.entries[known + 1 :]:
                self._entry(entry, before, battle.state)
            if turn(battle.state) > turn(before) > 0:
                self._turn_ends(battle.state, game.options, turn(before))
        self.turns.append(turn(battle.state))
        self.found["battles"] += 1
        self.found["early"] += turn(battle.state) <= 3

    def _entry(self, entry: Entry, before: State, after: State) -> None:
        if entry.kind != "step":
            return
        removed = [str(event.why["unit"]) for event in entry.events if event.kind == "unit.removed"]
        fallen = [uid for uid in removed if before[uid].facts.get("class") == "CO"]
        self.found["co"] += len(fallen)
        self.found["co turn 1"] += len(fallen) * (turn(before) == 1)
        for event in entry.events:
            self.found[event.kind] += event.kind in LINES
        if entry.intent.rule == "move":
            self._moved(str(entry.intent.args[0]), entry, before, fallen)

    def _moved(self, team: str, entry: Entry, before: State, fallen: list[str]) -> None:
        steps = [event.why["to"] for event in entry.events if event.kind == "move.step" and event.why["team"] == team]
        start = hex_of(before, before[team])
        if start is None or not steps:
            return
        ends = [Hex(*step[:2]) for step in steps]  # type: ignore[index]
        been = self._been.setdefault(team, set())
        been.add(Hex(start.q, start.r))
        self.found["moves"] += 1
        self.found["back"] += ends[-1] in been
        been.update(ends)
        line, foes = lines(before, {}, side_of(before, team)), _foes(before, team)
        views = [sum(line(at, foe) for foe in foes) for at in (start, ends[-1])]
        if any(unit.facts.get("class") == "CO" for unit in living(before, team)):
            self.found["co step"] += len(fallen)
            self.found["co exposed"] += views[1] > views[0]
        covers = [is_light_cover(before, {}, at) for at in (start, ends[-1])]
        near = min([distance(start, foe) for foe in foes], default=0)
        self.found["uncovered"] += covers == [True, False] and near > FAR_OFF and views[1] > 0

    def _turn_ends(self, state: State, options: Mapping[str, Value], ended: int) -> None:
        for side in ("red", "blue"):
            self.found["side-turns"] += 1
            own = [team.uid for team in teams(state, side) if hex_of(state, team) and living(state, team.uid)]
            for team in own:
                self._idle(state, options, team, ended)
            at = [hex_of(state, state[team]) for team in own]
            leads = [at[n] for n, team in enumerate(own) if any(_officer(unit) for unit in living(state, team))]
            head = commander(state, side)
            if head is not None:
                place = hex_of(state, team_of(state, head.uid))
                near = sum(distance(place, each) <= 1 for each in leads if place is not None and each is not None)
                self.found["bunched"] += near > 1 and _seen(state, team_of(state, head.uid).uid)

    def _idle(self, state: State, options: Mapping[str, Value], team: str, ended: int) -> None:
        stand, at = state[team], hex_of(state, state[team])
        idle = stand.attributes.get("moved") != ended and stand.attributes.get("acted") != ended
        unled = any(is_bot(unit) for unit in living(state, team)) and not led(state, team)
        open_to_view = idle and "under_cover" not in stand.statuses and _seen(state, team)
        self.found["team-turns"] += 1
        self.found["unled"] += unled
        self.found["unled idle"] += unled and idle
        self.found["in view"] += open_to_view
        self.found["in view, cover"] += open_to_view and at is not None and is_light_cover(state, options, at)


def _officer(unit: Entity) -> bool:
    return unit.facts.get("class") in ("CO", "NCO")


def _foes(state: State, team: str) -> list[Hex]:
    """Return where the enemy's stands are."""
    found = [(foe, hex_of(state, foe)) for foe in teams(state, enemy(state, side_of(state, team)))]
    return [at for foe, at in found if at is not None and living(state, foe.uid)]


def _seen(state: State, team: str) -> bool:
    at, line = hex_of(state, state[team]), lines(state, {}, side_of(state, team))
    return at is not None and any(line(at, foe) for foe in _foes(state, team))


def main() -> None:
    watch = Watch()
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    for at in range(number):
        watch.battle(at // 2, "bottom" if at % 2 == 0 else "top")
    for key, name in LINES.items():
        print(f"{name + ':':72}{watch.found[key]:6}")
    print(f"turns: {min(watch.turns)} to {max(watch.turns)}, median {median(watch.turns)}")


if __name__ == "__main__":
    main()
