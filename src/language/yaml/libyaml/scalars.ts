import { ESCAPES } from "../escapes.ts";
import { type Cursor, END, isBreakCode, isGapCode } from "./cursor.ts";
import { YamlProblem } from "./yaml_problem.ts";

const fail = (problem: string, at: number, context: string, start: number) =>
  new YamlProblem("scanner", problem, at, { text: context, at: start });

/** The text that joins lines of a folded text, for the line ends between them. */
function folded(breaks: string): string {
  if (breaks === "\n") return " ";
  return breaks.startsWith("\n") ? breaks.slice(1) : breaks;
}

const TAB = 0x09;
const SPACE = 0x20;
const NUMBER_SIGN = 0x23;
const COLON = 0x3a;
const FLOW_INDICATORS = ",[]{}";

/** For each code of a few characters: 1 if it is always part of an unquoted text. */
const PLAIN = Uint8Array.from({ length: 0x80 }, (_, code) => {
  return isGapCode(code) || code === COLON || (FLOW_INDICATORS + "#").includes(String.fromCharCode(code)) ? 0 : 1;
});

/**
 * Matches an unquoted text outside of flow collections that fills its line, with the margin of the next line, or that ends at a colon. In a
 * new process an expression is faster than a loop, which reads the rest. At most 100 parts are matched: each takes room on the stack.
 */
const LINE =
  /([^ \t\r\n\x85\u2028\u2029:#]+(?:(?:[ \t]+|[:#]+)[^ \t\r\n\x85\u2028\u2029:#]+){0,99})(?:\n( *)(?=[^ \t\r\n\x85\u2028\u2029])|:(?=[ \n]))/y;

/** Match the words of one line: outside of flow collections, and inside. */
const WORDS = /[^ \t\r\n\x85\u2028\u2029:#]+(?:[ \t]+[^ \t\r\n\x85\u2028\u2029:#]+){0,99}/y;
const FLOW_WORDS = /[^ \t\r\n\x85\u2028\u2029:#,[\]{}]+(?:[ \t]+[^ \t\r\n\x85\u2028\u2029:#,[\]{}]+){0,99}/y;

/** Matches a quoted text without escapes, in one line. */
const QUOTED = /'([^'\r\n\x85\u2028\u2029]*)'(?!')|"([^"\\\r\n\x85\u2028\u2029]*)"/y;

/** The offset at which an unquoted text ends in its line, before white space. */
function plainEnd(text: string, from: number, isFlow: boolean): number {
  const { length } = text;
  const words = isFlow ? FLOW_WORDS : WORDS;
  words.lastIndex = from;
  /** The offset after the last character other than white space. */
  let end = words.test(text) ? words.lastIndex : from;
  for (let at = end; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code === SPACE || code === TAB) continue;
    if (code < PLAIN.length ? PLAIN[code] === 0 : isBreakCode(code)) {
      if (code === COLON) {
        const next = at + 1 < length ? text.charCodeAt(at + 1) : END;
        // In a flow collection, a colon also ends the text if an indicator follows it, which is an error later.
        if (isGapCode(next) || isFlow && ",?[]{}".includes(text[at + 1]!)) break;
      } else if (code === NUMBER_SIGN) {
        if (end < at || at === from) break;
      } else if (isFlow || isBreakCode(code)) break;
    }
    end = at + 1;
  }
  return end;
}

/** Reads an unquoted text. */
export function scanPlain(cursor: Cursor, indent: number, isFlow: boolean): string {
  if (!isFlow) {
    LINE.lastIndex = cursor.at;
    const found = LINE.exec(cursor.text);
    if (found !== null) {
      const text = found[1]!;
      const margin = found[2];
      if (margin === undefined) {
        cursor.skip(text.length);
        return text;
      }
      if (margin.length < indent) {
        cursor.at = cursor.afterBreak = LINE.lastIndex;
        cursor.line++;
        cursor.column = margin.length;
        return text;
      }
    }
  }
  const start = cursor.at;
  const context = "while scanning a plain scalar";
  let text = "";
  let gap = "";
  while (!cursor.isDocumentMark()) {
    const from = cursor.at;
    const end = plainEnd(cursor.text, from, isFlow);
    if (end > from) {
      const line = cursor.text.slice(from, end);
      text = text === "" ? line : text + gap + line;
      cursor.skip(end - from);
      cursor.skipBlanks();
    }
    if (isFlow && cursor.code() === COLON && !cursor.isGap(1)) {
      throw fail("found unexpected ':'", cursor.at, context, start);
    }
    if (end === from || !cursor.isBreak()) break;
    gap = folded(passBreaks(cursor, indent, context, start));
    if (!isFlow && cursor.column < indent) break;
  }
  return text;
}

/** Passes line ends and blanks. @returns the line ends */
function passBreaks(cursor: Cursor, indent: number, context: string, start: number): string {
  let breaks = "";
  while (cursor.isBreak()) {
    breaks += cursor.nextLine();
    let blanks = 0;
    for (let code = cursor.code(); code === SPACE || code === TAB; code = cursor.code(++blanks)) {
      if (code === TAB && cursor.column + blanks < indent) {
        throw fail("found a tab character that violates indentation", cursor.at + blanks, context, start);
      }
    }
    cursor.skip(blanks);
  }
  cursor.afterBreak = cursor.at;
  return breaks;
}

const CODES: Record<string, number> = { x: 2, u: 4, U: 8 };

/** The offset at which plain characters end: those of one line, without blanks, quotes and escapes. */
function quotedEnd(text: string, from: number, quote: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote || code === BACKSLASH && quote === DOUBLE || isGapCode(code)) break;
  }
  return at;
}

const DOUBLE = 0x22;
const SINGLE = 0x27;
const BACKSLASH = 0x5c;

export function scanQuoted(cursor: Cursor): string {
  QUOTED.lastIndex = cursor.at;
  const simple = QUOTED.exec(cursor.text);
  if (simple !== null) {
    cursor.skip(simple[0].length);
    return simple[1] ?? simple[2]!;
  }
  const quote = cursor.code();
  const start = cursor.at;
  const context = "while scanning a quoted scalar";
  let text = "";
  cursor.skip(1);
  for (;;) {
    if (cursor.isDocumentMark()) throw fail("found unexpected document indicator", cursor.at, context, start);
    if (cursor.isAtEnd) throw fail("found unexpected end of stream", cursor.at, context, start);
    let continues = false;
    while (!cursor.isGap()) {
      const from = cursor.at;
      cursor.skip(quotedEnd(cursor.text, from, quote) - from);
      if (cursor.at > from) text += cursor.text.slice(from, cursor.at);
      else if (quote === SINGLE && cursor.code(1) === SINGLE) {
        text += "'";
        cursor.skip(2);
      } else if (cursor.code() === quote) break;
      else if (cursor.isBreak(1)) {
        cursor.skip(1);
        cursor.nextLine();
        continues = true;
        break;
      } else text += scanEscape(cursor, start);
    }
    if (cursor.code() === quote) break;
    let breaks = "";
    const blanks = cursor.at;
    while (cursor.isBlank() || cursor.isBreak()) {
      if (cursor.isBreak()) breaks += cursor.nextLine();
      else cursor.skip(1);
    }
    if (breaks !== "") text += continues ? breaks : folded(breaks);
    else if (!continues) text += cursor.text.slice(blanks, cursor.at);
  }
  cursor.skip(1);
  return text;
}

function scanEscape(cursor: Cursor, start: number): string {
  const context = "while parsing a quoted scalar";
  const escape = cursor.peek(1);
  const length = Object.hasOwn(CODES, escape) ? CODES[escape]! : 0;
  if (length === 0 && !Object.hasOwn(ESCAPES, escape)) {
    throw fail("found unknown escape character", cursor.at, context, start);
  }
  cursor.skip(2);
  if (length === 0) return ESCAPES[escape]!;
  const digits = cursor.text.slice(cursor.at, cursor.at + length);
  if (!/^[\da-fA-F]+$/.test(digits) || digits.length < length) {
    throw fail("did not find expected hexdecimal number", cursor.at, context, start);
  }
  const code = Number.parseInt(digits, 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
    throw fail("found invalid Unicode character escape code", cursor.at, context, start);
  }
  cursor.skip(length);
  return String.fromCodePoint(code);
}

/** The header of a block text, after `|` or `>`. */
interface BlockHeader {
  isFolded: boolean;
  chomping: string;
  /** The explicit indentation, in columns relative to the outer collection; 0 if not given. */
  increment: number;
}

const BLOCK = "while scanning a block scalar";

function scanBlockHeader(cursor: Cursor): BlockHeader {
  const start = cursor.at;
  const isFolded = cursor.peek() === ">";
  cursor.skip(1);
  const chomp = () => cursor.peek() === "+" || cursor.peek() === "-" ? takeOne(cursor) : "";
  let chomping = chomp();
  let increment = 0;
  if (/^\d$/.test(cursor.peek())) {
    if (cursor.peek() === "0") throw fail("found an indentation indicator equal to 0", cursor.at, BLOCK, start);
    increment = Number(takeOne(cursor));
    if (chomping === "") chomping = chomp();
  }
  cursor.skipBlanks();
  if (cursor.code() === NUMBER_SIGN) cursor.takeLine();
  if (!cursor.isAtEnd && !cursor.isBreak()) {
    throw fail("did not find expected comment or line break", cursor.at, BLOCK, start);
  }
  cursor.nextLine();
  return { isFolded, chomping, increment };
}

function takeOne(cursor: Cursor): string {
  const character = cursor.peek();
  cursor.skip(1);
  return character;
}

/** Reads a block text after `|` or `>`. @param parent the column of the outer collection, -1 at the top */
export function scanBlock(cursor: Cursor, parent: number): string {
  const start = cursor.at;
  const { isFolded, chomping, increment } = scanBlockHeader(cursor);
  let indent = increment === 0 ? 0 : Math.max(parent, 0) + increment;
  /** Passes empty lines, and finds the indentation if none was given. @returns the line ends */
  const passEmpty = (): string => {
    let deepest = 0;
    for (let ends = "";;) {
      while ((indent === 0 || cursor.column < indent) && cursor.code() === SPACE) cursor.skip(1);
      deepest = Math.max(deepest, cursor.column);
      if ((indent === 0 || cursor.column < indent) && cursor.code() === TAB) {
        throw fail("found a tab character where an indentation space is expected", cursor.at, BLOCK, start);
      }
      if (cursor.isBreak()) {
        ends += cursor.nextLine();
        continue;
      }
      if (indent === 0) indent = Math.max(deepest, parent + 1, 1);
      return ends;
    }
  };
  let text = "";
  /** The end of the previous line, which is folded unless the next line is indented more. */
  let ended = "";
  let empty = passEmpty();
  let wasDeeper = false;
  while (cursor.column === indent && !cursor.isAtEnd) {
    const isDeeper = cursor.isBlank();
    if (isFolded && ended === "\n" && !wasDeeper && !isDeeper) text += empty === "" ? " " : "";
    else text += ended;
    text += empty;
    wasDeeper = isDeeper;
    text += cursor.takeLine();
    ended = cursor.nextLine();
    empty = passEmpty();
  }
  return chomping === "-" ? text : chomping === "+" ? text + ended + empty : text + ended;
}
