/** The states `service.running` and `service.dead`. */
import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { hasFunction, outcome, stateFunction } from "../../../model/loader/states.ts";
import { isTrue, truthy } from "../../../language/python/values.ts";
import { fails } from "../outcome.ts";
import { setEnabled, unavailable } from "./boot.ts";
import { setMasked, systemdArguments } from "./mask.ts";

type Args = { name: unknown; enable: unknown; sig: unknown; init_delay: unknown; kwargs: Record<string, unknown> };

/** Waits after a start or a stop, as `init_delay` asks; ends when the job does. */
export async function delay(context: StateContext, seconds: unknown): Promise<void> {
  if (truthy(seconds)) await context.runtime.clock.sleep(Number(seconds) * 1000, context.signal);
}

/** What decides before anything is looked at; undefined to go on. */
async function refused(context: StateContext, { name, kwargs }: Args, would: string): Promise<StateReturn | undefined> {
  if (Object.hasOwn(kwargs, "enabled")) {
    return outcome(
      name,
      false,
      `Service ${name} uses non-existent option "enabled".  Perhaps "enable" option was intended?`,
    );
  }
  if (await hasFunction(context, "service.offline") && truthy(await context.call("service.offline"))) {
    return outcome(name, true, "Running in OFFLINE mode. Nothing to do");
  }
  const missing = await unavailable(context, name).catch(fails());
  if (missing === undefined) return undefined;
  if (context.test) {
    return outcome(
      name,
      null,
      `Service ${name} not present; if created in this state run, it would have been ${would}`,
    );
  }
  return { ...outcome(name, true, ""), ...missing };
}

/** `enable` as the state means it: null to leave it is. */
const wanted = (enable: unknown): boolean | null =>
  typeof enable === "string" ? isTrue(enable) : enable as boolean | null;

async function startsAtBoot(context: StateContext, name: unknown): Promise<boolean> {
  return await hasFunction(context, "service.enabled") ? truthy(await context.call("service.enabled", [name])) : true;
}

/** Adds what becomes of `enable` to the return of a service whose state was just changed. */
async function withBoot(
  context: StateContext,
  ret: StateReturn,
  { name, enable, kwargs }: Args,
  started: boolean,
  result: boolean,
): Promise<StateReturn> {
  const boot = wanted(enable);
  if (boot !== true && boot !== false) return ret;
  return { ...ret, ...await setEnabled(context, name, boot, { kwargs, started, result }) };
}

/** The return for a service that is as it should be, but for whether it starts at boot. */
async function asItIs(context: StateContext, args: Args, atBoot: boolean, comment: string): Promise<StateReturn> {
  const boot = wanted(args.enable);
  const ret = outcome(args.name, true, comment);
  if ((boot !== true && boot !== false) || boot === atBoot) return ret;
  return { ...ret, ...await setEnabled(context, args.name, boot, { kwargs: args.kwargs }) };
}

const lines = (...texts: string[]): string => texts.filter((text) => text !== "").join("\n");

export const serviceRunning = stateFunction({
  signature: "name, enable=None, sig=None, init_delay=None, **kwargs",
  doc: "The service runs; with `enable` it also starts at boot, or does not.",
  async run(context, bound) {
    const args = bound;
    const { name, sig, init_delay: wait, kwargs } = args;
    const early = await refused(context, args, "started");
    if (early !== undefined) return early;
    const asked = await systemdArguments(context, "service.status", kwargs);
    const before = truthy(await context.call("service.status", [name, sig], asked));
    const bootBefore = await startsAtBoot(context, name);
    const unmask = truthy(kwargs.unmask);
    const unmasked = unmask
      ? String((await setMasked(context, name, false, truthy(kwargs.unmask_runtime))).comment)
      : "";
    if (before) {
      return await asItIs(context, args, bootBefore, lines(`The service ${name} is already running`, unmasked));
    }
    if (context.test) return outcome(name, null, lines(`Service ${name} is set to start`, unmasked));
    const starting = await systemdArguments(context, "service.start", kwargs);
    if (!truthy(await context.call("service.start", [name], starting).catch(fails()))) {
      return await withBoot(context, outcome(name, false, `Service ${name} failed to start`), args, false, false);
    }
    await delay(context, wait);
    const after = truthy(await context.call("service.status", [name, sig], asked));
    const changed = bootBefore !== await startsAtBoot(context, name) || before !== after;
    let ret = outcome(
      name,
      after,
      after ? `Started service ${name}` : `Service ${name} failed to start`,
      changed ? { [String(name)]: after } : {},
    );
    ret = await withBoot(context, ret, args, after, after);
    if (truthy(wait)) ret.comment = `${ret.comment}\nDelayed return for ${wait} seconds`;
    if (unmask) ret.comment = `${ret.comment}\n${unmasked}`;
    return ret;
  },
});

export const dead = stateFunction({
  signature: "name, enable=None, sig=None, init_delay=None, **kwargs",
  doc: "The service does not run; with `enable` it also starts at boot, or does not.",
  async run(context, bound) {
    const args = bound;
    const { name, sig, init_delay: wait, kwargs } = args;
    const early = await refused(context, args, "stopped");
    // A service that does not exist is dead enough.
    if (early !== undefined) {
      return early.comment === `The named service ${name} is not available` ? { ...early, result: true } : early;
    }
    const asked = await systemdArguments(context, "service.status", kwargs);
    const before = truthy(await context.call("service.status", [name, sig], asked));
    const bootBefore = await startsAtBoot(context, name);
    if (!before) return await asItIs(context, args, bootBefore, `The service ${name} is already dead`);
    if (context.test) return outcome(name, null, `Service ${name} is set to be killed`);
    if (!truthy(await context.call("service.stop", [name], await systemdArguments(context, "service.stop", kwargs)))) {
      return await withBoot(context, outcome(name, false, `Service ${name} failed to die`), args, true, false);
    }
    await delay(context, wait);
    const after = truthy(await context.call("service.status", [name], asked));
    const changed = bootBefore !== await startsAtBoot(context, name) || before !== after;
    const ret = outcome(
      name,
      !after,
      after ? `Service ${name} failed to die` : `Service ${name} was killed`,
      changed ? { [String(name)]: after } : {},
    );
    return await withBoot(context, ret, args, after, !after);
  },
});
