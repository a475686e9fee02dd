"""The popover, the background page and the program together: from a click to the log, and what stands in the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from rallypoint_owlbear.stands import RECORD_KEY

from .browser import Frame, Room
from .popover_fight import OURS, Fight, fought
from .popover_stage import ENEMY, MARINE, NCO, PLATOON
from .program import Program

MORE = '[aria-label="More Wounds for {}"]'
STATUS = {"battle": "first.battle", "linked": 2, "of": 4, "roster": [PLATOON, NCO, MARINE, ENEMY]}


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def seen(popover: Frame, selector: str, words: str) -> str:
    """Wait until it shows these words."""
    source = """([selector, words]) => [...document.querySelectorAll(selector)]
        .map((each) => each.innerText).find((text) => text.includes(words))"""
    return str(popover.until(source, [selector, words]))


def opened(room: Room, program: Program, role: str = "GM") -> Frame:
    return room.enter(program, role).open_popover()


def test_the_code_of_the_terminal_links_the_page(room: Room, program: Program) -> None:
    popover = opened(room, program)
    seen(popover, ".state", "Not paired yet.")
    room.expected_errors.append("403")
    wrong = f"{(int(program.doors.code) + 1) % 10**6:06d}"
    popover.fill("#code", wrong)
    popover.press("#code", "Enter")
    seen(popover, "#code-said", "This code is wrong.")
    seen(popover, ".error", "this is not the code that the terminal shows")
    code = program.doors.code
    popover.fill("#code", f"{code[:3]} {code[3:]}")
    popover.press("#code", "Enter")
    seen(popover, ".state", "Linked. No battle is here yet.")
    assert not popover.run("() => document.querySelector('#code').checkVisibility()")


def test_a_popover_opened_again_shows_what_it_showed(room: Room, program: Program) -> None:
    tab = room.enter(program)
    tab.pair(program)
    program.link.say(**STATUS)
    seen(tab.open_popover(), ".battle", "first.battle, 2 of 4 linked")
    tab.close_popover()
    program.link.say(linked=3)
    seen(tab.open_popover(), ".battle", "first.battle, 3 of 4 linked")


def test_where_no_watch_runs_the_number_goes_back(room: Room, program: Program) -> None:
    tab = room.enter(program)
    tab.pair(program)
    program.link.say(**STATUS)
    popover = tab.open_popover()
    seen(popover, ".name", "NCO")
    popover.click(MORE.format("NCO 1A-1 R-1A"))
    seen(popover, ".news", "NCO 1A-1 R-1A: Wounds 1, not 2: Nothing was changed: no watch of a battle runs.")
    assert "1 of 3" in popover.text(".unit .counter")


def test_o33_the_program_ends_and_comes_back(room: Room, program: Program) -> None:
    tab = room.enter(program)
    tab.pair(program)
    program.link.say(**STATUS)
    popover = tab.open_popover()
    seen(popover, ".state", "Linked.")
    room.expected_errors += ["ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_EMPTY_RESPONSE", "404"]
    doors = program.doors
    program.stop()
    seen(popover, ".state", "The program does not answer.")
    assert popover.text(".battle") == "first.battle, as it stood when the link was lost"
    program.start(doors)
    seen(popover, ".state", "Linked.")


def test_a_player_is_shown_that_there_is_nothing_to_do(room: Room, program: Program) -> None:
    popover = opened(room, program, "PLAYER")
    seen(popover, ".state", "There is nothing to do here for players.")
    assert not popover.run("() => document.querySelector('#code').checkVisibility()")


def test_of_two_tabs_one_says_that_it_writes(room: Room, program: Program) -> None:
    first = room.enter(program)
    first.pair(program)
    first.until_it_stands(writer=True)
    second = room.enter(program)
    second.until_it_stands(link="linked")
    program.link.say(**STATUS)
    room.open_scene("deck")
    seen(first.open_popover(), ".battle", "this tab writes")
    seen(second.open_popover(), ".battle", "another tab writes")


def test_o12_the_menu_of_a_token_leads_to_its_unit(room: Room, program: Program) -> None:
    room.open_scene("deck", items=[{"id": "t7", "name": "Goblin"}])
    tab = room.enter(program)
    tab.pair(program)
    program.link.say(**STATUS)
    room.call("clickMenu", "io.github.rallypoint/link", tab.client, ["t7"])
    popover = tab.popover
    seen(popover, ".linking", "Which unit is Goblin?")
    popover.click('[aria-label="Link Soldier 1A-2 R-1A to Goblin"]')
    seen(popover, ".news", "rallypoint owlbear bind first.battle links it")
    popover.until("() => !document.querySelector('.linking').checkVisibility()")
    changes = program.link.changes()
    assert next(item for _ in changes if (item := program.link.links())) == {"t7": MARINE["uid"]}


def test_from_a_click_into_the_log_and_onto_the_token(room: Room, program: Program, tmp_path: Path) -> None:
    with fought(tmp_path, room, program) as fight:
        popover = fight.popover
        seen(popover, ".state", "Linked.")
        code = "Soldier 0A-2 R-0A"
        popover.click(MORE.format(code))
        seen(popover, ".news", f"{code}: Wounds 1 of 2.")
        popover.until("() => ![...document.querySelectorAll('.pending')].some((each) => each.checkVisibility())")
        entry = """([uid, key]) => room.items().filter(({ metadata }) => metadata[key]?.uid === uid && metadata[key].wounds === 1).length"""
        room.until(entry, [OURS, RECORD_KEY])
    (edit,) = fight.edits()
    assert edit[0] == "Warden"
    assert fight.wounds(OURS) == 1


def test_three_quick_clicks_are_two_changes_at_most(room: Room, program: Program, tmp_path: Path) -> None:
    with fought(tmp_path, room, program) as fight:
        popover = fight.popover
        seen(popover, ".name", "Soldier 0A-2")
        popover.run(
            """(it) => { for (let each = 0; each < 3; each += 1) document.querySelector(it).click(); }""",
            '[aria-label="More Stress for Small R"]',
        )
        seen(popover, ".news", "Small R: Stress 3.")
    assert [who for who, _ in fight.edits()] == ["Warden", "Warden"]


def test_o11_a_conflict_is_shown_and_resolved(room: Room, program: Program, tmp_path: Path) -> None:
    fight = Fight(tmp_path, room, program)
    fight.place()
    fight.say("bind")
    fight.say("sync")
    token = next(
        each["id"] for each in room.items().values() if each["metadata"].get(RECORD_KEY, {}).get("uid") == OURS
    )
    fight.fight(OURS, 1)
    room.call("type", token, f"rallypoint-wounds-{OURS}", 2)
    with fight.watched():
        seen(fight.popover, ".conflicts", "1 conflict")
        assert "Take battle: 1" in fight.popover.text(".conflicts")
        fight.popover.click("text=Take Owlbear: 2")
        fight.popover.until("() => !document.querySelector('.conflicts').checkVisibility()")
        seen(fight.popover, ".unit", "2 of 2")
    assert fight.wounds(OURS) == 2


def test_what_is_placed_and_linked_by_clicks_is_bound_at_once(room: Room, program: Program, tmp_path: Path) -> None:
    fight, code = Fight(tmp_path, room, program), "Soldier 0A-2 R-0A"
    bound = f'[aria-label="Token of {code}"]'
    visible = "(it) => document.querySelector(it).checkVisibility()"
    popover = fight.popover
    with fight.watched():
        seen(popover, ".battle", "first.battle, 0 of")
        fight.place()
        popover.until(visible, bound)
        popover.click(bound)
        popover.click(f'[aria-label="Take the link off the token of {code}"]')
        link = f'[aria-label="Link {code} to the selected token"]'
        popover.until(visible, link)
        ours = "([key, uid]) => room.items().find(({ metadata }) => metadata[key]?.uid === uid)?.id"
        assert room.run(ours, [RECORD_KEY, OURS]) is None
        room.call("put", [{"id": "own", "name": "Goblin"}])
        room.run("([client, id]) => { room.clients.get(client).selection = [id]; }", [fight.tab.client, "own"])
        popover.click(link)
        popover.until(visible, bound)
        seen(popover, ".news", f"{code}: linked to a token.")
        popover.click(MORE.format(code))
        wounds = "([key, uid]) => room.items().some(({ metadata }) => metadata[key]?.uid === uid && metadata[key].wounds === 1)"
        room.until(wounds, [RECORD_KEY, OURS])
        assert room.run(ours, [RECORD_KEY, OURS]) == "own"
    assert fight.wounds(OURS) == 1
