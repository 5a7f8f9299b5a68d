import { calledWith } from "./low.ts";
import type { Load } from "../load.ts";
import type { AccessServices } from "./access_services.ts";
import { type Caller, notPermitted, unproven } from "./callers.ts";

/** Salt's answer to text that is not a function name. */
const BAD_NAME = {
  error: { name: "SaltInvocationError", message: "A command invocation error occurred: Check syntax." },
};

/** Returns the runner or wheel function of a load if its caller is permitted to call it, otherwise the answer that refuses the call. */
export async function authorizeCall(
  services: AccessServices,
  load: Load,
  form: "runner" | "wheel",
  low: Load,
): Promise<{ fun: string; caller: Caller } | { answer: unknown }> {
  const { callers, rules, log } = services;
  const caller = await callers.identify(load);
  if (caller === undefined) {
    log.warning(`${form} refused: caller not authenticated`, { user: load.user });
    return { answer: unproven(load) };
  }
  const { fun } = load;
  if (typeof fun !== "string" || !/^[A-Za-z_]\w*\.[A-Za-z_]\w*$/.test(fun)) return { answer: BAD_NAME };
  const { permissions } = caller;
  if (
    permissions !== undefined &&
    !rules.mayCall(permissions, form, { fun, ...calledWith(low) })
  ) {
    log.warning(`${form} refused: not permitted`, { user: caller.user, fun });
    return { answer: notPermitted(caller) };
  }
  return { fun, caller };
}
