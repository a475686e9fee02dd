"""The order of plugins: what their manifests declare, then their names; never how they were installed."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from ..errors import PluginError

__all__ = ["Ordered", "Rank", "circle", "in_order"]


class Ordered(Protocol):
    """What has a name and says what it comes before and after."""

    @property
    def name(self) -> str:
        """The plugin's name."""

    @property
    def before(self) -> tuple[str, ...]:
        """The plugins that come after this one."""

    @property
    def after(self) -> tuple[str, ...]:
        """The plugins that come before this one."""


class Rank(NamedTuple):
    """The least that can be ordered."""

    name: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def in_order(plugins: Iterable[Ordered]) -> tuple[str, ...]:
    """Return the names so that every ``before`` and ``after`` holds; where both ways are open, the names decide.

    Names of plugins that are not there do not count.

    Raises:
        PluginError: the wishes go round in a circle, which is named.

    >>> in_order([Rank("a", after=("c",)), Rank("b"), Rank("c")])
    ('b', 'c', 'a')
    """
    done, circle = _sorted(plugins)
    if circle:
        raise PluginError(
            "the order of the plugins goes round in a circle",
            plugin=circle[0],
            found=" before ".join([*circle, circle[0]]),
            hint="take one name out of before or after in a manifest, or disable one of them",
        )
    return done


def circle(plugins: Iterable[Ordered]) -> tuple[str, ...]:
    """Return the names of one circle among the wishes, or nothing.

    >>> circle([Rank("a", before=("b",)), Rank("b", before=("a",)), Rank("c")])
    ('a', 'b')
    """
    return _sorted(plugins)[1]


def _sorted(plugins: Iterable[Ordered]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    by_name = {plugin.name: plugin for plugin in plugins}
    followers: dict[str, set[str]] = {name: set() for name in by_name}
    for plugin in by_name.values():
        followers[plugin.name].update(name for name in plugin.before if name in by_name)
        for name in plugin.after:
            if name in by_name:
                followers[name].add(plugin.name)
    waiting = dict.fromkeys(by_name, 0)
    for names in followers.values():
        for name in names:
            waiting[name] += 1
    ready = [name for name, count in waiting.items() if count == 0]
    heapq.heapify(ready)
    done: list[str] = []
    while ready:
        name = heapq.heappop(ready)
        done.append(name)
        for follower in followers[name]:
            waiting[follower] -= 1
            if waiting[follower] == 0:
                heapq.heappush(ready, follower)
    left = set(by_name) - set(done)
    return tuple(done), _circle(followers, left) if left else ()


def _circle(followers: Mapping[str, set[str]], left: set[str]) -> tuple[str, ...]:
    """Return one circle among ``left``, from its first name on.

    Everything in ``left`` waits for something in ``left``, so that going backwards must come round.
    """
    walk = [min(left)]
    while True:
        name = min(other for other in left if walk[-1] in followers[other])
        if name in walk:
            found = walk[walk.index(name) :][::-1]
            start = found.index(min(found))
            return tuple(found[start:] + found[:start])
        walk.append(name)
