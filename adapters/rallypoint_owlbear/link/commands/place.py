"""``rallypoint owlbear place``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from rallypoint.kernel.errors import InputError
from rallypoint_sync.doing import DRY_RUN, IN_JSON
from rallypoint_sync.saying import LiveCommand, as_json, complain, say

from ..desk import Desk, find_desk
from ..encounters import open_scene
from ..found_pictures import PublicPictures
from ..library import pick_pictures, upload_scene
from ..new_scene import NEW_PLACES, map_beside
from ..pictures import by_name, called
from ..placing import Looked, Placed, encounter_of, items_of, nothing
from ..ports import at_port
from ..transport import OwlbearTransport
from .options import PORT_OPTION

__all__ = ["place"]


@click.command(cls=LiveCommand)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--new-scene",
    is_flag=True,
    help="Offer a new scene with hexes, map and tokens to the GM's library; a picker opens.",
)
@click.option("--name", help="What the new scene is called; the title of the encounter without it.")
@click.option(
    "--images", metavar="URL", help="Take pictures of tokens from this public address: red.small-0A.png, team.png, ..."
)
@click.option(
    "--pictures",
    type=click.Choice(["library"]),
    help="Let the GM pick pictures of tokens from the library; they are known by name.",
)
@click.option("--search", default="", help="Words with which the picker for --pictures begins.")
@PORT_OPTION
@DRY_RUN
@IN_JSON
def place(
    file: Path,
    new_scene: bool,
    name: str | None,
    images: str | None,
    pictures: str | None,
    search: str,
    port: int,
    dry_run: bool,
    in_json: bool,
) -> int:
    """Put the tokens of an export into the open scene; those that are there already are left alone.

    A token gets the picture that is called as its uid, its code, its side and kind (red-team) or its kind; one without is a disc.

    Example: rallypoint owlbear place for-owlbear/encounter.owlbear.json

    Example: rallypoint owlbear place for-owlbear/encounter.owlbear.json --new-scene --images https://example.org/tokens/
    """
    if images is not None and pictures is not None:
        raise InputError("pictures come from one place", found="--images and --pictures", expected="one of them")
    desk = Desk(find_desk(port))
    scene, places = None, None
    if new_scene:
        title = name or encounter_of(file)[0]
    else:
        title = ""
        scene, places, _ = open_scene(desk)
        if places is None:
            raise InputError("tokens stand on hexes", hint="set the grid of the open scene to Hex Vertical")
    dry = items_of(file, places or NEW_PLACES)  # a file that is none opens no picker
    if dry_run and pictures is not None:
        found = dry
    else:
        found = items_of(file, places or NEW_PLACES, _pictures(desk, images, pictures, search, in_json))
    if new_scene:
        return _uploaded(desk, title, file, found, in_json=in_json, dry=dry_run)
    assert scene is not None
    return _placed(desk, scene, found, in_json=in_json, dry=dry_run)


def _pictures(desk: Desk, images: str | None, library: str | None, search: str, quiet: bool) -> Looked:
    if images is not None:
        return PublicPictures(images)
    if library is None:
        return nothing
    if not quiet:
        complain("A picker opens in the room: choose the pictures of the tokens there")
    found, odd = pick_pictures(desk, search)
    known = by_name(found)
    for each in odd:
        complain(f"not taken: {each}: its size or address cannot be")
    if not found:
        complain("No pictures were picked")
    return lambda name: known.get(called(name))


def _placed(desk: Desk, scene: str, found: Placed, *, in_json: bool, dry: bool) -> int:
    way = OwlbearTransport(desk, scene, ())
    before = way.there(found.items)
    there, failed = (tuple(before), {}) if dry else way.place(found.items)
    already = [each for each in found.ids if each in before]
    new = [each for each in found.ids if each not in before and (dry or each in there)]
    left = found.tokens - len(already) - len(new)
    if in_json:
        counts = {"placed": len(new), "there_already": len(already), "not_placed": left}
        say(as_json({"scene": scene, **_told(found), **counts, "there": there, "failed": failed, "dry_run": dry}))
        return 1 if failed or left else 0
    for item, why in failed.items():
        say(f"failed: {item}: {why}")
    _tell(found)
    done = "would be placed" if dry else "placed"
    say(f"{found.tokens} tokens: {len(new)} {done}, {len(already)} there already, {left} failed")
    return 1 if failed or left else 0


def _uploaded(desk: Desk, title: str, file: Path, found: Placed, *, in_json: bool, dry: bool) -> int:
    """Offer the scene. What the GM does with it nobody tells, so that is said too."""
    board = map_beside(file)
    sure = False
    if not dry:
        if not in_json:
            complain("A picker opens in the room: say there where the new scene goes")
        picture = None if board is None else board.at(desk.keep_picture(board.content), title)
        sure = upload_scene(desk, title, found.items, picture)
    if in_json:
        told = {"name": title, **_told(found), "map": board is not None, "sure": sure, "dry_run": dry}
        say(as_json(told))
        return 0
    _tell(found)
    with_map = "with its map" if board is not None else "without a map: there is no map.dd2vtt beside the file"
    say(f"{found.tokens} tokens ({len(found.items)} items), {with_map}: {title}")
    if dry:
        say("Nothing was sent: this was a dry run.")
        return 0
    if not sure:
        say(
            "Whether it was taken is not known: Owlbear does not tell once its picker has been open for 5 seconds. Look into your library"
        )
    say(f"Next: open the scene in Owlbear, then: rallypoint owlbear bind BATTLE{at_port(desk.port)}")
    return 0


def _told(found: Placed) -> dict[str, object]:
    without: Sequence[str] = found.discs
    return {"items": len(found.items), "tokens": found.tokens, "discs": len(without), "without_picture": without}


def _tell(found: Placed) -> None:
    if found.warning is not None:
        say(f"warning: {found.warning}")
    if found.discs:
        say(f"no picture, so a disc: {', '.join(found.discs)}")
        say(
            f"{len(found.discs)} tokens are discs: Owl Trackers draws on pictures only; --pictures and --images give some"
        )
