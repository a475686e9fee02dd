/** The field for the pairing code. */

import type { LinkState } from "./channel";
import { make, put, say, show } from "./popover-dom";
import { codeOf } from "./popover-words";

const NO_CODE = "A code has six digits, such as 482 913.";

/** The form that sends a code, and says what became of it. */
export class Pairing {
  readonly element: HTMLFormElement;
  private readonly field = make("input", {
    id: "code",
    type: "text",
    inputmode: "numeric",
    autocomplete: "off",
    spellcheck: "false",
    maxlength: "20",
    "aria-describedby": "code-said",
  });
  private readonly said = make("p", { id: "code-said", role: "alert" });
  private isAsked = false;

  constructor(pair: (code: string) => void) {
    const label = make("label", { for: "code" }, "Pairing code");
    this.element = make("form", { class: "pairing" }, label, this.field, make("button", { type: "submit" }, "Pair"), this.said);
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      const code = codeOf(this.field.value);
      this.tell(code === null ? NO_CODE : "", code === null);
      if (code === null) return this.field.focus();
      this.isAsked = true;
      pair(code);
    });
    this.field.addEventListener("input", () => this.tell("", false));
  }

  draw(link: LinkState | undefined): void {
    const isWaiting = this.isAsked && link === "connecting";
    const wants = link === "unpaired" || link === "wrong code" || isWaiting;
    const appears = wants && this.element.hidden;
    show(this.element, wants);
    if (appears && document.activeElement === document.body) this.field.focus();
    if (!wants) this.field.value = "";
    if (isWaiting) return;
    if (this.isAsked && link === "wrong code") {
      this.tell("This code is wrong. Look at the terminal, and type it again.", true);
      this.field.select();
    }
    this.isAsked = false;
  }

  private tell(words: string, isWrong: boolean): void {
    say(this.said, words);
    put(this.field, "aria-invalid", isWrong ? "true" : false);
  }
}
