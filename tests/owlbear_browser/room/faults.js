// What goes wrong in the room, because a test says so.
import { Refusal } from "./answers.js";

export class Faults {
  constructor() {
    this.reset();
  }

  reset() {
    /** So many of the next writes hit the limit of the rate. */
    this.rateHits = 0;
    /** What happens after such a refusal. */
    this.afterwards = () => {};
    /** Bytes of one call that writes, at most. */
    this.mostBytes = 64 * 1024;
    /** Ids of items that the room refuses to change: the whole call is refused. */
    this.refused = [];
    /** Messages that get no answer: `before` they are carried out, or `after`. */
    this.silent = {};
    /** Milliseconds until an answer. */
    this.lateMs = 0;
    /** Milliseconds from the load of a frame until it hears that the room is ready. */
    this.readyMs = 0;
    /** Whether a frame hears at all that the room is ready. */
    this.neverReady = false;
    /** Calls that wrote, or tried: when, what, how many, of whom. */
    this.calls = [];
  }

  strike(what, data, client) {
    const items = data.updates ?? data.items ?? [];
    const call = { at: performance.now(), ms: Date.now(), what, client: client.id, ids: items.map((each) => each.id), refused: null };
    this.calls.push(call);
    const refuse = (name, message) => {
      call.refused = name;
      throw new Refusal(name, message);
    };
    if (this.rateHits > 0) {
      this.rateHits -= 1;
      setTimeout(() => this.afterwards());
      refuse("RateLimitHit", "too many calls");
    }
    const bytes = new TextEncoder().encode(JSON.stringify(items)).length;
    call.bytes = bytes;
    if (bytes > this.mostBytes) refuse("SizeLimit", `${bytes} bytes are too many`);
    if (items.some((each) => this.refused.includes(each.id))) refuse("PermissionDenied", "this item is not yours");
  }
}
