/** A number with a button on each side. */

import { button, make, put, say, show, turn } from "./popover-dom";
import type { Counts } from "./popover-counts";
import { mostOf } from "./popover-counts";
import { CALLED, type Field } from "./popover-words";
import type { Row } from "./wire";

/** The view of a number; what it shows is asked of the counts. */
export class Counter {
  readonly element: HTMLElement;
  private readonly name = make("span", { class: "field", "aria-hidden": "true" });
  private readonly number = make("span", { class: "number" });
  private readonly most = make("span", { class: "most" });
  private readonly pending = make("span", { class: "pending" }, "…", make("span", { class: "for-ears" }, " not confirmed yet"));
  private readonly less: HTMLButtonElement;
  private readonly more: HTMLButtonElement;
  private row: Row | null = null;

  constructor(
    private readonly field: Field,
    private readonly counts: Counts,
  ) {
    const click = (by: 1 | -1) => () => this.row && counts.click(this.row, field, by);
    this.less = button("−", click(-1), { class: "step" });
    this.more = button("+", click(1), { class: "step" });
    const shown = make("span", { class: "shown" }, this.number, this.most, this.pending);
    this.element = make("div", { class: "counter", role: "group" }, this.name, this.less, shown, this.more);
  }

  /** `isNamed`: the name of the field stands beside it, and not in the head of the column alone. */
  draw(row: Row, isLinked: boolean, isNamed = true): void {
    this.row = row;
    const { value, isPending } = this.counts.shown(row, this.field);
    const called = CALLED[this.field];
    const most = mostOf(row, this.field);
    say(this.name, called);
    show(this.name, isNamed);
    say(this.number, String(value));
    say(this.most, most === Infinity ? "" : ` of ${most}`);
    show(this.pending, isPending);
    put(this.element, "aria-label", `${called} of ${row.code}`);
    put(this.less, "aria-label", `Less ${called} for ${row.code}`);
    put(this.more, "aria-label", `More ${called} for ${row.code}`);
    turn(this.less, isLinked && value > 0);
    turn(this.more, isLinked && value < most);
  }
}
