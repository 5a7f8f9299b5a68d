/** `salt --stream`: prints the output of a running job line by line, each line after the id of its minion. */
import type { Output, StateProgress } from "../../../src/client/job_collector.ts";
import { printable, printableLines } from "../../../src/base/printable.ts";
import { truthy } from "../../../src/language/python/values.ts";

/** Joins pieces of output to lines, separately for each minion and stream. */
export class LiveOutput {
  readonly #print: (line: string) => void;
  readonly #complain: (line: string) => void;
  /** Minion and stream → the beginning of an incomplete line. */
  readonly #open = new Map<string, string>();
  readonly #next = new Map<string, number>();
  /** Minions whose commands have printed something. */
  readonly heard = new Set<string>();

  constructor(print: (line: string) => void, complain: (line: string) => void) {
    this.#print = print;
    this.#complain = complain;
  }

  take({ id, seq, stream, text, dropped }: Output): void {
    this.heard.add(id);
    const expected = this.#next.get(id) ?? 0;
    if (seq > expected) {
      this.#complain(`${printable(id)}: [some output was lost; the return has all output]`);
    }
    this.#next.set(id, seq + 1);
    const key = `${stream} ${id}`;
    const lines = ((this.#open.get(key) ?? "") + text).split("\n");
    this.#open.set(key, lines.pop()!);
    for (const line of lines) this.#line(id, stream, line);
    if (dropped !== undefined) {
      this.#complain(
        `${
          printable(id)
        }: [${dropped} bytes beyond the limit of live output (stream_bytes); the return has all output]`,
      );
    }
  }

  /** Prints the end of a state. Output of its command without a line feed becomes a line before it. */
  takeState({ id, state, total }: StateProgress): void {
    for (const stream of ["stdout", "stderr"] as const) this.#endLine(id, stream);
    this.#print(`${printable(id)}: ${stateLine(state, total)}`);
  }

  /** Handles the end of a minion: remaining output without a line feed becomes a line, too. */
  end(id: string): void {
    for (const stream of ["stdout", "stderr"] as const) this.#endLine(id, stream);
  }

  #endLine(id: string, stream: Output["stream"]): void {
    const rest = this.#open.get(`${stream} ${id}`);
    if (rest) this.#line(id, stream, rest);
    this.#open.delete(`${stream} ${id}`);
  }

  #line(id: string, stream: Output["stream"], line: string): void {
    const text = `${printable(id)}: ${printableLines(line.replace(/\r$/, ""))}`;
    if (stream === "stderr") this.#complain(text);
    else this.#print(text);
  }
}

/** Characters of a text in a line about a state, at most. */
const SHOWN = 120;

function verdict({ result, changes }: Record<string, unknown>): string {
  if (result === false) return "failed";
  if (result === null) return "would change";
  return truthy(changes ?? null) ? "changed" : "clean";
}

/** The line about a state: `[3/12] changed: nginx in web.app (12.3 ms)`; for a failed state with the reason. */
function stateLine(state: Record<string, unknown>, total: number | undefined): string {
  const text = (value: unknown) => printable(String(value ?? ""), SHOWN);
  const { __id__: id, name, __sls__: sls, __run_num__: number, duration, comment } = state;
  const count = typeof number === "number" && total !== undefined ? `[${number + 1}/${total}] ` : "";
  const where = typeof sls === "string" && sls !== "" ? ` in ${text(sls)}` : "";
  const took = typeof duration === "number" ? ` (${duration} ms)` : "";
  const why = state.result === false ? `: ${text(String(comment ?? "").trim().split("\n")[0])}` : "";
  return `${count}${verdict(state)}: ${text(id ?? name)}${where}${took}${why}`;
}
