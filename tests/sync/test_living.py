"""Whether the holder of a lease is still there: a process that was killed is seen at once, a living one is respected."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rallypoint.kernel.errors import InputError
from rallypoint_sync import living
from rallypoint_sync.ledger import Ledger
from rallypoint_sync.living import has_ended, this_process
from rallypoint_sync.sending import LEASE, take_lease, writer_of

from ..contract.world import Clock

TELLS = (
    "import sys; from rallypoint_sync.living import this_process; print(this_process(), flush=True); sys.stdin.read()"
)
HOLDS = """
import sys
from pathlib import Path
from rallypoint_sync.ledger import Ledger
from rallypoint_sync.living import this_process
with Ledger(Path(sys.argv[1]), "battle") as ledger:
    assert ledger.lease("a", this_process(), float(sys.argv[2]), 120.0) is None
    print("held", flush=True)
    sys.stdin.read()
"""


class Other:
    """Another process, which says a line and waits."""

    def __init__(self, code: str, *arguments: str) -> None:
        command = [sys.executable, "-c", code, *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline().strip()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def kill_unseen(self) -> None:
        """It is dead, and its parent has not asked yet: its number is still taken."""
        self.process.kill()
        os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)


@pytest.fixture
def begin() -> Iterator[Callable[..., Other]]:
    begun: list[Other] = []

    def beginning(code: str, *arguments: str) -> Other:
        begun.append(Other(code, *arguments))
        return begun[-1]

    yield beginning
    for each in begun:
        for pipe in (each.process.stdin, each.process.stdout):
            assert pipe is not None
            pipe.close()
        each.kill()


def test_a_process_that_lives_and_one_that_was_killed(begin: Callable[..., Other]) -> None:
    other = begin(TELLS)
    assert re.fullmatch(rf"process {other.process.pid} \(begun \S+ on [0-9a-f]{{12}}\)", other.said)
    assert not has_ended(other.said)
    other.kill()
    assert has_ended(other.said)


@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="this system does not keep the dead in a list of files"
)
def test_a_dead_process_whose_parent_has_not_asked_is_dead(begin: Callable[..., Other]) -> None:
    other = begin(TELLS)
    other.kill_unseen()
    assert Path(f"/proc/{other.process.pid}").exists()
    assert has_ended(other.said)


def test_a_number_that_was_given_again_is_another_process(begin: Callable[..., Other]) -> None:
    other = begin(TELLS)
    before = re.sub(r"begun \S+", "begun 1", other.said)
    assert has_ended(before)


@pytest.mark.parametrize(
    "change", [(r"on \w+", "on 0123456789ab"), (r"begun \S+", "begun ?"), (r"^process", "program")]
)
def test_what_cannot_be_told_is_respected(change: tuple[str, str], begin: Callable[..., Other]) -> None:
    """A process of another machine, one whose begin is not known, and a holder of another kind."""
    other = begin(TELLS)
    other.kill()
    assert has_ended(other.said)
    assert not has_ended(re.sub(*change, other.said))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no ps")
def test_ps_tells_it_where_there_are_no_files_of_processes(
    begin: Callable[..., Other], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(living, "_begun", living._by_ps)
    code = TELLS.replace("print", "from rallypoint_sync import living; living._begun = living._by_ps; print")
    other = begin(code)
    assert not has_ended(other.said)
    other.kill()
    assert has_ended(other.said)


def test_the_lease_of_a_killed_process_is_taken_at_once(tmp_path: Path, begin: Callable[..., Other]) -> None:
    clock, path = Clock(), tmp_path / "ledger"
    with Ledger(path, "battle") as ledger:
        other = begin(HOLDS, str(path), str(clock.now()))
        assert other.said == "held"
        with pytest.raises(InputError, match=rf"another process writes to this VTT.*process {other.process.pid} "):
            take_lease(ledger, "a", this_process(), clock)
        assert str(writer_of(ledger, "a", clock)).startswith(f"process {other.process.pid} ")
        other.kill()
        assert writer_of(ledger, "a", clock) is None
        take_lease(ledger, "a", this_process(), clock)
        assert clock.waits == []
        assert writer_of(ledger, "a", clock) == this_process()


def test_a_lease_of_another_machine_runs_out(tmp_path: Path) -> None:
    clock = Clock()
    with Ledger(tmp_path / "ledger", "battle") as ledger:
        assert ledger.lease("a", "process 1 (begun 1 on 0123456789ab)", clock.now(), LEASE) is None
        with pytest.raises(InputError, match="another process"):
            take_lease(ledger, "a", "me", clock)
        clock.sleep(LEASE)
        take_lease(ledger, "a", "me", clock)
