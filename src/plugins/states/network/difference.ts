import { textsOf } from "../../../language/python/values.ts";
import { unifiedDiff } from "../../../language/python/difflib.ts";

/** How lines differ; they keep their ends, and stand a line apart, as Salt shows them. */
export const difference = (old: unknown, now: unknown): string =>
  unifiedDiff(textsOf(old), textsOf(now), { lineEnd: "" }).join("\n");
