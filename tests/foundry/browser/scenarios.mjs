/** What the module does in a world, one scenario a function; each returns what the test looks at. */

import { world } from "./fake_foundry.mjs";

let turn = 0;

/** Load the module anew for a world that stands; `from` is the export that it carries. */
async function loaded(from = "first") {
  turn += 1;
  await import(`/${from}/rallypoint-demo/rallypoint.mjs?${turn}`);
  await Hooks.all("init");
  return game.modules.get("rallypoint-demo").api;
}

const shown = (here) => Object.fromEntries(Object.entries(here.collections).map(
  ([name, documents]) => [name, [...documents].map((each) => each.toObject())],
));
const taken = (here) => here.state.writes.splice(0);
const named = (here, name) => here.collections.Actor.find((actor) => actor.name === name);

export const scenarios = {
  async first() {
    const here = world();
    const report = await (await loaded()).importEncounter();
    return { report, world: shown(here), writes: taken(here), notices: here.state.notices };
  },
  async again() {
    const here = world();
    const api = await loaded();
    await api.importEncounter();
    const before = JSON.stringify(shown(here));
    taken(here);
    const reports = [await api.importEncounter(), await api.importEncounter()];
    return { reports, writes: taken(here), same: before === JSON.stringify(shown(here)) };
  },
  async edits() {
    const here = world();
    await (await loaded()).importEncounter();
    const captain = named(here, "Captain");
    captain.change({ name: "Old Captain", "system.notes": "<p>mine</p>", "system.hits.value": 2, "system.hits.max": 5 });
    await captain.createEmbeddedDocuments("Item", [{ _id: "MedkitMedkit0001", name: "Medkit", type: "item", flags: {} }], { keepId: true });
    const gunner = named(here, "Gunner");
    const launcher = gunner.items.find((item) => item.name === "Grenade Launcher");
    await gunner.deleteEmbeddedDocuments("Item", [launcher.id]);
    const scene = [...here.collections.Scene][0];
    const token = [...scene.tokens][0];
    token.change({ x: 999, y: 888 });
    const tokens = scene.tokens.size;
    taken(here);
    const report = await (await loaded("second")).importEncounter();
    const writes = taken(here);
    const again = await (await loaded("second")).importEncounter();
    return {
      report, again, writes, after: taken(here), tokens: [tokens, scene.tokens.size],
      token: [token.source.x, token.source.y], captain: captain.toObject(), gunner: gunner.toObject(),
      robot: named(here, "Robot").toObject(), newcomer: named(here, "Newcomer").toObject(),
    };
  },
  async foreign() {
    const here = world({ system: "dnd5e" });
    const report = await (await loaded()).importEncounter();
    return { report, writes: taken(here), notices: here.state.notices };
  },
  async older() {
    const here = world({ core: 12 });
    const report = await (await loaded()).importEncounter();
    return { report, writes: taken(here), notices: here.state.notices };
  },
  async player() {
    const here = world({ gm: false });
    return { report: await (await loaded()).importEncounter(), writes: taken(here) };
  },
  async calm() {
    const here = world({ useCalm: true });
    const report = await (await loaded()).importEncounter();
    return { repaired: report.repaired, platoon: named(here, "First Platoon").toObject() };
  },
  async blocked() {
    const here = world();
    const [source] = (await (await fetch("/first/rallypoint-demo/encounter.json")).json()).actors;
    const stranger = { ...source, name: "Stranger", folder: null, flags: {} };
    await here.classes.Actor.createDocuments([stranger], { keepId: true });
    const before = JSON.stringify(here.collections.Actor.get(source._id).toObject());
    const report = await (await loaded()).importEncounter();
    return { report, same: before === JSON.stringify(here.collections.Actor.get(source._id).toObject()), notices: here.state.notices };
  },
  async swallowed() {
    const here = world();
    Hooks.on("preCreateActor", (document) => document.name !== "Robot");
    const report = await (await loaded()).importEncounter();
    return { report, actors: here.collections.Actor.size, tokens: [...here.collections.Scene][0].tokens.size, notices: here.state.notices };
  },
  async resumed() {
    const here = world();
    const refuse = { on: true };
    Hooks.on("preCreateScene", () => { if (refuse.on) throw new Error("the disk is full"); });
    const api = await loaded();
    let failed = "";
    await api.importEncounter().catch((error) => { failed = error.message; });
    refuse.on = false;
    const report = await api.importEncounter();
    return { failed, report };
  },
  async adventure() {
    const here = world();
    await loaded();
    const encounter = await (await fetch("/first/rallypoint-demo/encounter.json")).json();
    const adventure = { flags: { rallypoint: { encounter: "demo", system: "mosh", core: 13 } } };
    const allowed = Hooks.call("preImportAdventure", adventure);
    await here.classes.Folder.createDocuments(encounter.folders, { keepId: true });
    const made = await here.classes.Actor.createDocuments(encounter.actors, { keepId: true });
    const bent = named(here, "Captain").toObject().prototypeToken;
    await Hooks.all("importAdventure", adventure, {}, { Actor: made }, {});
    const set = named(here, "Captain").toObject().prototypeToken;
    game.system.id = "dnd5e";
    const foreign = Hooks.call("preImportAdventure", adventure);
    const others = Hooks.call("preImportAdventure", { flags: {} });
    return { allowed, bent, set, foreign, others };
  },
  async repaired() {
    const here = world();
    const api = await loaded();
    await api.importEncounter();
    const captain = named(here, "Captain");
    captain.change({ "prototypeToken.bar1.attribute": "system.health", "prototypeToken.disposition": -1, name: "Renamed" });
    const scene = [...here.collections.Scene][0];
    [...scene.tokens][0].change({ "bar2.attribute": "system.hits" });
    taken(here);
    const count = await api.repair();
    const writes = taken(here);
    return { count, writes, again: await api.repair(), captain: captain.toObject(), token: [...scene.tokens][0].toObject() };
  },
  async buttons() {
    const here = world();
    await loaded();
    const html = document.createElement("div");
    html.innerHTML = '<div class="header-actions"></div>';
    Hooks.call("renderActorDirectory", {}, html);
    Hooks.call("renderActorDirectory", {}, html);
    Hooks.call("renderActorDirectory", {}, [html]);
    const found = [...html.querySelectorAll("button")];
    found[0].click();
    found[0].click();
    const api = game.modules.get("rallypoint-demo").api;
    const report = await api.importEncounter();
    const Menu = here.menus["rallypoint-demo.import"].type;
    taken(here);
    await new Menu().render();
    return { buttons: found.map((each) => each.textContent), report, after: taken(here), restricted: here.menus["rallypoint-demo.import"].restricted };
  },
  async settled() {
    const here = world({ shift: 17 });
    const report = await (await loaded()).importEncounter();
    const [token] = [...[...here.collections.Scene][0].tokens];
    return { settled: report.settled, token: token.toObject() };
  },
  async reading() {
    const here = world();
    await (await loaded()).importEncounter();
    const [journal] = [...here.collections.JournalEntry];
    const [table] = [...here.collections.RollTable];
    const pages = [...journal.children.JournalEntryPage];
    pages[0].change({ "text.content": "<p>my own words</p>" });
    await journal.createEmbeddedDocuments(
      "JournalEntryPage", [{ _id: "MyOwnPage0000001", name: "Mine", type: "text", flags: {} }], { keepId: true },
    );
    table.change({ name: "My panic" });
    [...here.collections.Folder][1].change({ name: "My squad" });
    taken(here);
    const report = await (await loaded("third")).importEncounter();
    const writes = taken(here);
    await (await loaded("third")).importEncounter();
    return { report, writes, after: taken(here), journal: journal.toObject(), table: table.toObject(), folders: shown(here).Folder };
  },
  async deleted() {
    const here = world();
    const api = await loaded();
    await api.importEncounter();
    const robot = named(here, "Robot");
    here.collections.Actor.delete(robot.id);
    const [scene] = [...here.collections.Scene];
    const [combat] = [...here.collections.Combat];
    await scene.deleteEmbeddedDocuments("Token", [[...scene.tokens].find((token) => token.name === "Gunner").id]);
    await combat.deleteEmbeddedDocuments("Combatant", [[...combat.children.Combatant][0].id]);
    taken(here);
    const report = await api.importEncounter();
    return { report, writes: taken(here), tokens: scene.tokens.size, fighters: combat.children.Combatant.size };
  },
  async orphans() {
    const here = world();
    await (await loaded()).importEncounter();
    const gunner = named(here, "Gunner");
    gunner.items.find((item) => item.name === "Grenade Launcher").change({ "system.shots": 12 });
    taken(here);
    const report = await (await loaded("third")).importEncounter();
    return {
      report, robot: named(here, "Robot") !== undefined, tokens: [...here.collections.Scene][0].tokens.size,
      gunner: gunner.toObject(), writes: taken(here),
    };
  },
  async bystanders() {
    const here = world();
    const other = {
      _id: "OtherEncounter01", name: "Of another encounter", type: "creature", folder: null, system: {}, prototypeToken: {},
      items: [], flags: { rallypoint: { v: 1, uid: "x", encounter: "other" } },
    };
    await here.classes.Actor.createDocuments([other], { keepId: true });
    const before = JSON.stringify(here.collections.Actor.get(other._id).toObject());
    const report = await (await loaded()).importEncounter();
    await (await loaded("second")).importEncounter();
    return { report, same: before === JSON.stringify(here.collections.Actor.get(other._id).toObject()) };
  },
  async names() {
    const here = world();
    const api = await loaded("names");
    await api.importEncounter();
    taken(here);
    await api.importEncounter();
    return { after: taken(here), world: shown(here), notices: here.state.notices };
  },
  async unstamped() {
    // As an adventure from a pack leaves them: with our record, without what was written.
    const here = world();
    const encounter = await (await fetch("/first/rallypoint-demo/encounter.json")).json();
    await here.classes.Folder.createDocuments(encounter.folders, { keepId: true });
    await here.classes.Actor.createDocuments(encounter.actors, { keepId: true });
    named(here, "Captain").change({ "system.hits.value": 2 });
    const api = await loaded("second");
    const report = await api.importEncounter();
    taken(here);
    await api.importEncounter();
    return { report, after: taken(here), captain: named(here, "Captain").toObject() };
  },
  async gone() {
    const here = world();
    const api = await loaded();
    const real = globalThis.fetch;
    globalThis.fetch = async () => ({ ok: false, status: 404 });
    const failed = await api.importEncounter().then(() => "", (error) => error.message);
    const Menu = here.menus["rallypoint-demo.import"].type;
    const held = console.error;
    console.error = () => {};
    await new Menu().render();
    console.error = held;
    globalThis.fetch = real;
    const report = await api.importEncounter();
    return { failed, notices: here.state.notices.slice(0, 1), created: report.kinds.Actor.created };
  },
  async newer() {
    const here = world();
    const failed = await (await loaded("newer")).importEncounter().then(() => "", (error) => error.message);
    return { failed, writes: taken(here) };
  },
};

for (const [core, system] of [[12, "mosh"], [14, "mosh"], [13, "mothershiprpg"], [14, "mothershiprpg"]]) {
  scenarios[`${system}${core}`] = async () => {
    const here = world({ system, core });
    const api = await loaded(`${system}${core}`);
    const report = await api.importEncounter();
    taken(here);
    await api.importEncounter();
    return { report, after: taken(here), world: shown(here) };
  };
}
