"""Answers of plugins that only the state can judge: which sides there are, which portions a turn has."""

from __future__ import annotations

from rallypoint.kernel.errors import PluginError

from .hooks import DisrupterStep

__all__ = ["wrong_answer"]


def wrong_answer(step: DisrupterStep, hook: str, found: object, expected: str) -> PluginError:
    """Return the error for an answer that the rules have no use for; the last plugin that answered ``hook`` is named."""
    told = [event.by for event in step.events if event.kind == "plugin.answered" and event.why.get("hook") == hook]
    by = told[-1] if told else None
    what = "a plugin gave an answer that there is not"
    return PluginError(what, plugin="unknown" if by is None else by, hook=hook, found=found, expected=expected)
