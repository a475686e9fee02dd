"""The ledger: what it keeps, who may write, and what a kill leaves."""

from __future__ import annotations

import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from rallypoint.kernel.errors import BattleFileError, InputError
from rallypoint_sync.bindings import Binding, Carrier
from rallypoint_sync.fields import Field
from rallypoint_sync.ledger import Head, Ledger, Taking, ledger_path
from rallypoint_sync.lenses import Clamped, Exact
from rallypoint_sync.plan import Conflict, Theirs

from ..kernel.processes import forks, in_child, kill_self, needs_fork

WOUNDS, STRESS = Field("u", "Wounds"), Field("p", "Stress")
HITS, BAR, FLAG = Carrier("d", "hits"), Carrier("d", "bar"), Carrier("d", "flag")
CONFLICT = Conflict(WOUNDS, "both_changed", 3, (Theirs("a", "d", "hits", 2, 5, 5), Theirs("b", "e", "x", 2, 6, 6)))
BINDINGS = (Binding((WOUNDS,), HITS, Exact(), fallback=FLAG), Binding((STRESS,), BAR, Clamped(2), "vtt", "battle"))


def ledger(path: Path | None = None) -> Ledger:
    return Ledger(path, "battle 1")


def bound(path: Path | None = None) -> Ledger:
    found = ledger(path)
    found.bind("a", {"world": "w"}, BINDINGS)
    return found


def test_it_lies_beside_the_battle() -> None:
    assert ledger_path(Path("x/first.battle")) == Path("x/first.battle.sync")


def test_everything_is_there_again_after_it_was_closed(tmp_path: Path) -> None:
    path = tmp_path / "l"
    with bound(path) as first:
        first.agree("a", {HITS: 2, BAR: "x"})
        first.keep([CONFLICT], 7)
        first.bury("a", ["d"])
        first.opt_out("a", "e")
        first.pause("a")
        first.set_policy("a", "battle", uid="u")
        first.see(Head(3, "h", 1, 10.5), older=False)
        first.take([Taking("a", BAR, 4, STRESS, 4, 3)])
        numbers = first.send("a", first.begin_batch(), {HITS: (2, 3)}, 11.0, 3)
        first.mark(numbers, "doubtful")
    with ledger(path) as again:
        assert again.vtts() == ("a",)
        assert again.about("a") == {"world": "w"}
        assert again.bindings("a") == (BINDINGS[0]._replace(owner="battle"), BINDINGS[1])
        assert again.base("a") == {HITS: 2, BAR: "x"}
        assert again.conflicts() == {WOUNDS: CONFLICT}
        assert (set(again.tombstones("a")), set(again.opted_out("a")), again.paused("a")) == ({"d"}, {"e"}, True)
        assert again.last_head() == Head(3, "h", 1, 10.5)
        assert again.takings() == (Taking("a", BAR, 4, STRESS, 4, 3),)
        assert [tuple(each) for each in again.sent("a")] == [(1, 1, HITS, 2, 3, "doubtful", 11.0, 3)]
    assert [each.name for each in tmp_path.iterdir()] == ["l"]  # nothing lies beside it at rest


def test_a_ledger_of_another_battle_is_refused(tmp_path: Path) -> None:
    ledger(tmp_path / "l").close()
    with pytest.raises(BattleFileError, match="another battle"):
        Ledger(tmp_path / "l", "battle 2")


@pytest.mark.parametrize("text", [b"no database at all, but a text that is long enough to look at", None])
def test_what_is_no_ledger_is_refused(tmp_path: Path, text: bytes | None) -> None:
    path = tmp_path / "l"
    if text is None:
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE other (x)")
        connection.close()
    else:
        path.write_bytes(text)
    before = path.read_bytes()
    with pytest.raises(BattleFileError):
        ledger(path)
    assert path.read_bytes() == before


# Bindings and policies


def test_a_dropped_value_goes_to_its_fallback() -> None:
    found = bound()
    found.move_to_fallback("a", HITS)
    assert [each.carrier for each in found.bindings("a")] == [FLAG, BAR]
    assert (found.bindings("a")[0].fallback, found.bindings("a")[0].first) == (None, "battle")


@pytest.mark.parametrize(
    ("policies", "owners"),
    [
        ({}, ["both", "vtt"]),
        ({("", ""): "battle"}, ["battle", "battle"]),
        ({("", "Stress"): "battle"}, ["both", "battle"]),
        ({("", ""): "battle", ("", "Wounds"): "vtt"}, ["vtt", "battle"]),
        ({("u", ""): "battle", ("", "Wounds"): "vtt"}, ["battle", "vtt"]),
        ({("u", "Wounds"): "vtt", ("u", ""): "battle"}, ["vtt", "vtt"]),
        ({("p", "Wounds"): "battle"}, ["both", "vtt"]),
    ],
)
def test_the_narrower_word_holds(policies: dict[tuple[str, str], str], owners: list[str]) -> None:
    found = bound()
    for (uid, name), owner in policies.items():
        found.set_policy("a", owner, uid=uid, name=name)  # type: ignore[arg-type]
    found.bind("a", {}, BINDINGS)  # binding anew does not forget them
    assert [each.owner for each in found.bindings("a")] == owners
    for uid, name in policies:
        found.set_policy("a", None, uid=uid, name=name)
    assert [each.owner for each in found.bindings("a")] == ["both", "vtt"]


def test_nobody_else_can_own() -> None:
    with pytest.raises(InputError, match="battle, vtt, both"):
        bound().set_policy("a", "me")  # type: ignore[arg-type]


def test_a_replaced_unit_meets_its_token_for_the_first_time() -> None:
    found = bound()
    found.agree("a", {HITS: 3, BAR: 4})
    found.keep([CONFLICT], 1)
    found.bury("a", ["d"])
    found.bind("a", {}, [BINDINGS[0]._replace(fields=(Field("u-2", "Wounds"),))])
    assert found.base("a") == {BAR: 4}
    assert found.tombstones("a") == frozenset()
    assert [each.vtt for each in found.conflicts()[WOUNDS].theirs] == ["b"]
    found.bind("a", {}, [BINDINGS[1]])  # the same again changes nothing
    assert found.base("a") == {BAR: 4}


def test_unbinding_a_document_forgets_it_and_nothing_else() -> None:
    found = bound()
    other = Binding((WOUNDS,), Carrier("e", "hits"), Exact())
    found.bind("a", {}, [other])
    found.agree("a", {HITS: 3, other.carrier: 1})
    found.keep([CONFLICT._replace(theirs=CONFLICT.theirs[:1])], 1)
    assert found.unbind("a", ["d"]) == 2
    assert (found.bindings("a"), found.base("a"), found.conflicts()) == ((other,), {other.carrier: 1}, {})
    assert found.unbind("a") == 1
    assert found.vtts() == ()


# Writes


def test_agreeing_on_another_value_makes_a_doubtful_write_late() -> None:
    found = bound()
    (first,) = found.send("a", 1, {HITS: (0, 1)}, 1.0, 0)
    (second,) = found.send("a", 2, {HITS: (0, 2)}, 2.0, 0)
    (other,) = found.send("a", 2, {BAR: (0, 2)}, 2.0, 0)
    found.agree("a", {HITS: 2}, {HITS: second})
    assert {each.number: each.state for each in found.sent("a")} == {first: "late", second: "done", other: "sent"}
    assert [each.number for each in found.sent("a", states=("late", "sent"))] == [first, other]
    assert [each.number for each in found.sent("a", batch=2, states=("done",))] == [second]


def test_an_epoch_that_is_past_takes_its_open_writes_along() -> None:
    found = bound()
    numbers = found.send("a", 1, {HITS: (0, 1), BAR: (0, 1), FLAG: (0, 1)}, 1.0, 0)
    found.mark(numbers[:1], "done")
    found.see(Head(0, "h", 1, 1.0), older=False)
    assert [each.state for each in found.sent("a")] == ["done", "sent", "sent"]
    found.see(Head(0, "h", 2, 2.0), older=True)
    assert [each.state for each in found.sent("a")] == ["done", "older", "older"]


def test_batches_count_up() -> None:
    found = bound()
    assert found.begin_batch() == 1
    found.send("a", 1, {HITS: (0, 1)}, 1.0, 0)
    assert found.begin_batch() == 2


def test_the_head_at_a_moment() -> None:
    found = bound()
    assert found.last_head() is None
    for number in (3, 5, 9):
        found.see(Head(number, "h", 1, number * 10.0), older=False)
    assert [getattr(found.last_head(until), "number", None) for until in (29, 30, 55, 1000)] == [None, 3, 5, 9]


def test_a_conflict_that_is_resolved_is_known_on_all_sides() -> None:
    found = bound()
    found.send("a", 1, {HITS: (0, 1)}, 1.0, 0)
    found.keep([CONFLICT], 1)
    found.resolve(CONFLICT)
    assert (found.base("a"), found.base("b"), found.conflicts()) == ({HITS: 5}, {Carrier("e", "x"): 6}, {})
    assert found.sent("a")[0].state == "late"


# Who may write


def test_one_holder_at_a_time() -> None:
    found = bound()
    assert found.lease("a", "me", 100.0, 50.0) is None
    assert found.lease("a", "you", 149.0, 50.0) == "me"
    assert found.lease("b", "you", 149.0, 50.0) is None  # another VTT
    assert found.lease("a", "me", 149.0, 50.0) is None  # renewed until 199
    assert found.lease("a", "you", 198.0, 50.0) == "me"
    assert found.lease("a", "you", 199.0, 50.0) is None
    found.release("a", "me")  # it is not theirs any more
    assert found.lease("a", "me", 200.0, 50.0) == "you"
    found.release("a", "you")
    assert found.lease("a", "me", 200.0, 50.0) is None


@needs_fork
@forks
def test_two_processes_of_which_one_gets_the_lease(tmp_path: Path) -> None:
    path = tmp_path / "l"
    bound(path).close()

    def child() -> None:
        with ledger(path) as found:
            assert found.lease("a", "child", 10.0, 100.0) is None

    assert in_child(child) == 0
    with ledger(path) as found:
        assert found.lease("a", "parent", 11.0, 100.0) == "child"


# Kills

ACTS: dict[str, Callable[[Ledger], object]] = {
    "bind": lambda found: found.bind("b", {"k": 1}, [Binding((WOUNDS,), Carrier("f", "y"), Exact()), *BINDINGS]),
    "rebind": lambda found: found.bind("a", {}, [BINDINGS[0]._replace(fields=(STRESS,))]),
    "unbind": lambda found: found.unbind("a", ["d"]),
    "unbind all": lambda found: found.unbind("a"),
    "agree": lambda found: found.agree("a", {HITS: 3, BAR: 5}, {HITS: 1}),
    "resolve": lambda found: found.resolve(CONFLICT),
    "send": lambda found: found.send("a", 2, {HITS: (1, 2), BAR: (3, 4)}, 2.0, 0),
    "came of": lambda found: found.came_of("a", {1: (HITS, 3)}, {2: "doubtful"}),
    "put off": lambda found: found.put_off([1, 2], 9.0),
    "see": lambda found: found.see(Head(4, "h", 2, 5.0), older=True),
    "take": lambda found: found.take([Taking("a", HITS, 1, WOUNDS, 1, 0), Taking("a", BAR, 2, STRESS, 2, 0)]),
}


def prepared(path: Path) -> None:
    with bound(path) as found:
        found.agree("a", {HITS: 2, BAR: 2})
        found.keep([CONFLICT], 1)
        found.bury("a", ["d"])
        found.send("a", 1, {HITS: (0, 3), BAR: (0, 1)}, 1.0, 0)


def contents(path: Path) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    (sound,) = connection.execute("PRAGMA integrity_check").fetchone()
    assert sound == "ok"
    names = [
        name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    ]
    found = [(name, *row) for name in names for row in sorted(connection.execute(f"SELECT * FROM {name}").fetchall())]
    connection.close()
    return found


@needs_fork
@forks
@pytest.mark.parametrize("name", sorted(ACTS))
def test_a_kill_at_each_statement_leaves_the_old_or_the_new_state(tmp_path: Path, name: str) -> None:
    whole = tmp_path / "whole"
    prepared(whole)
    old = contents(whole)
    with ledger(whole) as found:
        ACTS[name](found)
    new = contents(whole)
    assert new != old

    def child(path: Path, number: int) -> None:
        found = ledger(path)
        left = number

        def counted(_: str) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                kill_self()

        found._connection.set_trace_callback(counted)
        ACTS[name](found)

    kills = 0
    while True:
        path = tmp_path / f"killed {kills}"
        prepared(path)
        if in_child(lambda path=path, number=kills + 1: child(path, number)) != -signal.SIGKILL:  # type: ignore[misc]
            break
        kills += 1
        assert contents(path) == old
        ledger(path).close()  # and it opens
    assert kills >= 3
    assert contents(path) == new


@needs_fork
@forks
def test_a_kill_while_it_is_made_leaves_one_that_opens(tmp_path: Path) -> None:
    def child(path: Path, number: int) -> None:
        connect = sqlite3.connect
        left = number

        def counted(_: str) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                kill_self()

        def watched(*args: object, **more: object) -> sqlite3.Connection:
            connection: sqlite3.Connection = connect(*args, **more)  # type: ignore[call-overload]
            connection.set_trace_callback(counted)
            return connection

        sqlite3.connect = watched  # type: ignore[assignment]
        ledger(path).close()

    kills = 0
    while in_child(lambda number=kills + 1: child(tmp_path / f"{number}", number)) == -signal.SIGKILL:  # type: ignore[misc]
        kills += 1
        bound(tmp_path / f"{kills}").close()
    assert kills >= 10


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_ledger_that_is_gone_or_another_one_lets_nobody_write(tmp_path: Path, is_replaced: bool) -> None:
    path = tmp_path / "first.battle.sync"
    with Ledger(path, "hash") as ledger:
        assert ledger.lease("vtt", "me", 1.0, 10.0) is None
        path.rename(tmp_path / "away")
        if is_replaced:
            with Ledger(path, "hash") as other:  # somebody binds anew at another terminal
                assert other.lease("vtt", "other", 2.0, 10.0) is None
        words = "another ledger" if is_replaced else "the ledger is gone"
        with pytest.raises(BattleFileError, match=words):
            ledger.lease("vtt", "me", 2.0, 10.0)
        assert path.exists() == is_replaced
