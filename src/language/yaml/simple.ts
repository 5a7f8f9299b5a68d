import { construct, type ConstructOptions } from "./construct.ts";
import {
  emptyNode,
  type MappingNode,
  type ScalarNode,
  type SequenceNode,
  type YamlDocument,
  type YamlNode,
} from "./node.ts";

/** Unquoted text without a character that could be an indicator at its position. */
const PLAIN =
  /^(?:[A-Za-z0-9_/.+~$(^\xa1-\u024f]|-[^ :-])(?:[A-Za-z0-9_/.+~@*=()$^%,;?!<>&|[\]{}'"\\#\xa1-\u024f-]|:(?=[^ ])| (?=[^ #:]))*$/;
/** The same for an item between brackets. */
const FLOW_PLAIN = /^[A-Za-z0-9_/.+~$(^][A-Za-z0-9_/.+~@*=()$^%-]*$/;
const DOUBLE = /^"([^"\\]*)"$/;
const SINGLE = /^'((?:[^']|'')*)'$/;
/** Printable characters of few kinds: other white space than blanks, and most of Unicode, are left to the library. */
const ORDINARY = /^[\n\x20-\x7e\xa1-\u024f]*$/;
/** The longest line; an implicit key may have 1024 characters. */
const LONGEST = 1000;
/** How deep lists and maps may be nested: the reader calls itself. */
const DEEPEST = 200;

interface Line {
  indent: number;
  text: string;
}

/** Thrown inside this file alone, for a document that only the library can read. */
const UNUSUAL = new Error("Not a simple document");

/**
 * Reads the YAML of most configuration, pillar and SLS files: maps, lists and scalars on lines of their own, texts of several lines
 * behind `|`, comments. It does so without the library, which takes longer to load than a command takes to run, and several times
 * longer to read. A document with anything else, errors included, is left to `parseYaml`; a result always equals that of
 * `parseYaml` (tests/language/yaml/simple_test.ts compares them).
 *
 * @returns undefined if the document must be read by `parseYaml`
 */
export function parseSimpleYaml(text: string, options: ConstructOptions = {}): YamlDocument | undefined {
  if (!ORDINARY.test(text)) return undefined;
  const where = new Map<string, number>();
  try {
    const reader = new Reader(text.split("\n"));
    if (reader.done) return { value: null, lineOf: () => undefined };
    const root = reader.map(0, 0, where);
    if (!reader.done) return undefined;
    const value = construct(root, { ...options, isTree: true });
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

function quoted(text: string): ScalarNode | undefined {
  const double = DOUBLE.exec(text)?.[1];
  if (double !== undefined) return { kind: "scalar", text: double, plain: false };
  const single = SINGLE.exec(text)?.[1];
  return single === undefined ? undefined : { kind: "scalar", text: single.replaceAll("''", "'"), plain: false };
}

function scalar(text: string): ScalarNode {
  const first = text[0];
  if (first === '"' || first === "'") return quoted(text) ?? unusual();
  if (!PLAIN.test(text)) throw UNUSUAL;
  return { kind: "scalar", text, plain: true };
}

function unusual(): never {
  throw UNUSUAL;
}

/** `[]`, `{}`, `[a, 'b']`: a list of short scalars on one line. */
function flow(text: string): YamlNode | undefined {
  if (text === "{}") return { kind: "mapping", entries: [] };
  if (!text.startsWith("[") || !text.endsWith("]")) return undefined;
  const inside = text.slice(1, -1).trim();
  if (inside === "") return { kind: "sequence", items: [] };
  const items = inside.split(",").map((part): ScalarNode => {
    const item = part.trim();
    if (FLOW_PLAIN.test(item)) return { kind: "scalar", text: item, plain: true };
    return quoted(item) ?? unusual();
  });
  return { kind: "sequence", items };
}

/** A line that begins with a key: `key:`, `'key': rest`. Undefined for any other. */
function keyOf(text: string): { key: string; rest: string } | undefined {
  const at = text.endsWith(":") && text.indexOf(": ") < 0 ? text.length - 1 : text.indexOf(": ");
  if (at <= 0) return undefined;
  return { key: text.slice(0, at), rest: text.slice(at + 1).trimStart() };
}

/** A key; one that is a list, a map or a merge is left to the library. */
function keyNode(text: string): ScalarNode {
  const node = scalar(text);
  if (node.plain && text.endsWith(" ")) throw UNUSUAL;
  return node;
}

/** Reads the lines of one document in their order. */
class Reader {
  readonly #raw: readonly string[];
  /** The number of the line that is looked at, from 0. */
  #at = -1;
  #line: Line | undefined;

  constructor(raw: readonly string[]) {
    this.#raw = raw;
    this.#next();
  }

  get done(): boolean {
    return this.#line === undefined;
  }

  /** Goes to the next line that is neither blank nor a comment. */
  #next(): void {
    for (this.#at++; this.#at < this.#raw.length; this.#at++) {
      const whole = this.#raw[this.#at]!;
      const text = whole.trim();
      if (text === "" || text[0] === "#") continue;
      if (whole.length > LONGEST) throw UNUSUAL;
      this.#line = { indent: whole.length - whole.trimStart().length, text };
      return;
    }
    this.#line = undefined;
  }

  #indent(): number {
    return this.#line?.indent ?? -1;
  }

  map(indent: number, depth: number, where?: Map<string, number>): MappingNode {
    if (depth > DEEPEST) throw UNUSUAL;
    const map: MappingNode = { kind: "mapping", entries: [] };
    while (this.#line !== undefined && this.#line.indent === indent) {
      const { key, rest } = keyOf(withoutComment(this.#line.text)) ?? unusual();
      const node = keyNode(key);
      if (where !== undefined && !where.has(node.text)) where.set(node.text, this.#at + 1);
      this.#next();
      map.entries.push([node, rest === "" ? this.#block(indent, depth) : this.#value(rest, indent)]);
    }
    // Deeper than the map, and not below a key.
    if (this.#indent() > indent) throw UNUSUAL;
    return map;
  }

  /** A value after its key or dash; one that continues on deeper lines is left to the library, but for texts behind `|`. */
  #value(text: string, indent: number): YamlNode {
    if (text[0] === "|") return this.#literal(text, indent);
    if (this.#indent() > indent) throw UNUSUAL;
    return flow(text) ?? scalar(text);
  }

  /** The lines below `|`, `|-` or `|+`, which may look like anything. */
  #literal(header: string, indent: number): ScalarNode {
    if (!/^\|[-+]?$/.test(header)) throw UNUSUAL;
    // What was skipped as blank or as a comment belongs to the text.
    let at = this.#at - 1;
    while (at >= 0 && isSkipped(this.#raw[at]!)) at--;
    const first = at + 1;
    const lines: string[] = [];
    let deep = -1;
    for (at = first; at < this.#raw.length; at++) {
      const whole = this.#raw[at]!;
      const blank = whole.trim() === "";
      const own = blank ? whole.length : whole.length - whole.trimStart().length;
      if (deep < 0) {
        // A blank line that is longer than the text is deep is an error.
        if (blank) {
          if (own > 0) throw UNUSUAL;
        } else if (own <= indent) break;
        else deep = own;
      } else if (!blank && own < deep) break;
      lines.push(blank && own < deep ? "" : whole.slice(Math.max(deep, 0)));
    }
    // A comment that is less deep than the text ends it, and so does the next key.
    if (deep < 0 || at < this.#raw.length && this.#raw[at]!.length - this.#raw[at]!.trimStart().length > indent) {
      throw UNUSUAL;
    }
    // The last piece of the split is no line: it is what stands behind the last line feed.
    if (at === this.#raw.length) {
      if (lines.at(-1) !== "") throw UNUSUAL;
      lines.pop();
    }
    this.#at = at - 1;
    this.#next();
    return { kind: "scalar", text: chomped(lines, header), plain: false };
  }

  /** What stands below a key: a deeper map or list, a list at the key's own depth, or nothing. */
  #block(indent: number, depth: number): YamlNode {
    const next = this.#line;
    if (next === undefined || next.indent < indent) return emptyNode();
    if (isItem(next.text)) return this.#list(next.indent, depth + 1);
    if (next.indent === indent) return emptyNode();
    return keyOf(withoutComment(next.text)) === undefined ? unusual() : this.map(next.indent, depth + 1);
  }

  #list(indent: number, depth: number): SequenceNode {
    if (depth > DEEPEST) throw UNUSUAL;
    const list: SequenceNode = { kind: "sequence", items: [] };
    while (this.#line !== undefined && this.#line.indent === indent && isItem(this.#line.text)) {
      list.items.push(this.#item(this.#line, indent, depth));
    }
    if (this.#indent() > indent) throw UNUSUAL;
    return list;
  }

  #item({ text }: Line, indent: number, depth: number): YamlNode {
    const content = text.slice(1).trimStart();
    if (content === "" || content[0] === "#") throw UNUSUAL;
    const inner = withoutComment(content);
    const whole = quoted(inner);
    if (whole !== undefined) {
      this.#next();
      if (this.#indent() > indent) throw UNUSUAL;
      return whole;
    }
    if (isItem(inner) || keyOf(inner) !== undefined && content[0] !== "[" && content[0] !== "{") {
      // A list or a map that begins on the line of its dash: as if the dash were a blank.
      const deeper = indent + text.length - content.length;
      this.#line = { indent: deeper, text: content };
      return isItem(inner) ? this.#list(deeper, depth + 1) : this.map(deeper, depth + 1);
    }
    this.#next();
    return this.#value(inner, indent);
  }
}

function isItem(text: string): boolean {
  return text === "-" || text.startsWith("- ");
}

function isSkipped(whole: string): boolean {
  const text = whole.trim();
  return text === "" || text[0] === "#";
}

/** The text of lines: one line feed at its end, none with `|-`, all that are there with `|+`. */
function chomped(lines: string[], header: string): string {
  let end = lines.length;
  while (header !== "|+" && end > 0 && lines[end - 1] === "") end--;
  const text = lines.slice(0, end).join("\n");
  return header === "|-" ? text : end === 0 ? "" : `${text}\n`;
}
