// The scenes of a room: their items, grid and metadata, and one history of undo each, in which everybody's changes are.
const GRID = { dpi: 150, type: "HEX_VERTICAL", scale: "2in", measurement: "CHEBYSHEV" };

const clone = (value) => structuredClone(value);

/** An item with the keys that every item has, so that a test may give a short one. */
export function whole(part) {
  const now = new Date().toISOString();
  return {
    id: crypto.randomUUID(), type: "IMAGE", name: "Token", layer: "CHARACTER", visible: true, locked: false,
    createdUserId: "warden", zIndex: Date.now(), lastModified: now, lastModifiedUserId: "warden",
    position: { x: 0, y: 0 }, rotation: 0, scale: { x: 1, y: 1 }, metadata: {},
    ...clone(part),
  };
}

export class Scene {
  constructor({ items = [], grid = {}, metadata = {} } = {}) {
    this.items = items.map(whole);
    this.grid = { ...GRID, ...grid };
    this.metadata = clone(metadata);
    this.past = [];
    this.future = [];
  }

  item(id) {
    return this.items.find((each) => each.id === id);
  }

  /** Make a change of the items one step of undo. */
  change(how) {
    this.past.push(clone(this.items));
    this.future.length = 0;
    how(this.items);
  }

  /** Each key of an update replaces that key of the item. The real room is said to merge; what it merges is not known. */
  update(updates, user) {
    this.change(() => {
      for (const { id, type, ...keys } of updates) {
        const item = this.item(id);
        if (item) Object.assign(item, clone(keys), { lastModified: new Date().toISOString(), lastModifiedUserId: user });
      }
    });
  }

  add(items) {
    this.change((all) => {
      for (const each of clone(items)) {
        const at = all.findIndex((known) => known.id === each.id);
        if (at < 0) all.push(each);
        else all[at] = each;
      }
    });
  }

  /** Items go with what is attached to them. */
  remove(ids) {
    const gone = new Set(ids);
    for (const each of this.items) if (gone.has(each.attachedTo)) gone.add(each.id);
    this.change(() => {
      this.items = this.items.filter((each) => !gone.has(each.id));
    });
  }

  undo() {
    if (!this.past.length) return;
    this.future.push(clone(this.items));
    this.items = this.past.pop();
  }

  redo() {
    if (!this.future.length) return;
    this.past.push(clone(this.items));
    this.items = this.future.pop();
  }
}
