/** What went wrong in a call of the room. Its errors are plain objects; only running out of time is an `Error` of the SDK. */
export interface Failure {
  code: string;
  why: string;
}

export function failureOf(error: unknown): Failure {
  const told = (error as { error?: { name?: unknown; message?: unknown } } | null | undefined)?.error;
  if (typeof told?.name === "string") return { code: told.name, why: typeof told.message === "string" ? told.message : told.name };
  if (error instanceof Error) return { code: isTimeOut(error) ? "no_answer" : "other", why: error.message };
  return { code: "other", why: String(error) };
}

/** Whether the SDK gave up waiting: then nobody knows whether it was done. */
export function isTimeOut(error: unknown): boolean {
  return error instanceof Error && /took longer than \d+ms/.test(error.message);
}

export function isRateLimit(error: unknown): boolean {
  return failureOf(error).code === "RateLimitHit";
}
