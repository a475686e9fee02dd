// What the room answers to the messages of the SDK that our pages send. All others are noted: a test fails of one.
import { nearest } from "./hexes.js";

export class Refusal extends Error {
  constructor(name, message) {
    super(message);
    this.name = name;
  }
}

const clone = (value) => structuredClone(value);

async function picture(upload) {
  const { file, ...rest } = upload;
  return { ...clone(rest), file: { size: file.size, type: file.type } };
}

export function answers(room) {
  const scene = () => {
    if (!room.scene) throw new Refusal("NoScene", "no scene is open");
    return room.scene;
  };
  const asMaster = (client) => {
    if (client.role !== "GM") throw new Refusal("PermissionDenied", "players may not do this here");
  };
  const writing = (what, how) => (data, client) => {
    const open = scene();
    room.faults.strike(what, data, client);
    asMaster(client);
    how(open, data, client);
    room.emit("OBR_SCENE_ITEMS_EVENT_CHANGE", { items: clone(open.items) });
    return {};
  };
  return {
    OBR_SCENE_IS_READY: () => ({ ready: Boolean(room.scene) }),
    OBR_SCENE_GET_METADATA: () => ({ metadata: clone(scene().metadata) }),
    OBR_SCENE_SET_METADATA: ({ update }, client) => {
      asMaster(client);
      Object.assign(scene().metadata, clone(update));
      room.emit("OBR_SCENE_METADATA_EVENT_CHANGE", { metadata: clone(scene().metadata) });
      return {};
    },
    OBR_SCENE_ITEMS_GET_ALL_ITEMS: () => ({ items: clone(scene().items) }),
    // In the order of the scene and not in that of the ids: an extension fell over it.
    OBR_SCENE_ITEMS_GET_ITEMS: ({ ids }) => ({ items: clone(scene().items.filter((each) => ids.includes(each.id)).reverse()) }),
    OBR_SCENE_ITEMS_UPDATE_ITEMS: writing("update", (open, { updates }, client) => open.update(updates, client.player)),
    OBR_SCENE_ITEMS_ADD_ITEMS: writing("add", (open, { items }) => open.add(items)),
    OBR_SCENE_GRID_GET_DPI: () => ({ dpi: scene().grid.dpi }),
    OBR_SCENE_GRID_GET_TYPE: () => ({ type: scene().grid.type }),
    OBR_SCENE_GRID_SNAP_POSITION: ({ position, useCenter }) => ({
      position: useCenter ? nearest(scene().grid, position) : position,
    }),
    OBR_PLAYER_GET_ROLE: (_, client) => ({ role: client.role }),
    OBR_PLAYER_GET_NAME: (_, client) => ({ name: client.name }),
    OBR_PLAYER_GET_CONNECTION_ID: (_, client) => ({ connectionId: client.id }),
    OBR_PLAYER_GET_SELECTION: (_, client) => ({ selection: clone(client.selection) }),
    OBR_PLAYER_SELECT: ({ items }, client) => {
      client.selection = clone(items);
      room.emit("OBR_PLAYER_EVENT_CHANGE", { player: room.playerOf(client) }, client);
      return {};
    },
    OBR_VIEWPORT_ANIMATE_TO_BOUNDS: ({ bounds }, client) => {
      client.view = bounds;
      return {};
    },
    OBR_SCENE_ITEMS_GET_ITEM_BOUNDS: ({ ids }) => {
      const points = scene().items.filter((each) => ids.includes(each.id)).map((each) => each.position);
      const point = points[0] ?? { x: 0, y: 0 };
      return { bounds: { min: point, max: point, width: 0, height: 0, center: point } };
    },
    OBR_THEME_GET_THEME: () => ({ theme: room.theme }),
    OBR_NOTIFICATION_SHOW: ({ message, variant }, client) => {
      room.notifications.push({ client: client.id, message, variant });
      return { id: String(room.notifications.length) };
    },
    OBR_CONTEXT_MENU_CREATE: (menu, client, frame) => {
      room.menus.set(menu.id, { client, frame, ...clone(menu) });
      return {};
    },
    OBR_ACTION_OPEN: async (_, client) => {
      await room.openPopover(client.id);
      return {};
    },
    OBR_ACTION_CLOSE: (_, client) => {
      room.closePopover(client.id);
      return {};
    },
    OBR_ACTION_IS_OPEN: (_, client) => ({ isOpen: room.isOpen(client.id) }),
    OBR_ACTION_SET_BADGE_TEXT: ({ badgeText }, client) => {
      client.badge = badgeText;
      return {};
    },
    OBR_ACTION_SET_BADGE_BACKGROUND_COLOR: () => ({}),
    OBR_ACTION_SET_HEIGHT: ({ height }) => ({ height }),
    OBR_ACTION_SET_WIDTH: ({ width }) => ({ width }),
    OBR_ASSETS_UPLOAD_IMAGES: async ({ images, typeHint }, client) => {
      room.faults.strike("upload", {}, client);
      room.uploads.push({ kind: "images", typeHint, images: await Promise.all(images.map(picture)) });
      return {};
    },
    OBR_ASSETS_UPLOAD_SCENES: async ({ scenes, disableShowScenes }, client) => {
      room.faults.strike("upload", {}, client);
      const kept = scenes.map(async ({ baseMap, ...rest }) => ({ ...clone(rest), baseMap: baseMap ? await picture(baseMap) : null }));
      room.uploads.push({ kind: "scenes", disableShowScenes, scenes: await Promise.all(kept) });
      return {};
    },
    // The picker stays open until a test closes it, for as long as people look for a picture.
    OBR_ASSETS_DOWNLOAD_IMAGES: (asked) =>
      new Promise((resolve) => {
        room.picker = { asked: clone(asked), close: (images) => resolve({ images: clone(images) }) };
      }),
  };
}

/** The messages of a subscription, and the events that they ask for. */
export const EVENTS = {
  OBR_SCENE_READY: "OBR_SCENE_EVENT_READY_CHANGE",
  OBR_SCENE_METADATA: "OBR_SCENE_METADATA_EVENT_CHANGE",
  OBR_SCENE_ITEMS: "OBR_SCENE_ITEMS_EVENT_CHANGE",
  OBR_SCENE_GRID: "OBR_SCENE_GRID_EVENT_CHANGE",
  OBR_PLAYER: "OBR_PLAYER_EVENT_CHANGE",
  OBR_THEME: "OBR_THEME_EVENT_CHANGE",
  OBR_ACTION_IS_OPEN: "OBR_ACTION_IS_OPEN_EVENT_CHANGE",
};
