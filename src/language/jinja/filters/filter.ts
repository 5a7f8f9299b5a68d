import { bind, type Bound } from "../signature.ts";
import type { Filter, Run } from "../runtime.ts";

type Parameter = string | [name: string, otherwise: unknown];

/**
 * Makes a filter with named parameters; the first parameter is the value before the bar.
 *
 * @param name the filter's function in Python, for messages
 */
export function filter(
  name: string,
  parameters: readonly Parameter[],
  call: (bound: Bound, run: Run) => unknown,
): Filter {
  return (run, value, args, keywords) => call(bind(name, parameters, [value, ...args], keywords), run);
}
