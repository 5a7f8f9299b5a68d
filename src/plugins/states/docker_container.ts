import { messageOf } from "../../base/errors.ts";
import { CommandExecutionError } from "../../model/loader/family.ts";
import { bindArguments, parseSignature } from "../../model/loader/signature.ts";
import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunctions } from "../../model/loader/states.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { newContainer } from "../docker/create_options.ts";
import { needImage, networksOf } from "./docker/prepare.ts";
import { containerRunning } from "./docker/running.ts";
import { fails, nestedText } from "./outcome.ts";
import { ownKeywords } from "../keywords.ts";

type Values = Record<string, unknown>;

const REFUSED = ["watch_action", "start", "shutdown_timeout", "follow"];

/** What an error says, with what is known beside it. */
const errorText = (error: unknown): string => {
  const { info } = error as CommandExecutionError;
  return info === undefined ? messageOf(error) : `${messageOf(error)}. Additional info follows:\n\n${nestedText(info)}`;
};

async function run(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, bg, failhard, replace, force, skip_translate, ignore_collisions, validate_ip_addrs, client_timeout } =
    args;
  const kwargs = ownKeywords(args.kwargs);
  const refused = REFUSED.find((one) => one in kwargs);
  if (refused !== undefined) return outcome(name, false, `The '${refused}' argument is not supported`);
  if (args.image === null) return outcome(name, false, "The 'image' argument is required");
  const image = str(args.image);
  const ret = outcome(name, true, "");
  try {
    if (kwargs.networks !== undefined && kwargs.networks !== null) {
      kwargs.networks = await networksOf(context, kwargs.networks);
    }
    await needImage(context, ret, image, client_timeout);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return { ...ret, result: false, comment: error.message };
  }
  if (context.test) {
    // Without `bg` the run takes these two options for itself.
    const own = ["networks", ...(truthy(bg) ? [] : ["rm", "auto_remove"])];
    const options = Object.fromEntries(Object.entries(kwargs).filter(([key]) => !own.includes(key)));
    try {
      const checks = { checked: truthy(validate_ip_addrs), ignoreCollisions: truthy(ignore_collisions) };
      newContainer(image, options, checks);
    } catch (error) {
      return { ...ret, result: false, comment: `Encountered error running container: ${errorText(error)}` };
    }
    return { ...ret, result: null, comment: `Container would be run${truthy(bg) ? " in the background" : ""}` };
  }
  let remove = false;
  if (!truthy(bg)) {
    const given = ["auto_remove", "rm"].filter((one) => one in kwargs);
    if (given.length > 1 && !truthy(ignore_collisions)) {
      return { ...ret, result: false, comment: "'rm' is an alias for 'auto_remove', they cannot both be used" };
    }
    remove = truthy(kwargs[given[0] ?? ""] ?? false);
    for (const one of given) delete kwargs[one];
    if (given.length > 0) kwargs.auto_remove = false;
  }
  const options = { name, skip_translate, ignore_collisions, validate_ip_addrs, client_timeout, bg, replace, force };
  try {
    ret.changes = await context.call("docker.run_container", [image], { ...options, ...kwargs }) as Values;
    const { ExitCode: code } = ret.changes;
    if (truthy(bg)) ret.comment = "Container was run in the background";
    else if (code !== undefined) {
      ret.result = !(truthy(failhard) && code !== 0);
      ret.comment = `Container ran and exited with a return code of ${str(code)}`;
    }
  } catch (error) {
    return { ...ret, result: false, comment: `Encountered error running container: ${errorText(error)}` };
  }
  if (remove && truthy(ret.changes.Id ?? null)) {
    try {
      await context.call("docker.rm", [ret.changes.Id]);
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      ret.warnings = [`Failed to auto_remove container: ${error.message}`];
    }
  }
  return ret;
}

/** Containers by their state; `absent` for none. */
async function byState(context: StateContext, names: string[]): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const name of names) {
    let state = "absent";
    try {
      state = str(await context.call("docker.state", [name]));
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
    }
    (found[state] ??= []).push(name);
  }
  return found;
}

async function stopped(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, containers, shutdown_timeout: timeout, unpause, error_on_absent } = args;
  if (!truthy(name) && !truthy(containers)) {
    return outcome(name, false, "One of 'name' and 'containers' must be provided");
  }
  if (containers !== null && !Array.isArray(containers)) return outcome(name, false, "containers must be a list");
  const targets = (containers === null ? [name] : containers).map(str);
  const found = await byState(context, targets);
  const { absent: gone = [], paused = [] } = found;
  const errors = [
    ...(truthy(error_on_absent) && gone.length > 0
      ? [`The following container(s) are absent: ${gone.join(", ")}`]
      : []),
    ...(!truthy(unpause) && paused.length > 0 ? [`The following container(s) are paused: ${paused.join(", ")}`] : []),
  ];
  if (errors.length > 0) return outcome(name, false, errors.join(". "));
  const stop = [...found.running ?? [], ...paused];
  if (stop.length === 0) {
    const which = targets.length === 1 ? `Container '${targets[0]}' is ` : "All specified containers are ";
    return outcome(name, true, `${which}${gone.length > 0 ? "absent or " : ""}not running`);
  }
  if (context.test) {
    return outcome(name, null, `The following container(s) will be stopped: ${stop.join(", ")}`);
  }
  const changes: Values = {};
  const failed: string[] = [];
  for (const target of stop) {
    const options = { unpause, ...(truthy(timeout) ? { timeout } : {}) };
    const done = await context.call("docker.stop", [target], options) as Values;
    if (done.result === true) changes[target] = done;
    else failed.push(str(done.comment ?? `Failed to stop container '${target}'`));
  }
  return failed.length > 0
    ? outcome(name, false, failed.join("; "), changes)
    : outcome(name, true, `The following container(s) were stopped: ${stop.join(", ")}`, changes);
}

const CHECKS = "skip_translate=None, ignore_collisions=False, validate_ip_addrs=True";
const RUNNING = `image=None, ${CHECKS}, force=False, watch_action='force', start=True, shutdown_timeout=None,
  client_timeout=60, networks=None, **kwargs` as const;

const WATCHES = {
  running: RUNNING,
  run: `image=None, bg=False, failhard=True, replace=False, force=False, ${CHECKS}, client_timeout=60, **kwargs`,
  stopped: "containers=None, shutdown_timeout=None, unpause=False, error_on_absent=True, **kwargs",
} as const;

/** The arguments of a function that a watch stands for. */
const bound = (fun: "running" | "stopped" | "run", given: Values): Args =>
  bindArguments(fun, parseSignature(`name, ${WATCHES[fun]}`), [], new Map(Object.entries(given)));

export const states: StateModule = {
  functions: stateFunctions({
    [`running(name, ${RUNNING})` as const]: {
      doc: "The container runs, with this configuration; one with another is replaced.",
      run: containerRunning,
    },
    [`run(name, ${WATCHES.run})` as const]: { doc: "A container is run to its end.", run },
    [`stopped(name=None, ${WATCHES.stopped})` as const]: {
      doc: "The containers do not run.",
      run: stopped,
    },
    "absent(name, force=False)": {
      doc: "There is no such container.",
      async run(context, { name, force }) {
        const isThere = async () =>
          (await context.call("docker.list_containers", [], { all: true }) as unknown[]).includes(name);
        if (!await isThere()) return outcome(name, true, `Container '${str(name)}' does not exist`);
        const before = await context.call("docker.state", [name]);
        if (before !== "stopped" && !truthy(force)) {
          return outcome(name, false, "Container is running, set force to True to forcibly remove it");
        }
        if (context.test) return outcome(name, null, `Container '${str(name)}' will be removed`);
        const removed = await context.call("docker.rm", [name], { force }).catch(
          fails(`Failed to remove container '${str(name)}': `, messageOf),
        );
        if (await isThere()) return outcome(name, false, `Failed to remove container '${str(name)}'`, { removed });
        const how = truthy(force) && before !== "stopped" ? "Forcibly" : "Successfully";
        return outcome(name, true, `${how} removed container '${str(name)}'`, { removed });
      },
    },
    "mod_watch(name, sfun=None, **kwargs)": {
      doc: "Replaces the container, or sends it the signal `watch_action`; runs or stops it again.",
      async run(context, { name, sfun, kwargs }) {
        const given = ownKeywords(kwargs);
        const force = (given.watch_action ?? "force") === "force";
        if (sfun === "running") {
          const how = force ? { force: true } : { send_signal: true, force: false };
          return await containerRunning(context, bound(sfun, { name, ...given, ...how }));
        }
        if (sfun === "stopped") return await stopped(context, bound(sfun, { name, ...given }));
        if (sfun === "run") return await run(context, bound(sfun, { name, ...given }));
        return outcome(name, false, `watch requisite is not implemented for ${str(sfun)}`);
      },
    },
  }),
};
