"""Links that get no answer, come twice, or are for a unit that has a token: nobody stands on two tokens, and no link is lost."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from rallypoint.kernel.errors import InputError
from rallypoint.kernel.plugins.opening import open_battle
from rallypoint_owlbear.link.encounters import open_scene
from rallypoint_owlbear.link.joining import Chosen, bind_open_scene, bind_what_came
from rallypoint_owlbear.link.link import Link
from rallypoint_owlbear.link.placing import items_of
from rallypoint_owlbear.link.seat import RoomSeat
from rallypoint_owlbear.link.transport import VTT, OwlbearTransport
from rallypoint_owlbear.stands import RECORD_KEY
from rallypoint_sync.ledger import Ledger, ledger_path
from rallypoint_sync.transport import DoubtfulError

from ..cli.battles import said
from .room import Direct, Item, Page, Room, entry_of
from .test_commands import OURS, _prepared

NCO, MARINE = "red.small-1A-1-1", "red.small-1A-2-1"


class Joint:
    """A battle before a room, without a network; time passes when somebody waits."""

    def __init__(self, folder: Path, export: Path) -> None:
        shutil.copy(_prepared() / "first.battle", folder / "first.battle")
        self.now = 0.0
        self.room = Room()
        self.link = Link(lambda: self.now, lambda _lock, seconds: self.wait(seconds))
        self.page = Page(self.room)
        Direct(self.link, self.page).connect()
        scene, zero, _ = open_scene(self.link)
        assert zero is not None
        OwlbearTransport(self.link, scene, ()).place(items_of(export, zero).items)
        self.opened = open_battle(folder / "first.battle")
        self.ledger = Ledger(ledger_path(folder / "first.battle"), self.opened.battle.history.entries[0].hash)
        self.seat = RoomSeat(self.opened, self.ledger, self.link)
        bind_open_scene(self.seat, self.link, Chosen())

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.page.say("lease")

    def own(self, name: str) -> None:
        item: Item = {"id": name, "name": name, "position": {"x": 0, "y": 0}, "metadata": {}}
        self.room.change(lambda items: items.update({name: item}))

    def link_to(self, item: str, uid: str | None) -> None:
        self.page.say("link", item=item, uid=uid)

    def tokens(self) -> dict[str, str | None]:
        """Who has which token, as the popover shows it."""
        self.link.say(**self.seat.status())
        return {row["uid"]: row["item"] for row in self.page.status["roster"] if "wounds" in row}

    def bound_on(self, item: str) -> set[str]:
        """Of whom values are bound to a token."""
        bound = [each for each in self.ledger.bindings(VTT) if each.carrier.document == item]
        return {field.uid for each in bound for field in each.fields}


def joint(folder: Path, export: Path) -> Iterator[Joint]:
    made = Joint(folder, export)
    with made.opened.battle, made.ledger:
        yield made


@pytest.fixture
def units(tmp_path: Path) -> Iterator[Joint]:
    """Each unit has a token."""
    yield from joint(tmp_path, _prepared() / "export" / "encounter.owlbear.json")


@pytest.fixture
def teams(tmp_path: Path) -> Iterator[Joint]:
    """Each team has a token."""
    said("export", "owlbear", str(_prepared() / "fight.toml"), "-o", str(tmp_path / "teams"))
    yield from joint(tmp_path, tmp_path / "teams" / "encounter.owlbear.json")


@pytest.mark.parametrize("fault", ["lost request", "lost answer"])
def test_a_link_without_an_answer_is_kept_and_done_with_the_next(units: Joint, fault: str) -> None:
    token = units.tokens()[OURS]
    assert token is not None
    units.link_to(token, None)
    bind_what_came(units.seat, units.link)
    units.own("own")
    units.page.faults = [fault]
    units.link_to("own", OURS)
    with pytest.raises(DoubtfulError):
        bind_what_came(units.seat, units.link)
    assert units.tokens()[OURS] is None
    bind_what_came(units.seat, units.link)
    assert units.tokens()[OURS] == "own"
    assert not units.link.links()


def test_what_is_typed_into_a_token_before_its_link_is_put_there_again_stays(units: Joint) -> None:
    """The link was on it, and no answer had come: the second time it wrote over what the GM had typed in between."""
    token = units.tokens()[OURS]
    assert token is not None
    units.link_to(token, None)
    bind_what_came(units.seat, units.link)
    units.own("own")
    units.page.faults = ["lost answer"]
    units.link_to("own", OURS)
    with pytest.raises(DoubtfulError):
        bind_what_came(units.seat, units.link)
    wounds = f"rallypoint-wounds-{OURS}"
    units.room.set("own", wounds, 2)
    bind_what_came(units.seat, units.link)
    assert entry_of(units.room.items["own"], wounds)["value"] == 2
    assert units.tokens()[OURS] == "own"
    units.link_to("own", OURS)  # a click too many
    bind_what_came(units.seat, units.link)
    assert entry_of(units.room.items["own"], wounds)["value"] == 2
    units.link_to("own", None)
    bind_what_came(units.seat, units.link)
    units.link_to("own", OURS)  # nobody's number in between: it gets that of the battle
    bind_what_came(units.seat, units.link)
    assert entry_of(units.room.items["own"], wounds)["value"] == 0


@pytest.mark.parametrize("fault", ["lost request", "lost answer"])
def test_a_token_that_goes_to_another_without_an_answer_is_never_that_of_two(units: Joint, fault: str) -> None:
    mine, theirs = units.tokens()[OURS], units.tokens()[NCO]
    assert mine is not None
    assert theirs is not None
    units.link_to(theirs, None)
    bind_what_came(units.seat, units.link)
    units.page.faults = [fault]
    units.link_to(mine, NCO)
    with pytest.raises(DoubtfulError):
        bind_what_came(units.seat, units.link)
    units.link.forget_links(units.link.links())  # the server was started anew: only the record on the token tells
    bind_open_scene(units.seat, units.link, Chosen())
    held = units.tokens()
    assert (held[OURS], held[NCO]) == ((None, mine) if fault == "lost answer" else (mine, None))
    assert len(units.bound_on(mine) - {"red.small"}) == 1


def test_a_unit_that_has_a_token_gets_no_second_one(units: Joint) -> None:
    token = units.tokens()[OURS]
    units.own("own")
    units.link_to("own", OURS)
    with pytest.raises(InputError, match="has a token already"):
        bind_what_came(units.seat, units.link)
    assert units.tokens()[OURS] == token
    assert RECORD_KEY not in units.room.items["own"]["metadata"]
    assert not units.link.links()


def test_of_two_tokens_for_one_unit_the_first_holds(units: Joint) -> None:
    token = units.tokens()[OURS]
    assert token is not None
    units.link_to(token, None)
    for name in ("one", "two"):  # two GMs at once
        units.own(name)
        units.link_to(name, OURS)
    with pytest.raises(InputError, match=r"two: .*has a token already"):
        bind_what_came(units.seat, units.link)
    assert units.tokens()[OURS] == "one"
    assert RECORD_KEY not in units.room.items["two"]["metadata"]


def test_two_units_change_places_on_their_tokens(units: Joint) -> None:
    mine, theirs = units.tokens()[OURS], units.tokens()[NCO]
    assert mine is not None
    assert theirs is not None
    units.link_to(mine, NCO)
    units.link_to(theirs, OURS)
    bind_what_came(units.seat, units.link)
    assert (units.tokens()[OURS], units.tokens()[NCO]) == (theirs, mine)
    assert (units.bound_on(mine), units.bound_on(theirs)) == ({"red.small", NCO}, {"red.small", OURS})


@pytest.mark.parametrize("uid", [MARINE, OURS])
def test_the_token_of_a_team_that_is_linked_to_a_unit_stands_for_that_one_alone(teams: Joint, uid: str) -> None:
    token, other = teams.tokens()[OURS], teams.tokens()[MARINE]
    assert token is not None
    assert other is not None
    for each in (token, other):
        teams.link_to(each, None)
    bind_what_came(teams.seat, teams.link)
    teams.link_to(token, uid)
    bind_what_came(teams.seat, teams.link)
    assert [each for each, item in teams.tokens().items() if item == token] == [uid]
    assert teams.bound_on(token) == {"red.small", uid}


def test_the_token_of_a_team_that_goes_to_one_of_it_lets_go_of_the_others(teams: Joint) -> None:
    token = teams.tokens()[OURS]
    assert token is not None
    teams.link_to(token, OURS)
    bind_what_came(teams.seat, teams.link)
    assert teams.bound_on(token) == {"red.small", OURS}
    assert "red.small-0A-1-1" not in [each for each, item in teams.tokens().items() if item == token]
