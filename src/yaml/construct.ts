import { mapOf, OrderedMap } from "../python/containers.ts";
import { repr, str } from "../python/repr.ts";
import type { MappingNode, ScalarNode, SequenceNode, YamlNode } from "./node.ts";
import { constructBool, constructFloat, constructInt, constructPlain, scalarKind } from "./scalar.ts";

const CORE = "tag:yaml.org,2002:";

/** A document that reads well but has no value: an unknown tag, a repeated key. */
export class ConstructError extends SyntaxError {
  /** Where the node begins in the text, if its reader kept that. */
  readonly offset: number | undefined;

  constructor(message: string, node: YamlNode, options?: ErrorOptions) {
    super(message, options);
    this.name = "ConstructError";
    this.offset = node.offset;
  }
}

/** How values are made. */
export interface ConstructOptions {
  /** Make every map an `OrderedMap`, for data that is printed in the order it was written. @default false */
  ordered?: boolean;
}

/**
 * The value of a node, under the rules of Salt's loader: dates stay text, a repeated key is an error, `<<` merges.
 *
 * @throws {ConstructError} on unknown tags, keys that are containers, repeated keys
 * @see salt/utils/yamlloader.py SaltYamlSafeLoader
 */
export function construct(node: YamlNode, { ordered = false }: ConstructOptions = {}): unknown {
  const makeMap = (entries: [unknown, unknown][]) => ordered ? new OrderedMap(entries) : mapOf(entries);
  return build(node, { done: new Map(), makeMap });
}

interface Build {
  /** Values of the nodes so far: an alias is the same node again, and becomes the same value. */
  done: Map<YamlNode, unknown>;
  makeMap: (entries: [unknown, unknown][]) => unknown;
}

function build(node: YamlNode, state: Build): unknown {
  if (state.done.has(node)) return state.done.get(node);
  const value = node.kind === "scalar"
    ? buildScalar(node)
    : node.kind === "sequence"
    ? buildSequence(node, state)
    : buildMapping(node, state);
  state.done.set(node, value);
  return value;
}

function unknownTag(node: YamlNode): ConstructError {
  return new ConstructError(`could not determine a constructor for the tag '${node.tag}'`, node);
}

function buildScalar(node: ScalarNode): unknown {
  const { text, plain, tag } = node;
  try {
    if (tag === undefined) return plain ? constructPlain(text) : text;
    const make = Object.hasOwn(SCALARS, tag) ? SCALARS[tag] : undefined;
    if (make !== undefined) return make(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new ConstructError(cause.message, node, { cause });
    throw cause;
  }
  throw unknownTag(node);
}

/** What a tag makes of a text; the non-specific tag `!` forgets that it was quoted. */
const SCALARS: Record<string, (text: string) => unknown> = {
  "!": constructPlain,
  [`${CORE}str`]: (text) => text,
  [`${CORE}timestamp`]: (text) => text,
  [`${CORE}int`]: constructInt,
  [`${CORE}float`]: constructFloat,
  [`${CORE}bool`]: constructBool,
  [`${CORE}null`]: () => null,
  [`${CORE}binary`]: constructBinary,
};

function constructBinary(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text.replace(/\s+/g, "")), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw new SyntaxError("failed to decode base64 data", { cause });
  }
}

function buildSequence(node: SequenceNode, state: Build): unknown {
  if (node.tag !== undefined && node.tag !== "!" && node.tag !== `${CORE}seq`) throw unknownTag(node);
  return node.items.map((item) => build(item, state));
}

const isMerge = (key: YamlNode) =>
  key.kind === "scalar" && key.plain && key.tag === undefined && scalarKind(key.text) === "merge";
const isValue = (key: YamlNode) => key.kind === "scalar" && key.plain && key.tag === undefined && key.text === "=";

/** A map's entries with those behind `<<` in front; its own entries replace merged ones of the same text. */
function flatten(node: MappingNode, above: readonly YamlNode[] = []): [YamlNode, YamlNode][] {
  if (above.includes(node)) throw new ConstructError("found a map that merges itself", node);
  const own = node.entries.filter(([key]) => !isMerge(key));
  const merged: [YamlNode, YamlNode][] = [];
  for (const [key, value] of node.entries) {
    if (!isMerge(key)) continue;
    const sources = value.kind === "sequence" ? [...value.items].reverse() : [value];
    for (const source of sources) {
      if (source.kind !== "mapping") {
        throw new ConstructError("expected a mapping or list of mappings for merging", source);
      }
      merged.push(...flatten(source, [...above, node]));
    }
  }
  if (merged.length === 0) return own;
  const taken = new Set(own.map(([key]) => key.kind === "scalar" ? key.text : key));
  return [...merged.filter(([key]) => !taken.has(key.kind === "scalar" ? key.text : key)), ...own];
}

function buildMapping(node: MappingNode, state: Build): unknown {
  if (node.tag !== undefined && node.tag !== "!" && node.tag !== `${CORE}map`) throw unknownTag(node);
  const entries: [unknown, unknown][] = [];
  const seen = new Set<unknown>();
  for (const [keyNode, valueNode] of flatten(node)) {
    if (keyNode.kind !== "scalar") throw new ConstructError("found unhashable key", keyNode);
    const key = isValue(keyNode) ? "=" : build(keyNode, state);
    const identity = identityOf(key);
    if (seen.has(identity)) throw new ConstructError(`found conflicting ID '${str(key)}'`, keyNode);
    seen.add(identity);
    entries.push([key, build(valueNode, state)]);
  }
  return state.makeMap(entries);
}

/** What makes two keys the same: in Python `1`, `1.0` and `true` are one. */
function identityOf(key: unknown): unknown {
  if (key === null || typeof key === "string") return key;
  return key instanceof Uint8Array ? repr(key) : Number(key);
}
