"""Counts as people read them: in singular and plural, nothing of what is not there, and no word without its meaning."""

from __future__ import annotations

import pytest

from rallypoint.cli.terminal import counted
from rallypoint.content import parse_force
from rallypoint.disrupter import catalogue, encounter
from rallypoint.kernel.encounter import Encounter, Export
from rallypoint_foundry.export import export as to_foundry
from rallypoint_owlbear.export import export as to_owlbear

PAGE = "# Green Platoon\n### Squad 1 - Infantry\n#### Team A\n* 2 Soldiers - Combat Armor, Revolver\n"
ALONE = "# Horror {squads=none}\n* 1 Soldier - Combat Armor, Revolver\n"


def force(page: str) -> Encounter:
    return encounter(parse_force(page, "markdown", catalogue(), path="x.md", title="x"))


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (
            {"read": 1, "units": 1, "left_out": 0, "squads": 1, "teams": 1, "CO": 1},
            "1 read, 1 unit, 1 squad, 1 team, 1 CO",
        ),
        ({"read": 13, "teams": 2, "Bot": 13, "NCO": 2}, "13 read, 2 teams, 13 Bots, 2 NCOs"),
        ({"read": 2, "Tek-Horror, small": 2, "left_out": 2}, "2 read, 2 Tek-Horror, small, 2 left out"),
        ({"read": 4, "on_tokens": 1, "in_flags": 1}, "4 read, 1 on tokens, 1 in flags"),
        ({"read": 0, "units": 0}, "0 read"),
        ({}, ""),
    ],
)
def test_counts_are_said_as_people_say_them(counts: dict[str, int], said: str) -> None:
    assert counted(counts) == said


def notes(made: Export, start: str) -> list[str]:
    return [note for note in made.notes if note.startswith(start)]


def test_what_is_counted_in_flags_is_explained() -> None:
    made = to_foundry(force(PAGE), {})
    assert made.counts["in_flags"] == 1  # the team
    assert notes(made, "in flags: ") == [
        "in flags: a team is neither actor nor folder; what is known of it goes along with the actors of its units"
    ]
    assert notes(to_foundry(force(ALONE), {}), "in flags: ") == []


def test_what_is_counted_on_tokens_is_explained() -> None:
    made = to_owlbear(force(PAGE), {})
    assert made.counts["on_tokens"] == 5  # side, platoon, squad and two units; the team is the token
    assert len(notes(made, "on tokens: ")) == 1
