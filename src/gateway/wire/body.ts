import type { Clock } from "../../async/clock.ts";
import { messageOf } from "../../errors.ts";
import { parseOrderedJson } from "../../python/json.ts";
import { entriesOf, isMap, mapOf } from "../../python/containers.ts";
import { yamlifyArg } from "../../job/args.ts";
import { checkPacked } from "../../wire/msgpack.ts";
import {
  type ArrivingBodies,
  checkForm,
  checkJson,
  checkYaml,
  DEEPEST,
  MOST_FIELDS,
  MOST_VALUES,
  tooDeep,
  tooMuch,
} from "./body_bounds.ts";
import { LINE_VALUES, YamlBudget } from "../../yaml/budget.ts";
import { YamlLimitError } from "../../yaml/construct.ts";
import { HttpError } from "./errors.ts";
import { mediaType } from "./negotiate.ts";
import type { Flavour } from "../settings.ts";

/** The body of a request. */
export interface Body {
  /** Null if there was none. */
  data: unknown;
  /** As it came, for webhooks; `""` where it was no text. */
  raw: string;
  /** Bytes that came. @default 0 */
  size?: number;
}

/** @throws {HttpError} 400 for what is too deep or too much */
function bounded(data: unknown): unknown {
  let left = MOST_VALUES;
  const walk = (value: unknown, depth: number): void => {
    if (--left < 0) throw tooMuch();
    if (typeof value !== "object" || value === null) return;
    if (depth > DEEPEST) throw tooDeep();
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

/** Maps of the ordered reader as the rest of the gateway knows them. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (isMap(value)) return mapOf(entriesOf(value).map(([key, item]) => [key, plain(item)]));
  return value;
}

// A fraction, an exponent, or more digits than a number is exact to: what JSON.parse() would not keep as it is. Also keys
// that a plain object would not keep in their place.
const DELICATE = /\d[.eE]|\d{16}|"(?:\d+|__proto__)"\s*:|\\u/;

/** @throws {SyntaxError} */
function parseJson(text: string): unknown {
  if (!DELICATE.test(text)) {
    try {
      return JSON.parse(text);
    } catch (error) {
      // Python reads NaN and Infinity.
      if (!/NaN|Infinity/.test(text)) throw error;
    }
  }
  return plain(parseOrderedJson(text));
}

function readForm(text: string, yaml: boolean): Record<string, unknown> {
  const values = new Map<string, unknown[]>();
  let fields = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    if (++fields > MOST_FIELDS) throw new HttpError(400, `A form has ${MOST_FIELDS} fields at most`);
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
  // Not by assignment: a field may be called "__proto__".
  return Object.fromEntries(form);
}

async function readYaml(text: string): Promise<unknown> {
  const { parseBoundedYaml } = await import("../../yaml/document.ts");
  try {
    return parseBoundedYaml(text, new YamlBudget(LINE_VALUES)).value;
  } catch (error) {
    if ((error as Error).cause instanceof YamlLimitError) {
      throw new HttpError(400, `The body cannot be read: ${messageOf(error)}`);
    }
    throw error;
  }
}

type Reader = (bytes: Uint8Array, flavour: Flavour) => Promise<Body> | Body;

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function refusing(reader: Reader, message: string): Reader {
  return async (bytes, flavour) => {
    try {
      return await reader(bytes, flavour);
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
  async (bytes) => {
    checkPacked(bytes, { maxValues: MOST_VALUES, maxDepth: DEEPEST });
    const { decode } = await import("@msgpack/msgpack");
    // As BigInt, what a number could not hold exactly.
    return { data: bounded(decode(bytes, { useBigInt64: true })), raw: "" };
  },
  "Invalid msgpack",
);

const plainReader: Reader = async (bytes, flavour) => {
  try {
    return await jsonReader(bytes, flavour);
  } catch (error) {
    if (flavour === "rest_tornado" || !(error instanceof HttpError)) throw error;
    const raw = textOf(bytes);
    return { data: raw, raw };
  }
};

const formReader: Reader = (bytes, flavour) => {
  checkForm(bytes);
  const raw = textOf(bytes);
  try {
    return { data: readForm(raw, flavour === "rest_cherrypy"), raw };
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

export interface ReadOptions {
  flavour: Flavour;
  clock: Clock;
  maxBytes: number;
  timeoutMs: number;
  /** Where it counts while it arrives, and whom for. */
  arriving: ArrivingBodies;
  address: string;
}

/** A body of so many bytes is not worth counting while it arrives. */
const SMALL = 65_536;

async function readBytes(request: Request, options: ReadOptions): Promise<Uint8Array> {
  const { clock, maxBytes, timeoutMs, arriving, address } = options;
  const tooLarge = () => new HttpError(413, `The body is larger than ${maxBytes} bytes`, { Connection: "close" });
  const length = request.headers.get("Content-Length");
  if (length !== null && Number(length) > maxBytes) throw tooLarge();
  let late = () => {};
  const tooLate = new Promise<never>((_resolve, reject) => {
    late = () => reject(new HttpError(408, "The body did not come in time", { Connection: "close" }));
  });
  tooLate.catch(() => {});
  const stop = clock.after(timeoutMs, late);
  let counted = 0;
  try {
    // A server never reads further than the length that was announced.
    if (length !== null && Number(length) <= SMALL) {
      return new Uint8Array(await Promise.race([request.arrayBuffer(), tooLate]));
    }
    const parts: Uint8Array[] = [];
    let size = 0;
    const reader = request.body!.getReader();
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), tooLate]);
      if (done) break;
      size += value.length;
      try {
        if (size > maxBytes) throw tooLarge();
        arriving.take(address, value.length);
      } catch (error) {
        reader.cancel().catch(() => {});
        throw error;
      }
      counted = size;
      parts.push(value);
    }
    const whole = new Uint8Array(size);
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  } finally {
    stop();
    if (counted > 0) arriving.give(address, counted);
  }
}

/**
 * Reads the body of a request by its `Content-Type`.
 *
 * @throws {HttpError} 400 malformed, 406 no reader for the type, 408 too slow, 413 too large
 */
export async function readBody(request: Request, options: ReadOptions): Promise<Body> {
  const length = request.headers.get("Content-Length");
  const chunked = request.headers.get("Transfer-Encoding") !== null;
  if (length === "0" || (length === null && !chunked && request.body === null)) return { data: null, raw: "" };
  const type = mediaType(request.headers.get("Content-Type"));
  if (!Object.hasOwn(READERS, type)) throw new HttpError(406, "Content type not supported");
  const bytes = await readBytes(request, options);
  if (bytes.length === 0) return { data: null, raw: "" };
  return { ...await READERS[type]!(bytes, options.flavour), size: bytes.length };
}
