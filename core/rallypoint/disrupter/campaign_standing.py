"""How a campaign stands: who holds which slot, who is in reserve, what was fought; and its text form (D-GM-3 to D-GM-7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from rallypoint.kernel.canonical import canonical, parse
from rallypoint.kernel.errors import InputError, StateError

__all__ = ["RESERVE", "Campaign", "Ending", "Fought", "check_open", "ending", "is_of", "read", "slot_of", "verdict"]

RESERVE = ".reserve"
"""What the uid of a person of the Reserve ends with; before it stands the slot whose class and gear he has."""


class Fought(NamedTuple):
    """One battle of a campaign.

    ``battle`` is what its file is called and ``hash`` that of the state in which it ended; ``winner`` is a side or ``draw``, ``turn``
    the last one, ``fates`` what became of whom, by uid. ``holders`` and ``reserves`` are those before the battle.
    """

    battle: str
    hash: str
    winner: str
    turn: int
    fates: Mapping[str, str]
    holders: Mapping[str, str | None]
    reserves: Mapping[str, str]


class Campaign(NamedTuple):
    """How a campaign stands.

    By slot: ``sides`` says whose it is, ``kinds`` what its unit was when the campaign began (class, armour, weapons, stats),
    ``holders`` the uid of who holds it, ``None`` where he died and nobody has come. ``reserves`` maps each person in reserve
    to the slot whose class and gear he has. ``wins`` is how many battles win the campaign, ``conceded`` the side that gave up.
    """

    key: str
    wins: int
    sides: Mapping[str, str]
    kinds: Mapping[str, str]
    holders: Mapping[str, str | None]
    reserves: Mapping[str, str]
    fought: tuple[Fought, ...] = ()
    conceded: str | None = None

    def to_text(self) -> str:
        """Return the canonical text; :func:`read` reads it back."""
        return canonical({"campaign": 1, **self._asdict(), "fought": [each._asdict() for each in self.fought]})


def slot_of(campaign: Campaign, person: str) -> str:
    """Return the slot whose class and gear a person has: his own, or for one of the Reserve that which he is like."""
    return person if person in campaign.sides else person.removesuffix(RESERVE)


def is_of(campaign: Campaign, slot: str, *classes: str) -> bool:
    """Say whether the unit of a slot is of one of these classes."""
    return campaign.kinds[slot].partition(",")[0] in classes


class Ending(NamedTuple):
    """How a campaign ended: the side that has won or ``draw``, and why, in a few words."""

    winner: str
    why: str


def ending(campaign: Campaign) -> Ending | None:
    """Return how a campaign ended, ``None`` while it goes on (D-GM-3, D-GM-7).

    A side wins by the agreed number of battles, or when the other gives up or has no Officer left in its force and Reserve: it
    would surrender every battle at once (D-R9.7).
    """
    names = sorted(set(campaign.sides.values()))
    if campaign.conceded is not None:
        winner = next(name for name in names if name != campaign.conceded)
        return Ending(winner, f"{campaign.conceded} gave up (D-GM-7)")
    for name in names:
        if sum(each.winner == name for each in campaign.fought) >= campaign.wins:
            return Ending(name, f"the agreed wins, {campaign.wins} (D-GM-3)")
    people = [slot_of(campaign, uid) for uid in (*campaign.holders.values(), *campaign.reserves) if uid is not None]
    led = {campaign.sides[slot] for slot in people if is_of(campaign, slot, "CO", "NCO")}
    lost = [name for name in names if name not in led]
    if not lost:
        return None
    winner = "draw" if len(lost) > 1 else next(name for name in names if name in led)
    return Ending(winner, f"no Officer is left to {' and '.join(lost)} (D-R9.7, D-GM-7)")


def verdict(campaign: Campaign) -> str | None:
    """Return the side that has won, ``draw``, or ``None`` while the campaign goes on; see :func:`ending`."""
    found = ending(campaign)
    return None if found is None else found.winner


def check_open(campaign: Campaign) -> None:
    """Refuse what cannot be done once a campaign is over.

    Raises:
        InputError: it is.
    """
    found = ending(campaign)
    if found is not None:
        said = "a draw" if found.winner == "draw" else f"{found.winner} has won"
        raise InputError("this campaign is over", where=campaign.key, found=f"{said}: {found.why}")


def read(text: str) -> Campaign:
    """Return the campaign that :meth:`Campaign.to_text` wrote.

    Raises:
        StateError: this is none, or of another version, or somebody has changed it so that it does not fit together.
    """
    document: Any = parse(text, "campaign")
    if not isinstance(document, Mapping) or document.get("campaign") != 1:
        raise StateError("this is not a campaign of version 1", found=text[:40])
    fields: dict[str, Any] = {name: value for name, value in document.items() if name != "campaign"}
    try:
        campaign = Campaign(**{**fields, "fought": tuple([Fought(**row) for row in fields["fought"]])})
    except (KeyError, TypeError) as error:
        raise StateError("this campaign does not fit together", found=repr(error)) from None
    for wrong in _wrong(campaign):
        raise StateError("this campaign does not fit together", found=wrong)
    return campaign


def _wrong(campaign: Campaign) -> Iterator[str]:
    """Yield what does not fit together; each part is looked at only if those before it are as they should be."""
    if not (_are_texts({"key": campaign.key}) and _is_count(campaign.wins) and campaign.wins):
        yield f"key {campaign.key!r}, wins {campaign.wins!r}"
    for name in ("sides", "kinds", "holders", "reserves"):
        if not _are_texts(getattr(campaign, name), holes=name == "holders"):
            yield f"{name} does not map texts to texts"
    if len(set(campaign.sides.values())) != 2:
        yield f"{len(set(campaign.sides.values()))} sides"
    if not set(campaign.sides) == set(campaign.kinds) == set(campaign.holders):
        yield "sides, kinds and holders have not the same slots"
    if campaign.conceded is not None and campaign.conceded not in campaign.sides.values():
        yield f"conceded by {campaign.conceded!r}"
    yield from _wrong_people(campaign)
    for number, fought in enumerate(campaign.fought, 1):
        if not _is_fought(campaign, fought):
            yield f"battle {number} of those that were fought"


def _wrong_people(campaign: Campaign) -> Iterator[str]:
    people = [*[uid for uid in campaign.holders.values() if uid is not None], *campaign.reserves]
    for uid in people:
        if people.count(uid) > 1:
            yield f"{uid} twice"
        if slot_of(campaign, uid) not in campaign.sides or campaign.reserves.get(
            uid, slot_of(campaign, uid)
        ) != slot_of(campaign, uid):
            yield f"{uid}, who has nobody's class and gear"


def _is_fought(campaign: Campaign, fought: Fought) -> bool:
    return (
        all(isinstance(text, str) for text in (fought.battle, fought.hash, fought.winner))
        and fought.winner in {*campaign.sides.values(), "draw"}
        and _is_count(fought.turn)
        and _are_texts(fought.fates)
        and _are_texts(fought.holders, holes=True)
        and set(fought.holders) == set(campaign.sides)
        and _are_texts(fought.reserves)
    )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _are_texts(rows: object, *, holes: bool = False) -> bool:
    return isinstance(rows, Mapping) and all(
        isinstance(value, str) or (holes and value is None) for value in rows.values()
    )
