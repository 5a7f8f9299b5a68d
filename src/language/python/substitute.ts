import type { Match, Matcher } from "./matcher.ts";
import { type RegexpFlags, translateRegexp } from "./regexp.ts";

/** A piece of a replacement: text, or a reference to a group. */
type Piece = string | { group: string };

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

const REFERENCE = /\\(?:g<([^>]*)>|([1-9]\d?)(?!\d)|(0[0-7]{0,2}|[1-3][0-7]{2})|([^]))/gu;

/**
 * Compiles a Python regular expression for searches: it is not anchored, and finds one match after the other.
 *
 * @throws {SyntaxError} if the pattern is invalid in Python, or has no counterpart in JavaScript
 */
export function compileSearch(pattern: string, flags: RegexpFlags = {}): RegExp {
  const { source, flags: own } = translateRegexp(pattern, flags);
  return new RegExp(source, `${own}g`);
}

function piecesOf(template: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of template.matchAll(REFERENCE)) {
    const [whole, named, numbered, octal, escaped = ""] = match;
    pieces.push(template.slice(end, match.index));
    end = match.index + whole.length;
    const group = named ?? numbered;
    if (group !== undefined) pieces.push({ group });
    else if (octal !== undefined) pieces.push(String.fromCharCode(parseInt(octal, 8) & 0xff));
    else if (Object.hasOwn(ESCAPES, escaped)) pieces.push(ESCAPES[escaped]!);
    else if (/[A-Za-z]/.test(escaped)) throw new SyntaxError(`bad escape ${whole} at position ${match.index}`);
    else pieces.push(whole);
  }
  if (template.slice(end).endsWith("\\")) {
    throw new SyntaxError(`bad escape (end of pattern) at position ${template.length - 1}`);
  }
  pieces.push(template.slice(end));
  return pieces;
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

function groupOf({ groups, named }: Match, { group }: { group: string }): string {
  if (/^\d+$/.test(group)) {
    const at = Number(group);
    if (at >= groups.length) throw new SyntaxError(`invalid group reference ${at}`);
    return groups[at] ?? "";
  }
  if (!named.has(group)) throw new RangeError(`unknown group name '${group}'`);
  return named.get(group) ?? "";
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
