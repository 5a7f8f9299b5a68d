import { codeOf } from "../../base/errors.ts";
import { yamlifyArg } from "../../model/job/args.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { executionFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { entriesOf, isMap, lookup, str, truthy } from "../../language/python/values.ts";

/** Milliseconds between two polls for returns. */
const LOOK_MS = 300;

const ABOUT = "The master's option `peer` says what a minion may publish; what it does not allow returns an empty " +
  "map.\narg: the arguments, as a list or one by one between commas. returner: where the returns go as well. " +
  "timeout: seconds to wait for them";

function positionalOf(arg: unknown): unknown[] {
  const value = typeof arg === "string" ? yamlifyArg(arg) : arg;
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** Publishes, and collects returns until all have answered or the time is over: minion → `{ret, out?}`. */
async function publish(context: JobContext, args: Record<string, unknown>): Promise<Map<unknown, unknown> | string> {
  const { tgt, tgt_type, returner, via_master } = args;
  const fun = str(args.fun);
  const { master, opts, runtime: { clock } } = context;
  if (master === undefined) {
    context.log.error("nothing published: there is no master");
    return new Map();
  }
  if (truthy(via_master) && ![opts.master].flat().map(String).includes(str(via_master))) {
    throw new SaltInvocationError(`Could not find match for ${str(via_master)} in the masters of this minion`);
  }
  // The master would refuse it: each minion would make the next one publish.
  if (fun.startsWith("publish.")) return new Map();
  const seconds = Number(args.timeout);
  if (!Number.isFinite(seconds)) throw new SaltInvocationError(`timeout must be a number, not '${str(args.timeout)}'`);
  const id = opts.id;
  let published: unknown;
  try {
    published = await master.request({
      cmd: "minion_pub",
      fun,
      arg: positionalOf(args.arg),
      tgt,
      tgt_type,
      ret: returner,
      tmo: seconds,
      form: "clean",
      id,
      no_parse: Array.isArray(opts.no_parse) ? opts.no_parse : [],
    });
  } catch (error) {
    if (codeOf(error) === "TIMEOUT") return `'${fun}' publish timed out`;
    throw error;
  }
  if (!isMap(published) || !truthy(published)) return new Map();
  const expected = lookup(published, "minions");
  const count = Array.isArray(expected) ? expected.length : 0;
  const jid = lookup(published, "jid");
  for (let waited = 0;; waited += LOOK_MS) {
    const found = await master.request({ cmd: "pub_ret", id, jid });
    const returned = isMap(found) ? new Map(entriesOf(found)) : new Map();
    if (returned.size >= count || waited > seconds * 1000) return returned;
    await clock.sleep(LOOK_MS, context.signal);
  }
}

const SIGNATURE = "tgt, fun, arg=None, tgt_type='glob', returner='', timeout=5";

/** Jobs that a minion publishes to other minions. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    [`publish(${SIGNATURE}, via_master=None)` as const]: {
      doc:
        `Runs a function on minions and returns minion → return.\n\n    salt web1 publish.publish 'db*' test.ping\n\n${ABOUT}`,
      async run(context, args) {
        const found = await publish(context, args);
        if (typeof found === "string") return found;
        return new Map([...found].map(([id, entry]) => [id, isMap(entry) ? lookup(entry, "ret") : entry]));
      },
    },
    [`full_data(${SIGNATURE})` as const]: {
      doc: "Runs a function on minions and returns minion → {ret, out}.\n\n" +
        `    salt web1 publish.full_data 'db*' test.ping\n\n${ABOUT}`,
      run: (context, args) => publish(context, args),
    },
    "runner(fun, arg=None, timeout=5)": {
      doc: "Runs a runner on the master, if its option `peer_run` allows it.\n\n" +
        "    salt web1 publish.runner manage.down",
      async run(context, { fun, arg, timeout }) {
        const { master, opts } = context;
        if (master === undefined) return "No access to master. If using salt-call with --local, please remove.";
        try {
          return await master.request({
            cmd: "minion_runner",
            fun,
            arg: positionalOf(arg),
            tmo: timeout,
            id: opts.id,
            no_parse: Array.isArray(opts.no_parse) ? opts.no_parse : [],
          });
        } catch (error) {
          if (codeOf(error) === "TIMEOUT") return `'${str(fun)}' runner publish timed out`;
          throw error;
        }
      },
    },
  }),
};
