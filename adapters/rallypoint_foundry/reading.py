"""What people read, roll on and take turns by: roll tables, a journal entry, a combat."""

from __future__ import annotations

from html import escape

from rallypoint.kernel.encounter import Page, Table, TableRow
from rallypoint.kernel.state import Entity

from .actors import Run
from .ids import document_id
from .record import FLAG, Document

__all__ = ["combat_document", "journal_document", "table_document"]


def _flags(run: Run, uid: str, **more: object) -> Document:
    return {FLAG: {"v": 1, "uid": uid, "encounter": run.encounter.key, **more}}


def _formula(table: Table) -> str:
    low, high = table.die
    # Foundry's dice begin at 1: percentile dice on which 00 is nothing are d100 less one.
    sides = high - low + 1
    return f"1d{sides}" if low == 1 else f"1d{sides} {'+' if low > 1 else '-'} {abs(low - 1)}"


def _result(run: Run, table: str, row: TableRow) -> Document:
    text = row.title if row.title.strip() else row.key
    words: Document = {"text": text} if run.core < 13 else {"name": text, "description": ""}
    return {
        "_id": document_id(table, "row", str(row.low), str(row.high)),
        "type": "text",
        **words,
        "img": "icons/svg/d20-black.svg",
        "weight": row.high - row.low + 1,
        "range": [row.low, row.high],
        "drawn": False,
        "flags": _flags(run, row.key),
    }


def table_document(run: Run, table: Table, sort: int) -> Document:
    """Return a roll table of the rows' numbers and names.

    Where the profile knows a table of the system for one of ours, the description says which of the system's settings
    names it, and the module puts a link there. The system's own words are never copied.
    """
    identity = document_id(run.encounter.key, "table", table.key)
    setting = run.profile.tables.get(table.key)
    points = (
        ""
        if setting is None
        else f"<p>A row that is not written here: its number on the table that the setting {escape(setting)} of "
        f"{run.profile.system} names, or what the table's owner says.</p>"
    )
    return {
        "_id": identity,
        "name": table.title if table.title.strip() else table.key,
        "img": "icons/svg/d20-grey.svg",
        "description": points,
        "formula": _formula(table),
        "replacement": True,
        "displayRoll": True,
        "results": [_result(run, identity, row) for row in table.rows],
        "folder": None,
        "sort": sort,
        "ownership": {"default": 0},
        "flags": _flags(run, table.key, setting=setting or ""),
        "_stats": run.stats,
    }


def _page(run: Run, journal: str, page: Page, sort: int) -> Document:
    found: Document = {
        "_id": document_id(journal, "page", page.key),
        "name": page.title if page.title.strip() else page.key,
        "type": "text",
        "title": {"show": True, "level": 1},
        "text": {"format": 1, "content": page.html, "markdown": ""},
        "image": {},
        "video": {"controls": True, "volume": 0.5},
        "src": None,
        "system": {},
        "sort": sort,
        "ownership": {"default": -1},
        "flags": _flags(run, page.key),
        "_stats": run.stats,
    }
    return found if run.core < 13 else {**found, "category": None}


def journal_document(run: Run) -> Document | None:
    """Return one journal entry with the encounter's pages, ``None`` if it has none."""
    if not run.encounter.pages:
        return None
    identity = document_id(run.encounter.key, "journal")
    name = run.encounter.title if run.encounter.title.strip() else run.encounter.key
    entry: Document = {
        "_id": identity,
        "name": name,
        "pages": [_page(run, identity, page, place * 100000) for place, page in enumerate(run.encounter.pages)],
        "folder": None,
        "sort": 0,
        "ownership": {"default": 0},
        "flags": _flags(run, "journal"),
        "_stats": run.stats,
    }
    return entry if run.core < 13 else {**entry, "categories": []}


def combat_document(run: Run, scene: str, fighters: list[tuple[Entity, Document, Document]]) -> Document:
    """Return a combat that has not begun; ``fighters`` are entity, actor and token. No initiative: the game has none."""
    identity = document_id(run.encounter.key, "combat")
    combatants: list[Document] = []
    for entity, actor, token in fighters:
        fighter: Document = {
            "_id": document_id(identity, "combatant", entity.uid),
            "type": "base",
            "system": {},
            "actorId": actor["_id"],
            "tokenId": token["_id"],
            "sceneId": scene,
            "name": actor["name"],
            "img": actor["img"],
            "initiative": None,
            "hidden": False,
            "defeated": False,
            "flags": _flags(run, entity.uid),
        }
        if run.core >= 13:
            fighter["group"] = None
        if run.core >= 14:
            del fighter["sceneId"]
        combatants.append(fighter)
    combat: Document = {
        "_id": identity,
        "type": "base",
        "system": {},
        "scene": scene,
        "combatants": combatants,
        "active": False,
        "round": 0,
        "turn": None,
        "sort": 0,
        "flags": _flags(run, "combat"),
        "_stats": run.stats,
    }
    return combat if run.core < 13 else {**combat, "groups": []}
