/** What people are told in the room itself: one thing at a time, and the same thing not twice. */

import OBR from "@owlbear-rodeo/sdk";
import { now } from "./clock";

const QUIET_MS = 10_000;

export class Notices {
  private lastError = -QUIET_MS;

  /** @param failed hears of each error, for the popover. */
  constructor(private readonly failed: (words: string) => void) {}

  show(words: string, isError: boolean): void {
    if (isError) {
      this.failed(words);
      if (now() - this.lastError < QUIET_MS) return;
      this.lastError = now();
    }
    OBR.notification.show(words, isError ? "ERROR" : "INFO").catch(() => undefined);
  }
}
