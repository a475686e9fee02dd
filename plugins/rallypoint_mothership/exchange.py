"""What the command line runs: contractors out of a force, contractors in, and contractors turned into units."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from types import MappingProxyType

from rallypoint.content import PageError
from rallypoint.kernel.encounter import FOLDER, Encounter, Export, Imported
from rallypoint.kernel.errors import InputError
from rallypoint.kernel.state import Entity, State, Tracker

from .carried import to_contractor, to_figure
from .conversion import choices_of
from .encounters import GAME, Group, contractor_at, encounter_of, figures_in, unit_facts, unit_sheet
from .records import FIELDS, Figure
from .squad_csv import read_csv, write_csv
from .squad_json import read_json, write_json

__all__ = ["export", "read", "to_disrupter"]

_TAKEN = ": taken as "
"""Stands in what is said of a thing that became another, and was not left out."""


def export(encounter: Encounter, options: Mapping[str, str]) -> Export:
    """Return ``contractors.json`` and ``contractors.csv`` for a force of Disrupter.

    ``options``: ``combat`` (half, equal, archetype), ``revolver-bonus`` and ``anti-armor`` (true, false).

    Raises:
        InputError: an option has no such choice, or the encounter is none of Disrupter or has no units.
    """
    choices = choices_of(options)
    if encounter.game != "disrupter":
        raise InputError("contractors are made of units of Disrupter", found=encounter.game, expected="disrupter")
    contractors = tuple([to_contractor(figure, encounter.key, choices) for figure in figures_in(encounter)])
    if not contractors:
        raise InputError("there is nobody to export", where=f"encounter {encounter.key}", expected="a unit")
    platoons = [entity for entity in encounter.state if entity.role == "platoon" and "Stress" in entity.trackers]
    stress = platoons[0].value("Stress") if len(platoons) == 1 else None
    group = Group(encounter.key, encounter.title, contractors, stress)
    left_out = [f"Stress of {entity.uid}: there are {len(platoons)} platoons, a file has one" for entity in platoons]
    if len(platoons) == 1:
        left_out = ["Stress of the platoon: not in contractors.csv, which has rows alone"]
    return Export(
        files={"contractors.json": write_json(group), "contractors.csv": write_csv(group)},
        counts={"read": len(contractors), "contractors": len(contractors)},
        left_out=tuple(left_out),
        notes=(
            "Instinct and Loyalty are no numbers of Disrupter: Instinct is that of the type, Loyalty is rolled, always the same",
            "what each was as a unit stands in the file too, so rallypoint import contractors brings it back",
        ),
        next_steps=(
            f'Change "wounds" in {FOLDER}/contractors.json (or the column wounds in {FOLDER}/contractors.csv) as you play: it counts upwards.',
            f"Then: rallypoint import contractors {FOLDER}/contractors.json --into YOUR-ROSTER",
        ),
    )


def read(files: Mapping[str, bytes], options: Mapping[str, str]) -> Imported:
    """Return the contractors of one file, JSON (``.json``) or CSV (``.csv``), as an encounter of ``mothership``.

    Raises:
        InputError: there is more than one file or another kind, or (as :class:`~rallypoint.content.PageError`, with all
            problems) it cannot be understood, or it has no contractors.
    """
    for name in options:
        raise InputError("the reader of contractors has no options", found=name)
    if len(files) != 1:
        found = ", ".join(files) or "none"
        raise InputError("one file with contractors at a time", found=found, expected="one .json or .csv file")
    (path, data), *_ = files.items()
    readers = {".json": read_json, ".csv": read_csv}
    suffix = PurePath(path).suffix.lower()
    if suffix not in readers:
        raise InputError(
            "contractors of this kind are not read", path=path, found=suffix, expected=" or ".join(readers)
        )
    group = readers[suffix](data, path)
    notes = [
        f"{contractor.name}: field {name} is not known here, kept as it is"
        for contractor in group.contractors
        for name in contractor.extra
        if name not in FIELDS
    ]
    count = len(group.contractors)
    return Imported(encounter_of(group), {"read": count, "contractors": count, "left_out": 0}, (), tuple(notes))


def to_disrupter(encounter: Encounter, options: Mapping[str, str]) -> Imported:
    """Return the same encounter with every contractor turned into a unit of Disrupter; units that are some already stay.

    Of several commanders the first is the CO, the others are NCOs. What could not be mapped is listed in ``left_out``, what
    was taken as something else in ``notes``.

    Raises:
        InputError: the encounter is none of contractors, or (with all problems) a contractor cannot be understood.
    """
    for name in options:
        raise InputError("the conversion to Disrupter has no options", found=name)
    if encounter.game != GAME:
        raise InputError("these are no contractors", found=encounter.game, expected=GAME)
    left_out: list[str] = []
    taken: list[str] = []
    problems: list[InputError] = []
    entities: list[Entity] = []
    sheets = dict(encounter.sheets)
    turned = 0
    commander = any(entity.facts.get("class") == "CO" for entity in encounter.state)
    for entity in encounter.state:
        if entity.role != "unit" or "class" in entity.facts:
            entities.append(entity)
            continue
        try:
            figure, notes = to_figure(contractor_at(encounter, entity))
        except InputError as error:
            problems.append(error)
            continue
        if figure.kind == "CO" and commander:
            figure = figure._replace(kind="NCO")
            notes = (*notes, f"{figure.name}: a second commander: taken as NCO")
        commander = commander or figure.kind == "CO"
        taken += [note for note in notes if _TAKEN in note]
        left_out += [note for note in notes if _TAKEN not in note]
        turned += 1
        entities.append(_unit(entity, figure))
        sheets[entity.uid] = unit_sheet(figure)
    if problems:
        raise PageError(problems)
    made = encounter._replace(game="disrupter", state=State.of(entities), sheets=MappingProxyType(sheets))
    units = sum(entity.role == "unit" for entity in encounter.state)
    return Imported(made, {"read": units, "turned": turned, "unchanged": units - turned}, tuple(left_out), tuple(taken))


def _unit(entity: Entity, figure: Figure) -> Entity:
    trackers = {"Wounds": Tracker(figure.wounds, 0, figure.max_wounds, "up")}
    return Entity.new(
        entity.uid,
        "unit",
        parent=entity.parent,
        facts=unit_facts(figure, {}),
        trackers=trackers,
        place=entity.place,
        attributes=entity.attributes,
    )
