"""Where the commands of the room sit: the battle, its ledger, the desk of the running server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import click

from rallypoint.kernel.errors import InputError
from rallypoint.kernel.plugins.opening import Opened, open_battle
from rallypoint.kernel.plugins.switches import Switches
from rallypoint_sync.clock import Clock
from rallypoint_sync.fields import Field
from rallypoint_sync.hub import bound_documents
from rallypoint_sync.ledger import Ledger, ledger_path
from rallypoint_sync.seat import Seat
from rallypoint_sync.words import conflict_lines, conflict_number, said

from ..trackers import Json
from .binding import first_side
from .desk import Desk, find_desk
from .joining import bind_what_came
from .link import Way
from .ports import PORT, at_port
from .transport import VTT, OwlbearTransport

__all__ = ["RoomSeat", "at_room"]


class RoomSeat(Seat):
    """A battle and its ledger, at a room.

    Args:
        opened: the battle.
        ledger: its ledger.
        way: the way to the page: the desk of the running server, or a link of this process.
        clock: the time.
    """

    def __init__(self, opened: Opened, ledger: Ledger, way: Way, clock: Clock | None = None) -> None:
        super().__init__(opened, ledger, VTT, clock)
        self.way = way

    def _scene(self) -> str:
        scene = self.about.get("scene")
        return scene if isinstance(scene, str) else ""

    def transport(self, *, patient: bool = False, unbound: bool = False) -> OwlbearTransport:
        """Return the way to the scene that was bound; with ``unbound`` nothing need be bound yet.

        Raises:
            InputError: nothing was.
        """
        bindings = self.ledger.bindings(VTT)
        if not (self._scene() and bindings) and not unbound:
            hint = f"{self.command(VTT, 'bind')} finds its tokens in the open scene"
            raise InputError("nothing of this battle is bound to a scene", where=str(self.opened.path), hint=hint)
        join = partial(bind_what_came, self, self.way)
        return OwlbearTransport(self.way, self._scene, bindings, patient=patient, join=join)

    def status(self, error: str | None = None) -> Json:
        """Return how the battle stands, as the popover shows it."""
        rows = self._roster()
        tokens = [row["item"] for row in rows if self._may_have_token(str(row["uid"]))]
        return {
            "battle": self.opened.path.name,
            "linked": sum(item is not None for item in tokens),
            "of": len(tokens),
            "roster": rows,
            "conflicts": [self._conflict(each) for each in self.ledger.conflicts()],
            "error": error,
        }

    def _roster(self) -> list[Json]:
        state = self.battle.state
        gone = self.ledger.tombstones(VTT)
        items = {
            each.field: each.carrier.document
            for each in self.ledger.bindings(VTT)
            if len(each.fields) == 1 and each.carrier.document not in gone
        }
        rows: list[Json] = []
        for entity in state:
            names = [name for name in ("Wounds", "Stress") if name in entity.trackers]
            if not names:
                continue
            above = entity
            while above.parent is not None:
                above = state[above.parent]
            item = next((items[Field(entity.uid, name)] for name in names if Field(entity.uid, name) in items), None)
            row: Json = {"uid": entity.uid, "code": self.called(entity.uid), "side": above.uid, "item": item}
            for name in names:
                row[name.lower()] = entity.trackers[name].value
            if "Wounds" in names:
                row["maxWounds"] = entity.trackers["Wounds"].max
            rows.append(row)
        return rows

    def _may_have_token(self, uid: str) -> bool:
        """Say whether somebody can be linked at all: a formation cannot, nor an enemy of whom nothing is to be shown."""
        chosen = self.about.get("chosen")
        hidden = isinstance(chosen, Mapping) and chosen.get("enemies") == "nothing"
        return self.battle.state[uid].role == "unit" and not (hidden and uid not in first_side(self.battle.state))

    def _conflict(self, field: Field) -> Json:
        conflict = self.ledger.conflicts()[field]
        theirs = ", ".join(dict.fromkeys(f"{each.vtt}: {said(each.value)}" for each in conflict.theirs))
        kind = next(iter(conflict_lines(conflict))).rpartition(": ")[2]
        number = conflict_number(conflict)
        called = f"{self.called(field.uid)} {field.name.removeprefix('@')}"
        return {"number": number, "field": called, "kind": kind, "ours": said(conflict.ours), "theirs": theirs}

    @property
    def options(self) -> str:
        """The port of the server, where it is another than always."""
        return at_port(self.way.port)

    def nothing_bound(self) -> str:
        """Return what a watch says at its beginning where nothing is bound."""
        return f"nothing is bound yet: {self.command(VTT, 'bind')}, or link tokens or place an encounter in the popover"

    def bound_tokens(self) -> int:
        """Return how many tokens are bound and were not deleted."""
        return len(set(bound_documents(self.ledger.bindings(VTT))) - self.ledger.tombstones(VTT))


@contextmanager
def at_room(ctx: click.Context, battle: Path, port: int = PORT, *, patient: bool = False) -> Iterator[RoomSeat]:
    """Open a battle with its ledger, under the plugins that are on in this run, beside the running server.

    ``patient``: a server that ends is waited for.

    Raises:
        BattleFileError: there is no such battle, or its ledger cannot be used.
        UnreachableError: no server runs.
    """
    switches = getattr(ctx.find_root().obj, "switches", None)
    with ExitStack() as stack:
        opened = open_battle(battle, switches if isinstance(switches, Switches) else None)
        stack.enter_context(opened.battle)
        ledger = stack.enter_context(Ledger(ledger_path(battle), opened.battle.history.entries[0].hash))
        yield RoomSeat(opened, ledger, Desk(find_desk(port), str(battle.resolve()), patient=patient))
