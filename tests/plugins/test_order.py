"""The order of plugins against a search through all permutations."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rallypoint.kernel.errors import PluginError
from rallypoint.kernel.plugins.order import Rank, circle, in_order

NAMES = "abcde"


def wishes(plugins: list[Rank]) -> set[tuple[str, str]]:
    """Return the pairs (first, second) that the plugins ask for."""
    names = {plugin.name for plugin in plugins}
    asked = {(plugin.name, other) for plugin in plugins for other in plugin.before}
    asked |= {(other, plugin.name) for plugin in plugins for other in plugin.after}
    return {pair for pair in asked if set(pair) <= names}


def searched(plugins: list[Rank]) -> tuple[str, ...] | None:
    """Return the first permutation, as a dictionary has them, that holds every wish."""
    pairs = wishes(plugins)
    for order in itertools.permutations(sorted(plugin.name for plugin in plugins)):
        if all(order.index(first) < order.index(second) for first, second in pairs):
            return order
    return None


some = st.lists(st.sampled_from([*NAMES, "gone"]), max_size=2).map(tuple)
plugin_lists = st.lists(st.builds(Rank, st.sampled_from(NAMES), some, some), unique_by=lambda plugin: plugin.name)


@given(plugin_lists, st.randoms())
def test_the_order_is_the_first_that_holds_every_wish(plugins: list[Rank], random: object) -> None:
    expected = searched(plugins)
    if expected is None:
        with pytest.raises(PluginError, match="circle"):
            in_order(plugins)
    else:
        assert in_order(plugins) == expected
        assert in_order(plugins[::-1]) == expected
        assert circle(plugins) == ()


@given(plugin_lists)
def test_a_circle_is_made_of_wishes(plugins: list[Rank]) -> None:
    found = circle(plugins)
    assert (found == ()) == (searched(plugins) is not None)
    if found:
        pairs = wishes(plugins)
        assert all(pair in pairs for pair in itertools.pairwise([*found, found[0]]))
        assert found[0] == min(found)
        assert len(set(found)) == len(found)


def test_a_plugin_that_wants_to_come_before_itself() -> None:
    with pytest.raises(PluginError, match="a before a") as caught:
        in_order([Rank("a", before=("a",)), Rank("b")])
    assert caught.value.plugin == "a"
    assert caught.value.hint is not None


def test_nobody() -> None:
    assert in_order([]) == ()


def test_names_decide_where_nothing_is_asked_for() -> None:
    assert in_order([Rank("b"), Rank("c"), Rank("a")]) == ("a", "b", "c")


def test_a_wish_moves_no_more_than_it_must() -> None:
    assert in_order([Rank("a", after=("d",)), Rank("b"), Rank("c"), Rank("d")]) == ("b", "c", "d", "a")
    assert in_order([Rank("a"), Rank("b"), Rank("c"), Rank("d", before=("a", "b"))]) == ("c", "d", "a", "b")
