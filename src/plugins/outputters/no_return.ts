import { isMap, str } from "../../language/python/values.ts";
import { printable } from "../../base/printable.ts";
import { colorsOf } from "./colors.ts";
import { comparableEntries } from "./nested.ts";
import type { OutputOptions } from "./outputter.ts";

/** Shows minions that did not return: their ids, and the reason in red. */
export function noReturnOutput(data: unknown, options: OutputOptions): string {
  const { CYAN, RED, ENDC } = colorsOf(options);
  const display = (value: unknown, indent: string): string => {
    if (typeof value === "string") {
      return value.split("\n").map((line) => `${RED}${indent}${line}${ENDC}\n`).join("");
    }
    if (!isMap(value)) return "";
    return comparableEntries(value)
      .map(([key, item]) => `${CYAN}${indent}${printable(str(key))}${ENDC}:\n${display(item, `${indent}    `)}`).join(
        "",
      );
  };
  return display(data, "");
}
