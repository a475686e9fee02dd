"""The rules as hooks: which templates a vehicle may lay, how its Driver does, and where it can fire (D-VE-1 to D-VE-13)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rallypoint.disrupter.checks import check
from rallypoint.disrupter.field import BATTLE, board, living, place_named, side_of, team_of, turn
from rallypoint.disrupter.fire import best_attacks
from rallypoint.disrupter.hooks import DisrupterStep
from rallypoint.disrupter.movement import Ground, allowance, ground
from rallypoint.disrupter.records import Attack, CheckRequest, Reaction, Template
from rallypoint.kernel.changes import Change, SetAttribute
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.parts import Hex, Pose
from rallypoint.kernel.plugins.hooks import hookimpl
from rallypoint.kernel.state import Entity, State
from rallypoint.kernel.tape import Choice, Option

from .geometry import Leg, moved, outline, settled
from .templates import MovementTemplate
from .vehicles import Vehicle, aims, end_of, front, off_grid, pose_of, vehicle_of

__all__ = ["los_test", "react_trigger", "vehicle_slide", "vehicle_template"]

_EVERY = 4
"""Every so manieth place of a way is looked at for what is in the way; they lie 2 mm apart."""

PLUGIN = "vehicle-templates"

REFEREE = "referee"
"""The seat of the table's owner (D-R1.4)."""


# Templates


@hookimpl
def vehicle_template(step: DisrupterStep, team: Entity, laid: tuple[Template, ...]) -> tuple[Template, ...] | None:
    """Offer every template, with either face up, that fits: its cost and what was laid before are M at most (D-VE-4, D-VE-5, D-VE-8)."""
    found = vehicle_of(step.state, team.uid)
    if found is None or (laid and _slide_ends_it(step, team)):
        return None
    left = allowance(step, team.uid) - sum(each.cost for each in laid)
    here = laid[-1].end if laid else pose_of(step.state, team.uid)
    land = ground(step.state, step.options, team.uid)
    shown = step.options.get("D-VE-7", "final") == "preview"
    return tuple(
        [
            Template(key, template.cost, end, _words(key, template, end if shown else None))
            for key, template in _faces(found)
            if template.cost <= left and _passes(land, found, here, template)
            for end in (end_of(found, here, template),)
        ]
    )


def _slide_ends_it(step: DisrupterStep, team: Entity) -> bool:
    """Say whether a slide has ended the movement (D-AMB-32)."""
    slid = step.state[team.uid].attributes.get("slid") == turn(step.state)
    return slid and step.options.get("D-AMB-32.slide", "ends") == "ends"


def _faces(found: Vehicle) -> Iterator[tuple[str, MovementTemplate]]:
    for template in found.set.templates.values():
        yield from template.faces()


def _words(key: str, template: MovementTemplate, end: Pose | None) -> str:
    """Return a template for people; where it ends only if the driver may look before he touches it (D-VE-7)."""
    head = f"{key.replace('_', ' ')} (cost {template.cost})"
    return head if end is None else f"{head} to {end.x:.0f}, {end.y:.0f} heading {end.heading:.0f}"


def _passes(land: Ground, found: Vehicle, here: Pose, template: MovementTemplate) -> bool:
    """Say whether a vehicle gets along a template: nothing closed lies on its way, nobody stands at its end (D-R14.3 to D-R14.5).

    What it stands over already does not hold it back. The way is looked at every few millimetres.
    """
    if not _stands_free(land, found, end_of(found, here, template)):
        return False
    start, size = front(here, found.length), (found.length, found.width)
    back = Leg(0.0, -found.length / 2)
    known = set(_hexes(land, here, size))
    for leg in template.way()[_EVERY:-1:_EVERY]:
        over = [at for at in _hexes(land, moved(moved(start, leg), back), size) if at not in known]
        if any(land.closed(at) for at in over):
            return False
        known.update(over)
    return True


def _stands_free(land: Ground, found: Vehicle, middle: Pose) -> bool:
    over = list(_hexes(land, middle, (found.length, found.width)))
    return not any(land.closed(at) or at in land.friends for at in over)


def _hexes(land: Ground, middle: Pose, size: tuple[float, float]) -> Sequence[Hex]:
    """Return the hexes over which a vehicle is (D-VE-1); where its size is not known, the one under its middle."""
    table = board(land.state)
    return tuple(dict.fromkeys([table.hex_at(x, y) for x, y in outline(middle, *size)]))


# The Driver, and the slide


@hookimpl
def vehicle_slide(step: DisrupterStep, team: Entity, template: Template) -> Pose | None:
    """Let the Driver check his Instinct; if he fails, the vehicle slides (D-VE-6, D-VE-9, D-VE-10, D-AMB-32)."""
    found = vehicle_of(step.state, team.uid)
    if found is None:
        return None
    _keep_set(step, team, found)
    who = _driver(step, team)
    if check(step, CheckRequest((who,), "instinct", "drive"), "D-VE-9").success:
        return None
    return _slid(step, team, found, template)


def _keep_set(step: DisrupterStep, team: Entity, found: Vehicle) -> None:
    """Note by which set a vehicle drives, and refuse another one of that name later in the battle (D-VE-3)."""
    now = (found.set.name, found.set.digest)
    kept = step.state[team.uid].attributes.get("templates")
    if kept is None:
        why = {"team": team.uid, "set": found.set.title, "words": "{team} drives by the templates of: {set}"}
        step.emit("vehicle.set", SetAttribute(team.uid, "templates", now), rule="D-VE-3", by=PLUGIN, why=why)
    elif kept != now:
        what = "this is not the set of templates with which this vehicle began"
        hint = "put the file back as it was, or undo its moves"
        raise RuleError(what, rule="D-VE-3", where=team.uid, found=now, expected=kept, hint=hint)


def _driver(step: DisrupterStep, team: Entity) -> str:
    """Return the Driver: who has the highest Instinct of the crew; of equals whom the owner names, until he falls (D-VE-6).

    Where no Driver rolls (D-SL-VE.1) it is all the same who of equals drives, and nobody is asked or kept.
    """
    crew = living(step.state, team.uid)
    kept = step.state[team.uid].attributes.get("driver")
    if isinstance(kept, str) and any(unit.uid == kept for unit in crew):
        return kept
    best = max(_instinct(unit) for unit in crew)
    able = [unit.uid for unit in crew if _instinct(unit) == best]
    who = able[0]
    if len(able) > 1:
        if step.options.get("D-SL-VE.1") == "on":
            return who
        options = tuple([Option(uid, f"{uid} drives") for uid in able])
        who = step.choose(Choice(side_of(step.state, team.uid), "vehicle.driver", options, team.uid)).key
    why = {"team": team.uid, "driver": who, "words": "{driver} drives {team}"}
    step.emit("vehicle.driver", SetAttribute(team.uid, "driver", who), rule="D-VE-6", by=PLUGIN, why=why)
    return who


def _instinct(unit: Entity) -> int:
    value = unit.facts.get("instinct")
    return value if isinstance(value, int) else 0


def _slid(step: DisrupterStep, team: Entity, found: Vehicle, template: Template) -> Pose:
    """Return where a vehicle comes to stand on the Slide Template; where nothing can stand there, it stays at the template's end."""
    land = ground(step.state, step.options, team.uid)
    slides = _slides(found, pose_of(step.state, team.uid), template.key)
    ends = {key: end for key, end in slides if _stands_free(land, found, end)}
    end = template.end
    if len(ends) > 1:
        options = tuple([Option(key, f"slide {key}", place) for key, place in ends.items()])
        key = step.choose(Choice(side_of(step.state, team.uid), "vehicle.slide", options, team.uid)).key
        end = ends[key]
    elif ends:
        (end,) = ends.values()
    slid = SetAttribute(team.uid, "slid", turn(step.state))
    words = "{team} slides off {template}" + (" and has no room to" if not ends else "")
    why = {"team": team.uid, "template": template.key, "pose": end, "blocked": not ends, "words": words}
    step.emit("vehicle.slides", slid, rule="D-VE-10", by=PLUGIN, why=why)
    return end


def _slides(found: Vehicle, here: Pose, key: str) -> Iterator[tuple[str, Pose]]:
    """Yield the poses on the Slide Template: to the hand of the movement template, or to either, in each direction that it leaves open."""
    template = dict(_faces(found))[key]
    notch = moved(front(here, found.length), template.notch)
    slide, back = found.set.slide, found.length / 2 * (-1 if found.set.stops_with == "front" else 1)
    hands = {"right": (slide.end,), "left": (slide.end.mirrored(),), "": (slide.end, slide.end.mirrored())}
    for end in dict.fromkeys(hands[template.bends]):
        middle = moved(moved(notch, end), Leg(0.0, back))
        hand = "right" if end.right > 0 else "left" if end.right < 0 else "ahead"
        for heading in slide.headings:
            yield f"{hand} {heading:g}", settled(moved(middle, Leg(0.0, 0.0, heading)))


# Fire


@hookimpl
def los_test(step: DisrupterStep, attack: Attack) -> bool | None:
    """Refuse a shot for which a weapon or a unit of a vehicle cannot be turned (D-VE-12, D-VE-13).

    Where no arc is given it can, unless the referee says that it is not plausible. A shot in reaction is left out rather
    than refused, so that it does not undo the move that it reacts to.
    """
    unit = step.state[attack.shooter]
    team = unit.parent
    if team is None or off_grid(step.state, team) is None:
        return None
    bound = aims(step.state, unit, attack.weapon)
    if bound:
        return _refused(attack, "this weapon cannot be turned so far") if not _covered(step, attack) else None
    if step.state[BATTLE].facts["referee"] and not _referee_allows(step, attack):
        return _refused(attack, "the referee says that this cannot be aimed so")
    return None


def _covered(step: DisrupterStep, attack: Attack) -> bool:
    unit, point = step.state[attack.shooter], _point(step.state, attack.target)
    assert unit.parent is not None
    if point is None or step.state[unit.parent].place is None:
        return True  # nothing is there to aim at; other rules say so
    here = pose_of(step.state, unit.parent)
    return all(any(aim.covers(here, point) for aim in arcs) for arcs in aims(step.state, unit, attack.weapon))


def _point(state: State, target: str) -> tuple[float, float] | None:
    """Return where a target is in millimetres: somebody, or a place such as ``@D4``."""
    at = place_named(target)
    there = at if at is not None or target not in state else team_of(state, target).place
    return None if there is None else board(state).point(there)


def _refused(attack: Attack, what: str) -> bool:
    if attack.reaction:
        return False
    raise RuleError(what, rule="D-VE-12", where=attack.shooter, found=attack.target)


def _referee_allows(step: DisrupterStep, attack: Attack) -> bool:
    """Ask the referee once for each shot in a portion (D-VE-12)."""
    asked = (turn(step.state), step.state[BATTLE].attributes.get("at", 0), attack.weapon, attack.target)
    known = step.state[attack.shooter].attributes.get("aimed")
    if isinstance(known, tuple) and known[:-1] == asked:
        return known[-1] == "allow"
    options = Option("allow", "it can be aimed so"), Option("veto", "it cannot")
    said = step.choose(Choice(REFEREE, f"aim {attack.weapon} at {attack.target}", options, attack.shooter)).key
    kept: Change = SetAttribute(attack.shooter, "aimed", (*asked, said))
    words = "the referee on {unit} aiming at {target}: {said}"
    why = {"unit": attack.shooter, "target": attack.target, "said": said, "words": words}
    step.emit("vehicle.aim", kept, rule="D-VE-12", by=PLUGIN, why=why)
    return said == "allow"


@hookimpl
def react_trigger(step: DisrupterStep, mover: Entity, reactors: tuple[Reaction, ...]) -> tuple[Reaction, ...] | None:
    """Leave out vehicles none of whose weapons can be turned to the mover (D-VE-12)."""
    left = tuple([each for each in reactors if _can_aim(step, each.team, mover.uid)])
    return left if len(left) < len(reactors) else None


def _can_aim(step: DisrupterStep, team: str, mover: str) -> bool:
    if off_grid(step.state, team) is None:
        return True
    found = best_attacks(step.state, step.options, team, mover)
    return not found or any(_covered(step, attack) for attack in found)
