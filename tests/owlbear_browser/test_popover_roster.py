"""The roster of the popover: who is there, with which numbers, in which order, and that it is never drawn anew for nothing."""

from __future__ import annotations

from .popover_stage import ENEMY, MARINE, NCO, PLATOON, Stage, numbered, unit

FOCUSED = "() => document.activeElement.getAttribute('aria-label')"


def test_numbers_words_and_tokens_of_each(stage: Stage) -> None:
    stage.open()
    assert stage.shown("NCO 1A-1") == ["NCO 1A-1 R-1A", "1 of 3"]
    assert stage.shown("Soldier 1A-2") == ["Soldier 1A-2 R-1A", "0 of 2", "No token."]
    assert stage.shown("Small R") == ["Small R", "Stress", "2"]
    assert stage.shown("Horror") == ["Horror 1A-1 B-1A", "Wounds: hurt"]
    assert "first.battle, 2 of 4 linked, this tab writes" in stage.popover.text(".battle")


def test_sides_hold_formations_and_they_their_units(stage: Stage) -> None:
    second = unit("red.second", "Second R", stress=0)
    alone = unit("red.second-1A-1", "Bot 1A-1 R-2A", wounds=0, maxWounds=1)
    stage.open(roster=[PLATOON, NCO, ENEMY, MARINE, second, alone])
    tree = """() => [...document.querySelectorAll('.side')].map((side) => [side.querySelector('h2').innerText,
        ...[...side.querySelectorAll('.formation')].map((each) => [...each.querySelectorAll('h3, .name')]
            .filter((name) => name.checkVisibility()).map((name) => name.innerText))])"""
    assert stage.popover.run(tree) == [
        ["Side red", ["Small R", "NCO 1A-1 R-1A", "Soldier 1A-2 R-1A"], ["Second R", "Bot 1A-1 R-2A"]],
        ["Side blue", ["Horror 1A-1 B-1A"]],
    ]


def test_a_name_is_text_whatever_stands_in_it(stage: Stage) -> None:
    name = "<img src=x onerror=\"document.title='gone'\"><b>Bold</b>"
    rows = [unit("u1", name, side="<i>red</i>", wounds=0, maxWounds=2)]
    conflict = {"number": 1, "field": name, "kind": name, "ours": name, "theirs": name}
    encounters = [{"name": name, "tokens": 2}]
    popover = stage.open(roster=rows, conflicts=[conflict], encounters=encounters, battle=name, error=name)
    assert stage.shown("Bold") == [name, "0 of 2", "No token."]
    assert popover.run("() => document.querySelectorAll('img, b, i').length") == 0
    assert popover.run("() => document.title") == "Rallypoint"


def test_a_change_of_one_number_touches_that_number_alone(stage: Stage) -> None:
    popover = stage.open(roster=numbered(100))
    watching = """() => {
        window.touched = [];
        new MutationObserver((found) => window.touched.push(...found.map(({ target }) => target.parentElement?.className
            ?? target.className))).observe(document.querySelector('.roster'),
            { subtree: true, childList: true, attributes: true, characterData: true });
    }"""
    popover.run(watching)
    stage.rows(unit("u50", "Soldier 050", item="t50", wounds=1, maxWounds=2))
    stage.seen("Soldier 050: Wounds 1 of 2", ".news")
    # The number itself, and the button for less, which is off at 0.
    assert sorted(popover.run("() => window.touched")) == ["counter", "shown"]


def test_the_focus_stays_when_the_roster_is_drawn_anew(stage: Stage) -> None:
    popover = stage.open()
    popover.run("() => document.querySelector('[aria-label=\"More Wounds for Soldier 1A-2 R-1A\"]').focus()")
    stage.tell(roster=[ENEMY, PLATOON, {**MARINE, "wounds": 1}, NCO])
    stage.seen("1 of 2")
    assert popover.run(FOCUSED) == "More Wounds for Soldier 1A-2 R-1A"
    names = "() => [...document.querySelectorAll('.name')].map((each) => each.innerText)"
    assert popover.run(names) == ["Horror 1A-1 B-1A", "Soldier 1A-2 R-1A", "NCO 1A-1 R-1A"]


def test_who_is_gone_is_gone(stage: Stage) -> None:
    popover = stage.open()
    stage.tell(roster=[PLATOON, MARINE])
    popover.until("() => document.querySelectorAll('.unit').length === 1")
    assert "NCO" not in popover.text("main")
    assert "Side blue" not in popover.text("main")


def test_above_twenty_units_there_is_a_filter(stage: Stage) -> None:
    popover = stage.open(roster=numbered(20))
    assert not popover.run("() => document.querySelector('#filter').checkVisibility()")
    stage.tell(roster=[*numbered(21), ENEMY])
    popover.until("() => document.querySelector('#filter').checkVisibility()")
    popover.fill("#filter", "soldier 01")
    shown = "() => [...document.querySelectorAll('.unit')].filter((each) => each.checkVisibility()).length"
    assert popover.run(shown) == 10  # 010 to 019
    assert popover.text(".found") == "10 of 22 units"
    assert "Side blue" not in popover.text(".roster")
    popover.fill("#filter", "")
    assert popover.run(shown) == 22


def test_a_hundred_units_are_one_list_that_scrolls_down_alone(stage: Stage) -> None:
    popover = stage.open(roster=numbered(100))
    popover.run("() => document.querySelectorAll('.unit')[99].scrollIntoView()")
    inside = """() => {
        const { top, bottom } = document.querySelectorAll('.unit')[99].getBoundingClientRect();
        const { scrollWidth, clientWidth } = document.documentElement;
        return [top >= 0 && bottom <= innerHeight, scrollWidth - clientWidth];
    }"""
    assert popover.run(inside) == [True, 0]


def test_what_others_change_is_told_in_one_line(stage: Stage) -> None:
    stage.open()
    stage.rows({**NCO, "wounds": 3}, {**ENEMY, "band": "bad"}, {**MARINE, "item": "t2"}, {**PLATOON, "stress": 4})
    told = stage.seen("change", ".news")
    assert told == (
        "Small R: Stress 4; NCO 1A-1 R-1A: Wounds 3 of 3; Soldier 1A-2 R-1A: linked to a token; and 1 change more."
    )
