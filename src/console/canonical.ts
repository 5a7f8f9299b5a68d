import { isRecord } from "../base/record.ts";
import { isStateRun } from "./state_run.ts";

/** The most levels of a value; deeper ones are cut: they come from minions, and must not exhaust the stack. */
const MAX_DEPTH = 200;
/** The fields of a state's result that differ between two equal runs. */
const TIMES: ReadonlySet<string> = new Set(["duration", "start_time"]);

/**
 * A value with sorted keys in all mappings and, in the results of states, without times: two minions that did the same
 * have equal values.
 */
function canonicalValue(value: unknown): unknown {
  return isStateRun(value) ? ordered(value, 0, 2) : ordered(value, 0, -1);
}

/** @param timeless the depth of the mappings whose times are left out */
function ordered(value: unknown, depth: number, timeless: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return "…";
  if (Array.isArray(value)) return value.map((one) => ordered(one, depth + 1, timeless));
  if (!isRecord(value)) return value;
  const keys = Object.keys(value).sort();
  const kept = depth + 1 === timeless ? keys.filter((key) => !TIMES.has(key)) : keys;
  // A key may be `__proto__`: fromEntries() makes it a property like any other.
  return Object.fromEntries(kept.map((key) => [key, ordered(value[key], depth + 1, timeless)]));
}

/** {@link canonicalValue} as a text, which is the same only for equal values. */
export const canonicalText = (value: unknown): string => JSON.stringify(canonicalValue(value)) ?? "";

/** A value as lines that can be compared: a text by its own lines, anything else as JSON. */
export function linesOfValue(value: unknown): string[] {
  if (typeof value === "string") return value.replace(/\n$/, "").split("\n");
  return (JSON.stringify(canonicalValue(value), null, 2) ?? "").split("\n");
}
