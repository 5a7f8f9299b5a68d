import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";
import { functionOf } from "./chunk.ts";

/**
 * The return of a state that the option `global_state_conditions` skips: the option has targets for the function, its module or
 * `*`, and none of them matches this minion.
 *
 * @returns undefined if the state is to run
 */
export async function globallySkipped(context: StateContext): Promise<StateReturn | undefined> {
  const { global_state_conditions: conditions } = context.opts;
  if (!isMap(conditions)) return undefined;
  const { low } = context;
  const names = ["*", functionOf(low), low.state];
  const targets = entriesOf(conditions).filter(([pattern]) => names.includes(pattern)).flatMap(([, one]) =>
    typeof one === "string" ? [one] : Array.isArray(one) ? one : []
  );
  for (const target of targets) {
    if (truthy(await context.call("match.compound", [str(target)]) ?? null)) return undefined;
  }
  if (targets.length === 0) return undefined;
  const comment = "Failed to meet global state conditions. State not called.";
  return { name: low.name, comment, changes: {}, result: null };
}
