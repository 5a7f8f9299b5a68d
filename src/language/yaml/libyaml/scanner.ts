import { Cursor, END } from "./cursor.ts";
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

/** A token. Its object is reused: it is valid only until the next token is read. */
export interface YamlToken {
  kind: TokenKind;
  at: number;
  /** The text of a scalar, anchor or tag. */
  text: string;
  isPlain: boolean;
}

/** The most characters of a key without `?`. */
const MAX_KEY_CHARACTERS = 1024;

/** A place where a key without `?` may have begun. */
interface SimpleKey {
  isPossible: boolean;
  token: number;
  isRequired: boolean;
  at: number;
  line: number;
  column: number;
}

const noKey = (): SimpleKey => ({ isPossible: false, token: 0, isRequired: false, at: 0, line: 0, column: 0 });

/** Codes of characters. */
const TAB = 0x09;
const SPACE = 0x20;
const QUOTE = 0x22;
const NUMBER_SIGN = 0x23;
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const APOSTROPHE = 0x27;
const STAR = 0x2a;
const COMMA = 0x2c;
const DASH = 0x2d;
const COLON = 0x3a;
const QUESTION_MARK = 0x3f;
const BAR = 0x7c;
const GREATER = 0x3e;
const EXCLAMATION_MARK = 0x21;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** For each character code: 1 if a plain text never, or not always, begins with the character. */
const INDICATORS = Uint8Array.from(
  { length: 0x80 },
  (_, code) => "-?:,[]{}#&*!|>'\"%@`".includes(String.fromCharCode(code)) ? 1 : 0,
);

/** The most nested nodes: the cost of a token grows with the number of open flow collections, and readers of values are recursive. */
export const MAX_NESTING = 500;

const NAME = /[\w-]+/y;
const TAG = /!<?[\w;/?:@&=+$.!~*'()%-]*/y;

function unescapeUri(escaped: string): string {
  const bytes = escaped.split("%").slice(1).map((digits) => Number.parseInt(digits, 16));
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/**
 * The tokens of a YAML document as libyaml finds them. Errors have the place and the words of libyaml's.
 *
 * @see libyaml src/scanner.c
 */
export class Scanner {
  readonly #cursor: Cursor;
  /** Tokens from `#first` to `#end` that were found and not taken; the other objects are reused. */
  readonly #tokens: YamlToken[] = [];
  #first = 0;
  #end = 0;
  /** The number of the next token, from the beginning of the text. */
  #taken = 0;
  /** The next token, once no token can be inserted before it. */
  #next: YamlToken | undefined;
  #isDone = false;
  #indent = -1;
  readonly #indents: number[] = [];
  #mayStartKey = true;
  #flowLevel = 0;
  /** The possible key of each level of flow collections, after one for the block level; objects of ended levels are reused. */
  readonly #keys: SimpleKey[] = [noKey()];
  #possibleKeys = 0;

  constructor(text: string) {
    this.#cursor = new Cursor(text);
    if (this.#cursor.peek() === "\ufeff") this.#cursor.at++;
  }

  peek(): YamlToken {
    return this.#next ??= this.#find();
  }

  next(): YamlToken {
    const token = this.peek();
    if (token.kind !== "end") this.#pass();
    return token;
  }

  /** Takes the next token if it is of a kind. */
  take(kind: TokenKind): boolean {
    if (this.peek().kind !== kind) return false;
    this.#pass();
    return true;
  }

  #pass(): void {
    this.#next = undefined;
    this.#taken++;
    if (++this.#first === this.#end) this.#first = this.#end = 0;
  }

  #find(): YamlToken {
    while (this.#needsMore()) this.#fetch();
    return this.#tokens[this.#first]!;
  }

  #needsMore(): boolean {
    if (this.#isDone) return false;
    if (this.#first === this.#end) return true;
    if (this.#possibleKeys === 0) return false;
    this.#dropStaleKeys();
    for (let level = 0; level <= this.#flowLevel; level++) {
      const key = this.#keys[level]!;
      if (key.isPossible && key.token === this.#taken) return true;
    }
    return false;
  }

  #add(kind: TokenKind, at: number, text = "", isPlain = false): void {
    if (this.#end === this.#tokens.length) {
      this.#tokens.push({ kind, at, text, isPlain });
    } else {
      const token = this.#tokens[this.#end]!;
      token.kind = kind;
      token.at = at;
      token.text = text;
      token.isPlain = isPlain;
    }
    this.#end++;
  }

  #insert(place: number, kind: TokenKind, at: number): void {
    this.#add(kind, at);
    const tokens = this.#tokens;
    const token = tokens[this.#end - 1]!;
    for (let moved = this.#end - 1; moved > place; moved--) tokens[moved] = tokens[moved - 1]!;
    tokens[place] = token;
  }

  #fail(problem: string): YamlProblem {
    return new YamlProblem("scanner", problem, this.#cursor.at);
  }

  #fetch(): void {
    const cursor = this.#cursor;
    this.#passGaps();
    this.#dropStaleKeys();
    this.#unroll(cursor.column);
    const code = cursor.code();
    if (code === END) return this.#fetchEnd();
    if (cursor.column === 0) {
      if (code === PERCENT) return this.#fetchDirective();
      if (cursor.isDocumentMark()) return this.#fetchDocumentMark();
    }
    // Most tokens are words.
    if (code >= INDICATORS.length || INDICATORS[code] === 0 && code !== TAB) return this.#fetchPlain();
    const isFlow = this.#flowLevel > 0;
    switch (code) {
      case OPEN_BRACKET:
        return this.#openFlow("flow-sequence");
      case OPEN_BRACE:
        return this.#openFlow("flow-mapping");
      case CLOSE_BRACKET:
        return this.#closeFlow("flow-sequence-end");
      case CLOSE_BRACE:
        return this.#closeFlow("flow-mapping-end");
      case COMMA:
        return this.#fetchFlowEntry();
      case DASH:
        return cursor.isGap(1) ? this.#fetchEntry() : this.#fetchPlain();
      case QUESTION_MARK:
        return isFlow || cursor.isGap(1) ? this.#fetchKey() : this.#fetchPlain();
      case COLON:
        return isFlow || cursor.isGap(1) ? this.#fetchValue() : this.#fetchPlain();
      case STAR:
        return this.#fetchAnchor("alias");
      case AMPERSAND:
        return this.#fetchAnchor("anchor");
      case EXCLAMATION_MARK:
        return this.#fetchTag();
      case BAR:
      case GREATER:
        if (!isFlow) return this.#fetchBlockScalar();
        break;
      case QUOTE:
      case APOSTROPHE:
        return this.#fetchQuoted();
    }
    const context = { text: "while scanning for the next token", at: cursor.at };
    throw new YamlProblem("scanner", "found character that cannot start any token", cursor.at, context);
  }

  /** Passes white space, comments and ends of lines. */
  #passGaps(): void {
    const cursor = this.#cursor;
    for (;;) {
      const passesTabs = this.#flowLevel > 0 || !this.#mayStartKey;
      let blanks = 0;
      let code = cursor.code();
      while (code === SPACE || passesTabs && code === TAB) code = cursor.code(++blanks);
      if (blanks > 0) cursor.skip(blanks);
      if (code === NUMBER_SIGN) cursor.takeLine();
      if (!cursor.isBreak()) return;
      cursor.nextLine();
      if (this.#flowLevel === 0) this.#mayStartKey = true;
    }
  }

  /** Drops possible keys that can no longer be one: a key without `?` ends in its line, and has at most {@linkcode MAX_KEY_CHARACTERS} characters. */
  #dropStaleKeys(): void {
    if (this.#possibleKeys === 0) return;
    const { line, at } = this.#cursor;
    for (let level = 0; level <= this.#flowLevel; level++) {
      const key = this.#keys[level]!;
      if (key.isPossible && (key.line !== line || key.at + MAX_KEY_CHARACTERS < at)) this.#dropKey(key);
    }
  }

  #dropKey(key = this.#keys[this.#flowLevel]!): void {
    if (!key.isPossible) return;
    if (key.isRequired) {
      const context = { text: "while scanning a simple key", at: key.at };
      throw new YamlProblem("scanner", "could not find expected ':'", this.#cursor.at, context);
    }
    this.#endKey(key);
  }

  #endKey(key: SimpleKey): void {
    key.isPossible = false;
    this.#possibleKeys--;
  }

  /** Notes that a key may begin here. @returns undefined if no key may begin */
  #saveKey(): SimpleKey | undefined {
    if (!this.#mayStartKey) return undefined;
    const key = this.#keys[this.#flowLevel]!;
    this.#dropKey(key);
    const { at, line, column } = this.#cursor;
    key.isPossible = true;
    this.#possibleKeys++;
    key.isRequired = this.#flowLevel === 0 && this.#indent === column;
    key.token = this.#taken + this.#end - this.#first;
    key.at = at;
    key.line = line;
    key.column = column;
    return key;
  }

  #unroll(column: number): void {
    if (this.#flowLevel > 0) return;
    while (this.#indent > column) {
      this.#add("block-end", this.#cursor.at);
      this.#indent = this.#indents.pop()!;
    }
  }

  /** Begins a block collection, if the column is deeper than that of the outer one. */
  #roll(column: number, kind: TokenKind, at: number, place = this.#end): void {
    if (this.#flowLevel > 0 || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    this.#insert(place, kind, at);
  }

  #fetchEnd(): void {
    // The end of the text counts as the beginning of a new line.
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
    cursor.skip(1);
    const name = cursor.take(NAME);
    if (name === "") throw fail("could not find expected directive name");
    if (!cursor.isGap()) throw fail("found unexpected non-alphabetical character");
    if (name !== "YAML" && name !== "TAG") throw fail("found unknown directive name");
    this.#add("directive", context.at, cursor.takeLine());
    // The line end is part of the directive: no key may begin in the next line.
    cursor.nextLine();
  }

  #fetchDocumentMark(): void {
    this.#unroll(-1);
    this.#dropKey();
    this.#mayStartKey = false;
    this.#add(this.#cursor.code() === DASH ? "document-start" : "document-end", this.#cursor.at);
    this.#cursor.skip(3);
  }

  #openFlow(kind: TokenKind): void {
    if (this.#flowLevel >= MAX_NESTING) throw new RangeError("lists and maps are nested too deeply");
    this.#saveKey();
    this.#flowLevel++;
    if (this.#keys.length === this.#flowLevel) this.#keys.push(noKey());
    this.#mayStartKey = true;
    this.#addOne(kind);
  }

  #closeFlow(kind: TokenKind): void {
    this.#dropKey();
    if (this.#flowLevel > 0) this.#flowLevel--;
    this.#mayStartKey = false;
    this.#addOne(kind);
  }

  #addOne(kind: TokenKind): void {
    this.#add(kind, this.#cursor.at);
    this.#cursor.skip(1);
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
    const key = this.#keys[this.#flowLevel]!;
    if (key.isPossible) {
      const place = key.token - this.#taken + this.#first;
      this.#insert(place, "key", key.at);
      this.#roll(key.column, "block-mapping", key.at, place);
      this.#endKey(key);
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
    cursor.skip(1);
    const text = cursor.take(NAME);
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
    let text = cursor.take(TAG);
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
      cursor.skip(1);
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
    const key = this.#saveKey();
    this.#mayStartKey = false;
    const { at } = this.#cursor;
    const text = scanQuoted(this.#cursor);
    this.#addScalar(at, text, false, key);
  }

  #fetchPlain(): void {
    const key = this.#saveKey();
    this.#mayStartKey = false;
    const { at } = this.#cursor;
    const text = scanPlain(this.#cursor, this.#indent + 1, this.#flowLevel > 0);
    if (this.#cursor.afterBreak === this.#cursor.at) this.#mayStartKey = true;
    this.#addScalar(at, text, true, key);
  }

  /** Adds a scalar; if a colon follows directly, the scalar becomes a key at once, as it would when the colon is read. */
  #addScalar(at: number, text: string, isPlain: boolean, key: SimpleKey | undefined): void {
    const cursor = this.#cursor;
    const isKey = key !== undefined && this.#flowLevel === 0 && cursor.code() === COLON && cursor.isGap(1) &&
      key.line === cursor.line && key.at + MAX_KEY_CHARACTERS >= cursor.at;
    if (!isKey) return this.#add("scalar", at, text, isPlain);
    this.#endKey(key);
    this.#roll(key.column, "block-mapping", at);
    this.#add("key", at);
    this.#add("scalar", at, text, isPlain);
    this.#addOne("value");
  }
}
