import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument as parse, visit } from "yaml";
import { construct } from "./construct.ts";
import { emptyNode, type YamlNode } from "./node.ts";

/** A YAML document and where its top-level keys stand. */
export interface YamlDocument {
  value: unknown;
  /** Line of a top-level key, counted from 1. */
  lineOf(key: string): number | undefined;
}

/**
 * Reads a whole YAML document. The grammar is the `yaml` package's; what a scalar means is decided here, as Salt's Python
 * library decides it.
 *
 * @throws {SyntaxError} with line and column in its message
 */
export function parseYaml(text: string): YamlDocument {
  const lines = new LineCounter();
  const document = parse(text, { version: "1.1", lineCounter: lines, uniqueKeys: false, strict: true, merge: false });
  const problem = document.errors[0];
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.pos[0]);
    throw new SyntaxError(
      `line ${line}, column ${col}: ${problem.message.split("\n")[0]!.replace(/ at line \d+, column \d+:?$/, "")}`,
    );
  }
  const anchors = new Map<string, unknown>();
  visit(document, {
    Node: (_key, node) => {
      if ("anchor" in node && typeof node.anchor === "string") anchors.set(node.anchor, node);
    },
  });
  const made = new Map<unknown, YamlNode>();
  const convert = (node: unknown): YamlNode => {
    const known = made.get(node);
    if (known !== undefined) return known;
    if (node === null || node === undefined) return emptyNode();
    if (isAlias(node)) {
      const target = node.resolve(document);
      if (target === undefined) throw new SyntaxError(`Found undefined alias '${node.source}'`);
      return convert(target);
    }
    if (isScalar(node)) {
      const plain = node.type === "PLAIN" || node.type === undefined || node.type === null;
      const scalar: YamlNode = {
        kind: "scalar",
        text: plain ? node.source ?? "" : String(node.value ?? node.source ?? ""),
        plain,
        ...(node.tag === undefined || !isExplicit(node, text) ? {} : { tag: node.tag }),
      };
      made.set(node, scalar);
      return scalar;
    }
    if (isSeq(node)) {
      const sequence: YamlNode = { kind: "sequence", items: [] };
      made.set(node, sequence);
      sequence.items.push(...node.items.map(convert));
      return sequence;
    }
    if (isMap(node)) {
      const mapping: YamlNode = { kind: "mapping", entries: [] };
      made.set(node, mapping);
      for (const { key, value } of node.items) mapping.entries.push([convert(key), convert(value)]);
      return mapping;
    }
    throw new SyntaxError("Found a node of an unknown kind");
  };
  const value = construct(convert(document.contents));
  return {
    value,
    lineOf(key) {
      if (!isMap(document.contents)) return undefined;
      for (const item of document.contents.items) {
        if (isScalar(item.key) && String(item.key.source ?? item.key.value) === key && item.key.range) {
          return lines.linePos(item.key.range[0]).line;
        }
      }
      return undefined;
    },
  };
}

/** True if the tag stands in the text, rather than having been found by the package's own rules. */
function isExplicit(node: { range?: [number, number, number] | null; srcToken?: unknown }, text: string): boolean {
  const start = node.range?.[0] ?? 0;
  return /!\S*\s*(&\S+\s*)?$/.test(text.slice(Math.max(0, start - 200), start));
}
