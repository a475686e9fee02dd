"""A battle with whatever plugins are installed for the duel. Needs duel-game and cold-steel in this environment."""

from __future__ import annotations

from typing import cast

from duel_game.rules import Duel, Hooks, first_state

from rallypoint.kernel.answers import PERSON, Answers
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.game import Intent
from rallypoint.kernel.plugins.discovery import discover
from rallypoint.kernel.plugins.variant import frozen_variant

variant = frozen_variant("duel", discover().found)  # the NAME of the game, as in its manifest
game = Duel(cast("Hooks", variant.hooks))  # the game object, bound to the hooks with all plugins in them
battle = Battle.start(game, first_state(), Answers(PERSON), plugins=variant.plugins)  # the log remembers the plugins

shot = Intent("fire", ("red-1", "blue-1"), "red")
battle.act(shot)
battle.answer(34)  # under Instinct 60: a hit
battle.answer(12)  # under Armor 60: saved, one Wound
battle.act(Intent("aim", ("blue-2",), "blue"))
battle.act(shot)
battle.answer(34)
for event in battle.answer(12):  # the same dice; but blue-1 is hurt now
    print(event.kind, event.by, event.why.get("hook"), event.why.get("after"))
print(dict(variant.plugins))
