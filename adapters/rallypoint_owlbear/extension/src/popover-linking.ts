/** "Link to unit..." in the menu of a token has brought the GM here: which unit is it? */

import type { Standing } from "./channel";
import { button, make, say, show } from "./popover-dom";

/** The question, above the roster in which it is answered. */
export class Linking {
  readonly element: HTMLElement;
  private readonly question = make("h2");
  private readonly how = make("p");

  constructor(cancel: () => void) {
    const no = button("Cancel", cancel);
    this.element = make("section", { class: "linking" }, this.question, this.how, no);
    this.element.addEventListener("keydown", ({ key }) => key === "Escape" && cancel());
  }

  /** @param free whether there is a unit without a token. */
  draw(linking: Standing["linking"], free: boolean): void {
    show(this.element, linking !== null);
    if (!linking) return;
    say(this.question, `Which unit is ${linking.name}?`);
    say(this.how, free ? `Press "Link to ${linking.name}" below that unit.` : "All units have a token: take the link off one first.");
  }
}
