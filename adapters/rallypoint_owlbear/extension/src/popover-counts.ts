/** Numbers that the GM changes: shown at once, sent soon, and pending until the battle has them. */

import type { Said } from "./popover-background";
import { CALLED, type Field } from "./popover-words";
import type { Row, Status } from "./wire";

/** Clicks that follow each other so soon are sent as one; the first is sent at once. */
const BURST_MS = 150;
/** So long we wait for the battle to have what was sent. */
const PATIENCE_MS = 3000;

interface Change {
  row: Row;
  field: Field;
  /** What is shown. */
  value: number;
  /** What was sent last, or what the battle had. */
  sent: number;
  /** What the battle may still show: it has not heard all of it. */
  before: Set<number>;
  /** The names of what was sent: a refusal says which one it is about. */
  clicks: Set<string>;
  burst: number | undefined;
  patience: number | undefined;
}

/** Pending numbers, and what becomes of them. */
export class Counts {
  private readonly changes = new Map<string, Change>();
  private status: Status | null = null;

  /**
   * @param send sends a message to the program.
   * @param changed is told when other numbers are to be shown.
   * @param refused is told in words what was not made.
   */
  constructor(
    private readonly send: (message: Said) => void,
    private readonly changed: () => void,
    private readonly refused: (words: string) => void,
  ) {}

  /** Return what is shown of a field, and whether the battle has it. */
  shown(row: Row, field: Field): { value: number; isPending: boolean } {
    const change = this.changes.get(keyOf(row, field));
    const now = row[field] ?? 0;
    return { value: change?.value ?? now, isPending: change !== undefined && (change.value !== now || change.sent !== now) };
  }

  /** Count up or down by one, between 0 and the maximum. */
  click(row: Row, field: Field, by: 1 | -1): void {
    const value = this.shown(row, field).value + by;
    if (value < 0 || (by > 0 && value > mostOf(row, field))) return;
    const change = this.changes.get(keyOf(row, field)) ?? this.begin(row, field);
    change.value = value;
    const isFirst = change.burst === undefined;
    clearTimeout(change.burst);
    change.burst = setTimeout(() => {
      change.burst = undefined;
      this.put(change);
      if (this.status) this.settle(this.status); // the battle may have it already
      this.changed();
    }, BURST_MS);
    if (isFirst) this.put(change);
    this.changed();
  }

  private begin(row: Row, field: Field): Change {
    const now = row[field] ?? 0;
    const clicks = new Set<string>();
    const change: Change = { row, field, value: now, sent: now, before: new Set(), clicks, burst: undefined, patience: undefined };
    this.changes.set(keyOf(row, field), change);
    return change;
  }

  private put(change: Change): void {
    const { row, field, value, sent } = change;
    if (value === sent) return;
    change.before.add(sent);
    change.sent = value;
    clearTimeout(change.patience);
    const late = () => this.giveUp(change, "the program has not confirmed it");
    change.patience = setTimeout(late, PATIENCE_MS);
    const click = newName();
    change.clicks.add(click);
    this.send({ kind: "set", uid: row.uid, field, value, was: sent, click });
  }

  /** Send what waits for the end of a burst: the popover goes away. */
  flush(): void {
    for (const change of this.changes.values()) this.put(change);
  }

  /** Hear how the battle stands now. */
  settle(status: Status): void {
    this.status = status;
    for (const change of [...this.changes.values()]) {
      const now = this.now(change);
      const refusal = status.refused.find(({ click }) => change.clicks.has(click));
      if (now === undefined) this.forget(change);
      else if (now === change.sent) {
        if (change.burst === undefined) this.forget(change);
      } else if (refusal) this.giveUp(change, refusal.why);
      else if (!change.before.has(now)) this.giveUp(change, "somebody else changed it");
    }
  }

  /** Return what the battle has, as far as it was told. */
  private now({ row, field }: Change): number | undefined {
    return this.status?.roster.find(({ uid }) => uid === row.uid)?.[field];
  }

  private forget(change: Change): void {
    clearTimeout(change.burst);
    clearTimeout(change.patience);
    this.changes.delete(keyOf(change.row, change.field));
  }

  private giveUp(change: Change, why: string): void {
    this.forget(change);
    const now = this.now(change) ?? "unknown";
    this.refused(`${change.row.code}: ${CALLED[change.field]} ${now}, not ${change.value}: ${why}`);
    this.changed();
  }
}

/** Return the greatest number that may be asked for; what else is out of bounds the battle says. */
export function mostOf(row: Row, field: Field): number {
  return (field === "wounds" ? row.maxWounds : null) ?? Infinity;
}

/** Return a name that no other click has, in no tab. */
function newName(): string {
  return [...crypto.getRandomValues(new Uint32Array(2))].map((each) => each.toString(36)).join("-");
}

function keyOf(row: Row, field: Field): string {
  return `${field} ${row.uid}`;
}
