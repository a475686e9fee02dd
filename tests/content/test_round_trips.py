"""Out and in again is equal, in all four forms and from each to each."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rallypoint.content import Catalogue, Force, parse_force, read_force, same_force, write_force
from rallypoint.content.rosters import Form
from rallypoint.disrupter import catalogue as disrupter

from .forces import forces

CATALOGUE = disrupter()
FORMS: list[Form] = ["markdown", "toml", "json", "csv"]
quick = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def again(force: Force, form: Form) -> Force:
    return parse_force(write_force(force, form, CATALOGUE), form, CATALOGUE, path="x", title="a title that is not used")


@pytest.mark.parametrize("form", FORMS)
@quick
@given(data=st.data())
def test_a_force_comes_back_as_it_went(form: Form, data: st.DataObject) -> None:
    force = data.draw(forces())
    assert same_force(again(force, form)) == same_force(force)


@quick
@given(force=forces(), order=st.permutations(FORMS))
def test_a_force_goes_through_all_forms(force: Force, order: list[Form]) -> None:
    passed = force
    for form in order:
        passed = again(passed, form)
    assert same_force(passed) == same_force(force)


@pytest.mark.parametrize("form", FORMS)
@quick
@given(data=st.data())
def test_the_second_text_is_the_first(form: Form, data: st.DataObject) -> None:
    text = write_force(data.draw(forces()), form, CATALOGUE)
    read = parse_force(text, form, CATALOGUE, path="x", title="unused")
    assert write_force(read, form, CATALOGUE) == text


@pytest.mark.parametrize("form", FORMS)
def test_the_example_page_survives_every_form(form: Form, tmp_path: Path, catalogue: Catalogue, example: str) -> None:
    (tmp_path / "starter.md").write_text(example, "utf-8")
    force = read_force(tmp_path / "starter.md", catalogue)
    assert same_force(again(force, form)) == same_force(force)
    full = read_force(tmp_path / "starter.md", catalogue, with_optional=True)
    read = parse_force(write_force(full, form, catalogue), form, catalogue, path="x", title="", with_optional=True)
    assert same_force(read) == same_force(full)
