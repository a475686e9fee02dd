/** "Link to unit..." in the menu of a token. The popover asks for whom; a unit is never guessed by a name. */

import OBR, { type ContextMenuItem } from "@owlbear-rodeo/sdk";
import { sleep } from "./clock";
import { isTimeOut } from "./errors";
import { Pauses } from "./pauses";

const MENU = "io.github.rallypoint/link";

export function offerLinking(chosen: (item: { id: string; name: string }) => void): void {
  const menu: ContextMenuItem = {
    id: MENU,
    icons: [
      {
        icon: "/icon.svg",
        label: "Link to unit...",
        filter: { roles: ["GM"], min: 1, max: 1, some: [{ key: "layer", value: "CHARACTER" }, { key: "layer", value: "MOUNT" }, { key: "layer", value: "PROP" }] },
      },
    ],
    onClick: ({ items }) => {
      const [item] = items;
      if (!item) return;
      const shown = (item as { text?: { plainText?: unknown } }).text?.plainText;
      chosen({ id: item.id, name: typeof shown === "string" && shown ? shown : item.name });
      OBR.action.open().catch(() => undefined); // it waits in the popover, whoever opens that
    },
  };
  const offer = (): void => void OBR.contextMenu.create(menu); // a second one of the same id takes the place of the first
  offer();
  whenUnanswered("OBR_CONTEXT_MENU_CREATE", offer);
}

/** Say it again where the room gave no answer in time: of this call the SDK does not tell whoever made it, but the whole page. */
function whenUnanswered(message: string, again: () => void): void {
  const pauses = new Pauses();
  addEventListener("unhandledrejection", (event) => {
    if (!isTimeOut(event.reason) || !(event.reason as Error).message.includes(` ${message} `)) return;
    event.preventDefault();
    void sleep(pauses.next()).then(again);
  });
}
