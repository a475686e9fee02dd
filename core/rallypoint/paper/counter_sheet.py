"""All counters on pages for print, with cutting marks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from .counters import Counter
from .look import INK, PAPER
from .svg import Drawing, element, escaped, group, text

__all__ = ["PAPERS", "Laid", "counter_pages", "counter_sheet", "laid_out"]

PAPERS: Mapping[str, tuple[float, float]] = MappingProxyType({"a4": (210.0, 297.0), "letter": (215.9, 279.4)})
"""Width and height of the papers in millimetres."""

_MARGIN = 12.0
_HEAD = 8.0
_GAP = 5.0
_MARK = 2.0


class Laid(NamedTuple):
    """Where a counter lies on its page: the middle, in millimetres from the top left of the paper."""

    page: int
    x: float
    y: float
    counter: Counter


def laid_out(counters: Iterable[Counter], paper: str) -> list[Laid]:
    """Return a place for every counter: stands first, then figures, row by row, as many a row as there is room for."""
    width, height = PAPERS[paper]
    page, x, y, row = 0, _MARGIN, _MARGIN + _HEAD, 0.0
    laid = []
    kind: str | None = None
    for counter in sorted(counters, key=lambda each: each.kind != "stand"):
        if kind not in (None, counter.kind) or x + counter.width > width - _MARGIN:
            x, y, row = _MARGIN, y + row + _GAP, 0.0
        if y + counter.height > height - _MARGIN:
            page, x, y, row = page + 1, _MARGIN, _MARGIN + _HEAD, 0.0
        laid.append(Laid(page, x + counter.width / 2, y + counter.height / 2, counter))
        x, row, kind = x + counter.width + _GAP, max(row, counter.height), counter.kind
    return laid


def counter_pages(counters: Iterable[Counter], title: str, paper: str = "a4") -> list[str]:
    """Return the pages as SVG, each as large as the paper.

    Args:
        counters: what to print.
        title: stands at the head of every page.
        paper: ``a4`` or ``letter``.
    """
    laid = laid_out(counters, paper)
    count = laid[-1].page + 1 if laid else 0
    return [_page([each for each in laid if each.page == page], title, paper, page, count) for page in range(count)]


def _page(laid: Sequence[Laid], title: str, paper: str, page: int, count: int) -> str:
    width, height = PAPERS[paper]
    drawing = Drawing(width, height, f"{title}: counters, page {page + 1}")
    drawing.add(element("rect", width=width, height=height, fill=PAPER))
    head = f"{title}: page {page + 1} of {count}. Print at 100 %: this line is 50 mm long."
    drawing.add(text(head, _MARGIN, _MARGIN, 3.6, most=width - 2 * _MARGIN - 55, least=2.4, anchor="start", fill=INK))
    drawing.add(_line(width - _MARGIN - 50, _MARGIN - 1.2, width - _MARGIN, _MARGIN - 1.2, 0.4))
    drawing.add(group([mark for each in laid for mark in _cutting_marks(each)], id="cutting-marks"))
    for each in laid:
        drawing.add(group([each.counter.parts], transform=f"translate({each.x:.3f} {each.y:.3f})"))
    return drawing.svg()


def _cutting_marks(laid: Laid) -> Iterator[str]:
    """Yield eight short lines that point at the corners of the counter's rectangle from outside."""
    left, right = laid.x - laid.counter.width / 2, laid.x + laid.counter.width / 2
    top, bottom = laid.y - laid.counter.height / 2, laid.y + laid.counter.height / 2
    for x in (left, right):
        yield _line(x, top - _MARK, x, top - 0.3)
        yield _line(x, bottom + 0.3, x, bottom + _MARK)
    for y in (top, bottom):
        yield _line(left - _MARK, y, left - 0.3, y)
        yield _line(right + 0.3, y, right + _MARK, y)


def _line(x1: float, y1: float, x2: float, y2: float, width: float = 0.15) -> str:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=INK, stroke_width=width)


def counter_sheet(counters: Iterable[Counter], title: str, paper: str = "a4") -> str:
    """Return all pages as one HTML document that prints true to size: no script, no other file."""
    width, height = PAPERS[paper]
    pages = "\n".join(f'<div class="page">{page}</div>' for page in counter_pages(counters, title, paper))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{escaped(title)}: counters</title>
<style>
@page {{ size: {width:g}mm {height:g}mm; margin: 0 }}
body {{ margin: 0; background: #ffffff; color: {INK} }}
.page {{ width: {width:g}mm; height: {height:g}mm; overflow: hidden; break-after: page; print-color-adjust: exact;
  -webkit-print-color-adjust: exact }}
.page:last-child {{ break-after: auto }}
.page svg {{ display: block }}
</style>
</head>
<body>
{pages}
</body>
</html>
"""
