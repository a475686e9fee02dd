"""Hook calls through the frozen plan, against a plain call and against pluggy's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import ClassVar, Protocol

import pluggy

from rallypoint.kernel.plugins.hooks import LoadedPlugin, change, hookimpl
from rallypoint.kernel.plugins.plan import compile_plan

from .machine import plain
from .timing import Row, best


class Hooks(Protocol):
    hook_api: ClassVar[str] = "1.0"

    @change("wounds")
    def fire_wounds(self, step: object, shot: int, wounds: int) -> int: ...


@hookimpl
def fire_wounds(step: object, shot: int, wounds: int) -> int:  # noqa: ARG001 - what it is called with counts
    return wounds


def _calls(function: Callable[..., object]) -> Callable[[int], object]:
    def case(number: int) -> None:
        for _ in range(number):
            function(None, 1, 2)

    return case


def _pluggy(count: int) -> Callable[[int], object]:
    manager = pluggy.PluginManager("rallypoint")
    manager.add_hookspecs(Hooks)
    for number in range(count):
        plugin = ModuleType(f"plugin{number}")
        plugin.fire_wounds = fire_wounds  # type: ignore[attr-defined]
        manager.register(plugin, plugin.__name__)
    hook = manager.hook.fire_wounds

    def case(number: int) -> None:
        for _ in range(number):
            hook(step=None, shot=1, wounds=2)

    return case


def _plan(count: int) -> Callable[[int], object]:
    plugins = [LoadedPlugin(f"plugin{number}", SimpleNamespace(fire_wounds=fire_wounds)) for number in range(count)]
    return _calls(compile_plan(Hooks, plugins).fire_wounds)


def rows() -> Iterator[Row]:
    counts = {0: ("none", 2.5), 1: ("one", 4.0), 3: ("three", 6.0)}
    cases = {"plain": _calls(plain)}
    cases |= {f"plan {count}": _plan(count) for count in counts}
    cases |= {f"pluggy {count}": _pluggy(count) for count in counts}
    found = best(cases, 20_000)
    for count, (word, goal) in counts.items():
        ratio = found[f"plan {count}"] / found["plain"]
        peer = found[f"pluggy {count}"] / found["plain"]
        figure = f"{ratio:.1f} plain calls (pluggy {peer:.0f})"
        yield Row(f"hook through the plan, {word}", figure, f"at most {goal} plain calls", ratio <= goal)
