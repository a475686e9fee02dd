/**
 * Builds the encounter that lies beside this file in a Foundry world, and brings a newer one later.
 *
 * What is ours carries flags.rallypoint. There `written` keeps each value as it was last written: a value that is no longer
 * equal to it was changed by somebody, and is left alone. Documents keep the ids of the file, so that tokens find their
 * actors and a second import finds the first.
 */

const FLAG = "rallypoint";
const HERE = new URL(".", import.meta.url);
const ID = decodeURIComponent(HERE.pathname.split("/").filter(Boolean).pop());
const FORMAT = "rallypoint.foundry.encounter";
const VERSION = 1;

/** In the order in which they are made: what is pointed at comes first. `fields` are what an update may bring. */
const KINDS = [
  { name: "Folder", list: "folders", fields: ["name"] },
  {
    name: "Actor", list: "actors", fields: ["name", "img", "system", "prototypeToken"],
    part: { name: "Item", list: "items", fields: ["name", "img", "system"], remove: true },
  },
  {
    name: "Scene", list: "scenes", fields: ["name", "width", "height", "grid"],
    part: { name: "Token", list: "tokens", fields: ["name", "bar1", "bar2", "disposition"], remove: false },
  },
  {
    name: "RollTable", list: "tables", fields: ["name", "description", "formula"],
    part: { name: "TableResult", list: "results", fields: ["name", "text", "range", "weight"], remove: true },
  },
  {
    name: "JournalEntry", list: "journal", fields: ["name"],
    part: { name: "JournalEntryPage", list: "pages", fields: ["name", "text"], remove: true },
  },
  {
    name: "Combat", list: "combats", fields: [],
    part: { name: "Combatant", list: "combatants", fields: [], remove: false },
  },
];

/** Limits are set once, when an actor is made: a world may have its own. */
const LIMIT = /^system\..*\.(min|max)$/;

/** What mosh 0.6.x sets on every actor when it is made, whatever the file says. */
const BENT = [
  "prototypeToken.bar1.attribute", "prototypeToken.bar2.attribute", "prototypeToken.displayName",
  "prototypeToken.displayBars", "prototypeToken.disposition", "prototypeToken.name", "prototypeToken.actorLink",
  "system.other.stress.value", "system.other.stress.min", "system.other.stress.max", "system.other.stress.label",
];

const isTable = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const at = (value, path) => path.split(".").reduce((place, step) => place?.[step], value);
const record = (source) => source.flags?.[FLAG];
const called = (document) => document.name ?? document.documentName;
const copy = (value) => JSON.parse(JSON.stringify(value));

/** Yield [path, value] of everything below `value` that is not a table. */
function* leaves(value, path) {
  if (!isTable(value)) yield [path, value];
  else for (const [key, inner] of Object.entries(value)) yield* leaves(inner, `${path}.${key}`);
}

function values(source, fields) {
  const found = {};
  for (const name of fields) {
    if (source[name] === undefined) continue;
    for (const [path, value] of leaves(source[name], name)) found[path] = value;
  }
  return found;
}

/** Whether everything in `wanted` stands in `now`; what more stands there does not matter. */
function holds(now, wanted) {
  if (!isTable(wanted)) return same(now, wanted);
  return isTable(now) && Object.entries(wanted).every(([key, value]) => holds(now[key], value));
}

function readWritten(source) {
  try {
    const found = JSON.parse(record(source)?.written ?? "{}");
    return { values: found.values ?? {}, parts: found.parts ?? [] };
  } catch {
    return { values: {}, parts: [] };
  }
}

/** Return the document as it is to be made: with what is written noted in its flags, and in those of its parts. */
function stamped(source, kind) {
  const made = copy(source);
  const parts = kind.part ? made[kind.part.list] ?? [] : [];
  if (kind.part) made[kind.part.list] = parts.map((each) => stamped(each, kind.part));
  const written = { values: values(source, kind.fields), parts: parts.map((each) => each._id) };
  made.flags[FLAG].written = JSON.stringify(written);
  return made;
}

/**
 * Return the update that brings `wanted` into `now`, null if there is nothing to bring, and the paths that somebody else
 * has changed and that therefore stay.
 */
function merge(now, wanted, kind, parts) {
  const before = readWritten(now);
  const written = { values: { ...before.values }, parts: parts ?? before.parts };
  const change = {};
  const kept = [];
  for (const [path, value] of Object.entries(values(wanted, kind.fields))) {
    if (LIMIT.test(path)) continue;
    const current = at(now, path);
    if (!same(current, value)) {
      if (!(path in before.values) || !same(current, before.values[path])) {
        kept.push(path);
        continue;
      }
      change[path] = value;
    }
    written.values[path] = value;
  }
  const ours = { ...record(wanted), written: JSON.stringify(written) };
  if (!holds(record(now), ours)) change[`flags.${FLAG}`] = ours;
  return { change: Object.keys(change).length ? { _id: wanted._id, ...change } : null, kept };
}

class Import {
  constructor(encounter) {
    this.encounter = encounter;
    this.key = encounter.encounter.key;
    this.report = { stopped: null, kinds: {}, kept: [], blocked: [], orphans: [], missing: [], repaired: 0, settled: 0 };
  }

  ours(source) {
    return record(source)?.encounter === this.key;
  }

  async run() {
    for (const kind of KINDS) await this.kind(kind);
    return this.report;
  }

  async kind(kind) {
    const documentClass = CONFIG[kind.name].documentClass;
    const collection = game.collections.get(kind.name);
    const wanted = (this.encounter[kind.list] ?? []).map((source) => this.manned(source, kind));
    const count = { read: wanted.length, created: 0, updated: 0, unchanged: 0, blocked: 0, missing: 0 };
    const parts = { created: 0, updated: 0, deleted: 0 };
    this.report.kinds[kind.name] = kind.part ? { ...count, parts } : count;
    const mine = this.report.kinds[kind.name];
    const fresh = [];
    for (const source of wanted) {
      const document = collection.get(source._id);
      if (document === undefined) fresh.push(source);
      else if (!this.ours(document.toObject())) {
        mine.blocked += 1;
        this.report.blocked.push(`${kind.name} ${called(document)}`);
      } else if (await this.update(document, source, kind, parts)) mine.updated += 1;
      else mine.unchanged += 1;
    }
    if (fresh.length) await this.create(documentClass, collection, kind, fresh, mine);
    const ids = new Set(wanted.map((source) => source._id));
    for (const document of collection) {
      if (this.ours(document.toObject()) && !ids.has(document.id)) {
        this.report.orphans.push(`${kind.name} ${called(document)}`);
      }
    }
  }

  /** Return the document without tokens and combatants whose actor could not be made: they would be nobody's. */
  manned(source, kind) {
    if (!["scenes", "combats"].includes(kind.list)) return source;
    const { name, list } = kind.part;
    const lost = source[list].filter((each) => !game.actors.has(each.actorId));
    for (const each of lost) this.report.missing.push(`${name} ${each.name}`);
    return lost.length ? { ...source, [list]: source[list].filter((each) => !lost.includes(each)) } : source;
  }

  async create(documentClass, collection, kind, fresh, mine) {
    await documentClass.createDocuments(fresh.map((source) => stamped(source, kind)), { keepId: true });
    const made = fresh.filter((source) => collection.get(source._id) !== undefined);
    mine.created = made.length;
    mine.missing = fresh.length - made.length;
    for (const source of fresh) if (!made.includes(source)) this.report.missing.push(`${kind.name} ${source.name ?? source._id}`);
    if (kind.name === "Actor") this.report.repaired += await repairMade(made.map((source) => collection.get(source._id)), made);
    if (kind.name === "Scene") for (const source of made) this.report.settled += await settle(collection.get(source._id));
  }

  /** Bring one document up to date; say whether anything was written. */
  async update(document, source, kind, count) {
    const now = document.toObject();
    const written = kind.part ? await this.parts(document, now, source, kind, count) : { touched: false };
    const { change, kept } = merge(now, source, kind, written.parts);
    this.keep(document, kept);
    if (change) await document.constructor.updateDocuments([change]);
    return written.touched || change !== null;
  }

  keep(document, paths, inside = "") {
    for (const path of paths) this.report.kept.push(`${called(document)}${inside}: ${path}`);
  }

  async parts(document, now, source, kind, count) {
    const { name, list, remove } = kind.part;
    const before = new Set(readWritten(now).parts);
    const present = new Map(now[list].map((each) => [each._id, each]));
    const wanted = source[list] ?? [];
    const ids = new Set(wanted.map((each) => each._id));
    const fresh = [];
    const changes = [];
    const gone = [];
    for (const part of wanted) {
      const old = present.get(part._id);
      if (old === undefined && before.has(part._id)) this.keep(document, ["taken away by hand"], `, ${part.name ?? kind.part.name}`);
      else if (old === undefined) fresh.push(stamped(part, kind.part));
      else {
        const { change, kept } = merge(old, part, kind.part);
        this.keep(document, kept, `, ${old.name ?? kind.part.name}`);
        if (change) changes.push(change);
      }
    }
    for (const old of now[list]) {
      if (ids.has(old._id) || record(old) === undefined) continue;
      const written = readWritten(old).values;
      const edited = Object.keys(written).filter((path) => !same(at(old, path), written[path]));
      if (!remove) this.report.orphans.push(`${name} ${old.name ?? old._id}`);
      else if (edited.length) this.keep(document, edited, `, ${old.name ?? kind.part.name}`);
      else gone.push(old._id);
    }
    if (fresh.length) await document.createEmbeddedDocuments(name, fresh, { keepId: true });
    if (changes.length) await document.updateEmbeddedDocuments(name, changes);
    if (gone.length) await document.deleteEmbeddedDocuments(name, gone);
    count.created += fresh.length;
    count.updated += changes.length;
    count.deleted += gone.length;
    const touched = fresh.length + changes.length + gone.length > 0;
    return { touched, parts: [...new Set([...before].filter((id) => !gone.includes(id)).concat([...ids]))] };
  }
}

/** Set right what a hook has bent on actors that were just made; return on how many. */
async function repairMade(actors, sources) {
  const changes = [];
  actors.forEach((actor, place) => {
    const now = actor.toObject();
    const change = {};
    for (const path of BENT) {
      const wanted = at(sources[place], path);
      if (wanted !== undefined && !same(at(now, path), wanted)) change[path] = wanted;
    }
    if (Object.keys(change).length) changes.push({ _id: actor.id, ...change });
  });
  if (changes.length) await CONFIG.Actor.documentClass.updateDocuments(changes);
  return changes.length;
}

/** Put tokens that were just made on the middle of their hexes as this Foundry measures them; return how many moved. */
async function settle(scene) {
  if (typeof scene.grid?.getCenterPoint !== "function") return 0;
  const changes = [];
  for (const token of scene.tokens) {
    const source = token.toObject();
    const spot = record(source)?.spot;
    if (!spot) continue;
    const size = token.getSize?.() ?? {
      width: spot.size * (scene.grid.sizeX ?? scene.grid.size), height: spot.size * (scene.grid.sizeY ?? scene.grid.size),
    };
    const middle = scene.grid.getCenterPoint({ i: spot.row, j: spot.column });
    const x = Math.round(middle.x + spot.right - size.width / 2);
    const y = Math.round(middle.y + spot.down - size.height / 2);
    if (x !== source.x || y !== source.y) changes.push({ _id: source._id, x, y });
  }
  if (changes.length) await scene.updateEmbeddedDocuments("Token", changes);
  return changes.length;
}

/** Point our tables at the system's own, where a setting of the system names one. */
function linkTables(encounter) {
  for (const table of encounter.tables ?? []) {
    const setting = record(table)?.setting;
    if (!setting || !game.settings.settings.has(`${encounter.system.id}.${setting}`)) continue;
    const id = game.settings.get(encounter.system.id, setting);
    const pack = [...game.packs].find((each) => each.documentName === "RollTable" && each.index.has(id));
    const uuid = game.tables.get(id)?.uuid ?? (pack && `Compendium.${pack.collection}.RollTable.${id}`);
    if (uuid) table.description += `<p>@UUID[${uuid}]</p>`;
  }
}

async function load() {
  const answer = await fetch(new URL("encounter.json", HERE), { cache: "no-cache" });
  if (!answer.ok) throw new Error(`encounter.json cannot be read: ${answer.status}`);
  const encounter = await answer.json();
  if (encounter.format !== FORMAT || encounter.version > VERSION) {
    throw new Error(`encounter.json is of the form ${encounter.format} ${encounter.version}, not ${FORMAT} ${VERSION}`);
  }
  return encounter;
}

/** Why this world cannot take the encounter; null if it can. */
function obstacle(system, core) {
  if (game.system.id !== system) {
    return { why: "system", says: `These actors are for the system ${system}; this world runs ${game.system.id}.` };
  }
  if (game.release.generation !== core) {
    const says = `These documents are for core ${core}; this is core ${game.release.generation}. Export again with --core.`;
    return { why: "core", says };
  }
  if (!game.user.isGM) return { why: "user", says: "Only a gamemaster can import." };
  return null;
}

function sentence(report) {
  const parts = Object.entries(report.kinds).filter(([, count]) => count.read).map(([name, count]) => {
    const said = ["created", "updated", "unchanged", "blocked", "missing"].filter((word) => count[word]);
    return `${name} ${said.map((word) => `${count[word]} ${word}`).join(", ")}`;
  });
  if (report.kept.length) parts.push(`${report.kept.length} values kept as people changed them`);
  if (report.orphans.length) parts.push(`${report.orphans.length} of an older export left alone`);
  return parts.join("; ");
}

let running = null;

/**
 * Build the encounter, or bring what is new: nothing that people changed is touched. Safe to repeat.
 * Returns the report: per kind what was read = created + updated + unchanged + blocked + missing.
 */
async function importEncounter() {
  running ??= importNow().finally(() => { running = null; });
  return running;
}

async function importNow() {
  const encounter = await load();
  const stop = obstacle(encounter.system.id, encounter.core.generation);
  if (stop) {
    ui.notifications.error(`${ID}: ${stop.says} Nothing was imported.`, { permanent: true });
    return { stopped: stop.why, kinds: {} };
  }
  linkTables(encounter);
  const report = await new Import(encounter).run();
  const trouble = report.blocked.length + report.missing.length;
  ui.notifications[trouble ? "warn" : "info"](`${ID}: ${sentence(report)}`);
  console.log(`${ID} |`, report);
  return report;
}

/** Set bars and disposition of our actors and tokens as the file has them; return how many documents were changed. */
async function repair() {
  const encounter = await load();
  const stop = obstacle(encounter.system.id, encounter.core.generation);
  if (stop) {
    ui.notifications.error(`${ID}: ${stop.says} Nothing was changed.`);
    return 0;
  }
  const paths = ["bar1.attribute", "bar2.attribute", "disposition"];
  const wrong = (now, wanted, before) => Object.fromEntries(
    paths.map((path) => before + path).filter((path) => !same(at(now, path), at(wanted, path))).map((path) => [path, at(wanted, path)]),
  );
  const changes = [];
  for (const source of encounter.actors) {
    const actor = game.actors.get(source._id);
    const change = actor && record(actor.toObject()) ? wrong(actor.toObject(), source, "prototypeToken.") : {};
    if (Object.keys(change).length) changes.push({ _id: source._id, ...change });
  }
  if (changes.length) await CONFIG.Actor.documentClass.updateDocuments(changes);
  let count = changes.length;
  for (const source of encounter.scenes ?? []) {
    const scene = game.scenes.get(source._id);
    const moves = [];
    for (const token of source.tokens) {
      const now = scene?.tokens.get(token._id)?.toObject();
      const change = now ? wrong(now, token, "") : {};
      if (Object.keys(change).length) moves.push({ _id: token._id, ...change });
    }
    if (moves.length) await scene.updateEmbeddedDocuments("Token", moves);
    count += moves.length;
  }
  ui.notifications.info(`${ID}: ${count} repaired`);
  return count;
}

async function pressed() {
  try {
    return await importEncounter();
  } catch (error) {
    console.error(error);
    ui.notifications.error(`${ID}: ${error.message}. What was made stays; it is safe to import again.`, { permanent: true });
    return null;
  }
}

Hooks.once("init", () => {
  const Base = globalThis.foundry?.applications?.api?.ApplicationV2 ?? globalThis.FormApplication;
  /** A menu entry that does its work at once and shows no window. */
  class ImportMenu extends Base {
    async render() {
      await pressed();
      return this;
    }
  }
  game.settings.registerMenu(ID, "import", {
    name: "Import the encounter",
    label: "Import",
    hint: "Makes folders, actors, scene, tables, journal and combat, or brings what is new. What you changed stays.",
    icon: "fas fa-file-import",
    type: ImportMenu,
    restricted: true,
  });
  game.modules.get(ID).api = { importEncounter, repair };
});

Hooks.on("renderActorDirectory", (_directory, html) => {
  const root = html instanceof HTMLElement ? html : html[0];
  const place = root?.querySelector(".header-actions");
  if (!place || !game.user.isGM || place.querySelector(`[data-module="${ID}"]`)) return;
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.module = ID;
  button.textContent = `Import ${game.modules.get(ID).title}`;
  button.addEventListener("click", pressed);
  place.append(button);
});

// The same encounter as an adventure of the compendium goes past importEncounter: foreign systems are stopped, and what
// the system bends is set right.
Hooks.on("preImportAdventure", (adventure) => {
  const ours = adventure.flags?.[FLAG];
  const stop = ours ? obstacle(ours.system, ours.core) : null;
  if (!stop) return true;
  ui.notifications.error(`${ID}: ${stop.says} Nothing was imported.`, { permanent: true });
  return false;
});

Hooks.on("importAdventure", async (adventure, _form, created) => {
  const ours = adventure.flags?.[FLAG];
  const made = created?.Actor ?? [];
  if (!ours || !made.length) return;
  const encounter = await load();
  if (ours.encounter !== encounter.encounter.key) return;
  const sources = new Map(encounter.actors.map((source) => [source._id, source]));
  const known = made.filter((actor) => sources.has(actor.id));
  await repairMade(known, known.map((actor) => sources.get(actor.id)));
});
