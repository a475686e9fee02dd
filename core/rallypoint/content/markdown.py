"""A Markdown page as a flat list of blocks with their lines; what a block means is for the reader to say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from rallypoint.kernel.errors import InputError

from .attributes import Attributed, split_attributes

__all__ = ["Block", "blocks", "plain"]


class Block(NamedTuple):
    """One piece of a page.

    ``kind``: a ``heading`` (``level`` 1 to 6), an item of a ``bullet`` or a ``numbered`` list, ``prose``, or one line that
    Markdown does not read as text (``hidden`` in code or HTML, a ``comment``). ``text`` has no marks, links or line ends;
    ``line`` counts from 1. ``attributes`` stand in braces at the end of a heading or an item: ``{id=raven-7}``;
    ``wrong`` says what is too much there.
    """

    kind: Literal["heading", "bullet", "numbered", "prose", "hidden", "comment"]
    line: int
    text: str
    level: int = 0
    attributes: Mapping[str, object] = MappingProxyType({})
    wrong: str | None = None


# Spaces that people paste without seeing them, and marks that have no width at all.
_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_NOTHING = re.compile("[\u200b\u2060\ufeff\u00ad]")
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]+\]")
_LINK = "\0"  # no sign of a page: Markdown has taken them out


def blocks(text: str) -> Iterator[Block]:
    r"""Yield the blocks of a page in order.

    >>> [block[:3] for block in blocks("## **Team A**\n* 1 CO - [Armor](/a), `Revolver`")]
    [('heading', 1, 'Team A'), ('bullet', 2, '1 CO - Armor, Revolver')]
    """
    text = _NOTHING.sub("", _SPACES.sub(" ", text))
    lists: list[Literal["bullet", "numbered"]] = []
    level, item = 0, 0  # the heading we are in; the line of the list item whose text has not come yet
    markdown = MarkdownIt("commonmark")
    links: dict[str, object] = {}
    for token in markdown.parse(text, links):
        line = token.map[0] + 1 if token.map else 0
        if token.type in ("bullet_list_open", "ordered_list_open"):
            lists.append("bullet" if token.type.startswith("bullet") else "numbered")
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            lists.pop()
        elif token.type == "heading_open":
            level = int(token.tag[1])
        elif token.type == "heading_close":
            level = 0
        elif token.type == "list_item_open":
            item = line
        elif token.type == "list_item_close":
            if item:
                yield Block(lists[-1], item, "")
            item = 0
        elif token.type == "inline":
            kind: Literal["heading", "bullet", "numbered", "prose"] = "prose"
            if level:
                kind = "heading"
            elif item:
                kind = lists[-1]
            item = 0
            # What stands in quotes must come out as it was written, so the braces are taken off before marks are read.
            try:
                rest = Attributed(token.content, {}) if kind == "prose" else split_attributes(token.content)
            except InputError as error:
                yield Block(kind, line, "", level, wrong=str(error.found))
                continue
            if rest.attributes:
                token = markdown.parseInline(rest.text, links)[0]
            yield Block(kind, line, plain(token), level, rest.attributes)
        elif token.content and token.type in ("fence", "code_block", "html_block"):
            yield from _hidden(token, line)


def plain(token: Token) -> str:
    """Return the text of an inline token without marks, links and line ends; the marks of footnotes are no part of it."""
    parts: list[str] = []
    note = False  # in a footnote's mark that Markdown took for a link, because its note stands below
    for child in token.children or ():
        if child.type == "link_close":
            note = False
        elif child.type == "text":
            note = note or (bool(parts) and parts[-1] == _LINK and child.content.startswith("^"))
            parts.append("" if note else _FOOTNOTE.sub("", child.content))
        elif child.type in ("code_inline", "image"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type == "link_open":
            parts.append(_LINK)
    return re.sub(r"\s+", " ", "".join(parts).replace(_LINK, "")).strip()


def _hidden(token: Token, line: int) -> Iterator[Block]:
    comment = token.type == "html_block" and token.content.lstrip().startswith("<!--")
    first = line + (token.type == "fence")  # the fence itself is a line of its own
    for number, row in enumerate(token.content.split("\n"), first):
        if row.strip():
            yield Block("comment" if comment else "hidden", number, row.strip())
