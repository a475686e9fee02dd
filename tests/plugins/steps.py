"""A step that writes everything down, hooks of every kind, and plugins made of a few functions."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import ClassVar, Protocol

from rallypoint.kernel.plugins.hooks import HookStep, LoadedPlugin, change, collect, decide, hookimpl, joined, tell


class Asked(BaseException):
    """Stands for the kernel's suspension."""


class Step:
    """A step that writes everything down."""

    def __init__(self) -> None:
        self.notes: list[tuple[str, str, object, object]] = []
        self.queue: list[Callable[[], None]] = []
        self.stopped: Asked | None = None

    def note(self, hook: str, plugin: str, before: object, after: object) -> None:
        self.notes.append((hook, plugin, before, after))

    def later(self, call: Callable[[], None]) -> None:
        self.queue.append(call)

    def check(self) -> None:
        if self.stopped is not None:
            raise self.stopped

    def roll(self) -> int:
        self.stopped = Asked("d100")
        raise self.stopped


class Hooks(Protocol):
    hook_api: ClassVar[str] = "1.3"

    @change("wounds", rules=("D-R16.9",), retired={"hits": ("wounds", "1.3")})
    def fire_wounds(self, step: HookStep, shot: str, wounds: int) -> int: ...

    @decide()
    def fire_outcome(self, step: HookStep, unit: object) -> str | None: ...

    @collect(reduce=joined)
    def modifiers(self, step: HookStep, unit: object) -> tuple[str, ...]: ...

    @collect(reduce=sum)
    def total(self, step: HookStep, subject: str) -> int: ...

    @collect(reduce=list)
    def listed(self, step: HookStep) -> list[int]: ...

    @tell()
    def panicked(self, step: HookStep, unit: object) -> None: ...

    @tell()
    def opened(self, name: str) -> None: ...

    @decide()
    def named(self, name: str) -> str | None: ...


def plugin(name: str, *functions: Callable[..., object], **order: tuple[str, ...]) -> LoadedPlugin:
    marked = {f.__name__: f if hasattr(f, "rallypoint_impl") else hookimpl(f) for f in functions}
    return LoadedPlugin(name, SimpleNamespace(**marked), "1.0", order.get("before", ()), order.get("after", ()))
