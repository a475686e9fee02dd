// A room of Owlbear Rodeo as the SDK sees it: frames of extensions, of one client or of several, before one scene.
//
// Every client is a tab of somebody: it has a connection of its own. All are in this one page, so that they share the storage
// and the channels of the extension's origin, as the tabs of one browser do.
import { answers, EVENTS, Refusal } from "./answers.js";
import { Faults } from "./faults.js";
import { Scene, whole } from "./scenes.js";

const clone = (value) => structuredClone(value);
const THEME = {
  mode: "DARK",
  primary: { light: "#c9adff", main: "#bb99ff", dark: "#826bb2", contrastText: "#000000" },
  secondary: { light: "#aeddff", main: "#99ddff", dark: "#6b9ab2", contrastText: "#000000" },
  background: { default: "#1e2231", paper: "#222639" },
  text: { primary: "#ffffff", secondary: "#b3b5bd", disabled: "#7a7d8a" },
};

class Room {
  constructor() {
    this.id = "room-1";
    this.theme = THEME;
    this.scene = null;
    this.scenes = new Map();
    this.clients = new Map();
    this.frames = new Map();
    this.faults = new Faults();
    this.notifications = [];
    this.uploads = [];
    this.menus = new Map();
    this.picker = null;
    this.unknown = [];
    this.log = [];
    this.answers = answers(this);
    window.addEventListener("message", (event) => this.heard(event));
  }

  // Clients and their frames

  /** Somebody opens the room in a tab, and the room opens the extension for them. */
  async enter(manifestUrl, { id, role = "GM", player = "warden", name = "Warden" }, ref) {
    const manifest = await (await fetch(manifestUrl, { cache: "no-store" })).json();
    const client = { id, role, player, name, manifest, base: manifestUrl, selection: [] };
    this.clients.set(id, client);
    this.open(client, "background", new URL(manifest.background_url, manifestUrl), {}, ref);
    return manifest;
  }

  /** Somebody closes the tab. */
  leave(id) {
    this.closeFrames((frame) => frame.client.id === id);
    this.clients.delete(id);
  }

  async openPopover(id) {
    const client = this.clients.get(id);
    if (this.isOpen(id)) return;
    const { popover, width, height } = client.manifest.action;
    await this.open(client, "popover", new URL(popover, client.base), { width, height });
    this.emit("OBR_ACTION_IS_OPEN_EVENT_CHANGE", { isOpen: true }, client);
  }

  closePopover(id) {
    this.closeFrames((frame) => frame.client.id === id && frame.kind === "popover");
    this.emit("OBR_ACTION_IS_OPEN_EVENT_CHANGE", { isOpen: false }, this.clients.get(id));
  }

  isOpen(id) {
    return [...this.frames.values()].some((frame) => frame.client.id === id && frame.kind === "popover");
  }

  open(client, kind, url, { width, height } = {}, ref = btoa(`${location.origin} ${this.id}`)) {
    if (ref) url.searchParams.set("obrref", ref);
    const iframe = document.createElement("iframe");
    Object.assign(iframe.dataset, { kind, client: client.id });
    if (width) iframe.width = width;
    if (height) iframe.height = height;
    const frame = { ref: crypto.randomUUID(), client, kind, iframe, origin: url.origin, events: new Set() };
    this.frames.set(frame.ref, frame);
    const ready = new Promise((resolve) => {
      iframe.addEventListener("load", () => {
        if (this.faults.neverReady) return resolve();
        setTimeout(() => {
          this.post(frame, "OBR_READY", { ref: frame.ref, userId: client.player });
          resolve();
        }, this.faults.readyMs);
      });
    });
    iframe.src = url.href;
    document.body.append(iframe);
    return ready;
  }

  closeFrames(which) {
    for (const frame of [...this.frames.values()].filter(which)) {
      frame.iframe.remove();
      this.frames.delete(frame.ref);
    }
  }

  /** Somebody is made a GM, or a player. */
  setRole(id, role) {
    const client = this.clients.get(id);
    client.role = role;
    this.emit("OBR_PLAYER_EVENT_CHANGE", { player: this.playerOf(client) }, client);
  }

  playerOf({ id, player, name, role, selection }) {
    return { id: player, connectionId: id, name, role, selection: clone(selection), color: "#bb99ff", syncView: false, metadata: {} };
  }

  // Messages

  post(frame, id, data) {
    frame.iframe.contentWindow?.postMessage({ id, data }, frame.origin);
  }

  /** Tell all frames that asked for an event, or those of one client. */
  emit(event, data, client) {
    for (const frame of this.frames.values()) {
      if (frame.events.has(event) && (!client || frame.client === client)) this.post(frame, event, data);
    }
  }

  async heard({ data: message, source, origin }) {
    const frame = this.frames.get(message?.ref);
    if (!frame || source !== frame.iframe.contentWindow || origin !== frame.origin) return;
    const { id, data, nonce } = message;
    this.log.push({ client: frame.client.id, kind: frame.kind, id });
    const [, stem, ending] = /^(.*)_(SUBSCRIBE|UNSUBSCRIBE)$/.exec(id) ?? [];
    if (ending) {
      if (ending === "UNSUBSCRIBE" || !EVENTS[stem]) this.unknown.push(id);
      else frame.events.add(EVENTS[stem]);
      return;
    }
    const silent = this.faults.silent[id];
    if (silent === "before") return;
    if (this.faults.lateMs) await new Promise((resolve) => setTimeout(resolve, this.faults.lateMs));
    try {
      if (!this.answers[id]) {
        this.unknown.push(id);
        throw new Refusal("UnknownMessage", id);
      }
      const answer = await this.answers[id](data ?? {}, frame.client, frame);
      if (nonce && silent !== "after") this.post(frame, `${id}_RESPONSE${nonce}`, answer);
    } catch (error) {
      if (!(error instanceof Refusal)) console.error(error);
      if (nonce) this.post(frame, `${id}_ERROR${nonce}`, { error: { name: error.name, message: error.message } });
    }
  }

  // What people do in the room

  /** Open a scene by its name: one that was there before is as it was left. */
  openScene(name, given) {
    if (this.scene) this.emit("OBR_SCENE_EVENT_READY_CHANGE", { ready: false });
    if (given || !this.scenes.has(name)) this.scenes.set(name, new Scene(given ?? {}));
    this.scene = this.scenes.get(name);
    this.emit("OBR_SCENE_EVENT_READY_CHANGE", { ready: true });
  }

  closeScene() {
    this.scene = null;
    this.emit("OBR_SCENE_EVENT_READY_CHANGE", { ready: false });
  }

  changed() {
    this.emit("OBR_SCENE_ITEMS_EVENT_CHANGE", { items: clone(this.scene.items) });
  }

  items() {
    return clone(this.scene?.items ?? []);
  }

  item(id) {
    return clone(this.scene?.item(id)) ?? null;
  }

  /** Somebody else adds items or changes keys of them. */
  put(parts) {
    this.scene.change((items) => {
      for (const part of parts) {
        const known = this.scene.item(part.id);
        if (known) Object.assign(known, clone(part));
        else items.push(whole(part));
      }
    });
    this.changed();
  }

  /** Somebody types another number into a tracker. */
  type(id, entry, value) {
    this.scene.change(() => {
      const found = this.scene.item(id).metadata["com.owl-trackers/trackers"].find((each) => each.id === entry);
      found.value = value;
    });
    this.changed();
  }

  /** Somebody copies an item and pastes it. */
  copy(id, as) {
    this.put([{ ...this.item(id), id: as }]);
  }

  remove(ids) {
    this.scene.remove(ids);
    this.changed();
  }

  undo() {
    this.scene.undo();
    this.changed();
  }

  redo() {
    this.scene.redo();
    this.changed();
  }

  setGrid(grid) {
    Object.assign(this.scene.grid, grid);
    this.emit("OBR_SCENE_GRID_EVENT_CHANGE", { grid: clone(this.scene.grid) });
  }

  clickMenu(id, clientId, itemIds) {
    const { frame } = this.menus.get(id);
    const items = this.items().filter((each) => itemIds.includes(each.id));
    this.clients.get(clientId).selection = itemIds;
    this.post(frame, "OBR_CONTEXT_MENU_EVENT_CLICK", { id, elementId: "here", context: { items, selectionBounds: {} } });
  }

  /** What the room has noted: what a test looks at. */
  seen() {
    const { notifications, uploads, unknown, log } = this;
    const menus = [...this.menus].map(([id, { icons, embed, client }]) => ({ id, icons, embed, client: client.id }));
    const badges = Object.fromEntries([...this.clients.values()].map((each) => [each.id, each.badge ?? null]));
    return clone({ notifications, uploads, unknown, log, menus, badges, calls: this.faults.calls, picker: this.picker?.asked ?? null });
  }
}

window.room = new Room();
