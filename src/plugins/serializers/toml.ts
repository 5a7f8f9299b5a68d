import type { AnyMap } from "../../language/python/values.ts";
import { entriesOf, isFloat, isInteger, isMap, repr, str, typeName } from "../../language/python/values.ts";
import { iterate } from "../../language/python/iterate.ts";
import { decodeUtf8 } from "../../language/python/utf8.ts";
import { messageOf } from "../../base/errors.ts";
import { DeserializationError, SerializationError, type Serializer } from "./serializer.ts";
import { isList } from "../../language/python/update.ts";

/** Tables below a table, by the path of each within it. */
type Tables = [path: string, table: AnyMap][];

/** What stands before and after an escape `\x` of Python's repr, joined as Python's package joins it: not always as TOML has it. */
function joinEscapes(text: string): string {
  let parts = text.split("\\x");
  while (parts.length > 1) {
    if (parts[0] === "") parts = parts.slice(1);
    const before = parts[0]!.replaceAll("\\\\", "\\");
    if (parts.length < 2) throw new SerializationError("list index out of range");
    if (before === "") throw new SerializationError("string index out of range");
    const slashes = /\\*$/.exec(before)![0].length;
    // A text that is backslashes alone is looked at from its second on.
    const turns = slashes === before.length ? slashes - 1 : slashes;
    const isText = (slashes === 0) !== (turns % 2 === 1);
    parts = [before + (isText ? "x" : "u00") + parts[1]!, ...parts.slice(2)];
  }
  return parts[0]!;
}

function textOf(value: unknown): string {
  let text = repr(value);
  const quote = text[0];
  if (quote === "'" || quote === '"') text = text.slice(1, -1);
  if (quote === "'") text = text.replaceAll("\\'", "'").replaceAll('"', '\\"');
  return `"${joinEscapes(text)}"`;
}

function valueText(value: unknown): string {
  if (typeof value === "boolean") return String(value);
  if (isInteger(value)) return str(value);
  if (isFloat(value)) return str(value).replaceAll("e+0", "e+").replaceAll("e-0", "e-");
  if (typeof value === "string" || typeof value !== "object" || value === null) return textOf(value);
  return `[${[...iterate(value)].map((item) => ` ${valueText(item)},`).join("")}]`;
}

/** The lines of a table's own values, its arrays of tables, and the tables below it. */
function tableText(table: unknown, above: string): { text: string; tables: Tables } {
  if (!isMap(table)) throw new SerializationError(`'${typeName(table)}' object is not iterable`);
  let [lines, arrays] = ["", ""];
  const tables: Tables = [];
  for (const [key, value] of entriesOf(table)) {
    if (typeof key !== "string") throw new SerializationError(repr(str(key)));
    const name = /^[A-Za-z0-9_-]+$/.test(key) ? key : textOf(key);
    if (isMap(value)) tables.push([name, value]);
    else if (isList(value) && value.some(isMap)) {
      for (const item of value) arrays += arrayTableText(item, above === "" ? name : `${above}.${name}`);
    } else if (value !== null && value !== undefined) lines += `${name} = ${valueText(value)}\n`;
  }
  return { text: lines + arrays, tables };
}

function arrayTableText(item: unknown, path: string): string {
  const { text, tables } = tableText(item, path);
  // Values stand before the empty line; what begins with an array behind it.
  let [own, below] = text.startsWith("[") ? ["", `\n${text}`] : [text, "\n"];
  for (let level = tables; level.length > 0;) {
    const next: Tables = [];
    for (const [name, table] of level) {
      const inner = tableText(table, `${path}.${name}`);
      if (inner.text !== "") below += `[${path}.${name}]\n${inner.text}`;
      for (const [one, deeper] of inner.tables) next.push([`${name}.${one}`, deeper]);
    }
    level = next;
  }
  own = `[[${path}]]\n${own}`;
  return own + below;
}

function serialize(value: unknown): string {
  if (!isMap(value)) throw new SerializationError(`Cannot write TOML of a ${typeName(value)}: expected a map`);
  const { text, tables } = tableText(value, "");
  let whole = text;
  for (let level = tables; level.length > 0;) {
    const next: Tables = [];
    for (const [path, table] of level) {
      const inner = tableText(table, path);
      if (inner.text !== "" || inner.tables.length === 0) {
        if (whole !== "" && !whole.endsWith("\n\n")) whole += "\n";
        whole += `[${path}]\n${inner.text}`;
      }
      for (const [name, deeper] of inner.tables) next.push([`${path}.${name}`, deeper]);
    }
    level = next;
  }
  return whole;
}

/** As Python's package `toml` writes it. */
export const tomlSerializer: Serializer = {
  serialize(value, options) {
    const unknown = Object.keys(options).find((name) => name !== "encoder");
    if (unknown !== undefined) throw new SerializationError(`dumps() got an unexpected keyword argument '${unknown}'`);
    return serialize(value);
  },
  async deserialize(bytes) {
    const { parseToml, TomlProblem } = await import("../../language/render/toml.ts");
    try {
      return await parseToml(decodeUtf8(bytes));
    } catch (error) {
      const place = error instanceof TomlProblem ? ` (line ${error.line} column ${error.column})` : "";
      throw new DeserializationError(messageOf(error) + place);
    }
  },
};
