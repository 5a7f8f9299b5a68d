import { bind, type Bound } from "../signature.ts";
import type { Filter, Run } from "../runtime.ts";

type Parameter = string | [name: string, otherwise: unknown];

/**
 * A filter with named parameters; the first is the value in front of the bar.
 *
 * @param name of the function that it is in Python, for messages
 */
export function filter(
  name: string,
  parameters: readonly Parameter[],
  call: (bound: Bound, run: Run) => unknown,
): Filter {
  return (run, value, args, keywords) => call(bind(name, parameters, [value, ...args], keywords), run);
}
