"""Whatever a file holds: a force whose numbers add up, or an error with a place; never anything else."""

from __future__ import annotations

import re
from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rallypoint.content import Force
from rallypoint.kernel.errors import InputError

PIECES = st.sampled_from(
    [
        "\n",
        "\r\n",
        "* ",
        "- ",
        "1. ",
        "    ",
        "> ",
        "# Any\n",
        "### Squad 1 - A\n",
        "### Squad 2 - Optional\n",
        "#### Team A\n",
        "#### Boat B\n",
        "* 1 CO - Combat Armor, Revolver\n",
        "* 2 Bots - Basical Battlefield Robot, Laser Carbine\n",
        "3 Soldiers – Power Armor, Pulse Rifle w/ GL",
        "```\n",
        "<!--",
        "-->",
        "<b>",
        "**",
        "[x](y)",
        "---\n",
        "\u2028",
        "\u00a0",
        "狐",
        "\0",
        ",",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=3), max_size=25).map("".join)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS.filter(lambda text: not any("\ud800" <= sign <= "\udfff" for sign in text)), st.booleans())
def test_any_text(read: Callable[..., Force], text: str, with_optional: bool) -> None:
    try:
        force = read(text, with_optional=with_optional)
    except InputError as error:
        place = re.match(r"squad\.md:(\d+)?", str(error))
        line = error.line
    else:
        counts = force.counts
        assert counts["read"] == counts["units"] + counts["left_out"] > 0
        assert counts["units"] == sum(counts.get(kind, 0) for kind in ("CO", "NCO", "Soldier", "Bot"))
        assert len({unit.uid for unit in force.units}) == counts["units"]
        assert all(re.fullmatch(r"[a-z0-9-]+-[0-9]+[A-Z]-[0-9]+-[0-9]+", unit.uid) for unit in force.units)
        return
    assert place is not None
    assert line is not None
    assert 1 <= line <= len(re.split(r"\r\n?|\n", text))
