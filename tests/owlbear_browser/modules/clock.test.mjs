/** A tab that nobody looks at: the browser all but stops the timers of the page, and it must say that it is there all the same. */
import assert from "node:assert/strict";
import test from "node:test";
import { asked, pass, scripts } from "./time.mjs";
import { after, sleep, startClock } from "../../../adapters/rallypoint_owlbear/extension/src/clock";
import { Link } from "../../../adapters/rallypoint_owlbear/extension/src/link";

test("the worker counts, and not the page", async (context) => {
  const own = context.mock.method(globalThis, "setTimeout", () => assert.fail("a timer of the page"));
  let rang = 0;
  after(3000, () => (rang += 1));
  const stop = after(1000, () => assert.fail("it was stopped"));
  stop();
  await pass(2999);
  assert.equal(rang, 0);
  await pass(1);
  assert.equal(rang, 1);
  assert.deepEqual([scripts, asked, own.mock.callCount()], [["/clock.js"], [3000, 1000], 0]);
});

test("the worker rings when its own timer does", async (context) => {
  const timers = [];
  context.mock.method(globalThis, "setTimeout", (then, ms) => timers.push([then, ms]));
  const said = [];
  globalThis.self = { postMessage: (id) => said.push(id) };
  await import("../../../adapters/rallypoint_owlbear/extension/src/clock.worker");
  self.onmessage({ data: { id: 7, ms: 2000 } });
  assert.deepEqual([said, timers[0][1]], [[], 2000]);
  timers[0][0]();
  assert.deepEqual(said, [7]);
});

/** A program that hears all, and says nothing but that it is there. */
function program(heard) {
  return async (path, { body, signal }) => {
    if (path.startsWith("/link/events")) {
      const start = (to) => {
        to.enqueue(new TextEncoder().encode(":\n\n"));
        signal.addEventListener("abort", () => to.error(new Error("aborted")));
      };
      return { ok: true, body: new ReadableStream({ start }) };
    }
    const { messages } = JSON.parse(body);
    heard.push(...messages.map((each) => each.kind));
    return { ok: true, json: async () => ({ heard: messages.at(-1).m }) };
  };
}

test("a page whose own timers stand still says every two seconds that it is there, and keeps the lease", async (context) => {
  const heard = [];
  context.mock.method(globalThis, "setTimeout", () => 0);
  globalThis.localStorage = { getItem: () => "token", setItem: () => undefined, removeItem: () => undefined };
  globalThis.BroadcastChannel = class {
    postMessage() {}
  };
  globalThis.fetch = program(heard);
  const states = [];
  const listener = { hello: () => ({ kind: "hello" }), stands: (link) => states.push(link), take: () => undefined, forget: () => undefined };
  const link = new Link("tab-1", listener);
  link.start();
  await pass(12_000); // twice as long as the program waits for a word
  link.stop();
  await pass(0);
  assert.deepEqual(heard, ["hello", ...Array(6).fill("lease")]);
  assert.deepEqual(states, ["connecting", "linked"]);
});

test("where there can be no worker the page counts itself", (context) => {
  const own = context.mock.method(globalThis, "setTimeout", () => 0);
  let failing = null;
  globalThis.Worker = class {
    constructor() {
      failing = this;
    }
    postMessage() {}
  };
  startClock("/gone.js");
  void sleep(5000);
  assert.equal(own.mock.callCount(), 0);
  failing.onerror();
  assert.equal(own.mock.callCount(), 1); // what the worker did not do
  void sleep(4000);
  assert.equal(own.mock.calls[1].arguments[1], 4000);
});
