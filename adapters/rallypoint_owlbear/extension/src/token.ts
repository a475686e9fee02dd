/** The token of this browser: in its storage, and told from tab to tab where the storage is closed to us. */

const KEY = "io.github.rallypoint/token";

type Told = { token: string } | { wanted: true };

export class Token {
  private value: string | null = stored();
  private refused = new Set<string>();
  private waiting: ((token: string) => void)[] = [];
  private readonly channel = new BroadcastChannel(KEY);

  constructor() {
    this.channel.onmessage = ({ data }: MessageEvent<Told>) => {
      if ("token" in data) this.take(data.token);
      else if (this.value) this.tell({ token: this.value });
    };
    if (!this.value) this.tell({ wanted: true });
  }

  get isThere(): boolean {
    return this.value !== null;
  }

  /** The token, as soon as there is one. */
  get(): Promise<string> {
    if (this.value) return Promise.resolve(this.value);
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** The program has given us a token. */
  set(token: string): void {
    this.take(token);
    this.tell({ token });
  }

  /** The program does not know this token: it is of an earlier run. */
  refuse(token: string): void {
    this.refused.add(token);
    if (this.value === token) this.value = null;
    const other = stored();
    if (other === token) store(null);
    else if (other) this.take(other);
    if (!this.value) this.tell({ wanted: true });
  }

  private take(token: string): void {
    if (this.refused.has(token)) return;
    this.value = token;
    store(token);
    for (const each of this.waiting.splice(0)) each(token);
  }

  private tell(told: Told): void {
    this.channel.postMessage(told);
  }
}

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // storage is closed to frames here: a private window
  }
}

function store(token: string | null): void {
  try {
    if (token === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, token);
  } catch {
    // the other tabs know it
  }
}
