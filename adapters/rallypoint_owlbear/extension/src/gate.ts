/** The one way by which calls that write go to the room: one after the other, with pauses, and again where the room says it is too much. */

import { now, sleep } from "./clock";
import { isRateLimit } from "./errors";
import { Pauses } from "./pauses";
import { CALL } from "./wire";

/** After so many calls in a row that were too much it is given up, some two minutes later. */
const MOST_TRIES = 8;

export class Gate {
  private turn: Promise<unknown> = Promise.resolve();
  private free = 0;
  private readonly pauses = new Pauses(1000, 30_000, 0.5);

  /** @param busy is told of each pause that the room asks for. */
  constructor(private readonly busy: (ms: number) => void) {}

  /** Make a call when it is its turn. It is made anew after a refusal for its rate, so that it can see what has changed. */
  call<T>(make: () => Promise<T>): Promise<T> {
    const result = this.turn.then(() => this.made(make));
    this.turn = result.catch(() => undefined);
    return result;
  }

  private async made<T>(make: () => Promise<T>): Promise<T> {
    for (;;) {
      await sleep(this.free - now());
      try {
        const result = await make();
        this.pauses.reset();
        this.free = now() + CALL.gapMs;
        return result;
      } catch (error) {
        this.free = now() + CALL.gapMs;
        if (!isRateLimit(error)) throw error;
        if (this.pauses.taken >= MOST_TRIES) {
          this.pauses.reset();
          throw error;
        }
        const pause = this.pauses.next();
        this.free = now() + pause;
        this.busy(pause);
      }
    }
  }
}
