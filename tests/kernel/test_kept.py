"""What a roster keeps for plugins: values of trackers that the game's own columns have no place for."""

from __future__ import annotations

import pytest

from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.kept import with_kept, with_kept_values
from rallypoint.kernel.parts import Tracker
from rallypoint.kernel.state import Entity, State


def encounter(extra: object, **trackers: Tracker) -> Encounter:
    side = Entity.new("red", "side")
    unit = Entity.new("u", "unit", parent="red", facts={"extra": extra, "instinct": 60}, trackers=trackers)
    return Encounter("k", "T", "skirmish", State.of([side, unit]), {})


AMMO = Tracker(6, 0, 6, "down")


def test_a_kept_value_is_that_of_its_tracker_and_others_stay() -> None:
    found = with_kept_values(encounter({"trackers": {"Ammo": 2, "Gone": 5}}, Ammo=AMMO, Nerve=Tracker(1, 0, 3))).state
    assert dict(found["u"].trackers) == {"Ammo": AMMO._replace(value=2), "Nerve": Tracker(1, 0, 3)}
    assert found["u"].facts["instinct"] == 60


@pytest.mark.parametrize("extra", [{}, {"notes": "x"}, {"trackers": {}}, {"trackers": {"Gone": 5}}, "text"])
def test_where_nothing_is_kept_nothing_changes(extra: object) -> None:
    plain = encounter(extra, Ammo=AMMO)
    assert with_kept_values(plain) is plain


@pytest.mark.parametrize(("value", "moved"), [(7, 6), (-1, 0), (6, 6), (0, 0)])
def test_a_kept_value_is_moved_into_the_limits(value: int, moved: int) -> None:
    found = with_kept_values(encounter({"trackers": {"Ammo": value}}, Ammo=AMMO)).state
    assert found["u"].value("Ammo") == moved


@pytest.mark.parametrize("value", ["2", 2.0, True, None])
def test_a_kept_value_that_is_no_number_is_named(value: object) -> None:
    with pytest.raises(InputError) as caught:
        with_kept_values(encounter({"trackers": {"Ammo": value}}, Ammo=AMMO))
    assert (caught.value.where, caught.value.expected) == ("u: trackers.Ammo", "a whole number")


def test_kept_trackers_that_are_no_table_are_named() -> None:
    with pytest.raises(InputError, match="kept trackers are a table"):
        with_kept_values(encounter({"trackers": 3}, Ammo=AMMO))


def test_values_are_kept_beside_what_else_is_there() -> None:
    assert with_kept({"notes": "x"}, {"Ammo": 1}) == {"notes": "x", "trackers": {"Ammo": 1}}
    assert with_kept({"trackers": {"Nerve": 2}}, {"Ammo": 1}) == {"trackers": {"Nerve": 2, "Ammo": 1}}
