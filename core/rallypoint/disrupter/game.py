"""The game as the kernel plays it: whose act is due, what runs by itself, what is allowed (Rules 1 and 11)."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from types import MappingProxyType

from rallypoint import __version__
from rallypoint.kernel.canonical import EMPTY, Value
from rallypoint.kernel.changes import Change, SetAttribute
from rallypoint.kernel.encounter import Encounter
from rallypoint.kernel.errors import PluginError
from rallypoint.kernel.fold import fold
from rallypoint.kernel.game import Acts, Due, Intent, Over, Refusal, Rule, Runs
from rallypoint.kernel.plugins.plan import compile_plan, is_answered
from rallypoint.kernel.rulings import Ruling, by_id
from rallypoint.kernel.state import State
from rallypoint.kernel.tape import Choice

from . import act, briefing, driving, initiative, reaction, turn
from .field import BATTLE, enemy, sides
from .hooks import DisrupterStep, Hooks
from .legal import legal
from .modes import result
from .refusals import cites
from .rulings import RULINGS, check_options, chosen

__all__ = ["RULES", "SECRETS", "Disrupter"]

SECRETS = ("orders", "code_words")
"""What stands on a side's own Platoon Card: the other side does not know it."""

REFEREE = "referee"


def done(step: DisrupterStep) -> None:
    """End the seat's part: of the briefing, or of the portion that is under way."""
    if step.state[BATTLE].attributes.get("phase") == "briefing":
        briefing.ready(step)
    else:
        turn.done(step)


def _named(*rules: Callable[..., object]) -> Mapping[str, Rule]:
    return {rule.__name__: rule for rule in rules}


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        **_named(briefing.begin, briefing.brief, briefing.agree, done),
        **_named(turn.begin_turn, initiative.initiative, initiative.groups, turn.end_turn, turn.relieve_stress),
        **_named(act.move, act.take_cover, act.leave_cover, act.attach, act.act, act.flee),
        **_named(driving.drive),
        **_named(reaction.react_fire, reaction.react_choose, reaction.react_spot),
    }
)
"""Every rule that a log can name: acts, rules that run by themselves, reactions."""


NO_RULINGS: Mapping[str, Ruling] = by_id(())


def _with_acts(hooks: Hooks) -> Mapping[str, Rule]:
    """Return the rules of the game and of its plugins."""
    added = hooks.acts()
    if not added:
        return RULES
    names = [each.name for each in added]
    _refuse_doubles("act", [name for name in names if names.count(name) > 1], names)
    _refuse_doubles("act", names, RULES)
    return MappingProxyType({**RULES, **{each.name: each.rule for each in added}})


def _refuse_doubles(what: str, names: Iterable[str], known: Container[str]) -> None:
    for name in names:
        if name in known:
            raise PluginError(f"a plugin brings the {what} {name}, which is there already", plugin="disrupter")


class Disrupter:
    """The game, bound to rulings and plugins.

    Args:
        options: rulings that differ from their defaults, by id.
        hooks: the frozen plan of the plugins; none, where it is ``None``.
        rulings: those that the plugins bring, by id.

    Raises:
        InputError: a ruling or a choice does not exist, or two choices exclude each other.
        PluginError: a plugin brings a ruling or an act that is there already.
    """

    name = "disrupter"

    def __init__(
        self,
        options: Mapping[str, object] = EMPTY,
        hooks: Hooks | None = None,
        rulings: Mapping[str, Ruling] = NO_RULINGS,
    ) -> None:
        self.version = __version__
        _refuse_doubles("ruling", rulings, RULINGS)
        self.options: Mapping[str, Value] = check_options(options, rulings)
        self.hooks: Hooks = compile_plan(Hooks, []) if hooks is None else hooks
        self.rules: Mapping[str, Rule] = _with_acts(self.hooks)
        # A battle asks for one list twice, to choose from it and to check what was chosen.
        self._listed: tuple[State, str, Sequence[Intent]] | None = None

    def seats(self, state: State) -> tuple[str, ...]:
        """Return the sides, and where there is one the referee (D-R1.2, D-R1.4)."""
        return (*sides(state), REFEREE) if state[BATTLE].facts["referee"] else sides(state)

    def clock(self, state: State) -> int:
        """Return the number of the turn, 0 in the briefing."""
        value = state[BATTLE].attributes.get("turn", 0)
        assert isinstance(value, int)
        return value

    def next(self, state: State) -> Due:
        """Say what is due: the briefing, then turn by turn the Initiative Phase and the portions of D-R11.9."""
        ended = result(state)
        if ended is not None:
            return Over(ended)
        phase = state[BATTLE].attributes["phase"]
        if phase == "briefing":
            return self._briefing(state)
        if phase != "action":
            return Runs(_BY_ITSELF[str(phase)])
        fleeing = turn.due_to_flee(state)
        if fleeing is not None:
            return Runs("flee", (fleeing,))
        now = turn.portion(state)
        assert now is not None
        return Acts((now.side,))

    def _briefing(self, state: State) -> Due:
        if "ready" not in state[BATTLE].attributes:
            return Runs("begin")
        left = [side for side in sides(state) if side not in briefing.ready_sides(state)]
        return Acts((left[0],))

    def legal(self, state: State, seat: str) -> Sequence[Intent]:
        """List what a seat may do now: a sensible finite part of it, always in the same order."""
        due = self.next(state)
        if not isinstance(due, Acts) or seat not in due.seats:
            return ()
        known = self._listed
        if known is None or known[0] is not state or known[1] != seat:
            *own, last = legal(self, state, seat)  # the last one ends the seat's part
            known = self._listed = (state, seat, (*own, *self.hooks.legal_acts(state, self.options, seat), last))
        return known[2]

    def completed(self, encounter: Encounter) -> Encounter:
        """Return an encounter with what plugins track besides, and without what need not be tracked under these rulings."""
        return self.hooks.export_encounter(self.options, encounter)

    def notes(self) -> tuple[str, ...]:
        """Return what people should know of the rulings in force before they play."""
        own: list[str] = []
        if chosen(self.options, "D-AMB-37") == "drift" and not is_answered(self.hooks, "indirect_drift"):
            own.append("No plugin that is on lets shots drift, so a launcher that misses hits its own team (D-AMB-37).")
        return (*own, *self.hooks.setup_briefing(self.options))

    def view(self, state: State, seat: str) -> State:
        """Return the state without the other side's Orders and Code Words; the referee sees all."""
        if seat not in sides(state):
            return state
        hidden: list[Change] = [
            SetAttribute(entity.uid, secret, None)
            for entity in state.below(enemy(state, seat))
            for secret in SECRETS
            if secret in entity.attributes
        ]
        return fold(state, hidden) if hidden else state

    def reactions(self, state: State, window: str, subject: str) -> Sequence[Choice]:
        """List who may react to a mover, in game order (D-R15.1)."""
        return reaction.reactions(state, self.options, window, subject)

    def cites(self, state: State, refusal: Refusal, about: str) -> str | None:
        """Return the id of the rule by which the kernel refuses an act or an answer that never comes to a rule."""
        return cites(state, refusal, about)


_BY_ITSELF: Mapping[str, str] = MappingProxyType(
    {"start": "begin_turn", "initiative": "initiative", "groups": "groups", "end": "end_turn"}
)
"""The rule that runs in each phase in which nobody acts."""
