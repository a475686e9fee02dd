"""What a roster says of the force as a whole, and the last steps that every form of roster shares."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from rallypoint.kernel.canonical import EMPTY, Value

from .catalogue import Catalogue
from .chain_of_command import remarks_on_officers
from .fields import Fields
from .force import Force, Platoon, Remark, Squad, force_key, is_cut
from .stand_ins import remarks_on_stand_ins

__all__ = ["HEAD_FIELDS", "MOST_STRESS", "ForceHead", "mustered", "read_head"]

HEAD_FIELDS = ("title", "key", "stress", "retired")
"""The fields of a force besides its squads, teams and units."""

MOST_STRESS = 1000
"""No roster says more; what a game allows is for the game to say."""

_KEY = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class ForceHead(NamedTuple):
    """Title, machine name, Stress and the uids of those who are gone."""

    title: str
    key: str
    stress: int = 0
    retired: tuple[str, ...] = ()
    extra: Mapping[str, Value] = EMPTY


def read_head(fields: Fields, title: str) -> ForceHead:
    """Return what a roster says of the force; ``title`` is what it is called where it does not say so."""
    title = fields.text("title") or title
    key = fields.text("key")
    if key is not None and not _KEY.fullmatch(key):
        fields.wrong("key", "small letters, digits and single hyphens (ASCII)", "this cannot be the key of a force")
        key = None
    stress = fields.number("stress", 0, MOST_STRESS, 0)
    return ForceHead(title, key or force_key(title), stress, fields.texts("retired"), fields.rest())


def _remarks_on_names(squads: Iterable[Squad]) -> Iterator[Remark]:
    """Yield a remark for each name that several units have: a count before a name gives it to all of them."""
    lines: dict[str, list[int]] = {}
    for squad in squads:
        for unit in squad.units:
            if unit.name is not None:
                lines.setdefault(unit.name, []).append(unit.line)
    for name, places in lines.items():
        if len(places) > 1:
            hint = "give each a line and a name of its own"
            yield Remark(places[0] or None, name, f"{len(places)} units have this name", None, "warning", hint)


def mustered(
    head: ForceHead, squads: Iterable[Squad], remarks: Iterable[Remark], catalogue: Catalogue, *, with_optional: bool
) -> Force:
    """Return the force: optional squads are taken or left out, and officers are counted."""
    squads = list(squads)
    wanted = tuple([squad for squad in squads if with_optional or not squad.optional])
    left_out = tuple([squad for squad in squads if squad.optional and not with_optional])
    found = list(remarks)
    for squad in left_out:
        name = f"Squad {squad.number}" + (f" - {squad.title}" if squad.title else "")
        found.append(Remark(squad.line or None, name, f"optional, left out with its {len(squad.units)} units"))
    found += _remarks_on_names(squads)
    found += remarks_on_officers(wanted, catalogue)
    found += remarks_on_stand_ins(squads, catalogue)
    if is_cut(head.key, head.title):
        hint = 'a key of your own makes short ones: {key=my-crew} behind the title of a page, key = "my-crew" elsewhere'
        found.append(Remark(None, head.title, f"uids begin with {head.key}", None, "advice", hint))
    found.sort(key=lambda remark: remark.line or 0)
    platoon = Platoon(head.title, wanted, head.stress)
    return Force(head.key, platoon, left_out, tuple(found), head.retired, head.extra, catalogue.added)
