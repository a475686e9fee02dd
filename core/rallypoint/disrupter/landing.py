"""Where shots come down that go over everything: thrown, launched, or fired at a place (D-EQ-T5, D-IF-1, D-IF-3)."""

from __future__ import annotations

from rallypoint.kernel.parts import Hex
from rallypoint.kernel.state import State

from .field import place, place_named, team_of, teams
from .hooks import DisrupterStep
from .impact import Impact, strike
from .modes import result
from .outcome import is_success
from .records import Attack, Grade
from .volley import Volley

__all__ = ["aimed_at", "land", "lands_elsewhere"]


def aimed_at(state: State, target: str) -> Hex:
    """Return the hex that is fired at: the one that is named, or that of a team or unit on the board."""
    at = place_named(target) or place(state, target)
    assert at is not None
    return at


def lands_elsewhere(step: DisrupterStep, attack: Attack) -> bool:
    """Resolve an indirect shot that lands without a check, where a plugin says (D-IF-5), and say whether one does."""
    at = step.hooks.indirect_target(step, attack)
    if at is None:
        return False
    _strike_at(step, (attack,), at)
    return True


def land(step: DisrupterStep, volley: Volley, at: Hex, grade: Grade | None) -> None:
    """Let shots that go over everything come down: where they are aimed with a success, or where no check was to be made.

    After a failure a plugin may let each of them drift (D-IF-3). Those for which none does miss, or go off among one's own team
    if they were thrown or launched (D-EQ-T5, D-AMB-37).
    """
    if grade is None or is_success(grade):
        if place_named(volley.target) is not None:
            _strike_at(step, volley.attacks, at)
        else:
            strike(step, Impact(volley.attacks, volley.target, at, None))
        return
    left = tuple([attack for attack in volley.attacks if not _drifts(step, attack, at)])
    if not left or result(step.state) is not None:
        return
    if volley.manner == "lob":
        _among_friends(step, left)
    else:
        strike(step, Impact(left, None, at, grade))


def _drifts(step: DisrupterStep, attack: Attack, at: Hex) -> bool:
    """Let a shot land where a plugin says that it drifts to, and say whether one does; after the end nothing lands."""
    if result(step.state) is not None:
        return True
    landing = step.hooks.indirect_drift(step, attack, at)
    if landing is not None and landing.at is not None:
        _strike_at(step, (attack,), landing.at)
    return landing is not None


def _strike_at(step: DisrupterStep, attacks: tuple[Attack, ...], at: Hex) -> None:
    """Let shots strike whoever stands in a hex, friend or foe, or nobody."""
    there = [team.uid for team in teams(step.state) if place(step.state, team.uid) == Hex(at.q, at.r)]
    strike(step, Impact(attacks, there[0] if there else None, at, None))


def _among_friends(step: DisrupterStep, attacks: tuple[Attack, ...]) -> None:
    own = team_of(step.state, attacks[0].shooter).uid
    step.emit("fire.among_friends", rule="D-EQ-T5", why={"team": own, "attacks": attacks})
    strike(step, Impact(attacks, own, aimed_at(step.state, own), None))
