import {
  entriesOf,
  floatRepr,
  isFloat,
  isInteger,
  isMap,
  toFloat,
  truthy,
  typeName,
} from "../../language/python/values.ts";
import { compareText } from "../../language/python/text.ts";
import { decodeBase64, encodeBase64 } from "../../language/python/binascii.ts";
import { decodeUtf8 } from "../../language/python/utf8.ts";
import { DeserializationError, SerializationError, type Serializer } from "./serializer.ts";

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" ' +
  '"http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n<plist version="1.0">\n';
const DEEPEST = 900;
const LINE = 76;

const escaped = (text: string) =>
  text.replace(/\r\n?/g, "\n").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function dataLines(bytes: Uint8Array, tabs: string): string[] {
  const width = Math.max(16, LINE - tabs.length * 8);
  return [
    `${tabs}<data>`,
    ...(encodeBase64(bytes).match(new RegExp(`.{1,${width}}`, "g")) ?? []).map((line) => tabs + line),
    `${tabs}</data>`,
  ];
}

function lines(value: unknown, depth: number, sortKeys: boolean): string[] {
  if (depth > DEEPEST) throw new SerializationError("maximum recursion depth exceeded");
  const tabs = "\t".repeat(depth);
  if (typeof value === "string") return [`${tabs}<string>${escaped(value)}</string>`];
  if (typeof value === "boolean") return [`${tabs}<${value}/>`];
  if (isInteger(value)) return [`${tabs}<integer>${value}</integer>`];
  if (isFloat(value)) return [`${tabs}<real>${floatRepr(Number(value))}</real>`];
  if (value instanceof Uint8Array) return dataLines(value, tabs);
  if (Array.isArray(value)) {
    if (value.length === 0) return [`${tabs}<array/>`];
    return [`${tabs}<array>`, ...value.flatMap((item) => lines(item, depth + 1, sortKeys)), `${tabs}</array>`];
  }
  if (!isMap(value)) throw new SerializationError(`unsupported type: <class '${typeName(value)}'>`);
  const entries = entriesOf(value);
  if (entries.length === 0) return [`${tabs}<dict/>`];
  const named = entries.map(([key, item]): [string, unknown] => {
    if (typeof key !== "string") throw new SerializationError("keys must be strings");
    return [key, item];
  });
  if (sortKeys) named.sort(([a], [b]) => compareText(a, b));
  const inner = named.flatMap((
    [key, item],
  ) => [`${tabs}\t<key>${escaped(key)}</key>`, ...lines(item, depth + 1, sortKeys)]);
  return [`${tabs}<dict>`, ...inner, `${tabs}</dict>`];
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const unescaped = (text: string) =>
  text.replace(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w+));/g, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    return String.fromCodePoint(hex === undefined ? Number(decimal) : parseInt(hex, 16));
  });

/** Reads the elements of a property list in XML. Entities of a document type are not expanded. */
class Reader {
  readonly #tokens: string[];
  #at = 0;

  constructor(text: string) {
    const body = text.replace(/<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE[^>[]*>/g, "");
    this.#tokens = body.match(/<[^>]*>|[^<]+/g) ?? [];
  }

  #tag(): string {
    while (this.#at < this.#tokens.length && this.#tokens[this.#at]!.trim() === "") this.#at += 1;
    const token = this.#tokens[this.#at++];
    const name = token === undefined ? undefined : /^<(\/?\w+)[^>]*?(\/?)>$/.exec(token);
    if (name === null || name === undefined) throw new DeserializationError("Invalid file");
    return name[1]! + name[2]!;
  }

  #text(tag: string): string {
    let text = "";
    while (this.#at < this.#tokens.length && !this.#tokens[this.#at]!.startsWith("<")) text += this.#tokens[this.#at++];
    if (this.#tag() !== `/${tag}`) throw new DeserializationError("Invalid file");
    return unescaped(text);
  }

  document(): unknown {
    if (this.#tag() !== "plist") throw new DeserializationError("Invalid file");
    return this.#value(this.#tag(), 0);
  }

  #value(tag: string, depth: number): unknown {
    if (depth > DEEPEST) throw new DeserializationError("maximum recursion depth exceeded");
    switch (tag) {
      case "string":
      case "date":
        return this.#text(tag);
      case "string/":
        return "";
      case "true/":
        return true;
      case "false/":
        return false;
      case "integer": {
        const number = BigInt(this.#text(tag).trim());
        return Number.isSafeInteger(Number(number)) ? Number(number) : number;
      }
      case "real":
        return toFloat(Number(this.#text(tag)));
      case "data":
        return decodeBase64(new TextEncoder().encode(this.#text(tag)));
      case "array/":
        return [];
      case "dict/":
        return new Map();
      case "array": {
        const items: unknown[] = [];
        for (let next = this.#tag(); next !== "/array"; next = this.#tag()) items.push(this.#value(next, depth + 1));
        return items;
      }
      case "dict": {
        const map = new Map<string, unknown>();
        for (let next = this.#tag(); next !== "/dict"; next = this.#tag()) {
          if (next !== "key") throw new DeserializationError("missing key in dict");
          map.set(this.#text("key"), this.#value(this.#tag(), depth + 1));
        }
        return map;
      }
    }
    throw new DeserializationError(`unexpected element <${tag}> in a property list`);
  }
}

/** Property lists of macOS, in XML. */
export const plist: Serializer = {
  serialize(value, { fmt, sort_keys: sortKeys = true }) {
    if (fmt === "FMT_BINARY") {
      throw new SerializationError("Binary property lists are not written; leave fmt out for XML");
    }
    return new TextEncoder().encode(`${HEAD}${lines(value, 0, truthy(sortKeys)).join("\n")}\n</plist>\n`);
  },
  deserialize(bytes) {
    const text = decodeUtf8(bytes);
    if (text.startsWith("bplist")) throw new DeserializationError("Binary property lists are not read");
    return new Reader(text).document();
  },
};
