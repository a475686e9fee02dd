"""The Platoon Card in Markdown: tables that every reader of it shows, boxes as signs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rallypoint.kernel.encounter import Encounter

from .card import PLATOON_CARD, Block, Card, CardForm, UnitRow, cards
from .card_legend import legend

__all__ = ["card_markdown"]

_EMPTY, _FULL = "\N{BALLOT BOX}", "\N{BALLOT BOX WITH X}"
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")


def card_markdown(encounter: Encounter, form: CardForm = PLATOON_CARD) -> str:
    """Return the cards of an encounter in Markdown.

    Args:
        encounter: whose cards.
        form: what a card leaves room for.
    """
    return "\n".join(line for card in cards(encounter, form) for line in _card(card))


def _plain(words: str) -> str:
    r"""Return text in which no sign has a meaning in Markdown.

    >>> print(_plain("a|b *c*"))
    a\|b \*c\*
    """
    return _SPECIAL.sub(r"\\\1", " ".join(words.split()))


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _table(head: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    yield _row(head)
    yield _row(["---"] * len(head))
    yield from map(_row, rows)
    yield ""


def _card(card: Card) -> Iterator[str]:
    code = f" ({_plain(card.code)})" if card.code else ""
    yield from (f"# {_plain(card.title)}{code}", "")
    yield from (f"{_plain(card.side)}: {len(list(card.units))} units", "")
    for track in card.tracks:
        numbers = [f"**[{each}]**" if each == track.value else str(each) for each in range(track.low, track.high + 1)]
        yield from (f"{_plain(track.name)}: {' '.join(numbers)}", "")
    for block in card.blocks:
        yield from (f"## {_plain(block.name)}", "")
        yield from _block(block, card, named=False)
        for team in block.teams:
            yield from _block(team, card, named=True)
            for deeper in team.teams:
                yield from _block(deeper, card, named=True)
        if card.orders:
            yield from (f"Order to {_plain(block.code or block.title)}: ____________________", "")
        if block.code_words:
            yield from ("Code Words: " + "; ".join(["__________ = __________"] * block.code_words), "")
    if card.form.code_words:
        yield from ("## Code Words that everybody knows", "")
        yield from [f"- **{_plain(word)}**: {_plain(meaning)}" for word, meaning in card.form.code_words]
        yield ""
    if card.weapons:
        columns = list(dict.fromkeys(name for row in card.weapons for name in row.numbers))
        rows = [
            [_plain(row.title), *[_plain(row.shown(name)) for name in columns], _plain(row.text)]
            for row in card.weapons
        ]
        yield from ("## Weapons", "")
        yield from _table(["Weapon", *map(_plain, columns), "What it does"], rows)
    words = "; ".join(f"**{_plain(word)}** {_plain(meaning)}" for word, meaning in legend(card))
    if words:
        yield from (f"{words}.", "")


def _block(block: Block, card: Card, *, named: bool) -> Iterator[str]:
    if not block.units:
        return
    if named:
        vehicle = f" in {_plain(', '.join(block.vehicle))}" if block.vehicle else ""
        yield from (f"### {_plain(block.name)}{vehicle}", "")
        yield from ("Order: ____________________", "") if card.orders else ()
    stats = [card.form.short.get(name, name) for name in card.stats]
    wounds = ["Wounds"] if card.wounds else []
    head = ["Unit", "Class", *map(_plain, stats), *wounds, _plain(card.form.mark), "Armor and weapons"]
    yield from _table(head, [_unit(unit, card) for unit in block.units])


def _unit(unit: UnitRow, card: Card) -> list[str]:
    boxes = _FULL * min(unit.taken, unit.most) + _EMPTY * (unit.most - unit.taken)
    gear = "; ".join(unit.gear)
    stats = [unit.shown(name) for name in card.stats]
    wounds = [boxes or "-"] if card.wounds else []
    return [f"{unit.number} {_plain(unit.name)}", _plain(unit.role), *stats, *wounds, _EMPTY, _plain(gear)]
