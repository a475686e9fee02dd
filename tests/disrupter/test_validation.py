"""What the rules say about the shape of a force: all at once, with severity, rule, place and hint."""

from __future__ import annotations

import pytest

from rallypoint.content import Force, parse_force
from rallypoint.disrupter import catalogue, problems
from rallypoint.kernel.errors import InputError

HUMAN = "* 1 Soldier - Combat Armor, Revolver\n"
BOT = "* 1 Bot - Basic Battlefield Robot, Laser Carbine\n"
NCO = "* 1 NCO - Combat Armor, Revolver\n"
CO = "* 1 CO - Combat Armor, Revolver\n"


def force(*squads: tuple[str, ...]) -> Force:
    """Return a force of squads 0, 1, ...: each a tuple of the bullets of its teams."""
    page = "# Green\n"
    for number, teams in enumerate(squads):
        page += f"### Squad {number}\n" + "".join(f"#### Team {chr(65 + n)}\n{team}" for n, team in enumerate(teams))
    return parse_force(page, "markdown", catalogue(), path="x.md", title="t")


def found(*squads: tuple[str, ...], scale: str = "platoon", enlarged: bool = False) -> list[tuple[object, ...]]:
    rows = problems(force(*squads), scale=scale, enlarged=enlarged)
    return [(each.severity, each.line, each.found, each.rule) for each in rows]


GOOD = (CO + BOT,)
SQUAD = (NCO + BOT, NCO + BOT)


def test_a_platoon_as_the_rules_want_it_has_no_problem() -> None:
    assert found(GOOD, SQUAD, SQUAD) == []


@pytest.mark.parametrize(("number", "warned"), [(1, True), (2, False), (4, False), (5, True)])
def test_teams_in_a_squad(number: int, warned: bool) -> None:
    rows = found(GOOD, (NCO + BOT,) * number)
    words = f"{number} team{'' if number == 1 else 's'} in Squad 1"
    assert rows == ([("warning", 6, words, "D-AMB-12")] if warned else [])


@pytest.mark.parametrize(
    ("scale", "number", "rule"), [("section", 3, "D-SF-3"), ("squad", 6, "D-SF-2"), ("company", 5, "D-AMB-12")]
)
def test_teams_in_a_squad_by_scale(scale: str, number: int, rule: str) -> None:
    assert ("warning", f"{number} teams in Squad 0", rule) in [
        (severity, what, cited) for severity, _, what, cited in found((CO + BOT,) * number, scale=scale)
    ]


def test_units_on_a_stand() -> None:
    five = (NCO + HUMAN + BOT * 3,)
    rows = found(GOOD, (*five, NCO + BOT))
    assert rows == [("warning", 7, "5 units in Squad 1, Team A", "D-R4.1")]
    assert found(GOOD, (*five, NCO + BOT), enlarged=True) == []
    six = (NCO + HUMAN * 2 + BOT * 3, NCO + BOT)
    assert found(GOOD, six, enlarged=True) == [("warning", 7, "6 units in Squad 1, Team A", "D-SF-1")]


def test_a_raft_holds_its_crew_and_its_passengers() -> None:
    def page(bots: int) -> Force:
        text = f"# Green\n### Squad 0\n#### Boat A\n{CO}* 3 Soldiers - Combat Armor, Revolver\n* {bots} Bots - Basic Battlefield Robot, Laser Carbine\n"
        return parse_force(text, "markdown", catalogue(), path="x.md", title="t")

    assert problems(page(4)) == ()
    assert [(each.found, each.rule) for each in problems(page(5))] == [("9 units in Squad 0, Boat A", "D-EQ-V1")]


@pytest.mark.parametrize(
    ("bots", "humans", "words"),
    [
        (1, 2, "1 of 3 units are bots (33 %)"),
        (2, 3, None),
        (3, 2, None),
        (5, 3, "5 of 8 units are bots (62 %)"),
        (0, 4, "0 of 4 units are bots (0 %)"),
    ],
)
def test_about_half_are_bots(bots: int, humans: int, words: str | None) -> None:
    teams = (CO + HUMAN * (humans - 1) + BOT * bots,)
    rows = [row for row in found(teams, enlarged=True) if row[3] == "D-PL-2"]
    assert rows == ([] if words is None else [("warning", None, words, "D-PL-2")])


def test_bots_without_an_officer_are_told_of() -> None:
    rows = found(GOOD, (NCO + BOT, HUMAN + BOT))
    assert rows == [("advice", 10, "Squad 1, Team B", "D-R9.16")]


def test_at_squad_scale_teams_with_humans_have_an_officer_and_squads_are_one() -> None:
    rows = found((CO + BOT, HUMAN + BOT, BOT), (NCO + BOT,), scale="squad")
    assert rows == [
        ("warning", 11, "2 squads", "D-SF-2"),
        ("warning", 6, "Squad 0, Team B", "D-SF-2"),
        ("advice", 9, "Squad 0, Team C", "D-R9.16"),
    ]


def test_at_squad_scale_the_crew_of_a_vehicle_needs_no_officer() -> None:
    text = f"# Green\n### Squad 0\n#### Team A\n{CO}{BOT}#### Boat B\n{HUMAN}{BOT}"
    boats = parse_force(text, "markdown", catalogue(), path="x.md", title="t")
    assert [each.rule for each in problems(boats, scale="squad")] == ["D-R9.16"]  # it is only told of its bot


def test_a_crew_is_whole_without_a_platoon() -> None:
    text = f"# Crew {{squads=none}}\n{HUMAN}"
    crew = parse_force(text, "markdown", catalogue(), path="x.md", title="t")
    (only,) = problems(crew)
    assert (only.severity, only.rule, only.hint) == ("advice", "D-R9.1", "for a VTT it is whole as it is")
    assert crew.remarks == ()


def test_officers_are_counted_when_the_roster_is_read() -> None:
    rows = [(each.severity, each.line, each.found, each.rule) for each in force((HUMAN,), (HUMAN, HUMAN)).remarks]
    assert rows == [
        ("warning", None, "0 CO", "D-R9.1"),
        ("warning", 2, "0 NCO in Squad 0", "D-R9.2"),
        ("warning", 5, "0 NCO in Squad 1", "D-R9.2"),
    ]


def test_an_unknown_scale() -> None:
    with pytest.raises(InputError) as caught:
        problems(force(GOOD), scale="army")
    assert caught.value.expected == "squad, platoon, section, company"
