"""A game's module together with what the plugins that are on add to it: equipment, rulings, sets of rules, what they track."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from rallypoint.kernel.canonical import EMPTY
from rallypoint.kernel.plugins.additions import Additions, additions
from rallypoint.kernel.plugins.discovery import discover

from .command_line import Invocation
from .guard import GuardedModule

if TYPE_CHECKING:
    from collections.abc import Callable

    from rallypoint.content import Catalogue
    from rallypoint.content.scenario_words import ScenarioWords
    from rallypoint.kernel.encounter import Encounter

__all__ = ["GameWithPlugins"]


class GameWithPlugins(GuardedModule):
    """The module of a game; its catalogue and its words of scenarios are those of the game and of its plugins."""

    def __init__(self, invocation: Invocation, name: str, module: object) -> None:
        super().__init__(name, module)
        self._invocation = invocation
        self._added: Additions | None = None

    def __getattr__(self, name: str) -> object:
        found = super().__getattr__(name)
        if name == "catalogue":
            return lambda: self._with_equipment(cast("Callable[[], Catalogue]", found)())
        if name == "scenario_words":
            return lambda: self._with_rulings(cast("Callable[[], ScenarioWords]", found)())
        return found

    @property
    def added(self) -> Additions:
        """What the manifests of the plugins add."""
        if self._added is None:
            self._added = additions(self._plugin, discover().found, self._invocation.switches)
        return self._added

    def _with_equipment(self, catalogue: Catalogue) -> Catalogue:
        if not self.added.content:
            return catalogue
        from rallypoint.content import read_content

        return read_content(self.added.content, catalogue).extended(catalogue)

    def _with_rulings(self, words: ScenarioWords) -> ScenarioWords:
        added = self.added
        return words.extended([ruling for _, ruling in added.rulings], [preset for _, preset in added.presets])

    def completed(self, encounter: Encounter, options: Mapping[str, object] = EMPTY) -> Encounter:
        """Return an encounter with what plugins track besides, or without what need not be tracked under these rulings.

        Args:
            encounter: what a roster or a scenario brings.
            options: the rulings in force, by id.

        Raises:
            InputError: a ruling or a choice does not exist.
            PluginError: a plugin fails.
        """
        if not options and not self._has_plugins():
            return encounter  # nothing is imported for nothing
        from .battle_game import playing

        game = playing(self._invocation, self._plugin, options).game
        completed = getattr(game, "completed", None)
        return encounter if completed is None else cast("Callable[[Encounter], Encounter]", completed)(encounter)

    def _has_plugins(self) -> bool:
        found = discover().found
        named = [each.name for each in found if each.manifest is not None and self._plugin in each.manifest.needs]
        return any(self._invocation.switches.why_off(name) is None for name in named)
