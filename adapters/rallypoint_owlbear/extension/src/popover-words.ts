/** What the popover says: one sentence for each state of the link, and what to do. */

import type { LinkState, Standing } from "./channel";
import type { Row } from "./wire";

/** What is said of a state. */
export interface Words {
  /** How it stands. */
  state: string;
  /** What to do, step by step; none: nothing. */
  steps: string[];
}

const SERVE = "rallypoint owlbear serve";
const PORT = "8787";
/** What a command needs to find the program that serves us. */
export const AT_PORT = ["", PORT].includes(location.port) ? "" : ` --port ${location.port}`;

/** The words for each state. */
export const WORDS: Record<LinkState | "no background", Words> = {
  starting: { state: "Starting.", steps: ["Wait a moment. If it stays so, reload the room."] },
  "no background": {
    state: "Our page in the background does not answer.",
    steps: ["Reload the room. If it stays so, take the extension out of the room and add it again."],
  },
  outside: {
    state: "This page is not inside Owlbear Rodeo.",
    steps: ["Open your room there, and our popover in its top bar."],
  },
  player: {
    state: "There is nothing to do here for players.",
    steps: ["The GM keeps battle and tokens in step."],
  },
  unpaired: {
    state: "Not paired yet.",
    steps: [`Type the pairing code. The terminal in which ${SERVE}, or rallypoint table, runs shows it.`],
  },
  "wrong code": {
    state: "This was not the code.",
    steps: ["Type the one that the terminal shows now: after five wrong ones it shows a new one."],
  },
  connecting: { state: "Connecting to the program.", steps: ["Wait a moment: it tries again by itself."] },
  linked: { state: "Linked.", steps: [] },
  "no program": {
    state: "The program does not answer.",
    steps: [
      `Start ${SERVE}${AT_PORT} in a terminal on this computer, and leave it running.`,
      "It runs already? Then the browser keeps us from it. In Chrome click the sign left of the address, open Site settings, " +
        "set Apps on device (in older versions Local network) to Allow, and reload the room.",
    ],
  },
  "other room": {
    state: "Another room is linked.",
    steps: ["Close the tabs that show the other room. This one is linked then by itself."],
  },
  old: {
    state: "Extension and program are of different versions.",
    steps: [
      "Reload the room.",
      `If it stays so, update with pip install --upgrade 'rallypoint[live]', and start ${SERVE}${AT_PORT} again.`,
    ],
  },
};

const NO_BATTLE: Words = {
  state: "Linked. No battle is here yet.",
  steps: [
    `No tokens in the scene yet? rallypoint owlbear place for-owlbear/encounter.owlbear.json${AT_PORT} puts those of an export there.`,
    `In a second terminal: rallypoint owlbear bind first.battle${AT_PORT}, with the name of your battle.`,
  ],
};

/** Return what is said of a standing; `null`: the background page has not answered. */
export function wordsOf(standing: Standing | null, isLate: boolean): Words {
  if (!standing) return WORDS[isLate ? "no background" : "starting"];
  if (standing.link === "linked" && standing.status.battle === null) return NO_BATTLE;
  return WORDS[standing.link];
}

/** Return which battle, how many are linked, and who writes; without a link, that this is what came last. */
export function battleOf({ link, status, writer, scene }: Standing): string {
  if (link !== "linked") return `${status.battle}, as it stood when the link was lost`;
  const writes = writer ? "this tab writes" : "another tab writes";
  const where = scene === null ? "no scene is open" : writes;
  const battle = status.battle === null ? "no battle" : `${status.battle}, ${status.linked} of ${status.of} linked`;
  return `${battle}, ${where}`;
}

/** What can be counted. */
export type Field = "wounds" | "stress";

/** What people call it. */
export const CALLED: Record<Field, string> = { wounds: "Wounds", stress: "Stress" };

/** Return what a field shows, for ears. */
export function spoken(row: Row, field: Field, value: number): string {
  const most = field === "wounds" && row.maxWounds ? ` of ${row.maxWounds}` : "";
  return `${row.code}: ${CALLED[field]} ${value}${most}`;
}

/** Return the digits of a pairing code; `null`: it is none. Blanks and hyphens do not count. */
export function codeOf(typed: string): string | null {
  const code = typed.replace(/[\s\p{Pd}]/gu, "");
  return /^[0-9]{6}$/.test(code) ? code : null;
}

/** Return a number of things with its noun. */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
