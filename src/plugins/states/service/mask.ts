import { hasFunction, outcome, type StateContext, type StateReturn } from "../../../model/loader/states.ts";
import { truthy } from "../../../language/python/values.ts";
import { commandError } from "../outcome.ts";
import { isSystemd } from "./systemd_only.ts";

/** Masks a service or takes the mask away. The mask that lasts until the next boot is another than the lasting one. */
export async function setMasked(
  context: StateContext,
  name: unknown,
  wanted: boolean,
  runtime: boolean,
): Promise<StateReturn> {
  const offline = await hasFunction(context, "service.offline") && truthy(await context.call("service.offline"));
  if (!isSystemd(context) && !offline || !await hasFunction(context, "service.masked")) {
    return outcome(name, false, "Service masking not available on this minion");
  }
  const kind = runtime ? "runtime masked" : "masked";
  const action = wanted ? kind : runtime ? "runtime unmasked" : "unmasked";
  const changes = { [kind]: { old: !wanted, new: wanted } };
  const asWanted = async () => Boolean(await context.call("service.masked", [name, runtime])) === wanted;
  try {
    if (await asWanted()) return outcome(name, true, `Service ${name} ${wanted ? "is" : "was"} already ${action}`);
    if (context.test) return outcome(name, null, `Service ${name} would be ${action}`, changes);
    await context.call(wanted ? "service.mask" : "service.unmask", [name, runtime]);
    // Salt calls it a success even where it was not.
    return await asWanted()
      ? outcome(name, true, `Service ${name} was ${action}`, changes)
      : outcome(name, true, `Failed to ${wanted ? "mask" : "unmask"} service ${name}`);
  } catch (error) {
    return outcome(name, false, commandError(error));
  }
}
