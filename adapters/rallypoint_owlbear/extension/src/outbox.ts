import { fitting } from "./items";
import type { Message, SentItem } from "./wire";

export type Numbered = Message & { m: number };

/** The program takes so many in one body. */
const MOST = 200;

/** Messages that the program has not heard yet, with their numbers. */
export class Outbox {
  private waiting: Numbered[] = [];
  private last = 0;
  private sentUpTo = 0;

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  /** Put a message at the end. Edits join those that wait there, as long as these were not sent. */
  put(message: Message): void {
    const newest = this.waiting.at(-1);
    const isFresh = newest !== undefined && newest.m > this.sentUpTo;
    if (isFresh && newest.kind === "edited" && message.kind === "edited" && newest.scene === message.scene) {
      const here = new Set(message.items.map((each) => each.id));
      newest.removed = [...new Set([...newest.removed, ...message.removed])].filter((id) => !here.has(id));
      newest.items = fitting(together(newest.items, message.items, message.removed));
    } else this.waiting.push({ ...message, m: ++this.last });
  }

  /** Say hello before all that waits: to a program that has forgotten us, or does not know us yet. */
  hello(message: Message): void {
    const rest = this.waiting.filter((each) => each.kind !== "hello" && each.kind !== "lease");
    this.waiting = [message, ...rest].map((each) => ({ ...each, m: ++this.last }));
  }

  /** Forget all: they were for a program that has ended. */
  clear(): void {
    this.waiting = [];
  }

  /** The next ones to be sent, so many at most. */
  batch(most: number = MOST): Numbered[] {
    const found = this.waiting.slice(0, most);
    this.sentUpTo = Math.max(this.sentUpTo, found.at(-1)?.m ?? 0);
    return found;
  }

  /** The program has heard all up to a number. */
  heard(upTo: number): void {
    this.waiting = this.waiting.filter((each) => each.m > upTo);
  }
}

function together(older: SentItem[], newer: SentItem[], removed: string[]): SentItem[] {
  const gone = new Set([...removed, ...newer.map((each) => each.id)]);
  return [...older.filter((each) => !gone.has(each.id)), ...newer];
}
