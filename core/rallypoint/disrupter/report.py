"""After a battle: what a roster says of those who were in it."""

from __future__ import annotations

from collections.abc import Mapping

from rallypoint.content import Force, Squad, Team, Unit
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import State

from .field import alive, platoon, sides
from .returning import with_values
from .setup import FATE

__all__ = ["FATE", "after_battle"]


def after_battle(force: Force, side: str, state: State) -> Force:
    """Return a roster with the Wounds and Stress of a battle, and the fate of everybody who was lost in it.

    Units that were not in the battle stay as they are. A fate stands in a field of its own (:data:`FATE`), and goes when
    somebody is alive at the end of a later battle.

    Args:
        force: the roster that the side brought.
        side: which side it was.
        state: the battle as it ended, or as it stands.

    Raises:
        InputError: there is no such side, or nobody of the roster fought on it.
    """
    if side not in sides(state):
        raise InputError("there is no such side", found=side, expected=" or ".join(sides(state)))
    units = {unit.uid: unit for unit in state.below(side, "unit")}
    # A roster that both sides brought has its uids with the side in front.
    known = {
        unit.uid: units.get(unit.uid) or units.get(f"{side}.{unit.uid}")
        for squads in (force.platoon.squads, force.left_out)
        for squad in squads
        for team in squad.teams
        for unit in team.units
    }
    found = {uid: unit for uid, unit in known.items() if unit is not None}
    if not found:
        raise InputError(
            "nobody of this roster fought on this side",
            where=force.title,
            found=side,
            expected=next(iter(units), "nobody"),
        )
    values = {uid: {"Wounds": unit.value("Wounds")} for uid, unit in found.items()}
    owner = platoon(state, side)
    if "Stress" in owner.trackers:
        values[owner.uid] = {"Stress": owner.value("Stress")}
    fates = {uid: None if alive(unit) else str(unit.statuses["out"].value) for uid, unit in found.items()}
    changed = with_values(force, values)
    squads = tuple([_fated(squad, fates) for squad in changed.platoon.squads])
    left_out = tuple([_fated(squad, fates) for squad in changed.left_out])
    return changed._replace(platoon=changed.platoon._replace(squads=squads), left_out=left_out)


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
