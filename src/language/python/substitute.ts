import type { Match, Matcher } from "./matcher.ts";
import { type RegexpFlags, translateRegexp } from "./regexp.ts";
import { repr } from "./values.ts";

/** A reference to a group, by number or name, and the error where there is no such group. */
interface Reference {
  group: string;
  missing(): Error;
}

/** A piece of a replacement. */
type Piece = string | Reference;

const ESCAPES: Record<string, string> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};

/**
 * Compiles a Python regular expression for searches: it is not anchored, and finds one match after the other.
 *
 * @throws {SyntaxError} if the pattern is invalid in Python, or has no counterpart in JavaScript
 */
export function compileSearch(pattern: string, flags: RegexpFlags = {}): RegExp {
  const { source, flags: own } = translateRegexp(pattern, flags);
  return new RegExp(source, `${own}g`);
}

/** A reference or escape of a template: `\g<name>`, an octal one, the number of a group, or any other character. */
const REFERENCE = /\\(?:g(?:<([^>]*)(>)?)?|(0[0-7]{0,2}|[1-7][0-7]{2})|([1-9]\d?)|([^])|$)/gu;

/** An error of Python's `re`, whose place in the text is counted in characters. */
function templateError(message: string, template: string, at: number): SyntaxError {
  const before = Array.from(template.slice(0, at));
  const line = before.filter((character) => character === "\n").length + 1;
  const place = template.includes("\n") ? ` (line ${line}, column ${before.length - before.lastIndexOf("\n")})` : "";
  return new SyntaxError(`${message} at position ${before.length}${place}`);
}

/**
 * The pieces of a template. What is wrong in it stands last, as a reference to no group, so that the first mistake is the one that is told.
 *
 * @see re/_parser.py parse_template
 */
function piecesOf(template: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of template.matchAll(REFERENCE)) {
    pieces.push(template.slice(end, match.index));
    end = match.index + match[0].length;
    const piece = pieceOf(match, (message, after) => templateError(message, template, match.index + after));
    if (piece instanceof Error) return [...pieces, { group: "\\", missing: () => piece }];
    pieces.push(piece);
  }
  return [...pieces, template.slice(end)];
}

function pieceOf(
  [whole, named, closed, octal, numbered, escaped]: RegExpExecArray,
  failed: (message: string, after: number) => Error,
): Piece | Error {
  if (octal !== undefined) {
    const code = parseInt(octal, 8);
    return code > 0o377 ? failed(`octal escape value ${whole} outside of range 0-0o377`, 0) : String.fromCharCode(code);
  }
  if (numbered !== undefined) {
    return {
      group: numbered,
      missing: () => failed(`invalid group reference ${numbered}`, 1),
    };
  }
  if (named === "") return failed("missing group name", 3);
  if (named !== undefined) {
    if (closed === undefined) return failed("missing >, unterminated name", 3);
    if (/^\d+$/.test(named)) {
      return { group: named, missing: () => failed(`invalid group reference ${Number(named)}`, 3) };
    }
    if (!/^[\p{L}\p{Nl}_][\p{L}\p{N}\p{M}_]*$/u.test(named)) {
      return failed(`bad character in group name ${repr(named)}`, 3);
    }
    return { group: named, missing: () => new RangeError(`unknown group name ${repr(named)}`) };
  }
  if (whole === "\\g") return failed("missing <", 2);
  if (escaped === undefined) return failed("bad escape (end of pattern)", 0);
  if (Object.hasOwn(ESCAPES, escaped)) return ESCAPES[escaped]!;
  return /[A-Za-z]/.test(escaped) ? failed(`bad escape ${whole}`, 0) : whole;
}

/**
 * Replaces the matches of an expression: `re.subn`. In the template `\1`, `\g<1>` and `\g<name>` stand for groups. As in
 * Python `\0` is an octal escape, and `\g<0>` the whole match.
 *
 * @param count maximum number of replacements; 0 for no limit
 * @throws {SyntaxError} if the template refers to a group number that does not exist, or has an unknown escape
 * @throws {RangeError} if the template refers to a group name that does not exist
 */
export function substitute(
  expression: RegExp | Matcher,
  template: string,
  text: string,
  count = 0,
): { text: string; count: number } {
  const pieces = piecesOf(template);
  let made = 0;
  let end = 0;
  let out = "";
  for (const match of expression instanceof RegExp ? matchesOf(expression, text) : expression.find(text)) {
    if (count > 0 && made >= count) break;
    made += 1;
    out += text.slice(end, match.index) +
      pieces.map((piece) => typeof piece === "string" ? piece : groupOf(match, piece)).join("");
    end = match.end;
  }
  if (made === 0) checkGroups(expression, pieces);
  return { text: out + text.slice(end), count: made };
}

/** The most characters by which {@link otherThanEmpty} distinguishes two places: more would take time at each empty match. */
const WINDOW = 1000;

/**
 * An expression that finds a match that is not empty at a place where the given one has preferred an empty match; undefined if it never
 * has a choice. JavaScript has no assertion for "further on", so the text after the match must differ from the text after the place.
 */
function otherThanEmpty({ source, flags }: RegExp): RegExp | undefined {
  // Lookarounds, such as those of `\b`, match no characters and are removed.
  let bare = source;
  for (let before = ""; before !== bare;) {
    before = bare;
    bare = bare.replace(/\(\?<?[=!](?:[^()\\]|\\.)*\)|\(\?:\|?\)/g, "");
  }
  if (!/[|]|[*?}][?]/.test(bare)) return undefined;
  return new RegExp(
    `(?=(?<rest_>[^]{0,${WINDOW}}))(?:${source})(?!\\k<rest_>(?![^])|\\k<rest_>(?<=[^]{${WINDOW}}))`,
    flags.replace("g", "y"),
  );
}

function* matchesOf(expression: RegExp, text: string): Generator<Match, void, void> {
  const search = new RegExp(expression.source, expression.flags);
  let other: RegExp | undefined | null = null;
  for (let at = 0; at <= text.length;) {
    search.lastIndex = at;
    const match = search.exec(text);
    if (match === null) return;
    yield matchOf(match);
    at = match.index + match[0].length;
    if (match[0] !== "") continue;
    // As in Python, a match that is not empty may follow an empty one at the same place.
    other = other === null ? otherThanEmpty(expression) : other;
    if (other !== undefined) {
      other.lastIndex = at;
      const second = other.exec(text);
      if (second !== null) {
        const [whole, , ...groups] = second;
        const named = new Map(Object.entries(second.groups ?? {}));
        named.delete("rest_");
        yield { index: at, end: at + whole.length, groups: [whole, ...groups], named };
        at += whole.length;
        continue;
      }
    }
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
}

function matchOf(match: RegExpExecArray): Match {
  const named = new Map(Object.entries(match.groups ?? {}));
  return { index: match.index, end: match.index + match[0].length, groups: [...match], named };
}

function groupOf({ groups, named }: Match, { group, missing }: Reference): string {
  const isNumber = /^\d+$/.test(group);
  if (isNumber ? Number(group) >= groups.length : !named.has(group)) throw missing();
  return (isNumber ? groups[Number(group)] : named.get(group)) ?? "";
}

/** Checks the references of a template that was not used: an invalid one is an error even if nothing matches. */
function checkGroups(expression: RegExp | Matcher, pieces: readonly Piece[]): void {
  const references = pieces.filter((piece) => typeof piece !== "string");
  if (references.length === 0) return;
  const blank = expression instanceof RegExp
    ? matchOf(new RegExp(`${expression.source}|`, expression.flags.replace("g", "")).exec("")!)
    : expression.blank;
  for (const reference of references) groupOf(blank, reference);
}

/** Escapes the special characters of regular expressions in a text: `re.escape`. */
export function escapeRegexp(text: string): string {
  return text.replace(
    /[\t\n\v\f\r !"#$%&'()*+,\-./:;<=>?@[\\\]^`{|}~]/g,
    (character) => /[!"%',/:;<=>@`]/.test(character) ? character : `\\${character}`,
  );
}
