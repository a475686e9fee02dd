/** Whom the page trusts: the frame that it is in. */
import assert from "node:assert/strict";
import test from "node:test";
import { isTrusted } from "../../../adapters/rallypoint_owlbear/extension/src/origin";

const QUERY = `?obrref=${btoa("https://www.owlbear.rodeo room-1")}`;

function page(isFramed, hosts) {
  const asked = [];
  globalThis.window = {};
  window.parent = isFramed ? {} : window;
  globalThis.fetch = async (path) => {
    asked.push(path);
    if (hosts === null) throw new TypeError("Failed to fetch");
    return { json: async () => ({ v: 1, hosts }) };
  };
  return asked;
}

test("a page that is in no frame trusts nobody, whatever its address says, and asks nothing", async () => {
  const asked = page(false, ["https://www.owlbear.rodeo"]);
  assert.equal(await isTrusted(QUERY), false);
  assert.deepEqual(asked, []);
});

test("in a frame the program is asked who may have it", async () => {
  const asked = page(true, ["https://www.owlbear.rodeo"]);
  assert.equal(await isTrusted(QUERY), true);
  assert.deepEqual(asked, ["/settings.json"]);
  page(true, ["https://other.example"]);
  assert.equal(await isTrusted(QUERY), false);
});

test("without the program it is Owlbear Rodeo alone", async () => {
  page(true, null);
  assert.equal(await isTrusted(QUERY), true);
  assert.equal(await isTrusted(`?obrref=${btoa("https://evil.example room-1")}`), false);
});
