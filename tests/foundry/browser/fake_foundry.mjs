/**
 * A small stand-in for Foundry's document API, written for these tests: collections, create, update and delete of documents
 * and embedded documents, hooks, settings. It refuses what Foundry refuses, and notes every write.
 */

const EMBEDDED = {
  Actor: { Item: "items" }, Scene: { Token: "tokens" }, RollTable: { TableResult: "results" },
  JournalEntry: { JournalEntryPage: "pages" }, Combat: { Combatant: "combatants" }, Folder: {}, Item: {}, Token: {},
  TableResult: {}, JournalEntryPage: {}, Combatant: {},
};
const WORLD = ["Folder", "Actor", "Scene", "RollTable", "JournalEntry", "Combat"];
/** Keys that a generation does not know: [document, key, first core that knows it, last core that knows it]. */
const SPANS = [
  ["Token", "appendNumber", 12, 12], ["Token", "prependAdjective", 12, 12], ["Token", "level", 14, 99],
  ["TableResult", "text", 12, 12], ["TableResult", "description", 13, 99], ["Scene", "background", 12, 13],
  ["Scene", "levels", 14, 99], ["Scene", "templates", 12, 13], ["JournalEntry", "categories", 13, 99],
  ["JournalEntryPage", "category", 13, 99], ["Combat", "groups", 13, 99], ["Combatant", "group", 13, 99],
];
const REQUIRED_SINCE = [["Scene", "levels", 14], ["TableResult", "name", 13], ["Token", "level", 14]];

const clone = (value) => JSON.parse(JSON.stringify(value));
const isTable = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function mergeInto(target, change) {
  for (const [key, value] of Object.entries(change)) {
    if (key.startsWith("-=")) delete target[key.slice(2)];
    else if (isTable(value) && isTable(target[key])) mergeInto(target[key], value);
    else target[key] = clone(value);
  }
}

function expand(change) {
  const result = {};
  for (const [path, value] of Object.entries(change)) {
    const steps = path.split(".");
    const last = steps.pop();
    let place = result;
    for (const step of steps) place = place[step] ??= {};
    place[last] = value;
  }
  return result;
}

export function world({ system = "mosh", core = 13, gm = true, useCalm = false, shift = 0, types = ["character", "creature"] } = {}) {
  const state = { writes: [], notices: [], moved: 0 };
  const listeners = {};
  globalThis.Hooks = {
    on: (name, run) => { (listeners[name] ??= []).push(run); },
    once: (name, run) => { (listeners[name] ??= []).push(run); },
    call: (name, ...rest) => (listeners[name] ?? []).every((run) => run(...rest) !== false),
    all: (name, ...rest) => Promise.all((listeners[name] ?? []).map((run) => run(...rest))),
  };

  function check(name, source) {
    if (!/^[A-Za-z0-9]{16}$/.test(source._id ?? "")) throw new Error(`${name} with the id ${source._id}`);
    if (name === "Actor" && !types.includes(source.type)) throw new Error(`Actor of the type ${source.type}`);
    if (!("name" in source) && !["TableResult", "Combat", "Scene"].includes(name)) throw new Error(`${name} without a name`);
    for (const [owner, key, first, last] of SPANS) {
      if (owner === name && key in source && (core < first || core > last)) throw new Error(`${name}.${key} in core ${core}`);
    }
    for (const [owner, key, first] of REQUIRED_SINCE) {
      if (owner === name && core >= first && !(key in source)) throw new Error(`${name} without ${key} in core ${core}`);
    }
    if (name === "Token" && !collections.Actor.has(source.actorId)) throw new Error("token of nobody");
    if (name === "Combatant" && !collections.Actor.has(source.actorId)) throw new Error("combatant of nobody");
    if (name === "Actor" && source.folder && !collections.Folder.has(source.folder)) throw new Error("actor in no folder");
  }

  class Doc {
    constructor(name, source, parent) {
      this.documentName = name;
      this.parent = parent;
      this.source = clone(source);
      this.children = {};
      for (const [child, list] of Object.entries(EMBEDDED[name])) {
        const rows = this.source[list] ?? [];
        delete this.source[list];
        this.children[child] = collection();
        for (const row of rows) {
          check(child, row);
          if (this.children[child].has(row._id)) throw new Error(`${child} ${row._id} twice`);
          this.children[child].set(row._id, new (classes[child])(row, this));
        }
      }
    }
    get id() { return this.source._id; }
    get name() { return this.source.name; }
    get flags() { return this.source.flags; }
    get uuid() { return `${this.documentName}.${this.id}`; }
    get tokens() { return this.children.Token; }
    get items() { return this.children.Item; }
    get grid() { return this.documentName === "Scene" ? measured(this.source.grid) : undefined; }
    updateSource(change) { mergeInto(this.source, expand(change)); }
    toObject() {
      const made = clone(this.source);
      for (const [child, list] of Object.entries(EMBEDDED[this.documentName])) {
        made[list] = [...this.children[child]].map((each) => each.toObject());
      }
      return made;
    }
    change(change) {
      for (const list of Object.values(EMBEDDED[this.documentName])) {
        if (list in change) throw new Error(`an update with ${list} inline would replace them all`);
      }
      const made = expand(change);
      for (const list of Object.values(EMBEDDED[this.documentName])) if (list in made) throw new Error(`${list} inline`);
      mergeInto(this.source, made);
    }
    async createEmbeddedDocuments(name, rows, { keepId = false } = {}) {
      for (const row of rows) {
        if (!keepId) throw new Error("ids must be kept");
        check(name, row);
        if (this.children[name].has(row._id)) throw new Error(`${name} ${row._id} exists`);
        this.children[name].set(row._id, new (classes[name])(row, this));
        state.writes.push(`create ${name} ${row.name ?? row._id}`);
      }
    }
    async updateEmbeddedDocuments(name, rows) {
      for (const row of rows) {
        this.children[name].get(row._id).change(row);
        state.writes.push(`update ${name} ${this.children[name].get(row._id).name}: ${Object.keys(row).filter((key) => key !== "_id")}`);
      }
    }
    async deleteEmbeddedDocuments(name, ids) {
      for (const id of ids) {
        state.writes.push(`delete ${name} ${this.children[name].get(id).name}`);
        this.children[name].delete(id);
      }
    }
  }

  /** A map that iterates over its documents, as Foundry's collections do. */
  function collection() {
    const map = new Map();
    return {
      get: (id) => map.get(id), set: (id, value) => map.set(id, value), has: (id) => map.has(id),
      delete: (id) => map.delete(id), get size() { return map.size; }, find: (test) => [...map.values()].find(test),
      [Symbol.iterator]: () => map.values(),
    };
  }

  /** Hexes on a corner, odd rows to the right; `shift` pixels off, as a Foundry that measures otherwise would be. */
  function measured(grid) {
    return {
      size: grid.size, sizeX: grid.size, sizeY: (grid.size * 2) / Math.sqrt(3),
      getCenterPoint: ({ i, j }) => ({
        x: grid.size * (j + (i & 1) / 2) + grid.size / 2 + shift,
        y: (grid.size * Math.sqrt(3) / 2) * i + grid.size / Math.sqrt(3) + shift,
      }),
    };
  }

  const classes = {};
  for (const name of Object.keys(EMBEDDED)) {
    classes[name] = class extends Doc {
      constructor(source, parent) { super(name, source, parent); }
      static async createDocuments(rows, { keepId = false } = {}) {
        const made = [];
        for (const row of rows) {
          if (!keepId) throw new Error("ids must be kept");
          check(name, row);
          if (collections[name].has(row._id)) throw new Error(`${name} ${row._id} exists`);
          const document = new classes[name](row, null);
          if (!Hooks.call(`preCreate${name}`, document, row, {}, "user")) continue;
          collections[name].set(row._id, document);
          state.writes.push(`create ${name} ${row.name ?? row._id}`);
          made.push(document);
        }
        return made;
      }
      static async updateDocuments(rows) {
        for (const row of rows) {
          const document = collections[name].get(row._id);
          if (!document) throw new Error(`${name} ${row._id} does not exist`);
          document.change(row);
          state.writes.push(`update ${name} ${document.name ?? document.id}: ${Object.keys(row).filter((key) => key !== "_id")}`);
        }
      }
    };
  }
  const collections = Object.fromEntries(WORLD.map((name) => [name, collection()]));

  const settings = new Map([[`${system}.useCalm`, useCalm], [`${system}.table1ePanicStressNormal`, "ypcoikqHLhnc9tNs"]]);
  const menus = {};
  const modules = new Map([["rallypoint-demo", { title: "Demo" }]]);
  globalThis.CONFIG = Object.fromEntries(WORLD.map((name) => [name, { documentClass: classes[name] }]));
  globalThis.game = {
    system: { id: system }, release: { generation: core }, user: { isGM: gm },
    collections: { get: (name) => collections[name] },
    folders: collections.Folder, actors: collections.Actor, scenes: collections.Scene, tables: collections.RollTable,
    journal: collections.JournalEntry, combats: collections.Combat, modules,
    packs: [{ documentName: "RollTable", collection: "mosh.rolltables", index: new Map([["ypcoikqHLhnc9tNs", {}]]) }],
    settings: {
      settings, get: (space, key) => settings.get(`${space}.${key}`),
      registerMenu: (space, key, menu) => { menus[`${space}.${key}`] = menu; },
    },
  };
  globalThis.ui = { notifications: Object.fromEntries(["info", "warn", "error"].map((kind) => [kind, (text) => state.notices.push([kind, text])])) };
  globalThis.FormApplication = class {};

  if (system === "mosh") {
    // What mosh 0.6.1 does to every actor that is made.
    Hooks.on("preCreateActor", (document, data) => {
      document.updateSource({
        "prototypeToken.bar1.attribute": "system.health", "prototypeToken.bar2.attribute": "system.hits",
        "prototypeToken.displayName": 20, "prototypeToken.displayBars": 20,
        "prototypeToken.disposition": data.type === "creature" ? -1 : 0, "prototypeToken.name": data.name,
      });
      if (data.type !== "character") return;
      document.updateSource({ "prototypeToken.disposition": 1, "prototypeToken.actorLink": true });
      if (game.settings.get("mosh", "useCalm")) {
        document.updateSource({
          "system.other.stress.min": 0, "system.other.stress.value": 85, "system.other.stress.max": 85,
          "system.other.stress.label": "Calm",
        });
      }
    });
  }
  return { ...state, state, collections, menus, classes };
}
