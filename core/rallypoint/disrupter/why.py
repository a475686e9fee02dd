"""Why a shot is not listed, or that it is: of each weapon of a shooter the first rule that keeps it from a target."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import MappingProxyType

from rallypoint.kernel.errors import InputError, RuleError
from rallypoint.kernel.game import Game
from rallypoint.kernel.state import State
from rallypoint.kernel.step import NOBODY, Step
from rallypoint.kernel.tape import Suspended

from .act import obey
from .cover import under_cover
from .declaration import bears, check_declared
from .field import alive, hexes_apart, living, side_of, team_of, weapons
from .hooks import DisrupterStep, Hooks
from .outcome import band
from .records import Attack
from .sight import sees
from .spoken import Names
from .turn import own_team

__all__ = ["why_shots"]

_BANDS = MappingProxyType({"C": "Close Range", "M": "Medium Range", "L": "Long Range"})


def why_shots(game: Game[Hooks], state: State, shooter: str, target: str, name: Names) -> Iterator[str]:
    """Yield distance, sight and cover between a shooter and a target, then for each weapon whether it may be fired, or why not.

    Args:
        game: the rules, whose plugins are asked too.
        state: the battle.
        shooter: a unit, or a team: then each living unit of it.
        target: a team or a unit.
        name: gives names for uids.

    Raises:
        InputError: the shooter or the target is no team or unit.
    """
    for uid in (shooter, target):
        if uid not in state or state[uid].role not in ("team", "unit"):
            raise InputError(
                "shots go from a team or unit to another one", found=name(uid), expected="such as R-1A-2 B-1A"
            )
    team = team_of(state, shooter).uid
    yield f"{name(shooter)} at {name(target)}: {', '.join(_between(game, state, team, target))}"

    def refused(rule: Callable[[DisrupterStep], object]) -> RuleError | None:
        probe: DisrupterStep = Step(game, state, NOBODY, seat=side_of(state, team), log=False)
        try:
            rule(probe)
        except RuleError as error:
            return error
        except Suspended:  # a plugin or the referee has to be asked: that is for the act itself
            pass
        return None

    late = refused(lambda probe: own_team(probe, team, "acted"))
    if late is not None:
        yield f"  {_said(late, name)}"
    for unit in living(state, team) if shooter == team else [state[shooter]]:
        kept = refused(lambda probe, uid=unit.uid: obey(probe, uid, "fire")) if alive(unit) else None  # type: ignore[misc]
        if kept is not None:
            yield f"  {name(unit.uid)}: {_said(kept, name)}"
        for arm in weapons(state, unit):
            attack = Attack(unit.uid, arm.key, target)
            error = refused(lambda probe, shot=attack: check_declared(probe, team, (shot,)))  # type: ignore[misc]
            hexes = hexes_apart(state, team, target)
            if error is None and not bears(arm, hexes):
                error = RuleError("this weapon does nothing at this distance", rule="D-R16.9", found=f"{hexes} hexes")
            free = "it may be fired" if late is None and kept is None else "nothing else keeps it"
            yield f"  {name(unit.uid)}, {arm.title}: {free if error is None else _said(error, name)}"


def _between(game: Game[Hooks], state: State, team: str, target: str) -> Iterator[str]:
    hexes = hexes_apart(state, team, target)
    if hexes is None:
        yield "one of them is not on the board"
        return
    yield f"{hexes} hex{'' if hexes == 1 else 'es'}, {_BANDS[band(hexes)]}"
    yield "in sight" if sees(state, game.options, team, target) else "not in sight"
    if under_cover(state, team_of(state, target).uid):
        yield "the target is under cover"


def _said(error: RuleError, name: Names) -> str:
    """Return a refusal without the place, which the line begins with."""
    parts = [error.what]
    if error.found is not None:
        parts.append(f"found: {name(str(error.found))}")
    if error.expected is not None:
        parts.append(f"expected: {error.expected}")
    return "; ".join([*parts, *([error.hint] if error.hint else [])])
