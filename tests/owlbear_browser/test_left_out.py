"""A token whose metadata is too big: the page leaves it out and says so once, and the others go on."""

from __future__ import annotations

from rallypoint_owlbear.stands import RECORD_KEY

from .browser import Room
from .program import Program
from .table import Table
from .tokens import token


def test_two_megabytes_in_two_tokens_keep_nobody_from_being_read(room: Room, program: Program) -> None:
    big = [token("u1"), token("u2")]
    for each in big:
        each["metadata"][RECORD_KEY]["note"] = "x" * 2_100_000
    small = token("u3")
    table = Table(room, program, [*big, small])
    ids = [each["id"] for each in [*big, small]]
    _, body = table.ask("snapshot wanted", items=ids)
    assert [each["id"] for each in body["items"]] == [small["id"]]
    assert body["gone"] == []
