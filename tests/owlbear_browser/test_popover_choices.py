"""What waits for the GM in the popover: conflicts, encounters, and the unit of a token that was chosen on the map."""

from __future__ import annotations

import pytest

from .popover_stage import MARINE, Stage

CONFLICTS = [
    {"number": 7, "field": "NCO Wounds", "kind": "both changed", "ours": "2", "theirs": "owlbear: 3"},
    {"number": 9, "field": "Small R Stress", "kind": "both changed", "ours": "4", "theirs": "owlbear: 0"},
]
FIRST, RESERVE = {"name": "First fight", "tokens": 24}, {"name": "Reserve", "tokens": 1}
FOCUSED = "() => document.activeElement.innerText"


def test_o11_a_conflict_shows_both_values(stage: Stage) -> None:
    popover = stage.open(conflicts=CONFLICTS)
    assert popover.text(".conflicts h2") == "2 conflicts"
    assert popover.text(".conflicts li").split() == [
        "NCO",
        "Wounds:",
        "both",
        "changed",
        "Take",
        "battle:",
        "2",
        "Take",
        "Owlbear:",
        "3",
    ]


@pytest.mark.parametrize(("text", "take"), [("Take battle: 4", "battle"), ("Take Owlbear: 0", "owlbear")])
def test_a_conflict_is_resolved_by_its_number(stage: Stage, text: str, take: str) -> None:
    popover = stage.open(conflicts=CONFLICTS)
    popover.click(f"text={text}")
    assert stage.wishes(1) == [{"kind": "resolve", "number": 9, "take": take}]
    stage.tell(conflicts=CONFLICTS[:1])
    assert stage.seen("1 conflict", ".conflicts h2") == "1 conflict"
    stage.tell(conflicts=[])
    popover.until("() => !document.querySelector('.conflicts').checkVisibility()")


def test_an_encounter_is_placed_after_a_question(stage: Stage) -> None:
    popover = stage.open(encounters=[FIRST, RESERVE])
    assert popover.text(".encounters li") == "First fight, 24 tokens\nPlace encounter"
    popover.click('[aria-label="Place encounter First fight"]')
    assert popover.text(".encounters .sure").split("\n") == [
        "Put 24 tokens into the open scene?",
        "Place 24 tokens",
        "Cancel",
    ]
    assert popover.run(FOCUSED) == "Place 24 tokens"
    popover.press(":focus", "Enter")
    assert stage.wishes(1) == [{"kind": "encounter", "name": "First fight"}]
    assert popover.run(FOCUSED) == "Place encounter"
    assert not popover.run("() => document.querySelector('.sure').checkVisibility()")


@pytest.mark.parametrize("how", ["click", "Escape"])
def test_an_encounter_that_is_thought_better_of(stage: Stage, how: str) -> None:
    popover = stage.open(encounters=[RESERVE])
    popover.click('[aria-label="Place encounter Reserve"]')
    assert popover.text(".sure span") == "Put 1 token into the open scene?"
    if how == "click":
        popover.click("text=Cancel >> visible=true")
    else:
        popover.press(":focus", "Escape")
    assert popover.run(FOCUSED) == "Place encounter"
    popover.click('[aria-label="Place encounter Reserve"]')
    popover.click("text=Place 1 token")
    assert len(stage.wishes(1)) == 1


def test_without_a_scene_nothing_is_placed(stage: Stage) -> None:
    popover = stage.open(encounters=[FIRST], link="linked")
    assert not popover.run("() => document.querySelector('.why').checkVisibility()")
    stage.tell(told={"scene": None})
    stage.seen("No scene is open", ".why")
    popover.run("() => document.querySelector('[aria-label=\"Place encounter First fight\"]').click()")
    assert not popover.run("() => document.querySelector('.sure').checkVisibility()")


def test_o12_the_menu_of_a_token_asks_here_which_unit_it_is(stage: Stage) -> None:
    stage.tell(told={"linking": {"id": "t2", "name": "Goblin"}})
    popover = stage.open()
    assert popover.text(".linking h2") == "Which unit is Goblin?"
    assert popover.run("() => document.activeElement.getAttribute('aria-label')") == "Link Soldier 1A-2 R-1A to Goblin"
    popover.press(":focus", "Enter")
    assert stage.wishes(1) == [{"kind": "link", "item": "t2", "uid": MARINE["uid"]}]
    stage.tell(told={"linking": None})
    popover.until("() => !document.querySelector('.linking').checkVisibility()")
    assert popover.text('[aria-label="Link Soldier 1A-2 R-1A to the selected token"]') == "Link to the selected token"


def test_it_may_be_nobody(stage: Stage) -> None:
    popover = stage.open(told={"linking": {"id": "t2", "name": "Goblin"}})
    assert popover.text(".linking p") == 'Press "Link to Goblin" below that unit.'
    popover.click("text=Cancel >> visible=true")
    assert stage.wishes(1) == [{"do": "link nobody"}]


def test_a_token_of_a_unit_is_not_linked_to_a_second(stage: Stage) -> None:
    popover = stage.open(told={"linking": {"id": "t1", "name": "NCO"}})
    popover.click('[aria-label="Link Soldier 1A-2 R-1A to NCO"]')
    stage.seen("This token is linked to NCO 1A-1 R-1A: take that link off first.", ".news")
    stage.rows({**MARINE, "item": "t3"})
    assert "All units have a token" in stage.seen("All units", ".linking")
