"""What the live commands of every VTT do, once an adapter has found its way there: plan, sync, watch, conflicts, pause."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from rallypoint.kernel.errors import InputError

from .fields import PLACE, Field
from .hub import Hub
from .outcomes import Teller, exit_status, synced_lines, synced_value
from .saying import as_json, complain, say
from .seat import PATIENCE, Seat
from .transport import UnreachableError
from .watching import News, Watch
from .words import conflict_lines, conflict_value, plan_lines, plan_value

__all__ = [
    "BATTLE",
    "DRY_RUN",
    "IN_JSON",
    "PATIENCE_OPTION",
    "conflict_meant",
    "do_pause",
    "do_plan",
    "do_resolve",
    "do_revert",
    "do_sync",
    "do_watch",
    "list_conflicts",
    "say_paused",
]

BATTLE = click.argument("battle", type=click.Path(path_type=Path))
IN_JSON = click.option("--json", "in_json", is_flag=True, help="Print the result as JSON; a failure has a code.")
DRY_RUN = click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
PATIENCE_OPTION = click.option(
    "--patience",
    type=click.FloatRange(0, 600),
    default=PATIENCE,
    show_default=True,
    help="Seconds to try again while the other side sleeps or is busy.",
)


def do_plan(seat: Seat, hub: Hub, group: str, *, in_json: bool) -> int:
    """Say what a sync would do; return the exit status. ``group`` is the command that the seat belongs to."""
    with seat.alone():
        made = hub.plan()
    if in_json:
        say(as_json({**plan_value(made), "paused": seat.ledger.paused(seat.vtt)}))
    else:
        for line in plan_lines(made):
            say(line)
        say_paused(seat, group)
    return 1 if made.conflicts else 0


def do_sync(
    seat: Seat,
    hub: Hub,
    group: str,
    *,
    accept_gone: bool,
    in_json: bool,
    tokens: Callable[[str], Sequence[str]] = lambda _document: (),
) -> int:
    """Sync once and say what came of it; return the exit status. ``tokens`` says which tokens show a document."""
    if not in_json:
        say_paused(seat, group)
    with seat.alone():
        done = hub.sync(accept_gone=accept_gone)
    written = dict.fromkeys(each.binding.carrier.document for each in done.done)
    several = {document: found for document in written if len(found := tokens(document)) > 1}
    if in_json:
        say(as_json({**synced_value(done), "tokens": several, "paused": seat.ledger.paused(seat.vtt)}))
    else:
        for line in [*plan_lines(done.plan), *synced_lines(done)]:
            say(line)
        for document, found in several.items():
            say(f"{document}: {len(found)} tokens show it: {', '.join(found)}")
    return exit_status(done)


def do_watch(
    seat: Seat,
    watching: Watch,
    title: str,
    *,
    in_json: bool,
    heard: Callable[[News], None] = lambda _news: None,
    several: bool = False,
) -> int:
    """Watch until Ctrl-C and say what happens; return the exit status. ``heard`` is told first.

    The status is 3 where a VTT failed for good, and 1 while conflicts are open.

    Raises:
        BusyError: another process watches this battle at one of the VTTs.
    """
    watching.hold.keep()
    teller = Teller(seat, in_json=in_json, several=several)

    def tell(news: News) -> None:
        heard(news)
        teller(news)

    watching.tell = tell
    try:
        if not in_json:
            complain(f"watching {title}; Ctrl-C ends it")
        watching.run()
    except KeyboardInterrupt as stop:
        if type(stop) is not KeyboardInterrupt:
            raise
    finally:
        watching.stop()
    left = len(seat.ledger.conflicts())
    if not in_json:
        over = f"; over: {', '.join(watching.over)}" if watching.over else ""
        say(f"Stopped: {teller.written} written, {teller.taken} taken, {left} in conflict{over}.")
    return UnreachableError.exit_status if watching.over else 1 if left else 0


def do_revert(seat: Seat, hub: Hub, group: str, *, in_json: bool, dry: bool) -> int:
    """Give a VTT back what it showed before the last batch, say so, and pause it; return the exit status."""
    if dry:
        sent = seat.ledger.sent(seat.vtt, states=("done",))
        last = [each for each in sent if each.batch == sent[-1].batch]
        rows = [
            {"document": each.carrier.document, "path": each.carrier.path, "from": each.new, "to": each.old}
            for each in last
        ]
        lines = [f"would go back: {each.carrier}: {each.new} to {each.old}" for each in last]
        say(as_json({"writes": rows}) if in_json else "\n".join(lines or ["nothing was sent"]))
        return 0
    with seat.alone():
        done = hub.revert(seat.vtt)
    if in_json:
        say(as_json(synced_value(done)))
    else:
        for write in done.done:
            say(f"back: {write.binding.field}: {write.old} to {write.new}")
        for left in done.plan.left_out:
            say(f"left as it is: {left.what}: {left.why}")
        for line in synced_lines(done):
            say(line)
        say_paused(seat, group)
    return 1 if done.failed or done.plan.left_out else 0


def list_conflicts(seat: Seat, group: str, uid: str | None, *, in_json: bool) -> int:
    """Say what disagrees, of one entity or of all; return the exit status."""
    chosen = [each for each in seat.ledger.conflicts().values() if uid in (None, each.field.uid)]
    if in_json:
        say(as_json([conflict_value(each) for each in chosen]))
        return 1 if chosen else 0
    for each in chosen:
        for line in conflict_lines(each):
            say(line)
    resolving = seat.command(group, "conflicts", " UID FIELD --take battle")
    more = f"; resolve with: {resolving}" if chosen else ""
    say(f"{len(chosen)} open{more}")
    return 1 if chosen else 0


def do_resolve(seat: Seat, hub: Hub, field: Field, take: str, *, in_json: bool) -> int:
    """Resolve a conflict, and say what follows; return the exit status."""
    with seat.alone():
        plan = hub.resolve(field, int(take) if take.lstrip("-").isdecimal() else take)
    if in_json:
        say(as_json(plan_value(plan)))
    else:
        say(f"Resolved: {field}. What follows, which the next sync does:")
        for line in plan_lines(plan):
            say(line)
    return 1 if plan.conflicts else 0


def conflict_meant(seat: Seat, uid: str | None, name: str | None) -> Field:
    """Return the field in conflict that somebody means.

    Raises:
        InputError: none is, or more than one.
    """
    known = list(seat.ledger.conflicts())
    named = PLACE if name == "place" else name
    found = [each for each in known if each.uid == uid and named in (None, each.name)]
    if len(found) == 1:
        return found[0]
    listed = ", ".join(str(each) for each in known) or "none is open"
    raise InputError("which conflict?", found=" ".join(filter(None, (uid, name))) or "nothing", expected=listed)


def do_pause(seat: Seat, group: str, *, yes: bool, in_json: bool) -> None:
    """Pause or go on, and say so."""
    seat.ledger.pause(seat.vtt, yes)
    if in_json:
        say(as_json({"paused": yes}))
    else:
        say("Paused." if yes else f"Going on. Next: {seat.command(group, 'sync')}")


def say_paused(seat: Seat, group: str) -> None:
    """Say that the VTT is paused, if it is."""
    if seat.ledger.paused(seat.vtt):
        say(f"Paused: nothing is sent or taken until {seat.command(group, 'resume')}")
