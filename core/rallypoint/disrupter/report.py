"""After a battle: what a roster says of those who were in it."""

from __future__ import annotations

from collections.abc import Mapping

from rallypoint.content import Force, Squad, Team, Unit
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity, State

from .field import alive, platoons, sides
from .returning import with_values
from .setup import FATE

__all__ = ["FATE", "after_battle"]


def after_battle(force: Force, side: str, state: State, platoon: str | None = None) -> Force:
    """Return a roster with the Wounds and Stress of a battle, and the fate of everybody who was lost in it.

    Units that were not in the battle stay as they are. A fate stands in a field of its own (:data:`FATE`), and goes when
    somebody is alive at the end of a later battle.

    Args:
        force: the roster that the side brought.
        side: which side it was.
        state: the battle as it ended, or as it stands.
        platoon: which platoon of the side it was; needed where a company brought one roster more than once (D-SF-4).

    Raises:
        InputError: there is no such side or platoon, nobody of the roster fought in it, or several platoons are of this roster.
    """
    own, found = _fought(force, side, state, platoon)
    values = {uid: {name: each.value for name, each in unit.trackers.items()} for uid, unit in found.items()}
    if "Stress" in own.trackers:
        values[own.uid] = {"Stress": own.value("Stress")}
    fates = {uid: None if alive(unit) else str(unit.statuses["out"].value) for uid, unit in found.items()}
    changed = with_values(force, values)
    squads = tuple([_fated(squad, fates) for squad in changed.platoon.squads])
    left_out = tuple([_fated(squad, fates) for squad in changed.left_out])
    return changed._replace(platoon=changed.platoon._replace(squads=squads), left_out=left_out)


def _fought(force: Force, side: str, state: State, named: str | None) -> tuple[Entity, Mapping[str, Entity]]:
    """Return the platoon that a roster fought as, and by their uids in the roster the units in it."""
    if side not in sides(state):
        raise InputError("there is no such side", found=side, expected=" or ".join(sides(state)))
    own = {each.uid: number for number, each in enumerate(platoons(state, side), 1)}
    if named is not None and named not in own:
        raise InputError("this side has no such platoon", where=side, found=named, expected=" or ".join(own))
    fought = {uid: _units(force, side, number, uid, state) for uid, number in own.items() if named in (None, uid)}
    found = {uid: units for uid, units in fought.items() if units}
    if not found:
        first = next((unit.uid for unit in state.below(named or side, "unit")), "nobody")
        raise InputError(
            "nobody of this roster fought on this side", where=force.title, found=named or side, expected=first
        )
    if len(found) > 1:
        what, hint = "several platoons of this side are of this roster", "say which: --platoon"
        raise InputError(what, where=force.title, found=side, expected=" or ".join(found), hint=hint)
    ((uid, units),) = found.items()
    return state[uid], units


def _units(force: Force, side: str, number: int, platoon: str, state: State) -> Mapping[str, Entity]:
    """Return the units of a platoon that stand in a roster, by their uids there.

    A roster that both sides brought has its uids with the side in front, one that a company brought twice with the number of
    the platoon, too.
    """
    units = {unit.uid: unit for unit in state.below(platoon, "unit")}
    named = [
        unit.uid for squad in (*force.platoon.squads, *force.left_out) for team in squad.teams for unit in team.units
    ]
    found = {uid: units.get(uid) or units.get(f"{side}.{uid}") or units.get(f"{side}.{number}.{uid}") for uid in named}
    return {uid: unit for uid, unit in found.items() if unit is not None}


def _fated(squad: Squad, fates: Mapping[str, str | None]) -> Squad:
    def unit(each: Unit) -> Unit:
        if each.uid not in fates:
            return each
        kept = {name: value for name, value in each.extra.items() if name != FATE}
        fate = fates[each.uid]
        return each._replace(extra=kept if fate is None else {**kept, FATE: fate})

    def team(each: Team) -> Team:
        return each._replace(units=tuple([unit(inner) for inner in each.units]))

    return squad._replace(teams=tuple([team(each) for each in squad.teams]))
