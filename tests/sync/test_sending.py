"""Sending many documents: what is noted when, what a kill between two calls leaves, what is not sent when a VTT goes away."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from rallypoint.kernel.answers import PERSON, Answers
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.changes import SetTracker
from rallypoint.kernel.state import Entity, State, Tracker
from rallypoint_sync.bindings import Binding, Carrier
from rallypoint_sync.doubt import DOUBT
from rallypoint_sync.hub import Hub
from rallypoint_sync.ledger import Ledger
from rallypoint_sync.lenses import Exact
from rallypoint_sync.sending import A_WHILE, AT_ONCE
from rallypoint_sync.snapshot import Snapshot
from rallypoint_sync.transport import DoubtfulError, Outcome, RefusedError, UnreachableError

from ..contract.battles import Skirmish, edits, wounds
from ..contract.world import Clock

MANY = [f"u{number:02}" for number in range(2 * AT_ONCE + 8)]


class Crowd:
    """A VTT with a document for each of many units; ``before`` is called with the number of each write."""

    vtt = "crowd"

    def __init__(self) -> None:
        self.shown: dict[str, dict[str, Value]] = {uid: {"wounds": 0} for uid in MANY}
        self.writes: list[str] = []
        self.before: Callable[[int], object] = lambda _number: None

    def read(self, documents: Sequence[str]) -> Snapshot:
        return Snapshot({each: dict(self.shown[each]) for each in documents})

    def write(self, document: str, values: Mapping[str, Value]) -> Mapping[str, Value]:
        self.before(len(self.writes))
        self.writes.append(document)
        self.shown[document].update(values)
        return dict(self.shown[document])


class Field:
    """A battle of many units, its ledger in a file, and the crowd; all Wounds have changed to 1."""

    def __init__(self, folder: Path) -> None:
        units = [Entity.new(uid, "unit", trackers={"Wounds": Tracker(0, 0, 3)}) for uid in MANY]
        self.battle: Battle[None] = Battle.start(Skirmish(), State.of(units), Answers(PERSON))
        self.crowd, self.clock, self.path = Crowd(), Clock(), folder / "ledger"
        self.key = self.battle.history.entries[0].hash
        self.again()
        bindings = [Binding((wounds(uid),), Carrier(uid, "wounds"), Exact()) for uid in MANY]
        self.ledger.bind("crowd", {}, bindings)
        self.hub.sync()
        self.battle.edit("the rules", *[SetTracker(uid, "Wounds", 1) for uid in MANY])

    def again(self) -> None:
        self.ledger = Ledger(self.path, self.key)
        self.hub = Hub(self.battle, self.ledger, [self.crowd], holder="test", clock=self.clock)

    def open_notes(self) -> list[tuple[str, str]]:
        """What another process that looks now finds in the ledger of writes on their way."""
        with Ledger(self.path, self.key) as other:
            return [(each.carrier.document, each.state) for each in other.sent("crowd", states=("sent",))]


@pytest.fixture
def field(tmp_path: Path) -> Field:
    return Field(tmp_path)


def test_each_write_is_noted_before_it_is_made(field: Field) -> None:
    noted: list[bool] = []
    field.crowd.before = lambda number: noted.append((MANY[number], "sent") in field.open_notes())
    assert len(field.hub.sync().done) == len(MANY)
    assert noted == [True] * len(MANY)
    assert field.open_notes() == []
    assert field.ledger.base("crowd") == {Carrier(uid, "wounds"): 1 for uid in MANY}


def test_many_documents_cost_few_commits(field: Field) -> None:
    commits: list[str] = []
    field.ledger._connection.set_trace_callback(lambda text: commits.append(text) if text == "COMMIT" else None)
    field.hub.sync()
    # three portions: the lease, the notes, what came of them; and a handful for the whole sync
    assert 3 * 3 <= len(commits) <= 3 * 3 + 8 < len(MANY)


def test_a_vtt_that_answers_no_write_is_waited_for_once_and_gets_the_rest_later(field: Field) -> None:
    """Each of forty writes waited for its answer, ten minutes in all, and whoever else was synced waited too."""

    def silence(number: int) -> None:
        if number == 3:
            field.crowd.writes.append(MANY[number])
            field.clock.sleep(15.0)
            raise DoubtfulError("no answer from the world", code="no_answer", passing=True)

    field.crowd.before = silence
    done = field.hub.sync()
    assert (len(done.done), field.crowd.writes) == (3, MANY[:4])
    assert (done.away["crowd"].code, done.away["crowd"].passing) == ("no_answer", True)
    assert len(done.failed) == len(MANY) - 3
    assert [each.carrier.document for each in field.ledger.sent("crowd", states=("sent", "doubtful"))] == [MANY[3]]
    last = len(MANY) - 4
    field.crowd.before = lambda _number: silence(3) if len(field.crowd.writes) == 4 + last else None
    assert len(field.hub.sync().done) == last
    assert field.hub.last_away.keys() == {"crowd"}  # whoever watches lets it rest, also where nothing was left to send
    field.crowd.before = lambda _number: None
    assert len(field.hub.sync().done) == 1
    assert {each["wounds"] for each in field.crowd.shown.values()} == {1}


def test_a_vtt_that_says_soon_that_it_does_not_know_gets_all(field: Field) -> None:
    def unknown(number: int) -> None:
        if number == 3:
            field.crowd.writes.append(MANY[number])
            raise DoubtfulError("this is the answer to something else", code="crossed_answer")

    field.crowd.before = unknown
    done = field.hub.sync()
    assert (len(done.done), len(done.failed), done.away) == (len(MANY) - 1, 1, {})


@pytest.mark.parametrize(("answered", "away"), [(0, ["crowd"]), (1, [])])
def test_one_that_answers_some_of_many_that_went_at_once_is_there(
    field: Field, answered: int, away: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_all(documents: Mapping[str, Mapping[str, Value]]) -> Mapping[str, Outcome]:
        field.clock.sleep(15.0)
        lost: Outcome = DoubtfulError("no answer", code="no_answer")
        return {name: values if number < answered else lost for number, (name, values) in enumerate(documents.items())}

    monkeypatch.setattr(field.crowd, "write_all", write_all, raising=False)
    done = field.hub.sync()
    assert (len(done.done), list(done.away)) == (answered, away)


@pytest.mark.parametrize("at", [0, 1, AT_ONCE - 1, AT_ONCE, AT_ONCE + 3, len(MANY) - 1])
def test_a_kill_between_two_calls_loses_nothing(field: Field, at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The write is made and the process is gone: not even what came before it in its portion is noted."""

    def killed(number: int) -> None:
        if number == at:
            raise KeyboardInterrupt

    field.crowd.before = killed
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "came_of", lambda *_: None)
        with pytest.raises(KeyboardInterrupt):
            field.hub.sync()
    field.ledger.close()
    field.crowd.before = lambda _: None
    field.again()
    done = field.hub.sync()
    assert field.crowd.writes == MANY  # each once, and in order
    assert (len(done.done), done.new_conflicts, edits(field.battle)) == (len(MANY) - at, (), [])
    assert field.ledger.base("crowd") == {Carrier(uid, "wounds"): 1 for uid in MANY}
    assert field.hub.plan().is_empty


def test_somebodys_edit_after_a_kill_is_seen(field: Field, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of a portion were sent. Whatever is typed before the next sync is taken, or a conflict: it is never written over."""

    def killed(number: int) -> None:
        if number == 2:
            raise KeyboardInterrupt

    field.crowd.before = killed
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "came_of", lambda *_: None)
        with pytest.raises(KeyboardInterrupt):
            field.hub.sync()
    field.crowd.before = lambda _: None
    field.crowd.shown[MANY[0]]["wounds"] = 3  # was sent
    field.crowd.shown[MANY[5]]["wounds"] = 2  # was noted and not sent
    field.again()
    done = field.hub.sync()
    assert {each.field.uid: each.theirs[0].value for each in done.new_conflicts} == {MANY[0]: 3, MANY[5]: 2}
    assert (field.crowd.shown[MANY[0]], field.crowd.shown[MANY[5]]) == ({"wounds": 3}, {"wounds": 2})


def test_a_vtt_that_goes_away_in_a_portion_leaves_no_doubt(field: Field) -> None:
    def away(number: int) -> None:
        if number == AT_ONCE + 2:
            raise UnreachableError("nobody answers", code="away")

    field.crowd.before = away
    done = field.hub.sync()
    assert [each.binding.field.uid for each in done.done] == MANY[: AT_ONCE + 2]
    assert [each.write.binding.field.uid for each in done.failed] == MANY[AT_ONCE + 2 :]
    assert {each.why for each in done.failed} == {"not sent: nobody answers"}
    assert field.open_notes() == []
    states = [each.state for each in field.ledger.sent("crowd")]
    assert states == ["done"] * (AT_ONCE + 2) + ["refused"] * (AT_ONCE - 2)  # the third portion was not even noted


def test_one_that_is_refused_does_not_hold_up_the_others(field: Field) -> None:
    def refused(number: int) -> None:
        if number == 3:
            field.crowd.before = lambda _: None
            raise RefusedError("no", code="refused")

    field.crowd.before = refused
    done = field.hub.sync()
    assert ([each.write.binding.field.uid for each in done.failed], len(done.done)) == ([MANY[3]], len(MANY) - 1)


def test_slow_calls_keep_lease_and_notes_fresh(field: Field) -> None:
    """A note says when a write may have gone out: no call of a slow portion begins longer than a while after its note."""
    ages: list[float] = []

    def slow(number: int) -> None:
        with Ledger(field.path, field.key) as other:
            assert other.lease("crowd", "another", field.clock.now(), 1.0) == "test"
            (note,) = [each for each in other.sent("crowd", states=("sent",)) if each.carrier.document == MANY[number]]
        ages.append(field.clock.now() - note.moment)
        field.clock.sleep(7.0)

    field.crowd.before = slow
    field.hub.sync()
    assert max(ages) < A_WHILE < DOUBT / 2
    assert {7.0 * number for number in (0, 1)} == set(ages)
