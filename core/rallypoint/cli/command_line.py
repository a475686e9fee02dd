"""The root command: finds the others by name and imports one only when it runs."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import click

from rallypoint import __version__
from rallypoint.kernel.errors import InputError, PluginError, RallypointError
from rallypoint.kernel.plugins.switches import Switches

from .disabled import read_disabled
from .guard import guarded
from .index import IndexedPlugin, read_index
from .terminal import complain, plain, prepare_streams, silence, warn, width

__all__ = ["Invocation", "PlainHelp", "imported", "run", "unknown"]

OWN_COMMANDS = {
    "demo": ("demo:demo", "Export an example platoon to every VTT: the quickest way to see what this does."),
    "muster": ("muster:muster", "Read a roster and print the force with its uids."),
    "convert": ("convert:convert", "Write a roster in another form: Markdown, TOML, JSON or CSV."),
    "content": ("content:content", "Look at weapons, armour, bots and vehicles that extend a game."),
    "export": ("export:export", "Write a roster as files for a VTT."),
    "import": (
        "import_command:import_group",
        "Read files of a VTT or of contractors: a roster, or its Wounds and Stress.",
    ),
    "scenario": ("scenario:scenario", "Write, check and draw scenarios: players, rules, forces and board."),
    "battle": ("battle:battle", "Fight a battle of a scenario: by hand, by script, or by itself."),
    "campaign": (
        "campaign:campaign",
        "Fight a campaign: a series of battles, with the dead and the Reserve between them.",
    ),
    "rules": ("rules:rules", "Show the options and rulings of a game, or of a battle."),
    "tokens": ("tokens:tokens", "Draw counters for stands and units, and a sheet of them for print."),
    "card": ("card:card", "Write the Platoon Card as HTML, Markdown or PDF."),
    "plugins": ("plugins:plugins", "List the plugins, broken ones too, with the reason."),
    "plugin": ("plugins:plugin", "Enable or disable a plugin."),
}
"""Our own commands: ``module:attribute`` in this package, and what the root's help says of them."""


class Invocation(NamedTuple):
    """What holds for every command of this run."""

    switches: Switches
    strict: bool = False

    def plugins(self) -> tuple[IndexedPlugin, ...]:
        """Return what the plugins add that are on, by name."""
        return tuple([each for each in read_index() if self.switches.why_off(each.name) is None])


class PlainHelp(click.Command):
    """A command whose help has no signs that the output cannot show, and which takes no empty name for a place to write."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command.

        Raises:
            InputError: ``-o ""``, which a variable that is not set leaves, would write into the folder one is in.
        """
        for name in ("out", "into"):
            if ctx.params.get(name) == "":
                hint = "is it a variable that is not set? . is the folder you are in"
                raise InputError("this name is empty", where="-o" if name == "out" else "--into", hint=hint)
        return super().invoke(ctx)

    def get_help(self, ctx: click.Context) -> str:
        """Return the help, ready for standard output."""
        return plain(super().get_help(ctx))


class _Root(PlainHelp, click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*OWN_COMMANDS, *_added(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in OWN_COMMANDS:
            module, _, attribute = OWN_COMMANDS[cmd_name][0].partition(":")
            command = getattr(importlib.import_module(f"rallypoint.cli.{module}"), attribute)
            assert isinstance(command, click.Command)
            return command
        return _added_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and self.get_command(ctx, args[0]) is None:
            from .switched_off import switched_off

            switches = invocation(ctx).switches
            off = switched_off(switches, "command", args[0], lambda plugin: [each.name for each in plugin.commands])
            if off is not None:
                raise off
            raise unknown("there is no such command", args[0], self.list_commands(ctx), "rallypoint --help lists them")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands from the index: nothing is imported."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, help) for name, (_, help) in OWN_COMMANDS.items()])  # noqa: A001
        added = _added(ctx)
        if added:
            with formatter.section("Commands of plugins"):
                formatter.write_dl(list(added.items()))


def invocation(ctx: click.Context) -> Invocation:
    """Return what holds for this run.

    click looks a command up before it calls the root's function, so the first who asks makes it of the root's options.
    """
    root = ctx.find_root()
    if not isinstance(root.obj, Invocation):
        switches = stored_switches(_off(root.params.get("off", ())), bool(root.params.get("no_plugins")))
        root.obj = Invocation(switches, bool(root.params.get("strict_plugins")))
    return root.obj


def stored_switches(off: tuple[str, ...] = (), none: bool = False) -> Switches:
    """Return the switches of the stored list and the environment, with those of the command line."""
    return Switches.of(disabled=read_disabled(), off=off, only=os.environ.get("RALLYPOINT_PLUGINS"), none=none)


def _added(ctx: click.Context) -> dict[str, str]:
    """Return the commands that plugins add; our own names are taken, and of two the first plugin by name has it."""
    added: dict[str, str] = {}
    for each in invocation(ctx).plugins():
        for command in each.commands:
            if command.name not in OWN_COMMANDS:
                added.setdefault(command.name, command.help)
    return added


def _added_command(ctx: click.Context, name: str) -> click.Command | None:
    for each in invocation(ctx).plugins():
        for command in each.commands:
            if command.name == name:
                target = imported(each.name, command.run)
                if isinstance(target, click.Command):
                    return _guarded_command(each.name, name, target)
                return _wrapped(each.name, name, command.help, target)
    return None


def _guarded_command(plugin: str, name: str, target: click.Command) -> click.Command:
    """Return the plugin's own command, made and run in a guard; the command itself is left as it is."""
    from copy import copy

    command = copy(target)
    make_context, invoke = target.make_context, target.invoke

    def made(*values: Any, **named: Any) -> click.Context:
        with guarded(plugin, f"command {name}"):
            context = make_context(*values, **named)
        context.command = command
        return context

    def invoked(context: click.Context) -> object:
        with guarded(plugin, f"command {name}"):
            return _status(plugin, name, invoke(context))

    vars(command).update(make_context=made, invoke=invoked)
    return command


def _wrapped(plugin: str, name: str, text: str, target: object) -> click.Command:
    """Return a command around a plain function that takes the arguments and returns the exit status."""

    def call(arguments: tuple[str, ...]) -> int:
        with guarded(plugin, f"command {name}"):
            if not callable(target):
                raise PluginError("this is no function", plugin=plugin, found=type(target).__name__)
            return _status(plugin, name, target(list(arguments)))

    parameter = click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED)
    settings = {"ignore_unknown_options": True}
    return PlainHelp(name, params=[parameter], callback=call, help=text, context_settings=settings)


def _status(plugin: str, name: str, given: object) -> int:
    """Return an exit status; a system keeps eight bits of it, and 256 would look like 0."""
    if given is None or given is False:
        return 0
    if isinstance(given, int) and 0 <= given <= 255:
        return int(given)
    what, where = "a command gave no exit status", f"command {name}"
    raise PluginError(what, plugin=plugin, where=where, found=f"a {type(given).__name__}", expected="0 to 255")


def imported(plugin: str, target: str) -> object:
    """Import ``module:attribute`` (or a module) of a plugin.

    Raises:
        PluginError: it cannot be imported, or has no such attribute.
    """
    module, _, attribute = target.partition(":")
    hint = f"rallypoint plugin disable {plugin} does without it"
    try:
        found: object = importlib.import_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        what = f"cannot be imported: {type(error).__name__}: {error}"
        raise PluginError(what, plugin=plugin, found=module, hint=hint) from error
    if attribute:
        with guarded(plugin, f"plugin {plugin}, {target}"):
            found = getattr(found, attribute, None)
        if found is None:
            raise PluginError(f"there is no {attribute} in {module}", plugin=plugin, hint=hint)
    return found


def unknown(what: str, found: str, known: list[str], hint: str) -> InputError:
    """Return the error for a name that is not known, with a like one where there is one."""
    from difflib import get_close_matches

    near = get_close_matches(found, known, 1)
    return InputError(what, found=found, hint=f"did you mean {near[0]}?" if near else hint)


def _off(given: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names in ``no:NAME``; one that no plugin has is said, not refused."""
    for each in given:
        if not each.startswith("no:") or len(each) == 3:
            raise InputError("-p switches a plugin off for this run", found=each, expected="no:NAME")
    names = tuple([each[3:] for each in given])
    if names:
        known = {each.name for each in read_index()}
        for name in names:
            if name not in known:
                warn(f"-p no:{name}: no plugin has this name")
    return names


@click.group(cls=_Root, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("-p", "off", metavar="no:NAME", multiple=True, is_eager=True, help="Do without this plugin, this once.")
@click.option("--no-plugins", is_flag=True, is_eager=True, help="Do without all plugins, games and VTTs too.")
@click.option("--strict-plugins", is_flag=True, help="For plugins: exit with 1 if one is broken.")
@click.version_option(__version__, message="rallypoint %(version)s")
@click.pass_context
def _root(ctx: click.Context, /, **_options: object) -> None:
    """Rules of tabletop fights, and the link to virtual tabletops.

    Example: rallypoint demo

    Example: rallypoint export foundry my-platoon.md -o for-foundry

    RALLYPOINT_PLUGINS=a,b leaves only these plugins on.
    """
    ctx.obj = invocation(ctx)


class _Terminated(KeyboardInterrupt):
    """The system asks the program to end: what is half done is put back, as for an interrupt from the keyboard."""


def run(arguments: list[str]) -> int:
    """Run the command line; the one place where errors become a line on standard error and an exit status."""
    prepare_streams()
    with _ending_tidily():
        return _run(arguments)


@contextmanager
def _ending_tidily() -> Iterator[None]:
    """Let SIGTERM end the program as SIGINT does; where this is not the main thread, or it is ignored, all stays as it is."""

    def end(_signal: int, _frame: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough: putting things back is not to be broken off
        raise _Terminated

    before = signal.getsignal(signal.SIGTERM)
    if threading.current_thread() is not threading.main_thread() or before != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _run(arguments: list[str]) -> int:
    try:
        # not click's own main(): that one would end the process itself, with 1 for a closed pipe
        with _root.make_context("rallypoint", arguments, terminal_width=width()) as context:
            status = _root.invoke(context)
        sys.stdout.flush()
    except RallypointError as error:
        if isinstance(error, PluginError) and error.hook is not None:
            from .failures import remember

            remember(error)
        complain(f"error: {error}")
        return error.exit_status
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.NoSuchOption as error:
        return _early_option(error, arguments) or _usage(error)
    except click.ClickException as error:
        return _usage(error)
    except _Terminated:
        complain("terminated")
        return 143  # what a shell says of a program that the signal ended
    except (KeyboardInterrupt, click.Abort):
        complain("interrupted")
        return 130
    except BrokenPipeError:
        silence(sys.stdout)
        return 141
    except SystemExit as error:
        complain(f"error: something ended the program: SystemExit: {error}")
        return 2
    except OSError as error:
        silence(sys.stdout)
        complain(f"error: {error}")
        return 2
    return status if isinstance(status, int) else 0


def _early_option(error: click.NoSuchOption, arguments: list[str]) -> int:
    """Say of an option of the program itself that it goes before the command, and where; 0 where it is none of these."""
    import shlex

    name = error.option_name
    if name not in ("-p", "--no-plugins", "--strict-plugins") or name not in arguments:
        return 0
    at = arguments.index(name)
    size = 2 if name == "-p" else 1
    first, rest = arguments[at : at + size], [*arguments[:at], *arguments[at + size :]]
    complain(f"error: {name} goes before the command: {shlex.join(['rallypoint', *first, *rest])}")
    return 2


def _usage(error: click.ClickException) -> int:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        complain(error.format_message())
        return 2
    complain(f"error: {error.format_message()}")
    context: click.Context | None = getattr(error, "ctx", None)
    if context is not None:
        complain(f"{context.command_path} --help shows what it takes")
    return 2
