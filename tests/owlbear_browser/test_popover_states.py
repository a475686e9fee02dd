"""What the popover says of the link, state by state, and the pairing code. O numbers are failures that others met."""

from __future__ import annotations

import pytest

from .popover_stage import Stage

SOON = "const real = window.setTimeout; window.setTimeout = (how, ms, ...more) => real(how, ms / 50, ...more);"
OFTEN = "const often = window.setInterval; window.setInterval = (how, ms, ...more) => often(how, ms / 50, ...more);"
OWLBEAR_ALONE = """const real = window.fetch;
    const settings = { v: 1, hosts: ["https://www.owlbear.rodeo"] };
    window.fetch = (what, ...more) => what === "/settings.json" ? Promise.resolve(Response.json(settings)) : real(what, ...more);"""
HASTY = pytest.mark.parametrize("scripts", [(SOON, OFTEN)], ids=["hasty"])
"""All waiting is fifty times as short."""


@pytest.mark.parametrize(
    ("link", "state", "do"),
    [
        ("player", "There is nothing to do here for players.", "The GM keeps battle and tokens in step."),
        (
            "unpaired",
            "Not paired yet.",
            "The terminal in which rallypoint owlbear serve, or rallypoint table, runs shows it.",
        ),
        ("wrong code", "This was not the code.", "after five wrong ones it shows a new one."),
        ("connecting", "Connecting to the program.", "it tries again by itself."),
        ("no program", "The program does not answer.", "Start rallypoint owlbear serve{} in a terminal"),
        ("other room", "Another room is linked.", "Close the tabs that show the other room."),
        ("old", "Extension and program are of different versions.", "pip install --upgrade 'rallypoint[live]'"),
        ("outside", "This page is not inside Owlbear Rodeo.", "Open your room there"),
    ],
)
def test_each_state_has_a_sentence_and_what_to_do(stage: Stage, link: str, state: str, do: str) -> None:
    popover = stage.open(link=link)
    assert popover.text(".state") == state
    assert do.format(stage.at_port) in popover.text(".steps")
    stage.resize(320, 480)
    assert stage.cut_off() == []


def test_o27_o29_a_browser_that_keeps_us_from_the_program(stage: Stage) -> None:
    popover = stage.open(link="no program")
    steps = popover.run("() => [...document.querySelectorAll('.steps li')].map((each) => each.innerText)")
    assert len(steps) == 2
    assert "open Site settings, set Apps on device (in older versions Local network) to Allow" in steps[1]


def test_linked_says_no_more_than_that(stage: Stage) -> None:
    popover = stage.open()
    assert popover.text(".state") == "Linked."
    assert not popover.run("() => document.querySelector('.steps').checkVisibility()")


def test_o10_linked_without_a_battle_and_who_writes(stage: Stage) -> None:
    popover = stage.open(battle=None, roster=[], linked=0, of=0)
    assert popover.text(".state") == "Linked. No battle is here yet."
    assert f"rallypoint owlbear bind first.battle{stage.at_port}" in popover.text(".steps")
    assert f"rallypoint owlbear place for-owlbear/encounter.owlbear.json{stage.at_port}" in popover.text(".steps")
    assert popover.text(".battle") == "no battle, this tab writes"
    stage.tell(told={"writer": False}, battle="first.battle", linked=3, of=5)
    assert stage.seen("3 of 5", ".battle") == "first.battle, 3 of 5 linked, another tab writes"
    stage.tell(told={"scene": None})
    assert stage.seen("no scene", ".battle") == "first.battle, 3 of 5 linked, no scene is open"


def test_o33_a_link_that_breaks_leaves_what_came_last_and_no_button_works(stage: Stage) -> None:
    popover = stage.open()
    stage.tell(link="no program")
    stage.seen("The program does not answer.", ".state")
    assert popover.text(".battle") == "first.battle, as it stood when the link was lost"
    assert stage.shown("NCO") == ["NCO 1A-1 R-1A", "1 of 3"]
    popover.run("() => document.querySelector('[aria-label=\"More Wounds for NCO 1A-1 R-1A\"]').click()")
    assert stage.shown("NCO") == ["NCO 1A-1 R-1A", "1 of 3"]
    stage.tell(link="linked")
    stage.seen("Linked.", ".state")
    popover.click('[aria-label="More Wounds for NCO 1A-1 R-1A"]')
    assert [each["value"] for each in stage.wishes(1)] == [2]


def test_players_see_no_roster_even_if_they_were_sent_one(stage: Stage) -> None:
    conflict = {"number": 1, "field": "f", "kind": "both changed", "ours": "1", "theirs": "2"}
    popover = stage.open(link="player", conflicts=[conflict], encounters=[{"name": "e", "tokens": 1}])
    shown = "() => document.querySelectorAll('.unit, .conflicts li, .encounters li').length"
    assert popover.run(shown) == 0
    assert not popover.run("() => document.querySelector('#code').checkVisibility()")


def test_the_last_error_of_the_link_and_of_the_battle(stage: Stage) -> None:
    popover = stage.open(error="the battle has 2 there")
    assert popover.text(".error") == "Last error: the battle has 2 there"
    stage.tell(told={"error": "the room says no"})
    assert stage.seen("no;", ".error") == "Last error: the room says no; the battle has 2 there"
    stage.tell(told={"error": None}, error=None)
    popover.until("() => !document.querySelector('.error').checkVisibility()")


@pytest.mark.parametrize("typed", ["482913", "482 913", " 482-913 ", "48 29-13", "482\u2013913"])
def test_enter_sends_the_code_without_blanks_and_hyphens(stage: Stage, typed: str) -> None:
    popover = stage.open(link="unpaired", roster=[])
    popover.fill("#code", typed)
    popover.press("#code", "Enter")
    assert stage.wishes(1) == [{"do": "pair", "code": "482913"}]


def test_the_button_sends_it_too(stage: Stage) -> None:
    popover = stage.open(link="unpaired", roster=[])
    popover.fill("#code", "000 007")
    popover.click("text=Pair >> nth=-1")
    assert stage.wishes(1) == [{"do": "pair", "code": "000007"}]


@pytest.mark.parametrize("typed", ["", "48291", "4829133", "48291x", "482.913"])
def test_what_is_no_code_is_said_and_not_sent(stage: Stage, typed: str) -> None:
    popover = stage.open(link="unpaired", roster=[])
    popover.fill("#code", typed)
    popover.press("#code", "Enter")
    assert popover.text("#code-said") == "A code has six digits, such as 482 913."
    assert popover.run("() => document.activeElement.getAttribute('aria-invalid')") == "true"
    popover.fill("#code", "482913")
    assert popover.run("() => document.querySelector('#code').getAttribute('aria-invalid')") is None
    popover.press("#code", "Enter")
    assert [each["code"] for each in stage.wishes(1)] == ["482913"]


def test_a_wrong_code_is_said_each_time_and_the_field_keeps_the_focus(stage: Stage) -> None:
    popover = stage.open(link="unpaired", roster=[])
    for number, code in enumerate(("111111", "222222"), 1):
        popover.fill("#code", code)
        popover.press("#code", "Enter")
        stage.wishes(number)
        stage.tell(link="connecting")
        stage.seen("Connecting", ".state")
        assert popover.run("() => document.activeElement.id") == "code"
        stage.tell(link="wrong code")
        stage.seen("This code is wrong.", "#code-said")
        assert popover.run("() => document.activeElement.id") == "code"
    stage.tell(link="linked")
    popover.until("() => !document.querySelector('#code').checkVisibility()")
    assert popover.run("() => document.querySelector('#code').value") == ""


@HASTY
def test_o8_o30_a_background_page_that_comes_late_is_waited_for(stage: Stage) -> None:
    stage.tab.open_popover()
    stage.seen("Our page in the background does not answer.", ".state")
    stage.tell()
    stage.seen("Linked.", ".state")
    assert stage.background.run("() => window.asked") >= 2


def open_popover(stage: Stage, ref: str) -> None:
    """Open the popover with another word for who frames it; an empty one: none."""
    source = """([client, ref]) => {
        const { base, manifest } = room.clients.get(client);
        room.open(room.clients.get(client), "popover", new URL(manifest.action.popover, base), {}, ref && btoa(ref));
    }"""
    stage.room.run(source, [stage.tab.client, ref])


def test_o30_framed_by_no_room(stage: Stage) -> None:
    stage.tell()
    open_popover(stage, "")
    stage.seen("This page is not inside Owlbear Rodeo.", ".state")


@pytest.mark.parametrize("scripts", [(OWLBEAR_ALONE,)], ids=["O39"])
def test_o39_framed_by_a_stranger_that_plays_the_room(stage: Stage) -> None:
    stage.tell()
    open_popover(stage, f"{stage.room.browser.origin} room-1")
    stage.seen("This page is not inside Owlbear Rodeo.", ".state")
    assert stage.background.run("() => window.asked") == 0


@HASTY
def test_o30_a_room_that_never_says_that_it_is_ready(stage: Stage) -> None:
    stage.room.faults(neverReady=True)
    stage.tab.open_popover()
    stage.seen("This page is not inside Owlbear Rodeo.", ".state")


@HASTY
def test_a_room_that_does_not_say_which_tab_this_is(stage: Stage) -> None:
    stage.tell()
    stage.room.faults(silent={"OBR_PLAYER_GET_CONNECTION_ID": "before"})
    stage.tab.open_popover()
    stage.seen("Our page in the background does not answer.", ".state")
    assert "Reload the room." in stage.popover.text(".steps")


def test_a_popover_of_another_tab_is_not_told(stage: Stage) -> None:
    popover = stage.open()
    popover.run("""() => {
        window.said = [];
        const state = document.querySelector(".state");
        new MutationObserver(() => window.said.push(state.innerText)).observe(state, { childList: true });
    }""")
    source = """(standing) => {
        const other = new BroadcastChannel("io.github.rallypoint");
        other.postMessage({ to: "popover", page: "another tab", standing });
    }"""
    stage.background.run(source, {**stage.said, "link": "unpaired", "status": stage.status})
    stage.tell(battle="second.battle")
    stage.seen("second.battle", ".battle")
    assert popover.run("() => window.said") == []
