"""The Platoon Card as HTML: a page that prints on A4 and Letter without a script or another file, and as a fragment."""

from __future__ import annotations

from collections.abc import Iterator

from rallypoint.kernel.encounter import Encounter, Page

from .card import PLATOON_CARD, Block, Card, CardForm, UnitRow, cards
from .card_legend import legend
from .svg import escaped as e

__all__ = ["card_document", "card_fragment", "card_pages"]

_EMPTY, _FULL = "\N{BALLOT BOX}", "\N{BALLOT BOX WITH X}"

_STYLE = """
@page { margin: 10mm%(size)s }
* { box-sizing: border-box }
h1, h2, p { overflow-wrap: anywhere }
body { font: 8.5pt/1.2 "DejaVu Sans", Verdana, Arial, Helvetica, sans-serif; color: #1a1a1a; background: #ffffff;
  margin: 0 auto; max-width: 196mm; padding: 4mm }
h1 { font-size: 15pt; margin: 0 0 1mm }
h2 { font-size: 10.5pt; margin: 2.2mm 0 0.8mm; border-bottom: 0.5mm solid #1a1a1a; break-after: avoid }
p { margin: 0 0 1mm }
table { border-collapse: collapse; width: 99.7%%; margin: 0 0 1mm }
th, td { border: 0.2mm solid #595959; padding: 0.4mm 1.2mm; text-align: left; vertical-align: top }
th { background: #ececec; font-weight: bold }
tbody th { background: #f6f6f6 }
td.number, th.number { text-align: center }
table.units { table-layout: fixed } table.units th, table.units td { overflow-wrap: anywhere }
th.unit { width: 19%% } th.role { width: 9%% } th.stat { width: 4.5%% } th.wounds { width: 11%% } th.mark { width: 9%% }
td.order { height: 5.8mm; color: #595959; font-size: 7.5pt }
table.code-words td { height: 6.5mm; width: 25%% }
table.track { table-layout: fixed } table.track td, table.track th { text-align: center; padding: 0.5mm 0 }
table.track th:first-child { width: 17mm }
p.legend { font-size: 7pt; color: #404040 }
td.here { background: #1a1a1a; color: #ffffff; font-weight: bold }
.boxes { font-size: 11pt; line-height: 0.95; overflow-wrap: anywhere }
section.card { break-after: page } section.card:last-child { break-after: auto }
section.squad { break-inside: avoid } tbody { break-inside: avoid }
@media print { body { padding: 0; max-width: none } * { print-color-adjust: exact; -webkit-print-color-adjust: exact } }
"""


def card_document(encounter: Encounter, form: CardForm = PLATOON_CARD, *, paper: str | None = None) -> str:
    """Return the cards of an encounter as an HTML document.

    Args:
        encounter: whose cards.
        form: what a card leaves room for.
        paper: ``A4`` or ``Letter``; ``None`` leaves the size to the printer.
    """
    size = "" if paper is None else f"; size: {e(paper)}"
    sections = "\n".join(
        f'<section class="card">\n{card_fragment(card)}\n</section>' for card in cards(encounter, form)
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{e(encounter.title)}: Platoon Card</title>\n'
        f"<style>{_STYLE % {'size': size}}</style>\n</head>\n<body>\n{sections}\n</body>\n</html>\n"
    )


def card_pages(encounter: Encounter, form: CardForm = PLATOON_CARD) -> tuple[Page, ...]:
    """Return each card as a page for an exporter: a fragment that can be read without any style.

    Where two platoons have one title, their sides tell the pages apart.
    """
    made = cards(encounter, form)
    titles = [card.title for card in made]
    return tuple(
        [
            Page(
                f"card-{card.uid}",
                f"Platoon Card: {card.title}" + (f" ({card.side})" if titles.count(card.title) > 1 else ""),
                card_fragment(card),
            )
            for card in made
        ]
    )


def card_fragment(card: Card) -> str:
    """Return one card as HTML without head and body."""
    return "\n".join(_card(card))


def _card(card: Card) -> Iterator[str]:
    code = f" ({e(card.code)})" if card.code else ""
    yield f"<h1>{e(card.title)}{code}</h1>"
    units = list(card.units)
    yield f"<p>{e(card.side)}: {len(units)} units. Date: ________________ Opponent: ________________ Rally Points: ________________</p>"
    for track in card.tracks:
        cells = "".join(
            f'<td class="here"><b>[{number}]</b></td>' if number == track.value else f"<td>{number}</td>"
            for number in range(track.low, track.high + 1)
        )
        yield f'<table class="track"><tbody><tr><th>{e(track.name)}</th>{cells}</tr></tbody></table>'
    for block in card.blocks:
        yield from _squad(block, card)
    yield from _foot(card)


def _squad(block: Block, card: Card) -> Iterator[str]:
    yield f'<section class="squad">\n<h2>{e(block.name)}</h2>'
    yield '<table class="units"><thead>' + _head(card) + "</thead>"
    if block.units:
        yield from _rows(block, card, None)
    for team in block.teams:
        yield from _rows(team, card, team)
        for deeper in team.teams:
            yield from _rows(deeper, card, deeper)
    yield "</table>"
    if block.code_words:
        cells = "".join('<td class="order">Code Word:</td>' for _ in range(block.code_words))
        yield f'<table class="code-words"><tbody><tr>{cells}</tr></tbody></table>'
    if card.orders:
        yield f'<table><tbody><tr><td class="order">Order to {e(block.code or block.title)}:</td></tr></tbody></table>'
    yield "</section>"


def _head(card: Card) -> str:
    short = card.form.short
    stats = "".join(f'<th class="number stat">{e(short.get(name, name))}</th>' for name in card.stats)
    wounds = f'<th class="wounds">{e(short.get("Wounds", "Wounds"))}</th>' if card.wounds else ""
    mark = f'<th class="number mark">{e(card.form.mark)}</th>'
    first = '<th class="unit">Unit</th><th class="role">Class</th>'
    return f'<tr>{first}{stats}{wounds}{mark}<th class="gear">Armor and weapons</th></tr>'


def _columns(card: Card) -> int:
    return 4 + card.wounds + len(card.stats)


def _rows(block: Block, card: Card, team: Block | None) -> Iterator[str]:
    """Yield the rows of the units of a team, under a row with its name and room for its Order."""
    yield "<tbody>"
    if team is not None:
        vehicle = f" in {e(', '.join(team.vehicle))}" if team.vehicle else ""
        wide = 2 if card.orders else _columns(card)
        yield f'<tr><th class="team" colspan="{wide}">{e(team.name)}{vehicle}</th>'
        yield (f'<td class="order" colspan="{_columns(card) - wide}">Order:</td>' if card.orders else "") + "</tr>"
    for unit in block.units:
        yield _unit(unit, card)
    yield "</tbody>"


def _unit(unit: UnitRow, card: Card) -> str:
    stats = "".join(f'<td class="number">{unit.shown(name)}</td>' for name in card.stats)
    gear = "<br>".join(map(e, unit.gear))
    boxes = _FULL * min(unit.taken, unit.most) + _EMPTY * (unit.most - unit.taken)
    wounds = f'<td class="boxes">{boxes}</td>' if card.wounds else ""
    return (
        f'<tr data-uid="{e(unit.uid)}"><td class="unit">{unit.number} {e(unit.name)}</td><td>{e(unit.role)}</td>{stats}{wounds}'
        f'<td class="number"><span class="boxes">{_EMPTY}</span></td><td class="gear">{gear}</td></tr>'
    )


def _foot(card: Card) -> Iterator[str]:
    if card.form.code_words:
        yield "<h2>Code Words that everybody knows</h2>"
        yield "<p>" + "; ".join(f"<b>{e(word)}</b>: {e(meaning)}" for word, meaning in card.form.code_words) + ".</p>"
    if card.weapons:
        yield from _weapons(card)
    words = "; ".join(f"<b>{e(word)}</b> {e(meaning)}" for word, meaning in legend(card))
    if words:
        yield f'<p class="legend">{words}.</p>'


def _weapons(card: Card) -> Iterator[str]:
    columns = list(dict.fromkeys(name for row in card.weapons for name in row.numbers))
    yield '<section class="squad">\n<h2>Weapons</h2>'
    heads = "".join(f'<th class="number">{e(name)}</th>' for name in columns)
    yield f"<table><thead><tr><th>Weapon</th>{heads}<th>What it does</th></tr></thead><tbody>"
    for row in card.weapons:
        cells = "".join(f'<td class="number">{e(row.shown(name))}</td>' for name in columns)
        yield f"<tr><td>{e(row.title)}</td>{cells}<td>{e(row.text)}</td></tr>"
    yield "</tbody></table>\n</section>"
