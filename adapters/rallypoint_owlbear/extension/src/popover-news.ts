/** What changed in words: one line that is read out as it comes. */

import { make, say, show } from "./popover-dom";
import { type Field, counted, spoken } from "./popover-words";
import type { Row } from "./wire";

const MOST = 3;
const FIELDS: readonly Field[] = ["wounds", "stress"];

/** The line at the bottom. */
export class News {
  readonly element = make("p", { class: "news", role: "status", "aria-live": "polite" });
  private roster: readonly Row[] | null = null;

  constructor() {
    show(this.element, true);
  }

  /** Tell something. */
  tell(words: string): void {
    say(this.element, words);
  }

  /** Tell what a roster has that the last one had not. */
  compare(roster: readonly Row[]): void {
    const before = new Map(this.roster?.map((row) => [row.uid, row]));
    const isFirst = this.roster === null;
    this.roster = roster;
    const found = roster.flatMap((row) => changesOf(before.get(row.uid), row));
    if (isFirst || !found.length) return;
    const more = found.length - MOST;
    this.tell([...found.slice(0, MOST), ...(more > 0 ? [`and ${counted(more, "change")} more`] : [])].join("; ") + ".");
  }
}

function changesOf(before: Row | undefined, row: Row): string[] {
  if (!before) return [];
  const found = FIELDS.flatMap((field) => {
    const value = row[field];
    return value === undefined || value === before[field] ? [] : [spoken(row, field, value)];
  });
  if (row.band !== undefined && row.band !== before.band) found.push(`${row.code}: ${row.band}`);
  if (row.item !== before.item) found.push(`${row.code}: ${row.item === null ? "no token" : "linked to a token"}`);
  return found;
}
