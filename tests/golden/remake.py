"""Write the golden playthroughs anew: ``python -m tests.golden.remake``, from the project's folder. Then read the diff."""

from __future__ import annotations

import sys
from pathlib import Path

from .playthroughs import PLAYTHROUGHS, text_of

HERE = Path(__file__).parent


def main() -> None:
    for name, play in PLAYTHROUGHS.items():
        path = HERE / f"{name}.txt"
        text = text_of(play())
        old = path.read_text("utf-8") if path.exists() else ""
        path.write_text(text, "utf-8", newline="\n")
        sys.stdout.write(f"{path.name}: {'unchanged' if text == old else 'written'}, {len(text.splitlines())} lines\n")


if __name__ == "__main__":
    main()
