"""A platoon page in Markdown: headings for squads and teams, a bullet for each kind of unit, prose around them.

::

    # Starter Platoon
    ### **Squad 0 - Command**
    #### **Team A**
    * 1 CO - Combat Armor, Revolver

A vehicle's team is named for its vehicle (``Boat A``); a squad may end in ``- Optional``. Prose, links, other headings
and what stands under them are passed over; a bullet inside a team never is. Braces at the end of a heading or a bullet
hold what the form has no words for (:mod:`rallypoint.content.attributes`); ``# A crew {squads=none}`` is a force without
squads, whose teams and units stand right below.
"""

from __future__ import annotations

import difflib
import re
import unicodedata

from .catalogue import Catalogue, Found
from .fields import Fields
from .force import Force, Remark, Severity, short_key
from .force_head import HEAD_FIELDS, ForceHead, mustered, read_head
from .markdown import Block, blocks
from .platoon_draft import SquadDraft, TeamDraft, alias_remarks, check_shape, finished
from .platoon_headings import (
    SQUAD_FORM,
    SquadHeading,
    TeamHeading,
    nearly_squad,
    read_squad_heading,
    read_team_heading,
)
from .problems import Problems
from .uids import Uids
from .unit_line import MOST_SIGNS, begins_with_class, looks_like_units, read_unit_line

__all__ = ["read_platoon_page"]

_DEEPEST = 6
_CUT = "is the file cut off here?"


def read_platoon_page(text: str, path: str, catalogue: Catalogue, *, title: str, with_optional: bool = False) -> Force:
    """Return the force that a page describes.

    Args:
        text: the page.
        path: names it in errors.
        catalogue: the equipment that exists.
        title: the platoon's title where no heading stands above its squads.
        with_optional: take the optional squads too.

    Raises:
        PageError: something cannot be understood; it holds all of it at once.
    """
    page = _Page(path, catalogue)
    for block in blocks(text):
        page.take(block)
    page.finish(text)
    head = page.head(title)
    page.problems.check()
    start = short_key(head.key)
    uids = Uids(head.retired)
    for squad in page.squads:
        for team in squad.teams:
            for line in team.units:
                uids.take(line.own.uid, line.line, page.problems)
    page.problems.check()
    squads = [finished(squad, start, uids) for squad in page.squads]
    remarks = [*page.remarks, *alias_remarks(page.aliases)]
    return mustered(head, squads, remarks, catalogue, with_optional=with_optional)


class _Page:
    """Takes the blocks of one page; knows in which squad and team it is."""

    def __init__(self, path: str, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.problems = Problems(path)
        self.remarks: list[Remark] = []
        self.aliases: list[tuple[int | None, Found]] = []
        self.squads: list[SquadDraft] = []
        self.title: str | None = None
        self._title: Block | None = None
        self._above: list[Block] = []  # the other headings that we are under
        self._squad: SquadDraft | None = None
        self._team: TeamDraft | None = None
        self._last: Block | None = None
        self._last_known = False
        self._no_squads: set[int] = set()  # lines of headings that were named as no squads

    def take(self, block: Block) -> None:
        """Read one block."""
        self._last = block
        what = _unreadable(block)
        if what is not None:
            self.problems.add(what, block.line, found=block.wrong or f"{block.text[:60]}...", expected="less")
            if self._team is not None and block.kind == "bullet":
                self._team.bullets.append(block.line)  # the team is not empty, too
        elif block.kind == "heading":
            self._heading(block)
        elif self._team is not None and block.kind in ("bullet", "numbered"):
            self._units(block, self._team)
        elif looks_like_units(block.text, self.catalogue) or _looks_like_heading(block):
            self._stray(block)
        elif block.kind in ("bullet", "numbered") and begins_with_class(block.text, self.catalogue):
            where = "squad" if self._squad is None else "team"
            self.remarks.append(Remark(block.line, block.text, f"outside any {where}, not read", severity="warning"))

    def head(self, title: str) -> ForceHead:
        """Return what the title's heading says; ``title`` is what the force is called where there is none."""
        block = self._title
        known = (*HEAD_FIELDS, "squads")
        fields = Fields(
            {} if block is None else block.attributes, known, self.problems, "", block.line if block else None
        )
        if fields.text("squads") not in (None, "none"):
            fields.wrong("squads", "squads=none, or no such field")
        return read_head(fields, self.title or title)

    def finish(self, text: str) -> None:
        """Note what can only be known when all is read."""
        lines = re.split("\r\n?|\n", text)
        lines = lines[:-1] if not lines[-1] else lines
        if not self.squads:
            self.problems.add(
                "no squad in this page",
                max(len(lines), 1),
                found=f"{len(lines)} lines without one",
                expected=f"a heading '{SQUAD_FORM}', under it a heading 'Team A', under that bullets",
                hint="is the file cut off, or a page of another kind?",
            )
            return
        check_shape(self.squads, self.problems)
        last = self._last
        ends = last is not None and last.kind == "heading" and not self._last_known
        if last is not None and ends and (not last.text or last.level >= self.squads[-1].level):
            found, expected = last.text or "an empty heading", "something below it"
            self.problems.add("the page ends with a heading", last.line, found=found, expected=expected, hint=_CUT)
        if not text.endswith(("\n", "\r")):
            self.remarks.append(
                Remark(len(lines), lines[-1].strip(), "the last line has no line end; is the file whole?")
            )

    # Headings

    def _heading(self, block: Block) -> None:
        self._above = [above for above in self._above if above.level < block.level]
        squad, team = read_squad_heading(block.text), read_team_heading(block.text)
        self._last_known = True
        if squad is not None:
            self._open_squad(block, squad)
        elif team is not None and self._is_team(block, team.word):
            self._open_team(block, team)
        else:
            self._last_known = False
            self._other_heading(block)

    def _open_squad(self, block: Block, heading: SquadHeading) -> None:
        above = (self._above[0].text if self._above else None) or None
        if not self.squads:
            self.title, self._title = above, self._above[0] if self._above else None
        elif above != self.title:
            found = f"{block.text}, under {above or 'no other heading'}"
            expected = f"every squad under {self.title or 'no other heading'}"
            hint = "keep each platoon in a file of its own"
            self.problems.add("a second platoon in one page", block.line, found=found, expected=expected, hint=hint)
        if heading.doubtful is not None:
            hint = "did you mean Optional?"
            expected = "Optional, or a title that is not so near to it"
            self.problems.add(
                "is this squad optional", block.line, found=heading.doubtful, expected=expected, hint=hint
            )
        fields = Fields(block.attributes, ("title",), self.problems, "", block.line)
        title, extra = fields.text("title"), fields.rest()
        heading = heading if title is None else heading._replace(title=title)
        self._squad = SquadDraft(heading.number, heading.title, heading.optional, [], block.line, block.level, extra)
        self._team = None
        self.squads.append(self._squad)

    def _is_team(self, block: Block, word: str) -> bool:
        if word.casefold() == "team" or self.catalogue.find("vehicle", word) is not None:
            return True
        # Another word with a letter was meant for a team only where teams stand: below the heading of a squad.
        return self._squad is not None and block.level > self._squad.level and not self._inside_team(block)

    def _inside_team(self, block: Block) -> bool:
        return self._team is not None and block.level > self._team.level

    def _open_team(self, block: Block, heading: TeamHeading) -> None:
        fields = Fields(block.attributes, ("title",), self.problems, "", block.line)
        title, extra = fields.text("title"), fields.rest()
        vehicle = self._vehicle(block, heading)
        title = heading.title if title is None else title
        self._team = TeamDraft(heading.letter, title, vehicle, [], [], block.line, block.level, extra)
        if self._squad is not None:
            self._squad.teams.append(self._team)
            return
        above = self._above[-1] if self._above else None
        if above is not None and above.line in self._no_squads:
            return  # the heading above was named already, for all that stands below it
        if above is not None and above.text.strip("*_ ").casefold().startswith("squad"):
            self._no_squads.add(above.line)
            hint = "teams stand below it; write its number in figures, as in Squad 1 - Infantry"
            self.problems.add("not a squad's heading", above.line, found=above.text, expected=SQUAD_FORM, hint=hint)
            return
        expected, hint = f"a heading '{SQUAD_FORM}' above it", "is the heading of its squad missing or misspelt?"
        self.problems.add("a team outside any squad", block.line, found=block.text, expected=expected, hint=hint)

    def _vehicle(self, block: Block, heading: TeamHeading) -> str | None:
        found = self.catalogue.find("vehicle", heading.word)
        if found is not None:
            self.aliases += [] if found.alias is None else [(block.line, found)]
            return found.item.key
        word = heading.word.casefold()
        if word != "team":
            near = "Team" if difflib.get_close_matches(word, ["team"], 1, 0.7) else None
            near = near or self.catalogue.suggest("vehicle", word)
            expected = f"Team {heading.letter}, or a vehicle: {self.catalogue.titles('vehicle')}"
            hint = f"did you mean {near} {heading.letter}?" if near else None
            self.problems.add("unknown vehicle", block.line, found=block.text, expected=expected, hint=hint)
        return None

    def _other_heading(self, block: Block) -> None:
        near = nearly_squad(block.text)
        if near is not None:
            hint = f"did you mean {near}?"
            self.problems.add("not a squad's heading", block.line, found=block.text, expected=SQUAD_FORM, hint=hint)
            self._no_squads.add(block.line)
        if self._squad is not None and block.level <= self._squad.level:
            self._squad = self._team = None
        elif not self._inside_team(block):
            self._team = None
        self._above.append(block)
        if block.attributes.get("squads") == "none" and not self.squads:
            self._open_force(block)

    def _open_force(self, block: Block) -> None:
        """Begin a force without squads; a unit right below the heading is in no team either."""
        self._last_known = True
        self.title, self._title = self._above[0].text or None, self._above[0]
        # No heading is inside of units that are in no team: their level is below all.
        self._team = TeamDraft("", "", None, [], [], block.line, _DEEPEST)
        self._squad = SquadDraft(None, "", False, [self._team], block.line, block.level)
        self.squads.append(self._squad)

    # Lines

    def _units(self, block: Block, team: TeamDraft) -> None:
        team.bullets.append(block.line)
        if block.kind == "numbered":
            expected, hint = "a bullet for each kind of unit", "start the line with a star or a hyphen"
            self.problems.add(
                "a numbered list inside a team", block.line, found=block.text, expected=expected, hint=hint
            )
            return
        line = read_unit_line(block.text, block.line, self.catalogue, self.problems, block.attributes)
        if line is not None:
            team.units.append(line)
            if line.written:
                self.remarks.append(Remark(block.line, line.written, f"read as {line.number}"))
            self.aliases += [(block.line, found) for found in line.aliases]

    def _stray(self, block: Block) -> None:
        """Tell of something that looks as if it was meant for a team, but stands where nothing is read."""
        if block.kind == "comment":
            self.remarks.append(Remark(block.line, block.text, "commented out, not read"))
        elif self._squad is None:
            severity: Severity = "warning" if block.kind in ("bullet", "numbered") else "note"
            what = "outside any squad, not read"
            self.remarks.append(Remark(block.line, block.text, what, severity=severity))
        elif block.kind == "hidden":
            expected = "a bullet or a heading outside code and HTML"
            hint = "indent it less than four spaces, and close what was opened above it"
            self.problems.add("this stands in code or HTML", block.line, found=block.text, expected=expected, hint=hint)
        elif block.kind == "prose":
            expected = "a star or a hyphen before a unit, number signs and a space before a heading"
            self.problems.add("this stands in plain text", block.line, found=block.text, expected=expected)
        else:
            expected = "a heading such as 'Team A' above it"
            self.problems.add("units outside any team", block.line, found=block.text, expected=expected)


def _unreadable(block: Block) -> str | None:
    """Say what is wrong with a heading or an item before it is read at all."""
    if block.wrong is not None:
        return "this is more than braces may hold"
    if block.kind == "heading" and len(block.text) > MOST_SIGNS:
        return "this heading is too long"
    if block.kind in ("heading", "bullet", "numbered") and any(
        unicodedata.category(sign) == "Cc" for sign in block.text
    ):
        return "a control character in this line"
    return None


def _looks_like_heading(block: Block) -> bool:
    """Say whether a block that is no heading has the words and the number signs of one: ``###Squad 1``."""
    text = block.text[:MOST_SIGNS].lstrip("#").strip("*_ ")
    if text == block.text[:MOST_SIGNS].strip("*_ "):
        return False
    team = read_team_heading(text)
    return read_squad_heading(text) is not None or (team is not None and team.word.casefold() == "team")
