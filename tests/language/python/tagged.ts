import { Float, mapOf, OrderedMap, toFloat, toInteger, Tuple } from "../../../src/language/python/values.ts";

/**
 * Reads a JSON text and keeps what `JSON.parse` loses: `1.0` is a float, integers may have any size, and keys keep their
 * order.
 */
export function parseFaithful(text: string): unknown {
  const tokens =
    text.match(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|-?Infinity|NaN|true|false|null|[[\]{}:,]/g) ?? [];
  let at = 0;
  const value = (): unknown => {
    const token = tokens[at++] ?? "";
    if (token === "[") return list("]", value);
    if (token === "{") {
      return mapOf(list("}", () => {
        const key = value();
        at++;
        return [key, value()] as const;
      }));
    }
    if (/^-?\d+$/.test(token)) return toInteger(BigInt(token));
    if (/^[-\dIN]/.test(token)) return toFloat(Number(token));
    return JSON.parse(token);
  };
  const list = <T>(close: string, item: () => T): T[] => {
    const items: T[] = [];
    while (tokens[at] !== close) {
      items.push(item());
      if (tokens[at] === ",") at++;
    }
    at++;
    return items;
  };
  return value();
}

/** Decodes a value written with tags: `$py` in the golden captures; `$float`, `$int`, `$bytes`, `$map` in the vectors. */
export function untag(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(untag);
  if (value === null || typeof value !== "object" || value instanceof Float) return value;
  if (value instanceof Map) return new Map(Array.from(value, ([key, item]) => [key, untag(item)]));
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
