import { entriesOf, isFloat, isInteger, isMap, OrderedMap, repr, sorted, str } from "../../language/python/values.ts";
import { splitLines } from "../../language/python/text.ts";
import { printable, printableLines } from "../../base/printable.ts";
import { type Colors, colorsOf, stripEscapes } from "./colors.ts";
import type { OutputContext, OutputOptions } from "./outputter.ts";

/** Salt's default: indented keys and values, sorted unless the map is ordered. */
export function nested(data: unknown, options: OutputOptions, context: OutputContext = {}): string {
  return nestedLines(data, options, options.nested_indent ?? 0, context).join("\n");
}

/** The lines of {@linkcode nested}, indented by `indent` blanks. */
export function nestedLines(
  data: unknown,
  options: OutputOptions,
  indent: number,
  context: OutputContext = {},
): string[] {
  const display = new NestedDisplay(options, context.retcode ?? 0);
  display.add(data, indent, "");
  return display.lines;
}

/**
 * Renders a map entry by entry: the texts that the function returns, joined by line feeds, equal the output of
 * {@linkcode nested} for the whole map, if the keys come in ascending order and `nested_indent` is 0.
 */
export function nestedEntries(
  options: OutputOptions,
  context: OutputContext = {},
): (key: string, value: unknown) => string {
  const display = new NestedDisplay(options, context.retcode ?? 0);
  return (key, value) => {
    display.lines.length = 0;
    display.entry(key, value, 0, "");
    return display.lines.join("\n");
  };
}

/** The entries in printing order; keys of different types are sorted as text. */
export function sortedEntries(map: Parameters<typeof entriesOf>[0]): [unknown, unknown][] {
  const entries = entriesOf(map);
  if (map instanceof OrderedMap) return entries;
  return sorted(entries, ([key]) => key) ?? sorted(entries, ([key]) => str(key)) ?? entries;
}

/** As {@link sortedEntries}, where Salt has no fallback: keys of different types are an error. */
export function comparableEntries(map: Parameters<typeof entriesOf>[0]): [unknown, unknown][] {
  const entries = map instanceof OrderedMap ? entriesOf(map) : sorted(entriesOf(map), ([key]) => key);
  if (entries === undefined) throw new TypeError("Cannot sort keys of different types");
  return entries;
}

class NestedDisplay {
  readonly lines: string[] = [];
  readonly #options: OutputOptions;
  readonly #colors: Colors;
  readonly #failed: boolean;

  constructor(options: OutputOptions, retcode: number) {
    this.#options = options;
    this.#colors = colorsOf(options);
    this.#failed = retcode !== 0;
  }

  #line(indent: number, color: string, text: string, suffix = ""): void {
    this.lines.push(`${" ".repeat(indent)}${color}${text}${this.#colors.ENDC}${suffix}`);
  }

  add(data: unknown, indent: number, prefix: string): void {
    const value = data instanceof Uint8Array ? decode(data) : data;
    if (typeof value === "string") return this.#text(value, indent, prefix);
    if (Array.isArray(value)) return this.#list(value, indent);
    if (isMap(value)) return this.#map(value, indent, prefix);
    // Bytes that are not text print nothing, as in Salt.
    if (value instanceof Uint8Array) return;
    this.#line(
      indent,
      this.#colors.LIGHT_YELLOW,
      prefix + (isInteger(value) || isFloat(value) ? repr(value) : str(value)),
    );
  }

  #text(text: string, indent: number, prefix: string): void {
    for (const [index, line] of splitLines(text).entries()) {
      const lead = index === 0 ? prefix : " ".repeat(prefix.length);
      this.#line(indent, this.#colors.GREEN, lead + stripEscapes(line, this.#options));
    }
  }

  #list(list: unknown[], indent: number): void {
    for (const item of list) {
      const map = isMap(item);
      if (!map && !Array.isArray(item)) {
        this.add(item, indent, "- ");
        continue;
      }
      this.#line(indent, this.#failed ? this.#colors.RED : this.#colors.GREEN, "|_");
      this.add(item, indent + 2, map ? "" : "- ");
    }
  }

  #map(map: Parameters<typeof entriesOf>[0], indent: number, prefix: string): void {
    const color = this.#failed ? this.#colors.RED : this.#colors.CYAN;
    if (indent > 0) this.#line(indent, color, "----------");
    for (const [key, value] of sortedEntries(map)) this.entry(key, value, indent, prefix);
  }

  entry(key: unknown, value: unknown, indent: number, prefix: string): void {
    // The outermost keys are ids, or names that a minion chose.
    const name = indent === 0 ? printable(str(key)) : printableLines(str(key));
    this.#line(indent, this.#failed ? this.#colors.RED : this.#colors.CYAN, prefix + name, ":");
    this.add(value, indent + 4, "");
  }
}

/** Bytes as text if they are UTF-8, otherwise unchanged. */
function decode(bytes: Uint8Array): unknown {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Binary data; the caller decides.
    return bytes;
  }
}

/** Shows stages by name, each with its settings. */
export function overstatestage(data: unknown, options: OutputOptions): string {
  if (!Array.isArray(data)) throw new TypeError("Cannot show stages: expected a list");
  const { LIGHT_BLUE, ENDC } = colorsOf(options);
  return data.flatMap((part) => isMap(part) ? entriesOf(part) : []).map(([name, stage]) => {
    const settings = isMap(stage) ? sortedEntries(stage) : [];
    const lines = settings.map(([key, value]) => `    ${LIGHT_BLUE}${str(key)}: ${str(value)}${ENDC}\n`);
    return `${LIGHT_BLUE}${str(name)}: ${ENDC}\n${lines.join("")}`;
  }).join("");
}
