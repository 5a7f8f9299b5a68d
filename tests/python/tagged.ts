import { Float, OrderedMap, Tuple } from "../../src/python/mod.ts";

/** Reads a JSON text without losing the difference between `1` and `1.0`, or digits beyond 2^53. */
export function parseFaithful(text: string): unknown {
  // JSON.parse hands the source of a number to the reviver in newer engines only: numbers are marked beforehand.
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|-?Infinity|NaN/g, (token) => {
    if (token.startsWith('"')) return token;
    return /^-?\d{1,15}$/.test(token) ? token : JSON.stringify({ $number: token });
  });
  return JSON.parse(marked, (_key, value) => {
    if (value === null || typeof value !== "object" || typeof value.$number !== "string") return value;
    const token: string = value.$number;
    if (/^-?\d+$/.test(token)) return BigInt(token);
    const number = Number(token);
    return Number.isInteger(number) ? new Float(number) : number;
  });
}

/** The value that the golden captures write with `$py` tags, and the vectors with `$float`, `$int`, `$bytes`, `$map`. */
export function untag(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(untag);
  if (value === null || typeof value !== "object") return value;
  const { $py, v, b64, $float, $int, $bytes, $map } = value as Record<string, string>;
  const pairs = (list: unknown) =>
    (list as [unknown, unknown][]).map(([key, item]) => [untag(key), untag(item)] as const);
  if ($py === "float" || $float !== undefined) {
    const text = String(v ?? $float).replace("inf", "Infinity").replace("nan", "NaN");
    return Number.isInteger(Number(text)) ? new Float(Number(text)) : Number(text);
  }
  if ($py === "int" || $int !== undefined) return BigInt(v ?? $int ?? "");
  if ($py === "bytes") return Uint8Array.from(atob(b64 ?? ""), (character) => character.charCodeAt(0));
  if ($bytes !== undefined) {
    return Uint8Array.from($bytes.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  }
  if ($py === "tuple") return Tuple.from((v as unknown as unknown[]).map(untag));
  if ($py === "dict") return new Map(pairs(v));
  if ($py === "odict") return new OrderedMap(pairs(v));
  if ($map !== undefined) return new Map(pairs($map));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, untag(item)]));
}
