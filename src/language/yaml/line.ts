import { ESCAPES } from "./escapes.ts";
import { LINE_VALUES, YamlBudget } from "./budget.ts";
import { construct, YamlLimitError } from "./construct.ts";
import { emptyNode, type YamlNode } from "./node.ts";

/** Deeper nesting is refused, so that a hostile word cannot exhaust the stack. */
const MAX_DEPTH = 200;

// Everything but the characters that YAML 1.1 allows in a stream, without line breaks: a line has none.
const UNPRINTABLE = /[^\t\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

const HEX_ESCAPES: Record<string, number> = { x: 2, u: 4, U: 8 };

const isBlank = (character: string) => character === "" || character === " " || character === "\t";

/**
 * Reads the value of one line of YAML 1.1, as Salt's loader (PyYAML over libyaml) does. An empty line or a bare comment
 * is null. Command-line words are read with this instead of a YAML library, so that programs start faster.
 *
 * @param budget limit of values; shared between words of one request. @default 100000 values
 * @throws {SyntaxError} on anything that loader would refuse; {@link YamlLimitError} for more values than the limit
 */
export function parseLine(text: string, budget: YamlBudget = new YamlBudget(LINE_VALUES)): unknown {
  if (UNPRINTABLE.test(text)) throw new SyntaxError("Special characters are not allowed");
  return construct(new LineParser(text, budget).document(), { budget });
}

class LineParser {
  readonly #text: string;
  readonly #anchors = new Map<string, YamlNode>();
  #at = 0;
  #depth = 0;
  readonly #budget: YamlBudget;

  constructor(text: string, budget: YamlBudget) {
    this.#text = text;
    this.#budget = budget;
  }

  document(): YamlNode {
    if (this.#text.startsWith("%")) throw new SyntaxError("Found an unknown directive");
    if (this.#text.startsWith("...") && isBlank(this.#peek(3))) {
      throw new SyntaxError("Did not expect the document's end");
    }
    const marked = this.#text.startsWith("---") && isBlank(this.#peek(3));
    if (marked) this.#at = 3;
    const node = this.#block(!marked);
    this.#skip();
    if (this.#at < this.#text.length) throw new SyntaxError(`Did not expect ${JSON.stringify(this.#rest())} there`);
    return node;
  }

  #peek(ahead = 0): string {
    return this.#text[this.#at + ahead] ?? "";
  }

  #rest(): string {
    return this.#text.slice(this.#at);
  }

  /** Skips blanks and a comment. libyaml requires a blank before a comment only after a plain scalar. */
  #skip(): void {
    while (this.#peek() === " " || this.#peek() === "\t") this.#at++;
    if (this.#peek() === "#") this.#at = this.#text.length;
  }

  /** Reads a node in block context; `compact` allows a map or list to begin on this line. */
  #block(compact: boolean): YamlNode {
    return this.#nested(() => {
      this.#skip();
      const indicator = this.#peek();
      if (indicator === "-" && isBlank(this.#peek(1))) {
        if (!compact) throw new SyntaxError("Block sequence entries are not allowed here");
        this.#at++;
        return { kind: "sequence", items: [this.#block(true)] };
      }
      if (indicator === "?" && isBlank(this.#peek(1))) {
        if (!compact) throw new SyntaxError("Mapping keys are not allowed here");
        this.#at++;
        return { kind: "mapping", entries: [[this.#block(true), emptyNode()]] };
      }
      if (indicator === ":" && isBlank(this.#peek(1))) throw new SyntaxError("Did not find the expected key");
      const node = this.#node(false);
      this.#skip();
      if (this.#peek() !== ":" || !isBlank(this.#peek(1))) return node;
      if (!compact) throw new SyntaxError("Mapping values are not allowed here");
      this.#at++;
      return { kind: "mapping", entries: [[node, this.#block(false)]] };
    });
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > MAX_DEPTH) throw new SyntaxError("Nested too deeply");
    const result = read();
    this.#depth--;
    return result;
  }

  /** Reads a scalar or flow collection with its properties, or an alias. */
  #node(flow: boolean): YamlNode {
    this.#skip();
    if (this.#peek() === "*") return this.#alias();
    let tag: string | undefined;
    let anchor: string | undefined;
    for (;;) {
      if (this.#peek() === "!" && tag === undefined) tag = this.#tag();
      else if (this.#peek() === "&" && anchor === undefined) anchor = this.#name("an anchor");
      else break;
      this.#skip();
    }
    const start = this.#at;
    const node = this.#content(flow);
    // Reading a value costs as much as building it, so it counts as well.
    if (!this.#budget.spend(1)) throw new YamlLimitError(this.#budget, node);
    // "!" without a value is a text, while "! 5" is an integer.
    if (tag === "!" && this.#at === start) tag = "tag:yaml.org,2002:str";
    if (tag !== undefined) node.tag = tag;
    if (anchor !== undefined && this.#anchors.has(anchor)) throw new SyntaxError(`Found duplicate anchor "${anchor}"`);
    if (anchor !== undefined) this.#anchors.set(anchor, node);
    return node;
  }

  #content(flow: boolean): YamlNode {
    const first = this.#peek();
    if (first === "[") return this.#sequence();
    if (first === "{") return this.#mapping();
    if (first === '"') return this.#doubleQuoted();
    if (first === "'") return this.#singleQuoted();
    if (!flow && (first === "|" || first === ">")) return this.#blockScalar();
    if (first === "" || (flow && ",]}:?".includes(first))) return emptyNode();
    if (!flow && first === ":" && isBlank(this.#peek(1))) return emptyNode();
    return this.#plain(flow);
  }

  #name(what: string): string {
    const match = /^.([A-Za-z0-9_-]+)(?=$|[ \t?:,\]}%@`])/.exec(this.#rest());
    if (match === null) throw new SyntaxError(`Did not find the expected name of ${what}`);
    this.#at += match[0].length;
    return match[1] ?? "";
  }

  #alias(): YamlNode {
    const name = this.#name("an alias");
    const node = this.#anchors.get(name);
    if (node === undefined) throw new SyntaxError(`Found undefined alias ${JSON.stringify(name)}`);
    return node;
  }

  #tag(): string {
    const match = /^(?:!<([^>\s]+)>|(!(?:[A-Za-z0-9_-]*!)?)([A-Za-z0-9\-;/?:@&=+$.~*'()_%]*))(?=$|[ \t,])/
      .exec(this.#rest());
    if (match === null) throw new SyntaxError("Did not find the expected tag");
    this.#at += match[0].length;
    const [, verbatim, handle = "!", suffix = ""] = match;
    if (verbatim !== undefined) return verbatim;
    if (handle === "!!") {
      if (suffix === "") throw new SyntaxError("Did not find the expected tag URI");
      return `tag:yaml.org,2002:${suffix}`;
    }
    if (handle !== "!") throw new SyntaxError(`Found undefined tag handle ${JSON.stringify(handle)}`);
    return `!${suffix}`;
  }

  #blockScalar(): YamlNode {
    const match = /^[|>](?:[-+][1-9]?|[1-9][-+]?)?[ \t]*(?:#.*)?$/.exec(this.#rest());
    if (match === null) throw new SyntaxError("Did not find the expected comment or line break");
    this.#at = this.#text.length;
    return { kind: "scalar", text: "", plain: false };
  }

  #plain(flow: boolean): YamlNode {
    const first = this.#peek();
    const next = this.#peek(1);
    const starts = !",[]{}#&*!|>'\"%@`-?:".includes(first) || (first === "-" && !isBlank(next)) ||
      (!flow && (first === "?" || first === ":") && !isBlank(next));
    if (!starts) throw new SyntaxError(`Found character ${JSON.stringify(first)} that cannot start any token`);
    const start = this.#at;
    let end = start;
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#peek();
      if (isBlank(character)) continue;
      if (character === "#" && this.#at > end) break;
      if (character === ":") {
        if (isBlank(this.#peek(1))) break;
        if (flow && ",[]{}".includes(this.#peek(1))) throw new SyntaxError("Found unexpected ':'");
      }
      if (flow && ",[]{}".includes(character)) break;
      end = this.#at + 1;
    }
    this.#at = end;
    return { kind: "scalar", text: this.#text.slice(start, end), plain: true };
  }

  #singleQuoted(): YamlNode {
    const match = /^'((?:[^']|'')*)'/.exec(this.#rest());
    if (match === null) throw new SyntaxError("Found unexpected end of stream in a quoted scalar");
    this.#at += match[0].length;
    return { kind: "scalar", text: (match[1] ?? "").replaceAll("''", "'"), plain: false };
  }

  #doubleQuoted(): YamlNode {
    let text = "";
    this.#at++;
    for (;;) {
      const character = this.#peek();
      if (character === "") throw new SyntaxError("Found unexpected end of stream in a quoted scalar");
      this.#at++;
      if (character === '"') return { kind: "scalar", text, plain: false };
      text += character === "\\" ? this.#escape() : character;
    }
  }

  #escape(): string {
    const code = this.#peek();
    this.#at++;
    const length = HEX_ESCAPES[code];
    if (length === undefined) {
      const character = ESCAPES[code];
      if (character === undefined) throw new SyntaxError("Found unknown escape character");
      return character;
    }
    const hex = this.#text.slice(this.#at, this.#at + length);
    this.#at += length;
    const point = /^[0-9a-fA-F]+$/.test(hex) && hex.length === length ? parseInt(hex, 16) : Infinity;
    if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) throw new SyntaxError("Found invalid Unicode escape");
    return String.fromCodePoint(point);
  }

  /** Skips the `:` after a key; inside a flow collection no blank is needed after it. */
  #colon(): boolean {
    this.#skip();
    if (this.#peek() !== ":") return false;
    this.#at++;
    return true;
  }

  /** Skips the `?` before a key; inside a flow collection no blank is needed after it. */
  #questionMark(): boolean {
    if (this.#peek() !== "?") return false;
    this.#at++;
    this.#skip();
    return true;
  }

  #sequence(): YamlNode {
    const items: YamlNode[] = [];
    this.#collection("]", () => {
      const explicit = this.#questionMark();
      if ((explicit ? ",]" : ":").includes(this.#peek())) throw new SyntaxError("Did not find the expected key");
      const node = this.#node(true);
      if (this.#colon()) items.push({ kind: "mapping", entries: [[node, this.#node(true)]] });
      else items.push(explicit ? { kind: "mapping", entries: [[node, emptyNode()]] } : node);
    });
    return { kind: "sequence", items };
  }

  #mapping(): YamlNode {
    const entries: [YamlNode, YamlNode][] = [];
    this.#collection("}", () => {
      if (!this.#questionMark() && this.#peek() === ":") throw new SyntaxError("Did not find the expected key");
      const key = this.#node(true);
      entries.push([key, this.#colon() ? this.#node(true) : emptyNode()]);
    });
    return { kind: "mapping", entries };
  }

  /** Reads entries between brackets, separated by commas; a trailing comma is allowed, an empty entry is not. */
  #collection(close: string, entry: () => void): void {
    this.#nested(() => {
      this.#at++;
      for (;;) {
        this.#skip();
        if (this.#peek() === close) break;
        const start = this.#at;
        entry();
        this.#skip();
        if (this.#at === start) throw new SyntaxError(`Did not find the expected entry or ${JSON.stringify(close)}`);
        if (this.#peek() === ",") this.#at++;
        else if (this.#peek() !== close) throw new SyntaxError(`Did not find expected "," or ${JSON.stringify(close)}`);
      }
      this.#at++;
    });
  }
}
