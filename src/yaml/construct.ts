import { mapOf, OrderedMap } from "../python/containers.ts";
import { repr, str } from "../python/repr.ts";
import { DOCUMENT_VALUES, YamlBudget } from "./budget.ts";
import type { MappingNode, ScalarNode, SequenceNode, YamlNode } from "./node.ts";
import { constructBool, constructFloat, constructInt, constructPlain, scalarKind } from "./scalar.ts";

const CORE = "tag:yaml.org,2002:";

/** The document is well formed but has no value: an unknown tag, a repeated key. */
export class ConstructError extends SyntaxError {
  /** Offset of the node in the text, if its reader kept it. */
  readonly offset: number | undefined;

  constructor(message: string, node: YamlNode, options?: ErrorOptions) {
    super(message, options);
    this.name = "ConstructError";
    this.offset = node.offset;
  }
}

/** The document has more values than its limit. */
export class YamlLimitError extends ConstructError {
  constructor(budget: YamlBudget, node: YamlNode) {
    super(
      `the document stands for more than ${budget.most} values, each alias and merged map (<<) counted as often as it appears`,
      node,
    );
    this.name = "YamlLimitError";
  }
}

/** Options of {@link construct}. */
export interface ConstructOptions {
  /** Limit of values; shared between documents that belong together. @default 4194304 values for each document */
  budget?: YamlBudget;
  /** Make every map an `OrderedMap`, for data that is printed in the order it was written. @default false */
  ordered?: boolean;
}

/**
 * Builds the value of a node by the rules of Salt's loader: dates stay text, a repeated key is an error, `<<` merges.
 *
 * @throws {ConstructError} on unknown tags, keys that are containers, repeated keys
 * @see salt/utils/yamlloader.py SaltYamlSafeLoader
 */
export function construct(node: YamlNode, options: ConstructOptions = {}): unknown {
  const { ordered = false, budget = new YamlBudget(DOCUMENT_VALUES) } = options;
  const makeMap = (entries: [unknown, unknown][]) => ordered ? new OrderedMap(entries) : mapOf(entries);
  return build(node, { done: new Map(), flat: new Map(), makeMap, budget, spent: 0 });
}

interface Build {
  /** The values built so far, with the count of each: an alias is the same node again, and becomes the same value. */
  done: Map<YamlNode, { value: unknown; size: number }>;
  /** Entries of maps that merge others, computed once even if those maps are merged many times. */
  flat: Map<MappingNode, [YamlNode, YamlNode][]>;
  makeMap: (entries: [unknown, unknown][]) => unknown;
  budget: YamlBudget;
  spent: number;
}

function spend(state: Build, values: number, node: YamlNode): void {
  state.spent += values;
  if (!state.budget.spend(values)) throw new YamlLimitError(state.budget, node);
}

function build(node: YamlNode, state: Build): unknown {
  const done = state.done.get(node);
  if (done !== undefined) {
    spend(state, done.size, node);
    return done.value;
  }
  const before = state.spent;
  spend(state, node.kind === "scalar" ? 1 + (node.text.length >> 6) : 1, node);
  const value = node.kind === "scalar"
    ? buildScalar(node)
    : node.kind === "sequence"
    ? buildSequence(node, state)
    : buildMapping(node, state);
  state.done.set(node, { value, size: state.spent - before });
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

/** Builds a scalar by its tag; with the non-specific tag `!` a quoted text is resolved as if it were plain. */
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

/** A map's entries, those merged by `<<` first; its own entries replace merged ones with the same key text. */
function flatten(node: MappingNode, state: Build, above: readonly YamlNode[] = []): [YamlNode, YamlNode][] {
  const known = state.flat.get(node);
  if (known !== undefined) return known;
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
      const entries = flatten(source, state, [...above, node]);
      spend(state, 1 + entries.length, source);
      for (const entry of entries) merged.push(entry);
    }
  }
  const taken = new Set(own.map(([key]) => key.kind === "scalar" ? key.text : key));
  const flat = merged.length === 0
    ? own
    : [...merged.filter(([key]) => !taken.has(key.kind === "scalar" ? key.text : key)), ...own];
  state.flat.set(node, flat);
  return flat;
}

function buildMapping(node: MappingNode, state: Build): unknown {
  if (node.tag !== undefined && node.tag !== "!" && node.tag !== `${CORE}map`) throw unknownTag(node);
  const entries: [unknown, unknown][] = [];
  const seen = new Set<unknown>();
  for (const [keyNode, valueNode] of flatten(node, state)) {
    if (keyNode.kind !== "scalar") throw new ConstructError("found unhashable key", keyNode);
    const key = isValue(keyNode) ? "=" : build(keyNode, state);
    const identity = identityOf(key);
    if (seen.has(identity)) throw new ConstructError(`found conflicting ID '${str(key)}'`, keyNode);
    seen.add(identity);
    entries.push([key, build(valueNode, state)]);
  }
  return state.makeMap(entries);
}

/** The identity of a key: in Python `1`, `1.0` and `true` are the same key. */
function identityOf(key: unknown): unknown {
  if (key === null || typeof key === "string") return key;
  return key instanceof Uint8Array ? repr(key) : Number(key);
}
