"""A small force and a large one, as a game would hand them over: the literal facts of the rules, nothing computed."""

from __future__ import annotations

from collections.abc import Mapping

from rallypoint.kernel.encounter import Encounter, Gear, Sheet
from rallypoint.kernel.state import Entity, State, Tracker

COMBAT_ARMOR = Gear("armor", "combat_armor", "Combat Armor", {"A": 60, "W": 2, "M": 2})
BATTLE_DRESS = Gear("armor", "battle_dress", "Battle Dress", {"A": 80, "W": 3, "M": 1})
ROBOT = Gear("bot", "basic_battlefield_robot", "Basic Battlefield Robot", {"A": 80, "W": 1, "M": 2})
REVOLVER = Gear("weapon", "revolver", "Revolver", {"T": None, "C": 1, "M": 1, "L": 1, "Max": 3, "traits": ()})
PULSE_RIFLE = Gear("weapon", "pulse_rifle", "Pulse Rifle", {"T": None, "C": 2, "M": 2, "L": 1, "Max": 3, "traits": ()})
LAUNCHER = Gear(
    "weapon", "grenade_launcher", "Grenade Launcher", {"T": 2, "Max": 3, "traits": ("mount(frag_grenade)",)}
)
CUTTER = Gear("weapon", "laser_cutter", "Laser Cutter", {"T": None, "C": 10, "M": 10, "L": 10, "traits": ("beam",)})

CLASSES = {"CO": 80, "NCO": 80, "Soldier": 60, "Bot": 40}
WOUNDS = {"combat_armor": 2, "battle_dress": 3, "basic_battlefield_robot": 1}
ARMOR = {"combat_armor": 60, "battle_dress": 80, "basic_battlefield_robot": 80}


class Force:
    """Entities and sheets, added one by one."""

    def __init__(self, key: str = "demo", title: str = "Demo") -> None:
        self.key = key
        self.title = title
        self.entities: list[Entity] = []
        self.sheets: dict[str, Sheet] = {}

    def add(
        self,
        uid: str,
        role: str,
        parent: str | None = None,
        *,
        name: str | None = None,
        code: str = "",
        trackers: Mapping[str, Tracker] | None = None,
        sheet: Sheet | None = None,
    ) -> None:
        self.entities.append(Entity.new(uid, role, parent=parent, trackers=trackers or {}))
        self.sheets[uid] = sheet or Sheet(uid, uid.title() if name is None else name, role.title(), code)

    def frame(self, side: str = "red", stress: int = 0) -> None:
        """A side with a platoon, a squad and a team."""
        self.add(side, "side", name="Red Side")
        self.add(f"{side}/p", "platoon", side, name="First Platoon", trackers={"Stress": Tracker(stress, 0, 20, "up")})
        self.add(f"{side}/1", "squad", f"{side}/p", name="Squad 1")
        self.add(f"{side}/1/A", "team", f"{side}/1", name="Team A", code="R-1")

    def unit(
        self,
        uid: str,
        role: str,
        parent: str,
        *gear: Gear,
        name: str | None = None,
        code: str = "",
        taken: int = 0,
        picture: str | None = None,
        extra: Mapping[str, Tracker] | None = None,
    ) -> None:
        body = gear[0].key if gear else "combat_armor"
        wounds = WOUNDS.get(body, 2)
        stats = {"Instinct": CLASSES.get(role, 60), "Armor": ARMOR.get(body, 60), "Wounds": wounds, "Movement": 2}
        sheet = Sheet(uid, uid if name is None else name, role, code, stats, tuple(gear), picture=picture)
        trackers = {"Wounds": Tracker(taken, 0, wounds, "up"), **(extra or {})}
        facts = {"class": role, "instinct": stats["Instinct"], "armor": body, "weapons": [g.key for g in gear[1:]]}
        self.entities.append(Entity.new(uid, "unit", parent=parent, trackers=trackers, facts=facts))
        self.sheets[uid] = sheet

    def encounter(self) -> Encounter:
        return Encounter(self.key, self.title, "disrupter", State.of(self.entities), self.sheets)


def small() -> Encounter:
    """One CO, one wounded Soldier with a rifle and a launcher, one Bot: a Team with Stress 4."""
    force = Force()
    force.frame(stress=4)
    force.unit("red/1/A/1", "CO", "red/1/A", COMBAT_ARMOR, REVOLVER, name="Captain", code="R-1A")
    force.unit(
        "red/1/A/2", "Soldier", "red/1/A", COMBAT_ARMOR, PULSE_RIFLE, LAUNCHER, name="Gunner", code="R-1B", taken=1
    )
    force.unit("red/1/A/3", "Bot", "red/1/A", ROBOT, CUTTER, name="Robot", code="R-1C")
    return force.encounter()


def large(units: int) -> Encounter:
    """A force of ``units`` Soldiers, four to a Team."""
    force = Force()
    force.frame()
    for number in range(units):
        team = f"red/1/T{number // 4}"
        if number % 4 == 0:
            force.add(team, "team", "red/1", name=f"Team {number // 4}", code=f"R-{number // 4}")
        force.unit(f"{team}/{number % 4}", "Soldier", team, COMBAT_ARMOR, PULSE_RIFLE, name=f"Soldier {number}")
    return force.encounter()
