/** What the program asks of this page, and what it is answered. Everything is answered, but for what nobody knows. */

import OBR, { type Item } from "@owlbear-rodeo/sdk";
import { pickImages, uploadImages, uploadScene } from "./assets";
import { after, now } from "./clock";
import { failureOf, type Failure } from "./errors";
import { Gate } from "./gate";
import { fitting, isOurs, sent } from "./items";
import { place } from "./placing";
import type { Room } from "./room";
import type { Failed, ItemChange, Json, Message, Request, SentItem } from "./wire";
import { Writing, type Outcome } from "./writing";

const PICKING_MS = 5000;
const MOST_KEPT = 100;
/** Beyond a pause that the room asked for. */
const MARGIN_MS = 1000;

interface Page {
  say(message: Message): void;
  /** Tell people of something that went wrong, or that they have to do. */
  notify(words: string, isError: boolean): void;
  isWriter(): boolean;
}

export class Requests {
  private readonly open = new Map<number, { request: Request; until: number }>();
  private readonly answers = new Map<number, Message>();
  private readonly leftOut = new Set<string>();
  private readonly writing: Writing;
  readonly gate = new Gate((ms) => this.busy(ms));

  constructor(
    private readonly page: Page,
    private readonly room: Room,
  ) {
    this.writing = new Writing(this.gate, room, (ms) => this.busy(ms));
  }

  /** Forget all: the program has ended, and another one counts from 1. What was not begun is not done any more. */
  forget(): void {
    this.open.clear();
    this.answers.clear();
  }

  /** Take a request; one that is known is not done a second time. */
  take(request: Request): void {
    const { n } = request;
    const known = this.answers.get(n);
    if (known) this.page.say(known);
    if (known || this.open.has(n)) return;
    const entry = { request, until: now() + request.expires_ms };
    this.open.set(n, entry);
    void this.answered(request)
      .catch((error: unknown): Message => {
        const { code, why } = failureOf(error);
        this.page.notify(`Rallypoint: ${why}`, true);
        return { kind: "refused", re: n, code: code === "PermissionDenied" ? "permission" : "other", why };
      })
      .then((answer) => {
        if (this.open.get(n) !== entry) return; // asked by a program that has ended
        this.open.delete(n);
        if (answer) this.keep(answer, n);
      });
  }

  private keep(answer: Message, n: number): void {
    this.answers.set(n, answer);
    for (const old of [...this.answers.keys()].slice(0, -MOST_KEPT)) this.answers.delete(old);
    this.page.say(answer);
  }

  /** Why a request may not be begun, `null`: it may. */
  private obstacle(request: Request): Failure | null {
    const entry = this.open.get(request.n);
    if (entry?.request !== request) return { code: "expired", why: "the program has ended" };
    if (!this.page.isWriter()) return { code: "not_writer", why: "another page writes" };
    const isForScene = !["upload scene", "upload images", "pick images"].includes(request.kind) || request.scene !== null;
    if (isForScene && this.room.scene === null) return { code: "no_scene", why: "no scene is open" };
    if (isForScene && this.room.scene !== request.scene) return { code: "other_scene", why: "another scene is open" };
    return now() > entry.until ? { code: "expired", why: "it has waited too long" } : null;
  }

  private busy(ms: number): void {
    for (const [re, entry] of this.open) {
      entry.until = Math.max(entry.until, now() + ms + MARGIN_MS);
      this.page.say({ kind: "busy", re, for_ms: ms + MARGIN_MS });
    }
  }

  private async answered(request: Request): Promise<Message | null> {
    const obstacle = this.obstacle(request);
    if (obstacle) return { kind: "refused", re: request.n, ...obstacle };
    const re = request.n;
    switch (request.kind) {
      case "snapshot wanted":
        return this.snapshot(re, request.items);
      case "write":
        return this.write(request, request.items);
      case "place":
        return this.place(request, request.items);
      case "upload scene":
        this.page.notify("Rallypoint hands a scene to your library: choose where it goes.", false);
        return { kind: "uploaded", re, sure: await uploadScene(request) };
      case "upload images":
        this.page.notify("Rallypoint hands pictures to your library: choose where they go.", false);
        return { kind: "uploaded", re, sure: await uploadImages(request) };
      case "pick images":
        return this.pick(request);
      default:
        return { kind: "refused", re, code: "other", why: "this page does not know such a request: update the extension" };
    }
  }

  private async snapshot(re: number, ids: string[]): Promise<Message> {
    const { epoch, scene } = this.room;
    const items = await OBR.scene.items.getItems();
    if (epoch !== this.room.epoch) return { kind: "refused", re, code: "other_scene", why: "the scene was switched meanwhile" };
    const wanted = new Set(ids);
    const found = items.filter((each) => isOurs(each) || wanted.has(each.id));
    const here = new Set(found.map((each) => each.id));
    const small = fitting(found.map(sent));
    this.nameOnce(found, new Set(small.map((each) => each.id)));
    return { kind: "snapshot", re, scene, items: small, gone: ids.filter((id) => !here.has(id)) };
  }

  private nameOnce(found: Item[], told: Set<string>): void {
    for (const { id, name } of found) {
      if (told.has(id) || this.leftOut.has(id)) continue;
      this.leftOut.add(id);
      this.page.notify(`Rallypoint leaves out ${name.slice(0, 100) || id}: its metadata is too big`, true);
    }
  }

  private async write(request: Request, changes: ItemChange[]): Promise<Message | null> {
    const outcomes = await Promise.all(
      changes.map(async (each): Promise<[string, Outcome]> => [each.id, await this.writing.write(each, () => this.obstacle(request))]),
    );
    const [first] = outcomes;
    const { n: re, scene } = request;
    if (first?.[1].is === "not begun" && outcomes.every(([, each]) => each.is === "not begun")) {
      return { kind: "refused", re, ...first[1].failure };
    }
    if (outcomes.length && outcomes.every(([, each]) => each.is === "unknown")) return null;
    const items: SentItem[] = [];
    const gone: string[] = [];
    const failed: Failed = [];
    for (const [id, each] of outcomes) {
      if (each.is === "shown") items.push(each.item);
      else if (each.is === "gone") gone.push(id);
      else if (each.is !== "unknown") failed.push({ id, ...each.failure });
    }
    this.lament(failed, "changed");
    return { kind: "written", re, scene, items: fitting(items), gone, failed };
  }

  private async place(request: Request, items: Json[]): Promise<Message | null> {
    const { epoch } = this.room;
    const { there, failed, obstacle } = await place(this.gate, items, () => this.obstacle(request));
    if (obstacle) return { kind: "refused", re: request.n, code: obstacle.code, why: obstacle.why };
    if (epoch !== this.room.epoch) return null; // the scene was switched: what is in it cannot be read any more
    this.lament(failed, "placed");
    return { kind: "placed", re: request.n, scene: request.scene, items: there, failed };
  }

  private async pick(request: Extract<Request, { kind: "pick images" }>): Promise<Message> {
    const re = request.n;
    let stop = (): void => undefined;
    const wait = (): void => {
      this.page.say({ kind: "busy", re, for_ms: 2 * PICKING_MS });
      stop = after(PICKING_MS, wait);
    };
    wait();
    try {
      return { kind: "picked", re, images: await pickImages(request) };
    } finally {
      stop();
    }
  }

  /** One notification, however many tokens. */
  private lament(failed: Failed, what: string): void {
    const [first] = failed;
    if (first) this.page.notify(`Rallypoint: ${failed.length === 1 ? "a token was" : `${failed.length} tokens were`} not ${what}: ${first.why}`, true);
  }
}
