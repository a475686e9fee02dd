"""Gunfight: personal combat of a 2d6 game, in which the order of acts never stands still.

Rule ids T-... are those of the personal combat module. Everybody is in range at DM 0 and weapons are facts of the
fighters: range table and weapon list are not part of those rules (M-T1).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from rallypoint.kernel.changes import Change, DefineTracker, DropStatus, SetAttribute, SetStatus, SetTracker
from rallypoint.kernel.dice import D6, Throw
from rallypoint.kernel.errors import RuleError
from rallypoint.kernel.game import Acts, Due, Intent, Over, Runs
from rallypoint.kernel.state import Entity, State, Status, Tracker
from rallypoint.kernel.step import Step
from rallypoint.kernel.tape import Choice, Option

from .plain import SIDES, TABLE, Plain, effect, fact, named, reaction, uids

ROUNDS = 4


def able(who: Entity) -> bool:
    """T-DA3: at 0 in Strength or Dexterity a fighter is unconscious."""
    return who.role == "fighter" and who.value("Strength") > 0 and who.value("Dexterity") > 0


def enemies(state: State, uid: str) -> list[Entity]:
    return [who for who in state if able(who) and who.parent != state[uid].parent]


def count(who: Entity) -> tuple[int, int]:
    """T-IN4, T-IN5: acts come in falling Initiative, of equals the higher Dexterity first."""
    return who.value("Initiative"), who.value("Dexterity")


def in_turn(state: State) -> list[Entity]:
    """Return those who act now; equals act one by one, and what they do takes effect after all of them (T-IN5)."""
    now = state[TABLE].value("Round")
    left = [who for who in state if able(who) and who.value("Acted") < now and "delaying" not in who.statuses]
    return [who for who in left if count(who) == max(map(count, left))]


def hits(state: State) -> list[tuple[str, str, str | None]]:
    """Return fighter, name and source of each hit that has not taken effect yet."""
    return [(who.uid, s.name, s.source) for who in state for s in who.statuses.values() if s.name.startswith("hit")]


def ready(step: Step[None], uid: str) -> None:
    """T-IN1: 2d6 and the Dexterity DM."""
    dice = step.roll(Throw(uid, "initiative", D6, 2))
    total = Tracker(sum(dice) + fact(step.state[uid], "dex_dm"), None)
    both = [DefineTracker(uid, name, total) for name in ("Initiative", "Rolled")]
    step.emit("initiative.rolled", *both, rule="T-IN1", why={"dice": dice})


def check_turn(step: Step[None], actor: str) -> None:
    if actor not in uids(who for who in in_turn(step.state) if who.parent == step.seat):
        raise RuleError("it is not this fighter's turn", rule="T-IN4", found=actor)


def begin(step: Step[None], actor: str, target: str) -> bool:
    """Start an attack; say whether it goes on after those who interrupt it (T-IN8)."""
    check_turn(step, actor)
    if target not in uids(enemies(step.state, actor)):
        raise RuleError("this cannot be attacked", rule="T-SI3", where=actor, found=target)
    acted = SetTracker(actor, "Acted", step.state[TABLE].value("Round"))
    step.emit("act.begins", acted, SetAttribute(TABLE, "count", count(step.state[actor])), rule="T-IN4")
    step.window("interrupt", actor)
    return able(step.state[actor])


def attack(step: Step[None], actor: str, target: str) -> None:
    """T-SI3: one shot."""
    if begin(step, actor, target):
        shoot(step, actor, target)


def auto_fire(step: Step[None], actor: str, target: str) -> None:
    """T-AU3: Auto dice, paired freely; each pair is an attack, skill counts 1 at most. A die left is lost (T-AMB-18)."""
    if begin(step, actor, target):
        dm = aim(step, actor, target, most=1)
        dice = step.roll(Throw(actor, "auto fire", D6, fact(step.state[actor], "auto")))
        ways = {" ".join(sorted(f"{min(a, b)}+{max(a, b)}" for a, b in zip(way[::2], way[1::2], strict=False))): way
                for way in permutations(sorted(dice, reverse=True))}  # fmt: skip
        options = tuple([Option(key, key) for key in sorted(ways)])
        way = ways[step.choose(Choice(str(step.state[actor].parent), "pairing", options, actor)).key]
        for pair in zip(way[::2], way[1::2], strict=False):
            land(step, actor, target, effect(dm).grade(D6, pair), {"dice": pair, "dm": dm})


def aim(step: Step[None], actor: str, target: str, most: int = 99) -> int:
    """Let the target react and return the DM: skill, Dexterity, own reactions (T-RE1), a dodge (T-RE2)."""
    dodges = len(step.window("dodge", target))
    who = step.state[actor]
    return min(fact(who, "skill"), most) + fact(who, "dex_dm") - who.value("Reactions") - dodges


def shoot(step: Step[None], actor: str, target: str) -> None:
    dm = aim(step, actor, target)
    fell = step.grade(Throw(actor, "attack", D6, 2), effect(dm))
    land(step, actor, target, fell.grade, {"dice": fell, "dm": dm})


def land(step: Step[None], actor: str, target: str, grade: str, why: dict[str, object]) -> None:
    hit = Status(f"hit {len(hits(step.state))} by {actor}", grade, actor)
    done = () if grade == "miss" else (SetStatus(target, hit),)
    step.emit("attack.hits" if done else "attack.misses", *done, rule="T-SI3", why={**why, "effect": grade})


def wound(step: Step[None], uid: str, name: str) -> None:
    """T-DA1, T-DA2: dice and Effect less armour, an Effect of 6 does 1 at least; T-DA3: Endurance goes first."""
    hit, who = step.state[uid].statuses[name], step.state[uid]
    dice = step.roll(Throw(str(hit.source), "damage", D6, fact(step.state[str(hit.source)], "dice")))
    left = max(sum(dice) + int(str(hit.value)) - fact(who, "armour"), 1 if int(str(hit.value)) >= 6 else 0)
    why, parts = {"dice": dice, "effect": hit.value, "damage": left}, ["Strength", "Dexterity"]
    if left > who.value("Endurance") and able(who):  # the owner says which of the two goes first
        options = tuple([Option(part, f"off {part} first") for part in parts])
        parts.sort(key=step.choose(Choice(str(who.parent), "where damage goes", options, uid)).key.__ne__)
    drops: list[Change] = [DropStatus(uid, name)]
    for part in ("Endurance", *parts):
        drops.append(SetTracker(uid, part, max(who.value(part) - left, 0)))
        left = max(left - who.value(part), 0)
    step.emit("hit.damage", *drops, rule="T-DA3", why=why)


def delay(step: Step[None], actor: str) -> None:
    """T-IN8: act at a later point, also in the middle of what somebody else does."""
    check_turn(step, actor)
    step.emit("act.delayed", SetStatus(actor, Status("delaying")), rule="T-IN8")


def interrupt(step: Step[None], uid: str, target: str) -> None:
    """T-IN8: whoever delayed shoots first, and that count is the new Initiative."""
    initiative, now = step.state[target].value("Initiative"), step.state[TABLE].value("Round")
    counts = [SetTracker(uid, name, initiative) for name in ("Initiative", "Rolled")]
    step.emit("act.interrupts", DropStatus(uid, "delaying"), *counts, SetTracker(uid, "Acted", now), rule="T-IN8")
    shoot(step, uid, target)
    for hurt, name in [hit[:2] for hit in hits(step.state) if hit[2] == uid]:
        step.call(wound, hurt, name)


def dodge(step: Step[None], uid: str) -> None:
    """T-RE1: Initiative -2, in this round or, for one who has acted, in the next (T-IN6), and -1 on own checks."""
    who = step.state[uid]
    name = "Next" if who.value("Acted") == step.state[TABLE].value("Round") else "Initiative"
    counts = SetTracker(uid, name, who.value(name) - 2), SetTracker(uid, "Reactions", who.value("Reactions") + 1)
    step.emit("reaction.dodge", *counts, rule="T-RE1")


def new_round(step: Step[None]) -> None:
    """T-IN6: changes of Initiative end; T-IN8: those who still delay go first, one above the highest."""
    everyone = {who.uid: who.value("Rolled") + who.value("Next") for who in step.state if able(who)}
    changes: list[Change] = [SetTracker(TABLE, "Round", step.state[TABLE].value("Round") + 1)]
    for uid, initiative in everyone.items():
        if "delaying" in step.state[uid].statuses:
            initiative = max(everyone.values()) + 1
            changes += [DropStatus(uid, "delaying"), SetTracker(uid, "Rolled", initiative)]
        changes += [
            SetTracker(uid, "Initiative", initiative),
            *(SetTracker(uid, name, 0) for name in ("Next", "Reactions")),
        ]
    step.emit("round.begins", *changes, rule="T-IN6")


class Gunfight(Plain):
    """The game. Equal counts of both sides are due together: either seat may go first."""

    name = "gunfight"
    rules = named(ready, attack, auto_fire, wound, delay, interrupt, dodge, new_round)

    def next(self, state: State) -> Due:
        if new := [who.uid for who in state if able(who) and "Initiative" not in who.trackers]:
            return Runs("ready", (new[0],))
        now, pending = in_turn(state), hits(state)
        if pending and not (now and count(now[0]) == state[TABLE].attributes["count"]):
            return Runs("wound", pending[0][:2])
        left = [side for side in SIDES if any(able(who) and who.parent == side for who in state)]
        if len(left) < 2 or self.clock(state) > ROUNDS:
            return Over(left[0] if len(left) == 1 else "nobody")
        acting = {str(who.parent) for who in now}
        return Acts(tuple(sorted(acting))) if now else Runs("new_round")

    def legal(self, state: State, seat: str) -> Sequence[Intent]:
        legal = []
        for who in [who for who in in_turn(state) if who.parent == seat]:
            acts = ("attack", "auto_fire") if fact(who, "auto") else ("attack",)
            legal += [Intent(act, (who.uid, foe.uid), seat) for foe in enemies(state, who.uid) for act in acts]
            legal.append(Intent("delay", (who.uid,), seat))
        return legal

    def reactions(self, state: State, window: str, subject: str) -> Sequence[Choice]:
        if window == "dodge":
            return [reaction(state[subject], "dodge", "dodge", subject)]
        delaying = [foe for foe in enemies(state, subject) if "delaying" in foe.statuses and able(state[subject])]
        return [reaction(enemy, "interrupt", "interrupt", enemy.uid, subject) for enemy in delaying]
