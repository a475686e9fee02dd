"""What Disrupter lets plugins do beside its phases: acts, rulings, what is tracked, what is refused."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from rallypoint.disrupter import scenario_words
from rallypoint.disrupter.game import RULES, Disrupter
from rallypoint.disrupter.hooks import Hooks
from rallypoint.disrupter.records import Act
from rallypoint.kernel.answers import Answers, AtRandom, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.changes import SetAttribute, SetTracker
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.errors import InputError, PluginError, RuleError
from rallypoint.kernel.game import Acts, Intent, Over
from rallypoint.kernel.parts import Tracker
from rallypoint.kernel.plugins.hooks import LoadedPlugin, hookimpl
from rallypoint.kernel.plugins.plan import compile_plan
from rallypoint.kernel.rulings import Preset, Ruling, by_id
from rallypoint.kernel.state import Entity, State

from .playing import battle_of_two  # type: ignore[attr-defined]
