import { compareText, splitLinesKeepEnds, WHITESPACE } from "./text.ts";
import type { AnyMap } from "./values.ts";
import { bytesRepr, entriesOf, isFloat, isInteger, isMap, OrderedMap, repr, Tuple, typeName } from "./values.ts";

/**
 * Python's `pprint.pformat`: the literal of a value, keys sorted, split into lines where it would exceed the width.
 *
 * @param indent blanks per level
 * @param width columns
 */
export function prettyFormat(value: unknown, indent = 1, width = 80): string {
  const printer = new PrettyPrinter(indent, width);
  printer.format(value, 0, 0, 0);
  return printer.text;
}

const length = (text: string) => /[\ud800-\udfff]/.test(text) ? Array.from(text).length : text.length;

/** Orders keys by value if they can be compared, else by the name of their type. */
function compareKeys(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  const numeric = (value: unknown) => isInteger(value) || isFloat(value) || typeof value === "boolean";
  if (numeric(a) && numeric(b)) return Number(a) - Number(b);
  return compareText(typeName(a), typeName(b));
}

function sortedEntries(map: AnyMap): [unknown, unknown][] {
  return entriesOf(map).sort(([a], [b]) => compareKeys(a, b));
}

/** The literal on one line; the keys of plain maps are sorted, those of ordered maps keep their order. */
function safeRepr(value: unknown): string {
  if (Array.isArray(value)) {
    const items = Array.from(value, safeRepr).join(", ");
    if (!(value instanceof Tuple)) return `[${items}]`;
    return value.length === 1 ? `(${items},)` : `(${items})`;
  }
  if (isMap(value) && !(value instanceof OrderedMap)) {
    return `{${sortedEntries(value).map(([key, item]) => `${safeRepr(key)}: ${safeRepr(item)}`).join(", ")}}`;
  }
  return repr(value);
}

// `re.findall(r"\S*\s*", line)`: words with the white space after them.
const PARTS = new RegExp(`[^${WHITESPACE}]+[${WHITESPACE}]*|[${WHITESPACE}]+`, "g");

class PrettyPrinter {
  text = "";
  readonly #indent: number;
  readonly #width: number;

  constructor(indent: number, width: number) {
    this.#indent = indent;
    this.#width = width;
  }

  /** Appends a value. @param indent column at which it begins @param allowance columns to keep free after its last line */
  format(value: unknown, indent: number, allowance: number, level: number): void {
    const text = safeRepr(value);
    if (length(text) <= this.#width - indent - allowance) this.text += text;
    else if (typeof value === "string") this.#string(value, indent, allowance, level + 1);
    else if (value instanceof Uint8Array) this.#bytes(value, indent, allowance, level + 1);
    else if (value instanceof OrderedMap) this.#orderedMap(value, indent, allowance, level + 1);
    else if (isMap(value)) this.#map(value, indent, allowance, level + 1);
    else if (Array.isArray(value)) this.#list(value, indent, allowance, level + 1);
    else this.text += text;
  }

  #map(map: AnyMap, indent: number, allowance: number, level: number): void {
    this.text += "{" + " ".repeat(Math.max(0, this.#indent - 1));
    const entries = sortedEntries(map);
    const column = indent + this.#indent;
    for (const [index, [key, value]] of entries.entries()) {
      const last = index === entries.length - 1;
      const text = safeRepr(key);
      this.text += `${text}: `;
      this.format(value, column + length(text) + 2, last ? allowance + 1 : 1, level);
      if (!last) this.text += `,\n${" ".repeat(column)}`;
    }
    this.text += "}";
  }

  #orderedMap(map: OrderedMap, indent: number, allowance: number, level: number): void {
    if (map.size === 0) {
      this.text += repr(map);
      return;
    }
    this.text += "OrderedDict(";
    this.format([...map].map((entry) => Tuple.from(entry)), indent + 12, allowance + 1, level);
    this.text += ")";
  }

  #list(list: unknown[], indent: number, allowance: number, level: number): void {
    const [open, close] = !(list instanceof Tuple) ? ["[", "]"] : list.length === 1 ? ["(", ",)"] : ["(", ")"];
    this.text += open + " ".repeat(Math.max(0, this.#indent - 1));
    const column = indent + this.#indent;
    for (const [index, item] of list.entries()) {
      const last = index === list.length - 1;
      this.format(item, column, last ? allowance + close.length : 1, level);
      if (!last) this.text += `,\n${" ".repeat(column)}`;
    }
    this.text += close;
  }

  #string(text: string, indent: number, allowance: number, level: number): void {
    if (text === "") {
      this.text += "''";
      return;
    }
    const alone = level === 1;
    const column = alone ? indent + 1 : indent;
    const chunks = this.#chunks(text, this.#width - column, alone ? allowance + 1 : allowance);
    if (chunks.length === 1) {
      this.text += chunks[0];
      return;
    }
    const body = chunks.join(`\n${" ".repeat(column)}`);
    this.text += alone ? `(${body})` : body;
  }

  /** The literals that a text is split into: one per line of the text, or several where a line is too long. */
  #chunks(text: string, width: number, allowance: number): string[] {
    const chunks: string[] = [];
    const lines = splitLinesKeepEnds(text);
    for (const [index, line] of lines.entries()) {
      const lastLine = index === lines.length - 1;
      const whole = repr(line);
      if (length(whole) <= width - (lastLine ? allowance : 0)) {
        chunks.push(whole);
        continue;
      }
      const parts = line.match(PARTS) ?? [];
      let current = "";
      for (const [at, part] of parts.entries()) {
        const limit = width - (lastLine && at === parts.length - 1 ? allowance : 0);
        if (length(repr(current + part)) <= limit) {
          current += part;
          continue;
        }
        if (current !== "") chunks.push(repr(current));
        current = part;
      }
      if (current !== "") chunks.push(repr(current));
    }
    return chunks;
  }

  #bytes(bytes: Uint8Array, indent: number, allowance: number, level: number): void {
    if (bytes.length <= 4) {
      this.text += bytesRepr(bytes);
      return;
    }
    const alone = level === 1;
    const column = alone ? indent + 1 : indent;
    let width = this.#width - column;
    const chunks: string[] = [];
    let start = 0;
    for (let at = 0; at < bytes.length; at += 4) {
      if (at === Math.floor(bytes.length / 4) * 4) width -= alone ? allowance + 1 : allowance;
      if (bytesRepr(bytes.subarray(start, at + 4)).length > width && at > start) {
        chunks.push(bytesRepr(bytes.subarray(start, at)));
        start = at;
      }
    }
    chunks.push(bytesRepr(bytes.subarray(start)));
    const body = chunks.join(`\n${" ".repeat(column)}`);
    this.text += alone ? `(${body})` : body;
  }
}
