import { hasFunction, outcome, type StateContext, type StateReturn } from "../../../model/loader/states.ts";
import { truthy } from "../../../language/python/values.ts";
import { commandError } from "../outcome.ts";
import type { Context } from "../../../model/loader/family.ts";
import { isDirectory } from "../../linux/paths.ts";

const ARGUMENTS = ["no_block", "unmask", "unmask_runtime"] as const;

const isSystemd = (context: Pick<Context, "runtime">): boolean =>
  isDirectory(context.runtime.fs, "/run/systemd/system");

/** Those of a state's arguments that systemd alone understands, if it runs here and the function takes them. */
export async function systemdArguments(
  context: Pick<Context, "runtime" | "functions">,
  fun: string,
  kwargs: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const found = await context.functions.find(fun);
  if (!isSystemd(context) || !("signature" in found)) return {};
  const taken = new Set(found.signature.params.map(({ name }) => name));
  return Object.fromEntries(
    ARGUMENTS.filter((name) => taken.has(name) && Object.hasOwn(kwargs, name)).map((name) => [name, kwargs[name]]),
  );
}

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
