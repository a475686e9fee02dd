/** The page that lives as long as the room is open: it holds the link, reads and writes the scene, and tells the popover. */

import { fitting } from "./items";
import OBR from "@owlbear-rodeo/sdk";
import type { LinkState, Wish } from "./channel";
import { after, startClock } from "./clock";
import { Link } from "./link";
import { offerLinking } from "./menu";
import { Notices } from "./notices";
import { isTrusted } from "./origin";
import { insist } from "./pauses";
import { Requests } from "./requests";
import { Room } from "./room";
import { Standing } from "./standing";
import type { Message, News, Request, SentItem } from "./wire";

const READY_MS = 5000;

class Background {
  private readonly standing: Standing;
  private readonly notices: Notices;
  private readonly room: Room;
  private readonly requests: Requests;
  private readonly link: Link;
  private hasBegun = false;

  constructor(
    id: string,
    private role: "GM" | "PLAYER",
    private name: string,
  ) {
    this.standing = new Standing(id, (wish) => this.wished(wish));
    this.notices = new Notices((error) => this.standing.set({ error }));
    const seen = {
      shown: () => this.shown(),
      edited: (items: SentItem[], removed: string[]) => void this.link.say({ kind: "edited", scene: this.room.scene, items: fitting(items), removed }),
    };
    this.room = new Room(seen, (write) => this.requests.gate.call(write));
    const page = {
      say: (message: Message) => void this.link.say(message),
      notify: (words: string, isError: boolean) => this.notices.show(words, isError),
      isWriter: () => this.standing.now.writer,
    };
    this.requests = new Requests(page, this.room);
    this.link = new Link(id, {
      hello: () => this.hello(),
      stands: (link, againMs, error) => this.stands(link, againMs, error),
      take: (told) => this.take(told),
      forget: () => this.requests.forget(),
    });
  }

  async start(): Promise<void> {
    OBR.player.onChange((player) => {
      this.name = player.name;
      if (player.role !== this.role) void this.became(player.role);
    });
    await this.became(this.role);
  }

  private stands(link: LinkState, againMs: number, error: string | null): void {
    if (link !== "linked") this.lease(false);
    this.standing.set({ link, againMs, error });
  }

  /** A page of a player does nothing, and says so. */
  private async became(role: "GM" | "PLAYER"): Promise<void> {
    this.role = role;
    if (role !== "GM") {
      this.link.stop();
      this.lease(false);
      this.standing.set({ link: "player", linking: null, error: null });
      return;
    }
    this.link.start();
    if (this.hasBegun) return;
    this.hasBegun = true; // what is listened to is listened to for good: the SDK misnames some of its unsubscribes
    offerLinking((linking) => this.standing.set({ linking }));
    await this.room.start();
  }

  private hello(): Message {
    const { scene, grid } = this.room;
    return { kind: "hello", player: OBR.player.id, name: this.name, role: this.role, room: OBR.room.id, scene, grid };
  }

  private shown(): void {
    const { scene, grid } = this.room;
    this.standing.set({ scene });
    this.link.say({ kind: "scene changed", scene, grid });
  }

  private lease(writer: boolean): void {
    if (writer !== this.standing.now.writer) this.standing.set({ writer });
    this.room.allowMark(writer);
  }

  private take(told: Request | News): void {
    if (told.kind === "status") {
      const { battle, linked, of, roster, conflicts, encounters = [], refused = [], watched = false, error } = told;
      this.standing.set({ status: { battle, linked, of, roster, conflicts, encounters, refused, watched, error } });
    } else if (told.kind === "lease") this.lease(told.writer);
    else if (told.n > 0) this.requests.take(told);
  }

  private wished(wish: Wish): void {
    if (this.role !== "GM") return;
    if (wish.do === "pair") void this.link.pair(wish.code);
    else if (wish.do === "link nobody") this.standing.set({ linking: null });
    else if (wish.do === "say") {
      const wasSaid = this.link.say(wish.message);
      this.standing.set({ error: wasSaid ? null : "the program is not linked", ...(wish.message.kind === "link" ? { linking: null } : {}) });
    }
  }
}

function startPage(): HTMLElement {
  const link = document.createElement("a");
  link.href = "/";
  link.textContent = "how it is installed";
  return link;
}

async function start(): Promise<void> {
  const stop = after(READY_MS, () => document.body.append("This page works in a room of Owlbear Rodeo, as an extension. See ", startPage(), "."));
  if (!(await isTrusted())) return;
  OBR.onReady(async () => {
    stop();
    document.body.replaceChildren();
    const { player } = OBR;
    const who = () => Promise.all([player.getConnectionId(), player.getRole(), player.getName()]);
    await new Background(...(await insist(who))).start();
  });
}

startClock(document.querySelector<HTMLLinkElement>("link[rel=modulepreload]")?.href ?? null);
void start();
