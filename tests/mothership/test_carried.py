"""Round trips: a contractor as a unit and back, a unit as a contractor and back, and what a change in between does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rallypoint.kernel.errors import InputError
from rallypoint_mothership.carried import to_contractor, to_figure
from rallypoint_mothership.conversion import Choices
from rallypoint_mothership.records import Armor, Contractor, Figure, Weapon

from .strategies import contractors, figures

CHOICES = st.builds(Choices, st.sampled_from(["half", "equal", "archetype"]), st.booleans(), st.booleans())
CAL = Contractor(
    "c",
    "Cal",
    "Corporate fixer",
    15,
    30,
    22,
    1,
    4,
    (Weapon("SMG", "2d10", "Long", 5, "Gunshot"), Weapon("Crowbar", "1d5", "Adjacent")),
    (Armor("Vaccsuit", 3),),
    5000,
    "money",
    "owes the captain",
    notes=("left-handed",),
    extra={"trinket": "a coin"},
)
NIA = Figure("u", "Nia", "NCO", "battle_dress", False, ("pulse_rifle", "revolver"), 80, 80, 3, 2, 1, "1A")


@given(contractors(), CHOICES)
def test_a_contractor_comes_back_with_every_field(contractor: Contractor, choices: Choices) -> None:
    back = to_contractor(to_figure(contractor).figure, "key", choices)
    assert back._replace(disrupter=None) == contractor


@given(figures(), CHOICES)
def test_a_unit_comes_back_with_every_field(figure: Figure, choices: Choices) -> None:
    turned = to_figure(to_contractor(figure, "key", choices))
    assert turned.figure == figure
    assert turned.notes == ()


@given(contractors(), CHOICES)
def test_there_and_back_and_there_is_there(contractor: Contractor, choices: Choices) -> None:
    figure = to_figure(contractor).figure
    assert to_figure(to_contractor(figure, "key", choices)).figure == figure


@given(figures(), st.data())
def test_wounds_taken_as_a_contractor_are_taken_as_a_unit(figure: Figure, data: st.DataObject) -> None:
    wounds = data.draw(st.integers(0, figure.max_wounds))
    contractor = to_contractor(figure, "key")._replace(wounds=wounds)
    assert to_figure(contractor).figure._replace(carried=None) == figure._replace(wounds=wounds)


def test_what_disrupter_has_no_place_for_is_carried() -> None:
    carried = to_figure(CAL).figure.carried
    assert carried is not None
    for name, value in {"loyalty": 22, "instinct": 30, "salary": 5000, "motivation": "money"}.items():
        assert carried[name] == value
    assert carried["hidden_motivation"] == "owes the captain"
    assert carried["extra"] == {"trinket": "a coin"}


def test_a_promoted_contractor_has_a_new_type_and_its_old_self() -> None:
    figure = to_figure(CAL).figure
    back = to_contractor(figure._replace(kind="NCO", wounds=2), "k")
    assert (back.type, back.combat, back.instinct) == ("Marine (officer)", 30, 35)
    assert (back.loyalty, back.salary, back.motivation, back.wounds) == (22, 5000, "money", 2)
    assert back.weapons == CAL.weapons


def test_new_gear_is_new_and_the_rest_is_old() -> None:
    figure = to_figure(CAL).figure
    back = to_contractor(figure._replace(weapons=("revolver",), wears="battle_dress"), "k")
    assert [weapon.title for weapon in back.weapons] == ["Revolver"]
    assert [armor.title for armor in back.armor] == ["Advanced battle dress"]
    assert (back.type, back.max_wounds, back.notes) == ("Corporate fixer", 4, ("left-handed",))


def test_a_contractor_with_new_weapons_is_a_unit_with_new_weapons() -> None:
    contractor = to_contractor(NIA, "k")
    turned = to_figure(contractor._replace(weapons=(*contractor.weapons, Weapon("SMG", "2d10"))))
    assert turned.figure.weapons == ("pulse_rifle", "revolver", "laser_carbine")
    assert turned.notes == ("Nia: weapon SMG (2d10): taken as Laser Carbine, the nearest damage",)
    assert turned.figure._replace(weapons=NIA.weapons, carried=None) == NIA


def test_a_contractor_with_lighter_armour_moves_like_it() -> None:
    contractor = to_contractor(NIA, "k")._replace(armor=(Armor("Standard battle dress", 7),))
    figure = to_figure(contractor).figure
    assert (figure.wears, figure.armor, figure.movement) == ("combat_armor", 60, 1)


def test_a_renamed_and_rebuilt_contractor_is_another_class() -> None:
    figure = to_figure(to_contractor(NIA, "k")._replace(name="Nia II", type="Android (combat bot)")).figure
    assert (figure.name, figure.kind, figure.is_bot, figure.wears) == ("Nia II", "Bot", True, "basic_battlefield_robot")


def test_a_trained_soldier_stays_a_soldier() -> None:
    soldier = NIA._replace(kind="Soldier", instinct=60)
    contractor = to_contractor(soldier, "k")._replace(combat=37)
    turned = to_figure(contractor)
    assert (turned.figure.kind, turned.figure.instinct) == ("Soldier", 60)
    # and the new Combat is there when it becomes a contractor again
    assert to_contractor(turned.figure, "k").combat == 37


def test_more_wounds_than_there_are_do_not_come_back() -> None:
    assert to_figure(to_contractor(NIA, "k")._replace(wounds=9)).figure.wounds == 3


@pytest.mark.parametrize(
    ("record", "field"), [({"class": 5}, "class"), ({"class": "NCO", "weapons": None}, "weapons"), ({"I": -1}, "I")]
)
def test_a_broken_record_is_an_error_with_its_place(record: dict[str, object], field: str) -> None:
    with pytest.raises(InputError) as caught:
        to_figure(CAL._replace(disrupter=record))  # type: ignore[arg-type]
    assert caught.value.where == f"c: disrupter.{field}"


def test_a_broken_carried_contractor_is_an_error_with_its_place() -> None:
    with pytest.raises(InputError) as caught:
        to_contractor(NIA._replace(carried={"name": "Nia", "weapons": None}), "k")
    assert caught.value.where == "u: carried contractor.weapons"
    assert caught.value.found == "null"


def test_who_takes_off_battle_dress_gives_up_what_needs_it() -> None:
    gunner = NIA._replace(weapons=("heavy_machine_gun", "revolver"))
    light = to_contractor(gunner, "key")._replace(armor=(Armor("Standard battle dress", 7),))
    turned = to_figure(light)
    assert turned.figure.wears == "combat_armor"
    assert turned.figure.weapons == ("combat_shotgun", "revolver")
    assert any("General-purpose machine gun" in note for note in turned.notes)
