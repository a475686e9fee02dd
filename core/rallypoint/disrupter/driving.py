"""Vehicles off the grid: one template after the other, with Reaction Fire after each (D-VE-3, D-VE-5, D-VE-11).

Which templates there are, what they cost and whether a vehicle slides is for plugins to say, with the hooks ``vehicle_template`` and
``vehicle_slide``. The place of such a vehicle is a :class:`~rallypoint.kernel.parts.Pose`: its middle in millimetres from the top
left corner of the board, y downwards, and its heading in degrees, clockwise from the top edge. Before its first template a
vehicle stands in a hex like any team; a plugin says which way it looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rallypoint.kernel.changes import SetAttribute
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.tape import Choice, Option

from .act import obey
from .activity import spend
from .cover import leave_cover
from .field import living, side_of, turn
from .hooks import DisrupterStep
from .movement import carry, check_held, ended, stopped
from .rafts import drives
from .reaction import after_hex
from .records import Move, Template
from .turn import go_on, own_team

__all__ = ["STOP", "check", "drive", "templates"]

STOP = "stop"
"""The option, and the last word of a sequence, that ends a movement."""


def templates(step: DisrupterStep, team: str, laid: tuple[Template, ...]) -> tuple[Template, ...]:
    """Return the templates that a vehicle may lay next, those of all plugins (D-VE-5)."""
    return step.hooks.vehicle_template(step, step.state[team], laid)


def drive(step: DisrupterStep, team: str, keys: Sequence[Any] = ()) -> None:
    """Move a vehicle by templates, with Reaction Fire after each (D-VE-3, D-VE-11).

    After those that are named its owner is asked for the next one, as long as any may be laid; :data:`STOP` ends that. A sequence
    that could not be laid without any slide is refused before the first dice; where a slide spoils the rest of it, he is asked.

    Args:
        step: the step.
        team: the vehicle.
        keys: templates by key, in order; none: the owner is asked for the first one, too.
    """
    own_team(step, team, "moved")
    if not drives(step.state, team):
        raise RuleError("this team moves by hexes", rule="D-VE-2", where=team, hint="move it")
    obey(step, team, "move")
    check_held(step.state, team)
    check(step, team, keys)
    spend(step, team, "moved", "D-R14.1", "driving")
    leave_cover(step, team, "D-AMB-41")
    _lay_all(step, team, list(keys))
    go_on(step)


def check(step: DisrupterStep, team: str, keys: Sequence[Any] = ()) -> None:
    """Refuse a sequence that could not be laid even without a slide, and any where no template can be laid at all (D-VE-5)."""
    laid: tuple[Template, ...] = ()
    if not templates(step, team, ()):
        hint = "rallypoint plugins lists what is installed"
        raise RuleError("there is no template that this vehicle can lay here", rule="D-VE-3", where=team, hint=hint)
    for number, key in enumerate(keys):
        if key == STOP and number > 0:
            return
        found = templates(step, team, laid)
        fitting = next((each for each in found if each.key == key), None)
        if fitting is None:
            expected = ", ".join(each.key for each in found) or STOP
            what = "this template cannot be laid here, or costs too much"
            raise RuleError(what, rule="D-VE-5", where=team, found=key, expected=expected)
        laid = (*laid, fitting)


def _lay_all(step: DisrupterStep, team: str, keys: list[Any]) -> None:
    laid: tuple[Template, ...] = ()
    while found := templates(step, team, laid):
        chosen = _next(step, team, found, keys, first=not laid)
        if chosen is None:
            break
        laid = (*laid, _lay(step, team, chosen))
        if stopped(step, team):
            break
    if living(step.state, team):
        ended(step, Move(team, ()))


def _next(
    step: DisrupterStep, team: str, found: tuple[Template, ...], keys: list[Any], *, first: bool
) -> Template | None:
    """Return the template that is laid next: the one that was named, else the one that the owner touches (D-VE-7)."""
    key = keys.pop(0) if keys else None
    by_key = {each.key: each for each in found}
    if key is None or (key != STOP and key not in by_key):
        keys.clear()
        options = [Option(each.key, each.words or each.key, each.end) for each in found]
        if not first:
            options.insert(0, Option(STOP, "stop here"))
        key = step.choose(Choice(side_of(step.state, team), "vehicle.template", tuple(options), team)).key
    return by_key.get(key)


def _lay(step: DisrupterStep, team: str, template: Template) -> Template:
    """Move a vehicle along one template, and let the enemy react where it stands then (D-VE-9 to D-VE-11)."""
    end = step.hooks.vehicle_slide(step, step.state[team], template) or template.end
    why = {"template": template.key, "cost": template.cost, "pose": end}
    carry(step, team, end, "vehicle.drives", "D-VE-3", why)
    if step.state[team].attributes.get("walked") != turn(step.state):
        step.emit("team.walked", SetAttribute(team, "walked", turn(step.state)), rule="D-EQ-T1", why={"team": team})
    step.call(after_hex, team)
    return template._replace(end=end)
