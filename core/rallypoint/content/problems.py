"""All that is wrong with a file, told at once."""

from __future__ import annotations

from collections.abc import Sequence

from rallypoint.kernel.errors import InputError

__all__ = ["PageError", "Problems"]


class PageError(InputError):
    """A file with one or more problems.

    ``problems`` holds each as an :class:`~rallypoint.kernel.errors.InputError` in the order of their lines; the
    attributes of this error are those of the first; its text lists them all, one a line. ``path`` names the file where
    the problems do not.
    """

    def __init__(self, problems: Sequence[InputError], path: str | None = None) -> None:
        self.problems = tuple(problems)
        first = self.problems[0]
        super().__init__(
            first.what,
            path=first.path or path,
            line=first.line,
            column=first.column,
            where=first.where,
            found=first.found,
            expected=first.expected,
            hint=first.hint,
        )

    def __str__(self) -> str:
        if len(self.problems) == 1:
            only = str(self.problems[0])
            return only if self.path is None or self.path in only else f"{self.path}: {only}"
        rows = "".join(f"\n{problem}" for problem in self.problems)
        return ("" if self.path is None else f"{self.path}: ") + f"{len(self.problems)} problems{rows}"


class Problems:
    """Collects what is wrong with one file; ``path`` names it in every problem."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._found: list[InputError] = []

    def __len__(self) -> int:
        return len(self._found)

    def add(
        self,
        what: str,
        line: int | None,
        *,
        found: object = None,
        expected: object = None,
        hint: str | None = None,
        where: str | None = None,
    ) -> None:
        """Note one problem; the arguments are those of :class:`~rallypoint.kernel.errors.InputError`.

        ``where`` is a place inside the file that has no line: ``squads[0].teams[1].units[2].weapons``.
        """
        place = None if where is None else f"{self.path}{'' if line is None else f':{line}'}: {where}"
        error = InputError(what, path=self.path, line=line, where=place, found=found, expected=expected, hint=hint)
        self._found.append(error)

    def check(self) -> None:
        """Do nothing where all is well.

        Raises:
            PageError: something was noted.
        """
        if self._found:
            raise PageError(sorted(self._found, key=lambda problem: problem.line or 0))
