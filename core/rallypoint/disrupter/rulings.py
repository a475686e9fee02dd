"""The rulings: where the rules are silent or contradict themselves, the choice made has an id and can be switched.

A battle's options map ids to choices; what is not named there is at its default. ``rallypoint rules show`` prints them.

>>> chosen({"D-AMB-05": "selected"}, "D-AMB-05"), chosen({}, "D-AMB-05")
('selected', 'always')
"""

from __future__ import annotations

from collections.abc import Mapping

from rallypoint.kernel import rulings as kernel
from rallypoint.kernel.canonical import Value
from rallypoint.kernel.rulings import Ruling, by_id

__all__ = ["RULINGS", "check_options", "chosen", "number"]

NO_RULINGS: Mapping[str, Ruling] = by_id(())

RULINGS = by_id(
    (
        Ruling("D-AMB-01", "what buildings do", ("block", "enterable_light_cover"), ("D-R2.2",)),
        Ruling("D-R9.16", "a stand with bots that nobody leads", ("stays", "follows_humans"), ("D-R9.15", "D-R9.16")),
        Ruling("D-R11.8", "the Group of a squad without an NCO", ("2", "1"), ("D-R11.8",)),
        Ruling(
            "D-R15.4", "a mover whose nerve breaks on the way", ("stops", "goes_on"), ("D-R15.4", "D-PT-T4", "D-PT-T5")
        ),
        Ruling("D-R15.3", "whether who would stay under cover may do nothing", ("yes", "no"), ("D-R15.3",)),
        Ruling("D-R16.6", "whose saves shake who misses several armour groups", ("any", "all"), ("D-R16.6", "D-R16.7")),
        Ruling("D-R16.15", "how often a rally is rolled", ("once", "each_team"), ("D-R16.15",)),
        Ruling("D-AMB-03", "whose removal is a death", ("any_removal", "dead_only"), ("D-R6.4", "D-R8.6")),
        Ruling("D-AMB-04", "a shown 00", ("critical", "plain_success"), ("D-R7.3",)),
        Ruling("D-AMB-05", "criticals under [+] and [-]", ("always", "selected", "stress_only"), ("D-R7.6",)),
        Ruling("D-AMB-06", "the value that counts for initiative", ("higher", "lower_die"), ("D-R11.5",)),
        Ruling("D-AMB-07", "several [+] and [-]", ("cancel", "net_count"), ("D-R7.5",)),
        Ruling("D-AMB-08.start", "Stress at the start", (0, 0, 20), ("D-R8.1",)),
        Ruling("D-AMB-08.min", "least Stress", (0, 0, 20), ("D-R8.1",)),
        Ruling("D-AMB-09", "which criticals move Stress", ("every_roll", "fire_only"), ("D-R8.4", "D-R8.5")),
        Ruling("D-AMB-10", "several casualties at once", ("one_by_one", "one_check_per_team"), ("D-R8.6", "D-R8.7")),
        Ruling("D-AMB-11", "bots in a mixed team", ("keep_reaction", "share_panic"), ("D-R8.8",)),
        Ruling("D-AMB-12", "teams in a squad", ("warn", "strict"), ("D-R9.3",)),
        Ruling("D-AMB-13", "an officer's [+] for himself", ("no", "yes"), ("D-R9.4",)),
        Ruling("D-AMB-14", "who follows a CO that falls", ("at_once", "next_turn", "none"), ("D-R9.6",)),
        Ruling("D-AMB-15", "fire policy without orders", ("in_range", "return", "hold"), ("D-R9.12", "D-R15.2")),
        Ruling("D-AMB-17", "equal winning rolls", ("reroll", "side_that_lost_last"), ("D-R11.5",)),
        Ruling("D-AMB-19", "the team of a CO who relieves Stress", ("may_act", "idle"), ("D-R11.10",)),
        Ruling("D-AMB-20", "which stands obstruct a line", ("enemies", "none"), ("D-R12.2",)),
        Ruling("D-AMB-21", "when firing loses cover", ("at_once", "next_turn"), ("D-R13.2",)),
        Ruling("D-AMB-22", "what a ford costs", ("one_hex", "whole_action"), ("D-R14.5",)),
        Ruling("D-AMB-23.life", "how long a spot mark lasts", ("turn", "next_shot"), ("D-R16.2",)),
        Ruling("D-AMB-23.cover", "what a spot mark does to cover", ("lost", "this_attack_only"), ("D-R16.2",)),
        Ruling("D-AMB-24", "how long attackers are shaken", ("next_turn", "until_next_check"), ("D-R16.6",)),
        Ruling("D-AMB-27.save", "what a save takes off a volley", ("per_weapon", "per_attack"), ("D-R16.6", "D-R16.8")),
        Ruling("D-AMB-27.plus", "who counts for a volley's [+]", ("any_instinct", "same_instinct"), ("D-R16.8",)),
        Ruling("D-AMB-28", "how Wounds are divided", ("even", "focus", "random_each"), ("D-R16.10",)),
        Ruling("D-AMB-30", "Wounds of a rocket at Close range", (2, 2, 10), ("D-EQ-W10",)),
        Ruling("D-AMB-31", "Wounds that hole a raft (0: it has none)", (0, 0, 20), ("D-EQ-V1",)),
        Ruling("D-AMB-35.saves", "saves against splash", ("yes", "no"), ("D-EQ-T3",)),
        Ruling("D-AMB-35.friends", "splash on friends", ("yes", "no"), ("D-EQ-T3",)),
        Ruling("D-AMB-36", "whom a flamethrower spares", ("team", "unit"), ("D-EQ-T4",)),
        Ruling(
            "D-AMB-37",
            "a launcher that misses (drift is for a plugin for indirect fire)",
            ("own_team", "drift"),
            ("D-EQ-T5", "D-EQ-T6"),
        ),
        Ruling("D-AMB-38", "a save against a beam", ("reduces", "negates"), ("D-EQ-T9",)),
        Ruling("D-AMB-39", "whether the turn of the shot counts", ("no", "yes"), ("D-EQ-T10",)),
        Ruling("D-AMB-40", "a save against a rocket's near miss", ("no", "yes"), ("D-EQ-T14",)),
        Ruling("D-AMB-43", "shots of a grenade launcher (0: no limit)", (0, 0, 20), ("D-EQ-T6",)),
        Ruling("D-AMB-44", "an officer's [+] on panic checks", ("no", "yes"), ("D-R8.2", "D-R9.4")),
        Ruling("D-AMB-45", "mixed modifiers in a volley", ("separate", "majority"), ("D-R16.8",)),
        Ruling("D-PT-T3", "when suppression starts", ("next_turn", "now"), ("D-PT-T1",)),
        Ruling("D-PT-S", "status effects without an owner", ("none", "unofficial"), ("D-PT-S",)),
        Ruling("D-SF-4", "who is company commander first", ("first_platoon", "named"), ("D-SF-4",)),
        Ruling("D-GM-2", "depth of a deployment zone in hexes", (2, 1, 6), ("D-GM-2",)),
        Ruling("D-OP-R11.1", "Resolve", ("off", "on"), ("D-OP-R11.1",)),
        Ruling("D-LOS.tangent", "a line that only touches an obstacle", ("clear", "blocked"), ("D-R12.1",)),
        Ruling("D-LOS.gap", "a line along the side that two obstacles share", ("blocked", "clear"), ("D-R12.1",)),
        Ruling("D-LOS.shape", "what a line of sight runs between", ("hexes", "centres"), ("D-R12.1",)),
        Ruling("D-LOS.edge", "a line that leaves the board", ("blocked", "free"), ("D-R12.1",)),
    )
)
"""Every ruling of Disrupter by id."""

_WORDS = {name: word for name, ruling in RULINGS.items() if isinstance(word := ruling.default, str)}
_NUMBERS = {name: count for name, ruling in RULINGS.items() if isinstance(count := ruling.default, int)}


def chosen(options: Mapping[str, Value], ruling: str) -> str:
    """Return the choice in force for a ruling of words."""
    value = options.get(ruling)
    if value is None:
        return _WORDS[ruling]  # this is asked all the time
    assert isinstance(value, str)
    return value


def number(options: Mapping[str, Value], ruling: str) -> int:
    """Return the number in force for a ruling of numbers."""
    value = options.get(ruling)
    if value is None:
        return _NUMBERS[ruling]
    assert isinstance(value, int)
    return value


def check_options(options: Mapping[str, object], more: Mapping[str, Ruling] = NO_RULINGS) -> Mapping[str, Value]:
    """Return options as a battle keeps them.

    Args:
        options: choices by the ids of their rulings.
        more: the rulings of the plugins that take part, by id.

    Raises:
        InputError: an id is unknown, a choice is none of the ruling's, or two choices exclude each other.
    """
    return kernel.check_options(options, {**RULINGS, **more})
