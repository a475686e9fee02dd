/** What page and program say to each other: docs/owlbear-link.md in types. */

export const VERSION = 1;
export const UNIT_KEY = "io.github.rallypoint/unit";
export const SCENE_KEY = "io.github.rallypoint/scene";
export const TRACKERS_KEY = "com.owl-trackers/trackers";
export const MOST_TRACKERS = 12;
/** A call of the room takes so many items and bytes at most, and the next one waits so many milliseconds. */
export const CALL = { items: 20, bytes: 48_000, gapMs: 500 } as const;

export type Json = Record<string, unknown>;

export interface Grid {
  dpi: number;
  type: string;
  zero: { x: number; y: number };
}

/** A unit in the popover. Numbers that nobody may see or has are left out. */
export interface Row {
  uid: string;
  code: string;
  side: string;
  item: string | null;
  wounds?: number;
  maxWounds?: number | null;
  stress?: number;
  band?: string;
}

export interface Conflict {
  number: number;
  field: string;
  kind: string;
  ours: string;
  theirs: string;
}

/** A click that was not done, by the name that it was given, and why. */
export interface Refusal {
  click: string;
  why: string;
}

export interface Status {
  battle: string | null;
  linked: number;
  of: number;
  roster: Row[];
  conflicts: Conflict[];
  encounters: { name: string; tokens: number }[];
  /** The last clicks that were refused. */
  refused: Refusal[];
  /** Whether a watch runs that does at once what is clicked. */
  watched: boolean;
  error: string | null;
}

export interface TrackerChange {
  id: string;
  value?: number;
  checked?: boolean;
  new?: Json;
}

export interface ItemChange {
  id: string;
  trackers?: TrackerChange[];
  record?: Json;
  position?: { x: number; y: number };
}

interface Asked {
  n: number;
  expires_ms: number;
  scene: string | null;
}

export interface Picture {
  url: string;
  name: string;
  width: number;
  height: number;
  dpi: number;
  offset: { x: number; y: number };
}

export type Request = Asked &
  (
    | { kind: "snapshot wanted"; items: string[] }
    | { kind: "write"; items: ItemChange[] }
    | { kind: "place"; items: Json[] }
    | { kind: "upload scene"; name: string; grid: Json; items: Json[]; map: Picture | null }
    | { kind: "upload images"; images: Picture[]; hint: string }
    | { kind: "pick images"; search: string; hint: string }
  );

export type News = ({ n: 0; kind: "status" } & Status) | { n: 0; kind: "lease"; writer: boolean };

/** An item as it is sent up. */
export interface SentItem {
  id: string;
  type: string;
  name: string;
  layer: string;
  visible: boolean;
  position: { x: number; y: number };
  createdUserId: string;
  metadata: Json;
}

export type Failed = { id: string; code: string; why: string }[];

export type Message =
  | { kind: "hello"; player: string; name: string; role: string; room: string; scene: string | null; grid: Grid | null }
  | { kind: "lease" }
  | { kind: "scene changed"; scene: string | null; grid: Grid | null }
  | { kind: "snapshot"; re: number; scene: string | null; items: SentItem[]; gone: string[] }
  | { kind: "written"; re: number; scene: string | null; items: SentItem[]; gone: string[]; failed: Failed }
  | { kind: "placed"; re: number; scene: string | null; items: string[]; failed: Failed }
  | { kind: "uploaded"; re: number; sure: boolean }
  | { kind: "picked"; re: number; images: (Picture & { mime: string })[] }
  | { kind: "busy"; re: number; for_ms: number }
  | { kind: "refused"; re: number; code: string; why: string }
  | { kind: "edited"; scene: string | null; items: SentItem[]; removed: string[] }
  | { kind: "link"; item: string; uid: string | null }
  | { kind: "set"; uid: string; field: "wounds" | "stress"; value: number; was: number; click: string }
  | { kind: "encounter"; name: string }
  | { kind: "resolve"; number: number; take: "battle" | "owlbear" };
