"""The headings and tables of a Markdown page, with the lines of every row; block quotes are looked into."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from markdown_it import MarkdownIt

from .markdown import plain

__all__ = ["Heading", "PageTable", "TableRow", "page_parts"]


class Heading(NamedTuple):
    """A heading without its marks; ``line`` counts from 1."""

    text: str
    level: int
    line: int


class TableRow(NamedTuple):
    """The cells of a row as they are written, without marks and links; a row may have more or fewer than its head."""

    cells: tuple[str, ...]
    line: int


class PageTable(NamedTuple):
    """A table; its first row is the head."""

    rows: tuple[TableRow, ...]


_QUOTE = re.compile(r"^\s*(?:>\s?)+")
_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_NOTHING = re.compile("[\u200b\u2060\ufeff\u00ad]")


def page_parts(text: str) -> Iterator[Heading | PageTable]:
    r"""Yield the headings and tables of a page in their order.

    >>> [*page_parts("## **Club**\n> | C | M |\n> | - | - |\n> | [2](/x) | 1 |\n")]
    [Heading(text='Club', level=2, line=1), PageTable(rows=(TableRow(cells=('C', 'M'), line=2), TableRow(cells=('2', '1'), line=4)))]
    """
    text = _NOTHING.sub("", _SPACES.sub(" ", text))
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    markdown = MarkdownIt("commonmark").enable("table")
    links: dict[str, object] = {}
    tokens = markdown.parse(text, links)
    rows: list[TableRow] = []
    for number, token in enumerate(tokens):
        line = token.map[0] + 1 if token.map else 0
        if token.type == "heading_open":
            yield Heading(plain(tokens[number + 1]), int(token.tag[1]), line)
        elif token.type == "tr_open":
            # Markdown fills rows up and cuts them off; what is written counts.
            cells = [markdown.parseInline(cell, links)[0] for cell in _cells(lines[line - 1])]
            rows.append(TableRow(tuple([plain(cell) for cell in cells]), line))
        elif token.type == "table_close":
            yield PageTable(tuple(rows))
            rows = []


def _cells(line: str) -> list[str]:
    """Return the cells of a line; a bar behind a backslash is a sign like others."""
    line = _QUOTE.sub("", line).strip()
    line = line.removeprefix("|")
    line = line[:-1] if line.endswith("|") and not line.endswith("\\|") else line
    return [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", line)]
