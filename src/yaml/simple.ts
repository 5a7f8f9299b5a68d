import { construct } from "./construct.ts";
import type { YamlDocument } from "./document.ts";
import { emptyNode, type MappingNode, type ScalarNode, type SequenceNode, type YamlNode } from "./node.ts";

/** A name, quoted or not, then a colon at the end of the line or before a blank. */
const KEY = /^([A-Za-z_][A-Za-z0-9_.-]*):(?: +(.*))?$/;
/** Unquoted text without a character that could be an indicator at its position. */
const PLAIN = /^(?:[A-Za-z0-9_/.+~$(^]|-[^ -])(?:[A-Za-z0-9_/.+~@*=()$^%,;?!<>&|[\]{}'"\\#-]|:(?=[^ ])| (?=[^ #:]))*$/;
const DOUBLE = /^"([^"\\]*)"$/;
const SINGLE = /^'([^']*)'$/;
/** Printable ASCII: other white space than blanks, and Unicode, are left to the library. */
const ORDINARY = /^[\n\x20-\x7e]*$/;
/** The longest line; an implicit key may have 1024 characters. */
const LONGEST = 1000;

interface Line {
  indent: number;
  text: string;
  number: number;
}

/** Thrown inside this file alone, for a document that only the library can read. */
const UNUSUAL = new Error("Not a simple document");

/**
 * Reads the YAML of most configuration files: maps of plain names, lists of scalars, scalars on one line, comments. It does so
 * without the library, which takes longer to load than a command takes to run. A document with anything else, errors
 * included, is left to `parseYaml`; a result always equals that of `parseYaml` (tests/yaml/simple_test.ts compares them).
 *
 * @returns undefined if the document must be read by `parseYaml`
 */
export function parseSimpleYaml(text: string): YamlDocument | undefined {
  if (!ORDINARY.test(text)) return undefined;
  const lines: Line[] = [];
  for (const [index, whole] of text.split("\n").entries()) {
    const trimmed = whole.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    if (whole.length > LONGEST) return undefined;
    lines.push({ indent: whole.length - whole.trimStart().length, text: trimmed, number: index + 1 });
  }
  const [first] = lines;
  if (first === undefined) return { value: null, lineOf: () => undefined };
  if (first.indent !== 0) return undefined;
  const where = new Map<string, number>();
  try {
    const reader = new Reader(lines);
    const root = reader.map(0, where);
    if (!reader.done) return undefined;
    const value = construct(root);
    return { value, lineOf: (key) => where.get(key) };
  } catch (error) {
    // A repeated key or a malformed number: the library reports it with its line and column.
    if (error === UNUSUAL || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A comment begins after a blank, unless the blank is within quotes: a line with both is left to the library. */
function withoutComment(text: string): string {
  const at = text.indexOf(" #");
  if (at < 0) return text;
  const before = text.slice(0, at);
  if (/["']/.test(before)) throw UNUSUAL;
  return before.trimEnd();
}

function scalar(text: string): ScalarNode {
  const quoted = (DOUBLE.exec(text) ?? SINGLE.exec(text))?.[1];
  if (quoted !== undefined) return { kind: "scalar", text: quoted, plain: false };
  if (!PLAIN.test(text)) throw UNUSUAL;
  return { kind: "scalar", text, plain: true };
}

class Reader {
  readonly #lines: readonly Line[];
  #at = 0;

  constructor(lines: readonly Line[]) {
    this.#lines = lines;
  }

  get done(): boolean {
    return this.#at === this.#lines.length;
  }

  map(indent: number, where?: Map<string, number>): MappingNode {
    const map: MappingNode = { kind: "mapping", entries: [] };
    for (let line = this.#lines[this.#at]; line !== undefined && line.indent === indent; line = this.#lines[this.#at]) {
      const [, key, rest] = KEY.exec(withoutComment(line.text)) ?? [];
      if (key === undefined) throw UNUSUAL;
      this.#at++;
      if (where !== undefined && !where.has(key)) where.set(key, line.number);
      map.entries.push([
        { kind: "scalar", text: key, plain: true },
        rest === undefined || rest === "" ? this.#block(indent) : this.#inline(rest, indent),
      ]);
    }
    // Deeper than the map, and not below a key.
    if ((this.#lines[this.#at]?.indent ?? -1) > indent) throw UNUSUAL;
    return map;
  }

  /** A scalar after its key or dash; if the next line is deeper, the scalar continues there. */
  #inline(text: string, indent: number): ScalarNode {
    if ((this.#lines[this.#at]?.indent ?? -1) > indent) throw UNUSUAL;
    return scalar(text);
  }

  /** The value below a key: a deeper map or list, a list at the key's own depth, or nothing. */
  #block(indent: number): YamlNode {
    const next = this.#lines[this.#at];
    if (next === undefined || next.indent < indent) return emptyNode();
    if (isItem(next.text)) return this.#list(next.indent);
    return next.indent > indent ? this.map(next.indent) : emptyNode();
  }

  #list(indent: number): SequenceNode {
    const list: SequenceNode = { kind: "sequence", items: [] };
    for (let line = this.#lines[this.#at]; line !== undefined && line.indent === indent; line = this.#lines[this.#at]) {
      if (!isItem(line.text)) break;
      this.#at++;
      const text = withoutComment(line.text).slice(1).trim();
      // A map or a list in a list, or an empty item.
      if (text === "" || KEY.test(text)) throw UNUSUAL;
      list.items.push(this.#inline(text, indent));
    }
    if ((this.#lines[this.#at]?.indent ?? -1) > indent) throw UNUSUAL;
    return list;
  }
}

function isItem(text: string): boolean {
  return text === "-" || text.startsWith("- ");
}
