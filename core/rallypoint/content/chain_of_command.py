"""Who commands whom in a roster: one commander a platoon, one leader a squad.

Only a battle demands a complete platoon; a roster that is not yet complete is read, and a remark says what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .catalogue import Catalogue, Item
from .force import Remark, Squad

__all__ = ["remarks_on_officers"]


def remarks_on_officers(squads: Sequence[Squad], catalogue: Catalogue) -> Iterator[Remark]:
    """Yield a remark for each officer that is missing or one too many.

    A class with the trait ``commands_platoon`` stands once in a platoon, one with ``commands_squad`` once in each squad
    except in that of the platoon's commander. The catalogue's rules for these traits are cited.
    """
    squads = [squad for squad in squads if squad.number is not None]
    if not squads:  # a crew, or a horror or three: nobody expects officers there
        return
    commanders = _with_trait(catalogue, "commands_platoon")
    for commander in commanders:
        found = [unit for squad in squads for unit in squad.units if unit.kind == commander.title]
        if len(found) != 1:
            names = "none" if not found else ", ".join(unit.uid for unit in found)
            line = found[1].line if found else None
            rule = catalogue.rules.get("commands_platoon")
            what = f"a platoon has exactly one; found {names}"
            yield Remark(line or None, f"{len(found)} {commander.title}", what, rule, "warning")
    titles = {commander.title for commander in commanders}
    for leader in _with_trait(catalogue, "commands_squad"):
        for squad in squads:
            number = sum(unit.kind == leader.title for unit in squad.units)
            if number != 1 and not (number == 0 and any(unit.kind in titles for unit in squad.units)):
                rule = catalogue.rules.get("commands_squad")
                found_there = f"{number} {leader.title} in Squad {squad.number}"
                yield Remark(squad.line or None, found_there, "a squad has exactly one", rule, "warning")


def _with_trait(catalogue: Catalogue, trait: str) -> list[Item]:
    return [item for item in catalogue.classes.values() if item.trait(trait) is not None]
