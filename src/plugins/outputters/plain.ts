import { entriesOf, isMap, lookup, repr, sizeOf, str, Tuple } from "../../language/python/values.ts";
import { prettyFormat } from "../../language/python/pprint.ts";
import { splitLines } from "../../language/python/text.ts";
import { printable } from "../../base/printable.ts";
import { MissingKeyError, type OutputOptions } from "./outputter.ts";

function linesOf(value: unknown): string[] {
  if (typeof value === "string") return splitLines(value);
  if (!(value instanceof Uint8Array)) return [str(value)];
  // Bytes are split into lines as well, and each line is printed as a literal.
  const text = Array.from(value, (byte) => String.fromCharCode(byte)).join("");
  const lines = text.split(/\r\n|\n|\r/);
  if (lines[lines.length - 1] === "") lines.pop();
  return lines.map((line) => repr(Uint8Array.from(line, (character) => character.charCodeAt(0))));
}

/** Shows one line `id: value` per line of each value, for tools that process lines. */
export function txt(data: unknown): string {
  if (typeof data === "string") return `${data}\n`;
  if (!isMap(data)) return `${prettyFormat(data)}\n`;
  return entriesOf(data).flatMap(([key, value]) => linesOf(value).map((line) => `${printable(str(key))}: ${line}\n`))
    .join("");
}

/** Prints nothing. */
export function quiet(): string {
  return "";
}

/** Shows data as Python's `print` does: a literal on one line, or a text as it is. */
export function raw(data: unknown): string {
  return str(data);
}

/** Python's pretty-printer: literals split into lines to fit 80 columns. */
export function pprint(data: unknown, { output_indent: indent }: OutputOptions): string {
  return prettyFormat(data, typeof indent === "number" && indent >= 0 ? indent : 1);
}

/** The values without the ids, one per line; the items of a list count as values. */
export function newlineValuesOnly(data: unknown): string {
  if (!isMap(data)) throw new TypeError("Cannot show values: expected a map");
  return entriesOf(data)
    .flatMap(([, value]) => Array.isArray(value) && !(value instanceof Tuple) ? value : [value])
    .map(str).join("\n");
}

/** Shows the hosts of a `virt.query`. Salt looks up their machines in the wrong place, so a host that has any cannot be shown. */
export function virtQuery(data: unknown): string {
  const hosts = isMap(data) ? lookup(data, "data") : undefined;
  if (!isMap(hosts)) throw new MissingKeyError('Cannot show hosts: expected a map "data"');
  return entriesOf(hosts).map(([id, host]) => {
    const machines = isMap(host) ? lookup(host, "vm_info") : undefined;
    if (!isMap(machines) || sizeOf(machines) > 0) {
      throw new MissingKeyError(`Cannot show the machines of ${str(id)}`);
    }
    return `${str(id)}\n`;
  }).join("");
}
