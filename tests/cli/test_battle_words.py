"""What is said of states, acts and events: in words, with codes for uids, and for every event that the rules tell."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import rallypoint.disrupter as module
from rallypoint.cli.battle_question import given_answer
from rallypoint.cli.battle_words import Names, Voice, hex_words, question_words
from rallypoint.disrupter import explain
from rallypoint.disrupter.asked import needed
from rallypoint.disrupter.checks import check_cut
from rallypoint.disrupter.explain import event_words, explained, shots
from rallypoint.disrupter.panic import panic_cut
from rallypoint.disrupter.spoken import choice_words, combined, gone, headline, ordered, remarks
from rallypoint.kernel.answers import scripted
from rallypoint.kernel.canonical import freeze
from rallypoint.kernel.changes import DropStatus, SetAttribute, SetPlace, SetStatus, SetTracker
from rallypoint.kernel.dice import D6, D20, D100, PERCENTILE, ByFace, Throw
from rallypoint.kernel.errors import InputError, RuleError
from rallypoint.kernel.events import Event
from rallypoint.kernel.game import Intent
from rallypoint.kernel.parts import Hex, Status
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.tape import Choice, Choose, Grade, Option, Pick, Roll, Sealed

from ..disrupter.positions import changed, engaged, position, status, team, two_platoons, unit

ROOT = Path(__file__).parents[2]
CODES = {"r1a": "R-1A", "r1a-1": "R-1A-1 NCO", "b1a": "B-1A", "b1a-2": "B-1A-2 Bot", "red": "Red"}


def name(uid: str) -> str:
    return CODES.get(uid, uid)


def event(kind: str, *changes: Any, **why: object) -> Event:
    return Event(kind, changes, "D-R1", why={key.replace("_", " "): freeze(value) for key, value in why.items()})


GRADED = {"who": "r1a-1", "purpose": "fire", "die": (0, 99), "faces": (7, 66), "grade": "critical_failure"}


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (
            event("check", check=GRADED, units=("r1a-1",), stat="instinct", under=60, target="b1a"),
            "R-1A-1 NCO: fire at B-1A: 07 and 66 under 60: critical failure",
        ),
        (event("check", units=("r1a-1",), purpose="spot", grade="success"), "R-1A-1 NCO: spot: success without dice"),
        (
            event(
                "panic.check", check={**GRADED, "die": (1, 20), "faces": (6,), "grade": "pass"}, stress=5, subject="r1a"
            ),
            "R-1A: nerve: 6 against Stress 5: pass",
        ),
        (event("panic.check", stress=5, subject="r1a", passed=False), "R-1A: panics without dice"),
        (
            event("stress", SetTracker("red", "Stress", 2), by=-1, reason="rest", **{"from": 3}),
            "Red: Stress 3 - 1: rest",
        ),
        (Event("stress", (), "D", why={"by": -1, "from": 3, "reason": "rest"}), "Stress 3 - 1: rest"),
        (Event("move.step", (), "D", why={"team": "r1a", "from": (1, 0), "to": (1, 1)}), "R-1A moves from B1 to B2"),
        (event("wounds", unit="b1a-2", wounds=1), "B-1A-2 Bot: 1 Wound"),
        (event("wounds", unit="b1a-2", wounds=3, lost=2), "B-1A-2 Bot: 3 Wounds, 2 of them more than it can take"),
        (event("unit.removed", unit="b1a-2", became="dead"), "B-1A-2 Bot is out: dead"),
        (
            event("fire.hit", shooters=("r1a-1",), target="b1a", at=(0, 0), allocation=(("b1a-2", 1),)),
            "hit: R-1A-1 NCO at B-1A in A1: B-1A-2 Bot 1",
        ),
        (
            event("fire.miss", shooters=("r1a-1",), target=None, at=(0, 0), allocation=()),
            "miss: R-1A-1 NCO at A1: no Wounds",
        ),
        (
            event("fire.shot", attacks=(("r1a-1", "pulse_rifle", "b1a", False),), manner="fire"),
            "fire: R-1A-1 NCO (pulse rifle) at B-1A",
        ),
        (
            event("fire.lost", attacks=(("r1a-1", "revolver", "b1a", False),)),
            "these shots are lost: R-1A-1 NCO (revolver) at B-1A",
        ),
        (event("cover.taken", SetStatus("r1a", Status("under_cover"))), "R-1A is under cover"),
        (event("action.spent", action="moved", on="taking cover"), "Movement Action: taking cover"),
        (event("action.spent", action="acted", on="a volley"), "Battlefield Action: a volley"),
        (
            event("portion.opens", group="co", side="red", phase="battle"),
            "the CO's group: Red takes Battlefield Actions",
        ),
        (event("battle.over", winner="draw"), "over: a draw"),
        (event("battle.over", winner="red"), "over: Red has won"),
        (event("briefing.opens", problems=()), "the briefing opens"),
        (
            event("briefing.opens", problems=(("warning", "w", "D-R2.1", "battle"),)),
            "the briefing opens, 1 thing to think about: w (D-R2.1)",
        ),
        (event("house.rule", luck=3, who="r1a"), "house: rule (luck 3, who R-1A)"),
        (event("team.rallied", team="r1a"), "R-1A is rallied by ?"),
    ],
)
def test_an_event_in_one_line(told: Event, words: str) -> None:
    assert event_words(told, name) == words


def test_every_event_of_the_rules_has_words() -> None:
    folder = ROOT / "core" / "rallypoint" / "disrupter"
    source = "\n".join(path.read_text("utf-8") for path in sorted(folder.glob("*.py")))
    kinds = set(re.findall(r'emit\(\s*"([a-z_.]+)"', source))
    assert len(kinds) > 40
    speak_for_themselves = {"move.made"}  # its reasons hold a sentence
    assert kinds - speak_for_themselves <= {*explain._SENTENCES, *explain._OWN}


def test_an_event_at_length_tells_dice_modifiers_and_changes() -> None:
    modifiers = (("+", "officer r1a-1 within Close Range", "D-R9.4"),)
    told = event("check", check=GRADED, units=("r1a-1",), stat="instinct", under=60, modifiers=modifiers)
    assert list(explained(told, name)) == [
        "R-1A-1 NCO: fire: 07 and 66 under 60: critical failure",
        "d100 under Instinct 60; doubles are criticals (D-R7.1, D-R7.3)",
        "[+] officer R-1A-1 NCO within Close Range (D-R9.4)",
        "two dice because of the modifiers (D-R7.5): 07 and 66",
        "critical failure",
    ]
    both = (*modifiers, ("-", "under cover", "D-R13.1"))
    told = event("check", check={**GRADED, "faces": (7,)}, units=("r1a-1",), stat="instinct", under=60, modifiers=both)
    assert "[+] and [-] cancel out (D-AMB-07), one die: 07" in list(explained(told, name))


def hit(*shares: object, wounds: tuple[int, ...], allocation: dict[str, int], target: str = "b1a") -> list[str]:
    told = event(
        "fire.hit",
        shooters=("r1a-1",),
        weapons=("pulse_rifle",),
        target=target,
        at=(0, 0),
        wounds=wounds,
        allocation=tuple(allocation.items()),
        shares=shares,
    )
    lines = list(explained(told, str))
    return lines[1 : lines.index(next(line for line in lines if line.startswith("shooters")))]


@pytest.mark.rule("D-R16.10")
def test_divided_wounds_are_reckoned() -> None:
    """Three weapons of 4 Wounds at a and three others, with a save of each armour value: 3 and 9 become 0 and 6."""
    rest = ("b", "c", "d")
    shares = (("a",), "success", 3, 0), (rest, "critical_success", 9, 6)
    assert hit(*shares, wounds=(4, 4, 4), allocation={"b": 2, "c": 2, "d": 2}) == [
        "Wounds: 4 + 4 + 4 = 12",
        "12 among 4 units, 3 each (D-AMB-28): 3 for a and 9 for b, c, d",
        "a: 3 before the save, 3 taken off by it, 1 for each of 3 weapons (D-AMB-27): 0",
        "b, c, d: 9 before the save, 3 taken off by it, 1 for each of 3 weapons (D-AMB-27): 6",
        "b, c, d: 6 among 3 units (D-AMB-28): 2 each",
    ]


@pytest.mark.rule("D-R16.10")
def test_a_remainder_is_drawn_by_lot() -> None:
    assert hit((("a", "b", "c"), "failure", 5, 5), wounds=(5,), allocation={"a": 2, "b": 1, "c": 2}) == [
        "Wounds: 5",
        "a, b, c: 5, and no save takes anything off",
        "a, b, c: 5 among 3 units (D-R16.10): 1 each, and 1 more for 2 of them, drawn by lot",
    ]
    shares = (("a",), "success", 2, 0), (("b", "c"), "failure", 3, 3)
    lines = hit(*shares, wounds=(3, 1, 1), allocation={"b": 2, "c": 1})
    assert lines[1:3] == [
        "5 among 3 units, 1 each and the other 2 by lot (D-AMB-28): 2 for a and 3 for b, c",
        "a: 2 before the save, 2 taken off by it, up to 1 for each of 3 weapons (D-AMB-27): 0",
    ]


@pytest.mark.rule("D-R16.10")
@pytest.mark.parametrize(
    ("share", "wounds", "words"),
    [
        ((("a",), "success", 4, 3), (4,), "a: 4 before the save, 1 taken off by it (D-R16.6): 3"),
        ((("a",), "success", 4, 3), (2, 2), "a: 4 before the save, 1 taken off by it, 1 for the attack (D-AMB-27): 3"),
        ((("a",), "success", 4, 4), (4,), "a: 4 before the save, 0 taken off by it: 4"),
        ((("a",), None, 4, 2), (4,), "a: 4 before, 2 after what a plugin says"),
        (
            (("a", "b"), "failure", 4, 4),
            (4,),
            "a, b: 4 among 2 units (D-R16.10): not evenly, by the ruling in force or a plugin",
        ),
    ],
)
def test_what_takes_wounds_off_is_named(share: tuple[object, ...], wounds: tuple[int, ...], words: str) -> None:
    assert words in hit(share, wounds=wounds, allocation={"a": 4})


def test_changes_are_told_as_what_they_leave() -> None:
    told = event(
        "anything",
        SetTracker("r1a-1", "Wounds", 2),
        SetPlace("r1a", Hex(1, 1)),
        SetPlace("b1a", None),
        SetStatus("r1a", Status("under_cover", since=2, until=3)),
        DropStatus("b1a", "suppressed"),
    )
    assert [line.removeprefix("changes: ") for line in explained(told, name)][1:] == [
        "Wounds of R-1A-1 NCO is 2",
        "R-1A is in B2",
        "B-1A is off the board",
        "R-1A is under cover from turn 2 until the end of turn 3",
        "B-1A is no more suppressed",
    ]


def test_shots_are_who_fires_at_whom() -> None:
    told = event("fire.shot", attacks=(("r1a-1", "revolver", "b1a", False), ("r1a-2", "revolver", "b1a-2", True)))
    assert list(shots(told)) == [("r1a-1", "b1a"), ("r1a-2", "b1a-2")]
    assert list(shots(event("fire.hit", attacks=(("a", "b", "c", False),)))) == []


# States and acts


def test_the_headline_says_whose_part_it_is() -> None:
    assert (
        headline(two_platoons(turn=3, portion=("2", "blue", "battle")), str)
        == "Turn 3: Group 2, blue takes Battlefield Actions"
    )
    assert headline(two_platoons(portion=("co", "red", "move")), str) == "Turn 1: the CO's group, red moves"
    between = changed(two_platoons(turn=3), SetAttribute("battle", "phase", "start"))
    assert headline(between, str) == "Turn 3 ends"
    assert headline(changed(between, SetAttribute("battle", "turn", 0)), str) == "Turn 1 begins"


def test_remarks_tell_orders_groups_and_what_is_done() -> None:
    state = engaged(two_platoons())
    assert remarks(state, "R1", str) == ("order: Go.",)
    assert remarks(state, "R1A", str) == ("Group 1",)
    assert remarks(state, "R0A", str) == ("with the CO",)


def test_whoever_is_out_is_gone() -> None:
    state = changed(two_platoons(), SetStatus("R1A-1", status("out")._replace(value="ran")))
    assert (gone(state, "R1A-1"), gone(state, "R1A-2")) == ("ran", None)


@pytest.mark.parametrize(
    ("rule", "args", "words"),
    [
        ("move", ("R1A", ((3, 1), (3, 0))), "R1A: move to D1 by D2"),
        ("move", ("R1A", ((3, 0),)), "R1A: move to D1"),
        (
            "act",
            ("R1A", (("R1A-1", "fire", "pulse_rifle", "B1A"), ("R1A-2", "spot", "B1B"))),
            "R1A: R1A-1 fires Pulse Rifle at B1A; R1A-2 spots B1B",
        ),
        ("act", ("R1A", (("R1A-1", "rally"),)), "R1A: R1A-1 tries to rally"),
        ("act", ("R1A", (("R1A-1", "order", "R1", {"text": "Hold."}),)), "R1A: R1A-1 orders R1: Hold."),
        (
            "act",
            ("R0A", (("R0A-1", "code_word", "Rally", ("R1", "R2"), "Home"),)),
            "R0A: R0A-1 says Rally (Home) to R1, R2",
        ),
        ("act", ("R1A", (("R1A-1", "nothing"),)), "R1A: R1A-1 does nothing"),
        ("act", ("R1A", ()), "R1A: nothing"),
        ("take_cover", ("R1A",), "R1A: take cover"),
        ("attach", ("R1A", "R1C"), "R1A: get into R1C"),
        ("done", (), "done: end this part"),
        ("move", ("R1A",), 'move ["R1A"]'),
        ("unheard", ("R1A", 3), 'unheard ["R1A",3]'),
    ],
)
def test_an_act_in_words(rule: str, args: Any, words: str) -> None:
    state = two_platoons()
    frozen = freeze(args)
    assert isinstance(frozen, tuple)
    # B is row 1 and so on: hexes in odd rows stand half a hex to the right, which changes no name.
    assert choice_words(state, Intent(rule, frozen, "red"), str) == words


def test_an_order_becomes_the_act_by_which_it_is_given() -> None:
    state = two_platoons(portion=("co", "red", "battle"), rally_points={"red": (0, 11)})
    made = ordered(state, "R0A-1", "R1", {"text": "Fall back.", "verb": "retreat", "place": "Home"})
    assert (made.rule, made.seat) == ("act", "red")
    assert made.args == freeze(
        ["R0A", [["R0A-1", "order", "R1", {"text": "Fall back.", "verb": "retreat", "place": [0, 11]}]]]
    )
    with pytest.raises(InputError, match="this is no place"):
        ordered(state, "R0A-1", "R1", {"text": "Go.", "place": "Nowhere"})
    with pytest.raises(InputError, match="no such part"):
        ordered(state, "R0A-1", "R1", {"text": "Go.", "speed": "high"})
    dead = changed(state, SetStatus("R0A-1", Status("out", "dead")))
    with pytest.raises(RuleError, match=r"R0A-1: this Officer is out \(D-R9.10\); found: dead"):
        ordered(dead, "R0A-1", "R1", {"text": "Go."})


def test_choices_of_one_team_are_one_action_and_others_are_not() -> None:
    spot = Intent("act", ("R1A", (("R1A-1", "spot", "B1A"),)), "red")
    shot = Intent("act", ("R1A", (("R1A-2", "fire", "pulse_rifle", "B1A"),)), "red")
    both = ("R1A", (("R1A-1", "spot", "B1A"), ("R1A-2", "fire", "pulse_rifle", "B1A")))
    assert combined([spot, shot]) == Intent("act", both, "red")
    elsewhere = Intent("act", ("R1B", (("R1B-1", "spot", "B1A"),)), "red")
    for other in (
        elsewhere,
        Intent("done", (), "red"),
        Intent("move", ("R1A", ((1, 1),)), "red"),
        spot._replace(seat="blue"),
    ):
        with pytest.raises(RuleError, match=r"these cannot be done at once \(D-R16.1\)"):
            combined([spot, other])


# Names and questions


def test_codes_are_understood_in_any_case_and_uids_stay() -> None:
    state = position(team("R1A", (1, 1), unit("NCO"), unit("Soldier")), team("B1A", (4, 4), unit("CO")))
    called = {
        "R1A": ("Team A", "Team", "R-1A"),
        "R1A-1": ("NCO 1A-1", "NCO", "R-1A"),
        "R1A-2": ("Ana", "Soldier", "R-1A"),
        "red": ("Red Company", "Side", "R"),
    }
    names = Names(state, called)
    assert [names(uid) for uid in ("R1A", "R1A-1", "R1A-2", "red", "B1A", "who")] == [
        "R-1A",
        "R-1A-1 NCO",
        "R-1A-2 Ana",
        "Red Company",
        "B1A",
        "who",
    ]
    assert names.inside(["r-1a", {"to": "R-1A-2"}, 3, "R1A"]) == ["R1A", {"to": "R1A-2"}, 3, "R1A"]
    assert names.codes("fire, pulse_rifle R1A-2, hold") == "fire, pulse_rifle R-1A-2, hold"
    with pytest.raises(InputError, match="nobody in this battle is called so"):
        names.known("R-9Z")


def test_questions_say_who_does_what() -> None:
    cut = ByFace.of(["a"] * 6, ("a",))
    assert list(question_words(Grade(Throw("r1a", "fire", D6, 2), cut), name)) == ["R-1A rolls 2d6 for fire"]
    assert list(question_words(Roll((Throw("r1a", "x", D20), Throw("b1a", "y", PERCENTILE))), name)) == [
        "R-1A rolls d20 for x",
        "B-1A rolls d100 for y",
    ]
    assert list(question_words(Grade(Throw("r1a", "fire", D100), cut), name)) == ["R-1A rolls d100 (00 to 99) for fire"]
    assert list(question_words(Pick("", "lots", ("r1a", "b1a"), 1), name)) == ["draw 1 of 2 for lots: R-1A, B-1A"]
    asks = tuple([Choice(seat, "parley", (Option("y", "yes"),), "r1a") for seat in ("red", "blue")])
    assert list(question_words(Choose(asks[:1]), name)) == ["Red decides on parley of R-1A"]
    assert list(question_words(Sealed.lacking(asks, (1,)), name)) == ["blue decides on parley of R-1A (part 2)"]


CHECK = {"under": 60, "units": ("r1a-1",), "stat": "instinct"}
PLUS, MINUS = ("+", "officer r1a-1 within Close Range", "D-R9.4"), ("-", "under cover", "D-R13.1")


@pytest.mark.parametrize(
    ("dice", "cut", "why", "words"),
    [
        (1, check_cut(60, 0), CHECK, "below 60"),
        (1, check_cut(0, 0), {**CHECK, "under": 0}, "cannot succeed"),
        (1, check_cut(60, 0), {**CHECK, "target": "b1a"}, "at B-1A, below 60"),
        (
            2,
            check_cut(60, 1, "selected"),
            {**CHECK, "modifiers": (PLUS,)},
            "below 60, [+] officer R-1A-1 NCO within Close Range: the better counts",
        ),
        (
            2,
            check_cut(60, -1),
            {**CHECK, "modifiers": (MINUS,)},
            "below 60, [-] under cover: the worse counts, but a double before all",
        ),
        (
            1,
            check_cut(60, 0),
            {**CHECK, "modifiers": (PLUS, MINUS)},
            "below 60, [+] officer R-1A-1 NCO within Close Range, [-] under cover: they cancel out",
        ),
        (1, panic_cut(4), {"stress": 4}, "above the Stress of 4 to keep its nerve"),
        (2, panic_cut(4), {"stress": 4}, "above the Stress of 4 to keep its nerve: the better counts"),
        (
            1,
            panic_cut(4),
            {"words": "{who} tosses for {what}", "who": "b1a", "what": "the hill"},
            "B-1A tosses for the hill",
        ),
        (1, panic_cut(4), {"words": "a { brace"}, "a { brace"),
        (1, panic_cut(4), {}, ""),
    ],
)
def test_a_throw_is_asked_for_with_what_it_must_show(dice: int, cut: ByFace, why: dict[str, Any], words: str) -> None:
    die = D20 if cut is panic_cut(4) else D100
    assert needed(Grade(Throw("r1a-1", "fire", die, dice), cut), why, name) == words
    assert Voice(module, name).needed(Grade(Throw("r1a-1", "fire", die, dice), cut), why) == words
    assert Voice(None, name).needed(Grade(Throw("r1a-1", "fire", die, dice), cut), why) == ""


def test_an_answer_is_what_was_typed() -> None:
    state = position(team("R1A", (1, 1), unit("NCO"), unit("Soldier")), team("B1A", (4, 4), unit("CO")))
    names = Names(state, {"R1A-1": ("NCO 1A-1", "NCO", "R-1A"), "R1A-2": ("Ana", "Soldier", "R-1A")})
    draw = Pick("", "lots", ("R1A-1", "R1A-2"), 1)
    roll = Grade(Throw("r1a", "fire", D6, 2), ByFace.of(["a"] * 6, ("a",)))
    assert scripted(draw, given_answer(names, draw, ["r-1a-2"])) == (1,)
    assert scripted(draw, given_answer(names, draw, ["1"])) == (0,)  # the list counts from 1
    assert given_answer(names, roll, ["3", "4"]) == [3, 4]
    assert given_answer(names, roll, ["3"]) == 3
    assert given_answer(names, None, ["[[3], [4, 5]]"]) == [[3], [4, 5]]
    assert given_answer(names, None, ["hold"]) == "hold"
    assert given_answer(names, None, ["fire r-1a-2"]) == "fire R1A-2"
    with pytest.raises(InputError, match="not JSON"):
        given_answer(names, None, ["[3"])


def test_a_game_without_words_is_told_plainly() -> None:
    state = State.of([Entity.new("red", "side"), Entity.new("r", "unit", parent="red")])
    voice = Voice(None, name)
    assert voice.headline(state) == ""
    assert voice.act(state, Intent("fire", ("r1a", ("b1a",)), "red")) == 'fire R-1A ["b1a"]'
    assert voice.event(event("hurt", SetTracker("r1a-1", "Wounds", 1))) == "hurt: SetTracker R-1A-1 NCO Wounds 1"
    assert list(voice.shots(event("fire.shot"))) == []
    assert voice.gone(state, "r") is None


def test_the_kernels_own_events_have_words_in_any_game() -> None:
    for voice in (Voice(None, name), Voice(module, name)):
        answered = Event("plugin.answered", (), "kernel", "dread", why={"hook": "fire_wounds", "before": 1, "after": 3})
        assert voice.event(answered) == "fire_wounds is changed from 1 to 3"
        decided = Event(
            "plugin.answered", (), "kernel", "calm", why={"hook": "panic_check", "before": None, "after": True}
        )
        assert voice.explained(decided) == ("panic_check is decided: true",)
        assert (
            voice.event(Event("outside.edit", (), "kernel", "vtt", why={"text": "moved"}))
            == "edited from outside: moved"
        )


def test_hexes_have_the_names_of_the_map() -> None:
    # Row 1 from the top left: q = 0, 1, 2; two rows further down the same column has q one less.
    assert [hex_words(Hex(q, 0)) for q in (0, 1, 25, 26)] == ["A1", "B1", "Z1", "AA1"]
    assert [hex_words(Hex(q, r)) for q, r in ((0, 1), (-1, 2), (-1, 3))] == ["A2", "A3", "A4"]
    assert hex_words("the gate") == "the gate"


@pytest.mark.parametrize(
    ("why", "words"),
    [
        ({"words": "{who} holds {what}", "who": "r1a"}, "R-1A holds ?"),
        ({"words": "{who:>99999999}", "who": "r1a"}, "{who:>99999999}"),
        ({"words": "{who.real} {", "who": "r1a"}, "{who.real} {"),
    ],
)
def test_the_words_of_a_plugin_name_reasons_and_nothing_else(why: dict[str, Any], words: str) -> None:
    assert event_words(Event("dread.told", (), "D", why=why), lambda uid: CODES.get(uid, uid)) == words


def test_reasons_that_do_not_fit_their_event_are_listed() -> None:
    told = Event("stress", (), "D", why={"by": "much"})
    assert event_words(told, str) == "stress (by much)"
    told = Event("fire.hit", (), "D", why={"allocation": 5})
    assert event_words(told, str) == "fire: hit (allocation 5)"
