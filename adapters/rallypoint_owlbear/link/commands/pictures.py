"""``rallypoint owlbear pictures``: pictures of tokens into the GM's library."""

from __future__ import annotations

from pathlib import Path

import click

from rallypoint.kernel.errors import InputError
from rallypoint_sync.doing import DRY_RUN, IN_JSON
from rallypoint_sync.saying import LiveCommand, as_json, complain, say

from ..desk import Desk, find_desk
from ..found_pictures import pictures_in
from ..library import upload_pictures
from ..pictures import Picture
from ..ports import at_port
from .options import PORT_OPTION

__all__ = ["pictures"]

_MOST = 100


@click.command(cls=LiveCommand)
@click.argument("what", type=click.Choice(["upload"]), expose_value=False)
@click.argument("folder", type=click.Path(path_type=Path))
@PORT_OPTION
@DRY_RUN
@IN_JSON
def pictures(folder: Path, port: int, dry_run: bool, in_json: bool) -> int:
    """Offer the pictures of a folder to the GM's library, once for all battles; place --pictures library finds them by name.

    `rallypoint tokens my-platoon.md -o counters --png` draws some: counters/stands has one for each team, counters/units one
    for each unit. A picture of your own may be called as a token's uid, its code, its side and kind (red-team) or its kind.

    Example: rallypoint owlbear pictures upload counters/stands
    """
    found = list(pictures_in(folder))
    if not 0 < len(found) <= _MOST:
        raise InputError(
            "pictures go up to a hundred at once",
            where=str(folder),
            found=f"{len(found)} pictures",
            expected=f"1 to {_MOST}: PNG, JPEG, GIF or WebP",
            hint="draw some: rallypoint tokens ROSTER -o counters --png" if not found else "make smaller folders",
        )
    sure = False
    if not dry_run:
        desk = Desk(find_desk(port))
        sent = [Picture.of(desk.keep_picture(content), path.stem, size) for path, content, size in found]
        if not in_json:
            complain("A picker opens in the room: say there where the pictures go")
        sure = upload_pictures(desk, sent)
    if in_json:
        rows = [{"name": path.stem, "width": size.width, "height": size.height} for path, _, size in found]
        say(as_json({"pictures": rows, "sure": sure, "dry_run": dry_run}))
        return 0
    say(f"{len(found)} pictures {'would be offered' if dry_run else 'offered'} to the library")
    if not dry_run and not sure:
        say(
            "Whether they were taken is not known: Owlbear does not tell once its picker has been open for 5 seconds. Look into your library"
        )
    if not dry_run:
        say(f"Next: rallypoint owlbear place FILE --pictures library{at_port(port)}")
    return 0
