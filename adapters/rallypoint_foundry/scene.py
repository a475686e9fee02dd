"""The scene: a board of hexes with a token for everybody who stands on it, in the shape of each core generation."""

from __future__ import annotations

from rallypoint.kernel.board import Board
from rallypoint.kernel.state import Entity

from .actors import Run
from .ids import document_id
from .places import HEX_PIXELS, Spot, board_pixels, corner
from .record import FLAG, Document

__all__ = ["LEVEL", "scene_document", "token_document"]

LEVEL = "defaultLevel0000"
"""The id of the one level that a scene of core 14 must have."""

_HEX_ODD_ROWS = 2
_TOKEN_SPACES = 0.5


def token_document(run: Run, scene: str, entity: Entity, actor: Document, spot: Spot) -> Document:
    """Return a token that shares its actor, half a hex wide, its bars spelt out.

    Bars and disposition stand on the token itself: what the system does to prototypes does not reach it.
    """
    prototype = actor["prototypeToken"]
    assert isinstance(prototype, dict)
    x, y = corner(spot, _TOKEN_SPACES)
    token: Document = {key: prototype[key] for key in prototype if key not in ("randomImg", "flags")}
    if run.core >= 13:
        del token["appendNumber"], token["prependAdjective"]
    token.update(
        _id=document_id(scene, "token", entity.uid),
        actorId=actor["_id"],
        delta=None if run.core >= 14 else {},
        width=_TOKEN_SPACES,
        height=_TOKEN_SPACES,
        x=x,
        y=y,
        elevation=0,
        sort=0,
        hidden=False,
        locked=False,
        flags={
            FLAG: {
                "v": 1,
                "uid": entity.uid,
                "encounter": run.encounter.key,
                "spot": {**spot._asdict(), "size": _TOKEN_SPACES},
            }
        },
    )
    if run.core >= 14:
        token["level"] = LEVEL
    return token


def scene_document(run: Run, board: Board, tokens: list[Document], identity: str, picture: str | None) -> Document:
    """Return the scene.

    Args:
        run: the export.
        board: its hexes.
        tokens: who stands on it.
        identity: the scene's id.
        picture: path of the background, ``None`` for a bare board.
    """
    width, height = board_pixels(board)
    name = run.encounter.title if run.encounter.title.strip() else run.encounter.key
    scene: Document = {
        "_id": identity,
        "name": name,
        "active": False,
        "navigation": True,
        "navName": "",
        "width": width,
        "height": height,
        "padding": 0,
        "grid": {
            "type": _HEX_ODD_ROWS,
            "size": HEX_PIXELS,
            "distance": 1,
            "units": "hex",
            "style": "solidLines",
            "thickness": 1,
            "color": "#000000",
            "alpha": 0.3,
        },
        "tokenVision": False,
    }
    if run.core >= 14:
        scene["fog"] = {"mode": 0}
        scene["initialLevel"] = LEVEL
        scene["levels"] = [
            {
                "_id": LEVEL,
                "name": "Ground",
                "elevation": {"bottom": 0, "top": 20},
                "background": {"src": picture},
                "sort": 0,
                "flags": {},
            }
        ]
    else:
        scene["fog"] = {"exploration": False}
        scene["background"] = {"src": picture}
        scene["backgroundColor"] = "#f7f5ee"
    lists = ("drawings", "lights", "notes", "regions", "sounds", "tiles", "walls")
    scene.update({name: [] for name in lists})
    if run.core < 14:
        scene["templates"] = []
    scene.update(
        tokens=tokens,
        folder=None,
        sort=0,
        ownership={"default": 0},
        flags={FLAG: {"v": 1, "uid": "board", "encounter": run.encounter.key, "hex_mm": board.hex_mm}},
        _stats=run.stats,
    )
    return scene
