import { integerOf, toFloat, toInteger } from "../python/values.ts";

/** The kinds of plain scalars in YAML 1.1; `merge` is `<<`, `value` is `=`. */
type ScalarKind = "null" | "bool" | "int" | "float" | "str" | "timestamp" | "merge" | "value";

// PyYAML's resolver: yaml/resolver.py `Resolver.add_implicit_resolver`.
const WORDS: ReadonlyMap<string, ScalarKind> = new Map([
  ...["yes", "no", "true", "false", "on", "off"].flatMap((word) => spellings(word, "bool")),
  ...spellings("null", "null"),
  ["~", "null"],
  ["", "null"],
  ["<<", "merge"],
  ["=", "value"],
]);
/** Characters of the longest word that is no text: `false`. */
const MAX_WORD_CHARACTERS = 5;
const INT =
  /^(?:[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/;
const FLOAT =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const TIMESTAMP =
  /^(?:\d\d\d\d-\d\d-\d\d|\d\d\d\d-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)$/;

/** The spellings of a word: in small letters, with a capital, and in capitals. */
function spellings(word: string, kind: ScalarKind): [string, ScalarKind][] {
  return [word, word[0]!.toUpperCase() + word.slice(1), word.toUpperCase()].map((text) => [text, kind]);
}

const NINE = 0x39;
/** A short number in the usual spelling. */
const SHORT_INT = /^[1-9]\d{0,14}$/;

/** The kind of a plain (unquoted) scalar by PyYAML's YAML 1.1 rules: `12:30` is an int, `1e3` a text. */
export function scalarKind(text: string): ScalarKind {
  const word = text.length <= MAX_WORD_CHARACTERS ? WORDS.get(text) : undefined;
  if (word !== undefined) return word;
  // Numbers begin with a digit, a sign or a point, whose codes are below those of letters.
  if (text.charCodeAt(0) > NINE) return "str";
  if (INT.test(text)) return "int";
  if (FLOAT.test(text)) return "float";
  return TIMESTAMP.test(text) ? "timestamp" : "str";
}

/** The boolean that `yes`, `no`, `on`, … stands for, in the spellings that PyYAML knows. */
export function constructBool(text: string): boolean {
  const lower = text.toLowerCase();
  if (lower === "yes" || lower === "true" || lower === "on") return true;
  if (lower === "no" || lower === "false" || lower === "off") return false;
  throw new SyntaxError(`Cannot read ${JSON.stringify(text)} as a boolean`);
}

function digits(text: string, radix: number): bigint {
  const prefix = radix === 2 ? "0b" : radix === 8 ? "0o" : radix === 16 ? "0x" : "";
  const pattern = radix === 2 ? /^[01]+$/ : radix === 8 ? /^[0-7]+$/ : radix === 16 ? /^[0-9a-fA-F]+$/ : /^[0-9]+$/;
  if (!pattern.test(text)) throw new SyntaxError(`Cannot read ${JSON.stringify(text)} as an integer`);
  return integerOf(prefix + text);
}

/** Longest text of an integer: Python's own limit of digits, with room for a sign, underscores and colons. */
const MAX_CHARACTERS = 5000;

/**
 * Reads an integer. Leading zeros are dropped, as Salt's loader does before PyYAML could read octal; after a sign they are
 * not, so `-010` is −8.
 *
 * @see salt/utils/yamlloader.py SaltYamlSafeLoader.construct_scalar
 */
export function constructInt(text: string): number | bigint {
  if (SHORT_INT.test(text)) return Number(text);
  let body = text;
  if (text.length > MAX_CHARACTERS) {
    throw new SyntaxError(
      `Cannot read an integer of ${text.length} characters: at most ${MAX_CHARACTERS} are allowed. Quote it to get a text`,
    );
  }
  if (body !== "0" && body.startsWith("0") && !body.startsWith("0b") && !body.startsWith("0x")) {
    body = body.replace(/^0+/, "") || "0";
  }
  body = body.replaceAll("_", "");
  const negative = body.startsWith("-");
  if (negative || body.startsWith("+")) body = body.slice(1);
  let value: bigint;
  if (body === "0") value = 0n;
  else if (body.startsWith("0b")) value = digits(body.slice(2), 2);
  else if (body.startsWith("0x")) value = digits(body.slice(2), 16);
  else if (body.startsWith("0")) value = digits(body, 8);
  else value = body.split(":").reduce((total, part) => total * 60n + digits(part, 10), 0n);
  return toInteger(negative ? -value : value);
}

/** Reads a float; the result is a `Float` where a plain number would read as an int. */
export function constructFloat(text: string): number | ReturnType<typeof toFloat> {
  let body = text.replaceAll("_", "").toLowerCase();
  const sign = body.startsWith("-") ? -1 : 1;
  if (body.startsWith("-") || body.startsWith("+")) body = body.slice(1);
  if (body === ".inf") return sign * Infinity;
  if (body === ".nan") return NaN;
  let value: number;
  if (body.includes(":")) value = body.split(":").reduce((total, part) => total * 60 + Number(part), 0);
  else value = /^(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/.test(body) ? Number(body) : NaN;
  if (Number.isNaN(value)) throw new SyntaxError(`Cannot read ${JSON.stringify(text)} as a float`);
  return toFloat(sign * value);
}

/**
 * Reads the value of a plain scalar. Dates stay text, as in Salt; `<<` and `=` have no value of their own.
 *
 * @throws {SyntaxError} for `<<` and `=` outside the key of a map
 */
export function constructPlain(text: string): unknown {
  switch (scalarKind(text)) {
    case "null":
      return null;
    case "bool":
      return constructBool(text);
    case "int":
      return constructInt(text);
    case "float":
      return constructFloat(text);
    case "merge":
    case "value":
      throw new SyntaxError(`Cannot construct a value from ${JSON.stringify(text)}`);
    default:
      return text;
  }
}
