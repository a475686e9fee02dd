"""The words in which a game's scenarios are written: terrain, modes, sizes, rules. Each game brings its own."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from rallypoint.kernel.errors import InputError
from rallypoint.kernel.rulings import Preset, Ruling, by_id

__all__ = ["Mode", "ScenarioWords", "Size", "Terrain", "suggestion"]


NOT_THERE = "the plugin that brings it is not installed; rallypoint plugins says what is"


class Terrain(NamedTuple):
    """What can stand in a hex.

    ``sign`` is its one character in rows of signs, ``pattern`` names how a picture fills the hex, ``group`` is
    ``building``, ``cover`` or ``water``; a stand may be placed there if it is ``open_to`` all stands, to those that go
    over ``water``, or to ``nobody``.
    """

    key: str
    title: str
    sign: str
    pattern: str
    group: str
    open_to: str
    rule: str


class Mode(NamedTuple):
    """A way to play and to win. ``text`` is a sentence for the briefing."""

    key: str
    title: str
    text: str
    rule: str


class Size(NamedTuple):
    """How large a fight is: its boards, by hexes to a side, and from how many to how many platoons a side brings."""

    key: str
    title: str
    boards: tuple[int, ...]
    rule: str
    platoons: tuple[int, int] = (1, 1)


class ScenarioWords(NamedTuple):
    """All words of one game, by key, in the order in which people are told of them.

    ``rules`` are the sets of rules, ``options`` the rulings that can be chosen one by one; ``share`` says how much of a board should be terrain, from and
    to; ``depth`` is how deep a deployment zone is if nobody says, ``depth_option`` the option that says it for a whole battle;
    ``most_players`` is how many share a side.
    """

    game: str
    terrain: Mapping[str, Terrain]
    modes: Mapping[str, Mode]
    sizes: Mapping[str, Size]
    rules: Mapping[str, Preset]
    options: Mapping[str, Ruling]
    share: tuple[float, float]
    share_rule: str
    depth: int
    most_players: int
    depth_option: str | None = None
    off: Mapping[str, str] = MappingProxyType({})

    @property
    def signs(self) -> Mapping[str, str]:
        """What each sign stands for."""
        return MappingProxyType({each.sign: key for key, each in self.terrain.items()})

    def extended(
        self, rulings: Iterable[Ruling], presets: Iterable[Preset], off: Mapping[str, str] = MappingProxyType({})
    ) -> ScenarioWords:
        """Return the words with the rulings and sets of rules that plugins bring; the game's own come first.

        Args:
            rulings: of plugins that are on.
            presets: of plugins that are on.
            off: rulings of plugins that are off, each with the plugin and why.
        """
        return self._replace(
            options=by_id((*self.options.values(), *rulings)),
            rules=MappingProxyType({**self.rules, **{preset.name: preset for preset in presets}}),
            off=off,
        )

    def set_of_rules(self, name: str) -> Mapping[str, str | int]:
        """Return the rulings that a set of rules chooses.

        Raises:
            InputError: it chooses what there is not: a plugin that brings a ruling may be off.
        """
        where = f"set of rules {name}"
        for ruling, choice in self.rules[name].options.items():
            known = self.options.get(ruling)
            if known is None:
                what = "this set of rules chooses a ruling that is not there"
                owner = self.off.get(ruling)
                hint = f"it is of the plugin {owner}" if owner is not None else NOT_THERE
                raise InputError(what, where=where, found=ruling, hint=hint)
            try:
                known.fitting(choice)
            except InputError as error:
                what = "this set of rules makes a choice that is not there"
                raise InputError(what, where=where, found=f"{ruling} {choice}", expected=error.expected) from None
        return self.rules[name].options

    def no_such_ruling(self, name: str) -> str | None:
        """Return a hint for somebody who asks for a ruling that there is not, ``None`` where nobody knows anything like it."""
        if name in self.off:
            return f"it is of the plugin {self.off[name]}"
        return suggestion(name, self.options)


def suggestion(found: str, known: Mapping[str, object] | tuple[str, ...] | list[str]) -> str | None:
    """Return a question for somebody who may have meant a like word, or ``None``.

    >>> suggestion("forrest", ("forest", "building"))
    'did you mean forest?'
    """
    words = {word.casefold(): word for word in known}
    near = difflib.get_close_matches(found.casefold(), list(words), 1, 0.6)
    return f"did you mean {words[near[0]]}?" if near else None
