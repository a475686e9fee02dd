/** Light or dark, as Owlbear Rodeo is. The colours are ours: those of a room cannot be counted on for contrast. */

import OBR, { type Theme } from "@owlbear-rodeo/sdk";
import { put } from "./popover-dom";

/** Take the mode of the room, now and whenever it changes. */
export async function followTheme(): Promise<void> {
  const take = ({ mode }: Theme) => put(document.documentElement, "data-mode", mode.toLowerCase());
  OBR.theme.onChange(take);
  take(await OBR.theme.getTheme());
}
