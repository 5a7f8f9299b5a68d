/** What follows a run: `watch`, and a beacon that watches the service itself. */
import type { StateContext, StateReturn } from "../../../model/loader/states.ts";
import { hasFunction, outcome, stateFunction } from "../../../model/loader/states.ts";
import { isMap, type KeywordArgs, lookup, truthy } from "../../../language/python/values.ts";
import { fails } from "../outcome.ts";
import { delay } from "./activity.ts";
import { systemdArguments } from "./mask.ts";

interface Action {
  fun: string;
  verb: string;
}

/** What is done to a service that is watched: what runs is restarted or reloaded, what does not is started. */
async function actionOf(context: StateContext, args: KeywordArgs, runs: boolean): Promise<Action> {
  const has = (name: string) => hasFunction(context, `service.${name}`);
  if (!runs) return { fun: "start", verb: "start" };
  if (truthy(args.reload) && await has("reload")) {
    return truthy(args.force) && await has("force_reload")
      ? { fun: "force_reload", verb: "forcefully reload" }
      : { fun: "reload", verb: "reload" };
  }
  if (truthy(args.full_restart) && await has("full_restart")) return { fun: "full_restart", verb: "fully restart" };
  return { fun: "restart", verb: "restart" };
}

/** `service.mod_watch` */
export const watch = stateFunction({
  signature: "name, sfun=None, sig=None, reload=False, full_restart=False, init_delay=None, force=False, **kwargs",
  doc: "Restarts or reloads a running service, starts one that is stopped, and stops one that shall be dead.",
  async run(context, args) {
    const { name, sfun, sig, kwargs } = args;
    if (sfun !== "dead" && sfun !== "running") {
      return outcome(name, false, `Unable to trigger watch for service.${sfun ?? "None"}`);
    }
    const asked = await systemdArguments(context, "service.status", kwargs);
    const runs = truthy(await context.call("service.status", [name, sig], asked));
    if (sfun === "dead" && !runs) return outcome(name, true, "Service is already stopped");
    const { fun, verb } = sfun === "dead" ? { fun: "stop", verb: "stop" } : await actionOf(context, args, runs);
    const past = verb === "stop" ? "stopped" : `${verb}ed`;
    if (context.test) return outcome(name, null, `Service is set to be ${past}`);
    // What is half dead is stopped for good before it is started.
    if (verb === "start" && await hasFunction(context, "service.stop")) await context.call("service.stop", [name]);
    const keyword = await systemdArguments(context, `service.${fun}`, kwargs);
    const result = await context.call(`service.${fun}`, [name], keyword).catch(fails()) as boolean;
    await delay(context, args.init_delay);
    const comment = truthy(result) ? `Service ${past}` : `Failed to ${verb} the service`;
    return outcome(name, result, comment, { [String(name)]: result });
  },
});

/** Has a beacon watch the service of a state with `beacon: true`. */
export async function serviceBeacon(context: StateContext, args: Record<string, unknown>): Promise<StateReturn> {
  const { name, sfun } = args;
  if (sfun !== "running" && sfun !== "dead") {
    return outcome(name, false, `service.${sfun} does not work with the beacon state function`);
  }
  if (!truthy(args.beacon)) return outcome(name, true, "Not adding beacon.");
  const data = isMap(args.beacon_data) ? args.beacon_data : {};
  const option = (key: string, otherwise: unknown) => lookup(data, key) ?? otherwise;
  return await context.callState("beacon.present", {
    name: `beacon_service_${name}`,
    services: {
      [String(name)]: {
        onchangeonly: option("onchangeonly", true),
        delay: option("delay", 0),
        emitatstartup: option("emitatstartup", false),
        uncleanshutdown: option("emitatstartup", null),
      },
    },
    interval: option("interval", 60),
    beacon_module: "service",
  });
}
