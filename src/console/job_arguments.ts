import { isRecord } from "../base/record.ts";

/**
 * Splits the arguments of a recorded job into positional and keyword arguments. The record has the latter as a mapping with
 * the mark `__kwarg__`.
 */
export function argumentsOfRecord(arg: readonly unknown[]): { arg: unknown[]; kwarg: Record<string, unknown> } {
  const positional: unknown[] = [];
  const kwarg: Record<string, unknown> = {};
  for (const one of arg) {
    if (isRecord(one) && one.__kwarg__ === true) {
      for (const [name, value] of Object.entries(one)) if (name !== "__kwarg__") kwarg[name] = value;
    } else positional.push(one);
  }
  return { arg: positional, kwarg };
}

/** Arguments on one line, as on a command line. */
export function argumentText(arg: readonly unknown[]): string {
  const { arg: positional, kwarg } = argumentsOfRecord(arg);
  return [
    ...positional.map(textOf),
    ...Object.entries(kwarg).map(([name, value]) => `${name}=${textOf(value)}`),
  ].join(" ");
}

/** A value as it is typed on a command line: `True`, and not `true`. */
const textOf = (value: unknown): string => {
  if (typeof value === "string") return value;
  if (value === true) return "True";
  if (value === false) return "False";
  return value === null ? "None" : JSON.stringify(value) ?? "";
};
