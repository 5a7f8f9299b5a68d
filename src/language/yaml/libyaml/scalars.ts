import { ESCAPES } from "../escapes.ts";
import { type Cursor, isGapCode } from "./cursor.ts";
import { YamlProblem } from "./yaml_problem.ts";

const fail = (problem: string, at: number, context: string, start: number) =>
  new YamlProblem("scanner", problem, at, { text: context, at: start });

/** What lines of a folded text are joined with. */
const folded = (breaks: number) => breaks > 1 ? "\n".repeat(breaks - 1) : " ";

/** How many characters from a place on belong to one line of an unquoted text. */
function plainRun(text: string, from: number, isFlow: boolean): number {
  let at = from;
  for (;; at++) {
    const code = text.charCodeAt(at);
    if (isGapCode(code)) break;
    if (code === COLON) {
      const next = text.charCodeAt(at + 1);
      // In a flow collection an indicator behind the colon is an error, and the colon ends the text.
      if (isGapCode(next) || isFlow && ",?[]{}".includes(text[at + 1]!)) break;
    } else if (isFlow && (code === 0x2c || code === 0x5b || code === 0x5d || code === 0x7b || code === 0x7d)) break;
  }
  return at - from;
}

const COLON = 0x3a;

/** Reads an unquoted text. @returns whether it ends behind a line's end */
export function scanPlain(cursor: Cursor, indent: number, isFlow: boolean): { text: string; endsLine: boolean } {
  const start = cursor.at;
  const context = "while scanning a plain scalar";
  let text = "";
  let gap = "";
  let endsLine = false;
  while (!cursor.isDocumentMark() && cursor.peek() !== "#") {
    const from = cursor.at;
    cursor.skip(plainRun(cursor.text, from, isFlow));
    if (isFlow && cursor.peek() === ":" && !cursor.isGap(1)) {
      throw fail("found unexpected ':'", cursor.at, context, start);
    }
    if (cursor.at === from) break;
    text += gap + cursor.text.slice(from, cursor.at);
    endsLine = false;
    if (!cursor.isBlank() && !cursor.isBreak()) break;
    let breaks = 0;
    const blanks = cursor.at;
    while (cursor.isBlank() || cursor.isBreak()) {
      if (cursor.isBreak()) {
        breaks++;
        endsLine = true;
        cursor.nextLine();
      } else {
        if (endsLine && cursor.column < indent && cursor.peek() === "\t") {
          throw fail("found a tab character that violates indentation", cursor.at, context, start);
        }
        cursor.next();
      }
    }
    gap = breaks > 0 ? folded(breaks) : cursor.text.slice(blanks, cursor.at);
    if (!isFlow && cursor.column < indent) break;
  }
  return { text, endsLine };
}

const CODES: Record<string, number> = { x: 2, u: 4, U: 8 };

/** How many characters from a place on stand for themselves, at least one. */
function quotedRun(text: string, from: number, quote: string): number {
  let at = from + 1;
  while (!isGapCode(text.charCodeAt(at)) && text[at] !== quote && text[at] !== "\\") at++;
  return at - from;
}

/** Reads a text in quotes. */
export function scanQuoted(cursor: Cursor): string {
  const quote = cursor.peek();
  const start = cursor.at;
  const context = "while scanning a quoted scalar";
  let text = "";
  cursor.next();
  for (;;) {
    if (cursor.isDocumentMark()) throw fail("found unexpected document indicator", cursor.at, context, start);
    if (cursor.isAtEnd) throw fail("found unexpected end of stream", cursor.at, context, start);
    let continues = false;
    while (!cursor.isGap()) {
      if (quote === "'" && cursor.peek() === "'" && cursor.peek(1) === "'") {
        text += "'";
        cursor.next(2);
      } else if (cursor.peek() === quote) break;
      else if (quote === '"' && cursor.peek() === "\\" && cursor.isBreak(1)) {
        cursor.next();
        cursor.nextLine();
        continues = true;
        break;
      } else if (quote === '"' && cursor.peek() === "\\") text += scanEscape(cursor, start);
      else {
        const run = quotedRun(cursor.text, cursor.at, quote);
        text += cursor.text.slice(cursor.at, cursor.at + run);
        cursor.skip(run);
      }
    }
    if (cursor.peek() === quote) break;
    let breaks = 0;
    const blanks = cursor.at;
    while (cursor.isBlank() || cursor.isBreak()) {
      if (cursor.isBreak()) {
        breaks++;
        cursor.nextLine();
      } else cursor.next();
    }
    if (breaks > 0) text += continues ? "\n".repeat(breaks) : folded(breaks);
    else if (!continues) text += cursor.text.slice(blanks, cursor.at);
  }
  cursor.next();
  return text;
}

function scanEscape(cursor: Cursor, start: number): string {
  const context = "while parsing a quoted scalar";
  const escape = cursor.peek(1);
  const length = Object.hasOwn(CODES, escape) ? CODES[escape]! : 0;
  if (length === 0 && !Object.hasOwn(ESCAPES, escape)) {
    throw fail("found unknown escape character", cursor.at, context, start);
  }
  cursor.next(2);
  if (length === 0) return ESCAPES[escape]!;
  const digits = cursor.text.slice(cursor.at, cursor.at + length);
  if (!/^[\da-fA-F]+$/.test(digits) || digits.length < length) {
    throw fail("did not find expected hexdecimal number", cursor.at, context, start);
  }
  const code = Number.parseInt(digits, 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
    throw fail("found invalid Unicode character escape code", cursor.at, context, start);
  }
  cursor.next(length);
  return String.fromCodePoint(code);
}

/** What stands behind `|` or `>`. */
interface BlockHeader {
  isFolded: boolean;
  chomping: string;
  /** Columns deeper than the collection around it; 0 if it is not said. */
  increment: number;
}

const BLOCK = "while scanning a block scalar";

function scanBlockHeader(cursor: Cursor): BlockHeader {
  const start = cursor.at;
  const isFolded = cursor.peek() === ">";
  cursor.next();
  const chomp = () => cursor.peek() === "+" || cursor.peek() === "-" ? takeOne(cursor) : "";
  let chomping = chomp();
  let increment = 0;
  if (/^\d$/.test(cursor.peek())) {
    if (cursor.peek() === "0") throw fail("found an indentation indicator equal to 0", cursor.at, BLOCK, start);
    increment = Number(takeOne(cursor));
    if (chomping === "") chomping = chomp();
  }
  cursor.take(() => cursor.isBlank());
  if (cursor.peek() === "#") cursor.take(() => !cursor.isBreak());
  if (!cursor.isAtEnd && !cursor.isBreak()) {
    throw fail("did not find expected comment or line break", cursor.at, BLOCK, start);
  }
  cursor.nextLine();
  return { isFolded, chomping, increment };
}

function takeOne(cursor: Cursor): string {
  const character = cursor.peek();
  cursor.next();
  return character;
}

/** Reads a text behind `|` or `>`. @param parent column of the collection around it, -1 at the top */
export function scanBlock(cursor: Cursor, parent: number): string {
  const start = cursor.at;
  const { isFolded, chomping, increment } = scanBlockHeader(cursor);
  let indent = increment === 0 ? 0 : Math.max(parent, 0) + increment;
  /** Passes empty lines, and finds the indentation where none was given. @returns how many they are */
  const passEmpty = (): number => {
    let deepest = 0;
    for (let lines = 0;; lines++) {
      while ((indent === 0 || cursor.column < indent) && cursor.peek() === " ") cursor.next();
      deepest = Math.max(deepest, cursor.column);
      if ((indent === 0 || cursor.column < indent) && cursor.peek() === "\t") {
        throw fail("found a tab character where an indentation space is expected", cursor.at, BLOCK, start);
      }
      if (cursor.isBreak()) {
        cursor.nextLine();
        continue;
      }
      if (indent === 0) indent = Math.max(deepest, parent + 1, 1);
      return lines;
    }
  };
  let text = "";
  /** The end of the line before, which is folded if the next one is no deeper. */
  let ended = "";
  let empty = passEmpty();
  let wasDeeper = false;
  while (cursor.column === indent && !cursor.isAtEnd) {
    const isDeeper = cursor.isBlank();
    if (isFolded && ended === "\n" && !wasDeeper && !isDeeper) text += empty === 0 ? " " : "";
    else text += ended;
    text += "\n".repeat(empty);
    wasDeeper = isDeeper;
    text += cursor.take(() => !cursor.isBreak());
    ended = cursor.isBreak() ? "\n" : "";
    cursor.nextLine();
    empty = passEmpty();
  }
  return chomping === "-" ? text : chomping === "+" ? text + ended + "\n".repeat(empty) : text + ended;
}
