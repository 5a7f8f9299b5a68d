import { isRecord } from "../base/record.ts";
import { isStateRun } from "./state_run.ts";

/** Deeper values are cut: they come from minions, and a call for each level must not exhaust the stack. */
const DEEPEST = 200;
/** What differs between two runs of the same state that did the same. */
const TIMES: ReadonlySet<string> = new Set(["duration", "start_time"]);

/**
 * A value with the keys of all mappings in one order and, in the results of states, without their times: two minions that
 * did the same have equal ones.
 */
export function canonicalValue(value: unknown): unknown {
  return isStateRun(value) ? ordered(value, 0, 2) : ordered(value, 0, -1);
}

/** @param timeless the depth of the mappings whose times are left out */
function ordered(value: unknown, depth: number, timeless: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEEPEST) return "…";
  if (Array.isArray(value)) return value.map((one) => ordered(one, depth + 1, timeless));
  if (!isRecord(value)) return value;
  const keys = Object.keys(value).sort();
  const kept = depth + 1 === timeless ? keys.filter((key) => !TIMES.has(key)) : keys;
  // A key may be `__proto__`: fromEntries() makes it a property like any other.
  return Object.fromEntries(kept.map((key) => [key, ordered(value[key], depth + 1, timeless)]));
}

/** {@link canonicalValue} as a text: equal for equal values, and for no others. */
export const canonicalText = (value: unknown): string => JSON.stringify(canonicalValue(value)) ?? "";

/** A value as lines that can be compared: a text by its own lines, anything else as JSON. */
export function linesOfValue(value: unknown): string[] {
  if (typeof value === "string") return value.replace(/\n$/, "").split("\n");
  return (JSON.stringify(canonicalValue(value), null, 2) ?? "").split("\n");
}
