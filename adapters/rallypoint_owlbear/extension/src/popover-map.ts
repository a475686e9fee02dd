/** The map, as far as the popover needs it: which token is selected, and where one is. */

import OBR from "@owlbear-rodeo/sdk";

/** Return the token that is selected, or in words why there is none. */
export async function selectedToken(): Promise<{ item: string } | { why: string }> {
  const [item, ...others] = (await OBR.player.getSelection()) ?? [];
  if (item === undefined) return { why: "Select a token on the map first, then press it again." };
  if (others.length) return { why: `Select one token alone: ${others.length + 1} are selected.` };
  return { item };
}

/** So many cells are shown to each side of a token that was looked for. */
const AROUND = 6;

/** Select a token and move the map so that it is in the middle; `false`: it is not in the open scene. */
export async function findToken(item: string): Promise<boolean> {
  if (!(await OBR.scene.isReady()) || !(await OBR.scene.items.getItems([item])).length) return false;
  await OBR.player.select([item], true);
  const [{ center }, dpi] = await Promise.all([OBR.scene.items.getItemBounds([item]), OBR.scene.grid.getDpi()]);
  // The bounds of the token alone would fill the screen with it.
  const side = AROUND * dpi;
  const min = { x: center.x - side, y: center.y - side };
  const max = { x: center.x + side, y: center.y + side };
  await OBR.viewport.animateToBounds({ min, max, center, width: 2 * side, height: 2 * side });
  return true;
}
