"""Options that live commands share, and the table they sit at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from rallypoint.kernel.plugins.switches import Switches

from ..table import PATIENCE, Table, seated

__all__ = ["BATTLE", "DRY_RUN", "IN_JSON", "PATIENCE_OPTION", "at_table"]

BATTLE = click.argument("battle", type=click.Path(path_type=Path))
IN_JSON = click.option("--json", "in_json", is_flag=True, help="Print the result as JSON; a failure has a code.")
DRY_RUN = click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
PATIENCE_OPTION = click.option(
    "--patience",
    type=click.FloatRange(0, 600),
    default=PATIENCE,
    show_default=True,
    help="Seconds to try again while the world sleeps or the relay is busy.",
)


@contextmanager
def at_table(ctx: click.Context, battle: Path) -> Iterator[Table]:
    """Open a battle with its ledger, under the plugins that are on in this run."""
    switches = getattr(ctx.find_root().obj, "switches", None)
    with seated(battle, switches if isinstance(switches, Switches) else None) as table:
        yield table
