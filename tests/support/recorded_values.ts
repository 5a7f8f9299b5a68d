/** Values of `tests/golden-states`, where an object with `$py` stands for what JSON does not have. */
import { Float, tupleOf } from "../../src/language/python/values.ts";
import { DateTime } from "../../src/protocol/wire/msgpack_values.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const READ: Record<string, (value: { v?: Json; b64?: string }) => unknown> = {
  float: ({ v }) => {
    const number = v === "inf" ? Infinity : v === "-inf" ? -Infinity : Number(v);
    return Number.isInteger(number) ? new Float(number) : number;
  },
  int: ({ v }) => BigInt(v as string),
  bytes: ({ b64 }) => Uint8Array.from(atob(b64!), (character) => character.charCodeAt(0)),
  tuple: ({ v }) => tupleOf((v as Json[]).map(recordedValue)),
  set: ({ v }) => new Set((v as Json[]).map(recordedValue)),
  dict: ({ v }) => new Map((v as [Json, Json][]).map(([key, value]) => [recordedValue(key), recordedValue(value)])),
  datetime: ({ v }) => new DateTime(Date.parse(`${String(v).replace(" ", "T")}Z`)),
  other: ({ v }) => v,
};

/** The value that a recorded one stands for. */
export function recordedValue(json: Json): unknown {
  if (Array.isArray(json)) return json.map(recordedValue);
  if (typeof json !== "object" || json === null) return json;
  if (typeof json.$py === "string") return READ[json.$py]!(json);
  return new Map(Object.entries(json).map(([key, value]) => [key, recordedValue(value)]));
}
