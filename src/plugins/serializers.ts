import { CommandExecutionError } from "../loader/family.ts";
import { dumpJson, type JsonDumpOptions } from "../python/json_dump.ts";
import { parseOrderedJson } from "../python/json.ts";
import { str } from "../python/repr.ts";
import { truthy } from "../python/truth.ts";
import { decode, encode } from "../wire/msgpack.ts";

type Options = Record<string, unknown>;

/** Data to text and back, under a name of Salt's. */
export interface Serializer {
  serialize(value: unknown, options: Options): string | Uint8Array | Promise<string>;
  /** @throws {SyntaxError} for what it cannot read */
  deserialize(text: unknown, options: Options): unknown;
}

const bytesOf = (value: unknown): Uint8Array =>
  value instanceof Uint8Array ? value : new TextEncoder().encode(str(value));
const textOf = (value: unknown): string => value instanceof Uint8Array ? new TextDecoder().decode(value) : str(value);

const json: Serializer = {
  serialize(value, { indent, sort_keys, ensure_ascii, separators }) {
    const options: JsonDumpOptions = {
      ensureAscii: truthy(ensure_ascii ?? false),
      sortKeys: truthy(sort_keys ?? false),
    };
    if (indent !== null && indent !== undefined) options.indent = typeof indent === "string" ? indent : Number(indent);
    if (Array.isArray(separators)) options.separators = [str(separators[0]), str(separators[1])];
    return dumpJson(value, options);
  },
  deserialize: (text) => parseOrderedJson(textOf(text)),
};

const yaml: Serializer = {
  async serialize(value, { default_flow_style: flow = null, indent }) {
    // The reader and writer of YAML are large, and most jobs need neither.
    const { dump } = await import("../yaml/dump.ts");
    const layout = flow === null ? "leaves" as const : truthy(flow);
    const text = dump(value, {
      flow: layout,
      ...indent === undefined || indent === null ? {} : { indent: Number(indent) },
    });
    return text.replace(/(?:\n\.\.\.)?\n$/, "");
  },
  async deserialize(text) {
    const { parseOrderedYaml } = await import("../yaml/ordered.ts");
    return parseOrderedYaml(textOf(text));
  },
};

const msgpack: Serializer = {
  serialize: (value) => encode(value, "bin"),
  deserialize: (text) => decode(bytesOf(text), { mode: "bin" }),
};

const SERIALIZERS: Readonly<Record<string, Serializer>> = { json, msgpack, yaml };

/** @throws {CommandExecutionError} if there is none of that name */
export function serializerNamed(name: string): Serializer {
  if (Object.hasOwn(SERIALIZERS, name)) return SERIALIZERS[name]!;
  throw new CommandExecutionError(
    `Serializer '${name}' not found. Here are ${Object.keys(SERIALIZERS).join(", ")}`,
  );
}
