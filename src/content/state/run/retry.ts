import type { LowChunk } from "../../../model/loader/states.ts";
import { isInteger, isMap, lookup, str } from "../../../language/python/values.ts";

/** How often a state is tried, and until which result. */
export interface Retry {
  until: boolean;
  attempts: number;
  /** Seconds between two attempts, and the maximum of random seconds added to them. */
  interval: number;
  splay: number;
}

const DEFAULTS: Retry = { until: true, attempts: 2, interval: 30, splay: 0 };

/** The option `retry` of a chunk; a value of a wrong type counts as missing. Undefined if the chunk has no `retry`. */
export function retryOf({ retry }: LowChunk): Retry | undefined {
  if (retry === undefined) return undefined;
  if (retry === false) return { ...DEFAULTS, attempts: 0 };
  if (!isMap(retry)) return DEFAULTS;
  const number = (key: "attempts" | "interval" | "splay") => {
    const value = lookup(retry, key);
    if (typeof value === "boolean") return Number(value);
    return isInteger(value) ? Number(value) : DEFAULTS[key];
  };
  const until = lookup(retry, "until");
  return {
    until: typeof until === "boolean" ? until : DEFAULTS.until,
    attempts: number("attempts"),
    interval: number("interval"),
    splay: number("splay"),
  };
}

/** The comment of a dry run, which makes one attempt only. */
export function retryComment(comment: string, { interval, splay, attempts, until }: Retry): string {
  return `${comment}  The state would be retried every ${interval} seconds (with a splay of up to ${splay} seconds) ` +
    `a maximum of ${attempts} times or until a result of ${str(until)} is returned`;
}

/** Comments that are kept: so many of the first attempts, and as many of the last. */
const MAX_KEPT = 500;

/** The comments of all attempts but the last. If there are very many, some from the middle are left out. */
export class Attempts {
  readonly #first: string[] = [];
  readonly #last: string[] = [];
  #left = 0;
  count = 0;

  add(result: unknown, comment: string): void {
    this.count += 1;
    const line = `Attempt ${this.count}: Returned a result of "${
      str(result)
    }", with the following comment: "${comment}"`;
    if (this.#first.length < MAX_KEPT) this.#first.push(line);
    else this.#last.push(line);
    if (this.#last.length > MAX_KEPT) {
      this.#last.shift();
      this.#left += 1;
    }
  }

  /** @param last the comment of the last attempt */
  comment(last: string): string {
    const left = this.#left === 0 ? [] : [`${this.#left} attempts are not shown`];
    return [...this.#first, ...left, ...this.#last, last].join("\n");
  }
}
