"""Real battles with installed plugins: the broken ones stay out, the order of installation does not matter, news is told."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from duel import Duel, Hooks, first_state

from rallypoint.kernel.answers import PERSON, Answers, AtRandom, Script, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.errors import PluginError, RuleError
from rallypoint.kernel.game import Intent, Over
from rallypoint.kernel.odds import outcomes
from rallypoint.kernel.plugins.discovery import discover
from rallypoint.kernel.plugins.switches import Switches
from rallypoint.kernel.plugins.variant import Variant, frozen_variant
from rallypoint.kernel.replay import replay
from rallypoint.kernel.step import run

from .distributions import distribution

SHOT = Intent("fire", ("red-1", "blue-1"), "red")
HIT_NO_SAVE = (34, 77)
"""34 is under Instinct 60, a hit; 77 is not under Armor 60, no save: 2 Wounds by the duel's own rule."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Path]:
    """A folder of distributions with the duel among them; what is imported from it is forgotten afterwards."""
    folder = tmp_path / "site"
    folder.mkdir()
    distribution(folder, "duel", manifest='[game]\nmodule = "duel"\nhooks = "duel:Hooks"\n')
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    yield folder
    sys.path.remove(str(folder))
    for name in set(sys.modules) - before:
        if name.startswith("pkg_"):
            del sys.modules[name]


def plugin(folder: Path, name: str, body: str, extra: str = "") -> None:
    package = f"pkg_{name.replace('-', '_')}"
    text = f"from rallypoint.kernel.plugins.hooks import hookimpl\n\n{body}\n"
    manifest = f'{extra}\nhooks = "{package}.impl"\n[needs]\nduel = "1.0"\n'
    distribution(folder, name, {"impl.py": text}, manifest=manifest, package=package)


def variant(folder: Path, switches: Switches | None = None, heard: list[str] | None = None) -> Variant:
    def report(plugin: str, hook: str, error: BaseException) -> None:
        assert heard is not None, error
        heard.append(f"{plugin}, {hook}: {error}")

    return frozen_variant("duel", discover([str(folder)]).found, switches, report=report)


def duel(found: Variant) -> Duel:
    return Duel(cast("Hooks", found.hooks))


ADD = "@hookimpl\ndef fire_wounds(wounds):\n    return wounds + 1"
TWICE = "@hookimpl\ndef fire_wounds(wounds):\n    return wounds * 2"


def test_the_battle_runs_with_the_plugins_that_work(site: Path) -> None:
    plugin(site, "good", ADD)
    for name, body in {
        "import-error": "import nowhere_to_be_found",
        "exits": "raise SystemExit(3)",
        "syntax": "def fire_wounds(:",
        "misspelt": "@hookimpl\ndef fire_wound(wounds): ...",
        "keyword-only": "@hookimpl\ndef fire_wounds(*, wounds): ...",
        "asynchronous": "@hookimpl\nasync def fire_wounds(wounds): ...",
    }.items():
        plugin(site, name, body)
    found = variant(site)
    assert found.plugins == {"duel": "1.0", "good": "1.0"}
    assert sorted(row.name for row in found.rows if row.state == "broken") == [
        "asynchronous",
        "exits",
        "import-error",
        "keyword-only",
        "misspelt",
        "syntax",
    ]
    battle = Battle.start(duel(found), first_state(), Answers(Seed(7), others=AtRandom(1)), plugins=found.plugins)
    assert isinstance(battle.play(), Over)
    assert replay(battle.history.entries, duel(found), found.plugins).hash == battle.state.digest


def test_a_plugin_changes_one_number_and_the_log_cites_it(site: Path) -> None:
    plugin(site, "good", ADD)
    done = run(duel(variant(site)), first_state(), SHOT, Script([12, 77]))
    assert done.state["blue-1"].value("Wounds") == 2  # 3 Wounds on a unit that can take 2
    assert [event.kind for event in done.events] == ["check", "check", "plugin.answered", "wounds", "turn.passed"]
    answered, wounds = done.events[2:4]
    assert (answered.by, answered.why) == ("good", {"hook": "fire_wounds", "before": 2, "after": 3})
    assert (wounds.by, wounds.why["wounds"]) == (None, 3)


@pytest.mark.parametrize("extra", ["", 'after = ["twice"]'])
def test_installed_in_either_order_two_plugins_give_byte_equal_logs(site: Path, tmp_path: Path, extra: str) -> None:
    plugin(site, "add", ADD, extra)
    plugin(site, "twice", TWICE)
    logs = []
    for folders in ([site], [site, tmp_path / "none"]):
        found = discover([str(folder) for folder in folders]).found
        for order in (found, tuple(reversed(found))):
            made = frozen_variant("duel", order)
            game = Duel(cast("Hooks", made.hooks))
            battle = Battle.start(game, first_state(), Answers(Seed(7), others=AtRandom(1)), plugins=made.plugins)
            battle.play()
            logs.append([(entry.changes_text, entry.body_text, entry.hash) for entry in battle.history.entries])
            (hit,) = [e for e in run(game, first_state(), SHOT, Script(HIT_NO_SAVE)).events if e.kind == "wounds"]
            # By name "add" comes before "twice": (2 + 1) * 2. Declared after it: 2 * 2 + 1.
            assert hit.why["wounds"] == (5 if extra else 6)
    assert logs[0] == logs[1] == logs[2] == logs[3]


def test_an_exception_in_a_hook_undoes_the_step_and_names_plugin_hook_and_unit(site: Path) -> None:
    plugin(site, "faulty", "@hookimpl\ndef fire_wounds(wounds):\n    return wounds / 0")
    battle = Battle.start(duel(variant(site)), first_state(), Answers(PERSON))
    battle.act(SHOT)
    battle.answer(34)
    before = (battle.state.digest, battle.history.head)
    with pytest.raises(PluginError) as caught:
        battle.answer(77)
    assert (caught.value.plugin, caught.value.hook, caught.value.unit) == ("faulty", "fire_wounds", "blue-1")
    assert "division" in str(caught.value)
    assert (battle.state.digest, battle.history.head) == before
    assert battle.question is not None
    with pytest.raises(PluginError):
        battle.answer(12)  # the question is still open, and the hook fails with another answer, too


def test_a_plugin_may_refuse_an_act(site: Path) -> None:
    body = (
        "from rallypoint.kernel.errors import RuleError\n"
        "@hookimpl\ndef fire_wounds(target):\n    raise RuleError('a truce holds', rule='HOME-1')"
    )
    plugin(site, "truce", body)
    with pytest.raises(RuleError, match=r"a truce holds \(HOME-1\)"):
        run(duel(variant(site)), first_state(), SHOT, Script(HIT_NO_SAVE))


def test_a_plugin_that_writes_into_the_state_is_named(site: Path) -> None:
    plugin(site, "vandal", "@hookimpl\ndef fire_wounds(target):\n    target.trackers['Wounds'] = None")
    with pytest.raises(PluginError, match="does not support item assignment") as caught:
        run(duel(variant(site)), first_state(), SHOT, Script(HIT_NO_SAVE))
    assert caught.value.plugin == "vandal"


def test_two_that_decide_one_ruling_are_named_at_the_start_with_the_choice(site: Path) -> None:
    plugin(site, "add", ADD, 'decides = ["DUEL-3"]')
    plugin(site, "twice", TWICE, 'decides = ["DUEL-3"]')
    with pytest.raises(PluginError, match="2 plugins decide the ruling DUEL-3") as caught:
        variant(site)
    assert caught.value.hint == "choose: rallypoint plugin disable add, or rallypoint plugin disable twice"
    assert variant(site, Switches.of(disabled=["add"])).plugins == {"duel": "1.0", "twice": "1.0"}


def test_a_game_that_is_off_or_not_there_cannot_be_played(site: Path) -> None:
    with pytest.raises(PluginError, match="cannot be played; found: disabled"):
        variant(site, Switches.of(disabled=["duel"]))
    with pytest.raises(PluginError, match="it is not installed"):
        frozen_variant("chess", discover([str(site)]).found)


NEWS = """
HEARD = []
@hookimpl
def battle_started(state):
    HEARD.append(("started", state.digest))
@hookimpl
def step_committed(events, state):
    HEARD.append((tuple(event.kind for event in events), state.digest))
@hookimpl
def step_undone(state):
    HEARD.append(("undone", state.digest))
@hookimpl
def battle_over(result):
    HEARD.append(("over", result["won"]))
"""


def test_news_of_a_battles_life_is_told_after_live_commits_only(site: Path) -> None:
    plugin(site, "listener", NEWS)
    plugin(site, "grumpy", "@hookimpl\ndef step_committed():\n    raise ValueError('no')")
    complaints: list[str] = []
    game = duel(variant(site, heard=complaints))
    heard = importlib.import_module("pkg_listener.impl").HEARD
    start = first_state(1)
    battle = Battle.start(game, start, Answers(PERSON))
    assert heard == [("started", start.digest)]
    battle.act(SHOT)
    battle.answer(34)
    assert len(heard) == 1  # the step still waits
    battle.answer(77)
    hit = battle.state.digest
    assert heard[1:] == [(("check", "check", "wounds", "turn.passed"), hit), ("over", "red")]
    assert complaints == ["grumpy, step_committed: no"]  # and the listener heard all the same
    battle.undo()
    assert heard[3:] == [("undone", start.digest)]
    battle.redo()
    heard.clear()
    replay(battle.history.entries, game)
    outcomes(game, start, SHOT, lambda done: done.state.digest)
    assert heard == []


def test_a_wrapper_cannot_swallow_a_suspension(site: Path, tmp_path: Path) -> None:
    (site / "feud.py").write_text(
        "from typing import Protocol\n"
        "from duel import Duel, fire, pass_turn\n"
        "from rallypoint.kernel.plugins.hooks import decide\n"
        "from rallypoint.kernel.changes import SetAttribute\n"
        "class Hooks(Protocol):\n"
        "    hook_api = '1.0'\n"
        "    @decide()\n"
        "    def loudness(self, step, unit: str): ...\n"
        "def shout(step, unit):\n"
        "    loud = step.hooks.loudness(step, unit)\n"
        "    step.emit('shout', SetAttribute('duel', 'loud', loud), rule='F-1')\n"
        "class Feud(Duel):\n"
        "    rules = {'shout': shout}\n"
    )
    distribution(site, "feud", manifest='[game]\nmodule = "feud"\nhooks = "feud:Hooks"\n', package="pkg_feud")
    for name, body in {
        "dice": (
            "from rallypoint.kernel.dice import D6, Throw\n"
            "@hookimpl\ndef loudness(step, unit):\n    return step.roll(Throw(unit, 'shout', D6))[0]"
        ),
        "glutton": (
            "@hookimpl(wrapper=True)\ndef loudness():\n"
            "    try:\n        return (yield)\n    except BaseException:\n        return 6"
        ),
    }.items():
        package = f"pkg_{name}"
        text = f"from rallypoint.kernel.plugins.hooks import hookimpl\n\n{body}\n"
        distribution(site, name, {"impl.py": text}, manifest=f'hooks = "{package}.impl"\n[needs]\nfeud = "1.0"\n')
    made = frozen_variant("feud", discover([str(site)]).found)
    feud = importlib.import_module("feud")
    game = feud.Feud.__new__(feud.Feud)
    game.hooks = made.hooks
    battle: Battle[object] = Battle.start(game, first_state(), Answers(PERSON))
    intent = Intent("shout", ("red-1",), "red")
    game.legal = lambda state, seat: [intent]
    assert battle.act(intent) == ()
    assert battle.question is not None
    battle.answer(2)
    assert battle.state["duel"].attributes["loud"] == 2
    del sys.modules["feud"]


def test_a_plugin_that_takes_an_event_away_still_stands_in_the_log(site: Path) -> None:
    plugin(site, "armour", "@hookimpl\ndef fire_wounds(wounds):\n    return 0")
    (answered,) = [e for e in run(duel(variant(site)), first_state(), SHOT, Script(HIT_NO_SAVE)).events if e.by]
    assert (answered.by, answered.why) == ("armour", {"hook": "fire_wounds", "before": 2, "after": 0})
