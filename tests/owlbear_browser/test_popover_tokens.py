"""Tokens of units in the popover: linking the selected one (O10, O12), finding it, taking the link off."""

from __future__ import annotations

import pytest

from .popover_stage import Stage

LINK = '[aria-label="Link Soldier 1A-2 R-1A to the selected token"]'


def select(stage: Stage, *items: str) -> None:
    """The GM selects tokens on the map."""
    stage.room.run(
        "([client, items]) => { room.clients.get(client).selection = items; }", [stage.tab.client, list(items)]
    )


@pytest.mark.parametrize(
    ("watched", "words"),
    [
        (True, "Soldier 1A-2 R-1A: asked to link the selected token."),
        (
            False,
            "Soldier 1A-2 R-1A: noted for the selected token; no watch runs, and rallypoint owlbear bind first.battle{} links it.",
        ),
    ],
)
def test_the_selected_token_is_linked(stage: Stage, watched: bool, words: str) -> None:
    popover = stage.open(watched=watched)
    select(stage, "t2")
    popover.click(LINK)
    assert stage.wishes(1) == [{"kind": "link", "item": "t2", "uid": "red.small-1A-2"}]
    stage.seen(words.format(stage.at_port), ".news")


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ((), "Select a token on the map first"),
        (("t2", "t9"), "Select one token alone: 2 are selected."),
        (("t1",), "This token is linked to NCO 1A-1 R-1A: take that link off first."),
    ],
    ids=["none", "two", "of another"],
)
def test_another_selection_is_told_and_nothing_is_linked(stage: Stage, items: tuple[str, ...], words: str) -> None:
    popover = stage.open()
    select(stage, *items)
    popover.click(LINK)
    stage.seen(words, ".news")
    select(stage, "t2")
    popover.click(LINK)
    assert [each["item"] for each in stage.wishes(1)] == ["t2"]


def test_a_token_is_found_on_the_map(stage: Stage) -> None:
    stage.open()
    stage.rows({**stage.status["roster"][1], "item": "t2"})
    popover = stage.popover
    popover.click('[aria-label="Token of NCO 1A-1 R-1A"]')
    popover.click('[aria-label="Find the token of NCO 1A-1 R-1A on the map"]')
    stage.seen("NCO 1A-1 R-1A: its token is selected.", ".news")
    assert stage.room.run("(client) => room.clients.get(client).selection", stage.tab.client) == ["t2"]
    # t2 is at (300, 400); six cells of 150 to each side.
    view = stage.room.run("(client) => room.clients.get(client).view", stage.tab.client)
    assert view["min"] == {"x": -600, "y": -500}
    assert view["max"] == {"x": 1200, "y": 1300}


def test_a_token_of_another_scene_is_not_found(stage: Stage) -> None:
    popover = stage.open()
    stage.room.call("remove", ["t1"])
    popover.click('[aria-label="Token of NCO 1A-1 R-1A"]')
    popover.click('[aria-label="Find the token of NCO 1A-1 R-1A on the map"]')
    stage.seen("NCO 1A-1 R-1A: its token is not in the open scene.", ".news")


@pytest.mark.parametrize(
    ("watched", "words"),
    [
        (True, "asked to take the link off."),
        (False, "noted; no watch runs, and rallypoint owlbear bind first.battle{} takes the link off."),
    ],
)
def test_a_link_is_taken_off(stage: Stage, watched: bool, words: str) -> None:
    popover = stage.open(watched=watched)
    toggle = '[aria-label="Token of NCO 1A-1 R-1A"]'
    off = '[aria-label="Take the link off the token of NCO 1A-1 R-1A"]'
    assert not popover.run("(it) => document.querySelector(it).checkVisibility()", off)
    popover.click(toggle)
    assert popover.run("(it) => document.querySelector(it).getAttribute('aria-expanded')", toggle) == "true"
    assert stage.shown("NCO 1A-1")[-1] == "Linked to a token."
    popover.click(off)
    assert stage.wishes(1) == [{"kind": "link", "item": "t1", "uid": None}]
    stage.seen(f"NCO 1A-1 R-1A: {words.format(stage.at_port)}", ".news")
    assert popover.run("() => document.activeElement.getAttribute('aria-label')") == "Token of NCO 1A-1 R-1A"
    assert popover.run("(it) => document.querySelector(it).getAttribute('aria-expanded')", toggle) == "false"


def test_a_room_that_says_no_is_told(stage: Stage) -> None:
    popover = stage.open()
    stage.room.call("closeScene")
    popover.click('[aria-label="Token of NCO 1A-1 R-1A"]')
    popover.click('[aria-label="Find the token of NCO 1A-1 R-1A on the map"]')
    stage.seen("its token is not in the open scene", ".news")
