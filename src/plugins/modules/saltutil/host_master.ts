import { ORCHESTRATIONS } from "../../../model/job/function_name.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { CommandExecutionError, executionFunction, InvalidArgumentsError } from "../../../model/loader/family.ts";
import type { HostMaster } from "../../../model/loader/host_master.ts";
import { type Args, entriesOf, isMap, repr, str, truthy } from "../../../language/python/values.ts";
import { ownKeywords } from "../../keywords.ts";

export const COMMAND_KEYWORDS =
  "tgt, fun, arg=(), timeout=None, tgt_type='glob', ret='', kwarg=None, ssh=False, **kwargs";

export const COMMAND_DOC =
  "\n\narg, kwarg: its arguments. timeout: seconds of silence. ret: where the returns go as well\n" +
  "batch: on so many at once, 3 or 25%. subset: on so many, taken by chance";

function hostMaster(context: JobContext): HostMaster {
  if (context.hostMaster === undefined) {
    throw new CommandExecutionError("Only a minion on the host of a master can do this");
  }
  return context.hostMaster;
}

const mapOf = (name: string, value: unknown): Record<string, unknown> => {
  if (!truthy(value)) return {};
  if (!isMap(value)) throw new InvalidArgumentsError(`${name} must be a map, not ${repr(value)}`);
  return Object.fromEntries(entriesOf(value).map(([key, entry]) => [str(key), entry]));
};

export async function hostCommand(context: JobContext, args: Args): Promise<Record<string, unknown>> {
  if (truthy(args.ssh)) {
    throw new CommandExecutionError("Cannot run this over SSH: there is no agentless mode. Leave out ssh=True");
  }
  const { batch, subset, expect_minions, failhard, ret_config, ret_kwargs, _cmd_meta, ...named } = ownKeywords(
    args.kwargs,
  );
  const unknown = Object.keys(named)[0];
  if (unknown !== undefined) {
    throw new InvalidArgumentsError(`${unknown} is no option of this: arguments of the function go into kwarg`);
  }
  const timeoutS = args.timeout === null ? undefined : Number(args.timeout);
  if (timeoutS !== undefined && !(timeoutS >= 0)) {
    throw new InvalidArgumentsError(`timeout must be a number of seconds, not ${repr(args.timeout)}`);
  }
  if (truthy(batch) && !/^(?:\d+|%\d+(?:\.\d+)?|\d+(?:\.\d+)?%)$/.test(str(batch))) {
    throw new InvalidArgumentsError(`batch must be of the form 10% or 3, not ${repr(batch)}`);
  }
  const keyword = mapOf("kwarg", args.kwarg);
  const positional = Array.isArray(args.arg) ? args.arg : [args.arg];
  const { tgt } = args;
  const request = {
    tgt: Array.isArray(tgt) ? tgt.map(str) : args.tgt_type === "list" ? str(tgt).split(",") : str(tgt),
    tgt_type: str(args.tgt_type),
    fun: Array.isArray(args.fun) ? args.fun.map(str) : str(args.fun),
    arg: Object.keys(keyword).length === 0 ? positional : [...positional, { __kwarg__: true, ...keyword }],
    ret: str(args.ret),
  };
  return await hostMaster(context).command(request, {
    ...(timeoutS === undefined ? {} : { timeoutS }),
    ...(truthy(batch) ? { batch: str(batch) } : {}),
    ...(truthy(subset) ? { subset: Math.max(1, Number(subset)) } : {}),
    expectMinions: truthy(expect_minions ?? false),
    failhard: truthy(failhard ?? false),
    kwargs: Object.fromEntries(Object.entries({ ret_config, ret_kwargs }).filter(([, value]) => truthy(value ?? null))),
  });
}

/** Tells those who follow an orchestration what it calls. */
async function announce(context: JobContext, kwargs: unknown, call: Record<string, unknown>): Promise<void> {
  const { __orchestration_jid__: jid } = kwargs as Record<string, unknown>;
  if (typeof jid === "string") await hostMaster(context).fire(`salt/run/${jid}/args`, call);
}

export const runRunner = executionFunction({
  signature: "name: str, arg=None, kwarg=None, full_return: bool=False, saltenv='base', jid=None, **kwargs",
  doc: "Runs a runner of the master on this host.\n\n    salt master1 saltutil.runner jobs.list_jobs\n" +
    "    salt master1 saltutil.runner test.arg arg='[baz]' kwarg='{foo: bar}'\n\n" +
    "full_return: with the events that the master fires",
  async run(context, args): Promise<unknown> {
    const positional = args.arg === null ? [] : Array.isArray(args.arg) ? args.arg : [args.arg];
    const keyword = { ...mapOf("kwarg", args.kwarg), ...ownKeywords(args.kwargs) };
    const name = args.name;
    const { __orchestration_jid__: orchestration, __pub_user: user } = args.kwargs;
    // One that is called from an orchestration goes on with it.
    if (ORCHESTRATIONS.includes(name) && typeof orchestration === "string") keyword.orchestration_jid = orchestration;
    await announce(context, args.kwargs, { type: "runner", name, args: positional, kwargs: keyword });
    const data = await hostMaster(context).runner(
      name,
      positional,
      keyword,
      typeof user === "string" ? user : undefined,
    );
    return args.full_return ? data : data.return;
  },
});

export const runWheel = executionFunction({
  signature: "name: str, *args, **kwargs",
  doc: "Runs a wheel function on the master of this host, and returns the event of its end.\n\n" +
    "    salt master1 saltutil.wheel key.accept web1",
  async run(context, { name, args, kwargs }): Promise<unknown> {
    const keyword = ownKeywords(kwargs);
    await announce(context, kwargs, { type: "wheel", name, args: keyword });
    return await hostMaster(context).wheel(name, args, keyword);
  },
});
