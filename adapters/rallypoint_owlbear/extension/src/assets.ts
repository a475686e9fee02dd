/** What goes into the GM's library, and what comes out of it: each opens a picker of Owlbear's, and waits for people. */

import OBR, { buildImageUpload, buildSceneUpload, type GridMeasurement, type GridType, type ImageAssetType, type Item } from "@owlbear-rodeo/sdk";
import { isTimeOut } from "./errors";
import type { Json, Picture, Request } from "./wire";

type Asked<Kind extends Request["kind"]> = Extract<Request, { kind: Kind }>;

/** Upload a scene; say whether it is sure that it was taken. */
export async function uploadScene(request: Asked<"upload scene">): Promise<boolean> {
  const { dpi, type, scale, measurement } = request.grid;
  const scene = buildSceneUpload().name(request.name).items(request.items.map(dated));
  if (typeof type === "string") scene.gridType(type as GridType);
  if (typeof scale === "string") scene.gridScale(scale);
  if (typeof measurement === "string") scene.gridMeasurement(measurement as GridMeasurement);
  if (request.map) scene.baseMap(await upload(request.map));
  const whole = scene.build();
  if (typeof dpi === "number") whole.grid.dpi = dpi; // the builder has no word for it
  return sure(OBR.assets.uploadScenes([whole], false));
}

/** Upload pictures; say whether it is sure that they were taken. */
export async function uploadImages(request: Asked<"upload images">): Promise<boolean> {
  const images = await Promise.all(request.images.map(upload));
  return sure(OBR.assets.uploadImages(images, request.hint as ImageAssetType));
}

/** Let the GM pick pictures of the library. This waits for as long as people do. */
export async function pickImages(request: Asked<"pick images">): Promise<(Picture & { mime: string })[]> {
  const images = await OBR.assets.downloadImages(true, request.search, request.hint as ImageAssetType);
  return images.map(({ name, image, grid }) => {
    const { url, mime, width, height } = image;
    return { name, url, mime, width, height, dpi: grid.dpi, offset: { x: grid.offset.x, y: grid.offset.y } };
  });
}

/** The SDK waits 5 seconds, and people take longer: after that nobody knows. */
async function sure(done: Promise<void>): Promise<boolean> {
  try {
    await done;
    return true;
  } catch (error) {
    if (isTimeOut(error)) return false;
    throw error;
  }
}

async function upload({ url, name, dpi, offset }: Picture) {
  const whole = new URL(url, location.href);
  if (whole.origin !== location.origin) throw new Error(`${whole.origin} is not where pictures of this program are`);
  const answer = await fetch(whole);
  if (!answer.ok) throw new Error(`the picture ${whole.pathname} is not there`);
  return buildImageUpload(await answer.blob()).name(name).grid({ dpi, offset }).build();
}

function dated(item: Json, place: number): Item {
  const player = OBR.player.id;
  const at = { lastModified: new Date().toISOString(), lastModifiedUserId: player, createdUserId: player };
  return { ...item, ...at, zIndex: Date.now() + place } as unknown as Item;
}
