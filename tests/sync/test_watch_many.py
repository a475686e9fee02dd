"""One watch, several VTTs: each is listened to by itself, one that is away or over stops no other."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace

import pytest

from rallypoint.kernel.errors import InputError
from rallypoint_sync.fields import Field
from rallypoint_sync.holding import Hold
from rallypoint_sync.hub import Hub
from rallypoint_sync.ledger import Ledger
from rallypoint_sync.outcomes import Teller
from rallypoint_sync.sending import LEASE, BusyError
from rallypoint_sync.snapshot import Snapshot
from rallypoint_sync.transport import NotSetUpError, UnreachableError
from rallypoint_sync.unopened import Unopened
from rallypoint_sync.watching import News, Watch

from ..contract.battles import STRESS, UNITS, fought, is_out, skirmish, wounds
from ..contract.world import Memory


class Telling(Memory):
    """A VTT that tells what the test lets it tell."""

    def __init__(self, vtt: str) -> None:
        super().__init__(vtt)
        self.told: queue.Queue[Exception | None | Sequence[str]] = queue.Queue()
        self.begun = 0

    def changes(self) -> Iterator[Sequence[str]]:
        self.begun += 1
        yield ()
        while (found := self.told.get()) is not None:
            if isinstance(found, Exception):
                raise found
            yield found

    def stop(self) -> None:
        self.told.put(None)


class Clock:
    """Time that passes at each look, as long as the test lets it: nobody waits for a gap."""

    def __init__(self) -> None:
        self.seconds, self.pace, self.end = 1000.0, 0.5, float("inf")

    def now(self) -> float:
        self.seconds += self.pace
        assert self.seconds < self.end, "it waits for what does not come"
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


class Tables:
    """A battle before two VTTs, and a script of what is done when something is told."""

    def __init__(self) -> None:
        self.battle = skirmish()
        self.one, self.two = Telling("one"), Telling("two")
        self.ledger = Ledger(None, self.battle.history.entries[0].hash)
        for each in (self.one, self.two):
            self.ledger.bind(each.vtt, {}, each.bindings())
        self.clock = Clock()
        self.hub = Hub(self.battle, self.ledger, [self.one, self.two], holder="test", is_out=is_out, clock=self.clock)
        self.watch = Watch(self.hub, [self.one, self.two], self.tell, self.clock)
        self.news: list[News] = []
        self.steps: list[tuple[Callable[[News], bool], Callable[[], None]]] = []

    def when(self, fits: Callable[[News], bool], then: Callable[[], None]) -> None:
        """Do something the next time that something like this is told, after all that was said before."""
        self.steps.append((fits, then))

    def tell(self, news: News) -> None:
        self.news.append(news)
        assert len(self.news) < 500, "it goes round in a circle"
        if self.steps and self.steps[0][0](news):
            self.steps.pop(0)[1]()

    def fought(self, field: Field, value: int) -> None:
        """Change the battle; two tells something at the same moment, as a log that others write to would be looked at."""
        fought(self.battle, field, value)
        self.two.told.put(())

    def run(self) -> list[News]:
        """Watch until the last step is done."""
        fits, then = self.steps.pop()

        def last() -> None:
            then()
            self.watch.stop()

        self.steps.append((fits, last))
        self.watch.run()
        return self.news


def is_synced(news: News) -> bool:
    return news.what == "synced"


def both_listen(tables: Tables) -> None:
    """Wait until both are there."""
    tables.when(
        lambda _news: {each.vtt for each in tables.news if each.what == "listening"} == {"one", "two"}, lambda: None
    )


def test_an_edit_at_one_goes_to_the_other() -> None:
    tables = Tables()

    def edit() -> None:
        tables.one.documents["u1"]["wounds"] = 2
        tables.one.told.put(["u1"])

    both_listen(tables)
    tables.when(is_synced, edit)
    tables.when(lambda news: tables.two.documents["u1"]["wounds"] == 2, lambda: None)
    tables.run()
    assert tables.battle.state["u1"].value("Wounds") == 2
    assert [str(each.body["who"]) for each in tables.battle.history.entries[1:]] == ["somebody at one"]


def test_one_that_is_away_gets_the_last_values_when_it_is_back() -> None:
    tables = Tables()
    asleep = UnreachableError("asleep", code="asleep", passing=True)

    def fight() -> None:
        tables.clock.pace = 0.0
        tables.fought(wounds("u1"), 2)

    def goes_on() -> None:
        assert tables.one.documents["u1"]["wounds"] == 0
        tables.clock.pace = 0.5

    both_listen(tables)
    tables.when(is_synced, lambda: tables.one.told.put(asleep))
    tables.when(lambda news: (news.what, news.vtt) == ("away", "one"), fight)
    tables.when(lambda news: tables.two.documents["u1"]["wounds"] == 2, goes_on)
    tables.when(lambda news: tables.one.documents["u1"]["wounds"] == 2, lambda: None)
    tables.run()
    assert tables.one.begun >= 2
    assert not tables.watch.over


def test_one_that_fails_for_good_is_told_of_once_and_the_other_goes_on() -> None:
    tables = Tables()
    locked = UnreachableError("the key is wrong", code="wrong_key")
    both_listen(tables)
    tables.when(is_synced, lambda: tables.one.told.put(locked))
    tables.when(lambda news: news.what == "over", lambda: tables.fought(STRESS, 9))
    tables.when(lambda news: tables.two.documents["u1"]["stress"] == 9, lambda: None)
    news = tables.run()
    assert [(each.vtt, str(each.error)) for each in news if each.what == "over"] == [("one", "the key is wrong")]
    assert tables.watch.over == ("one",)
    assert tables.one.documents["u1"]["stress"] == 4
    assert tables.one.begun == 1


def test_one_that_is_over_may_be_watched_by_another_process_and_the_others_not() -> None:
    """Whoever connected it after all, as the table had said, was refused in favour of that table, which had left it."""
    tables = Tables()
    both_listen(tables)
    tables.when(is_synced, lambda: tables.one.told.put(UnreachableError("the key is wrong", code="wrong_key")))

    def another() -> None:
        Hold(tables.ledger, ["one"], "another", tables.clock).keep()
        with pytest.raises(BusyError):
            Hold(tables.ledger, ["two"], "another", tables.clock).keep()
        tables.clock.seconds += LEASE
        tables.two.told.put(())

    tables.when(lambda news: news.what == "over", another)
    tables.when(is_synced, lambda: None)
    tables.run()
    assert tables.ledger.held("watch of one", tables.clock.seconds - LEASE) == "another"


def test_the_failure_of_the_last_one_is_the_watchs() -> None:
    tables = Tables()
    both_listen(tables)
    tables.when(is_synced, lambda: tables.one.told.put(UnreachableError("the first", code="a")))
    tables.when(lambda news: news.what == "over", lambda: tables.two.told.put(UnreachableError("the last", code="b")))
    tables.steps.append((lambda _news: False, lambda: None))
    with pytest.raises(UnreachableError, match="the last"):
        tables.watch.run()


def test_a_wrong_world_at_one_is_left_and_the_other_goes_on() -> None:
    tables = Tables()

    def gone() -> None:
        tables.one.documents.clear()
        tables.one.told.put(())

    both_listen(tables)
    tables.when(is_synced, gone)
    tables.when(lambda news: news.what == "over", lambda: tables.fought(wounds("u2"), 1))
    tables.when(lambda news: tables.two.documents["u2"]["wounds"] == 1, lambda: None)
    news = tables.run()
    (over,) = [each for each in news if each.what == "over"]
    assert isinstance(over.error, InputError)
    assert "4 of 4 bound documents are gone" in str(over.error)
    assert tables.ledger.tombstones("one") == frozenset()


def test_one_that_cannot_be_read_although_it_tells_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = Tables()

    def unreachable(_documents: Sequence[str]) -> Snapshot:
        raise UnreachableError("busy", code="busy", passing=True)

    def fight() -> None:
        monkeypatch.setattr(tables.one, "read", unreachable)
        tables.fought(wounds("u1"), 1)

    both_listen(tables)
    tables.when(is_synced, fight)
    tables.when(lambda news: (news.what, news.vtt) == ("away", "one"), monkeypatch.undo)
    tables.when(lambda news: tables.one.documents["u1"]["wounds"] == 1, lambda: None)
    tables.run()
    assert [each.documents["u1"]["wounds"] for each in (tables.one, tables.two)] == [1, 1]


def test_what_another_terminal_binds_is_synced_at_once() -> None:
    tables = Tables()
    tables.ledger.unbind("two")
    tables.hub.sync()
    tables.watch = Watch(tables.hub, [tables.one, tables.two], tables.tell, tables.clock)
    tables.fought(wounds("u1"), 2)
    both_listen(tables)
    tables.when(
        is_synced,
        lambda: tables.ledger.bind("two", {}, [each._replace(first="battle") for each in tables.two.bindings()]),
    )
    tables.when(lambda news: tables.two.documents["u1"]["wounds"] == 2, lambda: None)
    tables.run()
    assert {tables.two.documents[unit]["wounds"] for unit in UNITS} == {0, 2}


def test_one_that_cannot_be_opened_yet_comes_later_and_gets_the_last_values() -> None:
    tables = Tables()
    tries: list[int] = []

    def opening() -> Telling:
        tries.append(len(tables.news))
        if len(tries) < 3:
            raise UnreachableError("asleep", code="asleep", passing=True)
        return tables.one

    late = Unopened("the first", UnreachableError("asleep", code="asleep", passing=True), opening)
    tables.hub = Hub(tables.battle, tables.ledger, [late, tables.two], holder="test", is_out=is_out, clock=tables.clock)
    tables.watch = Watch(tables.hub, [late, tables.two], tables.tell, tables.clock)
    for each in (tables.one, tables.two):
        tables.ledger.bind(each.vtt, {}, [binding._replace(first="battle") for binding in each.bindings()])
    fought(tables.battle, wounds("u1"), 2)
    tables.when(lambda news: tables.one.documents["u1"]["wounds"] == 2, lambda: None)
    news = tables.run()
    assert [(each.what, each.vtt) for each in news if each.what == "away"] == [("away", "the first")] * 3
    assert ("listening", "one") in [(each.what, each.vtt) for each in news]
    assert tables.two.documents["u1"]["wounds"] == 2
    assert not tables.watch.over


def test_one_that_fails_for_good_when_it_is_tried_again_is_left() -> None:
    tables = Tables()

    def opening() -> Telling:
        raise NotSetUpError("nothing is bound", hint="bind it")

    late = Unopened("one", UnreachableError("asleep", code="asleep", passing=True), opening)
    tables.watch = Watch(tables.hub, [late, tables.two], tables.tell, tables.clock)
    tables.when(lambda news: news.what == "over", lambda: None)
    news = tables.run()
    assert [str(each.error) for each in news if each.error is not None] == ["asleep", "nothing is bound; bind it"]
    assert tables.watch.over == ("one",)


def test_what_is_bound_at_another_terminal_while_values_go_out_is_synced_as_soon_as_that_is_done() -> None:
    tables = Tables()
    left = next(each for each in tables.two.bindings() if each.field == wounds("u2"))
    tables.ledger.unbind("two", [left.carrier.document])

    def bind(_document: str, _values: object, _late: bool) -> None:
        tables.one.before_write = lambda _document, _values, _late: None
        tables.ledger.bind("two", {}, [left])

    def fight() -> None:
        tables.one.before_write = bind
        tables.clock.end = tables.clock.seconds + 100.0
        tables.fought(wounds("u1"), 1)

    both_listen(tables)
    tables.when(is_synced, fight)
    tables.when(lambda _news: left.carrier in tables.ledger.base("two"), lambda: None)
    tables.run()
    assert tables.ledger.base("two")[left.carrier] == 0


def test_one_that_answers_nothing_for_long_is_left_alone_for_a_while_so_that_the_others_need_not_wait() -> None:
    tables = Tables()
    tables.clock.pace = 0.01
    read, asked = tables.two.read, list[float]()

    def silence(documents: Sequence[str]) -> Snapshot:
        asked.append(tables.clock.seconds)
        tables.clock.seconds += 15.0
        raise UnreachableError("no answer", code="no_answer", passing=True)

    def fall_silent() -> None:
        tables.two.read = silence  # type: ignore[method-assign]
        tables.fought(wounds("u1"), 1)

    def come_back() -> None:
        assert (len(asked), tables.one.documents["u1"]["wounds"]) == (1, 3)
        tables.two.read = read  # type: ignore[method-assign]
        tables.clock.seconds += 31.0

    both_listen(tables)
    tables.when(is_synced, fall_silent)
    tables.when(lambda news: news.what == "away", lambda: tables.fought(wounds("u1"), 2))
    tables.when(is_synced, lambda: tables.fought(wounds("u1"), 3))
    tables.when(is_synced, come_back)
    tables.when(lambda _news: tables.two.documents["u1"]["wounds"] == 3, lambda: None)
    tables.run()


def test_one_that_is_away_at_once_need_not_rest_because_another_answered_nothing_for_long() -> None:
    """It was left alone for half a minute, also when it was back after a second."""
    tables = Tables()
    tables.clock.pace = 0.01
    read = tables.one.read

    def nobody(_documents: Sequence[str]) -> Snapshot:
        raise UnreachableError("nobody is there", code="no_page", passing=True)

    def silence(_documents: Sequence[str]) -> Snapshot:
        tables.clock.seconds += 15.0
        raise UnreachableError("no answer", code="no_answer", passing=True)

    def both_are_away() -> None:
        tables.one.read = nobody  # type: ignore[method-assign, assignment]
        tables.two.read = silence  # type: ignore[method-assign, assignment]
        tables.fought(wounds("u1"), 2)

    def come_back() -> None:
        tables.one.read = read  # type: ignore[method-assign]
        tables.one.told.put(())
        tables.clock.end = tables.clock.seconds + 10.0

    both_listen(tables)
    tables.when(is_synced, both_are_away)
    tables.when(lambda news: (news.what, news.vtt) == ("away", "two"), come_back)
    tables.when(lambda _news: tables.one.documents["u1"]["wounds"] == 2, lambda: None)
    tables.run()


def test_one_that_is_not_listened_to_is_not_told_of_as_back_by_a_sync_of_the_others(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tables = Tables()
    teller = Teller(SimpleNamespace(clock=tables.clock, called=str), in_json=False, several=True)  # type: ignore[arg-type]
    gone = UnreachableError("gone", code="gone", passing=True)
    teller(News("away", error=gone, vtt="two"))
    teller(News("synced", tables.hub.sync(vtts=["one"])))
    assert capsys.readouterr().err == "two: away: gone; trying again\n"
    tables.ledger.pause("two")  # nobody asks it
    teller(News("synced", tables.hub.sync()))
    assert capsys.readouterr().err == ""
    tables.ledger.pause("two", False)
    teller(News("synced", tables.hub.sync()))
    assert capsys.readouterr().err == "two: back again\n"
