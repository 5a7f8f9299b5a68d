import { integerOf, OrderedMap, toFloat, toInteger } from "./values.ts";

/** The text is not valid JSON; line and column count from 1. */
export class JsonError extends SyntaxError {
  readonly line: number;
  readonly column: number;
  /** The number of characters before the error. */
  readonly at: number;

  constructor(problem: string, text: string, at: number) {
    super(problem);
    this.at = at;
    const before = text.slice(0, at).split("\n");
    this.name = "JsonError";
    this.line = before.length;
    this.column = before.at(-1)!.length + 1;
  }
}

/** Maximum nesting of lists and maps; Python's limit is about the same. */
const MAX_DEPTH = 900;

const NUMBER = /(-?(?:0|[1-9]\d*))(\.\d+)?([eE][-+]?\d+)?/y;
// Matches a string without control characters.
// deno-lint-ignore no-control-regex
const STRING = /"(?:[^"\\\u0000-\u001f]|\\.)*"/y;
const BLANK = /[ \t\n\r]*/y;
const WORDS: [string, unknown][] = [
  ["null", null],
  ["true", true],
  ["false", false],
  ["NaN", NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
];

/**
 * Reads JSON as Python's `json.loads` does: 1.0 stays a float, large integers stay exact, maps keep the order of their keys,
 * `NaN` and `Infinity` are numbers.
 *
 * @throws {JsonError} with Python's message
 */
export function parseOrderedJson(text: string): unknown {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at += found[0].length;
    return found;
  }

  #takes(character: string): boolean {
    this.#match(BLANK);
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #fail(problem: string): JsonError {
    return new JsonError(problem, this.#text, this.#at);
  }

  end(): void {
    this.#match(BLANK);
    if (this.#at < this.#text.length) throw this.#fail("Extra data");
  }

  value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw this.#fail("Lists and maps are nested too deeply");
    if (this.#takes("{")) return this.#map(depth);
    if (this.#takes("[")) return this.#list(depth);
    if (this.#text[this.#at] === '"') return this.#string();
    for (const [word, value] of WORDS) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    const number = this.#match(NUMBER);
    if (number === null) throw this.#fail("Expecting value");
    const [whole, integer, fraction, exponent] = number;
    return fraction === undefined && exponent === undefined ? toInteger(integerOf(integer!)) : toFloat(Number(whole));
  }

  #string(): string {
    const start = this.#at;
    const found = this.#match(STRING);
    try {
      return JSON.parse(found![0]) as string;
    } catch {
      this.#at = start;
      throw this.#fail("Unterminated string, or one with a control character or an escape that does not exist");
    }
  }

  #list(depth: number): unknown[] {
    const items: unknown[] = [];
    if (this.#takes("]")) return items;
    for (;;) {
      items.push(this.value(depth + 1));
      if (this.#takes("]")) return items;
      if (!this.#takes(",")) throw this.#fail("Expecting ',' delimiter");
    }
  }

  #map(depth: number): OrderedMap {
    const map = new OrderedMap();
    if (this.#takes("}")) return map;
    for (;;) {
      this.#match(BLANK);
      if (this.#text[this.#at] !== '"') throw this.#fail("Expecting property name enclosed in double quotes");
      const key = this.#string();
      if (!this.#takes(":")) throw this.#fail("Expecting ':' delimiter");
      map.set(key, this.value(depth + 1));
      if (this.#takes("}")) return map;
      if (!this.#takes(",")) throw this.#fail("Expecting ',' delimiter");
    }
  }
}
