/** The popover's end of the channel to the background page of its own tab. */

import { CHANNEL, type Spoken, type Standing, type Wish } from "./channel";

const AGAIN_MS = 2000;

/** What the popover has to say to the program. */
export type Said = Extract<Wish, { do: "say" }>["message"];

/** The background page, as the popover knows it. It is asked until it has answered: it may come later than we. */
export class Background {
  private readonly channel = new BroadcastChannel(CHANNEL);
  private asking: number | undefined;

  /**
   * @param page the OBR connection id of this tab.
   * @param heard is told each standing.
   * @param late is told while no answer has come.
   */
  constructor(
    private readonly page: string,
    heard: (standing: Standing) => void,
    late: () => void,
  ) {
    this.channel.onmessage = ({ data }: MessageEvent<Spoken>) => {
      if (data.to !== "popover" || data.page !== page) return;
      clearInterval(this.asking);
      heard(data.standing);
    };
    const ask = () => this.wish({ do: "say how it stands" });
    this.asking = setInterval(() => (late(), ask()), AGAIN_MS);
    ask();
  }

  /** Send a pairing code. */
  pair(code: string): void {
    this.wish({ do: "pair", code });
  }

  /** The GM has thought better of linking a token. */
  linkNobody(): void {
    this.wish({ do: "link nobody" });
  }

  /** Send a message to the program. */
  say(message: Said): void {
    this.wish({ do: "say", message });
  }

  private wish(wish: Wish): void {
    const spoken: Spoken = { to: "background", page: this.page, wish };
    this.channel.postMessage(spoken);
  }
}
