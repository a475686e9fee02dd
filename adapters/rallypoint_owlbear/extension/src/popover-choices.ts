/** What waits for the GM: conflicts to resolve, encounters to place. */

import { Kept, button, keep, make, put, say, show, turn } from "./popover-dom";
import { counted } from "./popover-words";
import type { Conflict, Status } from "./wire";

type Take = "battle" | "owlbear";

class ConflictView {
  readonly element: HTMLLIElement;
  private readonly what = make("p", { class: "what" });
  private readonly takes: Record<Take, HTMLButtonElement>;

  constructor(number: number, resolve: (number: number, take: Take) => void) {
    const taker = (take: Take) => button("", () => resolve(number, take));
    this.takes = { battle: taker("battle"), owlbear: taker("owlbear") };
    this.element = make("li", {}, this.what, make("div", { class: "takes" }, this.takes.battle, this.takes.owlbear));
  }

  draw({ field, kind, ours, theirs }: Conflict, isLinked: boolean): void {
    say(this.what, `${field}: ${kind}`);
    const owlbears = theirs.replace(/^owlbear: /, "");
    for (const [take, text] of [["battle", `Take battle: ${ours}`], ["owlbear", `Take Owlbear: ${owlbears}`]] as const) {
      say(this.takes[take], text);
      put(this.takes[take], "aria-label", `${field}. ${text}`);
      turn(this.takes[take], isLinked);
    }
  }
}

/** Conflicts, each with both values. */
export class Conflicts {
  readonly element: HTMLElement;
  private readonly title = make("h2");
  private readonly list = make("ul");
  private readonly views: Kept<ConflictView>;

  constructor(resolve: (number: number, take: Take) => void) {
    this.views = new Kept((number) => new ConflictView(Number(number), resolve));
    this.element = make("section", { class: "conflicts" }, this.title, this.list);
  }

  draw(conflicts: readonly Conflict[], isLinked: boolean): void {
    show(this.element, conflicts.length > 0);
    say(this.title, counted(conflicts.length, "conflict"));
    const views = this.views.of(conflicts.map(({ number }) => String(number)));
    conflicts.forEach((conflict, place) => views[place]?.draw(conflict, isLinked));
    keep(this.list, views.map((view) => view.element));
  }
}

class EncounterView {
  readonly element: HTMLLIElement;
  private readonly name = make("span", { class: "name" });
  private readonly place: HTMLButtonElement;
  private readonly sure: HTMLElement;
  private readonly question = make("span");
  private readonly yes: HTMLButtonElement;

  constructor(name: string, place: (name: string) => void) {
    this.place = button("Place encounter", () => this.ask(true), { "aria-label": `Place encounter ${name}` });
    this.yes = button("Place", () => {
      this.ask(false);
      place(name);
    });
    const no = button("Cancel", () => this.ask(false));
    this.sure = make("div", { class: "sure", role: "group" }, this.question, this.yes, no);
    this.sure.addEventListener("keydown", ({ key }) => key === "Escape" && this.ask(false));
    this.sure.hidden = true;
    this.element = make("li", {}, make("div", { class: "line" }, this.name, this.place), this.sure);
  }

  draw(name: string, tokens: number, mayPlace: boolean): void {
    const many = counted(tokens, "token");
    say(this.name, `${name}, ${many}`);
    say(this.question, `Put ${many} into the open scene?`);
    say(this.yes, `Place ${many}`);
    put(this.sure, "aria-label", this.question.textContent ?? "");
    turn(this.place, mayPlace);
    turn(this.yes, mayPlace);
  }

  private ask(isAsked: boolean): void {
    show(this.sure, isAsked);
    show(this.place, !isAsked);
    (isAsked ? this.yes : this.place).focus();
  }
}

/** Encounters that may be placed; asked once before. */
export class Encounters {
  readonly element: HTMLElement;
  private readonly list = make("ul");
  private readonly why = make("p", { class: "why" }, "No scene is open: open one to place tokens.");
  private readonly views: Kept<EncounterView>;

  constructor(place: (name: string) => void) {
    this.views = new Kept((name) => new EncounterView(name, place));
    this.element = make("section", { class: "encounters" }, make("h2", {}, "Encounters"), this.why, this.list);
  }

  draw(encounters: Status["encounters"], isLinked: boolean, hasScene: boolean): void {
    show(this.element, encounters.length > 0);
    show(this.why, !hasScene);
    const views = this.views.of(encounters.map(({ name }) => name));
    encounters.forEach(({ name, tokens }, place) => views[place]?.draw(name, tokens, isLinked && hasScene));
    keep(this.list, views.map((view) => view.element));
  }
}
