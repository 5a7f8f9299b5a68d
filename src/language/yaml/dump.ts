import {
  type AnyMap,
  entriesOf,
  floatRepr,
  isFloat,
  isInteger,
  isMap,
  OrderedMap,
  PythonObject,
  sorted,
  str,
  Tuple,
} from "../python/values.ts";
import { emit, type EmitOptions, type EmittedNode } from "./emitter.ts";
import { scalarKind } from "./scalar.ts";

/**
 * Writes a value as a YAML document, as PyYAML's safe dumper does. The keys of a map are sorted, unless it is an
 * `OrderedMap` or its keys cannot be compared.
 *
 * @returns the document with a line feed at its end
 */
export function dump(value: unknown, options: DumpOptions = {}): string {
  return emit(new Representer(options).represent(value), options);
}

/** How a value is written as YAML. */
interface DumpOptions extends EmitOptions {
  /** True writes a list or map that occurs twice with an anchor and an alias. @default false, it is written twice */
  aliases?: boolean;
  /** The text for an object that YAML does not have. @default the object's text */
  objects?: string;
}

type Collection = Extract<EmittedNode, { kind: "sequence" | "mapping" }>;

function plain(text: string): EmittedNode {
  return { kind: "scalar", scalar: { text, style: "plain", plainImplicit: true } };
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf";
  const text = floatRepr(value);
  // YAML 1.1 requires a point in a float: 1e+16 would be read back as text.
  return text.includes(".") ? text : text.replace("e", ".0e");
}

function base64Lines(bytes: Uint8Array): string {
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replace(/.{1,76}/g, "$&\n");
}

/** Makes the nodes of one document. */
class Representer {
  readonly #aliases: boolean;
  readonly #objects: string | undefined;
  readonly #known = new Map<object, Collection>();
  #anchors = 0;

  constructor({ aliases = false, objects }: DumpOptions) {
    this.#aliases = aliases;
    this.#objects = objects;
  }

  represent(value: unknown): EmittedNode {
    if (value === null || value === undefined) return plain("null");
    if (typeof value === "boolean") return plain(String(value));
    if (isInteger(value)) return plain(BigInt(value).toString());
    if (isFloat(value)) return plain(floatText(value.valueOf()));
    if (typeof value === "string") {
      return { kind: "scalar", scalar: { text: value, style: "plain", plainImplicit: scalarKind(value) === "str" } };
    }
    if (value instanceof Uint8Array) {
      const scalar = { text: base64Lines(value), style: "literal", plainImplicit: false, tag: "!!binary" } as const;
      return { kind: "scalar", scalar };
    }
    if (Array.isArray(value) || isMap(value) || value instanceof Set) return this.#collection(value);
    if (this.#objects !== undefined && value instanceof PythonObject) return plain(this.#objects);
    return this.represent(str(value));
  }

  /** The node of a collection; the second occurrence becomes an alias, and gives the first one its anchor. */
  #collection(value: unknown[] | AnyMap | Set<unknown>): EmittedNode {
    const before = this.#known.get(value);
    if (before !== undefined) {
      before.anchor ??= `id${String(++this.#anchors).padStart(3, "0")}`;
      return { kind: "alias", of: before };
    }
    const node: Collection = Array.isArray(value) ? { kind: "sequence", items: [] } : { kind: "mapping", entries: [] };
    // PyYAML treats all empty tuples as the same object, which gets no alias.
    if (this.#aliases && !(value instanceof Tuple && value.length === 0)) this.#known.set(value, node);
    if (node.kind === "sequence") {
      for (const item of value as unknown[]) node.items.push(this.represent(item));
      return node;
    }
    if (value instanceof Set) node.tag = "!!set";
    const entries = value instanceof Set
      ? Array.from(value, (key): [unknown, unknown] => [key, null])
      : entriesOf(value as AnyMap);
    const ordered = value instanceof OrderedMap ? entries : sorted(entries, ([key]) => key) ?? entries;
    for (const [key, item] of ordered) node.entries.push([this.represent(key), this.represent(item)]);
    return node;
  }
}
