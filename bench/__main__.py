"""Print the speed table. It asserts nothing: times depend on the machine, the ratios less so."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))

from . import attacks, battles, forces, foundry, hooks, machine, rules
from .timing import Row


def main() -> None:
    print(
        f"CPython {platform.python_version()}, {platform.system()} {platform.machine()}; best of interleaved rounds, CPU time"
    )
    print(Row("what", "figure", "goal", None).line()[:-1] + "met")
    for part in (machine, hooks, rules, attacks, forces, battles, foundry):
        for row in part.rows():
            print(row.line(), flush=True)


main()
