/** Time that passes at the same speed while the room is behind another window, as it is while the Warden types. */

const waiting = new Map<number, () => void>();
let last = 0;
let worker: Worker | null = null;

/** Let a worker count, given where its script is. Without one the page's own timers do. */
export function startClock(script: string | null): void {
  if (!script) return;
  try {
    worker = new Worker(script, { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<number>) => ring(data);
    worker.onerror = () => {
      worker = null;
      for (const id of waiting.keys()) setTimeout(ring, 1000, id);
    };
  } catch {
    worker = null;
  }
}

function ring(id: number): void {
  const then = waiting.get(id);
  waiting.delete(id);
  then?.();
}

/** Do something in so many milliseconds; what is returned stops it. */
export function after(ms: number, then: () => void): () => void {
  const id = ++last;
  waiting.set(id, then);
  if (worker) worker.postMessage({ id, ms });
  else setTimeout(ring, ms, id);
  return () => waiting.delete(id);
}

/** Wait so many milliseconds, or until a signal. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (ms <= 0 || signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => (stop(), forget(), resolve());
    const stop = after(ms, end);
    const forget = onAbort(signal, end);
  });
}

/** Do something at a signal; what is returned takes it back. A session hears thousands of things: none may stay behind. */
export function onAbort(signal: AbortSignal | undefined, then: () => void): () => void {
  signal?.addEventListener("abort", then);
  return () => signal?.removeEventListener("abort", then);
}

export const now = (): number => performance.now();
