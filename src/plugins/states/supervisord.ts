import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { hasFunction, outcome, stateFunctions } from "../../model/loader/states.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";

/** Process → its state, as `supervisord.status` has it. */
type Processes = Record<string, { state: string }>;

const STOPPED = ["STOPPED", "STOPPING", "EXITED", "FATAL", "BACKOFF"];
/** What supervisorctl calls an error and is none. */
const HARMLESS = ["already started", "not running", "process group already active"];

/** A failure that supervisorctl tells of, or that something was done. */
function judged(said: unknown, comment: string): Pick<StateReturn, "comment"> & { result?: false } {
  const text = str(said);
  const fails = text.includes("ERROR") && !HARMLESS.some((one) => text.includes(one));
  return fails ? { comment: text, result: false } : { comment };
}

const isGroup = (all: Processes, name: string): boolean =>
  name.endsWith(":") && Object.keys(all).some((one) => one.slice(0, one.indexOf(":") + 1) === name);

function matching(all: Processes, name: string): string[] {
  if (Object.hasOwn(all, name)) return [name];
  return isGroup(all, name) ? Object.keys(all).filter((one) => one.startsWith(name)) : [];
}

/** What a dry run says. */
function foreseen(name: string, all: Processes): StateReturn {
  const found = matching(all, name);
  const start = found.filter((one) => all[one]!.state.toLowerCase() !== "running");
  const group = name.endsWith(":");
  if (found.length === 0) {
    return outcome(name, null, `${group ? `Group '${name}'` : `Service ${name}`} will be added and started`);
  }
  if (start.length === 0) {
    return outcome(
      name,
      true,
      group ? `All services in group '${name}' are already running` : `Service ${name} is already running`,
    );
  }
  if (!group) return outcome(name, null, `Service ${name} will be started`);
  return outcome(
    name,
    null,
    start.length === found.length
      ? `All services in group '${name}' will be started`
      : `The following services will be started: ${start.join(" ")}`,
  );
}

async function running(context: StateContext, args: Args): Promise<StateReturn> {
  const name = str(args.name).replace(/:\*$/, ":");
  if (!await hasFunction(context, "supervisord.status")) {
    return outcome(name, false, "Supervisord module not activated. Do you need to install supervisord?");
  }
  const place = { user: args.user, conf_file: args.conf_file, bin_env: args.bin_env };
  const all = await context.call("supervisord.status", [], place) as Processes;
  if (context.test) return foreseen(name, all);
  const found = matching(all, name);
  const changes: string[] = [];
  const ret = outcome(name, true, "");
  let updated = false;
  if (truthy(args.update)) {
    const said = await context.call("supervisord.update", [], place);
    Object.assign(ret, judged(said, "Updating supervisor"));
    updated = str(said).includes(`${name}: updated`);
  } else if (found.length === 0) {
    await context.call("supervisord.reread", [], place);
    const comment = `Adding service: ${name}`;
    Object.assign(ret, judged(await context.call("supervisord.add", [name], place), comment));
    changes.push(comment);
  }
  const kind = isGroup(all, name) ? " group" : Object.hasOwn(all, name) ? " service" : "";
  const stopped = found.some((one) => STOPPED.includes(all[one]!.state));
  if (found.length > 0 && !stopped) {
    if (truthy(args.restart) && !updated) {
      const comment = `Restarting${kind}: ${name}`;
      Object.assign(ret, judged(await context.call("supervisord.restart", [name], place), comment));
      changes.push(comment);
    } else ret.comment = `Not starting ${updated ? "updated" : "already running"}${kind}: ${name}`;
  } else if (!updated) {
    const comment = `Starting${kind}: ${name}`;
    changes.push(comment);
    Object.assign(ret, judged(await context.call("supervisord.start", [name], place), comment));
  }
  if (ret.result === true && changes.length > 0) ret.changes[name] = changes.join(" ");
  return ret;
}

const PLACE = "user=None, conf_file=None, bin_env=None, **kwargs";

export const states: StateModule = {
  functions: stateFunctions({
    [`running(name, restart=False, update=False, ${PLACE})` as const]: {
      doc: "The process, or the group with a colon behind it, runs.",
      run: running,
    },
    [`dead(name: str, ${PLACE})` as const]: {
      doc: "The process does not run.",
      async run(context, args) {
        const name = args.name;
        if (context.test) return outcome(name, null, `Service ${name} is set to be stopped`);
        const place = { user: args.user, conf_file: args.conf_file, bin_env: args.bin_env };
        const all = await context.call("supervisord.status", [], place) as Processes;
        const found = isGroup(all, name) ? matching(all, name) : Object.hasOwn(all, name) ? [name] : [];
        if (found.length === 0) return outcome(name, true, `Service ${name} doesn't exist`);
        if (found.some((one) => STOPPED.includes(all[one]!.state))) {
          return outcome(name, true, `Service ${name} is not running`);
        }
        await context.call("supervisord.stop", [name], place);
        const comment = `Stopping service: ${name}`;
        return outcome(name, true, comment, { [name]: comment });
      },
    },
    [`mod_watch(name, restart=True, update=False, ${PLACE})` as const]: {
      doc: "Restarts the process.",
      run: running,
    },
  }),
};
