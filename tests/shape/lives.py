"""Play a battle one append a life: each process opens the file, does the one thing that is due, and is killed.

``python -m tests.shape.lives GAME PATH`` is one life. With ``forked`` at the end a parent process, which touches no
battle, forks one life after the other until the battle is over, and prints how many there were.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from rallypoint.kernel.answers import PERSON, Answers, Seed
from rallypoint.kernel.battle import Battle
from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.canonical import digest
from rallypoint.kernel.game import Acts, Over, Runs
from rallypoint.kernel.history import Entry
from rallypoint.kernel.tape import Choose, Grade, Question, Roll, question_value

from .games import GAMES

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


class Deadly:
    """A battle file that kills the process as soon as something was appended."""

    def __init__(self, file: BattleFile) -> None:
        self._file = file

    def entries(self, start: int = 0) -> list[Entry]:
        return self._file.entries(start)

    def append(self, entry: Entry) -> None:
        self._file.append(entry)
        os.kill(os.getpid(), KILL)


def reply(question: Question, key: str) -> object:
    """Answer a question in a way that depends on nothing but the question and ``key``."""
    dice = Seed(digest((question_value(question), key)))
    if isinstance(question, Roll):
        return [dice.faces(throw, 0, place) for place, throw in enumerate(question.throws)]
    assert isinstance(question, Grade)
    return dice.faces(question.throw, 0, 0)


def advance(battle: Battle[None]) -> bool:
    """Do the one thing that is due, an answer or an act, with one append; say whether there was anything to do."""
    question, due, key = battle.question, battle.due, battle.state.digest
    if isinstance(question, Choose):
        waiting = battle.history.waiting
        place = len(waiting.given) if waiting else 0
        battle.answer(int(digest((key, place, len(question.asks))), 16) % len(question.asks[place].options), ask=place)
    elif question is not None:
        battle.answer(reply(question, key))
    elif isinstance(due, Runs):
        battle.proceed()
    elif isinstance(due, Acts):
        legal = battle.legal(due.seats[-1])
        battle.act(legal[int(key, 16) % len(legal)])
    return not isinstance(due, Over)


def live(name: str, path: Path) -> None:
    game, _ = GAMES[name]()
    if advance(Battle.open(Deadly(BattleFile(path)), game, Answers(PERSON))):
        raise AssertionError("something was done and nothing appended")


def forked(name: str, path: Path) -> None:
    lives = 0
    while True:
        child = os.fork()
        if not child:
            try:
                live(name, path)
            except BaseException:
                sys.excepthook(*sys.exc_info())
                os._exit(1)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            break
        assert os.WTERMSIG(status) == KILL
        lives += 1
    print(lives)  # noqa: T201
    sys.exit(os.WEXITSTATUS(status))


if __name__ == "__main__":
    (forked if sys.argv[3:] == ["forked"] else live)(sys.argv[1], Path(sys.argv[2]))
