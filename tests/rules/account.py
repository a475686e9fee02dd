"""An account of Wounds, kept from the log alone: what weapons deal, less what saves take off, is what is taken and what is lost.

It knows the numbers of the weapons (facts of the battle), where stands are, and what events say; it runs no rule. Rulings and
plugins are those that hold where nothing is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rallypoint.kernel.events import Event
from rallypoint.kernel.fold import fold
from rallypoint.kernel.state import State


class Total(NamedTuple):
    """What all attacks came to: Wounds by the tables, what saves took off, what units took, what was lost on them."""

    dealt: int = 0
    saved: int = 0
    taken: int = 0
    lost: int = 0


class Account:
    """Keeps the books of a battle; :attr:`total` must balance after each step."""

    def __init__(self) -> None:
        self.total = Total()
        self.kinds: Counter[str] = Counter()
        self._saves: list[tuple[tuple[str, ...], bool]] = []
        self._struck: Mapping[str, Any] | None = None
        self._owed: Counter[str] = Counter()

    def post(self, state: State, events: Iterable[Event]) -> None:
        """Enter the events of one step, which begins in ``state``."""
        for event in events:
            self._enter(state, event)
            state = fold(state, event.changes)
        self._close(state)
        assert self.total.dealt == self.total.saved + self.total.taken + self.total.lost, self.total

    def _enter(self, state: State, event: Event) -> None:
        why: Any = event.why
        if event.kind == "check" and event.rule in ("D-R16.7", "D-EQ-T9"):
            self._saves.append((why["units"], "success" in _graded(why["check"])))
        elif event.kind == "fire.shot":
            self._close(state)
        elif event.kind in ("fire.hit", "fire.miss"):
            self._strike(state, event.kind == "fire.hit", why)
        elif event.kind == "fire.beam":
            self._beam(state, why)
        elif event.kind == "fire.splash":
            self._splash(state, dict(why["allocation"]))
        elif event.kind in ("wounds", "wounds.lost"):
            self._wounds(state, event, why)

    def _strike(self, state: State, hit: bool, why: Mapping[str, Any]) -> None:
        """Enter an attack or volley: its Wounds by the table, divided, less its saves (D-R16.6, D-R16.9, D-R16.10)."""
        arms = [_arm(state, key) for key in why["weapons"]]
        given, units = dict(why["allocation"]), [uid for group, _ in self._saves for uid in group]
        for shooter, arm, wounds in zip(why["shooters"], arms, why["wounds"], strict=True):
            assert wounds == _by_table(arm, _hexes(_place(state, shooter), why["at"])), why
        if not hit:
            each = [_number(arm, "miss_wounds_each") for arm in arms]
            assert given == {uid: sum(each) for uid in units if sum(each)}, why
            self._deal("near miss", sum(each) * len(units), 0)
        elif units:
            total, saves = sum(why["wounds"]), self._saves
            before = [total] if len(saves) == 1 else [row[2] for row in why["shares"]]
            assert sum(before) == total, why
            for (group, saved), part in zip(saves, before, strict=True):
                left = max(part - len(arms), 0) if saved else part
                assert sum(given.get(uid, 0) for uid in group) == left, why
                if saved or len(saves) == 1:
                    _even(given, group)
                else:
                    assert len(group) * (total // len(units)) <= part <= len(group) * -(-total // len(units)), why
            self._deal("hit", total, total - sum(given.values()))
        self._owed.update(given)
        self._struck, self._saves = (why if hit else None), []

    def _splash(self, state: State, given: Mapping[str, int]) -> None:
        """Enter what falls on those near the target: of each weapon that splashes, less one for each where they save (D-EQ-T3)."""
        why = self._struck
        assert why is not None
        for group, saved in self._saves:
            arms = []
            for shooter, key in zip(why["shooters"], why["weapons"], strict=True):
                own = state[shooter].parent == state[group[0]].parent
                arm = _arm(state, key)
                if _has(arm, "splash") and not (own and _has(arm, "splash_excludes")):
                    arms.append(_number(arm, "splash"))
            left = max(sum(arms) - len(arms), 0) if saved else sum(arms)
            assert [given.get(uid, 0) for uid in group] == [left] * len(group), (why, given)
            self._deal("splash", sum(arms) * len(group), (sum(arms) - left) * len(group))
        assert set(given) <= {uid for group, _ in self._saves for uid in group}
        self._owed.update(given)
        self._saves = []

    def _beam(self, state: State, why: Mapping[str, Any]) -> None:
        """Enter a beam: its Wounds to each in its path at his distance, less one with a save (D-EQ-T9)."""
        given, start = dict(why["allocation"]), _place(state, why["shooter"])
        (cutter,) = [row for row in _arms(state).values() if _has(row, "beam")]
        for (uid,), saved in self._saves:
            wounds = _by_table(cutter, _hexes(start, _place(state, uid)))
            left = max(wounds - saved, 0)
            assert given.get(uid, 0) == left, why
            self._deal("beam", wounds, wounds - left)
        assert set(given) <= {uid for group, _ in self._saves for uid in group}
        self._owed.update(given)
        self._saves = []

    def _deal(self, kind: str, dealt: int, saved: int) -> None:
        self.kinds[kind] += 1
        self.total = self.total._replace(dealt=self.total.dealt + dealt, saved=self.total.saved + saved)

    def _wounds(self, state: State, event: Event, why: Mapping[str, Any]) -> None:
        """Enter what became of Wounds: the tracker shows those that were taken, the others are lost."""
        uid, wounds, lost = why["unit"], why["wounds"], why.get("lost", 0)
        changes: Any = event.changes
        taken = changes[0].value - state[uid].value("Wounds") if changes else 0
        assert taken + lost == wounds, event
        room = 0 if "out" in state[uid].statuses else state[uid].trackers["Wounds"].max - state[uid].value("Wounds")  # type: ignore[operator]
        assert taken == min(wounds, room), event
        self._owed[uid] -= wounds
        assert self._owed[uid] >= 0, event
        self.kinds["lost"] += bool(lost)
        self.total = self.total._replace(taken=self.total.taken + taken, lost=self.total.lost + lost)

    def _close(self, state: State) -> None:
        """End an attack: whatever was given has come to somebody; saves that are left were made against splash, to full effect."""
        if self._saves:
            self._splash(state, {})
        self._struck = None
        assert not +self._owed, self._owed


def _graded(check: Any) -> str:
    """Return how a check came out, as a live event or one from a log says it."""
    return str(check["grade"] if isinstance(check, Mapping) else check.grade)


def _arms(state: State) -> Mapping[str, Any]:
    rows: Any = state["battle"].facts["weapons"]
    return dict(rows)


def _arm(state: State, key: str) -> Mapping[str, Any]:
    row: Mapping[str, Any] = _arms(state)[key]
    return row


def _has(arm: Mapping[str, Any], trait: str) -> bool:
    return any(each == trait or each.startswith(f"{trait}(") for each in arm["traits"])


def _number(arm: Mapping[str, Any], trait: str) -> int:
    """Return the last number in a trait: the 2 of ``splash(close,2)``; 0 without it."""
    found = [each for each in arm["traits"] if each.startswith(f"{trait}(")]
    return int(found[0].rstrip(")").replace("(", ",").split(",")[-1]) if found else 0


def _by_table(arm: Mapping[str, Any], hexes: int) -> int:
    """Return the Wounds of a weapon at a distance: C to 1 hex, M at 2, L beyond; T for what is thrown or launched (D-R16.9)."""
    if _has(arm, "throw_check") or _has(arm, "launch_check"):
        return int(arm["T"])
    return int(arm["CCML"[min(hexes, 3)]])


def _place(state: State, unit: str) -> Sequence[int]:
    place: Any = state[str(state[unit].parent)].place
    return place[:2]  # type: ignore[no-any-return]


def _hexes(a: Sequence[int], b: Sequence[int]) -> int:
    q, r = b[0] - a[0], b[1] - a[1]
    return max(abs(q), abs(r), abs(q + r))


def _even(given: Mapping[str, int], units: Sequence[str]) -> None:
    """Assert that nobody of a group has two Wounds more than another (D-R16.10)."""
    found = [given.get(uid, 0) for uid in units]
    assert max(found) - min(found) <= 1, (given, units)
