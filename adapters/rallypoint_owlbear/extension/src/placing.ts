/** New items in the open scene. Those whose id is there already are left alone, so that doing it twice is doing it once. */

import OBR, { type Item } from "@owlbear-rodeo/sdk";
import { now, sleep } from "./clock";
import { failureOf, type Failure } from "./errors";
import type { Gate } from "./gate";
import { CALL, type Failed, type Json } from "./wire";
import { bytesOf } from "./writing";

/** An item that was added may be seen a little later only. */
const APPEARS_MS = 2000;
const LOOK_MS = 100;

export interface Placed {
  there: string[];
  failed: Failed;
  /** Why it was not begun at all. */
  obstacle: Failure | null;
}

export async function place(gate: Gate, items: Json[], obstacle: () => Failure | null): Promise<Placed> {
  const placed: Placed = { there: [], failed: [], obstacle: null };
  for (const portion of portions(items)) {
    const failure = await added(gate, portion, obstacle);
    if (failure?.notBegun && !placed.there.length) return { ...placed, obstacle: failure };
    const ids = portion.map((each) => String(each["id"]));
    const there = await seen(ids, failure === null);
    placed.there.push(...there);
    const { code, why } = failure ?? { code: "not_there", why: "the room did not take it" };
    placed.failed.push(...ids.filter((id) => !there.includes(id)).map((id) => ({ id, code, why })));
  }
  return placed;
}

async function added(gate: Gate, items: Json[], obstacle: () => Failure | null): Promise<(Failure & { notBegun: boolean }) | null> {
  let stop: Failure | null = null;
  try {
    await gate.call(async () => {
      stop = obstacle();
      if (stop) return;
      const ids = items.map((each) => String(each["id"]));
      const there = new Set((await OBR.scene.items.getItems(ids)).map((each) => each.id));
      const missing = items.filter((each) => !there.has(String(each["id"])));
      if (missing.length) await OBR.scene.items.addItems(missing.map(signed));
    });
    return stop ? { ...(stop as Failure), notBegun: true } : null;
  } catch (error) {
    return { ...failureOf(error), notBegun: false };
  }
}

/** What only the room knows of a new item: whose it is, when, and above which others. */
function signed(item: Json, place: number): Item {
  const player = OBR.player.id;
  const at = { lastModified: new Date().toISOString(), lastModifiedUserId: player, createdUserId: player };
  return { ...item, ...at, zIndex: Date.now() + place } as unknown as Item;
}

async function seen(ids: string[], wait: boolean): Promise<string[]> {
  const end = now() + (wait ? APPEARS_MS : 0);
  for (;;) {
    const found = new Set((await OBR.scene.items.getItems(ids).catch(() => [])).map((each) => each.id));
    if (found.size === ids.length || now() >= end) return ids.filter((id) => found.has(id));
    await sleep(LOOK_MS);
  }
}

/** Items in portions that one call takes; one that is too big alone stays alone. */
export function portions(items: Json[]): Json[][] {
  const found: Json[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    const newest = found.at(-1);
    if (newest && newest.length < CALL.items && bytes + size <= CALL.bytes) {
      newest.push(item);
      bytes += size;
    } else {
      found.push([item]);
      bytes = size;
    }
  }
  return found;
}

