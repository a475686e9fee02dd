"""Pictures of the popover to look at: ``python -m tests.owlbear_browser.popover_pictures FOLDER``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .browser import Browser
from .popover_stage import Stage, numbered, staged, unit
from .requirements import BUNDLE, chromium_path

ROSTER = [
    unit("red.small", "Small R", stress=3),
    unit("red.small-0A-1", "CO 0A-1 R-0A", item="t1", wounds=0, maxWounds=2),
    unit("red.small-1A-1", "NCO 1A-1 R-1A", item="t2", wounds=1, maxWounds=3),
    unit("red.small-1A-2", "Soldier 1A-2 R-1A", wounds=0, maxWounds=2),
    unit("red.small-1B-2", "Bot 1B-2 R-1B", item="t9", wounds=1, maxWounds=1),
    unit("blue.small", "Small B", side="blue", stress=1),
    unit("blue.small-1A-1", "Horror 1A-1 B-1A", side="blue", item="t4", wounds=1, maxWounds=2),
    unit("blue.small-1A-2", "Horror 1A-2 B-1A", side="blue", item="t5", wounds=0, maxWounds=2),
]
CONFLICTS = [
    {
        "number": 1,
        "field": "NCO 1A-1 R-1A Wounds",
        "kind": "changed in the battle and at a VTT",
        "ours": "2",
        "theirs": "owlbear: 3",
    },
    {
        "number": 2,
        "field": "Small R Stress",
        "kind": "changed in the battle and at a VTT",
        "ours": "4",
        "theirs": "owlbear: 2",
    },
]
PLAYED: dict[str, Any] = {"roster": ROSTER, "linked": 5, "of": 6}
PICTURES: dict[str, dict[str, Any]] = {
    "light": {"mode": "LIGHT", **PLAYED},
    "dark": PLAYED,
    "narrow": {"width": 320, "mode": "LIGHT", **PLAYED},
    "grey": {"grey": True, "conflicts": CONFLICTS, **PLAYED},
    "conflicts": {"conflicts": CONFLICTS, **PLAYED},
    "conflicts-narrow": {"width": 320, "mode": "LIGHT", "conflicts": CONFLICTS, **PLAYED},
    "unpaired": {"link": "unpaired", "roster": []},
    "wrong-code": {"link": "wrong code", "roster": [], "mode": "LIGHT"},
    "no-program": {"link": "no program", "roster": []},
    "no-program-later": {"link": "no program", "mode": "LIGHT", **PLAYED},
    "player": {"link": "player", "roster": []},
    "no-battle": {"battle": None, "roster": [], "mode": "LIGHT", "encounters": [{"name": "First fight", "tokens": 24}]},
    "error": {"error": "Soldier 1A-2 R-1A: the battle has 1 there, not 0", **PLAYED},
    "hundred": {"roster": numbered(100), "linked": 100, "of": 100, "mode": "LIGHT"},
    "linking": {"told": {"linking": {"id": "t6", "name": "Goblin"}}, "mode": "LIGHT", **PLAYED},
    "pending": {"clicks": ["More Wounds for NCO 1A-1 R-1A", "More Stress for Small R"], **PLAYED},
    "encounters": {"encounters": [{"name": "First fight", "tokens": 24}, {"name": "Reserve", "tokens": 1}], **PLAYED},
}


def picture(
    stage: Stage,
    path: Path,
    *,
    mode: str = "DARK",
    width: int = 360,
    grey: bool = False,
    clicks: Sequence[str] = (),
    **told: Any,
) -> None:
    """Take one."""
    stage.room.run("(mode) => { room.theme = { ...room.theme, mode }; }", mode)
    stage.open(**told)
    stage.room.run(
        """(width) => Object.assign(document.querySelector('iframe[data-kind="popover"]').style,
            { position: 'fixed', inset: 0, width: `${width}px`, height: '480px' })""",
        width,
    )
    stage.popover.until("(mode) => document.documentElement.dataset.mode === mode", mode.lower())
    if grey:
        stage.popover.run("() => { document.documentElement.style.filter = 'grayscale(1)'; }")
    for each in clicks:
        stage.popover.click(f'[aria-label="{each}"]')
    if told.get("encounters"):
        stage.popover.click(".encounters button")
    stage.popover.until(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"
    )
    clip = {"x": 0, "y": 0, "width": width, "height": 480}
    stage.room.browser.do("screenshot", page=stage.room.page, path=str(path), clip=clip)


def main(folder: Path, *names: str) -> None:
    """Take all, or those of these names."""
    folder.mkdir(parents=True, exist_ok=True)
    browser = Browser(str(chromium_path()))
    for name, told in PICTURES.items():
        if names and name not in names:
            continue
        with TemporaryDirectory() as build, staged(browser, Path(build), BUNDLE) as stage:
            picture(stage, folder / f"{name}.png", **told)
    browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
