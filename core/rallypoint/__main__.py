"""The way in from the command line."""

from __future__ import annotations

import gc
import sys
from contextlib import suppress

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status.

    0: done; 1: a check that was asked for found something; 2: bad input; 3: the other side (a VTT, a relay) failed.

    Args:
        arguments: what follows the program's name; ``sys.argv`` if it is not given.
    """
    own_process = arguments is None
    if arguments is None:
        arguments = sys.argv[1:]
    if arguments == ["--version"]:  # before click is imported, which alone costs three bare starts of Python
        from rallypoint import __version__

        with suppress(OSError, AttributeError):  # closed or full: what is below knows what to do
            sys.stdout.write(f"rallypoint {__version__}\n")
            sys.stdout.flush()
            return 0
    if own_process:
        gc.disable()
    from rallypoint.cli.command_line import run

    if own_process:  # what is imported stays to the end: looking for garbage in it costs half a bare start of Python
        gc.freeze()
        gc.enable()
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
