import { compileLinear, type LinearMatch } from "./linear.ts";
import { compileMatcher, type Matcher } from "./matcher.ts";
import type { Steps } from "./steps.ts";
import { WHITESPACE } from "./text.ts";

/** Flags of Python's `re` that change how a pattern reads; `a`, `i`, `m`, `s` and `x` as in `(?aimsx)`. */
export interface RegexpFlags {
  /** Limits `\w`, `\d`, `\s`, `\b` and the case of letters to ASCII. */
  a?: boolean;
  i?: boolean;
  m?: boolean;
  s?: boolean;
  x?: boolean;
  /**
   * Pattern and text are bytes, one character for each. As in Python, `\w` and similar classes are then limited to ASCII, and `\u`, `\N` and
   * `(?u)` are errors.
   */
  bytes?: boolean;
}

// V8 also tries positions between the two halves of a character beyond U+FFFF, where a lookbehind finds no character.
const WHOLE_CHARACTER = "(?=[^]|$)";

/** Maximum nesting of groups. */
const MAX_DEPTH = 100;
/** A pattern longer than this is refused. */
const MAX_PATTERN = 65_536;

/** The shorthands, as written inside brackets. */
interface Shorthands {
  d: string;
  w: string;
  s: string;
}
const UNICODE: Shorthands = { d: "\\p{Nd}", w: "\\p{L}\\p{N}_", s: WHITESPACE };
const ASCII: Shorthands = { d: "0-9", w: "a-zA-Z0-9_", s: "\\t-\\r " };
const CONTROLS: Record<string, number> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const ASSERTIONS: Record<string, (word: string) => string> = {
  A: () => "(?<![^])",
  Z: () => "(?![^])",
  b: (word) => `(?:(?<=[${word}])(?![${word}])|(?<![${word}])(?=[${word}]))`,
  // Before Python 3.14 `\B` does not match in an empty text.
  B: (word) => `(?!(?<![^])(?![^]))(?:(?<=[${word}])(?=[${word}])|(?<![${word}])(?![${word}]))`,
};

/**
 * Translates a Python regular expression to a JavaScript one with the flags `u`, and `i` if it ignores case.
 *
 * Named groups, `\A`, `\Z`, inline flags, verbose patterns, possessive quantifiers and atomic groups are translated;
 * conditional groups are not. Groups keep their numbers in a pattern without atomic parts; unnamed ones get the names
 * `group1_`, `group2_`, …
 *
 * @throws {SyntaxError} if the pattern is invalid in Python, or has no counterpart in JavaScript
 */
export function translateRegexp(pattern: string, flags: RegexpFlags = {}): RegExp {
  const { source, ignoreCase } = translate(pattern, flags);
  return new RegExp(source.includes("(?<!") ? `${WHOLE_CHARACTER}(?:${source})` : source, ignoreCase ? "ui" : "u");
}

/**
 * Compiles a Python regular expression to a test that, like `re.match`, is anchored at the start of the text but not
 * at its end. Its time grows with text × pattern for every pattern, because patterns and texts come from other machines.
 *
 * @param steps limit of all matches together
 * @throws {SyntaxError} if the pattern is invalid in Python, or cannot be matched in that time: it has a backreference, an
 *   atomic group or a possessive quantifier ({@link RefusedPatternError}). The test throws {CostError} for a text that takes too many steps
 */
export function compilePattern(pattern: string, flags: RegexpFlags = {}, steps?: Steps): LinearMatch {
  const { source, ignoreCase } = translate(pattern, flags);
  return compileLinear(source, ignoreCase, pattern, { steps });
}

/** As {@link compilePattern}, but a match may begin anywhere, as with `re.search`. */
export function compileFinder(pattern: string, flags: RegexpFlags = {}): LinearMatch {
  const { source, ignoreCase } = translate(pattern, flags);
  return compileLinear(source, ignoreCase, pattern, { anywhere: true });
}

/**
 * Compiles a Python regular expression to a {@link Matcher}, which finds matches with their groups within a limit of steps.
 *
 * @throws {SyntaxError} if the pattern is invalid in Python, or too large ({@link RefusedPatternError})
 */
export function compileGroups(pattern: string, flags: RegexpFlags = {}): Matcher {
  const { source, ignoreCase } = translate(pattern, flags);
  return compileMatcher(source, ignoreCase, pattern);
}

/**
 * The pattern that matches a text only as a whole, as Python's `re.fullmatch`. Flags at its start stay there: Python takes them
 * nowhere else.
 */
export function wholePattern(pattern: string): string {
  const [flags = ""] = /^\(\?[aiLmsux]+\)/.exec(pattern) ?? [];
  // The end of a verbose pattern may be a comment.
  const end = flags.includes("x") ? "\n" : "";
  return `${flags}(?:${pattern.slice(flags.length)}${end})\\Z`;
}

interface Translation {
  source: string;
  ignoreCase: boolean;
}

function translate(pattern: string, flags: RegexpFlags): Translation {
  if (pattern.length > MAX_PATTERN) throw new SyntaxError("The regular expression is too long");
  return new Translator(pattern, flags).run();
}

interface Group {
  /** Index in the output where its translation begins. */
  start: number;
  close: string;
  /** Name in JavaScript, if it captures. */
  name: string | undefined;
  flags: RegexpFlags;
}

class Translator {
  readonly #pattern: string;
  readonly #out: string[] = [];
  readonly #groups: Group[] = [];
  /** JavaScript name of each capturing group, by its Python number: atomic groups shift the numbers in JavaScript. */
  readonly #groupNames: string[] = [];
  readonly #named = new Set<string>();
  #atomics = 0;
  #at = 0;
  #flags: RegexpFlags;
  /** True if the flag `a` was passed as an option, not in the pattern. */
  readonly #ascii: boolean;
  /** Index in the output of the last item, the one a quantifier would repeat; -1 if there is none. */
  #item = -1;

  constructor(pattern: string, flags: RegexpFlags) {
    this.#pattern = pattern;
    this.#flags = flags.bytes ? { ...flags, a: true } : flags;
    this.#ascii = flags.a === true;
  }

  run(): Translation {
    while (this.#at < this.#pattern.length) this.#next();
    if (this.#groups.length > 0) throw this.#error("Missing ), unterminated subpattern");
    return { source: this.#out.join(""), ignoreCase: folds(this.#flags) };
  }

  #error(message: string): SyntaxError {
    return new SyntaxError(`${message} at position ${this.#at} of ${JSON.stringify(this.#pattern)}`);
  }

  #take(): string {
    const character = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0);
    this.#at += character.length;
    return character;
  }

  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#pattern);
    if (match !== null) this.#at += match[0].length;
    return match;
  }

  #push(text: string): void {
    this.#item = this.#out.length;
    this.#out.push(text);
  }

  #assertion(text: string): void {
    this.#item = -1;
    this.#out.push(text);
  }

  #next(): void {
    if (this.#flags.x && this.#match(/(?:[ \t-\r]+|#[^\n]*)/y)) return;
    const start = this.#at;
    const character = this.#take();
    switch (character) {
      case "(":
        return this.#open();
      case ")":
        return this.#closeGroup();
      case "|":
        return this.#assertion("|");
      case "[":
        return this.#push(this.#set());
      case "\\":
        return this.#escape();
      case ".":
        return this.#push(this.#flags.s ? "[^]" : "[^\\n]");
      case "^":
        return this.#assertion(this.#flags.m ? "(?<![^\\n])" : "(?<![^])");
      case "$":
        return this.#assertion(this.#flags.m ? "(?![^\\n])" : "(?!\\n[^]|[^\\n])");
      case "*":
      case "+":
      case "?":
      case "{":
        this.#at = start;
        return this.#quantifier();
    }
    this.#push(this.#literal(character.codePointAt(0)!));
  }

  /** Writes one character; in both cases if only the case of ASCII letters is ignored. */
  #literal(code: number): string {
    const character = String.fromCodePoint(code);
    if (!this.#flags.a || !this.#flags.i || !/^[A-Za-z]$/.test(character)) return literal(code);
    return `[${character.toUpperCase()}${character.toLowerCase()}]`;
  }

  #shorthands(): Shorthands {
    return this.#flags.a ? ASCII : UNICODE;
  }

  #quantifier(): void {
    const match = this.#match(/(?:([*+?])|\{(\d*)(,?)(\d*)\})([?+])?/y);
    // In Python a brace that starts no quantifier is a literal.
    if (match === null || (match[1] === undefined && match[2] === "" && match[3] === "")) {
      if (match !== null) this.#at -= match[0].length;
      return this.#push(this.#literal(this.#take().codePointAt(0)!));
    }
    if (this.#item < 0) throw this.#error("Nothing to repeat, or multiple repeat");
    const [, simple, low = "", comma = "", high = "", suffix] = match;
    if (simple === undefined && high !== "" && Number(low) > Number(high)) {
      throw this.#error("Min repeat greater than max repeat");
    }
    const text = simple ?? `{${low || "0"}${comma}${high}}`;
    this.#out.push(text);
    if (suffix === "?") this.#out.push("?");
    if (suffix === "+") this.#atomic(this.#item);
    this.#item = -1;
  }

  /** Makes everything from output index `start` on atomic: a lookahead captures it, and a backreference matches it whole. */
  #atomic(start: number): void {
    const inner = this.#out.splice(start).join("");
    const name = `atomic${++this.#atomics}_`;
    this.#out.push(`(?=(?<${name}>${inner}))\\k<${name}>`);
  }

  #open(): void {
    if (this.#groups.length >= MAX_DEPTH) throw this.#error(`More than ${MAX_DEPTH} nested groups`);
    let close = ")";
    let opening = "(?:";
    let flags = this.#flags;
    const extension = this.#match(
      /\?(?:(:)|(=)|(!)|(<=)|(<!)|(>)|P<([^>]*)>|P=([^)]*)\)|#[^)]*\)|([aiLmsux]*)(?:-([imsx]+))?(:|\)))/y,
    );
    if (extension === null) {
      if (this.#pattern[this.#at] === "?") throw this.#error("Unknown or unsupported extension");
      const own = `group${this.#groupNames.length + 1}_`;
      this.#groupNames.push(own);
      this.#named.add(own);
      opening = `(?<group${this.#groupNames.length}_>`;
    } else {
      const [whole, , ahead, notAhead, behind, notBehind, atomic, name, reference, on, off = "", end] = extension;
      if (whole.startsWith("?#")) return;
      if (reference !== undefined) return this.#push(this.#referTo(reference));
      if (ahead) opening = "(?=";
      if (notAhead) opening = "(?!";
      if (behind) opening = "(?<=";
      if (notBehind) opening = "(?<!";
      if (atomic) close = "atomic";
      if (name !== undefined) opening = this.#name(name);
      if (on !== undefined) {
        flags = this.#change(on, off, end === ")");
        if (folds(flags) !== folds(this.#flags)) opening = folds(flags) ? "(?i:" : "(?-i:";
        if (end === ")") {
          this.#flags = flags;
          return;
        }
      }
    }
    const captures = extension === null || extension[7] !== undefined;
    const name = captures ? this.#groupNames[this.#groupNames.length - 1] : undefined;
    this.#groups.push({ start: this.#out.length, close, name, flags: this.#flags });
    this.#flags = flags;
    this.#item = -1;
    this.#out.push(close === "atomic" ? "" : opening);
  }

  #name(name: string): string {
    if (!/^[\p{L}\p{Nl}_][\p{L}\p{N}_]*$/u.test(name) || this.#named.has(name)) {
      throw this.#error(`Bad or repeated group name ${JSON.stringify(name)}`);
    }
    this.#groupNames.push(name);
    this.#named.add(name);
    return `(?<${name}>`;
  }

  #referTo(name: string): string {
    if (!this.#named.has(name) || this.#groups.some((group) => group.name === name)) {
      throw this.#error(`Unknown or open group name ${JSON.stringify(name)}`);
    }
    return this.#reference(name);
  }

  #reference(name: string): string {
    return this.#flags.a && this.#flags.i ? `(?i:\\k<${name}>)` : `\\k<${name}>`;
  }

  #change(on: string, off: string, global: boolean): RegexpFlags {
    if (global && (off !== "" || on === "")) throw this.#error("Missing :");
    // Python requires global flags at the start of the pattern; until 3.10 it only warned.
    if (global && this.#out.length > 0) throw this.#error("Global flags not at the start of the expression");
    const flags = { ...this.#flags };
    const kinds = new Set(global && this.#ascii ? `${on}a` : on).intersection(new Set("aLu"));
    if (kinds.size > 1) throw this.#error("Flags a, L and u are incompatible");
    if (on.includes("u") && flags.bytes) throw this.#error("Cannot use the flag u with a bytes pattern");
    if (on.includes("L") && !flags.bytes) throw this.#error("Cannot use the flag L with a str pattern");
    if (on.includes("a")) flags.a = true;
    if (on.includes("u")) flags.a = false;
    for (const [letters, value] of [[on, true], [off, false]] as const) {
      for (const flag of letters) {
        if (flag === "i" || flag === "m" || flag === "s" || flag === "x") flags[flag] = value;
      }
    }
    return flags;
  }

  #closeGroup(): void {
    const group = this.#groups.pop();
    if (group === undefined) throw this.#error("Unbalanced parenthesis");
    this.#flags = group.flags;
    if (group.close === "atomic") this.#atomic(group.start);
    else this.#out.push(")");
    // A repeated group is repeated as one item of the output.
    const text = this.#out.splice(group.start).join("");
    // JavaScript cannot repeat a lookaround, and a quantifier after an atomic group's two parts would repeat only the last.
    const bare = group.close === "atomic" || /^\(\?<?[=!]/.test(text);
    this.#push(bare ? `(?:${text})` : text);
  }

  #escape(): void {
    if (this.#at >= this.#pattern.length) throw this.#error("Bad escape (end of pattern)");
    const reference = this.#match(/(?![0-7]{3})[1-9]\d?/y);
    if (reference !== null) {
      const name = this.#groupNames[Number(reference[0]) - 1];
      // A group cannot be referred to before its end.
      if (name === undefined || this.#groups.some((group) => group.name === name)) {
        throw this.#error("Invalid group reference");
      }
      return this.#push(this.#reference(name));
    }
    const next = this.#pattern[this.#at] ?? "";
    const assertion = ASSERTIONS[next];
    if (assertion !== undefined) {
      this.#at++;
      return this.#assertion(assertion(this.#shorthands().w));
    }
    const shorthand = this.#shorthand(next);
    if (shorthand !== undefined) {
      this.#at++;
      return this.#push(next === next.toLowerCase() ? `[${shorthand}]` : `[^${shorthand}]`);
    }
    this.#push(this.#literal(this.#characterEscape()));
  }

  /** The members of `\w` and similar classes, for use inside brackets; undefined for another letter. */
  #shorthand(letter: string): string | undefined {
    const lower = letter.toLowerCase();
    return lower === "d" || lower === "w" || lower === "s" ? this.#shorthands()[lower] : undefined;
  }

  /** Reads an escape for one character, after its backslash. @returns its code */
  #characterEscape(): number {
    const code = this.#match(
      this.#flags.bytes ? /x([0-9a-fA-F]{2})/y : /x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})/y,
    );
    if (code !== null) {
      const value = parseInt(code[1] ?? code[2] ?? code[3] ?? "", 16);
      if (value > 0x10ffff) throw this.#error("Bad escape");
      return value;
    }
    const octal = this.#match(/0[0-7]{0,2}|[1-7][0-7]{2}/y);
    if (octal !== null) {
      const value = parseInt(octal[0], 8);
      if (value > 0xff) throw this.#error("Octal escape value outside of range 0-0o377");
      return value;
    }
    const character = this.#take();
    const control = CONTROLS[character];
    if (control !== undefined) return control;
    if (/[A-Za-z0-9]/.test(character)) throw this.#error(`Bad escape \\${character}`);
    return character.codePointAt(0)!;
  }

  #set(): string {
    const negated = this.#match(/\^/y) !== null;
    const positive: string[] = [];
    const outside: string[] = [];
    for (let first = true;; first = false) {
      if (this.#at >= this.#pattern.length) throw this.#error("Unterminated character set");
      if (!first && this.#match(/\]/y)) break;
      const low = this.#member(outside);
      if (this.#match(/-(?!\])/y)) {
        if (this.#at >= this.#pattern.length) throw this.#error("Unterminated character set");
        const high = this.#member(outside);
        if (typeof low !== "number" || typeof high !== "number" || low > high) throw this.#error("Bad character range");
        positive.push(this.#range(low, high));
      } else if (typeof low === "number") positive.push(this.#range(low, low));
      else if (low !== undefined) positive.push(low);
    }
    const inside = `[${negated && outside.length === 0 ? "^" : ""}${positive.join("")}]`;
    if (outside.length === 0) return inside;
    // A JavaScript set cannot contain the complement of a class, so it becomes a choice: in the set, or outside a class.
    const union = `(?:${[inside, ...outside].join("|")})`;
    return negated ? `(?:(?!${union})[^])` : union;
  }

  /** A range of characters as written inside brackets, with the other case of its ASCII letters where only that is ignored. */
  #range(low: number, high: number): string {
    const from = (start: number, end: number) =>
      start > end ? "" : start === end ? setLiteral(start) : `${setLiteral(start)}-${setLiteral(end)}`;
    if (!this.#flags.a || !this.#flags.i) return from(low, high);
    const shift = (first: string, last: string, by: number) =>
      from(Math.max(low, first.charCodeAt(0)) + by, Math.min(high, last.charCodeAt(0)) + by);
    return from(low, high) + shift("A", "Z", 0x20) + shift("a", "z", -0x20);
  }

  /** Reads one member of a set: a code, or a shorthand; undefined if it was a negated shorthand, which is added to `outside`. */
  #member(outside: string[]): number | string | undefined {
    const character = this.#take();
    if (character !== "\\") return character.codePointAt(0)!;
    const next = this.#pattern[this.#at] ?? "";
    const shorthand = this.#shorthand(next);
    if (shorthand !== undefined) {
      this.#at++;
      if (next === next.toLowerCase()) return shorthand;
      outside.push(`[^${shorthand}]`);
      return undefined;
    }
    if (next === "b") {
      this.#at++;
      return 8;
    }
    return this.#characterEscape();
  }
}

/** True if the case of all letters is ignored, as JavaScript's flag `i` does it. */
function folds({ a, i }: RegexpFlags): boolean {
  return i === true && !a;
}

const isPlain = (code: number) => code > 0x20 && code < 0x7f;

function literal(code: number): string {
  if (!isPlain(code)) return escaped(code);
  const character = String.fromCharCode(code);
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}

function setLiteral(code: number): string {
  if (!isPlain(code)) return escaped(code);
  const character = String.fromCharCode(code);
  return /[\\^[\]-]/.test(character) ? `\\${character}` : character;
}

const escaped = (code: number) => `\\u{${code.toString(16)}}`;
