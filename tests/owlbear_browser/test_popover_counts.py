"""Clicks on the numbers: shown at once, sent soon, coalesced, pending until the battle has them, taken back if it says no."""

from __future__ import annotations

import pytest

from .popover_stage import ENEMY, MARINE, NCO, PLATOON, Stage, unit

MORE, LESS = '[aria-label="More Wounds for Big R-9"]', '[aria-label="Less Wounds for Big R-9"]'
BIG = unit("u9", "Big R-9", item="t9", wounds=1, maxWounds=9)
TIMERS = """
    window.timers = [];
    const real = window.setTimeout;
    window.setTimeout = (how, ms, ...more) => {
        const entry = { ms, how: () => { entry.done = true; how(...more); } };
        if (ms === 150 || ms === 3000) return window.timers.push(entry);
        return real(how, ms, ...more);
    };
    const stop = window.clearTimeout;
    window.clearTimeout = (id) => {
        if (window.timers[id - 1]) window.timers[id - 1].done = true;
        else stop(id);
    };
"""
"""The two timers of the counts run when the test says so."""


@pytest.fixture
def scripts() -> tuple[str, ...]:
    return (TIMERS,)


@pytest.fixture
def stage(stage: Stage) -> Stage:
    stage.open(roster=[PLATOON, NCO, MARINE, BIG, ENEMY])
    return stage


def pass_time(stage: Stage, ms: int) -> int:
    """Let the timers of so many milliseconds end, and return how many there were."""
    source = """(ms) => {
        const due = window.timers.filter((each) => each.ms === ms && !each.done);
        for (const each of due) each.how();
        return due.length;
    }"""
    return int(stage.popover.run(source, ms))


def clicks(stage: Stage, *selectors: str) -> None:
    for each in selectors:
        stage.popover.click(each)


def sets(stage: Stage, number: int) -> list[tuple[int, int]]:
    """What was asked for, each with what was there."""
    found = stage.wishes(number)
    assert {(each["kind"], each["uid"], each["field"]) for each in found} == {("set", "u9", "wounds")}
    assert len({each["click"] for each in found}) == number
    return [(each["value"], each["was"]) for each in found]


def refuse(stage: Stage, why: str, number: int = 1) -> None:
    """The battle says no to the click that was sent as the so-manieth."""
    click = stage.wishes(number)[number - 1]["click"]
    stage.tell(error=why, refused=[*stage.status["refused"], {"click": click, "why": why}])


def test_one_click_is_sent_at_once_and_pending_until_the_battle_has_it(stage: Stage) -> None:
    clicks(stage, MORE)
    assert stage.shown("Big") == ["Big R-9", "2 of 9… not confirmed yet"]
    assert sets(stage, 1) == [(2, 1)]
    assert pass_time(stage, 150) == 1
    assert stage.shown("Big") == ["Big R-9", "2 of 9… not confirmed yet"]
    stage.rows({**BIG, "wounds": 2})
    stage.seen("Big R-9: Wounds 2 of 9.", ".news")
    assert stage.shown("Big") == ["Big R-9", "2 of 9"]
    assert pass_time(stage, 3000) == 0


def test_o16_o19_a_burst_is_two_messages(stage: Stage) -> None:
    clicks(stage, MORE, MORE, MORE, LESS, MORE)
    assert stage.shown("Big")[1].startswith("4 of 9")
    assert sets(stage, 1) == [(2, 1)]
    assert pass_time(stage, 150) == 1
    assert sets(stage, 2) == [(2, 1), (4, 2)]
    stage.rows({**BIG, "wounds": 2})  # the battle has the first
    stage.seen("Wounds 2 of 9", ".news")
    assert stage.shown("Big") == ["Big R-9", "4 of 9… not confirmed yet"]
    stage.rows({**BIG, "wounds": 4})
    stage.seen("Wounds 4 of 9", ".news")
    assert stage.shown("Big") == ["Big R-9", "4 of 9"]


def test_a_click_after_a_burst_is_sent_at_once_again(stage: Stage) -> None:
    clicks(stage, MORE)
    pass_time(stage, 150)
    clicks(stage, MORE)
    assert sets(stage, 2) == [(2, 1), (3, 2)]


def test_there_and_back_in_a_burst_ends_where_it_began(stage: Stage) -> None:
    clicks(stage, MORE, LESS)
    pass_time(stage, 150)
    assert sets(stage, 2) == [(2, 1), (1, 2)]
    assert stage.shown("Big")[1].startswith("1 of 9")


def test_a_burst_whose_last_click_takes_the_others_back_sends_no_more(stage: Stage) -> None:
    clicks(stage, MORE, MORE, LESS)
    pass_time(stage, 150)
    clicks(stage, LESS)
    assert sets(stage, 2) == [(2, 1), (1, 2)]


def test_the_battle_says_no(stage: Stage) -> None:
    clicks(stage, MORE)
    sets(stage, 1)
    refuse(stage, "Big R-9: the battle has 1, and not 5")
    stage.seen("Big R-9: Wounds 1, not 2: Big R-9: the battle has 1, and not 5", ".news")
    assert stage.shown("Big") == ["Big R-9", "1 of 9"]
    assert pass_time(stage, 150) + pass_time(stage, 3000) == 0
    assert stage.popover.text(".error") == "Last error: Big R-9: the battle has 1, and not 5"


def test_an_error_that_stood_there_already_or_is_of_another_is_no_refusal(stage: Stage) -> None:
    stage.tell(error="the room is slow")
    stage.seen("slow", ".error")
    clicks(stage, MORE)
    stage.tell(linked=3)
    stage.seen("3 of 4", ".battle")
    stage.tell(error="the battle says no", refused=[{"click": "of another tab", "why": "the battle says no"}])
    stage.seen("says no", ".error")
    assert stage.shown("Big") == ["Big R-9", "2 of 9… not confirmed yet"]


def test_the_same_words_again_are_another_refusal(stage: Stage) -> None:
    why = "Nothing was changed: no watch of a battle runs."
    for number in (1, 2):
        clicks(stage, MORE)
        stage.wishes(number)
        assert stage.shown("Big") == ["Big R-9", "2 of 9… not confirmed yet"]
        refuse(stage, why, number)
        stage.popover.until("() => !document.querySelector('.roster').innerText.includes('not confirmed yet')")
        assert stage.shown("Big") == ["Big R-9", "1 of 9"]


def test_a_refusal_whose_status_was_skipped_is_in_the_next_one(stage: Stage) -> None:
    clicks(stage, MORE, '[aria-label="More Wounds for NCO 1A-1 R-1A"]')
    big, nco = (str(each["click"]) for each in stage.wishes(2))
    both = [{"click": big, "why": "Big is out"}, {"click": nco, "why": "NCO is out"}]
    stage.tell(error="NCO is out", refused=both)
    stage.popover.until("() => !document.querySelector('.roster').innerText.includes('not confirmed yet')")
    assert (stage.shown("Big")[1], stage.shown("NCO")[1]) == ("1 of 9", "1 of 3")


def test_somebody_else_was_faster(stage: Stage) -> None:
    clicks(stage, MORE)
    stage.rows({**BIG, "wounds": 7})
    stage.seen("Big R-9: Wounds 7, not 2: somebody else changed it", ".news")
    assert stage.shown("Big") == ["Big R-9", "7 of 9"]
    clicks(stage, MORE)
    assert sets(stage, 2)[-1] == (8, 7)


def test_a_battle_that_never_says_anything(stage: Stage) -> None:
    clicks(stage, MORE)
    pass_time(stage, 150)
    assert pass_time(stage, 3000) == 1
    stage.seen("Big R-9: Wounds 1, not 2: the program has not confirmed it", ".news")
    assert stage.shown("Big") == ["Big R-9", "1 of 9"]


def test_not_below_zero_and_not_above_the_maximum(stage: Stage) -> None:
    more, less = '[aria-label="More Wounds for {}"]', '[aria-label="Less Wounds for {}"]'
    pressed = "(it) => document.querySelector(it).click()"
    stage.popover.run(pressed, less.format(MARINE["code"]))  # at 0
    for _ in range(3):
        stage.popover.run(pressed, more.format(NCO["code"]))  # at 1 of 3
    assert stage.shown("Soldier") == ["Soldier 1A-2 R-1A", "0 of 2", "No token."]
    assert stage.shown("NCO")[1].startswith("3 of 3")
    off = "(it) => document.querySelector(it).getAttribute('aria-disabled')"
    assert stage.popover.run(off, more.format(NCO["code"])) == "true"
    assert stage.popover.run(off, less.format(NCO["code"])) is None
    pass_time(stage, 150)
    assert [(each["uid"], each["value"]) for each in stage.wishes(2)] == [(NCO["uid"], 2), (NCO["uid"], 3)]


def test_the_stress_of_a_platoon_has_no_maximum_here(stage: Stage) -> None:
    stage.popover.click('[aria-label="Less Stress for Small R"]')
    stage.popover.click('[aria-label="Less Stress for Small R"]')
    pass_time(stage, 150)
    found = [(each["uid"], each["field"], each["value"], each["was"]) for each in stage.wishes(2)]
    assert found == [("red.small", "stress", 1, 2), ("red.small", "stress", 0, 1)]


def test_two_units_at_once_do_not_mix(stage: Stage) -> None:
    clicks(stage, MORE, '[aria-label="More Wounds for NCO 1A-1 R-1A"]', MORE)
    pass_time(stage, 150)
    found = [(each["uid"], each["value"], each["was"]) for each in stage.wishes(3)]
    assert found == [("u9", 2, 1), (NCO["uid"], 2, 1), ("u9", 3, 2)]


def test_a_popover_that_closes_sends_what_waited(stage: Stage) -> None:
    clicks(stage, MORE, MORE, MORE)
    stage.tab.close_popover()
    assert sets(stage, 2) == [(2, 1), (4, 2)]


def test_who_is_gone_takes_the_change_along(stage: Stage) -> None:
    clicks(stage, MORE)
    stage.tell(roster=[PLATOON, NCO])
    stage.popover.until("() => document.querySelectorAll('.unit').length === 1")
    stage.tell(roster=[PLATOON, NCO, BIG])
    stage.popover.until("() => document.querySelectorAll('.unit').length === 2")
    assert stage.shown("Big") == ["Big R-9", "1 of 9"]


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_keyboard_counts_too(stage: Stage, key: str) -> None:
    stage.popover.press(MORE, key)
    assert sets(stage, 1) == [(2, 1)]
    assert stage.popover.run("() => document.activeElement.getAttribute('aria-label')") == "More Wounds for Big R-9"
