import type { ProgramContext } from "../program/context.ts";

/**
 * True to print in colors: on a terminal that supports them, unless `--no-color` or the variable `NO_COLOR` (with any value:
 * no-color.org) turns them off. `--force-color` overrides all of these.
 */
export function inColor(
  { options, runtime: { process }, terminal }: Pick<ProgramContext, "options" | "runtime" | "terminal">,
): boolean {
  if (options.force_color === true) return true;
  return terminal && options.no_color !== true && !process.env("NO_COLOR") && process.env("TERM") !== "dumb";
}
