import type { ProgramContext } from "../program/context.ts";

/**
 * Whether to print in colours: on a terminal that has them, unless they are turned off (`--no-color`, or `NO_COLOR` in the
 * environment, whatever its value: no-color.org). `--force-color` goes before all of that.
 */
export function inColor(
  { options, runtime: { process }, terminal }: Pick<ProgramContext, "options" | "runtime" | "terminal">,
): boolean {
  if (options.force_color === true) return true;
  return terminal && options.no_color !== true && !process.env("NO_COLOR") && process.env("TERM") !== "dumb";
}
