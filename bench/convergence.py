"""Random histories of a battle and two tabletops, with faults, kills and restarts: does each end in agreement?

::

    python -m bench.convergence 5000        # how many histories; 5000 unless told otherwise
    python -m bench.convergence 5000 7      # and the seed
"""

from __future__ import annotations

import sys
import time

from hypothesis import Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test
from tests.contract.test_convergence import Convergence, histories


def main(count: int = 5000, number: int = 1) -> None:
    """Run the histories, and print what happened in them; a history that ends badly is printed and ends the run."""
    begun = time.monotonic()
    machine = seed(number)(type("Histories", (Convergence,), {}))
    run_state_machine_as_test(machine, settings=settings(histories(count), phases=[Phase.generate], database=None))
    for name, times in sorted(Convergence.happened.items()):
        print(f"{times:>9,}  {name}")
    print(f"{count:,} histories ended in agreement or in listed conflicts; {time.monotonic() - begun:.0f} seconds")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
