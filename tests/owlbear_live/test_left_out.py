"""What a page says of a token that it does not tell of: nothing, so it is not gone."""

from __future__ import annotations

from typing import Any

from .room import token
from .test_link import Table


def test_a_token_that_the_page_leaves_out_is_unknown_and_not_gone() -> None:
    table = Table()
    table.room.items["t2"] = token("t2", "u2", {"rallypoint-wounds-u2": 0})
    say = table.page.say

    def leaving_out(kind: str, **keys: Any) -> None:
        if kind == "snapshot":
            keys["items"] = [each for each in keys["items"] if each["id"] != "t2"]
        say(kind, **keys)

    table.page.say = leaving_out  # type: ignore[method-assign]
    found = table.way.read(["t2", "never there"])
    assert "t2" not in found.seen
    assert found.gone == frozenset({"never there"})
