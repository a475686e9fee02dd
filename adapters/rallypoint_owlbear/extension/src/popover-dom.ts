/** Elements, made and kept without markup from data: what a person named is text. */

export type Attributes = Record<string, string | boolean | ((event: Event) => void)>;

/** Make an element; `on...` is a listener, `true` an empty attribute, `false` none. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else put(element, name, value);
  }
  element.append(...children);
  return element;
}

/** Set or take off an attribute, and touch nothing where it is so already. */
export function put(element: Element, name: string, value: string | boolean): void {
  const wanted = value === true ? "" : value;
  if (wanted === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== wanted) element.setAttribute(name, wanted);
}

/** Set the text of an element, and touch nothing where it says so already: a screen reader reads it once. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Hide an element, or show it. */
export function show(element: HTMLElement, isShown: boolean): void {
  if (element.hidden === isShown) element.hidden = !isShown;
}

/** Give a parent just these children in this order. Those that are in place are not moved, and the focus stays where it was. */
export function keep(parent: Element, children: readonly Element[]): void {
  const focused = document.activeElement;
  const wanted = new Set<Element>(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  let next = parent.firstElementChild;
  for (const child of children) {
    if (child === next) next = child.nextElementSibling;
    else parent.insertBefore(child, next);
  }
  if (focused instanceof HTMLElement && focused !== document.activeElement && focused.isConnected) focused.focus();
}

/** Views by key: one is made for each new key, and forgotten with it. */
export class Kept<T> {
  private views = new Map<string, T>();

  constructor(private readonly born: (key: string) => T) {}

  of(keys: readonly string[]): T[] {
    this.views = new Map(keys.map((key) => [key, this.views.get(key) ?? this.born(key)]));
    return [...this.views.values()];
  }
}

/** A button that keeps the focus while it may not be pressed, and says so. */
export function button(text: string, pressed: (() => void) | null, attributes: Attributes = {}): HTMLButtonElement {
  const made = make("button", { type: "button", ...attributes }, text);
  if (pressed) made.addEventListener("click", () => isOn(made) && pressed());
  return made;
}

/** Return whether something may be pressed. */
export function isOn(pressable: Element): boolean {
  return pressable.getAttribute("aria-disabled") !== "true";
}

/** Let something be pressed, or not. */
export function turn(pressable: Element, on: boolean): void {
  put(pressable, "aria-disabled", on ? false : "true");
}
