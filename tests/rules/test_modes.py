"""How battles end (D-R9.7, D-GM-1), and campaigns of several battles (D-GM-3 to D-GM-7)."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from rallypoint.disrupter.harm import wound
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.modes import result, settle, surrendered
from rallypoint.disrupter.records import Allocation
from rallypoint.kernel.answers import Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.changes import SetStatus
from rallypoint.kernel.errors import InputError, RuleError
from rallypoint.kernel.game import Over
from rallypoint.kernel.parts import Status
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import State

from ..disrupter.positions import changed, game, kinds, position, rules, step, team, unit
from .playing import dice

DEAD = Status("out", "dead")


def field(mode: str = "last_man_standing", **more: object) -> State:
    """Each side: a CO with a soldier, an NCO with a soldier."""
    rows = []
    for letter, row in (("R", 0), ("B", 11)):
        rows.append(team(f"{letter}0A", (0 - row // 2, row), unit("CO", "revolver"), unit("Soldier", "pulse_rifle")))
        rows.append(
            team(f"{letter}1A", (8 - row // 2, row), unit("NCO", "pulse_rifle"), unit("Soldier", "pulse_rifle"))
        )
    return position(*rows, mode=mode, **more)  # type: ignore[arg-type]


def without(state: State, *uids: str) -> State:
    return changed(state, *[SetStatus(uid, DEAD) for uid in uids])


def hits(*uids: str) -> tuple[Allocation, ...]:
    """Return Wounds enough to take each of these in combat armour (W 2) out at once."""
    return tuple([Allocation(uid, 2) for uid in uids])


# Surrender


@pytest.mark.rule("D-R9.7", "D-GM-1")
@pytest.mark.parametrize(("mode", "rule"), [("last_man_standing", "D-GM-1"), ("campaign", "D-R9.7")])
def test_a_platoon_without_officers_surrenders_at_once_in_every_mode(mode: str, rule: str) -> None:
    state = without(field(mode), "B0A-1")
    dice = [70] if mode == "campaign" else []  # D-GM-5: 70 is dead
    done = step(state, wound, hits("B1A-1"), "D-R16.10", dice=dice)
    ended = result(done.state)
    assert ended is not None
    assert (ended["winner"], ended["rule"], ended["turn"], ended["surrendered"]) == ("red", rule, 1, ("blue",))
    assert rules(done)[-1] == rule
    assert "panic.check" not in kinds(done)  # nobody is left to lose his nerve
    assert game().next(done.state) == Over(ended)


@pytest.mark.rule("D-R9.7", "D-R9.6")
def test_a_platoon_with_one_officer_left_fights_on() -> None:
    state = field()
    assert [surrendered(state, side) for side in ("red", "blue")] == [False, False]
    done = step(state, wound, hits("B0A-1"), "D-R16.10", dice=[19, 19])
    assert result(done.state) is None
    assert "command.succession" in kinds(done)


@pytest.mark.rule("D-R9.7")
def test_both_sides_without_officers_in_one_step_draw() -> None:
    state = without(field(), "R0A-1", "B0A-1")
    done = step(state, wound, hits("R1A-1", "B1A-1"), "D-R16.10")
    ended = result(done.state)
    assert ended is not None
    assert (ended["winner"], ended["surrendered"]) == ("draw", ("red", "blue"))


@pytest.mark.rule("D-R9.7")
def test_who_surrenders_first_has_lost_whatever_falls_after() -> None:
    def two_volleys(step: DisrupterStep) -> None:
        wound(step, hits("R1A-1"), "D-R16.10")
        wound(step, hits("B1A-1"), "D-R16.10")

    done = step(without(field(), "R0A-1", "B0A-1"), two_volleys)
    ended = result(done.state)
    assert ended is not None
    assert ended["winner"] == "blue"
    assert kinds(done).count("battle.over") == 1


@pytest.mark.rule("D-PT-T5", "D-R9.7")
def test_officers_who_ran_off_the_board_count_as_lost() -> None:
    state = changed(field(), SetStatus("B0A-1", DEAD), SetStatus("B1A-1", Status("out", "ran")))
    assert surrendered(state, "blue")


def test_a_plugin_may_name_another_winner_or_none_yet() -> None:
    plugin = SimpleNamespace(mode_victory=hookimpl(victory))
    done = step(field(), settle, plugins=[plugin])
    ended = result(done.state)
    assert ended is not None
    assert (ended["winner"], ended["surrendered"]) == ("blue", ())
    assert step(field(), settle).events == ()


def victory() -> str:
    return "blue"


victory.__name__ = "mode_victory"


@pytest.mark.rule("D-R9.7")
def test_a_shot_that_takes_the_last_officer_ends_the_battle_in_the_middle_of_an_activation() -> None:
    # Both volleys of red are declared; the first takes blue's last officer, so the second is not fired.
    red = [team("R0A", (5, 5), unit("CO", "pulse_rifle"), unit("Soldier", "pulse_rifle"))]
    blue = [
        team("B1A", (5, 6), unit("NCO", "revolver")),
        team("B1B", (6, 5), unit("Soldier", "revolver"), unit("Soldier", "revolver")),
    ]
    state = position(*red, *blue, portion=("co", "red", "battle"))
    deeds = [["R0A-1", "fire", "pulse_rifle", "B1A"], ["R0A-2", "fire", "pulse_rifle", "B1B"]]
    # The CO's check at 80: 12 hits; the NCO's save at 60 fails with 61: 2 Wounds, W 2.
    done = step(state, "act", "R0A", deeds, seat="red", dice=[12, 61])
    ended = result(done.state)
    assert ended is not None
    assert ended["winner"] == "red"
    # Nor does anybody spot any more who was to do so after the shot.
    spots = [deeds[0], ["R0A-2", "spot", "B1B"]]
    assert dice(step(state, "act", "R0A", spots, seat="red", dice=[12, 61])) == dice(done)
    with pytest.raises(RuleError):
        Battle.start(game(), done.state, Answers(Seed(1))).proceed()


@pytest.mark.rule("D-GM-2")
def test_edges_are_those_that_were_agreed_or_where_the_teams_stand() -> None:
    facts = field()["battle"].facts["edges"]
    assert facts == {"red": "top", "blue": "bottom"}
    corner = field(edges={"red": "top-left", "blue": "bottom-right"})["battle"].facts["edges"]
    assert corner == {"red": "top-left", "blue": "bottom-right"}
    for wrong in ("north", "top-left-bottom"):
        with pytest.raises(InputError, match="no such edge"):
            field(edges={"red": wrong})


def test_places_and_modes_are_checked() -> None:
    with pytest.raises(InputError, match="no such game mode"):
        field("king_of_the_hill")
    a, b = team("R0A", (1, 1), unit("CO", "revolver")), team("B0A", (1, 1), unit("CO", "revolver"))
    with pytest.raises(InputError, match="two stands share a hex"):
        position(a, b)
    off = team("B0A", (40, 1), unit("CO", "revolver"))
    with pytest.raises(InputError, match="does not stand on the board"):
        position(a, off)
    assert position(a, team("B0A", None, unit("CO", "revolver")))["B0A"].place is None
