/** Time that passes only when a test lets it: the page waits for its worker, and the worker is this. */
import { startClock } from "../../../adapters/rallypoint_owlbear/extension/src/clock";

let moment = 0;
let waiting = [];
performance.now = () => moment;

/** The script that each worker was made of. */
export const scripts = [];
/** What has been asked of the worker, in milliseconds. */
export const asked = [];

globalThis.Worker = class {
  constructor(script) {
    scripts.push(script);
    this.postMessage = ({ id, ms }) => {
      asked.push(ms);
      waiting.push({ at: moment + ms, ring: () => this.onmessage({ data: id }) });
    };
  }
};
startClock("/clock.js");

/** Let all that is ready go on; nothing of it takes longer than a turn of the machine. */
export async function settle() {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}

/** Let so many milliseconds pass, and all that was to happen in them. */
export async function pass(ms) {
  const end = moment + ms;
  for (;;) {
    await settle();
    const [next] = waiting.filter((each) => each.at <= end).sort((one, other) => one.at - other.at);
    if (!next) break;
    waiting = waiting.filter((each) => each !== next);
    moment = Math.max(moment, next.at);
    next.ring();
  }
  moment = end;
}
