/** The formats of request bodies: JSON, YAML, forms and msgpack. */
import { messageOf } from "../../../base/errors.ts";
import { yamlifyArg } from "../../../model/job/args.ts";
import { entriesOf, isMap, mapOf } from "../../../language/python/values.ts";
import { parseOrderedJson } from "../../../language/python/json.ts";
import { decode } from "../../../protocol/wire/msgpack.ts";
import { LINE_VALUES, YamlBudget } from "../../../language/yaml/budget.ts";
import { YamlLimitError } from "../../../language/yaml/construct.ts";
import {
  checkForm,
  checkJson,
  checkYaml,
  MAX_DEPTH,
  MAX_FIELDS,
  MAX_VALUES,
  tooDeep,
  tooManyValues,
} from "./body_bounds.ts";
import { HttpError } from "./errors.ts";

/** Checks parsed data. @throws {HttpError} 400 for too many values or too deep nesting */
function bounded(data: unknown): unknown {
  let left = MAX_VALUES;
  const walk = (value: unknown, depth: number): void => {
    if (--left < 0) throw tooManyValues();
    if (typeof value !== "object" || value === null) return;
    if (depth > MAX_DEPTH) throw tooDeep();
    if (Array.isArray(value)) { for (const item of value) walk(item, depth + 1); }
    else if (isMap(value)) {
      for (const [key, item] of entriesOf(value)) {
        walk(key, depth + 1);
        walk(item, depth + 1);
      }
    }
  };
  walk(data, 0);
  return data;
}

/** Converts ordered maps to plain objects, which the rest of the gateway expects. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (isMap(value)) return mapOf(entriesOf(value).map(([key, item]) => [key, plain(item)]));
  return value;
}

// Matches text that JSON.parse() would change: numbers with a fraction, an exponent, or more digits than are exact, and keys whose
// order a plain object would not keep.
const NEEDS_EXACT_READER = /\d[.eE]|\d{16}|"(?:\d+|__proto__)"\s*:|\\u/;

/** Parses JSON. @throws {SyntaxError} for invalid text */
function parseJson(text: string): unknown {
  if (!NEEDS_EXACT_READER.test(text)) {
    try {
      return JSON.parse(text);
    } catch (error) {
      // Python also reads NaN and Infinity.
      if (!/NaN|Infinity/.test(text)) throw error;
    }
  }
  return plain(parseOrderedJson(text));
}

function readForm(text: string, yaml: boolean): Record<string, unknown> {
  const values = new Map<string, unknown[]>();
  let fields = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    if (++fields > MAX_FIELDS) throw new HttpError(400, `A form has at most ${MAX_FIELDS} fields`);
    if (value === "") continue;
    const before = values.get(name);
    if (before === undefined) values.set(name, [value]);
    else before.push(value);
  }
  const form: [string, unknown][] = [];
  const budget = new YamlBudget(LINE_VALUES);
  for (const [name, list] of values) {
    if (yaml && name === "arg") form.push([name, list.map((word) => yamlifyArg(word, budget))]);
    else if (list.length > 1) form.push([name, list]);
    else form.push([name, yaml && name === "kwarg" ? yamlifyArg(list[0], budget) : list[0]]);
  }
  // fromEntries() also works with a field called "__proto__", an assignment would not.
  return Object.fromEntries(form);
}

async function readYaml(text: string): Promise<unknown> {
  const { parseBoundedYaml } = await import("../../../language/yaml/document.ts");
  try {
    return parseBoundedYaml(text, new YamlBudget(LINE_VALUES)).value;
  } catch (error) {
    if ((error as Error).cause instanceof YamlLimitError) {
      throw new HttpError(400, `The body cannot be read: ${messageOf(error)}`);
    }
    throw error;
  }
}

export interface BodyRules {
  /** True if `arg` and `kwarg` in forms are read as YAML. */
  yamlInForms: boolean;
  /** True if a `text/plain` body that is not JSON is a text. */
  plainTextMayBeAnything: boolean;
}

/** The value of a body, and its text for webhooks: `""` for binary formats. */
export interface ReadValue {
  data: unknown;
  raw: string;
}

type Reader = (bytes: Uint8Array, rules: BodyRules) => Promise<ReadValue> | ReadValue;

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Wraps a reader, so that any error becomes 400 with a message. */
function refusing(reader: Reader, message: string): Reader {
  return async (bytes, rules) => {
    try {
      return await reader(bytes, rules);
    } catch (error) {
      if (error instanceof HttpError) throw error;
      throw new HttpError(400, message);
    }
  };
}

const jsonReader = refusing((bytes) => {
  checkJson(bytes);
  const raw = textOf(bytes);
  return { data: bounded(parseJson(raw)), raw };
}, "Invalid JSON document");

const yamlReader = refusing(async (bytes) => {
  checkYaml(bytes);
  const raw = textOf(bytes);
  return { data: bounded(await readYaml(raw)), raw };
}, "Invalid YAML document");

const msgpackReader = refusing(
  (bytes) => ({ data: decode(bytes, { mode: "bin", maxValues: MAX_VALUES, maxDepth: MAX_DEPTH }), raw: "" }),
  "Invalid msgpack",
);

const plainReader: Reader = async (bytes, rules) => {
  try {
    return await jsonReader(bytes, rules);
  } catch (error) {
    if (!rules.plainTextMayBeAnything || !(error instanceof HttpError)) throw error;
    const raw = textOf(bytes);
    return { data: raw, raw };
  }
};

const formReader: Reader = (bytes, rules) => {
  checkForm(bytes);
  const raw = textOf(bytes);
  try {
    return { data: readForm(raw, rules.yamlInForms), raw };
  } catch (error) {
    if (error instanceof YamlLimitError) throw new HttpError(400, `A form cannot be read: ${error.message}`);
    throw error;
  }
};

const READERS: Record<string, Reader> = {
  "application/json": jsonReader,
  "text/plain": plainReader,
  "application/x-yaml": yamlReader,
  "text/yaml": yamlReader,
  "application/yaml": yamlReader,
  "application/x-www-form-urlencoded": formReader,
  "application/x-msgpack": msgpackReader,
  "application/msgpack": msgpackReader,
  "application/vnd.msgpack": msgpackReader,
};

/** The reader for a media type, which checks the bounds of a body before it parses the body. Undefined for an unknown type. */
export function bodyReader(type: string): Reader | undefined {
  return Object.hasOwn(READERS, type) ? READERS[type] : undefined;
}
