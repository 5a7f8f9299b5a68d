/** The recorded vectors and the JSON escapes they use. @see tests/vectors/README.md */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Constant, DateTime, Float } from "../../src/protocol/wire/msgpack.ts";

// deno-lint-ignore no-explicit-any
export type Json = any;

/** The parsed content of `tests/vectors/<name>.json`. */
export function vectors(name: string): Json {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), "utf8"));
}

export function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function isoTime(text: string): DateTime {
  const match = /^(.*)\.(\d{3})(\d{3})$/.exec(text)!;
  return new DateTime(Date.parse(`${match[1]}.${match[2]}Z`), Number(match[3]));
}

/** The value that a JSON escape stands for, as Brine's codec has it. */
export function unescape(json: Json): unknown {
  if (Array.isArray(json)) return json.map(unescape);
  if (typeof json !== "object" || json === null) return json;
  if ("$bytes" in json) return fromHex(json.$bytes);
  if ("$int" in json) return BigInt(json.$int);
  if ("$float" in json) {
    const value = json.$float === "inf" ? Infinity : json.$float === "-inf" ? -Infinity : Number(json.$float);
    return Number.isInteger(value) ? new Float(value) : value;
  }
  if ("$datetime" in json) return isoTime(json.$datetime);
  if ("$date" in json) return isoTime(`${json.$date}T00:00:00.000000`);
  if ("$tuple" in json) return json.$tuple.map(unescape);
  if ("$set" in json) return json.$set.map(unescape);
  if ("$constant" in json) return new Constant(json.$constant[0], unescape(json.$constant[1]));
  if ("$map" in json) return new Map(json.$map.map(([key, value]: Json[]) => [unescape(key), unescape(value)]));
  if ("$repeat" in json) {
    const [item, count] = json.$repeat;
    if (typeof item === "string") return item.repeat(count);
    const once = unescape(item) as Uint8Array;
    return Uint8Array.from({ length: once.length * count }, (_, at) => once[at % once.length]!);
  }
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, unescape(value)]));
}

/** A form of decoded values in which deepEqual compares exactly what a Python peer would: types, order, map or array. */
export function canonical(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: toHex(value) };
  if (value instanceof Float) return { float: Object.is(value.valueOf(), -0) ? "-0" : String(value.valueOf()) };
  if (typeof value === "number" && !Number.isInteger(value)) return { float: String(value) };
  if (typeof value === "bigint") return { int: String(value) };
  if (value instanceof DateTime) return { time: String(value) };
  if (value instanceof Constant) return { constant: value.name, value: canonical(value.value) };
  if (Array.isArray(value)) return value.map(canonical);
  if (value instanceof Map) return { map: Array.from(value, ([key, item]) => [canonical(key), canonical(item)]) };
  if (typeof value === "object" && value !== null) {
    return { map: Object.entries(value).map(([key, item]) => [key, canonical(item)]) };
  }
  return value;
}

/** True if bytes are those of a vector: hex, or head, length and SHA-256 of a long one. */
export function isEncoding(bytes: Uint8Array, json: Json): boolean {
  if (typeof json === "string") return toHex(bytes) === json;
  const [head, length, digest] = json.$head_len_sha256;
  return toHex(bytes).startsWith(head) && bytes.length === length &&
    createHash("sha256").update(bytes).digest("hex") === digest;
}
