"""How the popover looks and sounds: both themes with their contrast, narrow, by keyboard, to a screen reader."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

from .popover_stage import ENEMY, MARINE, NCO, PLATOON, Stage, numbered, unit

LEAST = 4.5
"""Contrast of text that WCAG 2 asks for at level AA."""
CONFLICT = {"number": 1, "field": "NCO Wounds", "kind": "both changed", "ours": "2", "theirs": "owlbear: 3"}
FULL: dict[str, Any] = {
    "conflicts": [CONFLICT],
    "encounters": [{"name": "First fight", "tokens": 24}],
    "error": "the battle has 2",
    "roster": [*numbered(21), NCO, MARINE, ENEMY],
}
FOCUSED = """() => {
    const { id, tagName } = document.activeElement;
    return document.activeElement.getAttribute("aria-label") ?? (id || document.activeElement.innerText || tagName);
}"""


def set_mode(stage: Stage, mode: str) -> None:
    """The GM chooses another theme in Owlbear."""
    source = """(mode) => {
        room.theme = { ...room.theme, mode };
        room.emit("OBR_THEME_EVENT_CHANGE", { theme: room.theme });
    }"""
    stage.room.run(source, mode)
    stage.popover.until("(mode) => document.documentElement.dataset.mode === mode", mode.lower())


def luminance(colour: str) -> float:
    """The relative luminance of an opaque colour, by WCAG 2."""
    red, green, blue, *alpha = (float(each) for each in re.findall(r"[\d.]+", colour))
    assert alpha in ([], [1.0]), colour
    linear = [
        each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4
        for each in (red / 255, green / 255, blue / 255)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_the_measure_itself() -> None:
    assert contrast("rgb(0, 0, 0)", "rgb(255, 255, 255)") == pytest.approx(21)
    assert contrast("rgb(119, 119, 119)", "rgb(255, 255, 255)") == pytest.approx(4.48, abs=0.01)


TEXTS = """() => {
    const ground = (element) => {
        for (let each = element; each; each = each.parentElement) {
            const { backgroundColor } = getComputedStyle(each);
            if (!/^rgba\\(.*, 0\\)$/.test(backgroundColor)) return backgroundColor;
        }
        return "rgb(255, 255, 255)";
    };
    const own = (element) => [...element.childNodes].some((each) => each.nodeType === 3 && each.data.trim());
    return [...document.body.querySelectorAll("*")].filter((each) => own(each) && each.checkVisibility())
        .map((each) => [each.innerText, getComputedStyle(each).color, ground(each)]);
}"""


@pytest.mark.parametrize("mode", ["LIGHT", "DARK"])
def test_all_text_stands_out_from_its_ground(stage: Stage, mode: str) -> None:
    popover = stage.open(**FULL)
    set_mode(stage, mode)
    popover.click('[aria-label="More Wounds for NCO 1A-1 R-1A"]')
    stage.tell(told={"linking": {"id": "t2", "name": "Goblin"}}, link="linked")
    popover.click('[aria-label="Place encounter First fight"]')
    found = popover.run(TEXTS)
    words = " ".join(text for text, _, _ in found)
    told = ("Last error", "Which unit", "both changed", "Put 24 tokens", "of 3", "…", "hurt", "No token.", "−")
    assert [each for each in told if each not in words] == []
    assert [(text, contrast(*colours)) for text, *colours in found if contrast(*colours) < LEAST] == []


@pytest.mark.parametrize("mode", ["LIGHT", "DARK"])
def test_of_the_other_states_too(stage: Stage, mode: str) -> None:
    popover = stage.open(link="unpaired", roster=[])
    set_mode(stage, mode)
    popover.press("#code", "Enter")
    found = popover.run(TEXTS)
    assert any("A code has six digits" in text for text, _, _ in found)
    stage.tell(link="no program", roster=[PLATOON, NCO, MARINE, ENEMY])
    stage.seen("when the link was lost", ".battle")
    found += popover.run(TEXTS)
    assert [(text, contrast(*colours)) for text, *colours in found if contrast(*colours) < LEAST] == []


def test_the_theme_is_owlbears_and_follows_it(stage: Stage) -> None:
    popover = stage.open()
    ground = "() => getComputedStyle(document.body).backgroundColor"
    set_mode(stage, "DARK")
    assert luminance(popover.run(ground)) < 0.1
    set_mode(stage, "LIGHT")
    assert luminance(popover.run(ground)) > 0.9


NUMBERS = """async () => {
    const found = [];
    for (const each of document.querySelectorAll(".unit .shown, .head .shown, .unit .band, .head .band")) {
        if (!each.checkVisibility()) continue;
        each.scrollIntoView({ block: "center" });
        const { left, top, width, height } = each.getBoundingClientRect();
        const seen = document.elementFromPoint(left + width / 2, top + height / 2);
        const { fontSize, opacity } = getComputedStyle(each);
        found.push([each.innerText.trim().split("\\n").at(-1), each === seen || each.contains(seen), parseFloat(fontSize), parseFloat(opacity),
            each.scrollWidth <= Math.ceil(width) + 1]);
    }
    return found;
}"""


@pytest.mark.parametrize("mode", ["LIGHT", "DARK"])
@pytest.mark.parametrize("width", [320, 360])
def test_o26_each_kind_of_number_is_seen_and_says_it_in_signs(stage: Stage, mode: str, width: int) -> None:
    """Numbers of others had to be made visible again: here nothing lies over one, and none says a thing by its colour alone."""
    enemies = [unit(each, f"Horror {each}", side="blue", band=each) for each in ("unhurt", "hurt", "bad")]
    hurt = [unit(f"w{each}", f"Marine {each}", wounds=each, maxWounds=12) for each in (0, 6, 12)]
    tense = [unit(f"p{each}", f"Platoon {each}", stress=each) for each in (2, 20)]
    popover = stage.open(roster=[*tense, *hurt, *enemies])
    set_mode(stage, mode)
    stage.resize(width, 480)
    found = popover.run(NUMBERS)
    texts = [text for text, *_ in found]
    assert texts == ["2", "20", "0 of 12", "6 of 12", "12 of 12", "unhurt", "hurt", "bad"]
    assert [
        text for text, seen, size, opacity, fits in found if not (seen and size >= 12 and opacity == 1 and fits)
    ] == []


@pytest.mark.parametrize("width", [320, 360])
def test_nothing_is_wider_than_the_popover_or_out_of_reach_in_a_low_window(stage: Stage, width: int) -> None:
    """Names stay readable."""
    long = unit("long", "Sergeantmajorwithaverylongnameindeed 1A-1 R-1A", wounds=10, maxWounds=12, stress=15)
    popover = stage.open(**{**FULL, "roster": [PLATOON, long, MARINE, ENEMY]})
    stage.resize(width, 480)
    popover.click('[aria-label="Place encounter First fight"]')
    assert stage.cut_off() == []
    assert popover.run("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert popover.run("() => document.documentElement.scrollHeight") > 480  # so that it has to scroll


def test_tab_goes_from_top_to_bottom_and_the_focus_is_seen(stage: Stage) -> None:
    popover = stage.open(conflicts=[CONFLICT], roster=[PLATOON, NCO, MARINE])
    popover.run("() => { document.body.tabIndex = -1; document.body.focus(); }")
    found, outlines = [], set()
    for _ in range(10):
        popover.press(":focus", "Tab")
        found.append(popover.run(FOCUSED))
        outlines.add(popover.run("() => getComputedStyle(document.activeElement).outline"))
    assert found == [
        "NCO Wounds. Take battle: 2",
        "NCO Wounds. Take Owlbear: 3",
        "Less Stress for Small R",
        "More Stress for Small R",
        "Less Wounds for NCO 1A-1 R-1A",
        "More Wounds for NCO 1A-1 R-1A",
        "Token of NCO 1A-1 R-1A",
        "Less Wounds for Soldier 1A-2 R-1A",
        "More Wounds for Soldier 1A-2 R-1A",
        "Link Soldier 1A-2 R-1A to the selected token",
    ]
    assert all("solid 3px" in each for each in outlines), outlines


def test_what_can_be_pressed_has_a_name_of_its_own(stage: Stage) -> None:
    popover = stage.open(**FULL)
    names = popover.run(
        """() => [...document.querySelectorAll("button, input")].filter((each) => each.checkVisibility())
            .map((each) => each.getAttribute("aria-label") || each.labels?.[0]?.innerText || each.innerText)"""
    )
    assert len(names) > 60
    assert [name for name, same in itertools.groupby(sorted(names)) if len(list(same)) > 1 or not name.strip()] == []


def test_headings_groups_and_what_is_read_out(stage: Stage) -> None:
    popover = stage.open(**{**FULL, "roster": [PLATOON, NCO]})
    headings = """() => [...document.querySelectorAll("h1, h2, h3")].filter((each) => each.checkVisibility())
        .map((each) => each.tagName + " " + each.innerText)"""
    assert popover.run(headings) == [
        "H1 Rallypoint",
        "H2 1 conflict",
        "H2 Encounters",
        "H2 Side red",
        "H3 Small R",
    ]
    assert popover.run("() => document.documentElement.lang") == "en"
    assert popover.run("() => document.querySelectorAll('main').length") == 1
    group = "() => document.querySelector('.unit [role=group]').getAttribute('aria-label')"
    assert popover.run(group) == "Wounds of NCO 1A-1 R-1A"
    live = """() => ["state", "news", "error", "found"].map((name) => document.querySelector("." + name).getAttribute("role"))"""
    assert popover.run(live) == ["status"] * 4
    assert popover.run("() => document.querySelector('#code-said').getAttribute('role')") == "alert"


def test_a_pending_number_and_one_at_its_end_are_told_apart_without_colour(stage: Stage) -> None:
    popover = stage.open()
    popover.click('[aria-label="More Wounds for NCO 1A-1 R-1A"]')
    assert stage.shown("NCO")[1] == "2 of 3… not confirmed yet"
    border = "(it) => getComputedStyle(document.querySelector(it)).borderTopStyle"
    assert popover.run(border, '[aria-label="Less Wounds for Soldier 1A-2 R-1A"]') == "dashed"
    assert popover.run(border, '[aria-label="More Wounds for Soldier 1A-2 R-1A"]') == "solid"
