"""Scenarios that are wrong: every problem at once, each with its line and a hint."""

from __future__ import annotations

from pathlib import Path

import pytest

from rallypoint.content import PageError
from rallypoint.content.scenario import read_scenario
from rallypoint.disrupter import scenario_words
from rallypoint.kernel.errors import InputError

from .scenes import BOARD, HEAD, SIDES, read


def problems(text: str) -> list[InputError]:
    with pytest.raises(PageError) as caught:
        read(text)
    return list(caught.value.problems)


def only(text: str) -> InputError:
    found = problems(text)
    assert len(found) == 1, [str(each) for each in found]
    return found[0]


def test_a_newer_form_is_refused_by_its_number() -> None:
    problem = only("scenario = 3\n" + "nonsense = 1\n")
    assert problem.what == "scenario 3, this version reads 1"
    assert problem.line == 1


@pytest.mark.parametrize("text", ["", 'title = "x"\n', 'scenario = "one"\n', "scenario = true\n", "scenario = 0\n"])
def test_without_a_version_it_is_no_scenario(text: str) -> None:
    assert problems(text)[0].expected == "scenario = 1"


def test_toml_that_is_cut_off_names_the_line() -> None:
    problem = only('scenario = 1\ntitle = "x"\n[board\n')
    assert problem.line == 3
    assert "TOML" in problem.what


@pytest.mark.parametrize(
    ("change", "line", "what", "hint"),
    [
        (('title = "Test"', 'titel = "Test"'), 2, "unknown key", "did you mean title?"),
        (
            ('title = "Test"', 'title = "Test"\nmode = "last_man"'),
            3,
            "a word that means nothing here",
            "did you mean last_man_standing?",
        ),
        (
            ('title = "Test"', 'title = "Test"\nsize = "platon"'),
            3,
            "a word that means nothing here",
            "did you mean platoon?",
        ),
        (
            ('title = "Test"', 'title = "Test"\nrules = "ful"'),
            3,
            "a word that means nothing here",
            "did you mean full?",
        ),
        (('title = "Test"', 'title = "Test"\ngame = "chess"'), 3, "a word that means nothing here", None),
        (('title = "Test"', 'title = "Test"\nreferee = "yes"'), 3, "a value of the wrong type", None),
        (('title = "Test"', 'title = "  "'), 2, "a value of the wrong type", None),
        (("rows = 12", "rows = 0"), 5, "a number that does not fit", None),
        (("rows = 12", "rows = 61"), 5, "a number that does not fit", None),
        (("rows = 12", "rows = 12.5"), 5, "a number that does not fit", None),
        (("rows = 12", "rows = 12\nterain = '.'"), 6, "unknown key", "did you mean terrain?"),
        (("rows = 12", "inches = 24"), 5, "a size is given twice", None),
        (('roster = "red.md"', "roster = 3"), 9, "a value of the wrong type", None),
        (('name = "red"', 'name = "röd"'), 8, "this cannot name a side", None),
        (('name = "red"', 'name = "blue"'), 13 - 1, "two sides of one name", None),
        (('name = "red"', 'name = "red"\nplayers = 9'), 9, "a number that does not fit", None),
        (('name = "red"', 'name = "red"\nrallypoints = {}'), 9, "unknown key", "did you mean rally_points?"),
        (('name = "red"', 'name = "red"\nedge = "north"'), 9, "a word that means nothing here", None),
        (('name = "red"', 'name = "red"\nrally_points = { A = "M1" }'), 9, "this is no hex of the board", None),
        (('name = "red"', 'name = "red"\nrally_points = { A = 3 }'), 9, "this is no hex of the board", None),
        (('name = "red"', 'name = "red"\nplace = { 1A = "A13" }'), 9, "this is no hex of the board", None),
    ],
)
def test_one_fault_is_one_problem_with_its_line(
    change: tuple[str, str], line: int, what: str, hint: str | None
) -> None:
    text = HEAD + BOARD + SIDES
    assert change[0] in text
    found = problems(text.replace(change[0], change[1], 1))
    assert what in [each.what for each in found]
    problem = next(each for each in found if each.what == what)
    assert (problem.path, problem.line, problem.hint) == ("test.toml", line, hint)
    assert problem.expected is not None
    assert {each.what for each in found} == {what}


def test_a_misspelt_key_is_not_missing_besides() -> None:
    text = HEAD + BOARD + SIDES
    for old, new, line in (
        ("title =", "titel =", 2),
        ("[[sides]]", "[[side]]", None),
        ('roster = "red', 'rooster = "red', 9),
    ):
        found = problems(text.replace(old, new))
        assert {each.what for each in found} == {"unknown key"}, new
        assert line in (None, found[0].line)
        assert found[0].hint == f"did you mean {old.strip('[]').split(' ')[0]}?"


@pytest.mark.parametrize("key", ["title", "board", "sides"])
def test_each_part_is_needed(key: str) -> None:
    parts = {"title": HEAD, "board": BOARD, "sides": SIDES}
    text = "scenario = 1\n" + "".join(part for name, part in parts.items() if name != key).replace("scenario = 1\n", "")
    found = problems(text)
    assert ("a key is missing", key) in [(each.what, each.expected) for each in found]


def test_a_key_of_a_side_that_is_missing_is_told_with_the_side() -> None:
    problem = only((HEAD + BOARD + SIDES).replace('roster = "blue.md"', ""))
    assert (problem.what, problem.expected, problem.line) == ("a key is missing", "sides[2].roster", 11)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_there_are_two_sides(count: int) -> None:
    """D-R1.1."""
    sides = "".join(f'[[sides]]\nname = "s{number}"\nroster = "x.md"\n' for number in range(count)) or "sides = []\n"
    text = HEAD + (sides + BOARD if count == 0 else BOARD + sides)
    problem = only(text)
    assert "D-R1.1" in problem.what
    assert (problem.found, problem.expected) == (count, 2)


def test_sides_begin_opposite_each_other() -> None:
    """D-GM-2."""
    text = (HEAD + BOARD + SIDES).replace('name = "red"', 'name = "red"\nedge = "top"')
    problem = only(text.replace('name = "blue"', 'name = "blue"\nedge = "left"'))
    assert "D-GM-2" in problem.what
    assert problem.expected == "bottom"


def test_two_teams_may_not_start_in_one_hex() -> None:
    """D-R14.3."""
    text = (HEAD + BOARD + SIDES).replace('name = "red"', 'name = "red"\nplace = { 1A = "C1", 1B = "c1" }')
    problem = only(text)
    assert "D-R14.3" in problem.what
    assert problem.found == "red 1A, red 1B"


# Drawn boards

DRAWN = HEAD + "[board]\nterrain = '''\n . F x\n  . .\n . . .\n'''\n" + SIDES


def test_signs_and_rows_that_do_not_fit_name_their_own_lines() -> None:
    sign, row = problems(DRAWN)
    assert (sign.what, sign.line, sign.found) == ("a sign that means nothing", 5, "x at sign 3")
    assert "F forest" in str(sign.expected)
    assert (row.what, row.line, row.found) == ("rows of different lengths", 6, "2 signs")
    assert row.expected == "3, as in the first row"


def test_a_drawing_has_its_own_size() -> None:
    good = "[board]\nterrain = '''\n...\n...\n'''\n"
    assert read(HEAD + good.replace("'''\n...", "'''\n...", 1) + "columns = 3\nrows = 2\n" + SIDES).board.columns == 3
    problem = only(HEAD + good + "columns = 4\n" + SIDES)
    assert (problem.what, problem.expected) == ("the drawing has another size", "columns = 3, or leave it out")
    assert "own size" in only(HEAD + good + "inches = 4\n" + SIDES).what
    both = only(HEAD + good + 'scatter = { seed = "x" }\n' + SIDES)
    assert both.what == "terrain is drawn and scattered"


@pytest.mark.parametrize(
    ("scatter", "name"),
    [
        ("{}", "board.scatter.seed"),
        ('{ seed = "x", density = 1.5 }', "board.scatter.density = 1.5"),
        ('{ seed = "x", density = "half" }', "board.scatter.density = 'half'"),
        ('{ seed = "x", buildings = -0.1 }', "board.scatter.buildings = -0.1"),
        ('{ seed = "x", water = "lake" }', "board.scatter.water = 'lake'"),
        ('{ seed = "x", wood = 1 }', "board.scatter.wood"),
        ("{ seed = [] }", "board.scatter.seed = []"),
        ("3", "board.scatter = 3"),
    ],
)
def test_faults_of_a_scatter(scatter: str, name: str) -> None:
    found = problems(HEAD + BOARD + f"scatter = {scatter}\n" + SIDES)
    assert name in {str(each.found) for each in found} | {str(each.expected) for each in found}
    assert {each.line for each in found} == {6}


# Options


@pytest.mark.parametrize(
    ("line", "what", "hint"),
    [
        ('D-AMB-50 = "x"', "unknown option", "did you mean"),
        ('D-AMB-05 = "select"', "a word that means nothing here", "did you mean selected?"),
        ("D-AMB-05 = 3", "a word that means nothing here", None),
        ('"D-AMB-08.start" = 21', "a number that does not fit", None),
        ('D-AMB-08.start = "two"', "a number that does not fit", None),
        ("D-AMB-08.middle = 2", "unknown option", "did you mean"),
    ],
)
def test_faults_of_options(line: str, what: str, hint: str | None) -> None:
    problem = only(HEAD + f"[options]\n{line}\n" + BOARD + SIDES)
    assert (problem.what, problem.line) == (what, 4)
    assert hint is None or hint in str(problem.hint)


def test_everything_is_told_at_once_in_the_order_of_the_lines() -> None:
    text = (
        'scenario = 1\ntitle = ""\nmode = "x"\n[board]\ncolumns = 0\nrows = "y"\n[deployment]\nfrom = "sky"\ndepth = 99\n'
        '[[sides]]\nname = "1"\nplayers = 0\n[[sides]]\nroster = 1\n'
    )
    found = problems(text)
    assert [each.line for each in found] == sorted(each.line or 0 for each in found)
    assert {each.line for each in found} == {2, 3, 5, 6, 8, 9, 10, 11, 12, 13, 14}
    with pytest.raises(PageError) as caught:
        read(text)
    assert str(caught.value).splitlines()[0] == f"test.toml: {len(found)} problems"


def test_lines_after_a_drawing_are_counted_right() -> None:
    text = HEAD + "[board]\nterrain = '''\n...\n[[sides]]\nname = 1\n...\n'''\n" + SIDES.replace('"red.md"', "5")
    found = problems(text)
    assert 13 in {each.line for each in found}
    assert [each.line for each in found if each.what == "a value of the wrong type"] == [13]


def test_a_file_in_another_encoding_is_refused_with_the_byte(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_bytes(b'scenario = 1\ntitle = "M\xfcller"\n')
    with pytest.raises(InputError, match="offset 23"):
        read_scenario(file, scenario_words())


def test_no_message_shows_an_empty_word() -> None:
    for text in ("scenario = 1\n", HEAD + "[board]\n" + SIDES, HEAD + BOARD + "[[sides]]\n[[sides]]\n"):
        shown = "\n".join(str(each) for each in problems(text))
        assert "None" not in shown
        assert "null" not in shown
