import { construct } from "./construct.ts";
import type { YamlDocument } from "./document.ts";
import { emptyNode, type MappingNode, type ScalarNode, type SequenceNode, type YamlNode } from "./node.ts";

/** A name that may or may not be quoted, then a colon at the end or before a blank. */
const KEY = /^([A-Za-z_][A-Za-z0-9_.-]*):(?: +(.*))?$/;
/** Unquoted text in which nothing can be an indicator where it stands. */
const PLAIN = /^(?:[A-Za-z0-9_/.+~$(^]|-[^ -])(?:[A-Za-z0-9_/.+~@*=()$^%,;?!<>&|[\]{}'"\\#-]|:(?=[^ ])| (?=[^ #:]))*$/;
const DOUBLE = /^"([^"\\]*)"$/;
const SINGLE = /^'([^']*)'$/;
/** Printable ASCII: white space other than blanks, and what Unicode adds, are for the library to judge. */
const ORDINARY = /^[\n\x20-\x7e]*$/;
/** The longest line; an implicit key may have 1024 characters. */
const LONGEST = 1000;

interface Line {
  indent: number;
  text: string;
  number: number;
}

/** Thrown, and never seen outside: something that only the library can read. */
const UNUSUAL = new Error("Not a simple document");

/**
 * Reads the YAML that most configuration files consist of, without the library, which takes longer to load than a command
 * line takes to run: maps of plain names, lists of scalars, scalars on one line, comments. Whatever else there is, be it an
 * error, leaves the whole document to `parseYaml`; where there is a result, it is that of `parseYaml`
 * (tests/yaml/simple_test.ts compares them).
 *
 * @returns undefined if the document is not that simple
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
    // A repeated key, a number that is none: the library knows the place and says so.
    if (error === UNUSUAL || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A comment begins behind a blank, unless the blank is within quotes: a line with both is left to the library. */
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
    // Deeper than the map, and nothing has asked for it.
    if ((this.#lines[this.#at]?.indent ?? -1) > indent) throw UNUSUAL;
    return map;
  }

  /** A scalar behind its key or dash; were the next line deeper, it would go on there. */
  #inline(text: string, indent: number): ScalarNode {
    if ((this.#lines[this.#at]?.indent ?? -1) > indent) throw UNUSUAL;
    return scalar(text);
  }

  /** What stands below a key: a deeper map or list, a list at the key's own depth, or nothing. */
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
      // A map or a list in a list, or nothing at all.
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
