import { add, asInt, asNumber } from "../../../python/arithmetic.ts";
import { decodeBase64, encodeBase64 } from "../../../python/binascii.ts";
import {
  entriesOf,
  isFloat,
  isInteger,
  isMap,
  str,
  toFloat,
  toInteger,
  truthy,
  type Tuple,
  tupleOf,
  typeName,
} from "../../../python/values.ts";
import { encodeText } from "../../../python/codecs.ts";
import { dictSet } from "../../../python/dict.ts";
import { compileGlob } from "../../../python/glob.ts";
import { iterate, lengthOf, tryIterate } from "../../../python/iterate.ts";
import { PythonError, typeError, valueError } from "../../../python/python_error.ts";
import { PythonRandom, seedOfText } from "../../../python/random.ts";
import type { Matcher } from "../../../python/matcher.ts";
import { compileGroups, compilePattern } from "../../../python/regexp.ts";
import { strftime } from "../../../python/strftime.ts";
import { escapeRegexp, substitute } from "../../../python/substitute.ts";
import type { Crypto, HashName } from "../../../../runtime/crypto.ts";
import { DateTime } from "../../../../protocol/wire/msgpack_values.ts";
import type { Filter, Test } from "../../../jinja/mod.ts";
import { addMarkup, contains, filter, formatDateTime, Markup, textOnly, Undefined } from "../../../jinja/mod.ts";
import { hex } from "../../../../protocol/crypto/hex.ts";

const utf8 = new TextEncoder();

function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (typeof value === "string" || value instanceof Markup) return utf8.encode(str(value));
  throw typeError(`expected str, bytes, or bytearray not <class '${typeName(value)}'>`);
}

/**
 * Python's `re`, without its backtracking: `(a+)+$` would take years to see that there is no match.
 *
 * @throws {PythonError} if the pattern is not valid, or too large
 */
function search(pattern: unknown, ignoreCase: unknown, multiline: unknown): Matcher {
  try {
    return compileGroups(textOnly(pattern), { i: truthy(ignoreCase), m: truthy(multiline) });
  } catch (error) {
    if (error instanceof SyntaxError) throw new PythonError("re.error", error.message);
    throw error;
  }
}

const REGEXP_PARAMETERS = ["txt", "rgx", ["ignorecase", false], ["multiline", false]] as const;

/** The groups of the first match; None without a match. */
function groups(text: string, matcher: Matcher, anchored: boolean): Tuple | null {
  for (const match of matcher.find(text, { anchored })) {
    return tupleOf(match.groups.slice(1).map((group) => group ?? null));
  }
  return null;
}

const matching = (name: string, anchored: boolean) =>
  filter(
    name,
    [...REGEXP_PARAMETERS] as never,
    ({ txt, rgx, ignorecase, multiline }) => groups(textOnly(txt), search(rgx, ignorecase, multiline), anchored),
  );

const SHELL_SAFE = /^[\w@%+=:,./-]+$/;

/** Python's `shlex.quote`. As in Salt, markup stays markup, and the added quotes are escaped. */
function shellQuoted(value: unknown): unknown {
  if (!truthy(value)) return "''";
  const text = textOnly(value);
  if (SHELL_SAFE.test(text)) return value;
  const inner = text.replaceAll("'", `'"'"'`);
  return value instanceof Markup ? addMarkup(addMarkup("'", new Markup(inner)), "'") : `'${inner}'`;
}

function toBool(value: unknown): boolean {
  if (value === null) return false;
  if (typeof value === "boolean") return value;
  if (typeof value === "string") return ["yes", "1", "true"].includes(value.toLowerCase());
  if (isInteger(value)) return value > 0;
  if (Array.isArray(value) || isMap(value) || value instanceof Set) return lengthOf(value) > 0;
  return false;
}

/** Converts a text to a number; returns the value itself if it is not a number. */
export function toNumber(value: unknown): unknown {
  if (isInteger(value) || isFloat(value)) return isFloat(value) ? toInteger(BigInt(Math.trunc(Number(value)))) : value;
  if (typeof value === "boolean") return Number(value);
  if (value instanceof Undefined) value.fail();
  if (typeof value !== "string") {
    throw typeError(
      `int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`,
    );
  }
  const text = value.trim();
  if (/^[+-]?\d+$/.test(text)) return toInteger(BigInt(text.replace(/^\+/, "")));
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return toFloat(Number(text));
  return value;
}

const UNITS = "KMGTPEZY";

/** Converts `10KB` to a number of bytes; 0 for other text. */
function humanToBytes(value: unknown, defaultUnit: string, metric: boolean): number | bigint {
  const match = /^([0-9.]+)\s*([a-z]*)$/i.exec(str(value).trim());
  if (match === null || Number.isNaN(Number(match[1]))) return 0;
  const unit = match[2] === "" ? defaultUnit : match[2]!;
  const letter = unit[0]!.toUpperCase();
  const [, power, suffix] = [letter, UNITS.indexOf(letter) + 1, unit.slice(1).toLowerCase()];
  if (letter === "B" && unit.length === 1) return toInteger(BigInt(Math.trunc(Number(match[1]))));
  if (power === 0 || !["", "b", "ib"].includes(suffix)) return 0;
  const base = metric && suffix !== "ib" ? 1000 : 1024;
  return toInteger(BigInt(Math.trunc(Number(match[1]) * base ** power)));
}

function toSnakeCase(text: string): string {
  if (text === "") throw new PythonError("IndexError", "string index out of range");
  return text.replace(/(?<=[a-z])[A-Z]|(?<!^)[A-Z](?=[a-z])/g, (letter) => `_${letter}`).toLowerCase();
}

function toCamelCase(text: string, upper: boolean): string {
  const [first = "", ...rest] = text.split("_");
  const title = (part: string) => part === "" ? "" : part[0]!.toUpperCase() + part.slice(1).toLowerCase();
  return (upper ? title(first) : first) + rest.map(title).join("");
}

/** Formats a date: from seconds since 1970, a text with such a number, or a date-time. */
function formatDate(value: unknown, format: string): string {
  if (value instanceof DateTime) return formatDateTime(value, format);
  if (value === null) return strftime(new Date(), format);
  const seconds = typeof value === "string" && value.trim() !== "" ? Number(value) : asNumber(value);
  if (seconds === undefined || Number.isNaN(new Date(seconds * 1000).getTime())) {
    throw new PythonError("RuntimeError", `Unable to parse ${str(value)}. Consider installing timelib`);
  }
  return strftime(new Date(seconds * 1000), format);
}

/** True if a name is allowed by a list of globs, regular expressions or names, and not excluded by another. */
function isListed(name: string, whitelist: unknown, blacklist: unknown): boolean {
  const listOf = (value: unknown) => typeof value === "string" ? [value] : Array.from(tryIterate(value) ?? [], str);
  const matches = (pattern: string) => {
    try {
      const match = compilePattern(`(?:${pattern})\\Z`);
      return pattern === name || compileGlob(pattern)(name) || match(name);
    } catch {
      return pattern === name || compileGlob(pattern)(name);
    }
  };
  if (truthy(blacklist) && listOf(blacklist).some(matches)) return false;
  return !truthy(whitelist) || listOf(whitelist).some(matches);
}

function decoded(value: unknown): unknown {
  const bytes = bytesOf(value);
  const text = new TextDecoder().decode(bytes).replace(/[^A-Za-z0-9+/=]/g, "");
  if (text.replace(/=+$/, "").length % 4 !== 0 && text.length % 4 !== 0) {
    throw new PythonError("binascii.Error", "Incorrect padding");
  }
  const plain = decodeBase64(utf8.encode(text));
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(plain);
  } catch {
    return plain;
  }
}

/** The name space of Salt's UUIDs. */
const NAMESPACE = "91633ebf1c865e33935a28061f4b480e";

function uuid(crypto: Crypto, name: unknown): string {
  const space = Uint8Array.from(NAMESPACE.match(/../g)!, (pair) => parseInt(pair, 16));
  const hash = crypto.hash("sha1", Uint8Array.from([...space, ...bytesOf(name)])).slice(0, 16);
  hash[6] = (hash[6]! & 0x0f) | 0x50;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const text = hex(hash);
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** Characters of a random text, at most: a template must not fill the memory by a number. */
const MAX_RANDOM_CHARACTERS = 1_000_000;

function randomText(crypto: Crypto, length: number): string {
  if (length > MAX_RANDOM_CHARACTERS) throw valueError(`a random text has ${MAX_RANDOM_CHARACTERS} characters at most`);
  return Array.from(crypto.randomBytes(length), (byte) => LETTERS[byte % LETTERS.length]).join("");
}

function randomFor(crypto: Crypto, seed: unknown): PythonRandom {
  if (seed === null) return new PythonRandom(BigInt(`0x${hex(crypto.randomBytes(32))}`));
  const bytes = typeof seed === "string" ? utf8.encode(seed) : seed;
  if (!(bytes instanceof Uint8Array)) throw typeError("object supporting the buffer API required");
  // Salt uses the hex text of the hash as the seed.
  const digest = utf8.encode(hex(crypto.hash("sha512", bytes)));
  return new PythonRandom(seedOfText(digest, (data) => crypto.hash("sha512", data)));
}

function sample(crypto: Crypto, value: unknown, size: number, seed: unknown): unknown[] {
  if (isMap(value) || value instanceof Set) {
    throw typeError("Population must be a sequence.  For dicts or sets, use sorted(d).");
  }
  const items = Array.from(iterate(value));
  if (size > items.length || size < 0) throw valueError("Sample larger than population or is negative");
  return randomFor(crypto, seed).sample(items, size);
}

type Encode = (value: unknown) => unknown;

/** Converts the texts of a value to bytes; tuples become lists, other values stay unchanged. */
function encodedItem(value: unknown, encode: Encode): unknown {
  if (Array.isArray(value)) return encodedList(value, encode);
  return isMap(value) ? encodedMap(value, encode) : typeof value === "string" ? encode(value) : value;
}

function encodedMap(value: unknown, encode: Encode): Map<unknown, unknown> {
  if (value instanceof Undefined) value.fail();
  if (!isMap(value)) throw new PythonError("AttributeError", `'${typeName(value)}' object has no attribute 'items'`);
  const encoded = new Map<unknown, unknown>();
  for (const [key, item] of entriesOf(value)) dictSet(encoded, encodedItem(key, encode), encodedItem(item, encode));
  return encoded;
}

const encodedList = (value: unknown, encode: Encode) => Array.from(iterate(value), (item) => encodedItem(item, encode));

const encoding = (name: string, apply: (value: unknown, encode: Encode) => unknown): Filter =>
  filter(
    name,
    ["data", ["encoding", null], ["errors", "strict"], ["keep", false]],
    ({ data, encoding, errors, keep }) =>
      apply(data, (text) => {
        try {
          return encodeText(str(text), str(encoding ?? "utf-8"), str(errors));
        } catch (error) {
          if (!truthy(keep)) throw error;
          return text;
        }
      }),
  );

const ENCODE_MAP = encoding("encode_dict", encodedMap);
const ENCODE_LIST = encoding("encode_list", encodedList);

const date = filter(
  "strftime",
  ["value", ["format", "%Y-%m-%d"]],
  ({ value, format }) => formatDate(value, str(format)),
);
const number = filter("to_num", ["text"], ({ text }) => toNumber(text));

/** Salt's filter that quotes a word for a shell. Its result differs for markup and plain text. */
export const QUOTE_FILTER: Readonly<Record<string, Filter>> = {
  quote: filter("quote", ["txt"], ({ txt }) => shellQuoted(txt)),
};

/** Salt's filters that convert and search. */
export const CONVERT_FILTERS: Readonly<Record<string, Filter>> = {
  to_bool: filter("to_bool", ["val"], ({ val }) => toBool(val)),
  regex_escape: filter("regex_escape", ["value"], ({ value }) => escapeRegexp(textOnly(value))),
  regex_search: matching("regex_search", false),
  regex_match: matching("regex_match", true),
  regex_replace: filter(
    "regex_replace",
    ["txt", "rgx", "val", ["ignorecase", false], ["multiline", false]],
    ({ txt, rgx, val, ignorecase, multiline }) =>
      substitute(search(rgx, ignorecase, multiline), textOnly(val), textOnly(txt)).text,
  ),
  to_num: number,
  str_to_num: number,
  to_bytes: filter("to_bytes", ["s", ["encoding", "utf-8"], ["errors", "strict"]], ({ s, encoding, errors }) => {
    if (typeof s !== "string") return bytesOf(s);
    return encodeText(s, str(encoding ?? "utf-8"), str(errors));
  }),
  base64_encode: filter("base64_b64encode", ["instr"], ({ instr }) => encodeBase64(bytesOf(instr))),
  base64_decode: filter("base64_b64decode", ["instr"], ({ instr }) => decoded(instr)),
  human_to_bytes: filter(
    "human_to_bytes",
    ["size", ["default_unit", "B"], ["handle_metric", false]],
    ({ size, default_unit, handle_metric }) => humanToBytes(size, str(default_unit), truthy(handle_metric)),
  ),
  to_snake_case: filter(
    "camel_to_snake_case",
    ["camel_input"],
    ({ camel_input }) => toSnakeCase(textOnly(camel_input)),
  ),
  to_camelcase: filter(
    "snake_to_camel_case",
    ["snake_input", ["uppercamel", false]],
    ({ snake_input, uppercamel }) => toCamelCase(textOnly(snake_input), truthy(uppercamel)),
  ),
  strftime: date,
  date_format: date,
  is_hex: filter("is_hex", ["value"], ({ value }) => typeof value === "string" && /^(?:0x)?[\da-f]+$/i.test(value)),
  contains_whitespace: filter(
    "contains_whitespace",
    ["text"],
    ({ text }) => Array.from(iterate(text)).some((one) => /^\s+$/.test(textOnly(one))),
  ),
  substring_in_list: filter(
    "is_substring",
    ["string_to_search_for", "list_to_search"],
    (bound) => Array.from(iterate(bound.list_to_search)).some((one) => contains(one, bound.string_to_search_for)),
  ),
  check_whitelist_blacklist: filter(
    "check_whitelist_blacklist",
    ["value", ["whitelist", null], ["blacklist", null]],
    ({ value, whitelist, blacklist }) => isListed(str(value), whitelist, blacklist),
  ),
  // Salt has both names for the functions that encode.
  json_encode_dict: ENCODE_MAP,
  json_encode_list: ENCODE_LIST,
  json_decode_dict: ENCODE_MAP,
  json_decode_list: ENCODE_LIST,
};

/** Salt's filters for hashes and random values. */
export function hashFilters(crypto: Crypto): Readonly<Record<string, Filter>> {
  const hashing = (name: HashName): Filter =>
    filter(`${name}_digest`, ["instr"], ({ instr }) => hex(crypto.hash(name, bytesOf(instr))));
  const randomHash = filter(
    "random_hash",
    ["size", ["hash_type", "md5"]],
    ({ size, hash_type }) => {
      const above = add(size, 1);
      if (asInt(above) === undefined) throw valueError(`non-integer arg 1 for randrange()`);
      const most = BigInt(asInt(above)!) - 1n;
      if (most < 0n) throw valueError(`empty range for randrange() (0, ${most + 1n}, ${most + 1n})`);
      // Draws 16 bytes more than the number has, so that all numbers are equally probable.
      const bytes = crypto.randomBytes(16 + (most.toString(16).length + 1 >> 1));
      const number = BigInt(`0x${hex(bytes)}`) % (most + 1n);
      return hex(crypto.hash(str(hash_type ?? "md5") as HashName, utf8.encode(String(number))));
    },
  );
  return {
    uuid: filter("uuid_", ["val"], ({ val }) => uuid(crypto, val)),
    md5: hashing("md5"),
    sha1: hashing("sha1"),
    sha256: hashing("sha256"),
    sha512: hashing("sha512"),
    hmac: filter("hmac_signature", ["string", "shared_secret", "challenge_hmac"], (bound) => {
      const made = crypto.hmac("sha256", bytesOf(bound.shared_secret), bytesOf(bound.string));
      return encodeBase64(made) === str(bound.challenge_hmac);
    }),
    hmac_compute: filter(
      "hmac_compute",
      ["string", "shared_secret"],
      ({ string, shared_secret }) => hex(crypto.hmac("sha256", bytesOf(shared_secret), bytesOf(string))),
    ),
    random_hash: randomHash,
    rand_str: randomHash,
    random_str: filter("random_str", ["length"], ({ length }) => randomText(crypto, Number(length))),
    random_sample: filter(
      "random_sample",
      ["value", "size", ["seed", null]],
      ({ value, size, seed }) => sample(crypto, value, Number(size), seed),
    ),
    random_shuffle: filter(
      "random_shuffle",
      ["value", ["seed", null]],
      ({ value, seed }) => sample(crypto, value, lengthOf(value), seed),
    ),
  };
}

/** Salt's tests. */
export const SALT_TESTS: Readonly<Record<string, Test>> = {
  match: filter(
    "test_match",
    [...REGEXP_PARAMETERS] as never,
    ({ txt, rgx, ignorecase, multiline }) => groups(textOnly(txt), search(rgx, ignorecase, multiline), true) !== null,
  ),
  list: filter("is_list", ["value"], ({ value }) => Array.isArray(value) && typeName(value) === "list"),
};
