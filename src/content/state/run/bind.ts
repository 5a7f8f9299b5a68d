import { SaltInvocationError } from "../../../model/loader/family.ts";
import type { Args } from "../../../language/python/values.ts";
import { defaultArguments, parametersOf } from "../../../model/loader/signature.ts";
import type { LoadedState } from "../../../model/loader/state_table.ts";
import type { LowChunk } from "../../../model/loader/states.ts";
import { RUNNER_KEYWORDS } from "../keywords.ts";

/**
 * The arguments of a state function. Its named parameters get the chunk's values of the same names; its `**kwargs` gets the
 * rest of the chunk without the runner's own keywords.
 *
 * @throws {SaltInvocationError} for an argument that a function without `**kwargs` does not have
 */
export function bindState({ name, signature }: LoadedState, low: LowChunk): Args {
  const bound = defaultArguments(signature);
  const parameters = parametersOf(signature);
  const rest: [string, unknown][] = [];
  for (const key of Object.keys(low)) {
    if (parameters.has(key)) bound[key] = low[key];
    else if (!RUNNER_KEYWORDS.has(key)) rest.push([key, low[key]]);
  }
  if (rest.length === 0) return bound;
  const { keywords } = signature;
  if (keywords === undefined) throw new SaltInvocationError(unknownArguments(rest.map(([key]) => key), name));
  bound[keywords] = Object.fromEntries(rest);
  return bound;
}

function unknownArguments(names: readonly string[], full: string): string {
  const quoted = names.map((name) => `'${name}'`);
  if (quoted.length === 1) return `${quoted[0]} is an invalid keyword argument for '${full}'`;
  return `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)} are invalid keyword arguments for '${full}'`;
}
