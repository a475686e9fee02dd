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
