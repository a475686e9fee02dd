"""The legend of a card: every short word that stands on it, and none that does not."""

from __future__ import annotations

import re

import pytest

from rallypoint.disrupter import catalogue
from rallypoint.paper.card import CardForm, cards
from rallypoint.paper.card_html import card_fragment
from rallypoint.paper.card_legend import COLUMNS, TRAITS, legend
from rallypoint.paper.card_markdown import card_markdown
from rallypoint.paper.card_pdf import card_pdf

from .drawn import drawn_words
from .pictures import small, starter

(CARD,) = cards(starter())


def test_every_trait_of_the_game_has_its_words() -> None:
    known = {trait.partition("(")[0] for item in catalogue().weapons.values() for trait in item.traits}
    assert known <= set(TRAITS)
    assert list(COLUMNS) == list(catalogue().columns["weapon"])


def test_the_legend_says_what_stands_on_the_card_in_its_order() -> None:
    words = dict(legend(CARD))
    assert [word for word, _ in legend(CARD)][:9] == ["I", "A", "M", "W", "T", "C", "M", "L", "Max"]
    assert words["splash (close, 1)"] == "1 Wound to others at Close Range of the target"
    assert words["splash (close, 2)"] == "2 Wounds to others at Close Range of the target"
    assert words["recharge (3)"] == "after a shot silent for 3 turns"
    assert words["requires armor (battle dress)"] == "only for who wears the armor in brackets"
    shown = ", ".join(row.text for row in CARD.weapons)
    for word, _ in list(legend(CARD))[9:]:
        assert word in shown
    # The platoon without its boats has no sniper.
    assert "no cover penalty" not in words


def test_each_trait_on_the_card_is_explained_once() -> None:
    traits = {trait for row in CARD.weapons for trait in row.traits}
    words = [word for word, _ in legend(CARD)][9:]
    assert len(words) == len(set(words)) == len(traits) > 10


@pytest.mark.parametrize("form", ["html", "markdown", "pdf"])
def test_the_legend_stands_on_every_form_of_card(form: str) -> None:
    if form == "html":
        text = re.sub("<[^>]*>", "", card_fragment(CARD))
    elif form == "markdown":
        text = card_markdown(starter()).replace("*", "").replace("\\", "")
    else:
        text = drawn_words(card_pdf(starter()))
    for words in ("Wounds at Close Range, up to 1 hex", "goes over what stands between", "no limit"):
        assert words in " ".join(text.split())


def test_a_card_of_another_game_explains_no_words_of_ours() -> None:
    form = CardForm((), 0, (), "Seen", {})
    for card in cards(small(), form):
        assert [word for word, _ in legend(card) if word in ("I", "A", "M", "W", "T", "C", "L", "Max")] == []
