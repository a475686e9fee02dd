"""The names of units: those that a roster gives, and those that are made; each once, and none that was ever given away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .problems import Problems

__all__ = ["Uids", "squad_uid", "team_uid"]


def squad_uid(start: str, number: int | None) -> str:
    """Return the uid of a squad; of no squad, what its teams' uids begin with."""
    return start if number is None else f"{start}-{number}"


def team_uid(start: str, number: int | None, letter: str) -> str:
    """Return the uid of a team; of no team, what its units' uids begin with.

    >>> team_uid("green", 1, "A"), team_uid("crew", None, "A"), team_uid("crew", None, "")
    ('green-1A', 'crew-A', 'crew')
    """
    if number is None:
        return f"{start}-{letter}" if letter else start
    return f"{start}-{number}{letter}"


class Uids:
    """Gives uids out; ``retired`` are those of units that are gone."""

    def __init__(self, retired: Iterable[str] = ()) -> None:
        self._taken = set(retired)
        self._own: set[str] = set()

    def take(self, uid: str | None, line: int | None, problems: Problems, where: str | None = None) -> None:
        """Note a uid that the roster itself gives, before any is made."""
        if uid is None:
            return
        if uid in self._own:
            problems.add("an id appears twice", line, found=uid, expected="each id once", where=where)
        elif uid in self._taken:
            hint = "give the replacement an id of its own, or none"
            problems.add("a retired id", line, found=uid, expected="an id that nobody had", hint=hint, where=where)
        self._own.add(uid)
        self._taken.add(uid)

    def made(self, start: str, row: int) -> Iterator[str]:
        """Yield new uids for one row of a roster: ``start``, row, occurrence in the row.

        >>> uids = Uids(["green-1A-2-1"])
        >>> made = uids.made("green-1A", 2)
        >>> next(made), next(made)
        ('green-1A-2-2', 'green-1A-2-3')
        """
        occurrence = 0
        while True:
            occurrence += 1
            uid = f"{start}-{row}-{occurrence}"
            if uid not in self._taken:
                self._taken.add(uid)
                yield uid
