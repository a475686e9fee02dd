/** The popover: shows how battle and link stand, and carries clicks to the background page of this tab. */

import OBR from "@owlbear-rodeo/sdk";
import type { Standing } from "./channel";
import { isTrusted } from "./origin";
import { Background } from "./popover-background";
import { Conflicts, Encounters } from "./popover-choices";
import { Counts } from "./popover-counts";
import { keep, make } from "./popover-dom";
import { Head } from "./popover-head";
import { Linking } from "./popover-linking";
import { findToken, selectedToken } from "./popover-map";
import { News } from "./popover-news";
import { Pairing } from "./popover-pairing";
import { Roster, isHead } from "./popover-roster";
import { followTheme } from "./popover-theme";
import type { TokenDeeds } from "./popover-unit";
import { AT_PORT, WORDS } from "./popover-words";
import type { Row } from "./wire";

const READY_MS = 5000;

/** The whole popover of one tab. */
class Popover {
  private readonly head: Head;
  private readonly news = new News();
  private readonly background: Background;
  private readonly pairing: Pairing;
  private readonly counts: Counts;
  private readonly conflicts: Conflicts;
  private readonly encounters: Encounters;
  private readonly linking: Linking;
  private readonly roster: Roster;
  private standing: Standing | null = null;
  private sought: string | null = null;

  constructor(main: Element, head: Head, page: string) {
    this.head = head;
    this.background = new Background(page, (standing) => this.take(standing), () => this.head.draw(null, true));
    this.pairing = new Pairing((code) => this.background.pair(code));
    this.counts = new Counts(
      (message) => this.background.say(message),
      () => this.draw(),
      (words) => this.news.tell(words),
    );
    this.conflicts = new Conflicts((number, take) => this.background.say({ kind: "resolve", number, take }));
    this.encounters = new Encounters((name) => {
      this.background.say({ kind: "encounter", name });
      const then = this.isWatched() ? "and are bound" : `and ${this.bind()} binds them`;
      this.news.tell(`Asked for ${name}: its tokens come into the open scene, ${then}.`);
    });
    this.linking = new Linking(() => this.background.linkNobody());
    this.roster = new Roster(this.counts, this.tokens());
    const parts = [this.pairing, this.linking, this.conflicts, this.encounters, this.roster].map(({ element }) => element);
    keep(main, [head.element, ...parts, this.news.element]);
    this.draw();
    addEventListener("pagehide", () => this.counts.flush());
  }

  private take(standing: Standing): void {
    this.standing = standing;
    this.news.compare(standing.status.roster);
    this.counts.settle(standing.status);
    this.draw();
  }

  private draw(): void {
    const { standing } = this;
    const status = standing?.status;
    const isLinked = standing?.link === "linked";
    const isGm = standing !== null && standing.link !== "player" && standing.link !== "outside";
    this.head.draw(standing);
    this.pairing.draw(standing?.link);
    this.conflicts.draw((isGm && status?.conflicts) || [], isLinked);
    this.encounters.draw((isGm && status?.encounters) || [], isLinked, standing?.scene != null);
    const roster = (isGm && status?.roster) || [];
    const linking = standing?.linking ?? null;
    this.linking.draw(linking, roster.some((row) => row.item === null && !isHead(row)));
    this.roster.draw(roster, { isLinked, sought: linking?.name ?? null });
    // Whoever comes from the menu of a token goes on with the keyboard where they would click.
    if (linking && linking.id !== this.sought) document.querySelector<HTMLElement>(".sought")?.focus();
    this.sought = linking?.id ?? null;
  }

  private isWatched(): boolean {
    return this.standing?.status.watched ?? false;
  }

  /** Return the command that does what no watch does. */
  private bind(): string {
    return `rallypoint owlbear bind ${this.standing?.status.battle ?? "BATTLE"}${AT_PORT}`;
  }

  private tokens(): TokenDeeds {
    const link = (item: string, uid: string | null, words: string) => {
      this.background.say({ kind: "link", item, uid });
      this.news.tell(words);
    };
    const holder = (item: string) => this.standing?.status.roster.find((row) => row.item === item);
    const linkTo = async (row: Row) => {
      const sought = this.standing?.linking;
      const found = sought ? { item: sought.id } : await selectedToken();
      if ("why" in found) return this.news.tell(found.why);
      const other = holder(found.item);
      if (other) return this.news.tell(`This token is linked to ${other.code}: take that link off first.`);
      const name = sought?.name ?? "the selected token";
      const words = this.isWatched() ? `asked to link ${name}` : `noted for ${name}; no watch runs, and ${this.bind()} links it`;
      link(found.item, row.uid, `${row.code}: ${words}.`);
    };
    const find = async (row: Row) => {
      const isFound = row.item !== null && (await findToken(row.item));
      this.news.tell(isFound ? `${row.code}: its token is selected.` : `${row.code}: its token is not in the open scene.`);
    };
    const failed = () => this.news.tell("The room did not answer: try it again.");
    return {
      link: (row) => void linkTo(row).catch(failed),
      unlink: (row) => {
        const words = this.isWatched() ? "asked to take the link off" : `noted; no watch runs, and ${this.bind()} takes the link off`;
        if (row.item !== null) link(row.item, null, `${row.code}: ${words}.`);
      },
      find: (row) => void find(row).catch(failed),
    };
  }
}

async function begin(): Promise<void> {
  const main = document.querySelector("main") ?? document.body.appendChild(make("main"));
  const head = new Head();
  head.draw(null);
  keep(main, [head.element]);
  const outside = () => head.write(WORDS.outside);
  if (!OBR.isAvailable || !(await isTrusted())) return outside();
  const late = setTimeout(outside, READY_MS);
  OBR.onReady(() => {
    clearTimeout(late);
    followTheme().catch(() => undefined); // the browser's own scheme stays
    OBR.player
      .getConnectionId()
      .then((page) => new Popover(main, head, page))
      .catch(() => head.write(WORDS["no background"]));
  });
}

void begin();
