"""One wrapper around a *decide* hook: set-up, the call, and a tear-down that always runs."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress
from typing import NamedTuple, cast

from ..errors import PluginError, RuleError
from .answer_kinds import Check
from .hooks import HookStep

__all__ = ["Wrapper", "wrapped"]


class Wrapper(NamedTuple):
    """A plugin's generator function, made to take all arguments of the hook.

    ``failed`` makes the error out of what the plugin raised; ``step`` is the position of that argument, or ``None``;
    ``wrong`` makes the error where what it answers does not ``fit``.
    """

    start: Callable[..., Generator[None, object, object]]
    plugin: str
    hook: str
    failed: Callable[..., PluginError]
    step: int | None
    fits: Check
    wrong: Callable[[object], PluginError]


def wrapped(wrapper: Wrapper, inner: Callable[..., object]) -> Callable[..., object]:
    """Return the call of ``inner`` with ``wrapper`` around it.

    The wrapper sees the answer, or the exception (a suspension too, so that its tear-down runs), and what it returns
    is the answer. That it cannot keep a suspension for itself is for the caller to see to, with ``step.check()``.
    """

    def call(*values: object) -> object:
        turn = wrapper.start(*values)
        _begin(wrapper, turn, values)
        caught: BaseException | None = None
        before: object = None
        try:
            before = inner(*values)
        except BaseException as error:
            caught = error
        after = _finish(wrapper, turn, before, caught, values)
        if after is not None and after is not before and not wrapper.fits(after):
            raise wrapper.wrong(after)
        if wrapper.step is not None and (caught is not None or (after is not before and after != before)):
            cast("HookStep", values[wrapper.step]).note(wrapper.hook, wrapper.plugin, before, after)
        return after

    return call


def _begin(wrapper: Wrapper, turn: Generator[None, object, object], values: tuple[object, ...]) -> None:
    try:
        next(turn)
    except StopIteration:
        raise PluginError(
            "a wrapper did not yield", plugin=wrapper.plugin, hook=wrapper.hook, expected="one yield"
        ) from None
    except (PluginError, RuleError):
        raise
    except (Exception, SystemExit) as error:
        raise wrapper.failed(error, *values) from error


def _finish(
    wrapper: Wrapper,
    turn: Generator[None, object, object],
    before: object,
    caught: BaseException | None,
    values: tuple[object, ...],
) -> object:
    try:
        if caught is None:
            turn.send(before)
        else:
            turn.throw(caught)
    except StopIteration as end:
        return end.value
    except (PluginError, RuleError):
        raise
    except (Exception, SystemExit) as error:
        raise wrapper.failed(error, *values) from error
    with suppress(RuntimeError):  # it yields for ever; the error below names it
        turn.close()
    raise PluginError("a wrapper yielded a second time", plugin=wrapper.plugin, hook=wrapper.hook, expected="one yield")
