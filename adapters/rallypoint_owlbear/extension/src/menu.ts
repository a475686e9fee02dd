/** "Link to unit..." in the menu of a token. The popover asks for whom; a unit is never guessed by a name. */

import OBR from "@owlbear-rodeo/sdk";

const MENU = "io.github.rallypoint/link";

export function offerLinking(chosen: (item: { id: string; name: string }) => void): void {
  void OBR.contextMenu.create({
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
      void OBR.action.open();
    },
  });
}
