/** Who has framed us. The SDK believes what stands in our own address, so that anybody could play the room: we ask first. */

/** The origins that may frame us, unless the program names others. */
const OWLBEAR = ["https://www.owlbear.rodeo"];
const SETTINGS_MS = 3000;

/** The origin that `obrref` of a query names, `null` where there is none that makes sense. */
export function framedBy(query: string): string | null {
  const ref = new URLSearchParams(query).get("obrref");
  if (!ref) return null;
  try {
    const [origin, room, ...more] = atob(ref).split(" ");
    return origin && room && more.length === 0 && new URL(origin).origin === origin ? origin : null;
  } catch {
    return null;
  }
}

/** Whether we are in a frame of a site that may have us: Owlbear Rodeo, or what the program was told beside it. */
export async function isTrusted(query: string = location.search): Promise<boolean> {
  const origin = framedBy(query);
  if (origin === null || window.parent === window) return false;
  return (await hosts()).includes(origin);
}

async function hosts(): Promise<string[]> {
  try {
    const answer = await fetch("/settings.json", { signal: AbortSignal.timeout(SETTINGS_MS) });
    const found: unknown = ((await answer.json()) as { hosts?: unknown }).hosts;
    return Array.isArray(found) ? found.filter((each) => typeof each === "string") : OWLBEAR;
  } catch {
    return OWLBEAR; // the program has stopped meanwhile
  }
}
