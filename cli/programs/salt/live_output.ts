/** `salt --stream`: what commands print while they run, line by line, each behind the id of its minion. */
import type { Output } from "../../../src/client/job_collector.ts";
import { printable, printableLines } from "../../../src/printable.ts";

/** Joins pieces to lines, separately for each minion and stream. */
export class LiveOutput {
  readonly #print: (line: string) => void;
  readonly #complain: (line: string) => void;
  /** The beginning of a line whose end has not come yet. */
  readonly #open = new Map<string, string>();
  readonly #next = new Map<string, number>();
  /** Minions that have printed something. */
  readonly heard = new Set<string>();

  constructor(print: (line: string) => void, complain: (line: string) => void) {
    this.#print = print;
    this.#complain = complain;
  }

  take({ id, seq, stream, text, dropped }: Output): void {
    this.heard.add(id);
    const expected = this.#next.get(id) ?? 0;
    if (seq > expected) {
      this.#complain(`${printable(id)}: [some output was lost; all of it is in the return]`);
    }
    this.#next.set(id, seq + 1);
    const key = `${stream} ${id}`;
    const lines = ((this.#open.get(key) ?? "") + text).split("\n");
    this.#open.set(key, lines.pop()!);
    for (const line of lines) this.#line(id, stream, line);
    if (dropped !== undefined) {
      this.#complain(
        `${printable(id)}: [${dropped} bytes more than are sent live (stream_bytes); all of it is in the return]`,
      );
    }
  }

  /** The minion has ended: what it printed without a line feed is a line, too. */
  end(id: string): void {
    for (const stream of ["stdout", "stderr"] as const) {
      const rest = this.#open.get(`${stream} ${id}`);
      if (rest) this.#line(id, stream, rest);
      this.#open.delete(`${stream} ${id}`);
    }
  }

  #line(id: string, stream: Output["stream"], line: string): void {
    const text = `${printable(id)}: ${printableLines(line.replace(/\r$/, ""))}`;
    if (stream === "stderr") this.#complain(text);
    else this.#print(text);
  }
}
