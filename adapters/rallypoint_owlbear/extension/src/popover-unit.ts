/** One unit in the roster: its name, its numbers or the word for them, and its token. */

import { Counter } from "./popover-counter";
import type { Counts } from "./popover-counts";
import { button, keep, make, put, say, show, turn } from "./popover-dom";
import type { Row } from "./wire";

/** What can be done with the token of a unit. */
export interface TokenDeeds {
  /** Link the token whose unit is sought, else the selected one. */
  link(row: Row): void;
  /** Take the link off its token. */
  unlink(row: Row): void;
  /** Show its token on the map. */
  find(row: Row): void;
}

/** How the popover stands, as far as a unit shows it. */
export interface Mood {
  isLinked: boolean;
  /** The name of the token whose unit is sought. */
  sought: string | null;
}

let made = 0;

/** The view of a unit. */
export class Unit {
  readonly element: HTMLLIElement;
  private readonly name = make("span", { class: "name" });
  private readonly word = make("span");
  private readonly band = make("span", { class: "band" }, make("span", { class: "for-ears" }, "Wounds: "), this.word);
  private readonly wounds: Counter;
  private readonly stress: Counter;
  private readonly numbers = make("div", { class: "numbers" });
  private readonly toggle: HTMLButtonElement;
  private readonly token: HTMLElement;
  private readonly said = make("span", { class: "where" });
  private readonly link: HTMLButtonElement;
  private readonly find: HTMLButtonElement;
  private readonly unlink: HTMLButtonElement;
  private row!: Row;
  private isOpen = false;

  constructor(counts: Counts, deeds: TokenDeeds) {
    this.wounds = new Counter("wounds", counts);
    this.stress = new Counter("stress", counts);
    const id = `token-${++made}`;
    this.toggle = button("⋯", () => this.open(!this.isOpen), { class: "toggle", "aria-controls": id });
    this.link = button("Link to the selected token", () => deeds.link(this.row));
    this.find = button("Find on the map", () => deeds.find(this.row));
    this.unlink = button("Take the link off", () => {
      deeds.unlink(this.row);
      this.open(false);
      this.toggle.focus();
    });
    this.token = make("div", { class: "token", id }, this.said, this.link, this.find, this.unlink);
    const line = make("div", { class: "line" }, this.name, this.numbers, this.toggle);
    this.element = make("li", { class: "unit" }, line, this.token);
  }

  draw(row: Row, { isLinked, sought }: Mood): void {
    this.row = row;
    const counters = [row.wounds !== undefined && this.wounds, row.stress !== undefined && this.stress].filter((each) => !!each);
    for (const each of counters) each.draw(row, isLinked, counters.length > 1);
    say(this.name, row.code);
    say(this.word, row.band ?? "");
    keep(this.numbers, [...(row.band === undefined ? [] : [this.band]), ...counters.map((each) => each.element)]);
    const isBound = row.item !== null;
    say(this.said, isBound ? "Linked to a token." : "No token.");
    put(this.toggle, "aria-label", `Token of ${row.code}`);
    say(this.link, sought === null ? "Link to the selected token" : `Link to ${sought}`);
    put(this.link, "aria-label", `Link ${row.code} to ${sought ?? "the selected token"}`);
    put(this.link, "class", sought !== null && !isBound && "sought");
    put(this.find, "aria-label", `Find the token of ${row.code} on the map`);
    put(this.unlink, "aria-label", `Take the link off the token of ${row.code}`);
    show(this.toggle, isBound);
    show(this.link, !isBound);
    show(this.find, isBound);
    show(this.unlink, isBound);
    for (const each of [this.link, this.unlink]) turn(each, isLinked);
    this.open(this.isOpen && isBound);
  }

  private open(isOpen: boolean): void {
    this.isOpen = isOpen;
    put(this.toggle, "aria-expanded", String(isOpen));
    show(this.token, isOpen || this.row.item === null);
  }
}
