import type { Context } from "../../model/loader/family.ts";
import type { StateModule } from "../../model/loader/states.ts";

/** True if this host has an execution function of that name (`"mod.fun" in __salt__`). */
export async function hasFunction(context: Pick<Context, "functions">, name: string): Promise<boolean> {
  return "signature" in await context.functions.find(name);
}

/** For state modules that are there only where an execution function is. @param why they are not, otherwise */
export const needs = (fun: string, why = ""): NonNullable<StateModule["virtual"]> => async (context) =>
  await hasFunction(context, fun) || { unavailable: why };
