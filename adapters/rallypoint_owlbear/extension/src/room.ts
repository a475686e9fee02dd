/** The open scene: our id of it, its grid, its items, and what of them changes. All is dropped when the scene goes. */

import OBR, { type Item, type Metadata } from "@owlbear-rodeo/sdk";
import { after, sleep } from "./clock";
import { isObject, isSame } from "./apply";
import { Known } from "./items";
import { insist, Pauses } from "./pauses";
import { SCENE_KEY, type Grid, type SentItem } from "./wire";

const DEBOUNCE_MS = 120;

interface Listeners {
  /** Another scene is shown, or none, or its grid or our id of it has changed. */
  shown(): void;
  edited(items: SentItem[], removed: string[]): void;
}

export class Room {
  /** Our id of the open scene; `null` while none is ready or has one. */
  scene: string | null = null;
  grid: Grid | null = null;
  /** All items of the open scene, as they were told last. */
  items: Item[] = [];
  /** Grows whenever a scene comes or goes: what was read before is of another one then. */
  epoch = 0;

  private isOpen = false;
  private isRead = false;
  private made: string | null = null;
  private mayMark = false;
  private isMarking = false;
  private readonly known = new Known();
  private stopTimer: (() => void) | null = null;

  constructor(
    private readonly listeners: Listeners,
    private readonly mark: (write: () => Promise<void>) => Promise<void>,
  ) {}

  /** Listen first, read afterwards: the other way round a change in between is lost for good. */
  async start(): Promise<void> {
    OBR.scene.onReadyChange((ready) => (ready ? this.opened() : this.closed()));
    OBR.scene.items.onChange((items) => this.changed(items));
    OBR.scene.onMetadataChange((metadata) => void this.marked(metadata));
    OBR.scene.grid.onChange(() => void this.readGrid());
    if ((await insist(() => OBR.scene.isReady())) && !this.isOpen) this.opened();
  }

  /** Let this page put our id into a scene that has none, or not. */
  allowMark(may: boolean): void {
    this.mayMark = may;
    if (may && this.isRead && this.scene === null) void this.putMark();
  }

  private closed(): void {
    this.drop();
    this.listeners.shown();
  }

  private drop(): void {
    this.epoch += 1;
    this.isOpen = this.isRead = false;
    this.scene = this.grid = this.made = null;
    this.items = [];
    this.known.start([]);
    this.stopTimer?.();
    this.stopTimer = null;
  }

  private opened(): void {
    this.drop();
    this.isOpen = true;
    void this.read(this.epoch);
  }

  private async read(epoch: number): Promise<void> {
    const pauses = new Pauses();
    while (epoch === this.epoch) {
      try {
        const [metadata, grid, items] = await Promise.all([OBR.scene.getMetadata(), readGrid(), OBR.scene.items.getItems()]);
        if (epoch !== this.epoch) return;
        this.grid = grid;
        this.items = items;
        this.known.start(items);
        this.isRead = true;
        await this.marked(metadata);
        if (this.scene === null) this.listeners.shown();
        return;
      } catch {
        await sleep(pauses.next());
      }
    }
  }

  private async readGrid(): Promise<void> {
    const epoch = this.epoch;
    const grid = await readGrid().catch(() => null);
    if (!grid || epoch !== this.epoch || !this.isRead || isSame(grid, this.grid)) return;
    this.grid = grid;
    this.listeners.shown();
  }

  private async marked(metadata: Metadata): Promise<void> {
    if (!this.isRead) return;
    const found = metadata[SCENE_KEY];
    const id = isObject(found) && typeof found["id"] === "string" && found["id"] ? found["id"] : null;
    if (id === null && this.mayMark) await this.putMark();
    else if (id !== this.scene) {
      this.scene = id;
      this.made = id ?? this.made;
      this.listeners.shown();
    }
  }

  /** Put our id into the scene. Where an undo of the GM took it away, the same one is put back. */
  private async putMark(): Promise<void> {
    if (this.isMarking) return;
    this.isMarking = true;
    const pauses = new Pauses();
    const { epoch } = this;
    const id = (this.made ??= crypto.randomUUID());
    const isDue = (): boolean => epoch === this.epoch && this.mayMark && this.scene !== id;
    while (isDue()) {
      try {
        await this.mark(async () => (isDue() ? OBR.scene.setMetadata({ [SCENE_KEY]: { id } }) : undefined));
        if (isDue()) {
          this.scene = id;
          this.listeners.shown();
        }
      } catch {
        await sleep(pauses.next());
      }
    }
    this.isMarking = false;
    if (this.isRead && this.mayMark && this.scene === null) await this.putMark(); // of the scene that came meanwhile
  }

  private changed(items: Item[]): void {
    if (!this.isOpen) return;
    this.items = items;
    if (!this.isRead || this.stopTimer) return;
    this.stopTimer = after(DEBOUNCE_MS, () => {
      this.stopTimer = null;
      const { items: changed, removed } = this.known.changes(this.items);
      if (changed.length || removed.length) this.listeners.edited(changed, removed);
    });
  }
}

/** The centre of the hex that lies at (0, 0) is asked of the room, and not worked out: others have found different ones. */
async function readGrid(): Promise<Grid> {
  const { grid } = OBR.scene;
  const [dpi, type] = await Promise.all([grid.getDpi(), grid.getType()]);
  const zero = await grid.snapPosition({ x: 0, y: -dpi / (2 * Math.sqrt(3)) }, 1, false, true);
  return { dpi, type, zero: { x: zero.x, y: zero.y } };
}
