import { entriesOf, isMap, str } from "../../language/python/values.ts";
import { colorsOf } from "./colors.ts";
import { sortedEntries } from "./nested.ts";
import type { OutputOptions } from "./outputter.ts";

/** Shows stages by name, each with its settings. */
export function overstatestage(data: unknown, options: OutputOptions): string {
  if (!Array.isArray(data)) throw new TypeError("Cannot show stages: expected a list");
  const { LIGHT_BLUE, ENDC } = colorsOf(options);
  return data.flatMap((part) => isMap(part) ? entriesOf(part) : []).map(([name, stage]) => {
    const settings = isMap(stage) ? sortedEntries(stage) : [];
    const lines = settings.map(([key, value]) => `    ${LIGHT_BLUE}${str(key)}: ${str(value)}${ENDC}\n`);
    return `${LIGHT_BLUE}${str(name)}: ${ENDC}\n${lines.join("")}`;
  }).join("");
}
