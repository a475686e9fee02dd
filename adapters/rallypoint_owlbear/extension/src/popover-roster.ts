/** The roster: sides, in them formations, in them units; a field that filters above so many. */

import { Counter } from "./popover-counter";
import type { Counts } from "./popover-counts";
import { Kept, keep, make, say, show } from "./popover-dom";
import { type Mood, type TokenDeeds, Unit } from "./popover-unit";
import { counted } from "./popover-words";
import type { Row } from "./wire";

const FILTER_ABOVE = 20;

/** Units under one head. A formation has Stress and no Wounds: its row comes before those of its units. */
export interface Formation {
  key: string;
  side: string;
  head: Row | null;
  units: Row[];
}

/** Return whether a row is that of a formation. */
export function isHead(row: Row): boolean {
  return row.wounds === undefined && row.band === undefined && row.stress !== undefined;
}

/** Return the formations of a roster by side, in the order of the roster. */
export function formationsOf(roster: readonly Row[]): Map<string, Formation[]> {
  const sides = new Map<string, Formation[]>();
  for (const row of roster) {
    const formations = sides.get(row.side) ?? [];
    sides.set(row.side, formations);
    let last = formations.at(-1);
    if (isHead(row) || !last) {
      const head = isHead(row) ? row : null;
      last = { key: head?.uid ?? `side ${row.side}`, side: row.side, head, units: [] };
      formations.push(last);
    }
    if (!isHead(row)) last.units.push(row);
  }
  return sides;
}

class FormationView {
  readonly element: HTMLElement;
  private readonly name = make("h3");
  private readonly head: HTMLElement;
  private readonly list = make("ul");
  private readonly stress: Counter;
  private readonly units: Kept<Unit>;

  constructor(counts: Counts, deeds: TokenDeeds) {
    this.stress = new Counter("stress", counts);
    this.units = new Kept(() => new Unit(counts, deeds));
    this.head = make("div", { class: "line head" }, this.name, this.stress.element);
    this.element = make("div", { class: "formation" }, this.head, this.list);
  }

  draw({ head, units }: Formation, mood: Mood, fits: (row: Row) => boolean): boolean {
    show(this.head, head !== null);
    if (head) {
      say(this.name, head.code);
      this.stress.draw(head, mood.isLinked);
    }
    const views = this.units.of(units.map((row) => row.uid));
    units.forEach((row, place) => {
      views[place]?.draw(row, mood);
      if (views[place]) show(views[place].element, fits(row));
    });
    keep(this.list, views.map((view) => view.element));
    const isShown = units.some(fits) || (head !== null && fits(head));
    show(this.element, isShown);
    return isShown;
  }
}

class SideView {
  readonly element: HTMLElement;
  private readonly name = make("h2");
  private readonly column = make("span", { class: "field", "aria-hidden": "true" }, "Wounds");
  private readonly columns = make("div", { class: "columns" }, this.name, this.column);
  private readonly formations: Kept<FormationView>;

  constructor(counts: Counts, deeds: TokenDeeds) {
    this.formations = new Kept(() => new FormationView(counts, deeds));
    this.element = make("section", { class: "side" }, this.columns);
  }

  draw(side: string, formations: readonly Formation[], mood: Mood, fits: (row: Row) => boolean): void {
    say(this.name, side ? `Side ${side}` : "Units");
    const views = this.formations.of(formations.map((each) => each.key));
    const shown = formations.map((each, place) => views[place]?.draw(each, mood, fits));
    keep(this.element, [this.columns, ...views.map((view) => view.element)]);
    show(this.element, shown.some(Boolean));
  }
}

/** The whole roster. */
export class Roster {
  readonly element: HTMLElement;
  private readonly sides: Kept<SideView>;
  private readonly list = make("div");
  private readonly field = make("input", { type: "search", id: "filter", autocomplete: "off" });
  private readonly found = make("p", { class: "found", role: "status" });
  private readonly filter: HTMLElement;
  private last: { roster: readonly Row[]; mood: Mood } = { roster: [], mood: { isLinked: false, sought: null } };

  constructor(counts: Counts, deeds: TokenDeeds) {
    this.sides = new Kept(() => new SideView(counts, deeds));
    this.field.addEventListener("input", () => this.draw(this.last.roster, this.last.mood));
    this.filter = make("div", { class: "filter" }, make("label", { for: "filter" }, "Find a unit"), this.field, this.found);
    this.element = make("div", { class: "roster" }, this.filter, this.list);
  }

  draw(roster: readonly Row[], mood: Mood): void {
    this.last = { roster, mood };
    const units = roster.filter((row) => !isHead(row));
    const isLong = units.length > FILTER_ABOVE;
    const sought = isLong ? this.field.value.trim().toLowerCase() : "";
    const fits = (row: Row) => row.code.toLowerCase().includes(sought);
    show(this.filter, isLong);
    say(this.found, sought ? `${units.filter(fits).length} of ${counted(units.length, "unit")}` : "");
    const sides = formationsOf(roster);
    const views = this.sides.of([...sides.keys()]);
    [...sides].forEach(([side, formations], place) => views[place]?.draw(side, formations, mood, fits));
    keep(this.list, views.map((view) => view.element));
  }
}
