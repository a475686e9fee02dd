"""The page in the browser and the page in Python, which other tests use, do the same with any change: neither drifts away."""

from __future__ import annotations

import copy
import itertools
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rallypoint_owlbear.stands import RECORD_KEY
from rallypoint_owlbear.trackers import LIMIT, TRACKERS_KEY

from ..owlbear_live.room import put
from .browser import Room
from .program import Program
from .table import Table

IDS = st.sampled_from(["rallypoint-wounds-u1", "rallypoint-wounds-u2", "rallypoint-stress", "hp", "__proto__"])
UIDS = st.sampled_from(["u1", "u2", "u3"])
NUMBERS = st.integers(-3, 20)
PLAIN = NUMBERS | st.none() | st.booleans() | st.sampled_from(["", "kernel", "Ä"])
LOOKS = st.fixed_dictionaries(
    {"variant": st.sampled_from(["value", "value-max", "counter"]), "color": st.integers(0, 8)},
    optional={"name": st.sampled_from(["Wounds", "Blood"]), "max": NUMBERS, "showOnMap": st.booleans()},
)
ENTRIES = st.builds(lambda looks, identity, value: {"id": identity, "value": value, **looks}, LOOKS, IDS, NUMBERS)
NONSENSE: st.SearchStrategy[Any] = st.sampled_from([None, 7, "x", {"no": "id"}, []])
TRACKERS = st.lists(ENTRIES | NONSENSE, max_size=LIMIT + 1) | st.sampled_from([{"not": "an array"}, "x"])
UNITS = st.lists(st.fixed_dictionaries({"uid": UIDS}, optional={"wounds": NUMBERS, "code": st.just("A")}), max_size=3)
BANDS = st.dictionaries(UIDS, st.sampled_from(["unhurt", "hurt", "bad"]), max_size=2)
RECORDS = st.fixed_dictionaries(
    {}, optional={"uid": UIDS, "wounds": PLAIN, "rev": NUMBERS, "units": UNITS, "bands": BANDS, "optOut": st.booleans()}
)
POINTS = st.fixed_dictionaries({"x": st.integers(-9, 9) | st.just(86.6), "y": st.integers(-9, 9)})
METADATA = st.fixed_dictionaries(
    {}, optional={TRACKERS_KEY: TRACKERS, RECORD_KEY: RECORDS, "com.example/x": st.just({"deep": [1]})}
)
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "trackers": st.lists(
            st.fixed_dictionaries({"id": IDS}, optional={"value": NUMBERS, "checked": st.booleans(), "new": LOOKS}),
            max_size=3,
        ),
        "record": RECORDS,
        "position": POINTS,
    },
)
CASES = st.lists(st.tuples(METADATA, POINTS, CHANGES), min_size=20, max_size=20)


def test_the_same_change_does_the_same_in_both_pages(quick_room: Room, program: Program) -> None:
    table = Table(quick_room, program)
    numbers = itertools.count()

    @settings(max_examples=12, suppress_health_check=list(HealthCheck), deadline=None)
    @given(CASES)
    def the_same(cases: list[tuple[Any, Any, Any]]) -> None:
        ids = [f"t{next(numbers)}" for _ in cases]
        items = [
            {"id": each, "name": each, "metadata": metadata, "position": position}
            for each, (metadata, position, _) in zip(ids, cases, strict=True)
        ]
        table.scene = f"scene of {ids[0]}"
        quick_room.open_scene("deck", items=items, metadata={"io.github.rallypoint/scene": {"id": table.scene}})
        table.tab.until_it_stands(scene=table.scene)
        changes = [{"id": each, **change} for each, (_, _, change) in zip(ids, cases, strict=True)]
        answer = table.write(*changes)
        shown = quick_room.items()
        for item, change in zip(copy.deepcopy(items), changes, strict=True):
            put(item, change)
            found = shown[str(item["id"])]
            assert {key: found[key] for key in item} == item, change
        assert [each["id"] for each in answer["items"]] == ids
        assert (answer["gone"], answer["failed"]) == ([], [])

    the_same()
