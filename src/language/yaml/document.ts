import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  Scalar,
  type YAMLParseError,
} from "yaml";
import type { YamlBudget } from "./budget.ts";
import { construct, ConstructError, type ConstructOptions } from "./construct.ts";
import { compose } from "./libyaml/compose.ts";
import { emptyNode, type YamlDocument, type YamlNode } from "./node.ts";
import { parseSimpleYaml } from "./simple.ts";
import { TOO_DEEP, YamlError } from "./yaml_error.ts";

export { YamlError };

export type { YamlDocument };

/**
 * Reads a YAML document by the rules of Salt's loader: YAML 1.1 scalars, dates as text, repeated keys refused. It is parsed
 * by the `yaml` package, which only this file loads.
 *
 * @throws {YamlError} if the text is not one valid YAML document, or has more values than the limit
 */
export function parseYaml(text: string): YamlDocument {
  return read(text, {});
}

function read(text: string, options: ConstructOptions): YamlDocument {
  // A budget counts what was read, so a document is read once with it.
  const simple = options.budget === undefined ? parseSimpleYaml(text, options) : undefined;
  return simple ?? parseYamlThoroughly(text, options);
}

/** As {@link parseYaml}, for a document of an untrusted sender, with a lower limit of values. */
export function parseBoundedYaml(text: string, budget: YamlBudget): YamlDocument {
  return read(text, { budget });
}

/** As the others, without the quick way for simple documents: what that one is compared with. */
export function parseYamlThoroughly(text: string, options: ConstructOptions = {}): YamlDocument {
  const document = parseDocument(text, {
    version: "1.1",
    schema: "failsafe",
    // Keys are checked by Salt's rules, when values are built.
    uniqueKeys: false,
    merge: false,
    prettyErrors: false,
    resolveKnownTags: false,
    logLevel: "error",
  });
  const [error] = document.errors;
  const root = error !== undefined
    ? composed(text, error)
    : document.contents === null
    ? emptyNode()
    : convert(text, document.contents);
  const lineOf = (key: string): number | undefined => {
    const entries = root.kind === "mapping" ? root.entries : [];
    const found = entries.find(([node]) => node.kind === "scalar" && node.text === key)?.[0];
    return found?.offset === undefined ? undefined : placeOf(text, found.offset).line;
  };
  try {
    return { value: construct(root, options), lineOf };
  } catch (error) {
    if (error instanceof ConstructError) throw errorAt(text, error.message, error.offset ?? 0, error);
    throw tooDeep(text, error);
  }
}

function convert(text: string, contents: unknown): YamlNode {
  try {
    return new Converter(text).convert(contents);
  } catch (error) {
    throw tooDeep(text, error);
  }
}

/** The library wants continued lines of a flow collection deeper than PyYAML does: what it refuses is looked at once more. */
function composed(text: string, error: YAMLParseError): YamlNode {
  try {
    return compose(text);
  } catch {
    throw errorAt(text, problemOf(error), error.pos[0], error);
  }
}

/** The library reports a full stack as an error of the document, in the words of the runtime. */
function problemOf(error: YAMLParseError): string {
  return error.code === "RESOURCE_EXHAUSTION" ? TOO_DEEP : error.message;
}

/** The library and `construct` recurse into a document, so a very deep one overflows the stack: reported as an error of the document. */
function tooDeep(text: string, error: unknown): unknown {
  return error instanceof RangeError ? errorAt(text, TOO_DEEP, 0, error) : error;
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: before.length, column: (before[before.length - 1] ?? "").length + 1 };
}

const errorAt = YamlError.at;

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
