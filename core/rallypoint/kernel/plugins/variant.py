"""A variant of a game: which plugins take part, frozen for one battle.

This is where discovery, switches, loading, clashes and the plan come together; a broken plugin is a row, and the battle
goes on with the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple, cast

from ..errors import PluginError
from ..rulings import Ruling, by_id
from .clashes import refuse_clashes
from .discovery import Found
from .loading import Row, load
from .plan import Report, compile_plan, print_report
from .switches import Switches

EMPTY_NAMES: Mapping[str, str] = MappingProxyType({})
NO_RULINGS: Mapping[str, Ruling] = by_id(())

__all__ = ["Variant", "frozen_variant"]


class Variant(NamedTuple):
    """The frozen hooks of a game, the plugins in them with their versions, and the rows of all plugins.

    ``hooks`` is what the game's class of hooks describes, ``None`` for a game that publishes none. ``rulings`` are those that
    the plugins bring, by id. ``decided`` are rulings that a plugin decides without bringing them, by id, with its name: the game
    goes on to read what people choose there.
    """

    game: str
    hooks: object
    plugins: Mapping[str, str]
    rows: tuple[Row, ...]
    rulings: Mapping[str, Ruling] = NO_RULINGS
    decided: Mapping[str, str] = EMPTY_NAMES


def frozen_variant(
    game: str, found: Iterable[Found], switches: Switches | None = None, *, report: Report = print_report
) -> Variant:
    """Return the variant of ``game`` with every plugin that is on, works and is made for it.

    Args:
        game: the name of the game's plugin.
        found: what :func:`~rallypoint.kernel.plugins.discovery.discover` found.
        switches: which plugins are off.
        report: hears of exceptions in *tell* hooks.

    Raises:
        PluginError: the game is not there, is off or broken, or two plugins that are on decide one ruling.
    """
    found = tuple(found)
    loaded = load(found, switches or Switches())
    rows = {row.name: row for row in loaded.rows}
    if game not in rows or rows[game].state != "on":
        why = rows[game].reason if game in rows else "it is not installed"
        raise PluginError("this game cannot be played", plugin=game, found=why, hint="rallypoint plugins says more")
    specification = loaded.specifications.get(game)
    plugins = loaded.plugins.get(game, ())
    manifests = [each.manifest for each in found if each.manifest is not None and rows[each.name].state == "on"]
    # A plugin without functions takes part too, by the rulings and the equipment that it brings.
    taking_part = [each for each in manifests if game in each.needs]
    refuse_clashes(taking_part)
    hooks: object = None
    if specification is not None:
        hooks = compile_plan(cast("Callable[..., object]", specification), plugins, report=report)
    versions = {game: rows[game].version, **{each.name: rows[each.name].version for each in taking_part}}
    rulings = by_id(ruling for each in taking_part for ruling in each.rulings)
    decided = {ruling: each.name for each in taking_part for ruling in each.decides if ruling not in rulings}
    return Variant(game, hooks, dict(sorted(versions.items())), loaded.rows, rulings, decided)
