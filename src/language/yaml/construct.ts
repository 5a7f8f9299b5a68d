import { messageOf } from "../../base/errors.ts";
import { decodeBase64 } from "../python/binascii.ts";
import { mapOf, OrderedMap, repr, str, tupleOf } from "../python/values.ts";
import { DOCUMENT_VALUES, YamlBudget } from "./budget.ts";
import type { MappingNode, ScalarNode, SequenceNode, YamlNode } from "./node.ts";
import { constructBool, constructFloat, constructInt, constructPlain, scalarKind } from "./scalar.ts";

const CORE = "tag:yaml.org,2002:";

interface ConstructErrorOptions extends ErrorOptions {
  within?: MappingNode;
  /** The problem in PyYAML's words; undefined if PyYAML has no such error. @default the message */
  said?: string | undefined;
}

/** The document is well formed but has no value: an unknown tag, a repeated key. */
export class ConstructError extends SyntaxError {
  /** Offset of the node in the text, if its reader kept it. */
  readonly offset: number | undefined;
  readonly within: MappingNode | undefined;
  readonly said: string | undefined;

  constructor(message: string, node: YamlNode, options: ConstructErrorOptions = {}) {
    super(message, options);
    this.name = "ConstructError";
    this.offset = node.offset;
    this.within = options.within;
    this.said = Object.hasOwn(options, "said") ? options.said : message;
  }
}

export class YamlLimitError extends ConstructError {
  constructor(budget: YamlBudget, node: YamlNode) {
    super(
      `the document stands for more than ${budget.most} values, each alias and merged map (<<) counted as often as it appears`,
      node,
      { said: undefined },
    );
    this.name = "YamlLimitError";
  }
}

/** Options of {@link construct}. */
export interface ConstructOptions {
  /** The limit of values, shared between documents that belong together. @default 4194304 values for each document */
  budget?: YamlBudget;
  /** True makes every map an `OrderedMap`, for data that is printed in its order, and allows `!!set`. @default false */
  ordered?: boolean;
  /** True if the document has no aliases, so that no node occurs twice. @default false */
  isTree?: boolean;
}

/**
 * Builds the value of a node by the rules of Salt's loader: dates stay text, a repeated key is an error, `<<` merges.
 *
 * @throws {ConstructError} on unknown tags, keys that are containers, repeated keys
 * @see salt/utils/yamlloader.py SaltYamlSafeLoader
 */
export function construct(node: YamlNode, options: ConstructOptions = {}): unknown {
  const { ordered = false, isTree = false, budget = new YamlBudget(DOCUMENT_VALUES) } = options;
  return build(node, { isTree, done: new Map(), flat: new Map(), ordered, budget, spent: 0 });
}

interface Build {
  isTree: boolean;
  /** The values built so far, with the count of each: an alias is the same node again, and becomes the same value. */
  done: Map<YamlNode, { value: unknown; size: number }>;
  /** Entries of maps that merge others, computed once even if those maps are merged many times. */
  flat: Map<MappingNode, [YamlNode, YamlNode][]>;
  /** Every map is an `OrderedMap`, and `!!set`, `!!pairs` and `!!omap` are known. */
  ordered: boolean;
  budget: YamlBudget;
  spent: number;
}

function spend(state: Build, values: number, node: YamlNode): void {
  state.spent += values;
  if (!state.budget.spend(values)) throw new YamlLimitError(state.budget, node);
}

function build(node: YamlNode, state: Build): unknown {
  const done = state.isTree ? undefined : state.done.get(node);
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
  if (!state.isTree) state.done.set(node, { value, size: state.spent - before });
  return value;
}

const noConstructor = (tag: string) => `could not determine a constructor for the tag ${repr(tag)}`;

function unknownTag(node: YamlNode): ConstructError {
  return new ConstructError(noConstructor(node.tag ?? ""), node);
}

function buildScalar(node: ScalarNode): unknown {
  const { text, plain, tag } = node;
  try {
    if (tag === undefined) return plain ? constructPlain(text) : text;
    const make = Object.hasOwn(SCALARS, tag) ? SCALARS[tag] : undefined;
    if (make !== undefined) return make(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) {
      const kind = tag === undefined ? scalarKind(text) : undefined;
      const said = kind === "value" || kind === "merge" ? noConstructor(CORE + kind) : undefined;
      throw new ConstructError(cause.message, node, { cause, said });
    }
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
    return decodeBase64(new TextEncoder().encode(text));
  } catch (cause) {
    throw new SyntaxError(`failed to decode base64 data: ${messageOf(cause)}`, { cause });
  }
}

function buildSequence(node: SequenceNode, state: Build): unknown {
  if (state.ordered && node.tag === `${CORE}pairs`) return buildPairs(node, state);
  if (state.ordered && node.tag === `${CORE}omap`) {
    throw new ConstructError("expected a mapping node, but found sequence", node);
  }
  if (node.tag !== undefined && node.tag !== "!" && node.tag !== `${CORE}seq`) throw unknownTag(node);
  const values: unknown[] = [];
  for (let at = 0; at < node.items.length; at++) values.push(build(node.items[at]!, state));
  return values;
}

/** Builds `!!pairs`: maps of one key each become tuples. */
function buildPairs(node: SequenceNode, state: Build): unknown {
  return node.items.map((item) => {
    const entry = item.kind === "mapping" && item.entries.length === 1 ? item.entries[0] : undefined;
    if (entry === undefined) throw new ConstructError("expected a map of one key", item);
    return tupleOf([build(entry[0], state), build(entry[1], state)]);
  });
}

const isMerge = (key: YamlNode) => key.kind === "scalar" && key.text === "<<" && key.plain && key.tag === undefined;

function merges(entries: readonly [YamlNode, YamlNode][]): boolean {
  for (let at = 0; at < entries.length; at++) if (isMerge(entries[at]![0])) return true;
  return false;
}

const isValue = (key: ScalarNode) => key.text === "=" && key.plain && key.tag === undefined;

/** A map's entries, those merged by `<<` first; its own entries replace merged ones with the same key text. */
function flatten(node: MappingNode, state: Build, above: readonly YamlNode[] = []): [YamlNode, YamlNode][] {
  // Only few maps merge others.
  if (!merges(node.entries)) return node.entries;
  const known = state.flat.get(node);
  if (known !== undefined) return known;
  if (above.includes(node)) throw new ConstructError("found a map that merges itself", node, { said: undefined });
  const own = node.entries.filter(([key]) => !isMerge(key));
  const merged: [YamlNode, YamlNode][] = [];
  for (const [key, value] of node.entries) {
    if (!isMerge(key)) continue;
    const sources = value.kind === "sequence" ? [...value.items].reverse() : [value];
    for (const source of sources) {
      if (source.kind !== "mapping") {
        const wanted = value.kind === "sequence" ? "a mapping" : "a mapping or list of mappings";
        const said = `expected ${wanted} for merging, but found ${source.kind}`;
        throw new ConstructError("expected a mapping or list of mappings for merging", source, { within: node, said });
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
  const isSet = state.ordered && node.tag === `${CORE}set`;
  // Salt's loader reads `!!omap` as a map, and keeps its order.
  const isMapTag = node.tag === undefined || node.tag === "!" || node.tag === `${CORE}map` ||
    (state.ordered && node.tag === `${CORE}omap`);
  if (!isSet && !isMapTag) throw unknownTag(node);
  const entries = flatten(node, state);
  const map = state.ordered ? new OrderedMap() : new Map<unknown, unknown>();
  /** The keys that are not texts, in the form in which Python compares them. */
  let others: Set<unknown> | undefined;
  // A loop over indexes is the fastest form in a new process.
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at]!;
    const keyNode = entry[0];
    if (keyNode.kind !== "scalar") throw unhashable(keyNode, node);
    const key = isValue(keyNode) ? "=" : build(keyNode, state);
    let isRepeated;
    if (typeof key === "string") isRepeated = map.has(key);
    else {
      const identity = identityOf(key);
      isRepeated = others?.has(identity) === true;
      (others ??= new Set()).add(identity);
    }
    if (isRepeated) throw new ConstructError(`found conflicting ID '${str(key)}'`, keyNode, { within: node });
    map.set(key, build(entry[1], state));
  }
  if (isSet) return new Set(map.keys());
  return state.ordered ? map : mapOf(map);
}

function unhashable(key: SequenceNode | MappingNode, within: MappingNode): ConstructError {
  const message = "found unhashable key";
  return new ConstructError(message, key, { within, said: `found unacceptable key [${partsRepr(key)}]` });
}

/** The full tag of a node, explicit or resolved. */
const nodeTag = (node: YamlNode): string => {
  if (node.tag !== undefined) return node.tag;
  if (node.kind !== "scalar") return CORE + (node.kind === "mapping" ? "map" : "seq");
  return CORE + (node.plain ? scalarKind(node.text) : "str");
};

/** A node as PyYAML shows it. */
function nodeRepr(node: YamlNode): string {
  if (node.kind === "scalar") return `ScalarNode(tag=${repr(nodeTag(node))}, value=${repr(node.text)})`;
  const name = node.kind === "sequence" ? "SequenceNode" : "MappingNode";
  return `${name}(tag=${repr(nodeTag(node))}, value=[${partsRepr(node)}])`;
}

function partsRepr(node: SequenceNode | MappingNode): string {
  const parts = node.kind === "sequence"
    ? node.items.map(nodeRepr)
    : node.entries.map(([key, value]) => `(${nodeRepr(key)}, ${nodeRepr(value)})`);
  return parts.join(", ");
}

/** The identity of a key that is not a text: in Python `1`, `1.0` and `true` are the same key. */
function identityOf(key: unknown): unknown {
  if (key === null) return key;
  return key instanceof Uint8Array ? repr(key) : Number(key);
}
