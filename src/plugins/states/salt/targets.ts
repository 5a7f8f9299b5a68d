/** What `salt.state` and `salt.function` have in common: arguments of a job on minions, and the event that announces it. */
import type { StateContext } from "../../../model/loader/states.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";

/** The keyword arguments for `saltutil.cmd` that both have, in the order in which events show them. */
export function commandKeywords(
  { opts }: StateContext,
  args: Args,
  own: { arg: unknown[]; kwarg: Record<string, unknown> },
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  const keywords: Record<string, unknown> = { ...own, ret: args.ret, timeout: args.timeout };
  if (truthy(args.ret_config)) keywords.ret_config = args.ret_config;
  if (truthy(args.ret_kwargs)) keywords.ret_kwargs = args.ret_kwargs;
  keywords.tgt_type = args.tgt_type;
  keywords.ssh = args.ssh;
  keywords.expect_minions = args.expect_minions;
  if (args.batch !== null) keywords.batch = str(args.batch);
  if (args.subset !== null) keywords.subset = args.subset;
  Object.assign(keywords, more);
  if (args.failhard === true || truthy(opts.failhard ?? false)) keywords.failhard = true;
  return keywords;
}

/** The id of the orchestration that a state belongs to; undefined outside of one. */
export function orchestrationOf({ low }: StateContext): string | undefined {
  const jid = low.__orchestration_jid__;
  return typeof jid === "string" && jid !== "" ? jid : undefined;
}

/** Runs a function on minions; before that, those who follow the orchestration hear of it. */
export async function runOnMinions(
  context: StateContext,
  type: "state" | "function",
  { name, tgt }: Args,
  fun: string,
  keywords: Record<string, unknown>,
): Promise<unknown> {
  const jid = orchestrationOf(context);
  if (jid !== undefined) {
    await context.hostMaster?.fire(`salt/run/${jid}/args`, { type, tgt, name, args: keywords });
  }
  return await context.call("saltutil.cmd", [tgt, fun], keywords);
}
