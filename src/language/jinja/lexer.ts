import { integerOf, repr, toFloat, toInteger } from "../python/values.ts";
import { WHITESPACE } from "../python/text.ts";
import { TemplateSyntaxError } from "./errors.ts";
import type { JinjaOptions } from "./options.ts";
import { unescapeString } from "./string_literal.ts";

/**
 * A piece of a template. `type` is `data`, `name`, `string`, `integer`, `float`, an operator, one of Jinja2's brackets, or `error`: what
 * comes here is no token, and `value` is the error.
 */
export interface JinjaToken {
  type: string;
  /** The text of data, names, operators; the value of strings and numbers. */
  value: unknown;
  line: number;
}

const SPACE = new RegExp(`[${WHITESPACE}]+`, "y");
const FLOAT = /(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/iy;
const INTEGER = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iy;
const NAME = /[\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Lm}]+/uy;
const IDENTIFIER = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}]*$/u;
const STRING = /'[^'\\]*(?:\\[^][^'\\]*)*'|"[^"\\]*(?:\\[^][^"\\]*)*"/y;
const OPERATOR = /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}><=.:|,;]/y;

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

const escape = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

interface Rules {
  /** The next delimiter in template data: groups `raw`, `block`, `variable`, `comment`, `lineComment`, `lineStatement`, `sign`. */
  open: RegExp;
  rawEnd: RegExp;
  commentEnd: RegExp;
  blockEnd: RegExp;
  variableEnd: RegExp;
}

const KNOWN = new WeakMap<JinjaOptions, Rules>();

function rulesOf(options: JinjaOptions): Rules {
  const known = KNOWN.get(options);
  if (known !== undefined) return known;
  const blockStart = escape(options.block_start_string);
  const blockEnd = escape(options.block_end_string);
  const variableEnd = escape(options.variable_end_string);
  const commentEnd = escape(options.comment_end_string);
  const trimmed = options.trim_blocks ? "\\n?" : "";
  const space = `[${WHITESPACE}]*`;
  const inLine = "[ \\t\\v]*";
  const { line_statement_prefix, line_comment_prefix } = options;
  const starts: [string, string, string][] = [
    ["comment", options.comment_start_string, escape(options.comment_start_string)],
    ["block", options.block_start_string, blockStart],
    ["variable", options.variable_start_string, escape(options.variable_start_string)],
  ];
  if (line_statement_prefix) {
    starts.push(["lineStatement", line_statement_prefix, `(?<=^|\\n)${inLine}${escape(line_statement_prefix)}`]);
  }
  if (line_comment_prefix) {
    starts.push(["lineComment", line_comment_prefix, `(?<=(?:^|\\n|\\S))[^\\S\\r\\n]*${escape(line_comment_prefix)}`]);
  }
  // Longer delimiters come first, since a delimiter may be the beginning of another one.
  starts.sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? 1 : -1));
  const raw = `(?<raw>${blockStart}(?<rawSign>[-+]?)${space}raw${space}(?:-${blockEnd}${space}|${blockEnd}))`;
  const opens = starts.map(([name, , pattern]) => `(?<${name}>${pattern})`).join("|");
  const rules: Rules = {
    open: new RegExp(`${raw}|(?:${opens})(?<sign>[-+]?)`, "g"),
    rawEnd: new RegExp(
      `${blockStart}(?<sign>[-+]?)${space}endraw${space}(?:\\+${blockEnd}|-${blockEnd}${space}|${blockEnd}${trimmed})`,
      "g",
    ),
    commentEnd: new RegExp(`\\+${commentEnd}|-${commentEnd}${space}|${commentEnd}${trimmed}`, "g"),
    blockEnd: new RegExp(`\\+${blockEnd}|-${blockEnd}${space}|${blockEnd}${trimmed}`, "y"),
    variableEnd: new RegExp(`-${variableEnd}${space}|${variableEnd}`, "y"),
  };
  KNOWN.set(options, rules);
  return rules;
}

const LINE_END = new RegExp(`[${WHITESPACE}]*?(?:\\n|$)`, "y");
const TRAILING_SPACE = new RegExp(`[${WHITESPACE}]+$`);
const ONLY_SPACE = new RegExp(`^[${WHITESPACE}]+$`);

/**
 * Splits a template into tokens, as Jinja2 does; comments and blanks within tags are left out. A text that cannot be split ends in an
 * error for the reader that comes so far: one that finds fault with an earlier token says that instead.
 */
export function tokenize(source: string, options: JinjaOptions): JinjaToken[] {
  return new Lexer(source, options).run();
}

class Lexer {
  readonly #options: JinjaOptions;
  readonly #rules: Rules;
  readonly #source: string;
  readonly #tokens: JinjaToken[] = [];
  readonly #balance: string[] = [];
  #at = 0;
  #line = 1;
  /** True if the last piece ended in a line feed. */
  #atLineStart = true;

  constructor(source: string, options: JinjaOptions) {
    this.#options = options;
    this.#rules = rulesOf(options);
    const text = source.includes("\r") ? source.replace(/\r\n?/g, "\n") : source;
    this.#source = options.keep_trailing_newline || !text.endsWith("\n") ? text : text.slice(0, -1);
  }

  run(): JinjaToken[] {
    try {
      while (this.#at < this.#source.length) this.#data();
    } catch (error) {
      if (!(error instanceof TemplateSyntaxError)) throw error;
      this.#push("error", error);
    }
    return this.#tokens;
  }

  #push(type: string, value: unknown): void {
    this.#tokens.push({ type, value, line: this.#line });
  }

  /** Moves forward to a place, counting lines. */
  #advance(to: number): void {
    for (let at = this.#source.indexOf("\n", this.#at); at >= 0 && at < to; at = this.#source.indexOf("\n", at + 1)) {
      this.#line++;
    }
    if (to > this.#at) this.#atLineStart = this.#source[to - 1] === "\n";
    this.#at = to;
  }

  #text(text: string): void {
    if (text === "") return;
    const { newline_sequence } = this.#options;
    this.#push("data", newline_sequence === "\n" ? text : text.replaceAll("\n", newline_sequence));
  }

  /** Reads template data up to the next tag, and that tag. */
  #data(): void {
    const { open } = this.#rules;
    open.lastIndex = this.#at;
    const found = open.exec(this.#source);
    if (found === null) {
      this.#text(this.#source.slice(this.#at));
      this.#at = this.#source.length;
      return;
    }
    const groups = found.groups!;
    const sign = groups.rawSign ?? groups.sign ?? "";
    this.#text(this.#stripped(this.#source.slice(this.#at, found.index), sign, groups.variable !== undefined));
    this.#advance(found.index);
    const end = found.index + found[0].length;
    if (groups.raw !== undefined) this.#raw(end);
    else if (groups.comment !== undefined) this.#comment(end);
    else if (groups.variable !== undefined) this.#tag("variable", end);
    else if (groups.block !== undefined) this.#tag("block", end);
    else if (groups.lineStatement !== undefined) this.#tag("line", end);
    else this.#lineComment(end);
  }

  /** The data before a tag, without the blanks that the tag's sign or `lstrip_blocks` removes. */
  #stripped(text: string, sign: string, isVariable: boolean): string {
    if (sign === "-") return text.replace(TRAILING_SPACE, "");
    if (sign === "+" || !this.#options.lstrip_blocks || isVariable) return text;
    const lineStart = text.lastIndexOf("\n") + 1;
    if (lineStart === 0 && !this.#atLineStart) return text;
    return ONLY_SPACE.test(text.slice(lineStart)) ? text.slice(0, lineStart) : text;
  }

  #raw(start: number): void {
    this.#advance(start);
    const { rawEnd } = this.#rules;
    rawEnd.lastIndex = start;
    const end = rawEnd.exec(this.#source);
    // Jinja2 reads the end of the template as the end of an empty block.
    if (end === null && start === this.#source.length) return;
    if (end === null) throw new TemplateSyntaxError("Missing end of raw directive", this.#line);
    this.#text(this.#stripped(this.#source.slice(start, end.index), end.groups!.sign ?? "", false));
    this.#advance(end.index + end[0].length);
  }

  #comment(start: number): void {
    this.#advance(start);
    const { commentEnd } = this.#rules;
    commentEnd.lastIndex = start;
    const end = commentEnd.exec(this.#source);
    if (end === null) {
      if (start >= this.#source.length) return;
      throw new TemplateSyntaxError("Missing end of comment tag", this.#line);
    }
    this.#advance(end.index + end[0].length);
  }

  #lineComment(start: number): void {
    const end = this.#source.indexOf("\n", start);
    this.#advance(end < 0 ? this.#source.length : end);
  }

  /** Reads a tag, from after its opening to its end. */
  #tag(kind: "variable" | "block" | "line", start: number): void {
    const bracket = kind === "variable" ? "variable" : "block";
    this.#push(`${bracket}_begin`, "");
    this.#advance(start);
    const end = kind === "variable" ? this.#rules.variableEnd : kind === "block" ? this.#rules.blockEnd : LINE_END;
    while (this.#at < this.#source.length || kind === "line") {
      if (this.#balance.length === 0) {
        end.lastIndex = this.#at;
        const found = end.exec(this.#source);
        if (found !== null) {
          this.#push(`${bracket}_end`, found[0]);
          this.#advance(this.#at + found[0].length);
          return;
        }
      }
      if (this.#at >= this.#source.length) return;
      this.#piece();
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#source)?.[0];
  }

  /** Reads one token within a tag. */
  #piece(): void {
    const text = this.#match(SPACE) ?? this.#number() ?? this.#name() ?? this.#string() ?? this.#operator();
    if (text === undefined) {
      const [character = ""] = this.#source.slice(this.#at, this.#at + 2);
      const at = Array.from(this.#source.slice(0, this.#at)).length;
      throw new TemplateSyntaxError(`unexpected char ${repr(character)} at ${at}`, this.#line);
    }
    this.#advance(this.#at + text.length);
  }

  #number(): string | undefined {
    const real = this.#source[this.#at - 1] === "." ? undefined : this.#match(FLOAT);
    if (real !== undefined) {
      this.#push("float", toFloat(Number(real.replaceAll("_", ""))));
      return real;
    }
    const integer = this.#match(INTEGER);
    if (integer !== undefined) {
      const digits = integer.replaceAll("_", "");
      this.#push("integer", digits.length < 15 ? Number(digits) : toInteger(integerOf(digits)));
    }
    return integer;
  }

  #name(): string | undefined {
    const name = this.#match(NAME);
    if (name === undefined) return undefined;
    if (!IDENTIFIER.test(name)) throw new TemplateSyntaxError("Invalid character in identifier", this.#line);
    this.#push("name", name);
    return name;
  }

  #string(): string | undefined {
    const literal = this.#match(STRING);
    if (literal !== undefined) this.#push("string", unescapeString(literal.slice(1, -1), this.#line));
    return literal;
  }

  #operator(): string | undefined {
    const operator = this.#match(OPERATOR);
    if (operator === undefined) return undefined;
    if (operator in CLOSING) this.#balance.push(CLOSING[operator]!);
    else if (operator === "}" || operator === ")" || operator === "]") {
      const expected = this.#balance.pop();
      if (expected === undefined) throw new TemplateSyntaxError(`unexpected '${operator}'`, this.#line);
      if (expected !== operator) {
        throw new TemplateSyntaxError(`unexpected '${operator}', expected '${expected}'`, this.#line);
      }
    }
    this.#push(operator, operator);
    return operator;
  }
}
