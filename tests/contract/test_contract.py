"""The contract between sync and a transport: each case runs in every world. B numbers are reported faults of other tools."""

from __future__ import annotations

import pytest

from rallypoint.kernel.battle import Battle
from rallypoint.kernel.changes import Remove
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.game import Intent
from rallypoint_sync.bindings import Owner
from rallypoint_sync.doubt import DOUBT
from rallypoint_sync.ledger import Ledger
from rallypoint_sync.transport import UnreachableError

from .battles import STRESS, UNITS, edits, fought, wounds
from .conftest import Table

U1, U2, U3, U4 = map(wounds, UNITS)

# There and back


def test_nothing_changed_nothing_written(table: Table) -> None:
    done = table.sync()
    assert done.plan.is_empty
    assert (done.plan.unchanged, done.batch, table.world.writes) == (len(table.world.bindings()), None, [])


def test_one_change_is_one_write(table: Table) -> None:
    fought(table.battle, U2, 2)
    done = table.sync()
    assert [(each.old, each.new) for each in done.done] == [(0, 2)]
    assert len(table.world.writes) == 1
    assert table.shown(U2) == {2}
    assert table.hub.plan().is_empty


def test_an_edit_there_is_an_entry_of_the_log_and_no_write(table: Table) -> None:
    (carrier,) = table.carriers(U1)
    table.world.edit(carrier, 2)
    table.sync()
    assert edits(table.battle) == [(f"somebody at {table.world.vtt}", "u1", "Wounds", 2)]
    assert table.world.writes == []
    assert table.hub.plan().is_empty


def test_both_directions_in_one_sync(table: Table) -> None:
    (carrier,) = table.carriers(U1)
    table.world.edit(carrier, 1)
    fought(table.battle, U2, 3)
    table.sync()
    assert (table.value(U1), table.shown(U2)) == (1, {3})


def test_fan_out_an_edit_of_one_copy_goes_to_the_others(table: Table) -> None:
    first, *rest = table.carriers(STRESS)
    table.world.edit(first, 7)
    table.sync()
    assert table.value(STRESS) == 7
    assert table.shown(STRESS) == {7}
    assert len(table.world.writes) == len(rest)
    assert edits(table.battle) == [(f"somebody at {table.world.vtt}", "p", "Stress", 7)]


def test_a_busy_value_is_sent_once_as_it_is_at_the_time(table: Table) -> None:
    for value in (1, 2, 3, 1):
        fought(table.battle, U1, value)
    table.sync()
    assert len(table.world.writes) == 1
    assert table.shown(U1) == {1}


def test_b33_three_units_in_one_sync_keep_each_their_own(table: Table) -> None:
    for field, value in ((U1, 1), (U2, 2), (U3, 3)):
        fought(table.battle, field, value)
    table.sync()
    assert [table.shown(each) for each in (U1, U2, U3, U4)] == [{1}, {2}, {3}, {0}]


def test_b22_b17_a_rename_changes_nothing(table: Table) -> None:
    (carrier,) = table.carriers(U1)
    table.world.rename(carrier.document, "O’Neil ")
    fought(table.battle, U1, 2)
    table.sync()
    assert table.shown(U1) == {2}
    assert edits(table.battle) == []


# Conflicts


def test_b29_two_fields_of_one_unit_both_land(table: Table) -> None:
    carrier = next(each for each in table.carriers(STRESS))
    table.world.edit(carrier, 9)
    fought(table.battle, U1, 1)
    done = table.sync()
    assert not done.new_conflicts
    assert (table.value(STRESS), table.shown(U1)) == (9, {1})


def test_b29_the_same_field_on_both_sides_is_a_conflict_with_both_values(table: Table) -> None:
    (carrier,) = table.carriers(U1)
    table.world.edit(carrier, 2)
    fought(table.battle, U1, 1)
    (conflict,) = table.sync().new_conflicts
    assert (conflict.kind, conflict.ours, conflict.theirs[0].value) == ("both_changed", 1, 2)
    assert (table.value(U1), table.shown(U1), table.world.writes) == (1, {2}, [])


def test_a_conflict_freezes_its_field_alone(table: Table) -> None:
    (carrier,) = table.carriers(U1)
    table.world.edit(carrier, 2)
    fought(table.battle, U1, 1)
    table.sync()
    fought(table.battle, U1, 3)
    fought(table.battle, U2, 1)
    done = table.sync()
    assert done.new_conflicts == ()
    assert (table.shown(U1), table.shown(U2)) == ({2}, {1})


@pytest.mark.parametrize(("take", "value"), [("battle", 1), ("vtt", 2), (3, 3)])
def test_a_conflict_is_resolved_for_all_sides(table: Table, take: str | int, value: int) -> None:
    (carrier,) = table.carriers(U1)
    table.world.edit(carrier, 2)
    fought(table.battle, U1, 1)
    table.sync()
    table.hub.resolve(U1, table.world.vtt if take == "vtt" else take)
    table.sync()
    assert (table.value(U1), table.shown(U1)) == (value, {value})
    assert not table.ledger.conflicts()
    assert table.hub.plan().is_empty


def test_a_conflict_goes_away_when_somebody_takes_the_edit_back(table: Table) -> None:
    (carrier,) = table.carriers(U1)
    table.world.edit(carrier, 2)
    fought(table.battle, U1, 1)
    table.sync()
    table.world.edit(carrier, 0)
    done = table.sync()
    assert done.plan.dissolved == (U1,)
    assert table.shown(U1) == {1}
    assert not table.ledger.conflicts()


def test_a_conflict_goes_away_when_both_say_the_same(table: Table) -> None:
    (carrier,) = table.carriers(U1)
    table.world.edit(carrier, 2)
    fought(table.battle, U1, 1)
    table.sync()
    fought(table.battle, U1, 2)
    table.sync()
    assert not table.ledger.conflicts()
    assert table.world.writes == []


def test_two_tabs_with_two_edits_are_a_conflict_and_with_one_are_none(table: Table) -> None:
    one, other, *_ = table.carriers(STRESS)
    table.world.edit(one, 8)
    table.world.edit(other, 9)
    (conflict,) = table.sync().new_conflicts
    assert conflict.kind == "copies_differ"
    assert {each.value for each in conflict.theirs} == {8, 9}
    table.world.edit(other, 8)
    table.sync()
    assert (table.value(STRESS), table.shown(STRESS)) == (8, {8})
    assert edits(table.battle) == [(f"somebody at {table.world.vtt}", "p", "Stress", 8)]


def test_a_dead_unit_comes_back_by_a_decision_alone(table: Table) -> None:
    fought(table.battle, U1, 3)
    table.sync()
    (carrier,) = table.carriers(U1)
    table.world.edit(carrier, 2)
    (conflict,) = table.sync().new_conflicts
    assert (conflict.kind, table.value(U1)) == ("return_to_play", 3)
    table.hub.resolve(U1, table.world.vtt)
    assert table.value(U1) == 2


def test_what_does_not_fit_is_a_conflict(table: Table) -> None:
    (carrier,) = table.carriers(U1)
    table.world.edit(carrier, 9)
    (conflict,) = table.sync().new_conflicts
    assert (conflict.kind, table.value(U1), table.shown(U1)) == ("out_of_range", 0, {9})


# Copies and deletions


def test_a_copy_is_named_and_left_alone(table: Table) -> None:
    (carrier,) = table.carriers(U1)
    table.world.copy(carrier.document)
    fought(table.battle, U1, 2)
    done = table.sync()
    assert [each.why.split(",")[0] for each in done.plan.left_out] == [f"it is a copy of {carrier.document}"]
    assert len(table.world.writes) == 1


def test_a_deletion_there_removes_nobody_here(table: Table) -> None:
    (carrier,) = table.carriers(U4)
    before = table.battle.history.head
    table.world.delete(carrier.document)
    done = table.sync()
    assert table.battle.history.head == before
    assert table.ledger.tombstones(table.world.vtt) == {carrier.document}
    assert "not there any more" in done.plan.left_out[0].why
    fought(table.battle, U4, 1)
    assert table.sync().done == ()
    assert table.world.writes == []  # and it is not made again


def came_back(table: Table) -> None:
    """The document of the first unit is deleted, the battle goes on, and it is there again with what it showed at first."""
    (carrier,) = table.carriers(U1)
    fought(table.battle, U1, 1)
    table.sync()
    table.world.delete(carrier.document)
    table.sync()
    fought(table.battle, U1, 2)
    fought(table.battle, STRESS, 7)
    table.sync()
    table.world.put_back(carrier.document)
    table.world.edit(carrier, 0)


@pytest.mark.parametrize("owner", ["both", "vtt"])
def test_what_was_deleted_and_is_there_again_gets_the_battles_values(table: Table, owner: Owner) -> None:
    came_back(table)
    table.ledger.set_policy(table.world.vtt, owner)
    before = table.battle.history.head
    done = table.sync()
    assert (table.battle.history.head, done.plan.conflicts, done.failed) == (before, (), ())
    assert (table.shown(U1), table.shown(STRESS), table.value(U1)) == ({2}, {7}, 2)
    assert table.ledger.tombstones(table.world.vtt) == frozenset()
    assert table.hub.plan().is_empty
    (carrier,) = table.carriers(U1)
    table.world.edit(carrier, 3)
    table.sync()
    assert table.value(U1) == 3  # from now on an edit is one again


def test_what_is_there_again_is_no_edit_where_the_write_to_it_fails(table: Table) -> None:
    came_back(table)
    before = table.battle.history.head
    table.fault("refused")
    assert table.sync().failed
    table.restarted()
    table.sync()
    assert (table.battle.history.head, table.shown(U1), table.shown(STRESS)) == (before, {2}, {7})


def test_a_deletion_here_leaves_the_other_side_alone(table: Table) -> None:
    (carrier,) = table.carriers(U4)
    table.battle.edit("the rules", Remove("u4"))
    done = table.sync()
    assert "no such value any more" in done.plan.left_out[0].why
    assert (table.world.shown(carrier), table.world.writes) == (0, [])


def test_b18_an_empty_answer_empties_nothing(table: Table) -> None:
    table.fault("empty")
    with pytest.raises(InputError, match=r"of \d bound documents are gone"):
        table.sync()
    assert table.ledger.tombstones(table.world.vtt) == frozenset()
    table.restarted()
    assert table.sync().plan.is_empty


def test_b18_it_is_taken_as_it_is_when_somebody_says_so(table: Table) -> None:
    table.fault("empty")
    done = table.hub.sync(accept_gone=True)
    assert len(done.plan.left_out) >= 4
    assert table.value(U1) == 0


# Answers


def test_b27_a_lost_answer_of_a_write_that_was_made(table: Table) -> None:
    table.fault("lost answer")
    fought(table.battle, U1, 2)
    done = table.sync()
    assert [each.write.new for each in done.failed] == [2]
    again = table.sync()
    assert (again.batch, again.new_conflicts, len(table.world.writes)) == (None, (), 1)
    assert edits(table.battle) == []


def test_b27_a_lost_request_is_made_again(table: Table) -> None:
    table.fault("lost request")
    fought(table.battle, U1, 2)
    table.sync()
    table.sync()
    assert (table.shown(U1), len(table.world.writes)) == ({2}, 2)
    assert table.hub.plan().is_empty


def test_a_late_write_under_a_newer_value_is_nobodys_edit(table: Table) -> None:
    table.fault("late")
    fought(table.battle, U1, 1)
    table.sync()
    fought(table.battle, U1, 3)
    table.sync()
    table.world.come_true()
    (conflict,) = table.sync().new_conflicts
    assert (conflict.kind, table.value(U1)) == ("late_write", 3)
    table.clock.sleep(2 * DOUBT)
    assert table.sync().new_conflicts == ()  # time alone makes no edit of it
    assert table.value(U1) == 3
    table.hub.resolve(U1, "battle")
    table.sync()
    assert (table.shown(U1), edits(table.battle)) == ({3}, [])


def test_a_late_write_of_the_present_value_is_no_matter(table: Table) -> None:
    table.fault("late")
    fought(table.battle, U1, 2)
    table.sync()
    table.world.come_true()
    assert table.sync().done == ()
    assert table.hub.plan().is_empty
    assert len(table.world.writes) == 1


def test_b20_what_was_sent_before_a_battle_was_put_back_is_no_edit(table: Table) -> None:
    table.fault("late")
    fought(table.battle, U1, 2)
    table.sync()
    table.world.come_true()
    log = table.battle._log
    log._entries[:] = log._entries[:1]  # type: ignore[attr-defined]  # the file of yesterday is copied over that of today
    table.battle = Battle.open(log, table.battle.game, table.battle.answers)
    table.restarted()
    done = table.sync()
    assert not done.new_conflicts
    assert (table.shown(U1), edits(table.battle)) == ({0}, [])


def test_b20_adopting_other_rules_takes_nothing_for_an_edit(table: Table) -> None:
    table.fault("late")
    fought(table.battle, U1, 1)
    table.sync()
    fought(table.battle, U1, 2)
    table.sync()
    table.battle.adopt()
    table.world.come_true()
    table.sync()
    assert (table.shown(U1), table.ledger.conflicts(), edits(table.battle)) == ({2}, {}, [])


def test_b02_b05_two_of_four_refused_two_done(table: Table) -> None:
    for field in (U1, U2, U3, U4):
        fought(table.battle, field, 1)
    table.fault("refused", 2)
    done = table.sync()
    assert [each.write.binding.field for each in done.failed] == [U1, U2]
    assert all("no" in each.why for each in done.failed)
    assert [each.binding.field for each in done.done] == [U3, U4]
    table.world.writes.clear()
    table.sync()
    assert len(table.world.writes) == 2  # exactly the missing ones
    assert table.hub.plan().is_empty


def test_b62_a_value_that_is_dropped_is_not_said_to_be_there(table: Table) -> None:
    table.fault("drops")
    fought(table.battle, U1, 2)
    done = table.sync()
    assert done.done == () or done.moved != ()


def test_a_false_success_is_found_out_and_mended(table: Table) -> None:
    table.fault("false success")
    fought(table.battle, U1, 2)
    assert [each.why for each in table.sync().failed] == ["the VTT shows 0 instead"]
    table.sync()
    assert table.shown(U1) == {2}


def test_a_clamp_that_nobody_knew_of_is_a_conflict_and_no_edit(table: Table) -> None:
    table.fault("clamps")
    fought(table.battle, U1, 3)
    assert table.sync().failed[0].why == "the VTT shows 1 instead"
    assert [each.kind for each in table.sync().new_conflicts] == ["both_changed"]
    assert (table.value(U1), edits(table.battle)) == (3, [])


def test_b04_a_hundred_echoes_are_nothing(table: Table) -> None:
    fought(table.battle, U1, 2)
    table.sync()
    table.world.writes.clear()
    document = table.carriers(U1)[0].document
    for _ in range(100):
        assert table.hub.sync({table.world.vtt: [document]}).plan.is_empty
    assert table.world.writes == []
    assert edits(table.battle) == []


# Away and back


def test_b31_patience_where_it_may_pass(table: Table) -> None:
    table.fault("away", 3)
    table.hub.patience = 60
    fought(table.battle, U1, 1)
    fought(table.battle, U1, 2)
    table.sync()
    assert table.shown(U1) == {2}
    assert len(table.clock.waits) == 3
    assert len(table.world.writes) == 1


def test_no_patience_with_a_wrong_key(table: Table) -> None:
    table.fault("locked out")
    table.hub.patience = 60
    with pytest.raises(UnreachableError, match="key"):
        table.sync()
    assert table.clock.waits == []


def test_nobody_home_changes_nothing(table: Table) -> None:
    table.fault("away")
    fought(table.battle, U1, 2)
    with pytest.raises(UnreachableError):
        table.sync()
    table.sync()
    assert table.shown(U1) == {2}


# Restarts


@pytest.mark.parametrize("call", range(7))
def test_a_process_that_ends_in_the_middle_of_a_plan(table: Table, call: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends at each call of the ledger in turn; the next one finishes what was begun and does nothing twice."""
    (carrier,) = table.carriers(U1)
    table.world.edit(carrier, 2)
    fought(table.battle, U2, 1)
    fought(table.battle, U3, 2)
    left = call

    def ends(name: str) -> None:
        kept = getattr(Ledger, name)

        def ending(*args: object, **more: object) -> object:
            nonlocal left
            left -= 1
            if left < 0:
                raise KeyboardInterrupt
            return kept(*args, **more)

        monkeypatch.setattr(Ledger, name, ending)

    for name in ("agree", "send", "came_of", "keep", "see"):
        ends(name)
    with pytest.raises(KeyboardInterrupt):
        table.sync()
    monkeypatch.undo()
    table.ledger.release(table.world.vtt, "test")
    table.restarted()
    table.sync()
    assert (table.value(U1), table.shown(U2), table.shown(U3)) == (2, {1}, {2})
    assert edits(table.battle) == [(f"somebody at {table.world.vtt}", "u1", "Wounds", 2)]
    assert not table.ledger.conflicts()
    assert table.hub.plan().is_empty


def test_edits_wait_while_the_battle_waits_for_an_answer(table: Table) -> None:
    (carrier,) = table.carriers(U1)
    table.world.edit(carrier, 2)
    fought(table.battle, U2, 1)
    table.battle.act(Intent("dither", (), "red"))
    done = table.sync()
    assert (table.value(U1), table.shown(U1), table.shown(U2)) == (0, {2}, {1})
    assert "waits for an answer" in done.plan.left_out[0].why
    table.battle.answer("yes")
    table.sync()
    assert table.value(U1) == 2


# Going back, pausing, opting out


def test_revert_gives_back_what_was_shown_and_pauses(table: Table) -> None:
    fought(table.battle, U1, 1)
    table.sync()
    fought(table.battle, U1, 3)
    fought(table.battle, U2, 2)
    table.sync()
    (carrier,) = table.carriers(U2)
    table.world.edit(carrier, 1)
    done = table.hub.revert(table.world.vtt)
    assert (table.shown(U1), table.shown(U2)) == ({1}, {1})
    assert [each.why for each in done.plan.left_out] == ["it shows 1 by now, not 2"]
    assert table.sync().plan.counts["writes"] == 0
    table.ledger.pause(table.world.vtt, yes=False)
    table.sync()
    assert table.shown(U1) == {3}


def test_what_is_paused_is_met_again_with_its_edits(table: Table) -> None:
    table.ledger.pause(table.world.vtt)
    (carrier,) = table.carriers(U1)
    table.world.edit(carrier, 1)
    fought(table.battle, U2, 2)
    assert table.sync().plan.is_empty
    table.ledger.pause(table.world.vtt, yes=False)
    table.sync()
    assert (table.value(U1), table.shown(U2)) == (1, {2})


def test_a_document_can_be_taken_out_and_in_again(table: Table) -> None:
    document = table.carriers(U4)[0].document
    table.ledger.opt_out(table.world.vtt, document)
    fought(table.battle, U4, 2)
    done = table.sync()
    assert "taken out of the sync" in done.plan.left_out[0].why
    assert table.shown(U4) == {0}
    table.ledger.opt_out(table.world.vtt, document, yes=False)
    table.sync()
    assert table.shown(U4) == {2}


def test_a_policy_for_one_unit(table: Table) -> None:
    table.ledger.set_policy(table.world.vtt, "battle", uid="u1")
    for field in (U1, U2):
        (carrier,) = table.carriers(field)
        table.world.edit(carrier, 1)
    table.sync()
    assert (table.value(U1), table.shown(U1)) == (0, {0})
    assert (table.value(U2), table.shown(U2)) == (1, {1})


def test_a_policy_that_the_vtt_owns_all_stress(table: Table) -> None:
    table.ledger.set_policy(table.world.vtt, "vtt", name="Stress")
    first, *_ = table.carriers(STRESS)
    table.world.edit(first, 9)
    fought(table.battle, STRESS, 6)
    table.sync()
    assert (table.value(STRESS), table.shown(STRESS)) == (9, {9})
    fought(table.battle, STRESS, 2)
    table.sync()
    assert (table.value(STRESS), table.shown(STRESS)) == (9, {9})
