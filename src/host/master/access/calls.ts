import { splitArguments } from "../../../model/job/args.ts";
import type { Load } from "../load.ts";
import type { Call } from "./acl.ts";

/** Returns the functions of a load with their arguments, bound as minions bind them: permissions are checked against these alone. */
export function callsOf({ fun, arg }: Load): Call[] {
  const parts = Array.isArray(arg) ? arg : [];
  const several = Array.isArray(fun);
  return [fun].flat().map((name, at) => {
    const given: unknown = several ? parts[at] : parts;
    const { positional, named } = splitArguments(Array.isArray(given) ? given : []);
    const kwargs = Object.fromEntries(named.filter(([name]) => typeof name === "string"));
    return { fun: String(name), args: positional, kwargs };
  });
}
