import type { Context } from "../../model/loader/context.ts";

/** True if this host has an execution function of that name (`"mod.fun" in __salt__`). */
export async function hasFunction(context: Pick<Context, "functions">, name: string): Promise<boolean> {
  return "signature" in await context.functions.find(name);
}
