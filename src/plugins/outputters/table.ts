import { isMap, lookup, str, truthy, typeName } from "../../language/python/values.ts";
import { pad } from "../../language/python/format.ts";
import { printable } from "../../base/printable.ts";
import { type Colors, colorsOf } from "./colors.ts";
import { comparableEntries } from "./nested.ts";
import type { OutputOptions } from "./outputter.ts";

const ALIGNMENTS: Record<string, string> = { center: "^", left: "<", right: ">" };

/** Shows lists and maps as tables; its options are named `out.table.…`. */
export function table(data: unknown, options: OutputOptions): string {
  const option = (name: string) => options[`out.table.${name}`];
  const text = (name: string) => {
    const value = option(name);
    return typeof value === "string" ? value : undefined;
  };
  const display = new TableDisplay(options, text("rows_key"), text("labels_key"));
  display.add(data, Number(option("nested_indent") ?? 0));
  return display.lines.join("\n");
}

/** Shows rows below labels, as {@linkcode table} does for `{labels, rows}`. */
export function labelled(labels: string[], rows: string[][], options: OutputOptions): string {
  const display = new TableDisplay(options, "rows", "labels");
  display.add({ labels, rows }, 0);
  return display.lines.join("\n");
}

class TableDisplay {
  readonly lines: string[] = [];
  readonly #colors: Colors;
  readonly #options: OutputOptions;
  readonly #rowsKey: string | undefined;
  readonly #labelsKey: string | undefined;

  constructor(options: OutputOptions, rowsKey: string | undefined, labelsKey: string | undefined) {
    this.#options = options;
    this.#colors = colorsOf(options);
    this.#rowsKey = rowsKey;
    this.#labelsKey = labelsKey;
  }

  #option<T>(name: string, fallback: T): T {
    return (this.#options[`out.table.${name}`] ?? fallback) as T;
  }

  #line(indent: number, color: string, text: string, suffix = ""): void {
    this.lines.push(`${" ".repeat(indent)}${color}${text}${this.#colors.ENDC}${suffix}`);
  }

  add(data: unknown, indent: number): void {
    if (Array.isArray(data)) {
      if (this.#rowsKey === undefined) this.#rows(data, undefined, indent);
      return;
    }
    if (!isMap(data)) return;
    const here = this.#rowsKey === undefined || lookup(data, this.#rowsKey) !== undefined;
    for (const [key, value] of comparableEntries(data)) {
      if (!here) {
        this.add(value, indent);
        continue;
      }
      if (this.#rowsKey === undefined) {
        this.#line(indent, this.#colors.DARK_GRAY, printable(str(key)), ":");
        this.#line(indent, this.#colors.DARK_GRAY, "----------");
      } else if (key !== this.#rowsKey) continue;
      if (!Array.isArray(value)) this.add(value, indent + 4);
      else this.#rows(value, this.#labelsKey === undefined ? undefined : lookup(data, this.#labelsKey), indent);
    }
  }

  #rows(rows: unknown[], labels: unknown, indent: number): void {
    const type = typeName(rows[0]);
    // Rows of different types are not shown, as in Salt.
    if (rows.length === 0 || rows.some((row) => typeName(row) !== type)) return;
    const cells = rows.map((row) =>
      isMap(row)
        ? comparableEntries(row).map(([, value]) => str(value))
        : Array.isArray(row)
        ? row.map(str)
        : [str(row)]
    );
    const header = headerOf(rows[0], labels);
    this.#print(header === undefined ? cells : [header, ...cells], indent + 4, header !== undefined);
  }

  #print(rows: string[][], indent: number, header: boolean): void {
    const width = this.#option("width", 50);
    const [delimiter, prefix, suffix] = [
      this.#option("delim", " | "),
      this.#option("prefix", "| "),
      this.#option("suffix", " |"),
    ];
    const align = ALIGNMENTS[this.#option("justify", "center").toLowerCase()] ?? "^";
    const logical = rows.map((row) => physicalRows(row, width));
    const widths: number[] = [];
    for (const row of logical.flat()) {
      for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
    }
    const total = widths.reduce((sum, width) => sum + width, 0) + delimiter.length * (widths.length - 1);
    const rule = this.#option("row_delimiter", "-").repeat(prefix.length + total + suffix.length);
    const separate = truthy(this.#option("separate_rows", true));
    let pending = header && truthy(this.#option("has_header", true));
    if (separate) this.#line(indent, this.#colors.LIGHT_GRAY, rule);
    for (const physical of logical) {
      for (const row of physical) {
        const line = row.map((cell, column) => justify(cell, widths[column] ?? 0, align)).join(delimiter);
        this.#line(indent, this.#colors.WHITE, prefix + line + suffix);
      }
      if (separate || pending) this.#line(indent, this.#colors.LIGHT_GRAY, rule);
      pending = false;
    }
  }
}

function headerOf(row: unknown, labels: unknown): string[] | undefined {
  if (isMap(labels)) return comparableEntries(labels).map(([, label]) => str(label));
  if (truthy(labels)) return (labels as unknown[]).map(str);
  if (!isMap(row)) return undefined;
  return comparableEntries(row).map(([key]) => titleCase(str(key).replaceAll("_", " ")));
}

/** Python's `str.title`: the first letter of each run of letters in upper case, the others in lower case. */
function titleCase(text: string): string {
  return text.replace(/\p{L}+/gu, (word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase());
}

/** Splits the cells of a row into lines: the result has as many rows as the shortest cell has lines, the rest is dropped. */
function physicalRows(row: string[], width: number): string[][] {
  const cells = row.map((cell) => wrap(cell, width));
  const height = Math.min(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) => cells.map((lines) => lines[line] ?? ""));
}

function wrap(text: string, width: number): string[] {
  const [first = "", ...words] = text.split(" ");
  return words.reduce((line, word) => {
    const last = line.slice(line.lastIndexOf("\n") + 1);
    const next = word.split("\n", 1)[0] ?? "";
    return `${line}${last.length + next.length >= width ? "\n" : " "}${word}`;
  }, first).split("\n");
}

/** Pads a cell; like Python's `str.center` it puts an extra blank to the left if the width is odd. */
function justify(cell: string, width: number, align: string): string {
  const missing = width - cell.length;
  if (align !== "^" || missing <= 0) return pad(cell, width, align);
  const left = Math.floor(missing / 2) + (missing & width & 1);
  return " ".repeat(left) + cell + " ".repeat(missing - left);
}
