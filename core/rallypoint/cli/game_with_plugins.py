"""A game's module together with what the plugins that are on add to it: equipment, rulings, sets of rules, what they track."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from rallypoint.kernel.canonical import EMPTY
from rallypoint.kernel.errors import InputError, PluginError
from rallypoint.kernel.plugins.additions import Additions, additions
from rallypoint.kernel.plugins.discovery import discover

from .command_line import Invocation
from .guard import GuardedModule
from .terminal import warn_once

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
        self._catalogue: Catalogue | None = None
        self._broken: dict[str, str] = {}

    def __getattr__(self, name: str) -> object:
        found = super().__getattr__(name)
        if name == "catalogue":
            return self._equipment
        if name == "scenario_words":
            return lambda: self._with_rulings(cast("Callable[[], ScenarioWords]", found)())
        return found

    @property
    def added(self) -> Additions:
        """What the manifests of the plugins add."""
        if self._added is None:
            self._added = additions(self._plugin, discover().found, self._invocation.switches)
        return self._added

    def broken(self) -> Mapping[str, str]:
        """Return the plugins whose equipment cannot be read or clashes, by name with the reason: they do not take part."""
        self._with_equipment()
        return self._broken

    def _equipment(self) -> Catalogue:
        catalogue = self._with_equipment()
        for plugin, reason in self._broken.items():
            warn_once(f"plugin {plugin} does not take part: {reason}")
        return catalogue

    def _with_equipment(self) -> Catalogue:
        """Return the game's catalogue with the equipment of the plugins, without that of broken ones."""
        if self._catalogue is None:
            plain = cast("Callable[[], Catalogue]", super().__getattr__("catalogue"))()
            if self.added.traits or self.added.names:
                named = {
                    (each.kind, each.name): f"did you mean {each.stands_for}? (plugin {plugin})"
                    for plugin, each in self.added.names
                }
                plain = plain.knowing([trait for _, trait in self.added.traits], named)
            catalogue = self._extended(plain)
            if self._broken:  # what a broken plugin could read before it failed does not count either
                catalogue = self._extended(plain)
            self._catalogue = catalogue
        return self._catalogue

    def _extended(self, catalogue: Catalogue) -> Catalogue:
        from rallypoint.content import PageError, read_content

        for plugin, path in self.added.content:
            if plugin in self._broken:
                continue
            try:
                catalogue = read_content([path], catalogue).extended(catalogue)
            except InputError as error:
                problems = error.problems if isinstance(error, PageError) else (error,)
                self._broken[plugin] = " | ".join(str(each) for each in problems)
        return catalogue

    def _with_rulings(self, words: ScenarioWords) -> ScenarioWords:
        added = self.added
        for what, own, brought in (
            ("ruling", words.options, added.rulings),
            ("set of rules", words.rules, added.presets),
        ):
            for plugin, each in brought:
                if each[0] in own:  # the id of the one, the name of the other
                    hint = f"rallypoint plugin disable {plugin} goes on without it"
                    raise PluginError(
                        f"it brings a {what} that is the game's own", plugin=plugin, found=each[0], hint=hint
                    )
        rulings, presets = [ruling for _, ruling in added.rulings], [preset for _, preset in added.presets]
        return words.extended(rulings, presets, added.off)

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
        if completed is None:
            return encounter
        from rallypoint.kernel.kept import with_kept_values

        return with_kept_values(cast("Callable[[Encounter], Encounter]", completed)(encounter))

    def _has_plugins(self) -> bool:
        found = discover().found
        named = [each.name for each in found if each.manifest is not None and self._plugin in each.manifest.needs]
        return any(self._invocation.switches.why_off(name) is None for name in named)
