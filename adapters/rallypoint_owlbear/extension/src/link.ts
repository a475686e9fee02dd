/** The link to the program: pairs, says hello, sends what there is to say, reads the stream, and comes back when it breaks. */

import { after, now, onAbort, sleep } from "./clock";
import type { LinkState } from "./channel";
import { Lines } from "./lines";
import { Outbox } from "./outbox";
import { Pauses } from "./pauses";
import { Token } from "./token";
import { VERSION, type Message, type News, type Request } from "./wire";

const BEAT_MS = 2000;
const SILENCE_MS = 15_000;
const ANSWER_MS = 10_000;
const TOO_OFTEN_MS = 1000;

export interface Linked {
  /** Who this page is, asked whenever it says hello. */
  hello(): Message;
  stands(link: LinkState, againMs: number, error: string | null): void;
  take(told: Request | News): void;
  /** The program has ended; whatever it asked for is void. */
  forget(): void;
}

/** A refusal of the program. */
class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    words: string,
  ) {
    super(words);
  }
}

class Silence extends Error {}

export class Link {
  private readonly token = new Token();
  private readonly outbox = new Outbox();
  private readonly pauses = new Pauses();
  private life: AbortController | null = null;
  private wake: () => void = () => undefined;
  private lastHeard = 0;
  private isLinked = false;
  private isKnown = false;

  constructor(
    private readonly page: string,
    private readonly listener: Linked,
  ) {}

  start(): void {
    if (this.life) return;
    this.life = new AbortController();
    void this.live(this.life.signal);
  }

  stop(): void {
    this.life?.abort();
    this.life = null;
    this.outbox.clear();
  }

  /** Tell the program something. While it is away only answers are kept for it: the rest it reads when we say hello. */
  say(message: Message): boolean {
    if (!this.isLinked && !("re" in message)) return false;
    this.outbox.put(message);
    this.wake();
    return true;
  }

  async pair(code: string): Promise<void> {
    if (this.isLinked) return;
    this.listener.stands("connecting", 0, null);
    try {
      const { token } = (await this.post("/link/pair", { code }, null)) as { token: string };
      this.token.set(token);
    } catch (error) {
      const isWrong = error instanceof Refused && error.code === "code";
      const words = error instanceof Refused ? error.message : "the program does not answer: does rallypoint owlbear serve run?";
      this.listener.stands(isWrong ? "wrong code" : "unpaired", 0, words);
    }
  }

  private async live(life: AbortSignal): Promise<void> {
    while (!life.aborted) {
      if (!this.token.isThere) this.listener.stands("unpaired", 0, null);
      const token = await this.token.get();
      if (life.aborted) return;
      const session = new AbortController();
      const forget = onAbort(life, () => session.abort());
      try {
        this.listener.stands("connecting", 0, null);
        await this.session(token, session.signal);
      } catch (error) {
        if (!life.aborted) await this.broken(error, token, life);
      } finally {
        this.isLinked = false;
        session.abort();
        forget();
      }
    }
  }

  /** Say hello, and listen and speak until something breaks. */
  private async session(token: string, signal: AbortSignal): Promise<never> {
    if (this.isKnown) this.outbox.put(this.listener.hello());
    else this.outbox.hello(this.listener.hello());
    await this.send(token, signal);
    this.isKnown = true;
    const stream = await this.listen(token, signal);
    return await Promise.race([this.read(stream, signal), this.speak(token, signal)]);
  }

  private async listen(token: string, signal: AbortSignal): Promise<ReadableStreamDefaultReader<string>> {
    const query = new URLSearchParams({ page: this.page, last: String(this.lastHeard) });
    const answer = await fetch(`/link/events?${query}`, { headers: { Authorization: `Bearer ${token}` }, signal, cache: "no-store" });
    if (!answer.ok || !answer.body) throw await refusal(answer);
    return answer.body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  }

  private async read(stream: ReadableStreamDefaultReader<string>, signal: AbortSignal): Promise<never> {
    const lines = new Lines();
    for (;;) {
      const { done, value } = await withinSilence(stream.read(), signal);
      if (done) throw new Silence("the stream has ended");
      this.alive();
      for (const text of lines.take(value)) this.told(JSON.parse(text) as Request | News);
    }
  }

  private alive(): void {
    this.pauses.reset();
    if (!this.isLinked) this.listener.stands("linked", 0, null);
    this.isLinked = true;
    this.wake(); // where timers are slow, each sign of life from there is answered by one from here
  }

  private told(event: Request | News): void {
    if ((event as { v?: unknown }).v !== VERSION) throw new Refused(400, "version", "the program is of another version");
    if (event.n > 0) this.lastHeard = Math.max(this.lastHeard, event.n);
    this.listener.take(event);
  }

  /** Send what there is to send, and that we are here. */
  private async speak(token: string, signal: AbortSignal): Promise<never> {
    let beat = now();
    for (;;) {
      if (signal.aborted) throw new Silence("stopped");
      if (this.outbox.isEmpty) await this.news(Math.max(0, beat + BEAT_MS - now()), signal);
      if (this.outbox.isEmpty && now() - beat >= BEAT_MS) this.outbox.put({ kind: "lease" });
      if (this.outbox.isEmpty) continue;
      await this.send(token, signal);
      beat = now();
    }
  }

  private news(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => (stop(), forget(), resolve());
      const stop = after(ms, end);
      const forget = onAbort(signal, end);
      this.wake = end;
    });
  }

  /** Send until all was heard, in its time. What the program takes for a fault of ours is not sent again. */
  private async send(token: string, signal: AbortSignal): Promise<void> {
    let most: number | undefined;
    while (!this.outbox.isEmpty) {
      const messages = this.outbox.batch(most);
      try {
        const { heard } = (await this.post("/link/up", { page: this.page, messages }, token, signal)) as { heard: number };
        this.outbox.heard(heard);
      } catch (error) {
        if (error instanceof Refused && error.status === 429) {
          await sleep(TOO_OFTEN_MS, signal); // the link stands meanwhile: what is clicked waits with the rest
          if (signal.aborted) throw new Silence("stopped");
          continue;
        }
        if (!(error instanceof Refused && isFault(error))) throw error;
        const last = messages.at(-1);
        if (messages.length > 1) most = Math.ceil(messages.length / 2);
        else if (last) this.outbox.heard(last.m);
        if (messages.length <= 1) this.listener.stands(this.isLinked ? "linked" : "connecting", 0, error.message);
      }
    }
  }

  private async broken(error: unknown, token: string, life: AbortSignal): Promise<void> {
    const isUnknown = error instanceof Refused && error.status === 404;
    if (isUnknown) this.isKnown = false;
    if (error instanceof Refused && error.status === 401) {
      this.isKnown = false;
      this.token.refuse(token);
      this.lastHeard = 0;
      this.outbox.clear();
      this.listener.forget();
      return;
    }
    const pause = error instanceof Refused && error.status === 429 ? TOO_OFTEN_MS : this.pauses.next();
    if (isUnknown && this.pauses.taken <= 1) return; // say hello again, at once
    this.listener.stands(stateOf(error), pause, error instanceof Refused ? error.message : null);
    await sleep(pause, life);
  }

  private async post(path: string, body: object, token: string | null, signal?: AbortSignal): Promise<unknown> {
    const headers = { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) };
    const stop = new AbortController();
    const abort = (): void => stop.abort();
    const forget = [after(ANSWER_MS, abort), onAbort(signal, abort)];
    try {
      const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify({ v: VERSION, ...body }), signal: stop.signal });
      if (!answer.ok) throw await refusal(answer);
      return await answer.json();
    } finally {
      for (const each of forget) each();
    }
  }
}

/** Whether the same would be refused again, so that it is not sent again. */
function isFault({ status, code }: Refused): boolean {
  return status === 413 || code === "role" || (status === 400 && code !== "version");
}

function stateOf(error: unknown): LinkState {
  if (error instanceof Silence) return "connecting";
  if (!(error instanceof Refused)) return "no program";
  if (error.status === 409) return "other room";
  return error.code === "version" ? "old" : "connecting";
}

async function refusal(answer: Response): Promise<Refused> {
  const found = (await answer.json().catch(() => ({}))) as { error?: unknown; code?: unknown };
  const words = typeof found.error === "string" ? found.error : `the program answered ${answer.status}`;
  return new Refused(answer.status, typeof found.code === "string" ? found.code : "other", words);
}

function withinSilence<T>(read: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = after(SILENCE_MS, () => reject(new Silence("nothing was heard")));
    const forget = onAbort(signal, () => reject(new Silence("stopped")));
    read.then(resolve, reject).finally(() => (stop(), forget()));
  });
}
