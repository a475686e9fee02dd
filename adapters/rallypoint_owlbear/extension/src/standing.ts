/** What the popover is shown: the background page keeps it, since a popover is gone whenever it is closed. */

import { CHANNEL, type Spoken, type Standing as Told, type Wish } from "./channel";

export class Standing {
  private readonly channel = new BroadcastChannel(CHANNEL);
  private readonly told: Told = {
    link: "starting",
    writer: false,
    scene: null,
    againMs: 0,
    error: null,
    linking: null,
    status: { battle: null, linked: 0, of: 0, roster: [], conflicts: [], encounters: [], refused: [], watched: false, error: null },
  };

  /** @param page the connection whose popover this is for; @param wish hears what it asks. */
  constructor(
    private readonly page: string,
    wish: (wish: Wish) => void,
  ) {
    this.channel.onmessage = ({ data }: MessageEvent<Spoken>) => {
      if (data.to !== "background" || data.page !== page) return;
      if (data.wish.do === "say how it stands") this.tell();
      else wish(data.wish);
    };
    this.tell();
  }

  get now(): Readonly<Told> {
    return this.told;
  }

  /** Change what is told, and tell it. */
  set(change: Partial<Told>): void {
    Object.assign(this.told, change);
    this.tell();
  }

  private tell(): void {
    this.channel.postMessage({ to: "popover", page: this.page, standing: this.told } satisfies Spoken);
  }
}
