import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, parseDocument, Scalar } from "yaml";
import { construct, ConstructError, type ConstructOptions } from "./construct.ts";
import { emptyNode, type YamlNode } from "./node.ts";

/** A document that cannot be read; lines and columns count from 1. */
export class YamlError extends SyntaxError {
  readonly line: number;
  readonly column: number;

  constructor(problem: string, line: number, column: number, options?: ErrorOptions) {
    super(`${problem} (line ${line}, column ${column})`, options);
    this.name = "YamlError";
    this.line = line;
    this.column = column;
  }
}

/**
 * The value of a YAML document, under the rules of Salt's loader: YAML 1.1 scalars, dates as text, repeated keys refused.
 * This is the only file that loads a YAML library.
 *
 * @returns null for an empty document
 * @throws {YamlError} if the text is no single YAML document, or holds something that has no value
 */
export function load(text: string, options: ConstructOptions = {}): unknown {
  const document = parseDocument(text, {
    version: "1.1",
    schema: "failsafe",
    // The rules on keys are Salt's and applied when values are made.
    uniqueKeys: false,
    merge: false,
    prettyErrors: false,
    resolveKnownTags: false,
    logLevel: "error",
  });
  const [error] = document.errors;
  if (error !== undefined) throw errorAt(text, error.message, error.pos[0], error);
  if (document.contents === null) return null;
  try {
    return construct(new Converter(text).convert(document.contents), options);
  } catch (error) {
    if (error instanceof ConstructError) throw errorAt(text, error.message, error.offset ?? 0, error);
    throw error;
  }
}

function errorAt(text: string, problem: string, offset: number, cause: unknown): YamlError {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return new YamlError(problem, before.length, (before[before.length - 1] ?? "").length + 1, { cause });
}

class Converter {
  readonly #text: string;
  readonly #anchors = new Map<string, YamlNode>();

  constructor(text: string) {
    this.#text = text;
  }

  convert(node: unknown): YamlNode {
    if (isAlias(node)) return this.#alias(node);
    const converted = this.#plainNode(node as Node | null);
    const { tag, anchor, range } = (node ?? {}) as { tag?: string; anchor?: string; range?: [number] | null };
    if (range) converted.offset = range[0];
    if (anchor !== undefined) this.#anchors.set(anchor, converted);
    if (tag !== undefined) converted.tag = tag;
    return converted;
  }

  #plainNode(node: Node | null): YamlNode {
    if (isScalar(node)) {
      const plain = node.type === Scalar.PLAIN || node.type === undefined;
      return { kind: "scalar", text: plain ? node.source ?? "" : String(node.value), plain };
    }
    if (isSeq(node)) return { kind: "sequence", items: node.items.map((item) => this.convert(item)) };
    if (isMap(node)) {
      return {
        kind: "mapping",
        entries: node.items.map(({ key, value }) => [this.convert(key), this.convert(value)]),
      };
    }
    return emptyNode();
  }

  #alias(alias: Alias): YamlNode {
    const node = this.#anchors.get(alias.source);
    if (node !== undefined) return node;
    throw errorAt(this.#text, `found undefined alias '${alias.source}'`, alias.range?.[0] ?? 0, undefined);
  }
}
