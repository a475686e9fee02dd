"""battle play: by hand at the terminal; left, interrupted and undone at any prompt, with another process at the same file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rallypoint.kernel.battle_file import BattleFile
from rallypoint.kernel.history import History

from .battles import Lines, entries, kinds, said, say


def play(*given: str | Callable[[], str], options: tuple[str, ...] = ()) -> str:
    return said("battle", "play", "a.battle", *options, given=given)


@pytest.fixture
def seeded(home: Path) -> Path:
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "7", "--seat", "blue=auto")
    return home / "a.battle"


@pytest.fixture
def typed(home: Path) -> Path:
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--dice", "typed")
    return home / "a.battle"


def state_hash(path: Path) -> str:
    with BattleFile(path) as file:
        return History.of(file.entries()).state.digest


def test_choices_are_numbered_and_taken_by_number(seeded: Path) -> None:
    out = play("1", "q")
    assert "   1  R-0: first order: Engage the enemy.\n" in out
    assert "D-R10.5  R-0A-1 CO to R-0: Engage the enemy." in out
    assert out.splitlines()[-1] == "red> Left at entry 2. Next: rallypoint battle play a.battle"
    assert kinds(seeded) == ["start", "step", "step"]


def test_the_end_of_the_input_leaves_like_q(seeded: Path) -> None:
    assert play().splitlines()[-1] == "Left at entry 1. Next: rallypoint battle play a.battle"


def test_words_show_fewer_choices_and_their_numbers_hold(seeded: Path) -> None:
    out = play("r-1: HOLD", "1", "q")
    assert out.count("   1  R-1: first order: Hold here.") == 1
    order = entries(seeded)[-1].events[0]
    assert (order.why["to"], order.why["verb"]) == ("red.small-1", "hold")
    assert "No choice holds these words." in play("nonsense", "q")
    assert "Numbers from 1 to " in play("99", "q")


def test_an_act_can_be_typed_as_a_rule_with_arguments(seeded: Path) -> None:
    play('brief ["R-1", {"text": "Wait for it.", "fire_policy": "hold"}]', "q")
    assert entries(seeded)[-1].events[0].why["text"] == "Wait for it."


def test_several_numbers_at_once_are_refused_where_they_are_no_one_act(seeded: Path) -> None:
    assert "Refused: these cannot be done at once (D-R16.1)" in play("1 3", "q")
    assert kinds(seeded) == ["start", "step"]


def test_what_the_rules_refuse_is_said_and_play_goes_on(seeded: Path) -> None:
    out = play('brief ["B-1", {"text": "Run."}]', "1", "q")
    assert "Refused: red: this is no squad of this side (D-R10.5)" in out
    assert kinds(seeded) == ["start", "step", "step"]


def test_help_show_and_lately_write_nothing(seeded: Path) -> None:
    play("q")
    before = seeded.read_bytes()
    out = play("?", "s", "l", "q")
    assert "undo your last act, and what followed from it" in out
    assert "R-0A-1 CO" in out
    assert "1.1  D-R10.1" in out
    assert seeded.read_bytes() == before


def test_undo_goes_back_to_the_last_act_of_a_person_and_redo_forward_again(seeded: Path) -> None:
    play("q")
    first = state_hash(seeded)
    play("done", "q")  # blue's briefing and red's first turn follow by themselves
    later = state_hash(seeded)
    assert later != first
    out = play("u", "q")
    assert "Undid entry 2 (done)." in out
    assert state_hash(seeded) == first
    steps = kinds(seeded).count("step")
    play("r", "q")
    assert state_hash(seeded) == later
    assert kinds(seeded).count("step") == steps  # what followed was brought back, not played again
    assert "There is no act of yours to undo." in play("u", "u", "q")


def test_the_game_can_choose_once(seeded: Path) -> None:
    play("g", "q")
    acts = [entry.intent.seat for entry in entries(seeded) if entry.kind == "step" and entry.intent.seat is not None]
    assert acts[0] == "red"


def test_dice_are_asked_for_by_name_and_typed_in(typed: Path) -> None:
    out = play("done", "done", "34 35", "9O 91", "100 1", "7", "90 91", "u", "q")
    reason = "[+] officer R-1A-1 NCO within Close Range"
    better = "the better counts, but a double before all"
    assert f"R-0A-1 CO rolls 2d100 (00 to 99) for initiative: below 80, {reason}: {better}>" in out
    assert out.count("2 numbers from 0 to 99, please.") == 3
    assert "B-0A-1 CO: initiative: 90 and 91 under 80: failure" in out
    assert "Dropped groups, which waited for an answer." in out
    assert "Undid entry 3 (done)." in out
    assert state_hash(typed) == entries(typed)[2].hash


def test_a_mistyped_die_is_taken_back_alone(typed: Path) -> None:
    out = play("done", "done", "34 53", "u", "34 35", "90 91", "q")
    assert "Took back an answer: R-0A-1 CO rolls 2d100" in out
    assert "R-0A-1 CO: initiative: 34 and 35 under 80: success" in out
    assert "Undid" not in out
    assert kinds(typed)[-4:] == ["retract", "wait", "step", "wait"]
    said("battle", "replay", "a.battle")
    assert "an answer is taken back" in said("battle", "log", "a.battle")


def test_undo_of_an_act_that_waits_for_dice_takes_back_that_act_alone(typed: Path) -> None:
    """Up to an act of red that needs dice: whatever spots, in the first Battlefield portion in which somebody is seen."""
    play("done", "done", "34 35", "90 91", "10 20", "10 20", "done", "spots", "1", "q")
    waiting = entries(typed)[-1]
    assert (waiting.kind, waiting.intent.rule, waiting.intent.seat) == ("wait", "act", "red")
    done = [entry.number for entry in entries(typed) if entry.kind == "step"]
    out = play("u", "q")
    assert "Dropped act, which waited for an answer." in out
    assert "Undid" not in out
    assert [entry.number for entry in entries(typed) if entry.kind == "step"] == done


def test_a_seat_sits_alone_and_stops_at_the_choices_of_others(typed: Path) -> None:
    out = play("done", options=("--as", "red"))
    assert out.splitlines()[-1] == "To act: Blue"
    assert say("battle", "play", "a.battle", "--as", "green").status == 2


def test_what_the_machine_tells_its_squads_is_not_shown_to_the_one_person(seeded: Path) -> None:
    out = play("done", "s", "q")
    assert "Red: done" in out
    assert "Blue: not known" in out
    assert "B-0A-1 CO to" not in out
    assert "D-R10.5  Blue: ready" in out


def test_another_process_is_told_plainly_and_play_goes_on_from_there(seeded: Path) -> None:
    def meanwhile() -> str:
        said("battle", "act", "a.battle", "--number", "2")
        return "1"

    out = play(meanwhile, "1", "q")
    assert "Somebody else went on with this battle meanwhile (2 step); what you chose was not done." in out
    assert "D-R10.5  R-0A-1 CO to R-0: Hold here." in out  # what the other did is told
    orders = [entry.events[0].why["to"] for entry in entries(seeded)[2:]]
    assert orders == ["red.small-0", "red.small-1"]  # the second "1" was a choice of the list that was shown then


def test_a_single_command_is_told_the_same_way(seeded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rallypoint.cli.battle_table import Table

    play("q")
    sit = Table.__enter__

    def overtaken(table: Table) -> Table:
        monkeypatch.setattr(Table, "__enter__", sit)
        said("battle", "act", "a.battle", "--number", "2")
        return sit(table)

    monkeypatch.setattr(Table, "__enter__", overtaken)
    done = say("battle", "act", str(seeded), "--number", "1")
    assert done.status == 2
    assert "another process wrote to this battle first" in done.err
    assert "entry 2 at the head (step)" in done.err


def test_an_interrupt_at_any_prompt_leaves_the_last_whole_step(typed: Path) -> None:
    """Ctrl-C at the first prompt, at the second, and so on: each time the file opens and goes on as if q had been typed."""
    script = ["done", "done", "34 35", "90 91", "u", "s", "done", "1 2", "3 4", "5 6", "7 8"]

    def interrupt() -> str:
        raise KeyboardInterrupt

    for prompts in range(len(script) + 1):
        typed.unlink()
        said("battle", "new", "skirmish.toml", "-o", "a.battle", "--dice", "typed")
        lines = Lines([*script[:prompts], interrupt])
        done = say("battle", "play", "a.battle", given=lines)
        assert (done.status, done.err) == (130, "interrupted\n")
        assert lines.read == prompts + 1
        interrupted = [(entry.kind, entry.hash) for entry in entries(typed)]
        said("battle", "replay", "a.battle")
        typed.unlink()
        said("battle", "new", "skirmish.toml", "-o", "a.battle", "--dice", "typed")
        play(*script[:prompts], "q")
        assert [(entry.kind, entry.hash) for entry in entries(typed)] == interrupted


def test_a_battle_that_is_over_says_so_and_asks_nothing(home: Path) -> None:
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "1", "--seat", "red=auto", "--seat", "blue=auto")
    out = play()
    assert "Over: " in out.splitlines()[-2]
    assert "> " not in out
    before = (home / "a.battle").read_bytes()
    play()
    assert (home / "a.battle").read_bytes() == before


def test_reactions_are_chosen_by_number(home: Path) -> None:
    """Two persons: red walks up under blue's eyes until somebody is asked to react or blue fires without a choice."""
    said("battle", "new", "skirmish.toml", "-o", "a.battle", "--seed", "5")
    lines = ["done", "done"]
    lines += ["move B", "1"] * 12
    out = say("battle", "play", "a.battle", given=lines).out
    asked = [line for line in out.splitlines() if "decides: reaction" in line]
    fired = [line for line in out.splitlines() if "fires in reaction" in line]
    assert asked or fired
    if asked:
        assert "fire at" in out
