"""``rallypoint table``: one process that runs a battle with any number of VTTs, whoever brings them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import click

from rallypoint.kernel.errors import InputError, RallypointError, RemoteError
from rallypoint.kernel.plugins.manifest import Option, Vtt
from rallypoint.kernel.plugins.opening import open_battle
from rallypoint.kernel.plugins.switches import Switches

from .clock import SystemClock
from .doing import do_watch
from .holding import Hold
from .ledger import Ledger, ledger_path
from .live import Given, Live, known_vtts, opening_of
from .saying import LiveCommand, complain
from .seat import Seat
from .transport import NotSetUpError, TransportError, UnreachableError, WatchingTransport
from .unopened import Unopened, as_away
from .watching import News, Watch

__all__ = ["table"]

_KINDS: Mapping[str, Any] = {"text": str, "integer": int, "number": float}


def _switches(ctx: click.Context | None) -> Switches | None:
    found = None if ctx is None else getattr(ctx.find_root().obj, "switches", None)
    return found if isinstance(found, Switches) else None


class _Table(LiveCommand):
    """A command with a switch for each VTT that a plugin brings, and with its options."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters: our own, then those of the VTTs."""
        *own, help_option = super().get_params(ctx)
        found: list[click.Parameter] = []
        for name, vtt in known_vtts(_switches(ctx)).items():
            found.append(click.Option([f"--{name}", _key(name)], is_flag=True, help=vtt.help))
            found += [_parameter(name, each) for each in vtt.options]
        return [*own, *found, help_option]


def _key(*names: str) -> str:
    return "_".join(["vtt", *[each.replace("-", "_") for each in names]])


def _parameter(vtt: str, option: Option) -> click.Option:
    """Return the option of a VTT, behind its name: ``--owlbear-port``."""
    flags = [f"--{vtt}-{option.name}", _key(vtt, option.name)]
    if option.type == "switch":
        return click.Option(flags, is_flag=True, default=bool(option.default), help=option.help)
    kind = click.Choice(option.choices) if option.choices else _KINDS[option.type]
    return click.Option(
        flags, type=kind, default=option.default, help=option.help, show_default=option.default is not None
    )


@click.command(cls=_Table)
@click.argument("battle", type=click.Path(path_type=Path))
@click.option("--play", is_flag=True, help="Play in this terminal meanwhile, as battle play does; leaving ends all.")
@click.option("--json", "in_json", is_flag=True, help="Each thing that happens is one line of JSON.")
@click.pass_context
def table(ctx: click.Context, /, battle: Path, play: bool, in_json: bool, **chosen: object) -> int:
    """Run a battle with any number of virtual tabletops at once, until Ctrl-C: an edit at one goes to the others at once.

    One that is away or cannot begin stops no other; one at which another process watches this battle already is refused. Play here (--play), or in another terminal with battle play, as ever. The exit status is 3
    where one failed for good or none can begin, 1 while conflicts are open.

    Example: rallypoint table first.battle --owlbear --foundry
    """
    switches = _switches(ctx)
    known = known_vtts(switches)
    wanted = {name: vtt for name, vtt in known.items() if chosen.get(_key(name))}
    if not wanted:
        expected = ", ".join(f"--{name}" for name in known) or "no plugin that is on brings a VTT"
        raise InputError("with which virtual tabletops?", found="none", expected=expected)
    if play and in_json:
        raise InputError("a game at the terminal is no JSON", found="--play and --json", expected="one of them")
    options = {name: _options(vtt, chosen) for name, vtt in wanted.items()}
    sitting = _Sitting(battle, switches, wanted, options)
    if play:
        return _played(ctx, sitting)
    return sitting.run(in_json=in_json, play=f"To play, in another terminal: rallypoint battle play {battle}")


class _Sitting:
    """A battle with its VTTs, from its opening to its end; all in one thread, as the files want it.

    ``begun`` is set when it is watched, or has failed; ``status`` or ``error`` say how it ended.
    """

    def __init__(
        self,
        battle: Path,
        switches: Switches | None,
        wanted: Mapping[str, Vtt],
        options: Mapping[str, Mapping[str, object]],
    ) -> None:
        self.battle, self.switches, self.wanted, self.options = battle, switches, wanted, options
        self.begun = threading.Event()
        self.watching: Watch | None = None
        self.status = 0
        self.error: BaseException | None = None

    def run(self, *, in_json: bool = False, play: str | None = None) -> int:
        """Run it until it is stopped; return the exit status. ``play`` is said once it can begin."""
        clock = SystemClock()
        with ExitStack() as stack:
            opened = open_battle(self.battle, self.switches)
            stack.enter_context(opened.battle)
            ledger = stack.enter_context(Ledger(ledger_path(self.battle), opened.battle.history.entries[0].hash))
            seat = Seat(opened, ledger, "table", clock)
            hold = Hold(ledger, self.wanted, seat.holder, clock)  # before anything is opened that two cannot share
            hold.keep()
            stack.callback(hold.release)
            lives: dict[str, Live] = {}
            transports = self._opened(
                {
                    name: partial(
                        _begin, vtt, Given(opened, ledger, clock, self.options[name], _teller(name)), stack, lives
                    )
                    for name, vtt in self.wanted.items()
                }
            )
            self.watching = Watch(seat.hub(*transports, patience=0.0), transports, lambda _news: None, clock)

            def heard(news: News) -> None:
                for vtt, each in lives.items():
                    if news.vtt in ("", vtt):
                        each.heard(news)

            title = " and ".join(f"{vtt} ({each.title})" for vtt, each in lives.items()) or "for whoever comes"
            self.begun.set()
            if play is not None and not in_json:
                complain(play)
            return do_watch(seat, self.watching, title, in_json=in_json, heard=heard, several=True)

    def _opened(self, openings: Mapping[str, Callable[[], WatchingTransport]]) -> list[WatchingTransport]:
        """Open each VTT; one that cannot begin stops no other.

        Raises:
            InputError: an option cannot be used.
            RallypointError: the only one that is wanted cannot begin, and that does not pass by itself.
            UnreachableError: none of several can begin.
        """
        found: list[WatchingTransport] = []
        for name, opening in openings.items():
            try:
                found.append(opening())
            except (NotSetUpError, TransportError, RemoteError) as error:
                if len(openings) == 1 and not as_away(error).passing:
                    raise
                found.append(Unopened(name, error, opening))
        failed = [each for each in found if isinstance(each, Unopened)]
        if len(failed) == len(found) and not any(each.error.passing for each in failed):
            why = "; ".join(f"{each.vtt}: {each.error}" for each in failed)
            raise UnreachableError("none of the virtual tabletops can begin", code="none_can_begin", found=why)
        return found

    def guarded(self) -> None:
        """Run it in a thread of its own."""
        try:
            self.status = self.run()
        except RallypointError as error:
            self.error = error
            if self.begun.is_set():
                complain(f"error: {error}")
        finally:
            self.begun.set()


def _played(ctx: click.Context, sitting: _Sitting) -> int:
    """Watch from a thread while somebody plays in this one; return the exit status.

    Raises:
        InputError: the program has no command to play with.
        RallypointError: the watch could not begin, or failed.
    """
    root = ctx.find_root()
    group = root.command.get_command(root, "battle") if isinstance(root.command, click.Group) else None
    if group is None:
        raise InputError("there is no command battle play", hint="leave out --play")
    thread = threading.Thread(target=sitting.guarded, daemon=True, name="table")
    thread.start()
    sitting.begun.wait()
    try:
        if sitting.error is None:
            with group.make_context("battle", ["play", str(sitting.battle)], parent=root) as playing:
                group.invoke(playing)
    except KeyboardInterrupt as stop:
        if type(stop) is not KeyboardInterrupt:
            raise
    finally:
        if sitting.watching is not None:
            sitting.watching.stop()
        thread.join()
    if sitting.error is not None:
        raise sitting.error
    return sitting.status


def _begin(vtt: Vtt, given: Given, stack: ExitStack, lives: dict[str, Live]) -> WatchingTransport:
    """Open a VTT, to be closed with the stack, and return the way there."""
    live = stack.enter_context(opening_of(vtt)(given))
    lives[live.transport.vtt] = live
    return live.transport


def _options(vtt: Vtt, chosen: Mapping[str, object]) -> Mapping[str, object]:
    return {each.name: chosen.get(_key(vtt.name, each.name)) for each in vtt.options}


def _teller(name: str) -> Callable[[str], None]:
    return lambda text: complain(f"{name}: {text}")
