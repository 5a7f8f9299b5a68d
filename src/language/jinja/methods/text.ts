import { indexValue } from "../../python/arithmetic.ts";
import { encodeText } from "../../python/codecs.ts";
import { type AnyMap, entriesOf, isMap, truthy, Tuple, tupleOf, typeName } from "../../python/values.ts";
import { dictGet, MISSING } from "../../python/dict.ts";
import { iterate, joinItems, textLength } from "../../python/iterate.ts";
import { splitLines, splitLinesKeepEnds, splitWords, WHITESPACE } from "../../python/text.ts";
import { PythonError, typeError, valueError } from "../../python/python_error.ts";
import { sliced } from "../../python/slice.ts";
import type { Keywords } from "../callable.ts";
import { Markup } from "../markup.ts";
import { bind } from "../signature.ts";
import { type Method, type MethodTable, positional } from "./method.ts";

/** Characters of a padded text, at most: a template must not fill the memory by a number. */
const MAX_WIDTH = 10_000_000;

function textOf(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw typeError(`${what} must be str, not ${typeName(value)}`);
}

function widthOf(value: unknown): number {
  const width = indexValue(value);
  if (width > MAX_WIDTH) {
    throw new PythonError("MemoryError", `a text may be padded to ${MAX_WIDTH} characters at most`);
  }
  return width;
}

function padding(name: string, place: (missing: number, width: number) => [left: number, right: number]): Method {
  return positional<string>(`str.${name}`, 1, 2, (self, [width, fill = " "]) => {
    const filler = textOf(fill, "The fill character");
    if (textLength(filler) !== 1) throw typeError("The fill character must be exactly one character long");
    const wide = widthOf(width);
    const missing = wide - textLength(self);
    if (missing <= 0) return self;
    const [left, right] = place(missing, wide);
    return filler.repeat(left) + self + filler.repeat(right);
  });
}

const escapeClass = (text: string) => text.replace(/[\\\]^-]/g, "\\$&");

function stripping(name: string, side: "left" | "right" | "both"): Method {
  return positional<string>(`str.${name}`, 0, 1, (self, [characters]) => {
    if (characters === "") return self;
    const set = characters === undefined || characters === null
      ? WHITESPACE
      : escapeClass(textOf(characters, `${name} arg must be None or str; it`));
    let text = self;
    if (side !== "right") text = text.replace(new RegExp(`^[${set}]+`, "u"), "");
    if (side !== "left") text = text.replace(new RegExp(`[${set}]+$`, "u"), "");
    return text;
  });
}

/** Calls with the part of the text between two optional places, and the number of characters before it. */
function within<T>(self: string, start: unknown, stop: unknown, call: (part: string, before: number) => T): T {
  if ((start === undefined || start === null) && (stop === undefined || stop === null)) return call(self, 0);
  const length = textLength(self);
  const first = start === undefined || start === null ? 0 : indexValue(start);
  const before = Math.max(0, first < 0 ? first + length : first);
  return call(before > length ? "" : sliced(self, { start: before, stop: stop ?? null, step: null }) as string, before);
}

function finding(name: string, last: boolean, fails: boolean): Method {
  return positional<string>(
    `str.${name}`,
    1,
    3,
    (self, [wanted, start, stop]) =>
      within(self, start, stop, (part, before) => {
        const text = textOf(wanted, "must be str; it");
        const at = last ? part.lastIndexOf(text) : part.indexOf(text);
        if (at >= 0) return before + textLength(part.slice(0, at));
        if (fails) throw valueError("substring not found");
        return -1;
      }),
  );
}

function edges(name: string, has: (text: string, affix: string) => boolean): Method {
  return positional<string>(`str.${name}`, 1, 3, (self, [affix, start, stop]) => {
    const affixes = affix instanceof Tuple ? affix : [affix];
    for (const one of affixes) {
      if (typeof one !== "string") {
        throw typeError(`${name} first arg must be str or a tuple of str, not ${typeName(affix)}`);
      }
    }
    return within(self, start, stop, (part) => (affixes as string[]).some((one) => has(part, one)));
  });
}

function test(name: string, holds: (text: string) => boolean): Method {
  return positional<string>(`str.${name}`, 0, 0, (self) => holds(self));
}

function map(name: string, change: (text: string) => string): Method {
  return positional<string>(`str.${name}`, 0, 0, (self) => change(self));
}

/** Python's `str.title()`: capitalizes each letter that follows a character other than a letter. */
function titled(text: string): string {
  let inWord = false;
  let out = "";
  for (const character of text) {
    const isCased = /[\p{L}\p{Nl}]/u.test(character);
    out += !isCased ? character : inWord ? character.toLowerCase() : titleCase(character);
    inWord = isCased;
  }
  return out;
}

/** Letters such as `ǆ` with a separate form at the start of a word. */
const TITLES: Readonly<Record<string, string>> = {
  "ǆ": "ǅ",
  "Ǆ": "ǅ",
  "ǉ": "ǈ",
  "Ǉ": "ǈ",
  "ǌ": "ǋ",
  "Ǌ": "ǋ",
  "ǳ": "ǲ",
  "Ǳ": "ǲ",
};

function titleCase(character: string): string {
  const upper = TITLES[character] ?? character.toUpperCase();
  return upper.length > 1 && TITLES[character] === undefined ? upper[0]! + upper.slice(1).toLowerCase() : upper;
}

export function capitalized(text: string): string {
  const [first = "", ...rest] = text;
  return titleCase(first) + rest.join("").toLowerCase();
}

export const hasCase = (text: string) => text.toLowerCase() !== text.toUpperCase();

function split(self: string, separator: unknown, count: number, fromRight: boolean): string[] {
  if (separator === null || separator === undefined) return splitBlanks(self, count, fromRight);
  const by = textOf(separator, "must be str or None; it");
  if (by === "") throw valueError("empty separator");
  const parts = self.split(by);
  if (count < 0 || parts.length <= count + 1) return parts;
  return fromRight
    ? [parts.slice(0, parts.length - count).join(by), ...parts.slice(parts.length - count)]
    : [...parts.slice(0, count), parts.slice(count).join(by)];
}

const LEADING = new RegExp(`^[${WHITESPACE}]+`);
const TRAILING = new RegExp(`[${WHITESPACE}]+$`);

function splitBlanks(self: string, count: number, fromRight: boolean): string[] {
  if (count < 0) return splitWords(self);
  const parts: string[] = [];
  let rest = fromRight ? self.replace(TRAILING, "") : self.replace(LEADING, "");
  while (rest !== "" && parts.length < count) {
    const word = (fromRight ? new RegExp(`[^${WHITESPACE}]+$`) : new RegExp(`^[^${WHITESPACE}]+`)).exec(rest)![0];
    parts.push(word);
    rest = fromRight
      ? rest.slice(0, rest.length - word.length).replace(TRAILING, "")
      : rest.slice(word.length).replace(LEADING, "");
  }
  if (rest !== "") parts.push(rest);
  return fromRight ? parts.reverse() : parts;
}

function splitting(name: string, fromRight: boolean): Method {
  return {
    call(self: never, args: readonly unknown[], keywords: Keywords) {
      const { sep, maxsplit } = bind(name, [["sep", null], ["maxsplit", -1]], args, keywords);
      return split(self as string, sep, indexValue(maxsplit), fromRight);
    },
  };
}

function joined(self: string, [items]: readonly unknown[]): string {
  if (!(Array.isArray(items) || typeof items === "string")) {
    try {
      iterate(items);
    } catch (error) {
      throw error instanceof PythonError ? typeError("can only join an iterable") : error;
    }
  }
  return joinItems(self, Array.from(iterate(items), (item) => item instanceof Markup ? item.text : item));
}

function replaced(self: string, [from, to, count = -1]: readonly unknown[]): string {
  const [old, by] = [textOf(from, "replace() argument 1"), textOf(to, "replace() argument 2")];
  return replaceText(self, old, by, indexValue(count));
}

/** Python's `str.replace`: an empty text matches between all characters. */
export function replaceText(text: string, old: string, by: string, count: number): string {
  const parts = old === "" ? ["", ...text, ""] : text.split(old);
  const most = count < 0 ? Infinity : count;
  if (parts.length - 1 <= most) return parts.join(by);
  return [...parts.slice(0, most), parts.slice(most).join(old)].join(by);
}

function expanded(self: string, size: number): string {
  let column = 0;
  let out = "";
  for (const character of self) {
    if (character === "\t") {
      const blanks = size > 0 ? size - column % size : 0;
      out += " ".repeat(blanks);
      column += blanks;
    } else {
      out += character;
      column = character === "\n" || character === "\r" ? 0 : column + 1;
    }
  }
  return out;
}

function translated(self: string, [table]: readonly unknown[]): string {
  if (!isMap(table)) throw typeError(`'${typeName(table)}' object is not subscriptable`);
  let out = "";
  for (const character of self) {
    const to = dictGet(table as AnyMap, character.codePointAt(0)!);
    out += to === MISSING
      ? character
      : to === null
      ? ""
      : typeof to === "string"
      ? to
      : String.fromCodePoint(Number(to));
  }
  return out;
}

function translation([from, to, gone]: readonly unknown[]): Map<unknown, unknown> {
  const table = new Map<unknown, unknown>();
  if (to === undefined) {
    if (!isMap(from)) throw typeError("if you give only one argument to maketrans it must be a dict");
    for (const [key, value] of entriesOf(from)) table.set(typeof key === "string" ? key.codePointAt(0) : key, value);
    return table;
  }
  const [keys, values] = [Array.from(String(from)), Array.from(String(to))];
  if (keys.length !== values.length) throw valueError("the first two maketrans arguments must have equal length");
  keys.forEach((key, at) => table.set(key.codePointAt(0), values[at]!.codePointAt(0)));
  for (const character of String(gone ?? "")) table.set(character.codePointAt(0), null);
  return table;
}

function partitioned(self: string, separator: unknown, last: boolean): Tuple {
  const by = textOf(separator, "must be str; it");
  if (by === "") throw valueError("empty separator");
  const at = last ? self.lastIndexOf(by) : self.indexOf(by);
  if (at < 0) return tupleOf(last ? ["", "", self] : [self, "", ""]);
  return tupleOf([self.slice(0, at), by, self.slice(at + by.length)]);
}

function zeroFilled(self: string, width: number): string {
  const [, sign = "", digits = ""] = /^([+-]?)([^]*)$/.exec(self)!;
  return sign + "0".repeat(Math.max(0, width - textLength(self))) + digits;
}

/** The methods of Python's `str`, without `format`, which needs the rules of attributes. */
export const TEXT_METHODS: MethodTable = {
  capitalize: map("capitalize", capitalized),
  casefold: map("casefold", (text) => text.replaceAll("ß", "ss").toLowerCase()),
  center: padding("center", (missing, width) => {
    const left = Math.floor(missing / 2) + (missing & width & 1);
    return [left, missing - left];
  }),
  count: positional<string>("str.count", 1, 3, (self, [wanted, start, stop]) =>
    within(self, start, stop, (part) => {
      const text = textOf(wanted, "must be str; it");
      return text === "" ? textLength(part) + 1 : part.split(text).length - 1;
    })),
  encode: {
    call(self: never, args: readonly unknown[], keywords: Keywords) {
      const { encoding, errors } = bind("encode", [["encoding", "utf-8"], ["errors", "strict"]], args, keywords);
      return encodeText(self as string, String(encoding), String(errors));
    },
  },
  endswith: edges("endswith", (text, affix) => text.endsWith(affix)),
  expandtabs: {
    call(self: never, args: readonly unknown[], keywords: Keywords) {
      return expanded(self as string, indexValue(bind("expandtabs", [["tabsize", 8]], args, keywords).tabsize));
    },
  },
  find: finding("find", false, false),
  index: finding("index", false, true),
  isalnum: test("isalnum", (text) => /^[\p{L}\p{N}]+$/u.test(text)),
  isalpha: test("isalpha", (text) => /^\p{L}+$/u.test(text)),
  isascii: test("isascii", (text) => Array.from(text).every((character) => character < "\x80")),
  isdecimal: test("isdecimal", (text) => /^\p{Nd}+$/u.test(text)),
  isdigit: test("isdigit", (text) => /^[\p{Nd}²³¹⁰⁴-⁹₀-₉]+$/u.test(text)),
  isidentifier: test("isidentifier", (text) => /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}]*$/u.test(text)),
  islower: test("islower", (text) => hasCase(text) && text === text.toLowerCase()),
  isnumeric: test("isnumeric", (text) => /^\p{N}+$/u.test(text)),
  isprintable: test("isprintable", (text) => !/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(text)),
  isspace: test("isspace", (text) => new RegExp(`^[${WHITESPACE}]+$`).test(text)),
  istitle: test("istitle", (text) => hasCase(text) && text === titled(text)),
  isupper: test("isupper", (text) => hasCase(text) && text === text.toUpperCase()),
  join: positional<string>("str.join", 1, 1, joined),
  ljust: padding("ljust", (missing) => [0, missing]),
  lower: map("lower", (text) => text.toLowerCase()),
  lstrip: stripping("lstrip", "left"),
  maketrans: positional<string>("str.maketrans", 1, 3, (_self, args) => translation(args)),
  partition: positional<string>("str.partition", 1, 1, (self, [by]) => partitioned(self, by, false)),
  removeprefix: positional<string>("str.removeprefix", 1, 1, (self, [affix]) => {
    const prefix = textOf(affix, "removeprefix() argument");
    return self.startsWith(prefix) ? self.slice(prefix.length) : self;
  }),
  removesuffix: positional<string>("str.removesuffix", 1, 1, (self, [affix]) => {
    const suffix = textOf(affix, "removesuffix() argument");
    return suffix !== "" && self.endsWith(suffix) ? self.slice(0, -suffix.length) : self;
  }),
  replace: positional<string>("str.replace", 2, 3, replaced),
  rfind: finding("rfind", true, false),
  rindex: finding("rindex", true, true),
  rjust: padding("rjust", (missing) => [missing, 0]),
  rpartition: positional<string>("str.rpartition", 1, 1, (self, [by]) => partitioned(self, by, true)),
  rsplit: splitting("rsplit", true),
  rstrip: stripping("rstrip", "right"),
  split: splitting("split", false),
  splitlines: {
    call(self: never, args: readonly unknown[], keywords: Keywords) {
      const { keepends } = bind("splitlines", [["keepends", false]], args, keywords);
      return truthy(keepends) ? splitLinesKeepEnds(self) : splitLines(self);
    },
  },
  startswith: edges("startswith", (text, affix) => text.startsWith(affix)),
  strip: stripping("strip", "both"),
  swapcase: map(
    "swapcase",
    (text) => Array.from(text, (one) => one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase()).join(""),
  ),
  title: map("title", titled),
  translate: positional<string>("str.translate", 1, 1, translated),
  upper: map("upper", (text) => text.toUpperCase()),
  zfill: positional<string>("str.zfill", 1, 1, (self, [width]) => zeroFilled(self, widthOf(width))),
};
