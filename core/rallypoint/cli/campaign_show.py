"""``rallypoint campaign show``: battles, wins, who holds which slot, who is in reserve."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import click

from rallypoint.kernel.errors import RallypointError

from .campaign_begun import Begun, begun_battles
from .campaign_file import CampaignFile, opened
from .command_line import Invocation, PlainHelp
from .terminal import as_json, write

__all__ = ["force_lines", "fought_lines", "next_line", "show", "wins_line"]


@click.command(cls=PlainHelp)
@click.argument("file")
@click.option("--json", "in_json", is_flag=True, help="Print JSON, with every slot.")
@click.pass_obj
def show(invocation: Invocation, file: str, in_json: bool) -> None:
    """Show how a campaign stands: battles, wins, who holds which slot, who is in reserve; and who has won it.

    A battle in the campaign's folder that has begun and is not recorded is named too.

    Example: rallypoint campaign show frontier.campaign
    """
    campaign = opened(invocation, file)
    if in_json:
        write(as_json(_document(campaign)))
        return
    standing = campaign.standing
    write(f"{campaign.title}: first to {standing.wins} win{'' if standing.wins == 1 else 's'}")
    for number in range(1, len(standing.fought) + 1):
        for line in fought_lines(campaign, number):
            write(line)
        if (state := _file_now(campaign, number)) != "as recorded":
            write(f"     note: this battle file is {state}")
    begun = begun_battles(campaign)
    for each in begun:
        write(f"  {each.words}")
    for line in (wins_line(campaign), *force_lines(campaign)):
        write(line)
    write(_after_begun(campaign, begun[-1]) if begun else next_line(campaign))


def _after_begun(file: CampaignFile, begun: Begun) -> str:
    """Return what to do next where the next battle has begun."""
    return f"Next: rallypoint battle play {begun.path}; when it is over: rallypoint campaign record {file.path} {begun.path}"


def _sides(file: CampaignFile) -> list[str]:
    """Return the sides, in the order of the scenario."""
    return [uid for uid in file.called if uid in file.standing.sides.values()]


def _winner(file: CampaignFile, winner: str) -> str:
    return "nobody" if winner == "draw" else file.name(winner)


def fought_lines(file: CampaignFile, number: int) -> Iterator[str]:
    """Yield a battle in words: who won, what became of whom.

    Args:
        file: the campaign.
        number: which battle, from 1.
    """
    fought = file.standing.fought[number - 1]
    yield f"  {number}  {fought.battle}: {_winner(file, fought.winner)} won, in turn {fought.turn}"
    for fate in sorted(set(fought.fates.values())):
        people = [file.name(uid) for uid, became in fought.fates.items() if became == fate]
        yield f"     {fate}: {', '.join(people)}"


def _won(file: CampaignFile) -> Mapping[str, int]:
    return {side: sum(each.winner == side for each in file.standing.fought) for side in _sides(file)}


def wins_line(file: CampaignFile) -> str:
    """Return how many battles each side has won."""
    return "Wins: " + ", ".join(
        f"{file.name(side)} {count} of {file.standing.wins}" for side, count in _won(file).items()
    )


def force_lines(file: CampaignFile) -> Iterator[str]:
    """Yield for each side how many there are, who is missing, who came from the Reserve and who is left in it."""
    standing = file.standing
    for side in _sides(file):
        slots = [slot for slot, whose in standing.sides.items() if whose == side]
        empty = [file.name(slot) for slot in slots if standing.holders[slot] is None]
        came = [slot for slot in slots if standing.holders[slot] not in (None, slot)]
        left = [slot for slot in standing.reserves.values() if standing.sides[slot] == side]
        yield f"{file.name(side)}: {len(slots) - len(empty)} of {len(slots)} units, {len(left)} in reserve"
        if empty:
            yield f"  missing: {', '.join(empty)}"
        if came:
            yield f"  from the Reserve: {', '.join(_who_came(file, slot) for slot in came)}"


def _who_came(file: CampaignFile, slot: str) -> str:
    """Return a slot that somebody from the Reserve holds, and who he is where he has another's class and gear."""
    person = str(file.standing.holders[slot])
    own = file.rules.slot_of(file.standing, person) == slot
    return file.name(slot) if own else f"{file.name(slot)} ({file.name(person)})"


def next_line(file: CampaignFile, *, replaced: bool = False) -> str:
    """Return who has won the campaign, or what to do next; ``replaced``: whoever is to be replaced has been."""
    found = file.rules.ending(file.standing)
    if found is not None:
        said = "a draw" if found.winner == "draw" else f"{file.name(found.winner)} has won it"
        return f"The campaign is over, {said}: {found.why}."
    standing = file.standing
    empty = any(uid is None for uid in standing.holders.values())
    if empty and standing.reserves and not replaced:
        return f"Next: rallypoint campaign replace {file.path}"
    return f"Next: rallypoint campaign battle {file.path} -o battle-{len(standing.fought) + 1}.battle"


def _file_now(file: CampaignFile, number: int) -> str:
    """Return whether a battle file is as it was recorded."""
    from rallypoint.kernel.battle_file import BattleFile

    fought = file.standing.fought[number - 1]
    try:
        with BattleFile(file.path.parent / fought.battle) as battle:
            same = battle.entries()[-1].hash == fought.hash
    except (RallypointError, OSError, ValueError):
        return "not there, or cannot be read"
    return "as recorded" if same else "not as it was recorded: somebody has gone on with it"


def _document(file: CampaignFile) -> Mapping[str, object]:
    standing, won, ending = file.standing, _won(file), file.rules.ending(file.standing)
    return {
        "title": file.title,
        "game": file.game,
        "scenario": file.scenario,
        "wins": standing.wins,
        "won": won,
        "draws": Counter(each.winner for each in standing.fought)["draw"],
        "conceded": standing.conceded,
        "over": None if ending is None else {"winner": ending.winner, "why": ending.why},
        "battles": [
            {
                "number": number,
                "file": each.battle,
                "hash": each.hash,
                "winner": each.winner,
                "turn": each.turn,
                "fates": each.fates,
                "now": _file_now(file, number),
            }
            for number, each in enumerate(standing.fought, 1)
        ],
        "begun": [
            {"number": each.number, "file": each.path.name, "entries": each.entries} for each in begun_battles(file)
        ],
        "sides": {
            side: {
                "name": file.name(side),
                "slots": [
                    {
                        "slot": slot,
                        "name": file.name(slot),
                        "was": standing.kinds[slot],
                        "holder": standing.holders[slot],
                    }
                    for slot, whose in standing.sides.items()
                    if whose == side
                ],
                "reserves": {uid: slot for uid, slot in standing.reserves.items() if standing.sides[slot] == side},
            }
            for side in won
        },
    }
