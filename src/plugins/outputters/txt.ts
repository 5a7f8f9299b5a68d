import { entriesOf, isMap, repr, str } from "../../language/python/values.ts";
import { prettyFormat } from "../../language/python/pprint.ts";
import { splitLines } from "../../language/python/text.ts";
import { printable } from "../../base/printable.ts";

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
