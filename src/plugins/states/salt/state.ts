import { type StateContext, stateFunction, type StateReturn } from "../../../model/loader/states.ts";
import { type Args, entriesOf, isMap, lookup, str, truthy } from "../../../language/python/values.ts";
import { checkResult } from "../../../content/state/check_result.ts";
import { failureDetail, forgiven, jobOf, type MinionPart, outcomeOnMinions, returnParts } from "./minion_returns.ts";
import { commandKeywords, runOnMinions } from "./targets.ts";

/** The function to run and its argument; undefined if the state names none. */
function called({ highstate, top, sls }: Args): { fun: string; arg: unknown[] } | undefined {
  if (truthy(highstate)) return { fun: "state.highstate", arg: [] };
  if (truthy(top)) return { fun: "state.top", arg: [top] };
  if (truthy(sls)) return { fun: "state.sls", arg: [Array.isArray(sls) ? sls.map(str).join(",") : sls] };
  return undefined;
}

function keywordsOf({ test: isDry }: StateContext, args: Args): Record<string, unknown> {
  const keywords: Record<string, unknown> = {};
  if (args.test !== null || isDry) keywords.test = args.test ?? isDry;
  if (truthy(args.pillar)) keywords.pillar = args.pillar;
  for (const name of ["pillarenv", "saltenv", "exclude"]) if (args[name] !== null) keywords[name] = args[name];
  return { ...keywords, queue: args.queue, concurrent: args.concurrent };
}

/** Runs it on this host alone, for a minion without a master. */
async function runHere(
  { call, opts }: StateContext,
  { fun, arg }: { fun: string; arg: unknown[] },
  keywords: Record<string, unknown>,
): Promise<unknown> {
  return { [str(opts.id)]: { ret: await call(fun, arg, keywords), out: "highstate" } };
}

/** True if a state of the minion changed something. */
function hasChanges(ret: unknown): boolean {
  return isMap(ret) && entriesOf(ret).some(([, entry]) => isMap(entry) && truthy(lookup(entry, "changes") ?? null));
}

function succeeded({ ret, failed }: MinionPart): boolean {
  return !failed && ret !== undefined && checkResult(ret, true);
}

/** The changes and the comment, from what minions returned. */
function judged(parts: readonly MinionPart[], forgivenIds: readonly string[], allowFail: number) {
  const failures = parts.filter((part) => !succeeded(part));
  const counted = failures.filter(({ id }) => !forgivenIds.includes(id));
  const shown = parts.filter((part) => failures.includes(part) || hasChanges(part.ret));
  const idle = parts.filter((part) => !shown.includes(part)).map(({ id }) => id);
  const ret = Object.fromEntries(shown.map(({ id, ret, failed }) => [id, failed || ret === undefined ? false : ret]));
  const changes = shown.length === 0 ? {} : { out: "highstate", ret };
  if (counted.length > allowFail) {
    const details = [...counted].sort((a, b) => a.id < b.id ? -1 : 1).map(failureDetail).filter((text) => text !== "");
    const failed = `Run failed on minions: ${counted.map(({ id }) => id).join(", ")}`;
    return { result: false, changes, comment: [failed, ...details].join("\n") };
  }
  const updating = shown.length === 0 ? "" : ` Updating ${shown.map(({ id }) => id).join(", ")}.`;
  const unchanged = idle.length === 0 ? "" : ` No changes made to ${idle.join(", ")}.`;
  return { result: true, changes, comment: `States ran successfully.${updating}${unchanged}` };
}

async function run(context: StateContext, args: Args): Promise<StateReturn> {
  const { name } = args;
  const allowFail = Number.parseInt(str(args.allow_fail), 10);
  if (Number.isNaN(allowFail)) {
    return outcomeOnMinions(name, false, "Passed invalid value for 'allow_fail', must be an int");
  }
  const what = called(args);
  if (what === undefined) return outcomeOnMinions(name, false, "No highstate or sls specified, no execution made");
  if (typeof args.concurrent !== "boolean") {
    return outcomeOnMinions(name, false, "Must pass in boolean for value of 'concurrent'");
  }
  const kwarg = keywordsOf(context, args);
  const withoutMaster = context.opts.file_client === "local" && context.hostMaster?.isOwn !== true;
  const returned = withoutMaster
    ? await runHere(context, what, kwarg)
    : await runOnMinions(context, "state", args, what.fun, commandKeywords(context, args, { arg: what.arg, kwarg }));
  const parts = returnParts(returned);
  const { ids, ...warnings } = forgiven(args.fail_minions);
  const base = { ...jobOf(returned), ...warnings };
  if (parts.length === 0 && truthy(args.expect_minions)) {
    return { ...outcomeOnMinions(name, false, "No minions returned"), ...base };
  }
  const { result, changes, comment } = judged(parts, ids, allowFail);
  const isDry = truthy(args.test) || context.test;
  const differs = isDry && result && Object.keys(changes).length > 0;
  return { ...outcomeOnMinions(name, differs ? null : result, comment, changes), ...base };
}

export const state = stateFunction({
  signature: `name, tgt, ssh=False, tgt_type='glob', ret='', ret_config=None, ret_kwargs=None, highstate=None,
        sls=None, top=None, saltenv=None, test=None, pillar=None, pillarenv=None, expect_minions=True, exclude=None,
        fail_minions=None, allow_fail=0, concurrent=False, timeout=None, batch=None, queue=False, subset=None,
        orchestration_jid=None, failhard=None, **kwargs`,
  doc: "Applies states on minions of the master on this host.\n\n" +
    "    webservers:\n      salt.state:\n        - tgt: 'web*'\n        - sls: nginx\n\n" +
    "sls, highstate, top: what is applied. batch, subset, timeout, queue, concurrent: as of `salt`. expect_minions: a minion that\n" +
    "does not return has failed. allow_fail: so many minions may fail. fail_minions: those that may.",
  run,
});
