/** The head of the popover. */

import type { Standing } from "./channel";
import { make, say, show } from "./popover-dom";
import { type Words, battleOf, wordsOf } from "./popover-words";

/** The head: how the link stands, what to do, which battle, the last error. */
export class Head {
  readonly element: HTMLElement;
  private readonly state = make("p", { class: "state", role: "status" });
  private readonly steps = make("ol", { class: "steps" });
  private readonly battle = make("p", { class: "battle" });
  private readonly error = make("p", { class: "error", role: "status" });

  constructor() {
    const title = make("div", { class: "title" }, make("h1", {}, "Rallypoint"), this.state);
    this.element = make("header", {}, title, this.battle, this.steps, this.error);
  }

  /** Show a standing; `isLate`: nobody answers who could tell it. */
  draw(standing: Standing | null, isLate = false): void {
    this.write(wordsOf(standing, isLate));
    show(this.battle, standing?.link === "linked" || !!standing?.status.roster.length);
    if (standing) say(this.battle, battleOf(standing));
    const errors = [...new Set([standing?.error, standing?.status.error])].filter((each) => !!each);
    show(this.error, errors.length > 0);
    say(this.error, errors.length ? `Last error: ${errors.join("; ")}` : "");
  }

  /** Show words. */
  write({ state, steps }: Words): void {
    say(this.state, state);
    show(this.steps, steps.length > 0);
    const said = [...this.steps.children].map((step) => step.textContent);
    if (said.join() !== steps.join()) this.steps.replaceChildren(...steps.map((step) => make("li", {}, step)));
  }
}
