import { unifiedDiff } from "../../../language/python/difflib.ts";
import { str } from "../../../language/python/repr.ts";

const linesOf = (value: unknown): string[] => Array.isArray(value) ? value.map(str) : [];

/** How lines differ; they keep their ends, and stand a line apart, as Salt shows them. */
export const difference = (old: unknown, now: unknown): string =>
  unifiedDiff(linesOf(old), linesOf(now), { lineEnd: "" }).join("\n");
