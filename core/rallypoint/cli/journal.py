"""What is about to be renamed in a folder, so that a run that was killed in the middle is finished by the next one.

The journal is there only from the moment when every new file lies whole beside its place until the last one has taken it.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from rallypoint.kernel.errors import PluginError

from .file_names import check_names, is_database_file
from .parts import in_use, is_part, part_name

__all__ = ["finish_others", "keep_journal"]

_HEAD = "rallypoint export, to be finished"


def keep_journal(out: Path, moves: Mapping[str, str], gone: list[str]) -> Path:
    """Write down what is going to happen, and return the journal, which is to be removed when it has.

    Args:
        out: the folder.
        moves: by name inside ``out``, the unfinished file that lies beside it.
        gone: names inside ``out`` that are to be taken away.
    """
    journal = out / part_name(len(moves))
    try:
        with journal.open("w", encoding="utf-8") as stream:
            json.dump(
                {"what": _HEAD, "moves": moves, "gone": gone}, stream
            )  # what is cut off is no JSON, and no journal
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        journal.unlink(missing_ok=True)
        raise
    return journal


def finish_others(out: Path) -> None:
    """Finish what runs that are gone have begun in a folder: the new files take their places, the old ones go.

    What is not one of our journals, or names anything outside of ``out``, is left alone.

    Raises:
        OSError: a file cannot take its place; its journal stays.
    """
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        for journal in sorted(each for each in out.iterdir() if is_part(each.name)):
            if not in_use(journal.name, str(out)):
                _finish(out, journal)


def _finish(out: Path, journal: Path) -> None:
    try:
        with journal.open(encoding="utf-8") as stream:
            if stream.read(len(_HEAD) + 20).find(_HEAD) < 0:
                return
            stream.seek(0)
            document = json.load(stream)
        moves, gone = dict(document["moves"]), list(document["gone"])
        check_names("journal", dict.fromkeys([*moves, *gone], b""))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, PluginError):
        return  # a file of an export, or cut off before anything was renamed
    for name, part in moves.items():
        target = out.joinpath(*PurePosixPath(name).parts)
        for place in (target, Path(os.path.realpath(target))):  # a link was written through where the part lies there
            if isinstance(part, str) and is_part(part) and (place.parent / part).is_file():
                (place.parent / part).replace(place)
    for name in gone:
        path = out.joinpath(*PurePosixPath(name).parts)
        if is_database_file(path.name):
            path.unlink(missing_ok=True)
    journal.unlink(missing_ok=True)
