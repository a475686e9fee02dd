"""``rallypoint vehicle``: check a set of movement templates, plan a way with it, draw both."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from rallypoint.kernel.errors import InputError
from rallypoint.kernel.parts import Pose

from .drawing import plan_picture, set_picture
from .geometry import settled
from .planning import Found, Plan, command_of, plans
from .set_files import read_file, set_named
from .templates import MovementTemplate, TemplateSet, remarks
from .vehicles import Vehicle

__all__ = ["vehicle"]

AGREE_MM = 1.0
AGREE_DEGREES = 2.0
"""How near to each other two measurements must be to confirm each other."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def vehicle() -> None:
    """Check a set of movement templates, and plan a way with it.

    Example: rallypoint vehicle check house
    """


def _set(named: str) -> TemplateSet:
    """Return the set of a file, or of a name."""
    return read_file(Path(named)) if Path(named).suffix or Path(named).is_file() else set_named(named)


# check


@vehicle.command()
@click.argument("file", metavar="FILE")
@click.option("--against", metavar="OTHER", help="A second measurement: say which templates it confirms.")
@click.option("-o", "--out", metavar="PICTURE.svg", help="Draw the set into this file.")
@click.option("--strict", is_flag=True, help="Exit with 1 where there is anything to remark.")
@click.option("--json", "as_json", is_flag=True, help="For a program to read.")
def check(file: str, against: str | None, out: str | None, strict: bool, as_json: bool) -> int:
    """Check a file with a set of templates: what each costs, and what is odd about it.

    FILE is TOML or JSON, or the name of a set: house.

    Example: rallypoint vehicle check house -o house.svg
    """
    found = _set(file)
    said = list(remarks(found))
    compared = {} if against is None else _compared(found, _set(against))
    if out is not None:
        _write(Path(out), set_picture(found))
    if as_json:
        rows = [_row(template) for template in found.templates.values()]
        record = {"set": found.name, "house": found.house, "templates": rows, "remarks": said}
        click.echo(json.dumps(record | ({"against": compared} if against else {}), indent=2))
    else:
        for line in _lines(found, said, compared):
            click.echo(line)
    failed = any(each != "confirmed" for each in compared.values())
    return int(failed or (strict and bool(said)))


def _row(template: MovementTemplate) -> Mapping[str, object]:
    x, y, h = (round(value, 3) + 0.0 for value in template.end)
    return {
        "id": template.id,
        "gears": template.gears,
        "cost": template.cost,
        "end": {"x": x, "y": y, "h": h},
        "mirror": template.mirror,
        "verified": template.verified,
    }


def _lines(found: TemplateSet, said: Sequence[str], compared: Mapping[str, str]) -> Iterator[str]:
    count = len(found.templates)
    yield f"{found.title}: {count} template{'' if count == 1 else 's'}, at half size in millimetres"
    yield f"  {'id':<16} {'gears':<12} cost  {'right':>7} {'ahead':>7} {'turn':>6}"
    for each in found.templates.values():
        gears = ",".join(str(gear) for gear in each.gears)
        x, y, h = (round(value, 2) + 0.0 for value in each.end)
        yield f"  {each.id:<16} {gears:<12} {each.cost:>4}  {x:>7g} {y:>7g} {h:>6g}"
    headings = ", ".join(f"{heading:g}" for heading in found.slide.headings)
    x, y, _ = found.slide.end
    yield f"  slide: {x:g} right, {y:g} ahead from the notch; turns by {headings} degrees"
    yield from (f"warning: {line}" for line in said)
    yield from (f"{name}: {words}" for name, words in compared.items())


def _compared(one: TemplateSet, other: TemplateSet) -> dict[str, str]:
    """Return for each template of either set whether two measurements confirm each other, and if not, what differs."""
    found: dict[str, str] = {}
    for name in dict.fromkeys([*one.templates, *other.templates]):
        a, b = one.templates.get(name), other.templates.get(name)
        if a is None or b is None:
            found[name] = "only in one of them"
            continue
        apart = max(abs(p - q) for p, q in zip((*a.end[:2], *a.notch[:2]), (*b.end[:2], *b.notch[:2]), strict=True))
        turned = abs((a.end.turn - b.end.turn + 180.0) % 360.0 - 180.0)
        if a.gears != b.gears:
            found[name] = "other gears"
        elif apart > AGREE_MM or turned > AGREE_DEGREES:
            found[name] = f"{apart:.1f} mm and {turned:.1f} degrees apart"
        else:
            found[name] = "confirmed"
    return found


# plan


@vehicle.command()
@click.option("--from", "start", metavar="X,Y,HEADING", required=True, help="Where the vehicle's middle is, in mm.")
@click.option("--to", "goal", metavar="X,Y", required=True, help="The point, in mm from the board's top left corner.")
@click.option("--movement", type=click.IntRange(1, 60), required=True, help="The vehicle's M.")
@click.option("--set", "named", metavar="FILE", default="house", show_default=True, help="A set's file or name.")
@click.option("--size", metavar="LENGTH,WIDTH", default="0,0", help="Of the vehicle, in mm.")
@click.option("--tolerance", type=click.FloatRange(0, 1000), default=10.0, show_default=True, help="In mm.")
@click.option("--most", type=click.IntRange(1, 20), default=3, show_default=True, help="How many ways are told.")
@click.option("-o", "--out", metavar="PICTURE.svg", help="Draw the best way into this file.")
@click.option("--json", "as_json", is_flag=True, help="For a program to read.")
def plan(
    start: str,
    goal: str,
    movement: int,
    named: str,
    size: str,
    tolerance: float,
    most: int,
    out: str | None,
    as_json: bool,
) -> int:
    """Find the templates that bring a vehicle to a point, or as near to it as its M allows.

    A heading is in degrees clockwise from the top of the board. Nothing is taken to be in the way, and nothing to slide. The
    exit status is 1 where no way ends within the tolerance.

    Example: rallypoint vehicle plan --from 100,300,0 --to 195,255 --movement 7 -o plan.svg
    """
    here = settled(Pose(*_numbers(start, 3, "--from", "X,Y,HEADING: 100,300,0")))
    x, y = _numbers(goal, 2, "--to", "X,Y: 195,255")
    length, width = _numbers(size, 2, "--size", "LENGTH,WIDTH: 60,30")
    driven = Vehicle(_set(named), max(length, 0.0), max(width, 0.0))
    found = plans(driven, here, (x, y), movement, tolerance, most)
    if not found.plans:
        cheapest = min(each.cost for each in driven.set.templates.values())
        what = "this vehicle can lay no template at all"
        raise InputError(what, where="--movement", found=movement, expected=f"at least {cheapest}")
    best = found.plans[0]
    if out is not None:
        _write(Path(out), plan_picture(best, driven, here, (x, y), tolerance))
    if as_json:
        record = {"set": driven.set.name, "whole": found.whole, "plans": [_plan_row(each) for each in found.plans]}
        click.echo(json.dumps(record, indent=2))
    else:
        for line in _told(found, driven, tolerance):
            click.echo(line)
    return 0 if best.miss <= tolerance else 1


def _numbers(text: str, count: int, where: str, expected: str) -> list[float]:
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if len(found) != count or any(not abs(value) <= 1e6 for value in found):
        raise InputError("these are not the numbers that are wanted", where=where, found=text, expected=expected)
    return found


def _plan_row(found: Plan) -> Mapping[str, object]:
    return {
        "templates": [each.key for each in found.laid],
        "drive": list(command_of(found)),
        "cost": found.cost,
        "miss": round(found.miss, 3),
        "poses": [each.end._asdict() for each in found.laid],
    }


def _told(found: Found, driven: Vehicle, tolerance: float) -> Iterator[str]:
    if driven.set.house:
        yield "warning: house set: not the templates of Gaslands"
    if not found.whole:
        yield "warning: there are more ways than were tried; a smaller M, or a nearer point, is looked through whole"
    for at, each in enumerate(found.plans, 1):
        x, y, heading = each.laid[-1].end
        near = "" if each.miss <= tolerance else "  (not within the tolerance)"
        yield f"{at}  cost {each.cost}, {each.miss:.1f} mm off{near}: {', '.join(step.key for step in each.laid)}"
        yield f"   ends at {x:.1f}, {y:.1f} heading {heading:.0f}"


def _write(path: Path, picture: str) -> None:
    try:
        path.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise InputError("this file cannot be written", path=str(path), found=error.strerror) from error
