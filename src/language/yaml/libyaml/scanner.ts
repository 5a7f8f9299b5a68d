import { Cursor } from "./cursor.ts";
import { scanBlock, scanPlain, scanQuoted } from "./scalars.ts";
import { YamlProblem } from "./yaml_problem.ts";

export type TokenKind =
  | "directive"
  | "document-start"
  | "document-end"
  | "block-sequence"
  | "block-mapping"
  | "block-end"
  | "flow-sequence"
  | "flow-mapping"
  | "flow-sequence-end"
  | "flow-mapping-end"
  | "entry"
  | "flow-entry"
  | "key"
  | "value"
  | "alias"
  | "anchor"
  | "tag"
  | "scalar"
  | "end";

export interface Token {
  kind: TokenKind;
  at: number;
  /** Of scalars, anchors and tags. */
  text: string;
  isPlain: boolean;
}

/** A place where a key without `?` may have begun. */
interface SimpleKey {
  /** Number of the token that follows it. */
  token: number;
  isRequired: boolean;
  at: number;
  line: number;
  column: number;
}

const FLOW: Record<string, TokenKind> = {
  "[": "flow-sequence",
  "{": "flow-mapping",
  "]": "flow-sequence-end",
  "}": "flow-mapping-end",
};

/** Characters that a plain text does not begin with. */
const INDICATORS = "-?:,[]{}#&*!|>'\"%@`";

/** Flow collections within each other: each token costs as much as there are. */
const DEEPEST = 500;

/** Characters of tags. */
const TAG = /[\w;/?:@&=+$.!~*'()%-]/;

function unescapeUri(escaped: string): string {
  const bytes = escaped.split("%").slice(1).map((digits) => Number.parseInt(digits, 16));
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/**
 * The tokens of a YAML document as libyaml finds them: it throws where libyaml does, in its words.
 *
 * @see libyaml src/scanner.c
 */
export class Scanner {
  readonly #cursor: Cursor;
  readonly #tokens: Token[] = [];
  #taken = 0;
  #isDone = false;
  #indent = -1;
  readonly #indents: number[] = [];
  #mayStartKey = true;
  /** One for each level of flow collections, and one below. */
  readonly #keys: (SimpleKey | undefined)[] = [undefined];

  constructor(text: string) {
    this.#cursor = new Cursor(text);
    if (this.#cursor.peek() === "\ufeff") this.#cursor.at++;
  }

  get #flowLevel(): number {
    return this.#keys.length - 1;
  }

  peek(): Token {
    while (this.#needsMore()) this.#fetch();
    return this.#tokens[0]!;
  }

  next(): Token {
    const token = this.peek();
    if (token.kind !== "end") {
      this.#tokens.shift();
      this.#taken++;
    }
    return token;
  }

  #needsMore(): boolean {
    if (this.#isDone) return false;
    if (this.#tokens.length === 0) return true;
    this.#dropStaleKeys();
    for (const key of this.#keys) if (key?.token === this.#taken) return true;
    return false;
  }

  #add(kind: TokenKind, at: number, text = "", isPlain = false): void {
    this.#tokens.push({ kind, at, text, isPlain });
  }

  #fail(problem: string): YamlProblem {
    return new YamlProblem("scanner", problem, this.#cursor.at);
  }

  #fetch(): void {
    const cursor = this.#cursor;
    this.#passGaps();
    this.#dropStaleKeys();
    this.#unroll(cursor.column);
    const character = cursor.peek();
    if (character === "") return this.#fetchEnd();
    if (cursor.column === 0 && character === "%") return this.#fetchDirective();
    if (cursor.isDocumentMark()) return this.#fetchDocumentMark();
    if (character === "[" || character === "{") return this.#openFlow(FLOW[character]!);
    if (character === "]" || character === "}") return this.#closeFlow(FLOW[character]!);
    if (character === ",") return this.#fetchFlowEntry();
    if (character === "-" && cursor.isGap(1)) return this.#fetchEntry();
    if (character === "?" && (this.#flowLevel > 0 || cursor.isGap(1))) return this.#fetchKey();
    if (character === ":" && (this.#flowLevel > 0 || cursor.isGap(1))) return this.#fetchValue();
    if (character === "*" || character === "&") return this.#fetchAnchor(character === "*" ? "alias" : "anchor");
    if (character === "!") return this.#fetchTag();
    if ((character === "|" || character === ">") && this.#flowLevel === 0) return this.#fetchBlockScalar();
    if (character === "'" || character === '"') return this.#fetchQuoted();
    const isPlain = !INDICATORS.includes(character) && !cursor.isGap() || character === "-" && !cursor.isBlank(1) ||
      this.#flowLevel === 0 && (character === "?" || character === ":") && !cursor.isGap(1);
    if (isPlain) return this.#fetchPlain();
    const context = { text: "while scanning for the next token", at: cursor.at };
    throw new YamlProblem("scanner", "found character that cannot start any token", cursor.at, context);
  }

  /** Passes white space, comments and ends of lines. */
  #passGaps(): void {
    const cursor = this.#cursor;
    for (;;) {
      const passesTabs = this.#flowLevel > 0 || !this.#mayStartKey;
      let blanks = 0;
      while (cursor.peek(blanks) === " " || passesTabs && cursor.peek(blanks) === "\t") blanks++;
      cursor.skip(blanks);
      if (cursor.peek() === "#") cursor.take(() => !cursor.isBreak());
      if (!cursor.isBreak()) return;
      cursor.nextLine();
      if (this.#flowLevel === 0) this.#mayStartKey = true;
    }
  }

  /** A key without `?` ends in its line, and within 1024 characters. */
  #dropStaleKeys(): void {
    const { line, at } = this.#cursor;
    for (let level = 0; level < this.#keys.length; level++) {
      const key = this.#keys[level];
      if (key !== undefined && (key.line !== line || key.at + 1024 < at)) this.#dropKey(level);
    }
  }

  #dropKey(level = this.#flowLevel): void {
    const key = this.#keys[level];
    if (key?.isRequired) {
      const context = { text: "while scanning a simple key", at: key.at };
      throw new YamlProblem("scanner", "could not find expected ':'", this.#cursor.at, context);
    }
    this.#keys[level] = undefined;
  }

  #saveKey(): void {
    if (!this.#mayStartKey) return;
    this.#dropKey();
    const { at, line, column } = this.#cursor;
    const isRequired = this.#flowLevel === 0 && this.#indent === column;
    this.#keys[this.#flowLevel] = { token: this.#taken + this.#tokens.length, isRequired, at, line, column };
  }

  #unroll(column: number): void {
    if (this.#flowLevel > 0) return;
    while (this.#indent > column) {
      this.#add("block-end", this.#cursor.at);
      this.#indent = this.#indents.pop()!;
    }
  }

  /** Begins a block collection, if the column is deeper than that of the one around it. */
  #roll(column: number, kind: TokenKind, at: number, place = this.#tokens.length): void {
    if (this.#flowLevel > 0 || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    this.#tokens.splice(place, 0, { kind, at, text: "", isPlain: false });
  }

  #fetchEnd(): void {
    // The end counts as the beginning of a line of its own.
    if (this.#cursor.column > 0) this.#cursor.endLine();
    this.#dropStaleKeys();
    this.#unroll(-1);
    this.#dropKey();
    this.#mayStartKey = false;
    this.#add("end", this.#cursor.at);
    this.#isDone = true;
  }

  #fetchDirective(): void {
    const cursor = this.#cursor;
    this.#unroll(-1);
    this.#dropKey();
    this.#mayStartKey = false;
    const context = { text: "while scanning a directive", at: cursor.at };
    const fail = (problem: string) => new YamlProblem("scanner", problem, cursor.at, context);
    cursor.next();
    const name = cursor.take(() => /[\w-]/.test(cursor.peek()));
    if (name === "") throw fail("could not find expected directive name");
    if (!cursor.isGap()) throw fail("found unexpected non-alphabetical character");
    if (name !== "YAML" && name !== "TAG") throw fail("found unknown directive name");
    this.#add("directive", context.at, cursor.take(() => !cursor.isBreak()));
  }

  #fetchDocumentMark(): void {
    this.#unroll(-1);
    this.#dropKey();
    this.#mayStartKey = false;
    this.#add(this.#cursor.peek() === "-" ? "document-start" : "document-end", this.#cursor.at);
    this.#cursor.next(3);
  }

  #openFlow(kind: TokenKind): void {
    if (this.#flowLevel >= DEEPEST) throw new RangeError("lists and maps are nested too deeply");
    this.#saveKey();
    this.#keys.push(undefined);
    this.#mayStartKey = true;
    this.#addOne(kind);
  }

  #closeFlow(kind: TokenKind): void {
    this.#dropKey();
    if (this.#flowLevel > 0) this.#keys.pop();
    this.#mayStartKey = false;
    this.#addOne(kind);
  }

  #addOne(kind: TokenKind): void {
    this.#add(kind, this.#cursor.at);
    this.#cursor.next();
  }

  #fetchFlowEntry(): void {
    this.#dropKey();
    this.#mayStartKey = true;
    this.#addOne("flow-entry");
  }

  #fetchEntry(): void {
    const { at, column } = this.#cursor;
    if (this.#flowLevel === 0) {
      if (!this.#mayStartKey) throw this.#fail("block sequence entries are not allowed in this context");
      this.#roll(column, "block-sequence", at);
    }
    this.#dropKey();
    this.#mayStartKey = true;
    this.#addOne("entry");
  }

  #fetchKey(): void {
    const { at, column } = this.#cursor;
    if (this.#flowLevel === 0) {
      if (!this.#mayStartKey) throw this.#fail("mapping keys are not allowed in this context");
      this.#roll(column, "block-mapping", at);
    }
    this.#dropKey();
    this.#mayStartKey = this.#flowLevel === 0;
    this.#addOne("key");
  }

  #fetchValue(): void {
    const key = this.#keys[this.#flowLevel];
    if (key !== undefined) {
      const place = key.token - this.#taken;
      this.#tokens.splice(place, 0, { kind: "key", at: key.at, text: "", isPlain: false });
      this.#roll(key.column, "block-mapping", key.at, place);
      this.#keys[this.#flowLevel] = undefined;
      this.#mayStartKey = false;
    } else {
      if (this.#flowLevel === 0) {
        if (!this.#mayStartKey) throw this.#fail("mapping values are not allowed in this context");
        this.#roll(this.#cursor.column, "block-mapping", this.#cursor.at);
      }
      this.#mayStartKey = this.#flowLevel === 0;
    }
    this.#addOne("value");
  }

  #fetchAnchor(kind: "alias" | "anchor"): void {
    const cursor = this.#cursor;
    const { at } = cursor;
    this.#saveKey();
    this.#mayStartKey = false;
    cursor.next();
    const text = cursor.take(() => /[\w-]/.test(cursor.peek()));
    if (text === "" || !(cursor.isGap() || "?:,]}%@`".includes(cursor.peek()))) {
      const context = { text: `while scanning an ${kind}`, at };
      throw new YamlProblem("scanner", "did not find expected alphabetic or numeric character", cursor.at, context);
    }
    this.#add(kind, at, text);
  }

  #fetchTag(): void {
    const cursor = this.#cursor;
    const { at } = cursor;
    this.#saveKey();
    this.#mayStartKey = false;
    const fail = (problem: string, doing = "while parsing a tag") =>
      new YamlProblem("scanner", problem, cursor.at, { text: doing, at });
    const isVerbatim = cursor.peek(1) === "<";
    let text = cursor.take(() => (cursor.peek() === "<" && cursor.at === at + 1) || TAG.test(cursor.peek()));
    if (/^!(?:[\w-]*!|<)$/.test(text) && text !== "!") throw fail("did not find expected tag URI");
    const escape = text.search(/%(?![\da-fA-F]{2})/);
    if (escape !== -1) {
      throw new YamlProblem("scanner", "did not find URI escaped octet", at + escape, {
        text: "while parsing a tag",
        at,
      });
    }
    if (isVerbatim) {
      if (cursor.peek() !== ">") throw fail("did not find the expected '>'", "while scanning a tag");
      text += ">";
      cursor.next();
    }
    if (!cursor.isGap() && !(this.#flowLevel > 0 && cursor.peek() === ",")) {
      throw fail("did not find expected whitespace or line break", "while scanning a tag");
    }
    this.#add("tag", at, text.replace(/(?:%[\da-fA-F]{2})+/g, unescapeUri));
  }

  #fetchBlockScalar(): void {
    this.#dropKey();
    this.#mayStartKey = true;
    const { at } = this.#cursor;
    this.#add("scalar", at, scanBlock(this.#cursor, this.#indent));
  }

  #fetchQuoted(): void {
    this.#saveKey();
    this.#mayStartKey = false;
    const { at } = this.#cursor;
    this.#add("scalar", at, scanQuoted(this.#cursor));
  }

  #fetchPlain(): void {
    this.#saveKey();
    this.#mayStartKey = false;
    const { at } = this.#cursor;
    const { text, endsLine } = scanPlain(this.#cursor, this.#indent + 1, this.#flowLevel > 0);
    if (endsLine) this.#mayStartKey = true;
    this.#add("scalar", at, text, true);
  }
}
