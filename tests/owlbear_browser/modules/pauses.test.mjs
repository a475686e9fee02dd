/** Pauses that grow, how much of them is chance, and that somebody gives up in the end. */
import assert from "node:assert/strict";
import test from "node:test";
import { pass, settle } from "./time.mjs";
import { Gate } from "../../../adapters/rallypoint_owlbear/extension/src/gate";
import { Pauses } from "../../../adapters/rallypoint_owlbear/extension/src/pauses";

const REFUSAL = { error: { name: "RateLimitHit", message: "too many calls" } };
const taken = (pauses, number) => Array.from({ length: number }, () => pauses.next());

test("pauses are twice as long each time, up to the longest, and begin anew after a success", () => {
  const pauses = new Pauses();
  assert.deepEqual(taken(pauses, 7), [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  assert.equal(pauses.taken, 7);
  pauses.reset();
  assert.deepEqual(taken(pauses, 2), [1000, 2000]);
});

test("chance makes a pause shorter by no more than its share", () => {
  assert.deepEqual(taken(new Pauses(1000, 30_000, 0.5, () => 0), 2), [1000, 2000]);
  assert.deepEqual(taken(new Pauses(1000, 30_000, 0.5, () => 1), 6), [500, 1000, 2000, 4000, 8000, 15_000]);
});

test("the gate leaves half of a pause to chance, and gives up after eight of them", async (context) => {
  context.mock.method(Math, "random", () => 0.5);
  const pauses = [];
  const gate = new Gate((ms) => pauses.push(ms));
  let calls = 0;
  const refused = async () => {
    calls += 1;
    throw REFUSAL;
  };
  let end = null;
  gate.call(refused).catch((error) => (end = error));
  await pass(90_750); // 0.75 of 1 + 2 + 4 + 8 + 16 + 30 + 30 + 30 seconds
  assert.deepEqual(pauses, [750, 1500, 3000, 6000, 12_000, 22_500, 22_500, 22_500]);
  assert.equal(calls, 9);
  assert.equal(end, REFUSAL);
  gate.call(refused).catch(() => undefined);
  await pass(500);
  assert.equal(pauses.at(-1), 750); // what was given up does not make the next call wait for longer
});

test("a call that is refused for anything else is not made again", async () => {
  const gate = new Gate(() => assert.fail("no pause was asked for"));
  const error = { error: { name: "PermissionDenied", message: "not yours" } };
  let end = null;
  gate.call(() => Promise.reject(error)).catch((found) => (end = found));
  await settle();
  assert.equal(end, error);
});
