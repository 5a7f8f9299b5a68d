/** The formats that data is written to files in: a table, since states name them. */
import { messageOf } from "../../base/errors.ts";
import { entriesOf, isInteger, isMap, mapOf, OrderedMap, str, truthy } from "../../language/python/values.ts";
import { JsonError, parseOrderedJson } from "../../language/python/json.ts";
import { dumpJson, type JsonDumpOptions } from "../../language/python/json_dump.ts";
import { splitLines } from "../../language/python/text.ts";
import { prettyFormat } from "../../language/python/pprint.ts";
import { decodeUtf8 } from "../../language/python/utf8.ts";
import { decode, encode } from "../../protocol/wire/msgpack.ts";
import { parseYaml } from "../../language/yaml/document.ts";
import { dump } from "../../language/yaml/dump.ts";
import { configparser } from "./configparser.ts";
import { plist } from "./plist.ts";
import { tomlSerializer } from "./toml.ts";
import { DeserializationError, SerializationError, type Serializer, type SerializerOptions } from "./serializer.ts";

export { DeserializationError, SerializationError, type Serializer, type SerializerOptions } from "./serializer.ts";

/** A value whose maps are all ordered, or all plain: dumpers sort the keys of plain ones. */
function withOrder(value: unknown, ordered: boolean, known = new Map<unknown, unknown>()): unknown {
  const isList = Array.isArray(value);
  if (!isList && !isMap(value)) return value;
  // What is in it twice is one thing in the copy, too: YAML has an alias for it.
  if (known.has(value)) return known.get(value);
  const copy = isList
    ? value.map((item) => withOrder(item, ordered, known))
    : (ordered ? (entries: [unknown, unknown][]) => new OrderedMap(entries) : mapOf)(
      entriesOf(value).map(([key, item]): [unknown, unknown] => [key, withOrder(item, ordered, known)]),
    );
  known.set(value, copy);
  return copy;
}

function read<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof DeserializationError) throw error;
    const place = error instanceof JsonError ? `: line ${error.line} column ${error.column} (char ${error.at})` : "";
    throw new DeserializationError(messageOf(error) + place);
  }
}

const yaml: Serializer = {
  serialize(value, options) {
    const { default_flow_style: flow = null, indent, sort_keys: sort = true, allow_unicode: unicode = false } = options;
    const text = dump(withOrder(value, !truthy(sort)), {
      flow: flow === null ? "leaves" : truthy(flow),
      ascii: !truthy(unicode),
      aliases: true,
      ...(isInteger(indent) ? { indent: Number(indent) } : {}),
    });
    return text.replace(/\n(?:\.\.\.\n)?$/, "");
  },
  deserialize: (bytes) => read(() => parseYaml(decodeUtf8(bytes)).value),
};

function jsonOptions(
  { indent, separators, sort_keys: sort, ensure_ascii: ascii = false }: SerializerOptions,
): JsonDumpOptions {
  return {
    indent: typeof indent === "string" || isInteger(indent)
      ? (typeof indent === "string" ? indent : Number(indent))
      : null,
    sortKeys: truthy(sort),
    ensureAscii: truthy(ascii),
    ...(Array.isArray(separators) ? { separators: [str(separators[0]), str(separators[1])] as const } : {}),
  };
}

const json: Serializer = {
  serialize: (value, options) => dumpJson(value, jsonOptions(options)),
  deserialize: (bytes) => read(() => parseOrderedJson(decodeUtf8(bytes))),
};

const python: Serializer = {
  serialize(value, { indent, width }) {
    const plain = withOrder(parseOrderedJson(dumpJson(value)), false);
    return prettyFormat(plain, isInteger(indent) ? Number(indent) : 1, isInteger(width) ? Number(width) : 80);
  },
};

const msgpack: Serializer = {
  serialize: (value) => encode(value, "wire"),
  deserialize: (bytes) => read(() => decode(bytes, { mode: "wire" })),
};

/** A text as a shell takes it as one word. */
const quoted = (text: string) => /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;

const keyvalue: Serializer = {
  serialize(value, { separator = "=", quoting, line_ending: end }) {
    if (!isMap(value) && !Array.isArray(value)) {
      throw new SerializationError("Input validation failed. Iterable required.");
    }
    const pairs = isMap(value) ? entriesOf(value) : value as [unknown, unknown][];
    const lines = pairs.map(([key, item]) =>
      `${str(key)}${str(separator)}${truthy(quoting) ? quoted(str(item)) : str(item)}`
    );
    return lines.join(truthy(end) ? str(end) : "\n");
  },
  deserialize: (bytes, { separator = "=", quoting }) =>
    read(() =>
      new Map(
        splitLines(decodeUtf8(bytes)).map((line) => {
          const at = line.indexOf(str(separator));
          if (at < 0) throw new DeserializationError("not enough values to unpack (expected 2, got 1)");
          const value = line.slice(at + str(separator).length);
          const bare = /^(["'])(.*)\1$/s.exec(value);
          return [line.slice(0, at), quoting === false && bare !== null ? bare[2]! : value];
        }),
      )
    ),
};

/** By the names that states use. */
export const SERIALIZERS: Readonly<Record<string, Serializer>> = {
  configparser,
  json,
  keyvalue,
  msgpack,
  plist,
  python,
  toml: tomlSerializer,
  yaml,
  yamlex: yaml,
};
