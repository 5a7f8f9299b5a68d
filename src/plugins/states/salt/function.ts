import { messageOf } from "../../../base/errors.ts";
import { type StateContext, stateFunction, type StateReturn } from "../../../model/loader/states.ts";
import { type Args, isMap, str, truthy } from "../../../language/python/values.ts";
import { forgiven, jobOf, type MinionPart, outcomeOnMinions, returnParts } from "./minion_returns.ts";
import { commandKeywords, runOnMinions } from "./targets.ts";

/** The arguments as a list, and what is wrong with how they were given. */
function argumentsOf(arg: unknown): { arg: unknown[]; warnings: string[] } {
  if (typeof arg === "string") {
    const words = arg.split(/\s+/).filter((word) => word !== "");
    return { arg: words, warnings: ["Please specify 'arg' as a list of arguments."] };
  }
  return { arg: Array.isArray(arg) ? arg : [], warnings: [] };
}

/** True if the minion's part is a failure that no `fail_minions` forgives. */
async function isFailure(
  { call }: StateContext,
  { id, ret, failed, retcode }: MinionPart,
  forgivenIds: readonly string[],
  failFunction: unknown,
): Promise<boolean> {
  if (truthy(retcode ?? 0)) return true;
  if (forgivenIds.includes(id)) return false;
  if (failed || ret === false) return true;
  return truthy(failFunction) && !truthy(await call(str(failFunction), [ret ?? null]));
}

async function run(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, tgt } = args;
  const { arg, warnings: ofArguments } = argumentsOf(args.arg);
  const { ids, warnings: ofMinions = [] } = forgiven(args.fail_minions);
  const warnings = [...ofArguments, ...ofMinions];
  const noted = warnings.length === 0 ? {} : { warnings };
  if (context.test) {
    return {
      ...outcomeOnMinions(name, null, `Function ${str(name)} would be executed on target ${str(tgt)}`),
      ...noted,
    };
  }
  const kwarg = isMap(args.kwarg) ? args.kwarg as Record<string, unknown> : {};
  let returned: unknown;
  try {
    const keywords = commandKeywords(context, args, { arg, kwarg }, { _cmd_meta: true });
    returned = await runOnMinions(context, "function", args, str(name), keywords);
  } catch (error) {
    return { ...outcomeOnMinions(name, false, messageOf(error)), ...noted };
  }
  const parts = returnParts(returned);
  const base = { ...jobOf(returned), ...noted };
  if (parts.length === 0) return { ...outcomeOnMinions(name, false, "No minions responded"), ...base };
  const failures: string[] = [];
  for (const part of parts) if (await isFailure(context, part, ids, args.fail_function)) failures.push(part.id);
  const head = failures.length === 0
    ? "Function ran successfully."
    : `Running function ${str(name)} failed on minions: ${failures.join(", ")}`;
  const comment = `${head} Function ${str(name)} ran on ${parts.map(({ id }) => id).join(", ")}.`;
  const ret = Object.fromEntries(parts.map(({ id, ret, failed }) => [id, failed ? false : ret ?? null]));
  return { ...outcomeOnMinions(name, failures.length === 0, comment, { ret }), ...base };
}

/** `salt.function`; the name is that of the function. */
export const fun = stateFunction({
  signature: `name, tgt, ssh=False, tgt_type='glob', ret='', ret_config=None, ret_kwargs=None,
        expect_minions=False, fail_minions=None, fail_function=None, arg=None, kwarg=None, timeout=None, batch=None,
        subset=None, failhard=None, **kwargs`,
  doc: "Runs an execution function on minions of the master on this host.\n\n" +
    "    cmd.run:\n      salt.function:\n        - tgt: 'web*'\n        - arg:\n          - uptime\n\n" +
    "fail_function: a function of this host that is asked of each return whether it is a success.",
  run,
});
