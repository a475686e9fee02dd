/** Events of a stream, read from pieces of text that break anywhere. */
export class Lines {
  private rest = "";

  /** The data of the events that are whole now. A sign of life has none. */
  take(piece: string): string[] {
    const events = (this.rest + piece).split("\n\n");
    this.rest = events.pop() ?? "";
    return events.flatMap((event) => {
      const data = event
        .split("\n")
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).trimStart());
      return data.length ? [data.join("\n")] : [];
    });
  }
}
