"""The errors of Rallypoint: one base, few kinds, data as attributes.

::

    RallypointError              what was found, what was expected, where, what to do
    ├── InputError               a file or an argument cannot be understood
    ├── RuleError                an act or an answer that the rules do not allow
    │   └── MissingContentError  a rule needs content that nobody has supplied
    ├── StateError               a change or a text form that does not fit the state
    ├── TapeError                an answer that does not belong to its question
    ├── PluginError              a plugin failed, or cannot be used
    ├── BattleFileError          a battle file cannot be read or written
    │   └── HeadMovedError       another process appended first
    ├── ReplayError              the rules no longer give what the log says
    └── RemoteError              the other side (a VTT, a relay) failed

``exit_status`` is what the command line returns for the kind: 2 for bad input, 3 when the other side failed.
:class:`~rallypoint.kernel.tape.Suspended` is not an error and stands outside this tree on purpose.
"""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "BattleFileError",
    "HeadMovedError",
    "InputError",
    "MissingContentError",
    "PluginError",
    "RallypointError",
    "RemoteError",
    "ReplayError",
    "RuleError",
    "StateError",
    "TapeError",
]


def _shown(value: object) -> str:
    try:
        return str(value)
    except ValueError:  # Python refuses to write out integers of thousands of digits
        return f"a {type(value).__name__} too long to be shown"


class RallypointError(Exception):
    """Base of every error that Rallypoint raises on purpose.

    Args:
        what: one sentence without a full stop: what is wrong.
        where: the place: ``file:line``, an entity's uid, a plugin, a hook.
        found: what stands there.
        expected: what could stand there instead.
        hint: what to do about it.

    >>> print(RallypointError("unknown weapon", where="squad.md:7", found="Lazer", hint="did you mean Laser Carbine?"))
    squad.md:7: unknown weapon; found: Lazer; did you mean Laser Carbine?
    """

    exit_status: ClassVar[int] = 2

    def __init__(
        self,
        what: str,
        *,
        where: str | None = None,
        found: object = None,
        expected: object = None,
        hint: str | None = None,
    ) -> None:
        self.what = what
        self.where = where
        self.found = found
        self.expected = expected
        self.hint = hint
        super().__init__(what)

    def __str__(self) -> str:
        parts = [self.what if self.where is None else f"{self.where}: {self.what}"]
        if self.found is not None:
            parts.append(f"found: {_shown(self.found)}")
        if self.expected is not None:
            parts.append(f"expected: {_shown(self.expected)}")
        if self.hint is not None:
            parts.append(self.hint)
        return "; ".join(parts)


class InputError(RallypointError):
    """A file or an argument cannot be understood.

    ``path``, ``line`` and ``column`` (both from 1) say where, as far as they are known.
    """

    def __init__(
        self,
        what: str,
        *,
        path: str | None = None,
        line: int | None = None,
        column: int | None = None,
        where: str | None = None,
        found: object = None,
        expected: object = None,
        hint: str | None = None,
    ) -> None:
        self.path = path
        self.line = line
        self.column = column
        if where is None:
            where = ":".join(str(part) for part in (path, line, column) if part is not None) or None
        super().__init__(what, where=where, found=found, expected=expected, hint=hint)


class _CitingError(RallypointError):
    """An error that may name the rule that speaks; ``rule`` is its id, which stands in the message."""

    def __init__(
        self,
        what: str,
        *,
        rule: str | None = None,
        where: str | None = None,
        found: object = None,
        expected: object = None,
        hint: str | None = None,
    ) -> None:
        self.rule = rule
        super().__init__(
            what if rule is None else f"{what} ({rule})", where=where, found=found, expected=expected, hint=hint
        )


class RuleError(_CitingError):
    """The rules do not allow this act or this answer; ``rule`` is the id of the rule that says so."""


class MissingContentError(RuleError):
    """A rule needs content that nobody has supplied; ``slot`` names it (such as ``M-03``)."""

    def __init__(self, slot: str, what: str, *, rule: str | None = None, hint: str | None = None) -> None:
        self.slot = slot
        super().__init__(f"content {slot} is missing: {what}", rule=rule, hint=hint)


class StateError(RallypointError):
    """A change or a text form does not fit the state."""


class TapeError(_CitingError):
    """An answer does not belong to the question that the rule asks.

    ``rule`` is the id of the rule that asks, where the game says it (see :class:`~rallypoint.kernel.game.Cites`).
    """

    def citing(self, rule: str | None) -> TapeError:
        """Return the same error with the id of a rule; one that has an id keeps its own.

        >>> print(TapeError("no such option", found="maybe").citing("D-R15.2"))
        no such option (D-R15.2); found: maybe
        """
        if rule is None or self.rule is not None:
            return self
        return TapeError(
            self.what, rule=rule, where=self.where, found=self.found, expected=self.expected, hint=self.hint
        )


class PluginError(RallypointError):
    """A plugin failed or cannot be used.

    ``plugin`` and ``hook`` name the culprit, ``unit`` the entity that the call was about, where there is one.
    """

    def __init__(
        self,
        what: str,
        *,
        plugin: str,
        hook: str | None = None,
        unit: str | None = None,
        where: str | None = None,
        found: object = None,
        expected: object = None,
        hint: str | None = None,
    ) -> None:
        self.plugin = plugin
        self.hook = hook
        self.unit = unit
        if where is None:
            names = [f"plugin {plugin}"]
            names += [] if hook is None else [f"hook {hook}"]
            names += [] if unit is None else [f"unit {unit}"]
            where = ", ".join(names)
        super().__init__(what, where=where, found=found, expected=expected, hint=hint)


class BattleFileError(RallypointError):
    """A battle file cannot be read or written; it is left as it was."""


class HeadMovedError(BattleFileError):
    """Another process appended first; ``between`` lists the kinds of the entries that came in between, in order."""

    def __init__(self, *, path: str, expected: int, found: int, between: tuple[str, ...]) -> None:
        self.between = between
        super().__init__(
            "another process wrote to this battle first",
            where=path,
            found=f"entry {found} at the head ({', '.join(between)})",
            expected=f"entry {expected}",
            hint="read the battle again and repeat the act if it is still wanted",
        )


class ReplayError(RallypointError):
    """The rules no longer give what the log says; ``entry`` is the number of the first entry that differs."""

    def __init__(
        self,
        what: str,
        *,
        entry: int | None = None,
        found: object = None,
        expected: object = None,
        hint: str | None = None,
    ) -> None:
        self.entry = entry
        where = None if entry is None else f"entry {entry}"
        super().__init__(what, where=where, found=found, expected=expected, hint=hint)


class RemoteError(RallypointError):
    """The other side (a VTT, a relay) failed or did not answer."""

    exit_status = 3
