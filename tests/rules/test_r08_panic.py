"""Rule 8: Stress, Panic Checks and the tables; and what follows when somebody falls (D-R6.4, D-R8, D-PT)."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import pytest

from rallypoint.disrupter.harm import remove, wound
from rallypoint.disrupter.panic import platoon_panic, result_named, result_of, team_panic
from rallypoint.disrupter.records import Allocation
from rallypoint.disrupter.stress import change_stress
from rallypoint.kernel.changes import SetAttribute, SetPlace, SetStatus, SetTracker
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.game import Intent
from rallypoint.kernel.odds import outcomes
from rallypoint.kernel.parts import Hex
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.step import Done
from rallypoint.kernel.tape import Choose

from ..disrupter.positions import changed, position, rules, status, step, team, unit
from .playing import fight, out, playing, told

PASS = 20
"""A d20 that passes at every Stress below 20."""


def stressed(value: int, *teams: list[Entity], **more: object) -> State:
    """Return a red team of two soldiers and a bot (and others), with this Stress; the CO is far off."""
    red = team("R1A", (0, 0), unit("Soldier"), unit("Soldier"), unit("Bot"))
    state = fight(red, *teams, team("B1A", (9, 0), unit("Bot")), **more)
    return changed(state, SetTracker("R", "Stress", value))


def fell(*units: str, each: int = 9) -> tuple[Allocation, ...]:
    return tuple([Allocation(uid, each) for uid in units])


def checked(done: Done) -> list[object]:
    return [event.why["subject"] for event in told(done, "panic.check")]


# Stress


@pytest.mark.rule("D-R8.1", "D-AMB-08")
@pytest.mark.parametrize(("value", "amount", "after"), [(19, 3, 20), (1, -3, 0), (5, 2, 7)])
def test_stress_stays_between_0_and_20(value: int, amount: int, after: int) -> None:
    done = step(stressed(value), change_stress, "red", amount, "test", "D-R8.1")
    assert done.state["R"].value("Stress") == after


@pytest.mark.rule("D-AMB-08")
def test_stress_starts_at_0_and_by_ruling_elsewhere() -> None:
    assert fight(team("R1A", (0, 0), unit("Bot")), team("B1A", (9, 0), unit("Bot")))["R"].value("Stress") == 0
    options = {"D-AMB-08.start": 2, "D-AMB-08.min": 2}
    state = fight(team("R1A", (0, 0), unit("Bot")), team("B1A", (9, 0), unit("Bot")), options=options)
    assert state["R"].value("Stress") == 2
    assert step(state, change_stress, "red", -1, "test", "D-R8.5", options=options).state["R"].value("Stress") == 2


@pytest.mark.rule("D-R8.1")
def test_plugins_may_do_away_with_stress_and_panic() -> None:
    @hookimpl
    def stress_change() -> int:
        return 0

    @hookimpl
    def panic_check() -> bool:
        return True

    plugin = SimpleNamespace(stress_change=stress_change, panic_check=panic_check)
    done = step(stressed(19), wound, fell("R1A-1"), "D-R16.10", plugins=[plugin])  # no dice are thrown
    assert (done.state["R"].value("Stress"), out(done.state)) == (19, {"R1A-1": "dead"})


# Panic checks


@pytest.mark.rule("D-R8.2", "D-PT-T1")
@pytest.mark.parametrize(
    ("level", "face", "kind"),
    [(5, 6, None), (5, 5, "panic.suppressed"), (10, 6, "panic.retreated"), (15, 11, "panic.routed"), (15, 16, None)],
)
def test_a_d20_above_stress_passes_and_else_its_row_counts(level: int, face: int, kind: str | None) -> None:
    done = step(stressed(level), team_panic, "R1A", dice=[face])
    assert done.events[0].kind == "panic.check"
    assert [event.kind for event in done.events[1:] if event.kind.startswith("panic.")] == ([kind] if kind else [])


@pytest.mark.rule("D-R8.2")
def test_at_stress_0_nobody_panics_and_at_20_everybody_does() -> None:
    assert step(stressed(0), team_panic, "R1A").events == ()
    assert "panic.status_effect" in [event.kind for event in step(stressed(20), team_panic, "R1A", dice=[20]).events]


@pytest.mark.rule("D-PT-T1")
def test_the_team_table_has_twenty_rows_in_four_bands() -> None:
    rows = [result_of("team", face) for face in range(1, 21)]
    assert rows == ["suppressed"] * 5 + ["retreated"] * 5 + ["routed"] * 5 + ["status_effect"] * 5
    assert {result_of("platoon", face) for face in range(1, 21)} == {"status_effect"}


@pytest.mark.rule("D-PT-T2")
def test_the_misspelt_word_of_the_source_is_understood() -> None:
    assert result_named("Surpressed") == result_named("suppressed") == "suppressed"
    with pytest.raises(InputError, match="no such result"):
        result_named("amused")


@pytest.mark.rule("D-PT-T6")
@pytest.mark.parametrize("level", [1, 5, 7, 13, 20])
def test_the_odds_of_panic_are_those_that_counting_gives(level: int) -> None:
    bands = {
        "panic.suppressed": (1, 5),
        "panic.retreated": (6, 10),
        "panic.routed": (11, 15),
        "panic.status_effect": (16, 20),
    }

    def result(done: Done) -> str:
        kinds = [event.kind for event in done.events]
        return next((kind for kind in bands if kind in kinds), "pass")

    found = outcomes(playing(team_panic), stressed(level), Intent("team_panic", ("R1A",)), result)
    expected = {"pass": Fraction(20 - level, 20)}
    for kind, (first, last) in bands.items():
        expected[kind] = Fraction(max(min(level, last) - first + 1, 0), 20)
    assert found == {kind: share for kind, share in expected.items() if share}


@pytest.mark.rule("D-R8.8", "D-AMB-11")
def test_bots_do_not_panic_and_mixed_teams_do_while_a_human_lives() -> None:
    bots = stressed(20, team("R1B", (4, 0), unit("Bot"), unit("Bot")))
    assert step(bots, team_panic, "R1B").events == ()
    mixed = changed(stressed(20), SetStatus("R1A-1", status("out")))
    assert step(mixed, team_panic, "R1A", dice=[1]).events != ()
    left = changed(mixed, SetStatus("R1A-2", status("out")))
    assert step(left, team_panic, "R1A").events == ()


@pytest.mark.rule("D-AMB-44")
def test_an_officer_does_not_help_against_panic_but_by_ruling() -> None:
    state = stressed(10, team("R1B", (1, 0), unit("NCO")))
    assert step(state, team_panic, "R1A", dice=[12]).tape[0].answer == (12,)
    plus = {"D-AMB-44": "yes"}
    done = step(state, team_panic, "R1A", dice=[[3, 12]], options=plus)
    assert "suppressed" not in done.state["R1A"].statuses
    worse = step(state, team_panic, "R1A", dice=[[1, 3]], options=plus)
    assert "suppressed" in worse.state["R1A"].statuses
    milder = step(changed(state, SetTracker("R", "Stress", 15)), team_panic, "R1A", dice=[[12, 3]], options=plus)
    assert sorted(milder.state["R1A"].statuses) == ["suppressed"]  # of two failures the milder row
    whole = step(state, platoon_panic, "R1A-1", dice=[12], options=plus)  # a platoon is beside nobody
    assert whole.tape[0].answer == (12,)


# What the rows do


@pytest.mark.rule("D-PT-T3")
def test_suppressed_holds_for_the_whole_next_turn_and_does_not_add_up() -> None:
    once = step(stressed(5), team_panic, "R1A", dice=[1]).state
    held = once["R1A"].statuses["suppressed"]
    assert (held.since, held.until) == (2, 2)
    again = step(once, team_panic, "R1A", dice=[2]).state["R1A"].statuses["suppressed"]
    assert (again.since, again.until) == (2, 2)
    later = changed(once, SetAttribute("battle", "turn", 2))
    longer = step(later, team_panic, "R1A", dice=[2]).state["R1A"].statuses["suppressed"]
    assert (longer.since, longer.until) == (2, 3)
    now = step(stressed(5), team_panic, "R1A", dice=[1], options={"D-PT-T3": "now"}).state["R1A"].statuses["suppressed"]
    assert (now.since, now.until) == (1, 2)


@pytest.mark.rule("D-PT-T4")
def test_a_retreat_ends_at_once_where_an_officer_is_near() -> None:
    done = step(stressed(10), team_panic, "R1A", dice=[7])
    assert "retreating" in done.state["R1A"].statuses
    near = stressed(10, team("R1B", (1, 0), unit("NCO")))
    done = step(near, team_panic, "R1A", dice=[7])
    assert "retreating" not in done.state["R1A"].statuses
    assert done.events[-1].kind == "panic.halted"


@pytest.mark.rule("D-PT-T5")
def test_a_rout_is_one_more_stress_and_outdoes_a_retreat() -> None:
    running = changed(stressed(15), SetStatus("R1A", status("retreating", since=1)))
    done = step(running, team_panic, "R1A", dice=[12])
    assert done.state["R"].value("Stress") == 16
    assert sorted(done.state["R1A"].statuses) == ["routed"]
    still = step(done.state, team_panic, "R1A", dice=[7])
    assert sorted(still.state["R1A"].statuses) == ["routed"]


@pytest.mark.rule("D-PT-S")
def test_rows_that_are_not_written_are_told_and_do_nothing_without_an_owner() -> None:
    done = step(stressed(20), platoon_panic, "red", dice=[13])
    event = told(done, "panic.status_effect")[0]
    assert (event.rule, event.why) == ("D-PT-S", {"table": "platoon", "d20": 13, "subject": "R"})
    assert done.state == stressed(20)


@pytest.mark.rule("D-PT-S")
def test_the_owner_of_the_table_is_asked_where_there_is_one() -> None:
    done = step(stressed(20, referee=True), team_panic, "R1A", dice=[17, "suppressed"])
    (ask,) = [entry.question.asks[0] for entry in done.tape if isinstance(entry.question, Choose)]
    assert (ask.seat, ask.purpose, ask.subject) == ("referee", "panic.status_effect", "R1A")
    assert "suppressed" in done.state["R1A"].statuses


@pytest.mark.rule("D-PT-S")
@pytest.mark.parametrize(
    ("face", "held", "level"), [(3, [], 20), (8, [], 20), (13, ["R1A"], 20), (18, ["R1A", "R1B", "R9Z"], 20)]
)
def test_an_unofficial_pack_stands_in_where_it_is_wanted(face: int, held: list[str], level: int) -> None:
    state = stressed(20, team("R1B", (0, 4), unit("NCO")))
    done = step(state, platoon_panic, "red", dice=[face], options={"D-PT-S": "unofficial"})
    assert [entity.uid for entity in done.state if "suppressed" in entity.statuses] == held
    frozen = step(state, team_panic, "R1A", dice=[16], options={"D-PT-S": "unofficial"})
    assert frozen.state["R1A"].statuses["suppressed"].until == 3


@pytest.mark.rule("D-PT-S", "D-PT-T3")
def test_who_is_frozen_for_two_turns_is_not_suppressed_for_less() -> None:
    frozen = step(stressed(20), team_panic, "R1A", dice=[16], options={"D-PT-S": "unofficial"}).state
    held = step(frozen, team_panic, "R1A", dice=[2]).state["R1A"].statuses["suppressed"]
    assert (held.since, held.until) == (2, 3)


@pytest.mark.rule("D-PT-S")
def test_more_stress_of_the_unofficial_pack() -> None:
    done = step(stressed(10), platoon_panic, "red", dice=[8], options={"D-PT-S": "unofficial"})
    assert done.state["R"].value("Stress") == 11


@pytest.mark.rule("D-PT-T1", "D-R8.2")
def test_plugins_may_say_that_somebody_panics_and_how() -> None:
    @hookimpl
    def panic_check() -> bool:
        return False

    @hookimpl
    def panic_effect() -> str:
        return "routed"

    plugin = SimpleNamespace(panic_check=panic_check, panic_effect=panic_effect)
    done = step(stressed(0), team_panic, "R1A", dice=[2], plugins=[plugin])
    assert "routed" in done.state["R1A"].statuses


# Wounds and removal


@pytest.mark.rule("D-R6.4")
def test_a_unit_is_out_when_it_has_taken_all_its_wounds() -> None:
    state = stressed(0)
    hurt = step(state, wound, fell("R1A-1", each=1), "D-R16.10").state
    assert (hurt["R1A-1"].value("Wounds"), out(hurt)) == (1, {})
    done = step(hurt, wound, fell("R1A-1", each=1), "D-R16.10", dice=[PASS, PASS])
    assert (done.state["R1A-1"].value("Wounds"), out(done.state)) == (2, {"R1A-1": "dead"})
    lost = step(done.state, wound, fell("R1A-1", each=3), "D-R16.10")
    assert (lost.state == done.state, lost.events[0].kind, lost.events[0].why["lost"]) == (True, "wounds.lost", 3)


@pytest.mark.rule("D-R6.4")
def test_plugins_may_change_the_harm_and_what_became_of_somebody() -> None:
    @hookimpl
    def harm_apply(wounds: int) -> int:
        return wounds * 2

    @hookimpl
    def harm_removed() -> str:
        return "incapacitated"

    plugin = SimpleNamespace(harm_apply=harm_apply, harm_removed=harm_removed)
    done = step(stressed(0), wound, fell("R1A-1", each=1), "D-R16.10", dice=[PASS, PASS], plugins=[plugin])
    assert out(done.state) == {"R1A-1": "incapacitated"}


@pytest.mark.rule("D-R8.6", "D-R8.7", "D-AMB-03")
def test_a_human_death_is_stress_a_platoon_check_then_the_teams_checks() -> None:
    near, far = team("R1B", (1, 0), unit("Soldier")), team("R1C", (2, 0), unit("Soldier"))
    foe = team("B1B", (0, 1), unit("Soldier"))
    state = changed(stressed(3, near, far, foe), SetTracker("B", "Stress", 9))
    done = step(state, wound, fell("R1A-1"), "D-R16.10", dice=[PASS, PASS, PASS])
    assert [event.kind for event in done.events] == ["wounds", "unit.removed", "stress", *["panic.check"] * 3]
    assert checked(done) == ["R", "R1A", "R1B"]  # its own first; no foes, nobody two hexes off
    assert done.state["R"].value("Stress") == 4
    assert rules(done)[:3] == ["D-R16.10", "D-R6.4", "D-R8.6"]


@pytest.mark.rule("D-R8.6", "D-R8.7")
def test_bots_that_fall_trouble_nobody() -> None:
    done = step(stressed(10), wound, fell("R1A-3"), "D-R16.10")
    assert (out(done.state), done.state["R"].value("Stress")) == ({"R1A-3": "dead"}, 10)


@pytest.mark.rule("D-R8.7")
def test_who_runs_off_the_board_is_no_death_but_is_seen() -> None:
    done = step(stressed(4), remove, "R1A-1", "ran", "D-PT-T5", dice=[PASS])
    assert (checked(done), done.state["R"].value("Stress")) == (["R1A"], 4)
    assert out(done.state) == {"R1A-1": "ran"}


@pytest.mark.rule("D-AMB-03", "D-GM-5")
def test_in_a_campaign_dice_say_who_is_dead_and_only_the_dead_are_deaths() -> None:
    state = stressed(3, mode="campaign")
    hurt = step(state, wound, fell("R1A-1"), "D-R16.10", dice=[49, PASS])
    assert (out(hurt.state), checked(hurt), hurt.state["R"].value("Stress")) == ({"R1A-1": "incapacitated"}, ["R1A"], 3)
    dead = step(state, wound, fell("R1A-1"), "D-R16.10", dice=[50, PASS, PASS])
    assert (out(dead.state), checked(dead), dead.state["R"].value("Stress")) == ({"R1A-1": "dead"}, ["R", "R1A"], 4)


@pytest.mark.rule("D-AMB-03")
@pytest.mark.parametrize(("ruling", "level"), [("any_removal", 4), ("dead_only", 3)])
def test_outside_campaigns_any_removal_counts_or_by_ruling_only_the_dead(ruling: str, level: int) -> None:
    @hookimpl
    def harm_removed() -> str:
        return "incapacitated"

    plugins = [SimpleNamespace(harm_removed=harm_removed)]
    script = [PASS] * (level - 2)
    done = step(
        stressed(3), wound, fell("R1A-1"), "D-R16.10", dice=script, options={"D-AMB-03": ruling}, plugins=plugins
    )
    assert done.state["R"].value("Stress") == level


@pytest.mark.rule("D-AMB-10")
def test_several_casualties_are_followed_up_one_by_one() -> None:
    near = team("R1B", (1, 0), unit("Soldier"))
    done = step(stressed(3, near), wound, fell("R1A-1", "R1A-2"), "D-R16.10", dice=[PASS] * 6)
    kinds = [event.kind for event in done.events]
    assert kinds[:4] == ["wounds", "unit.removed", "wounds", "unit.removed"]
    # Nobody is left of the humans of R1A: its bot does not check.
    assert checked(done) == ["R", "R1B", "R", "R1B"]
    assert done.state["R"].value("Stress") == 5


@pytest.mark.rule("D-AMB-10")
def test_by_ruling_a_team_checks_once_for_all_of_them() -> None:
    near = team("R1B", (1, 0), unit("Soldier"))
    options = {"D-AMB-10": "one_check_per_team"}
    done = step(stressed(3, near), wound, fell("R1A-1", "R1A-2"), "D-R16.10", dice=[PASS] * 3, options=options)
    assert checked(done) == ["R", "R", "R1B"]


@pytest.mark.rule("D-AMB-10", "D-R8.7")
def test_teams_check_in_order_of_distance_then_of_their_codes() -> None:
    others = team("R2A", (0, 1), unit("Soldier")), team("R1C", (1, 0), unit("Soldier"))
    done = step(stressed(3, *others), wound, fell("R1A-1"), "D-R16.10", dice=[PASS] * 4)
    assert checked(done) == ["R", "R1A", "R1C", "R2A"]


@pytest.mark.rule("D-R8.7")
def test_its_own_team_checks_before_another_in_the_same_hex() -> None:
    aboard = changed(stressed(3, team("R0B", (1, 0), unit("Soldier"))), SetPlace("R0B", Hex(0, 0)))
    done = step(aboard, wound, fell("R1A-1"), "D-R16.10", dice=[PASS] * 3)
    assert checked(done) == ["R", "R1A", "R0B"]


@pytest.mark.rule("D-R9.6", "D-R8.6")
def test_when_the_co_falls_an_nco_follows_before_anybody_panics() -> None:
    red = team("R0A", (0, 0), unit("CO"), unit("Soldier")), team("R1A", (4, 0), unit("NCO"))
    state = position(*red, team("B1A", (9, 0), unit("NCO")))
    done = step(state, wound, fell("R0A-1"), "D-R16.10", dice=[PASS, PASS])
    assert done.state["R"].attributes["co"] == "R1A-1"
    kinds = [event.kind for event in done.events]
    assert kinds.index("command.succession") < kinds.index("panic.check")
