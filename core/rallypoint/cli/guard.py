"""What is done with code of plugins: whatever it raises becomes an error that names the plugin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import BuiltinFunctionType, FunctionType, GeneratorType
from typing import cast

import click

from rallypoint.kernel.errors import PluginError, RallypointError

__all__ = ["GuardedModule", "guarded"]


@contextmanager
def guarded(plugin: str, where: str) -> Iterator[None]:
    """Let through what is ours, the terminal's or a person's doing; anything else is the plugin's fault.

    A plugin that ends the program (``sys.exit``) would else end it without a word, and with 0 as if all were well.

    Raises:
        PluginError: the plugin raised something.
    """
    try:
        yield
    except (RallypointError, KeyboardInterrupt, BrokenPipeError):
        raise
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except BaseException as error:
        if type(error).__module__.startswith("rallypoint."):  # a question of the rules to its player is no error
            raise
        text = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise PluginError(text, plugin=plugin, where=where) from error


class GuardedModule:
    """A module of a plugin whose functions are called in a guard."""

    def __init__(self, plugin: str, module: object) -> None:
        self._plugin = plugin
        self._module = module

    def __getattr__(self, name: str) -> object:
        found: object = getattr(self._module, name)
        if not isinstance(found, (FunctionType, BuiltinFunctionType)):
            return found
        function = cast("Callable[..., object]", found)

        def call(*values: object, **named: object) -> object:
            with guarded(self._plugin, f"plugin {self._plugin}, {name}()"):
                answer = function(*values, **named)
                # What is yielded is worked out here: later no guard would stand around it.
                return iter(tuple(answer)) if isinstance(answer, GeneratorType) else answer

        return call
