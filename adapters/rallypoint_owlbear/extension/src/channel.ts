/** How popover and background page talk: a BroadcastChannel, in which each tab hears only its own (by OBR's connection id). */

import type { Message, Status } from "./wire";

export const CHANNEL = "io.github.rallypoint";

/** How the link stands, in the words that the popover has a sentence for. */
export type LinkState =
  | "starting"
  | "outside" // not inside Owlbear Rodeo, or framed by somebody else
  | "player" // this is no GM: nothing to pair
  | "unpaired" // a code is wanted
  | "wrong code"
  | "connecting"
  | "linked"
  | "no program" // rallypoint owlbear serve does not run, or the browser keeps us from it
  | "other room" // pages of another room are linked
  | "old"; // program and page are of different versions

export interface Standing {
  link: LinkState;
  /** Whether this tab writes; another one of a GM does otherwise. */
  writer: boolean;
  scene: string | null;
  /** Until the next try, in milliseconds; 0: none is awaited. */
  againMs: number;
  /** The last failure in words for a person. */
  error: string | null;
  /** The token of "Link to unit..." whose unit the GM is about to choose. */
  linking: { id: string; name: string } | null;
  status: Status;
}

/** What the popover asks of the background page. */
export type Wish =
  | { do: "say how it stands" }
  | { do: "pair"; code: string }
  /** The GM has thought better of "Link to unit...". */
  | { do: "link nobody" }
  | { do: "say"; message: Extract<Message, { kind: "set" | "encounter" | "resolve" | "link" }> };

export type Spoken =
  | { to: "background"; page: string; wish: Wish }
  | { to: "popover"; page: string; standing: Standing };
