import { entriesOf, isMap, mapOf, str } from "../../language/python/values.ts";
import { dumpJson } from "../../language/python/json_dump.ts";

/** A value as JSON can have it: bytes are text, keys are text. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (Array.isArray(value)) return value.map(plain);
  if (isMap(value)) return mapOf(entriesOf(value).map(([key, item]) => [str(key), plain(item)]));
  return value;
}

/** The data of an event as JSON, as Python writes it. */
export const eventJson = (data: unknown): string => dumpJson(plain(data));
