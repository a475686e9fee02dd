"""Options that live commands share, and the table they sit at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from rallypoint.kernel.plugins.switches import Switches
from rallypoint_sync.doing import BATTLE, DRY_RUN, IN_JSON, PATIENCE_OPTION

from ..table import Table, seated

__all__ = ["BATTLE", "DRY_RUN", "IN_JSON", "PATIENCE_OPTION", "at_table"]


@contextmanager
def at_table(ctx: click.Context, battle: Path) -> Iterator[Table]:
    """Open a battle with its ledger, under the plugins that are on in this run."""
    switches = getattr(ctx.find_root().obj, "switches", None)
    with seated(battle, switches if isinstance(switches, Switches) else None) as table:
        yield table
