"""A roster as tables and lists, the same for JSON, TOML and CSV.

::

    {"roster": 1, "title": "Green Platoon", "squads": [{"number": 1, "title": "Infantry", "teams": [
        {"letter": "A", "units": [{"class": "NCO", "armor": "battle_dress", "weapons": ["pulse_rifle"], "count": 1}]}]}]}

``squads``, ``teams`` and ``units`` may each stand at the top: a crew has no squads, a horror or three no teams. What
nobody knows is kept under ``extra`` and written back where it stood.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from rallypoint.kernel.canonical import Value

from .catalogue import Catalogue, Found, Item
from .fields import EXTRA, Fields, kept_inline
from .force import Force, Squad, Team, Unit, force_key, short_key
from .force_head import HEAD_FIELDS, mustered, read_head
from .gear_reader import GearReader, Own, read_own
from .platoon_draft import alias_remarks
from .problems import Problems
from .uids import Uids, team_uid
from .unit_line import MOST_UNITS

__all__ = ["FORMAT", "SQUAD_FIELDS", "TEAM_FIELDS", "TOP_FIELDS", "UNIT_FIELDS", "force_record", "read_record"]

FORMAT = 1
"""The version of the form of rosters that is read and written."""

TOP_FIELDS = ("roster", *HEAD_FIELDS, "squads", "teams", "units")
SQUAD_FIELDS = ("number", "title", "optional", "teams")
TEAM_FIELDS = ("letter", "title", "vehicle", "units")
UNIT_FIELDS = ("id", "count", "class", "name", "image", "armor", "bot", "weapons", "stats", "wounds")

_NO_LINES: Mapping[str, int] = {}  # in most forms a place says more than a line


def read_record(
    record: object,
    path: str,
    catalogue: Catalogue,
    *,
    title: str,
    with_optional: bool = False,
    line_of: Callable[[str], int | None] = _NO_LINES.get,
) -> Force:
    """Return the force that a record describes.

    Args:
        record: the tables and lists.
        path: names the file in errors.
        catalogue: the equipment that exists.
        title: what the force is called where it does not say so.
        with_optional: take the optional squads too.
        line_of: the line of a place such as ``squads[0].teams[0].units[2]``, in a form whose lines mean something.

    Raises:
        PageError: something cannot be understood; it holds all of it at once.
    """
    reader = _Record(path, catalogue, line_of)
    fields = reader.fields(record, TOP_FIELDS, "")
    version = fields.number("roster", 1, 1_000_000, FORMAT)
    if version > FORMAT:
        found = f"roster {version}"
        reader.problems.add(f"{found}, this version reads {FORMAT}", None, found=found, hint="install a newer version")
        reader.problems.check()
    head = read_head(fields, title)
    start = short_key(head.key)
    reader.uids = Uids(head.retired)
    reader.take_ids(fields)
    squads = [squad for squad in reader.squads(fields, start) if squad.teams]
    if not squads and not len(reader.problems):
        found = "none in squads, teams or units"
        reader.problems.add("no unit in this roster", None, found=found, hint="is it a file of another kind?")
    reader.problems.check()
    remarks = alias_remarks(reader.aliases)
    return mustered(head, squads, remarks, catalogue, with_optional=with_optional)


class _Record:
    """Reads the tables of one roster."""

    def __init__(self, path: str, catalogue: Catalogue, line_of: Callable[[str], int | None]) -> None:
        self.catalogue = catalogue
        self.line_of = line_of
        self.problems = Problems(path)
        self.aliases: list[tuple[int | None, Found]] = []
        self.uids = Uids()

    def fields(self, row: object, known: Collection[str], place: str) -> Fields:
        return Fields(row, known, self.problems, place, self.line_of(place))

    def below(self, fields: Fields, name: str, known: Collection[str]) -> list[Fields]:
        place = fields.place(name)
        return [self.fields(row, known, f"{place}[{number}]") for number, row in enumerate(fields.rows(name))]

    def take_ids(self, top: Fields) -> None:
        """Note the ids that the roster gives, wherever they stand, before any is made."""
        places: list[tuple[str, object]] = [("", top.row)]
        for place, row in places:  # the list grows while it is gone through
            if not isinstance(row, Mapping):
                continue
            for name in ("squads", "teams", "units"):
                rows = row.get(name, ())
                prefix = f"{place}.{name}" if place else name
                if isinstance(rows, (list, tuple)):
                    places += [(f"{prefix}[{number}]", each) for number, each in enumerate(rows)]
            uid = row.get("id")
            if isinstance(uid, str) and place.rpartition(".")[2].startswith("units["):
                self.uids.take(uid, self.line_of(place), self.problems, f"{place}.id")

    # Squads and teams

    def squads(self, top: Fields, start: str) -> Iterator[Squad]:
        loose = tuple(self.units(top, start))
        teams = tuple(self.teams(top, start, None))
        if loose:
            teams = (Team("", "", None, loose, 0), *teams)
        yield Squad(None, "", False, teams, 0)
        seen: set[int] = set()
        for fields in self.below(top, "squads", SQUAD_FIELDS):
            if "number" not in fields.row:
                fields.wrong("number", "a whole number", "a field is missing")
            number = fields.number("number", 0, 999_999, 0)
            if number in seen:
                fields.wrong("number", "each number once", "a squad number appears twice")
            seen.add(number)
            squad_teams = tuple(self.teams(fields, start, number))
            if not squad_teams:
                fields.wrong("teams", "at least one team", "a squad without teams")
            title = fields.text("title") or ""
            yield Squad(number, title, fields.truth("optional"), squad_teams, fields.line or 0, fields.rest())

    def teams(self, above: Fields, start: str, number: int | None) -> Iterator[Team]:
        seen: set[str] = set()
        for fields in self.below(above, "teams", TEAM_FIELDS):
            letter = fields.text("letter", needed=True) or "A"
            if len(letter) != 1 or not "A" <= letter <= "Z":
                fields.wrong("letter", "one capital from A to Z", "this is not the letter of a team")
            elif letter in seen and fields.row.get("letter"):
                fields.wrong("letter", "each letter once in a squad", "a team letter appears twice")
            seen.add(letter)
            vehicle = self.vehicle(fields)
            units = tuple(self.units(fields, team_uid(start, number, letter)))
            if not units:
                fields.wrong("units", "at least one unit", "a team without units")
            title = fields.text("title") or f"{'Team' if vehicle is None else vehicle.title} {letter}"
            key = None if vehicle is None else vehicle.key
            yield Team(letter, title, key, units, fields.line or 0, fields.rest())

    def vehicle(self, fields: Fields) -> Item | None:
        name = fields.text("vehicle")
        if not name:
            return None
        reader = self.reader(fields)
        found = reader.item("vehicle", name, "vehicle")
        self.aliases += [(fields.line, alias) for alias in reader.aliases]
        return found

    def reader(self, fields: Fields) -> GearReader:
        return GearReader(self.catalogue, self.problems, fields.line, fields.where)

    # Units

    def units(self, above: Fields, start: str) -> Iterator[Unit]:
        for row, fields in enumerate(self.below(above, "units", UNIT_FIELDS), 1):
            count = fields.number("count", 1, MOST_UNITS, 1)
            own = read_own(fields, self.catalogue, fields.row.get("stats", {}))
            if count > 1 and own.uid is not None:
                fields.wrong("id", "no count, or no id", "one id for several units")
            unit = self.unit(fields, own)
            made = self.uids.made(start, row)
            for _ in range(count):
                yield unit._replace(uid=own.uid or next(made))

    def unit(self, fields: Fields, own: Own) -> Unit:
        """Return the unit without its uid."""
        reader = self.reader(fields)
        name = fields.text("class", needed=True)
        unit_class = None if name is None else reader.unit_class(name, own)
        wears = self.wears(fields, reader, unit_class, own)
        weapons = reader.listed(fields.texts("weapons"))
        reader.check_unit(unit_class, wears, weapons, own)
        self.aliases += [(fields.line, alias) for alias in reader.aliases]
        kind = name or "" if unit_class is None else unit_class.title
        key, is_bot = (None, False) if wears is None else (wears.key, wears.kind == "bot")
        keys = tuple([item.key for item in weapons])
        line = fields.line or 0
        return Unit("", kind, key, is_bot, keys, line, own.name, own.picture, own.stats, own.wounds, own.extra)

    def wears(self, fields: Fields, reader: GearReader, unit_class: Item | None, own: Own) -> Item | None:
        armor, bot = fields.text("armor") or None, fields.text("bot") or None
        if armor is not None and bot is not None:
            fields.wrong("bot", "an armor or a bot, not both", "a unit wears two things")
        is_bot = unit_class is not None and unit_class.trait("wears_model") is not None
        if unit_class is not None and armor is not None and is_bot:
            fields.wrong("armor", f"bot = the model of a {unit_class.title}", "this class wears a model and no armor")
        elif unit_class is not None and bot is not None and not is_bot:
            fields.wrong("bot", f"armor = what a {unit_class.title} wears", "this class wears armor and is no model")
        elif bot is not None:
            return reader.item("bot", bot, "bot")
        elif armor is not None:
            return reader.item("armor", armor, "armor")
        elif unit_class is not None and not own.stats:
            what = "model" if is_bot else "armor"
            fields.wrong(
                "bot" if is_bot else "armor", self.catalogue.titles("bot" if is_bot else "armor"), f"no {what} is given"
            )
        return None


# Writing


def force_record(force: Force) -> dict[str, object]:
    """Return the record of a force; :func:`read_record` gives the same force again.

    Optional squads are in it whether they were taken or not; every unit has its id.
    """
    head: dict[str, object] = {"roster": FORMAT, "title": force.title}
    if force.key != force_key(force.title):
        head["key"] = force.key
    head |= _given("stress", force.platoon.stress) | _given("retired", list(force.retired))
    head |= _extra(force.extra, TOP_FIELDS)
    squads = [*force.platoon.squads, *force.left_out]
    if all(squad.line for squad in squads):
        squads.sort(key=lambda squad: squad.line)
    for squad in squads:
        if squad.number is None:
            loose = [_unit(unit) for team in squad.teams if not team.letter for unit in team.units]
            head |= _given("units", loose) | _given("teams", [_team(team) for team in squad.teams if team.letter])
    return head | _given("squads", [_squad(squad) for squad in squads if squad.number is not None])


def _given(name: str, value: object) -> dict[str, object]:
    return {name: value} if value else {}


def _extra(extra: Mapping[str, Value], known: Collection[str]) -> dict[str, object]:
    """Return the fields that nobody knows: each in its own place, or under ``extra`` where it would be taken for another."""
    inline: dict[str, object] = {name: value for name, value in extra.items() if kept_inline(name, known)}
    return inline | _given(EXTRA, {name: value for name, value in extra.items() if name not in inline})


def _squad(squad: Squad) -> dict[str, object]:
    row: dict[str, object] = {"number": squad.number, **_given("title", squad.title)}
    row |= _given("optional", squad.optional) | _extra(squad.extra, SQUAD_FIELDS)
    return row | {"teams": [_team(team) for team in squad.teams]}


def _team(team: Team) -> dict[str, object]:
    row = {"letter": team.letter, "title": team.title, **_given("vehicle", team.vehicle)}
    return row | _extra(team.extra, TEAM_FIELDS) | {"units": [_unit(unit) for unit in team.units]}


def _unit(unit: Unit) -> dict[str, object]:
    row = {"id": unit.uid, "class": unit.kind} | _given("name", unit.name) | _given("image", unit.picture)
    row |= _given("bot" if unit.is_bot else "armor", unit.wears) | {"weapons": list(unit.weapons)}
    row |= _given("stats", dict(unit.stats)) | _given("wounds", unit.wounds)
    return row | _extra(unit.extra, UNIT_FIELDS)
