"""O27, O28, O29: what a browser does with a room at a public address that frames a program on this device.

Chromium is told that the room is public; what it asks people is chosen for them, since nobody sees its question here.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .browser import Browser, BrowserError, Room
from .program import Program
from .requirements import BUNDLE, chromium_path, need
from .table import Table
from .tokens import token

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""A browser that ends leaves connections half closed, which the server's loop ends without."""

SETTING = "loopback-network"
"""What *Apps on device* is called inside."""
STATE = "(name) => navigator.permissions.query({ name }).then(({ state }) => state, () => 'unknown')"


@pytest.fixture
def public() -> Iterator[Browser]:
    """A browser of its own for each test: one that was asked, and whom nobody answered, does not ask again."""
    need()
    path = chromium_path()
    assert path is not None
    found = Browser(path, public=True)
    yield found
    found.close()


@pytest.fixture
def program(public: Browser) -> Iterator[Program]:
    found = Program(BUNDLE, (public.origin,))
    yield found
    found.stop()


@pytest.fixture
def room(public: Browser, program: Program) -> Iterator[Room]:
    found = public.open()
    if found.run(STATE, SETTING) != "prompt":
        found.close()
        pytest.skip("this Chromium does not ask for apps on this device")
    yield found
    errors = found.errors()
    found.close()
    assert errors == []


@pytest.mark.parametrize("is_denied", [False, True])
def test_o28_until_it_is_allowed_nothing_of_the_program_is_reached(
    room: Room, program: Program, is_denied: bool
) -> None:
    """It looks as if no program ran: that is what the popover and docs/owlbear-live.md say to look at first."""
    room.expected_errors = ["loopback", "/manifest.json"]
    if is_denied:
        room.choose(SETTING, "denied")
    assert room.run(STATE, SETTING) == ("denied" if is_denied else "prompt")
    with pytest.raises(BrowserError, match="fetch"):
        room.enter(program)
    assert program.link.standing().pages == 0


def test_once_it_is_allowed_all_goes_as_ever(room: Room, program: Program) -> None:
    room.choose(SETTING, "granted")
    assert room.run(STATE, SETTING) == "granted"
    table = Table(room, program, [token("u1")])
    table.set(("u1", 2))
    assert table.shown() == {"u1": 2}
    popover = table.tab.open_popover()
    popover.until("() => document.querySelector('.state')?.innerText.startsWith('Linked.')")
