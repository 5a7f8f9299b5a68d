import { mapOf } from "../python/containers.ts";
import { repr } from "../python/repr.ts";
import type { MappingNode, YamlNode } from "./node.ts";
import { constructBool, constructFloat, constructInt, constructPlain, scalarKind } from "./scalar.ts";

const CORE = "tag:yaml.org,2002:";

/**
 * The value of a node, under the rules of Salt's loader: dates stay text, a repeated key is an error, `<<` merges.
 *
 * @throws {SyntaxError} on unknown tags, keys that are containers, repeated keys
 * @see salt/utils/yamlloader.py SaltYamlSafeLoader
 */
export function construct(node: YamlNode): unknown {
  return build(node, new Map());
}

function build(node: YamlNode, done: Map<YamlNode, unknown>): unknown {
  if (done.has(node)) return done.get(node);
  const value = node.kind === "scalar"
    ? buildScalar(node.text, node.plain, node.tag)
    : node.kind === "sequence"
    ? buildSequence(node.items, node.tag, done)
    : buildMapping(node, done);
  // An alias is the same node again, and becomes the same value.
  done.set(node, value);
  return value;
}

function buildScalar(text: string, plain: boolean, tag: string | undefined): unknown {
  if (tag === undefined || tag === "!") return plain || tag === "!" ? constructPlain(text) : text;
  switch (tag) {
    case `${CORE}str`:
    case `${CORE}timestamp`:
      return text;
    case `${CORE}int`:
      return constructInt(text);
    case `${CORE}float`:
      return constructFloat(text);
    case `${CORE}bool`:
      return constructBool(text);
    case `${CORE}null`:
      return null;
    case `${CORE}binary`:
      return constructBinary(text);
  }
  throw new SyntaxError(`Could not determine a constructor for the tag '${tag}'`);
}

function constructBinary(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text.replace(/\s+/g, "")), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw new SyntaxError("Failed to decode base64 data", { cause });
  }
}

function buildSequence(items: YamlNode[], tag: string | undefined, done: Map<YamlNode, unknown>): unknown {
  if (tag !== undefined && tag !== "!" && tag !== `${CORE}seq`) {
    throw new SyntaxError(`Could not determine a constructor for the tag '${tag}'`);
  }
  return items.map((item) => build(item, done));
}

const isMerge = (key: YamlNode) =>
  key.kind === "scalar" && key.plain && key.tag === undefined && scalarKind(key.text) === "merge";
const isValue = (key: YamlNode) => key.kind === "scalar" && key.plain && key.tag === undefined && key.text === "=";

/** A map's entries with those behind `<<` in front; its own entries replace merged ones of the same text. */
function flatten(node: MappingNode, above: readonly YamlNode[] = []): [YamlNode, YamlNode][] {
  if (above.includes(node)) throw new SyntaxError("Cannot merge a map into itself");
  const own = node.entries.filter(([key]) => !isMerge(key));
  const merged: [YamlNode, YamlNode][] = [];
  for (const [key, value] of node.entries) {
    if (!isMerge(key)) continue;
    const sources = value.kind === "sequence" ? [...value.items].reverse() : [value];
    for (const source of sources) {
      if (source.kind !== "mapping") throw new SyntaxError("Expected a map or a list of maps behind <<");
      merged.push(...flatten(source, [...above, node]));
    }
  }
  if (merged.length === 0) return own;
  const taken = new Set(own.map(([key]) => key.kind === "scalar" ? key.text : key));
  return [...merged.filter(([key]) => !taken.has(key.kind === "scalar" ? key.text : key)), ...own];
}

function buildMapping(node: MappingNode, done: Map<YamlNode, unknown>): unknown {
  if (node.tag !== undefined && node.tag !== "!" && node.tag !== `${CORE}map` && node.tag !== `${CORE}omap`) {
    throw new SyntaxError(`Could not determine a constructor for the tag '${node.tag}'`);
  }
  const entries: [unknown, unknown][] = [];
  const seen = new Set<unknown>();
  for (const [keyNode, valueNode] of flatten(node)) {
    if (keyNode.kind !== "scalar") throw new SyntaxError("Found an unacceptable key: a list or a map");
    const key = isValue(keyNode) ? "=" : build(keyNode, done);
    // Python's 1, 1.0 and True are one key.
    const identity = typeof key === "boolean" || typeof key === "object" ? Number(key ?? NaN) : key;
    const mark = key === null ? null : key instanceof Uint8Array ? repr(key) : identity;
    if (seen.has(mark)) throw new SyntaxError(`Found conflicting ID '${String(key)}'`);
    seen.add(mark);
    entries.push([key, build(valueNode, done)]);
  }
  return mapOf(entries);
}
