"""Which weapons fire indirectly, and what of it the rules for grenades and rockets keep for themselves (D-IF-1, D-EQ-T5, D-EQ-T12).

================= ================ ======================== =======================
weapon            at unseen places a failed check           where a place is spotted
================= ================ ======================== =======================
rocket            no (D-EQ-T12)    near miss (D-EQ-T14)     (sure, if its target is)
thrown            yes              among its own team       a check all the same
launched          yes              as thrown; or it drifts  a check; or none
any other, T > 0  yes              drifts                   no check
================= ================ ======================== =======================

A launched grenade drifts by ruling D-AMB-37 ``drift``.
"""

from __future__ import annotations

from collections.abc import Mapping

from rallypoint.disrupter.field import Weapon, place_named
from rallypoint.disrupter.outcome import fires_unseen
from rallypoint.disrupter.records import Attack
from rallypoint.disrupter.rulings import chosen
from rallypoint.kernel.canonical import Value

__all__ = ["at_a_place", "drifts"]


def at_a_place(arm: Weapon, attack: Attack) -> bool:
    """Say whether an attack is indirect fire: a weapon that may be, at a hex that is named (D-IF-1)."""
    return fires_unseen(arm) and place_named(attack.target) is not None


def drifts(arm: Weapon, options: Mapping[str, Value]) -> bool:
    """Say whether a weapon drifts where its check fails, and needs none where the place is spotted (D-IF-3, D-IF-5)."""
    if arm.trait("throw_check") is not None or not fires_unseen(arm):
        return False
    return arm.trait("launch_check") is None or chosen(options, "D-AMB-37") == "drift"
