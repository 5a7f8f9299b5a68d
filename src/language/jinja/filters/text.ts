import { asNumber } from "../../python/arithmetic.ts";
import { entriesOf, isMap, repr, str, truthy, tupleOf, typeName } from "../../python/values.ts";
import { iterate, lengthOf, textLength } from "../../python/iterate.ts";
import { percentFormat } from "../../python/percent_format.ts";
import { prettyFormat } from "../../python/pprint.ts";
import { PythonError, typeError, valueError } from "../../python/python_error.ts";
import { receiver } from "../attributes.ts";
import { FilterArgumentError } from "../errors.ts";
import { asMarkup, escaped, escapeMarkup, Markup } from "../markup.ts";
import { capitalized, replaceText, TEXT_METHODS } from "../methods/text.ts";
import type { Filter } from "../runtime.ts";
import { Undefined } from "../undefined.ts";
import { filter } from "./filter.ts";
import { urlize } from "./urlize.ts";
import { wrapText } from "./wrap_text.ts";

/** Returns a text. @throws {PythonError} for any other value, as Python does */
export function textOnly(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof Markup) return value.text;
  if (value instanceof Undefined) value.fail();
  throw typeError(`expected string or bytes-like object, got '${typeName(value)}'`);
}

/** The text argument of `indent`. @throws {PythonError} for any other value, to which Python cannot add a line feed */
function indented(value: unknown): string {
  if (typeof value === "string" || value instanceof Markup || value instanceof Undefined) return textOnly(value);
  const kind = typeName(value);
  if (kind === "list") throw new PythonError("AttributeError", "'list' object has no attribute 'splitlines'");
  if (kind === "tuple") throw typeError('can only concatenate tuple (not "str") to tuple');
  throw typeError(`unsupported operand type(s) for +=: '${kind}' and 'str'`);
}

/** Converts any value to a text; an undefined value fails. */
export function softText(value: unknown): string {
  return str(value);
}

/** The form of any value inside markup. */
export const inMarkup = (value: unknown): string =>
  value instanceof Markup ? value.text : escapeMarkup(softText(value)).text;

/** The result of a filter: markup if the value was markup, otherwise unchanged. */
const alike = (value: unknown, made: unknown) => value instanceof Markup ? asMarkup(made) : made;

/** A filter of a text whose result is markup if the text is markup. */
const keeping = (name: string, change: (text: string) => unknown) =>
  filter(name, ["s"], ({ s }) => alike(s, change(softText(s))));

const ofText = (name: string, change: (text: string) => unknown) => filter(name, ["s"], ({ s }) => change(softText(s)));

function wholeOf(value: unknown): number {
  const number = asNumber(value);
  if (number === undefined) throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`);
  return Math.trunc(number);
}

/** Capitalizes each word; words begin after blanks, hyphens and brackets. */
function title(text: string): string {
  return text.split(/([-\s({[<]+)/u).filter((part) => part !== "")
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1).toLowerCase()).join("");
}

function truncate(value: unknown, length: number, killWords: boolean, end: string, leeway: number): unknown {
  const room = length - textLength(end);
  if (room < 0) throw new PythonError("AssertionError", `expected length >= ${textLength(end)}, got ${length}`);
  if (leeway < 0) throw new PythonError("AssertionError", `expected leeway >= 0, got ${leeway}`);
  if (lengthOf(value) <= length + leeway) return value;
  const characters = Array.from(textOnly(value));
  const cut = characters.slice(0, room).join("");
  if (killWords) return cut + end;
  const blank = cut.lastIndexOf(" ");
  return (blank < 0 ? cut : cut.slice(0, blank)) + end;
}

/** Characters of an indentation, at most: a template must not fill the memory by a number. */
const MAX_INDENTED = 1_000_000;

function indent(text: string, width: unknown, first: boolean, blank: boolean): string {
  const prefix = typeof width === "string" ? width : " ".repeat(Math.min(MAX_INDENTED, Math.max(0, wholeOf(width))));
  const whole = `${text}\n`;
  // Splits like Python's splitlines(), for the text with the added line feed.
  // deno-lint-ignore no-control-regex
  const lines = whole.split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/).slice(0, -1);
  if (blank) return (first ? prefix : "") + lines.join(`\n${prefix}`);
  const [head = "", ...rest] = lines;
  const body = [head, ...rest.map((line) => line === "" ? line : prefix + line)].join("\n");
  return first ? prefix + body : body;
}

const SIZES = {
  decimal: ["kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"],
  binary: ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"],
};

function fileSize(bytes: number, binary: boolean): string {
  const base = binary ? 1024 : 1000;
  if (bytes === 1) return "1 Byte";
  if (bytes < base) return `${Math.trunc(bytes)} Bytes`;
  const units = binary ? SIZES.binary : SIZES.decimal;
  let unit = base;
  for (const name of units) {
    unit *= base;
    if (bytes < unit || name === units.at(-1)) return `${(base * bytes / unit).toFixed(1)} ${name}`;
  }
  return "";
}

/** Percent-encoding: `/` stays in a path, blanks are plus signs in a query. */
function quoteUrl(value: unknown, forQuery: boolean): string {
  const text = encodeURIComponent(softText(value))
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  return forQuery ? text.replaceAll("%20", "+") : text.replaceAll("%2F", "/");
}

function pairOf(value: unknown): unknown[] {
  const items = Array.from(iterate(value));
  if (items.length !== 2) {
    throw valueError(
      items.length > 2
        ? "too many values to unpack (expected 2)"
        : `not enough values to unpack (expected 2, got ${items.length})`,
    );
  }
  return items;
}

function urlEncode(value: unknown): string {
  if (typeof value === "string" || !isMap(value) && !Array.isArray(value)) return quoteUrl(value, false);
  const pairs = isMap(value) ? entriesOf(value) : Array.from(iterate(value), pairOf);
  return pairs.map(([key, item]) => `${quoteUrl(key, true)}=${quoteUrl(item, true)}`).join("&");
}

/** Removes the text from each opening to the next closing; an opening that is not closed stays. */
function without(text: string, opening: string, closing: string): string {
  let out = "";
  let from = 0;
  for (;;) {
    const start = text.indexOf(opening, from);
    const end = start < 0 ? -1 : text.indexOf(closing, start + opening.length);
    if (end < 0) return out + text.slice(from);
    out += text.slice(from, start);
    from = end + closing.length;
  }
}

function stripTags(text: string): string {
  const plain = without(without(text, "<!--", "-->"), "<", ">");
  const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: "\u00a0" };
  return plain.split(/\s+/).filter((word) => word !== "").join(" ").replace(
    /&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi,
    (whole, decimal, hex, name) =>
      decimal !== undefined || hex !== undefined
        ? String.fromCodePoint(decimal !== undefined ? Number(decimal) : parseInt(hex, 16))
        : Object.hasOwn(entities, name)
        ? entities[name]!
        : whole,
  );
}

function xmlAttributes(map: unknown, autospace: boolean): string {
  if (map instanceof Undefined) map.fail();
  if (!isMap(map)) throw new PythonError("AttributeError", `'${typeName(map)}' object has no attribute 'items'`);
  const items: string[] = [];
  for (const [key, value] of entriesOf(map)) {
    if (value === null || value instanceof Undefined) continue;
    if (typeof key !== "string") throw typeError(`expected string or bytes-like object, got '${typeName(key)}'`);
    if (/[\s/>=]/.test(key)) {
      throw new PythonError("ValueError", `Invalid character in attribute name: '${key}'`);
    }
    items.push(`${escapeMarkup(softText(key)).text}="${inMarkup(value)}"`);
  }
  const text = items.join(" ");
  return autospace && text !== "" ? ` ${text}` : text;
}

const escape: Filter = filter("escape", ["s"], ({ s }) => s instanceof Markup ? s : escapeMarkup(softText(s)));

/** Jinja2's filters of texts. */
export const TEXT_FILTERS: Readonly<Record<string, Filter>> = {
  capitalize: keeping("do_capitalize", capitalized),
  center: filter(
    "do_center",
    ["value", ["width", 80]],
    ({ value, width }) => alike(value, TEXT_METHODS.center!.call(softText(value) as never, [width], new Map())),
  ),
  e: escape,
  escape,
  filesizeformat: filter("do_filesizeformat", ["value", ["binary", false]], ({ value, binary }) => {
    if (value instanceof Undefined) value.fail();
    const number = typeof value !== "string" ? asNumber(value) : value.trim() === "" ? NaN : Number(value);
    if (number === undefined || Number.isNaN(number)) {
      throw new PythonError("ValueError", `could not convert string to float: ${repr(receiver(value))}`);
    }
    return fileSize(number, truthy(binary));
  }),
  forceescape: filter("do_forceescape", ["value"], ({ value }) => escapeMarkup(softText(value))),
  format: (_run, value, args, keywords) => {
    if (args.length > 0 && keywords.size > 0) {
      throw new FilterArgumentError("can't handle positional and keyword arguments at the same time");
    }
    const given = value instanceof Markup ? escaped : (one: unknown) => one;
    const parts = keywords.size > 0
      ? new Map([...keywords].map(([key, one]) => [key, given(one)]))
      : tupleOf(args.map(given));
    return alike(value, percentFormat(softText(value), parts));
  },
  indent: filter(
    "do_indent",
    ["s", ["width", 4], ["first", false], ["blank", false]],
    ({ s, width, first, blank }) => {
      return alike(s, indent(indented(s), receiver(width), truthy(first), truthy(blank)));
    },
  ),
  lower: keeping("do_lower", (text) => text.toLowerCase()),
  pprint: filter("do_pprint", ["value"], ({ value }) => prettyFormat(value)),
  replace: filter(
    "do_replace",
    ["s", "old", "new", ["count", null]],
    ({ s, old, new: by, count }) =>
      replaceText(softText(s), softText(old), softText(by), count === null ? -1 : wholeOf(count)),
  ),
  safe: filter("do_mark_safe", ["value"], ({ value }) => new Markup(softText(value))),
  string: filter("soft_str", ["s"], ({ s }) => s instanceof Markup ? s : softText(s)),
  striptags: ofText("do_striptags", stripTags),
  title: ofText("do_title", title),
  trim: filter(
    "do_trim",
    ["value", ["chars", null]],
    ({ value, chars }) =>
      alike(value, TEXT_METHODS.strip!.call(softText(value) as never, [receiver(chars)], new Map())),
  ),
  truncate: filter(
    "do_truncate",
    ["s", ["length", 255], ["killwords", false], ["end", "..."], ["leeway", null]],
    ({ s, length, killwords, end, leeway }) =>
      truncate(s, wholeOf(length), truthy(killwords), softText(end), leeway === null ? 5 : wholeOf(leeway)),
  ),
  upper: keeping("do_upper", (text) => text.toUpperCase()),
  urlencode: filter("do_urlencode", ["value"], ({ value }) => urlEncode(receiver(value))),
  urlize: filter(
    "do_urlize",
    ["value", ["trim_url_limit", null], ["nofollow", false], ["target", null], ["rel", null], ["extra_schemes", null]],
    ({ value, trim_url_limit, nofollow, target, rel }) =>
      urlize(value instanceof Markup ? value : softText(value), {
        limit: trim_url_limit === null ? undefined : wholeOf(trim_url_limit),
        noFollow: truthy(nofollow),
        target: target === null ? undefined : softText(target),
        rel: rel === null ? "" : softText(rel),
      }),
  ),
  wordcount: ofText("do_wordcount", (text) => (text.match(/[\p{L}\p{N}_]+/gu) ?? []).length),
  wordwrap: filter(
    "do_wordwrap",
    ["s", ["width", 79], ["break_long_words", true], ["wrapstring", null], ["break_on_hyphens", true]],
    ({ s, width, break_long_words, wrapstring, break_on_hyphens }) =>
      wrapText(textOnly(s), {
        width: wholeOf(width),
        breakLongWords: truthy(break_long_words),
        breakOnHyphens: truthy(break_on_hyphens),
      }).join(wrapstring === null ? "\n" : softText(wrapstring)),
  ),
  xmlattr: filter("do_xmlattr", ["d", ["autospace", true]], ({ d, autospace }) => xmlAttributes(d, truthy(autospace))),
};
