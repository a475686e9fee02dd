/** Items as they are told to the program, and which of them changed. */

import type { Item } from "@owlbear-rodeo/sdk";
import { TRACKERS_KEY, UNIT_KEY, type Json, type SentItem } from "./wire";

export const isOurs = (item: Pick<Item, "metadata">): boolean => UNIT_KEY in item.metadata;

/** What the program hears of an item: of the metadata only our record and the trackers. */
export function sent(item: Item): SentItem {
  const metadata: Json = {};
  for (const key of [UNIT_KEY, TRACKERS_KEY]) if (key in item.metadata) metadata[key] = item.metadata[key];
  const { id, type, name, layer, visible, position, createdUserId } = item;
  return { id, type, name, layer, visible, position: { x: position.x, y: position.y }, createdUserId, metadata };
}

/** What is known of our items, so that a change can be seen. */
export class Known {
  private texts = new Map<string, string>();

  /** Take items as they are, without a word. */
  start(items: Item[]): void {
    this.texts = new Map(items.filter(isOurs).map((each) => [each.id, JSON.stringify(sent(each))]));
  }

  /** Take items as they are; return those with our record, or that had it, which are new or changed, and the ids of those that are gone. */
  changes(items: Item[]): { items: SentItem[]; removed: string[] } {
    const before = this.texts;
    const changed: SentItem[] = [];
    const here = new Set<string>();
    this.texts = new Map();
    for (const item of items) {
      here.add(item.id);
      if (!isOurs(item) && !before.has(item.id)) continue;
      const told = sent(item);
      const text = JSON.stringify(told);
      if (before.get(item.id) !== text) changed.push(told);
      if (isOurs(item)) this.texts.set(item.id, text);
    }
    return { items: changed, removed: [...before.keys()].filter((id) => !here.has(id)) };
  }
}

/** More than this of one item is not ours; the room itself keeps less. */
const MOST_SIGNS = 64_000;
/** All items of one message: the program takes 4,000,000 bytes, and a sign may be three. */
const MOST_TOGETHER = 1_200_000;

/** The items that fit into one message. Of the others the program hears nothing, so it takes them for unknown, not for gone. */
export function fitting(items: SentItem[]): SentItem[] {
  let room = MOST_TOGETHER;
  return items.filter((each) => {
    const size = JSON.stringify(each).length;
    if (size > MOST_SIGNS || size > room) return false;
    room -= size;
    return true;
  });
}
