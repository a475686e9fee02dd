"""``rallypoint card``: the Platoon Card as HTML, Markdown or PDF."""

from __future__ import annotations

from pathlib import Path

import click

from rallypoint.kernel.errors import InputError

from .chosen_rules import OPTION, RULES
from .command_line import Invocation, PlainHelp
from .game_choice import chosen_game
from .muster import CONTENT
from .scenario import brought_by, write_one

__all__ = ["card"]

_KINDS = (".html", ".htm", ".md", ".pdf")


@click.command(cls=PlainHelp)
@click.argument("file")
@click.option("-o", "--out", metavar="FILE", required=True, help="The card: .html, .md or .pdf.")
@click.option("--paper", type=click.Choice(["a4", "letter"]), help="Fix the size of the paper.  [PDF: a4]")
@click.option("--font", metavar="FILE", help="For a PDF: a TrueType or OpenType font to write with.")
@CONTENT
@RULES
@OPTION
@click.option("--with-optional", is_flag=True, help="Take the optional squads of a roster too.")
@click.option("--side", type=click.Choice(["red", "blue"]), default="red", show_default=True, help="For a roster.")
@click.option("--dry-run", is_flag=True, help="Say what would be written, and write nothing.")
@click.option("--game", metavar="NAME", help="The game, if more than one is installed.")
@click.pass_obj
def card(
    invocation: Invocation,
    file: str,
    out: str,
    paper: str | None,
    font: str | None,
    packs: tuple[str, ...],
    preset: str | None,
    options: tuple[str, ...],
    with_optional: bool,
    side: str,
    dry_run: bool,
    game: str | None,
) -> None:
    """Write the Platoon Card of a roster, or one for each side of a scenario.

    HTML prints on any paper and needs no other file; a PDF needs fpdf2.

    Example: rallypoint card my-platoon.md -o card.html
    """
    suffix = Path(out).suffix.casefold()
    if suffix not in _KINDS:
        raise InputError("a card of this kind cannot be written", path=out, expected=".html, .md or .pdf")
    if font is not None and suffix != ".pdf":
        raise InputError(
            "--font is for a PDF", path=out, expected="-o FILE.pdf", hint="HTML takes the reader's own fonts"
        )
    if Path(out).exists() and Path(file).exists() and Path(out).samefile(file):
        raise InputError(
            "the card would be written over what it is made of", path=out, hint="name another file with -o"
        )
    brought = brought_by(
        chosen_game(invocation, game),
        file,
        side=side,
        with_optional=with_optional,
        packs=packs,
        preset=preset,
        options=options,
    )
    encounter = brought.encounter
    if suffix == ".pdf":
        from rallypoint.paper.card_pdf import card_pdf

        content = card_pdf(encounter, paper=paper or "a4", font=font)
    elif suffix == ".md":
        from rallypoint.paper.card_markdown import card_markdown

        content = card_markdown(encounter).encode()
    else:
        from rallypoint.paper.card_html import card_document

        sizes = {"a4": "A4", "letter": "Letter"}
        content = card_document(encounter, paper=None if paper is None else sizes[paper]).encode()
    write_one(out, content, dry=dry_run)
