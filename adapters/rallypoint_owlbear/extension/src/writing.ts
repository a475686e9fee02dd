/** Changes of items that wait for their call: those of one item go together, and of each is told what became of it. */

import OBR from "@owlbear-rodeo/sdk";
import { apply, type Changeable } from "./apply";
import { failureOf, isRateLimit, isTimeOut, type Failure } from "./errors";
import type { Gate } from "./gate";
import { sent } from "./items";
import type { Room } from "./room";
import { CALL, type ItemChange, type SentItem } from "./wire";

export type Outcome =
  | { is: "shown"; item: SentItem }
  | { is: "gone" }
  | { is: "failed"; failure: Failure }
  /** It was not sent, and will not be. */
  | { is: "not begun"; failure: Failure }
  /** It was sent, and nobody knows what became of it. */
  | { is: "unknown" };

interface Waiting {
  change: ItemChange;
  /** Why it may not be sent any more, `null`: it may. */
  obstacle: () => Failure | null;
  tell: (outcome: Outcome) => void;
}

const SLOWER_MS = 1000;

export class Writing {
  private waiting: Waiting[] = [];
  private isRunning = false;
  private most: number = CALL.items;

  constructor(
    private readonly gate: Gate,
    private readonly room: Room,
    private readonly busy: (ms: number) => void,
  ) {}

  /** Make a change of an item in one of the next calls. */
  write(change: ItemChange, obstacle: () => Failure | null): Promise<Outcome> {
    const outcome = new Promise<Outcome>((tell) => this.waiting.push({ change, obstacle, tell }));
    void this.run();
    return outcome;
  }

  private async run(): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    await Promise.resolve(); // let all changes of a request come
    while (this.waiting.length) await this.round();
    this.isRunning = false;
    this.most = CALL.items;
  }

  private async round(): Promise<void> {
    let batch: Waiting[] = [];
    const epoch = this.room.epoch;
    const send = async (): Promise<void> => {
      this.sortOut();
      batch = this.next();
      if (batch.length) await OBR.scene.items.updateItems(idsOf(batch), (items) => change(items, batch));
    };
    try {
      await this.gate.call(send);
      this.most = Math.min(CALL.items, this.most * 2);
    } catch (error) {
      // After too long a time nobody knows: what the items show tells.
      if (!isTimeOut(error)) return this.refused(batch, error);
    }
    this.done(batch, await this.shown(batch, epoch));
  }

  /** A call that was refused may have been for one item's sake, or too big: the next ones are smaller, down to a single item. */
  private refused(batch: Waiting[], error: unknown): void {
    const items = idsOf(batch).length;
    if (items > 1 && !isRateLimit(error)) {
      this.most = Math.ceil(items / 2);
      this.busy(SLOWER_MS * items);
      return;
    }
    const failure = failureOf(error);
    this.done(batch, () => ({ is: "failed", failure }));
  }

  private done(batch: Waiting[], outcome: (id: string) => Outcome): void {
    this.waiting = this.waiting.filter((each) => !batch.includes(each));
    for (const each of batch) each.tell(outcome(each.change.id));
  }

  private async shown(batch: Waiting[], epoch: number): Promise<(id: string) => Outcome> {
    if (!batch.length) return () => ({ is: "unknown" });
    try {
      const items = await OBR.scene.items.getItems(idsOf(batch));
      if (epoch !== this.room.epoch) return () => ({ is: "unknown" });
      return (id) => {
        const item = items.find((each) => each.id === id);
        return item ? { is: "shown", item: sent(item) } : { is: "gone" };
      };
    } catch {
      return () => ({ is: "unknown" });
    }
  }

  private sortOut(): void {
    for (const each of [...this.waiting]) {
      const failure = each.obstacle();
      if (failure) this.done([each], () => ({ is: "not begun", failure }));
    }
  }

  /** The changes of as many items as one call takes, in order. The room is sent their whole metadata: that is what has a size. */
  private next(): Waiting[] {
    const ids = new Set<string>();
    let bytes = 0;
    for (const { change: { id } } of this.waiting) {
      if (ids.has(id)) continue;
      const all = this.waiting.filter((each) => each.change.id === id);
      const item = this.room.items.find((each) => each.id === id);
      const size = bytesOf([id, item?.metadata, item?.position]) + bytesOf(all.map((each) => each.change));
      if (ids.size && (ids.size >= this.most || bytes + size > CALL.bytes)) break;
      ids.add(id);
      bytes += size;
    }
    return this.waiting.filter((each) => ids.has(each.change.id));
  }
}

/** The room hands items in whatever order: each is found by its id. */
function change(items: readonly { id: string }[], batch: Waiting[]): void {
  for (const item of items) {
    for (const each of batch) if (each.change.id === item.id) apply(item as unknown as Changeable, each.change);
  }
}

const idsOf = (batch: Waiting[]): string[] => [...new Set(batch.map((each) => each.change.id))];

export const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value) ?? "").length;
