"""From an encounter to folders and actors: who becomes what, where it stands, and what has no home."""

from __future__ import annotations

from collections.abc import Mapping

from rallypoint.kernel.encounter import Encounter, Sheet
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity

from .actors import Run, Station, actor_document, name_of, pieces
from .carried import NOTHING, carried_by
from .ids import document_id
from .items import in_stats
from .losses import Losses
from .mapping import ActorKind, Profile, Terms
from .record import FLAG, Document, above, describe, entity_record, stats_block

__all__ = ["Documents"]


def _sheet(encounter: Encounter, entity: Entity) -> Sheet:
    sheet = encounter.sheets.get(entity.uid)
    if sheet is None:
        raise InputError("the encounter has no sheet for this entity", where=entity.uid, found=entity.role)
    return sheet


def _ranks(encounter: Encounter) -> Mapping[str, int]:
    """Return by uid the place of each entity among those below the same parent."""
    count: dict[str | None, int] = {}
    ranks: dict[str, int] = {}
    for entity in encounter.state:
        ranks[entity.uid] = count.get(entity.parent, 0)
        count[entity.parent] = ranks[entity.uid] + 1
    return ranks


class Documents:
    """The documents of one export, made in one pass over the entities, parents first.

    ``actors`` and ``folders`` are what Foundry takes; ``kept`` are our records of everything else. ``counts`` adds up:
    read = actors + folders + in_flags (what only tells where an actor stands) + left_out, and gear_read = items +
    gear_in_stats + gear_left_out. ``combatants`` are the entities with an actor that takes part in the fight, with the
    actor and the side; ``own`` names the units that are contractors with numbers of their own.
    """

    def __init__(
        self,
        encounter: Encounter,
        profile: Profile,
        core: str,
        meaning: str = "contractor",
        terms: Terms = Terms(),  # noqa: B008
    ) -> None:
        stats = stats_block(profile.system, profile.version, profile.cores[core])
        self.run = Run(encounter, profile, profile.conversions[meaning], int(core), stats, Losses(), Losses(), terms)
        self.own: list[str] = []
        self.folders: list[Document] = []
        self.actors: list[Document] = []
        self.kept: list[Document] = []
        self.combatants: list[tuple[Entity, Document, str]] = []
        self._folder_ids: dict[str, str] = {}
        self._chains: dict[str | None, list[Document]] = {None: []}
        self._useful: set[str] = set()
        self._ranks = _ranks(encounter)
        sides = [root.uid for root in encounter.state.children(None) if root.role == "side"]
        self.dispositions = {uid: -1 if index else 1 for index, uid in enumerate(sides)}
        self.counts = dict.fromkeys(
            (
                "read",
                "actors",
                "folders",
                "in_flags",
                "left_out",
                "gear_read",
                "items",
                "gear_in_stats",
                "gear_left_out",
            ),
            0,
        )

    def _chain(self, entity: Entity) -> list[Document]:
        """Short records of what stands above, shared by all that stand there."""
        found = self._chains.get(entity.parent)
        if found is None:
            found = [
                describe(self.run.encounter, upper, self._ranks[upper.uid])
                for upper in above(self.run.encounter, entity)
            ]
            self._chains[entity.parent] = found
        return found

    def make(self) -> None:
        """Fill in everything.

        Raises:
            InputError: an entity that needs a sheet has none.
        """
        encounter, profile = self.run.encounter, self.run.profile
        kinds = {entity.uid: profile.actor_kind(entity.role, entity.trackers) for entity in encounter.state}
        for entity in encounter.state:
            if kinds[entity.uid] is not None:
                self._useful.update(upper.uid for upper in above(encounter, entity))
        for entity in encounter.state:
            self.counts["read"] += 1
            uppers = above(encounter, entity)
            side = uppers[0].uid if uppers else entity.uid
            folders = [self._folder_ids[upper.uid] for upper in uppers if upper.uid in self._folder_ids]
            folder = folders[-1] if folders else None
            kind = kinds[entity.uid]
            if kind is not None:
                self._actor(entity, kind, side, folder)
            elif entity.role in profile.folders:
                self._folder(entity, side, folder)
            else:
                self._keep(entity, side)
        self.counts["gear_left_out"] = self.counts["gear_read"] - self.counts["items"] - self.counts["gear_in_stats"]

    def _actor(self, entity: Entity, kind: ActorKind, side: str, folder: str | None) -> None:
        sheet = _sheet(self.run.encounter, entity)
        disposition = self.dispositions.get(side, 0)
        rank = self._ranks[entity.uid]
        station = Station(side, disposition, self._chain(entity), folder, len(self.actors) * 100000, rank)
        carried = carried_by(entity) if kind.combatant and self.run.conversion.name == "contractor" else NOTHING
        gear = pieces(sheet, carried)
        actor = actor_document(self.run, entity, kind, sheet, station, carried)
        if carried != NOTHING:
            self.own.append(name_of(sheet))
        self.actors.append(actor)
        items = actor["items"]
        assert isinstance(items, list)
        self.counts["actors"] += 1
        self.counts["gear_read"] += len(gear)
        self.counts["items"] += len(items)
        self.counts["gear_in_stats"] += sum(in_stats(piece.gear, self.run.conversion) for piece in gear)
        if kind.combatant:
            self.combatants.append((entity, actor, side))

    def _losses_of(self, entity: Entity, who: str) -> None:
        for name in entity.trackers:
            self.run.left_out.add(f"tracker {name}", who, f"a {entity.role} has no actor, kept in our flag alone")
        sheet = self.run.encounter.sheets.get(entity.uid)
        gear = () if sheet is None else sheet.gear
        self.counts["gear_read"] += len(gear)
        for piece in gear:
            self.run.left_out.add(
                f"{piece.kind} {piece.title}", who, f"a {entity.role} has no actor, kept in our flag alone"
            )

    def _record(self, entity: Entity, side: str) -> Document:
        sheet = self.run.encounter.sheets.get(entity.uid)
        return entity_record(self.run.encounter, entity, side, self._chain(entity), sheet, self._ranks[entity.uid])

    def _folder(self, entity: Entity, side: str, parent: str | None) -> None:
        encounter = self.run.encounter
        sheet = _sheet(encounter, entity)
        name = name_of(sheet)
        if entity.parent is None and encounter.title.strip() and encounter.title != name:
            name = f"{encounter.title}: {name}"
        identity = document_id(encounter.key, side, entity.uid, "folder")
        self._folder_ids[entity.uid] = identity
        self.folders.append(
            {
                "_id": identity,
                "name": name,
                "type": "Actor",
                "folder": parent,
                "sorting": "m",
                "sort": len(self.folders) * 100000,
                "color": None,
                "description": "",
                "flags": {FLAG: self._record(entity, side)},
                "_stats": self.run.stats,
            }
        )
        self.counts["folders"] += 1
        self._losses_of(entity, sheet.name.strip() or name)

    def _keep(self, entity: Entity, side: str) -> None:
        self.kept.append(self._record(entity, side))
        sheet = self.run.encounter.sheets.get(entity.uid)
        who = (sheet and (sheet.name.strip() or sheet.code)) or entity.uid
        if entity.uid in self._useful:
            self.counts["in_flags"] += 1
        else:
            self.counts["left_out"] += 1
            drawn = entity.role == "rally_point" and self.run.encounter.board is not None and entity.place is not None
            where = "in encounter.json and drawn on the board" if drawn else "in encounter.json alone"
            why = f"{self.run.profile.name} has no document for it, kept {where}"
            self.run.left_out.add(entity.role, who, why)
        self._losses_of(entity, who)
