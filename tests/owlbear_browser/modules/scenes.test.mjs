/** What a scene that goes takes with it: the answer to a write, and the timers. */
import assert from "node:assert/strict";
import test from "node:test";
import OBR from "@owlbear-rodeo/sdk";
import { pass, settle } from "./time.mjs";
import { Gate } from "../../../adapters/rallypoint_owlbear/extension/src/gate";
import { Room } from "../../../adapters/rallypoint_owlbear/extension/src/room";
import { Writing } from "../../../adapters/rallypoint_owlbear/extension/src/writing";
import { SCENE_KEY, UNIT_KEY } from "../../../adapters/rallypoint_owlbear/extension/src/wire";

function item(id, wounds) {
  const place = { type: "IMAGE", layer: "CHARACTER", visible: true, position: { x: 0, y: 0 }, createdUserId: "gm" };
  return { id, name: id, ...place, metadata: { [UNIT_KEY]: { uid: id, wounds } } };
}

/** Write a record to u1; `meanwhile` happens while the room is asked what the item shows now. */
async function written(meanwhile) {
  const room = { epoch: 1, items: [item("u1", 0)] };
  OBR.scene = {
    items: {
      updateItems: async (_ids, update) => update(room.items),
      getItems: async () => (meanwhile(room), room.items),
    },
  };
  const writing = new Writing(new Gate(() => undefined), room, () => undefined);
  return await writing.write({ id: "u1", record: { wounds: 2 } }, () => null);
}

test("an answer tells what the item shows", async () => {
  const { is, item: told } = await written(() => undefined);
  assert.equal(is, "shown");
  assert.equal(told.metadata[UNIT_KEY].wounds, 2);
});

test("of a scene that was switched while a write was on its way nothing is told", async () => {
  const switched = (room) => {
    room.epoch += 1;
    room.items = [item("u1", 1)]; // the next scene has a token of the same id
  };
  assert.deepEqual(await written(switched), { is: "unknown" });
});

/** A room that listens to a scene with u1. */
async function opened(listeners) {
  const hear = {};
  let items = [item("u1", 0)];
  OBR.scene = {
    onReadyChange: (then) => (hear.ready = then),
    onMetadataChange: () => undefined,
    isReady: async () => true,
    getMetadata: async () => ({ [SCENE_KEY]: { id: "deck" } }),
    items: { onChange: (then) => (hear.items = then), getItems: async () => items },
    grid: {
      onChange: () => undefined,
      getDpi: async () => 150,
      getType: async () => "SQUARE",
      snapPosition: async () => ({ x: 75, y: 75 }),
    },
  };
  await new Room({ shown: () => undefined, ...listeners }, (write) => write()).start();
  await settle();
  const show = (...shown) => hear.items((items = shown));
  const open = async (...shown) => {
    hear.ready(false);
    items = shown;
    hear.ready(true);
    await settle();
  };
  return { show, open };
}

test("what was about to be told of a scene is not told when it has gone, and the next one has its own time", async () => {
  const told = [];
  const { show, open } = await opened({ edited: (items) => told.push(items.map((each) => each.metadata[UNIT_KEY].wounds)) });
  show(item("u1", 1));
  await pass(100);
  await open(item("u1", 5));
  show(item("u1", 6));
  await pass(119); // the first would have been told after 20 of these
  assert.deepEqual(told, []);
  await pass(1);
  assert.deepEqual(told, [[6]]);
});
