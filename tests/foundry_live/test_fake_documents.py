"""Documents of the fake world: what an update, a creation, a deletion does, as the reference says of Foundry."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rallypoint.kernel.errors import InputError
from rallypoint_foundry.fake import combats
from rallypoint_foundry.fake.documents import Document, FoundryError, at, copied, expanded, merge
from rallypoint_foundry.fake.systems import load_system
from rallypoint_foundry.fake.table import Table, demo_world, fill, sheets
from rallypoint_foundry.fake.world import Event


def named(world: Table, name: str) -> str:
    return next(f"Actor.{key}" for key, actor in world.collections["Actor"].items() if actor["name"] == name)


def token(world: Table, name: str) -> str:
    scene = world.scene()
    tokens = scene["tokens"]
    assert isinstance(tokens, list)
    return next(f"Scene.{scene['_id']}.Token.{one['_id']}" for one in tokens if one["name"] == name)


def document(world: Table, uuid: str) -> Document:
    found = world.find(uuid)
    assert found is not None, uuid
    return found.document


def own_actor(world: Table, uuid: str) -> str:
    found = world.find(uuid)
    assert found is not None
    assert found.parent is not None
    actor = world.actor_uuid(found.parent["_id"], found.document)
    assert actor is not None
    return actor


@pytest.mark.parametrize(
    ("data", "after"),
    [
        ({"a.b": 2}, {"a": {"b": 2, "c": 1}, "l": [1, 2]}),
        ({"a": {"b": 2}}, {"a": {"b": 2, "c": 1}, "l": [1, 2]}),
        ({"a": 5}, {"a": 5, "l": [1, 2]}),
        ({"l": [3]}, {"a": {"b": 1, "c": 1}, "l": [3]}),
        ({"a.-=b": None}, {"a": {"c": 1}, "l": [1, 2]}),
        ({"-=a": None}, {"l": [1, 2]}),
        ({"a.b": 2, "a.c": 3}, {"a": {"b": 2, "c": 3}, "l": [1, 2]}),
        ({"n.-=x": None, "n.y": 1}, {"a": {"b": 1, "c": 1}, "l": [1, 2], "n": {"y": 1}}),
    ],
)
def test_objects_merge_lists_and_numbers_are_replaced(data: Document, after: Document) -> None:
    before: Document = {"a": {"b": 1, "c": 1}, "l": [1, 2]}
    merge(before, expanded(data))
    assert before == after


def test_a_switch_is_no_number() -> None:
    flags: Document = {"seen": 1}
    assert merge(flags, {"seen": True}) == {"seen": True}
    assert flags["seen"] is True


plain = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3) | st.lists(inner, max_size=2),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from("abc"), plain, max_size=3),
    st.dictionaries(st.sampled_from("abc"), plain, max_size=3),
)
def test_what_changed_makes_the_same_of_another_copy(before: Document, data: Document) -> None:
    one, two = copied(before), copied(before)
    changes = merge(one, expanded(data))
    merge(two, expanded(changes))
    assert one == two
    assert merge(one, expanded(data)) == {}


def test_an_unlinked_token_keeps_its_own_differences() -> None:
    world = demo_world(squads=2)
    mine, other = own_actor(world, token(world, "Fighter 1-4")), own_actor(world, token(world, "Fighter 2-4"))
    world.update(mine, {"system.hits.value": 1})
    assert at(document(world, mine), "system.hits.value") == 1
    assert document(world, token(world, "Fighter 1-4"))["delta"] == {"system": {"hits": {"value": 1}}}
    assert at(document(world, other), "system.hits.value") == 0
    assert at(document(world, named(world, "Conscript")), "system.hits.value") == 0
    world.update(named(world, "Conscript"), {"system.hits.value": 2})
    assert at(document(world, mine), "system.hits.value") == 1
    assert at(document(world, other), "system.hits.value") == 2


def test_a_linked_token_has_no_actor_of_its_own() -> None:
    world = demo_world()
    uuid = token(world, "Fighter 1-1")
    assert own_actor(world, uuid) == named(world, "Fighter 1-1")
    with pytest.raises(FoundryError):
        world.find(f"{uuid}.{named(world, 'Fighter 1-1')}")
    long = own_actor(world, token(world, "Fighter 1-4"))
    world.update(token(world, "Fighter 1-4"), {"actorLink": True})
    with pytest.raises(FoundryError):
        world.find(long)


def test_tokens_of_a_deleted_actor_stay_as_orphans() -> None:
    world = demo_world()
    uuid = token(world, "Fighter 1-4")
    long = own_actor(world, uuid)
    assert world.remove(named(world, "Conscript"))
    assert not world.remove(named(world, "Fighter 1-1").replace("Actor.", "Actor.x"))
    assert world.find(uuid) is not None
    assert world.find(long) is None
    world.orphans_throw = True
    with pytest.raises(FoundryError, match="toObject"):
        world.check_readable([document(world, uuid)])


def test_a_copied_token_keeps_flags_actor_and_differences() -> None:
    world = demo_world()
    first = token(world, "Fighter 1-4")
    world.update(first, {"flags.rallypoint.uid": "red/1"})
    world.update(own_actor(world, first), {"system.hits.value": 1})
    copy = world.copy_token(first, x=900)
    assert copy != first
    assert at(document(world, copy), "flags.rallypoint.uid") == "red/1"
    assert at(document(world, own_actor(world, copy)), "system.hits.value") == 1
    world.update(own_actor(world, copy), {"system.hits.value": 2})
    assert at(document(world, own_actor(world, first)), "system.hits.value") == 1


def test_items_of_an_unlinked_actor_stay_its_own() -> None:
    world = demo_world()
    base, mine = named(world, "Conscript"), own_actor(world, token(world, "Fighter 1-4"))
    world.update(base, {"items": [{"_id": "itemRifle0000001", "name": "Rifle", "type": "weapon"}]})
    world.update(mine, {"items": [{"_id": "itemRifle0000001", "name": "Bent rifle"}]})
    assert [item["name"] for item in document(world, mine)["items"]] == ["Bent rifle"]  # type: ignore[attr-defined]
    assert [item["name"] for item in document(world, base)["items"]] == ["Rifle"]  # type: ignore[attr-defined]


def test_undeclared_keys_persist_in_mosh_and_vanish_in_the_fork() -> None:
    for system, kept in (("mosh-0.6.1", 3), ("mothershiprpg-0.1.0", None)):
        world = demo_world(system)
        uuid = named(world, "Fighter 1-1")
        world.update(uuid, {"system.other.stress.value": 3, "system.hits.value": 1})
        assert at(document(world, uuid), "system.other.stress.value") == kept
        assert at(document(world, uuid), "system.hits.value") == 1
        long = own_actor(world, token(world, "Fighter 1-4"))
        world.update(long, {"system.other.stress.value": 3})
        assert at(document(world, long), "system.other.stress.value") == kept


def test_a_data_model_refuses_a_value_of_another_type_and_changes_nothing() -> None:
    world = demo_world("mothershiprpg-0.1.0")
    uuid = named(world, "Fighter 1-1")
    with pytest.raises(FoundryError, match=r"validation errors:\n  system\.hits\.value: must be a number"):
        world.update(uuid, {"system.hits.value": "two", "name": "x"})
    assert document(world, uuid)["name"] == "Fighter 1-1"


def test_a_new_actor_has_what_the_template_says() -> None:
    world = Table(load_system("mosh-0.6.1"))
    made = world.create("Actor", {"name": "Vale", "type": "character", "system.hits.max": 3})
    assert at(made, "system.hits") == {"value": 0, "min": 0, "max": 3, "label": "Wounds"}
    assert at(made, "system.other.stress.min") == 2
    with pytest.raises(FoundryError, match='"npc" is not a valid type'):
        world.create("Actor", {"name": "Vale", "type": "npc"})
    with pytest.raises(FoundryError, match="name: may not be undefined"):
        world.create("Actor", {"type": "character"})


@pytest.mark.parametrize(
    ("kind", "disposition", "linked"), [("creature", -1, False), ("character", 1, True), ("ship", 0, False)]
)
def test_mosh_rewrites_every_new_actor(kind: str, disposition: int, linked: bool) -> None:
    given = {
        "name": "Vale",
        "type": kind,
        "prototypeToken": {"name": "V", "disposition": 1, "bar1": {"attribute": "hits"}},
    }
    made = Table(load_system("mosh-0.6.1")).create("Actor", given)["prototypeToken"]
    assert isinstance(made, dict)
    assert (made["bar1"], made["bar2"]) == ({"attribute": "system.health"}, {"attribute": "system.hits"})
    assert (made["name"], made["disposition"], made["displayBars"], made["actorLink"]) == (
        "Vale",
        disposition,
        20,
        linked,
    )
    left = Table(load_system("mosh-0.5.27")).create("Actor", given)["prototypeToken"]
    assert isinstance(left, dict)
    assert (left["bar1"], left["disposition"]) == ({"attribute": "hits"}, 1)


def test_the_calm_setting_replaces_the_stress_of_new_characters() -> None:
    world = Table(load_system("mosh-0.6.1")._replace(calm=True))
    stress = {"system": {"other": {"stress": {"value": 4, "min": 0, "max": 20}}}}
    made = world.create("Actor", {"name": "Platoon", "type": "character", **stress})
    assert at(made, "system.other.stress.value") == 85
    world.update(f"Actor.{made['_id']}", stress)  # the hook does not run on update
    assert at(made, "system.other.stress.value") == 4


def test_macros_clamp_and_updates_do_not() -> None:
    world = demo_world()
    uuid = named(world, "First Platoon")
    assert world.adjust(uuid, "system.other.stress.value", -5) == 2
    assert world.adjust(uuid, "system.other.stress.value", 40) == 20
    world.edit(uuid, {"system.other.stress.value": -3})
    assert at(document(world, uuid), "system.other.stress.value") == -3
    with pytest.raises(InputError):
        world.adjust(uuid, "system.nothing.value", 1)
    strict = demo_world(load_system("mosh-0.6.1")._replace(clamps=True))
    strict.edit(uuid, {"system.other.stress.value": 50, "system.hits.value": 1})
    assert at(document(strict, uuid), "system.other.stress.value") == 20
    strict.edit(uuid, {"system.other.stress.value": -3})
    assert at(document(strict, uuid), "system.other.stress.value") == 2
    assert at(document(strict, uuid), "system.hits.value") == 1


def test_listeners_hear_what_differs_and_nothing_if_nothing_does() -> None:
    world = demo_world()
    heard: list[Event] = []
    world.listeners.append(heard.append)
    uuid, long = named(world, "Fighter 1-1"), own_actor(world, token(world, "Fighter 1-4"))
    world.update(uuid, {"system.hits": {"value": 1, "max": 2}})
    world.update(uuid, {"system.hits.value": 1})
    world.update(long, {"system.hits.value": 2})
    scene = world.scene()
    world.update(f"Scene.{scene['_id']}", {"tokens": [{"_id": token(world, "Fighter 1-2").split(".")[-1], "x": 5}]})
    assert [(event.hook, event.uuid, event.changes) for event in heard] == [
        ("updateActor", uuid, {"system": {"hits": {"value": 1}}}),
        ("updateActor", long, {"system": {"hits": {"value": 2}}}),
        ("updateToken", token(world, "Fighter 1-2"), {"x": 5}),
    ]
    assert heard[1].document["_id"] == named(world, "Conscript").removeprefix("Actor.")


def test_initiative_orders_the_turns_and_the_oldest_encounter_is_next() -> None:
    world = demo_world()
    first = combats.start(world, "One")
    fight = combats.start(world, "Two")
    for name in ("Fighter 1-3", "Fighter 1-2", "Fighter 1-1"):
        assert combats.add(world, fight, token(world, name))
    combatants = fight["combatants"]
    assert isinstance(combatants, list)
    world.update(f"Combat.{fight['_id']}.Combatant.{combatants[1]['_id']}", {"initiative": 9, "defeated": True})
    world.update(f"Combat.{fight['_id']}.Combatant.{combatants[2]['_id']}", {"initiative": -1})
    assert [one["name"] for one in combats.in_order(fight)] == ["Fighter 1-2", "Fighter 1-1", "Fighter 1-3"]
    turns = [
        combats.turned(world, fight, action)["currentTurn"]
        for action in ("nextTurn", "nextTurn", "nextTurn", "previousTurn")
    ]
    assert turns == [1, 2, 0, 2]
    assert fight["round"] == 1
    combats.end(world, fight)
    assert combats.current(world) is first


def test_an_export_of_ours_becomes_a_world() -> None:
    actor = {"_id": "a" * 16, "name": "Gunner", "type": "creature", "system": {"hits": {"value": 1}}, "items": []}
    placed = {"_id": "t" * 16, "name": "Gunner", "actorId": "a" * 16, "actorLink": True, "x": 10}
    scene = {"_id": "s" * 16, "name": "Board", "active": False, "tokens": [placed]}
    combat = {
        "_id": "c" * 16,
        "combatants": [{"_id": "d" * 16, "tokenId": "t" * 16, "sceneId": "s" * 16, "name": "Gunner"}],
    }
    world = Table(load_system("mosh-0.6.1"))
    counts = fill(world, {"actors": [actor], "scenes": [scene], "combats": [combat]})
    assert (counts["actors"], counts["scenes"], counts["combats"]) == (1, 1, 1)
    assert world.scene()["_id"] == "s" * 16
    assert own_actor(world, f"Scene.{'s' * 16}.Token.{'t' * 16}") == f"Actor.{'a' * 16}"
    assert world.combat == "c" * 16
    assert [(sheet.name, sheet.numbers["system.hits.value"]) for sheet in sheets(world)] == [("Gunner", ("Wounds", 1))]


def test_an_unknown_system_is_named() -> None:
    with pytest.raises(InputError, match=r"dnd5e.*mosh-0\.6\.1"):
        load_system("dnd5e")
