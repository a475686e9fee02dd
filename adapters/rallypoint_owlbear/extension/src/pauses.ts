import { sleep } from "./clock";

/** Pauses that grow: twice as long each time, up to the longest. */
export class Pauses {
  private tried = 0;

  constructor(
    readonly firstMs = 1000,
    readonly longestMs = 30_000,
    /** Between 0 and 1: how much of a pause is left to chance, so that many who wait do not all come back at once. */
    readonly jitter = 0,
    private readonly chance: () => number = Math.random,
  ) {}

  /** How many were taken since the last success. */
  get taken(): number {
    return this.tried;
  }

  next(): number {
    const whole = Math.min(this.longestMs, this.firstMs * 2 ** this.tried);
    this.tried += 1;
    return Math.round(whole * (1 - this.jitter * this.chance()));
  }

  reset(): void {
    this.tried = 0;
  }
}

/** Ask until there is an answer: for what a page cannot do without. */
export async function insist<T>(ask: () => Promise<T>): Promise<T> {
  const pauses = new Pauses();
  for (;;) {
    try {
      return await ask();
    } catch {
      await sleep(pauses.next());
    }
  }
}
