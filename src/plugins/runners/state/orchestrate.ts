/** Orchestrations: states that the master runs for itself, as the minion of its own id. */
import { type RunnerContext, runnerFunction, SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, isMap, str } from "../../../language/python/values.ts";
import { checkResult } from "../../../content/state/check_result.ts";

function checkPillar(pillar: unknown): void {
  if (pillar === null || isMap(pillar)) return;
  throw new SaltInvocationError("Pillar data must be formatted as a dictionary");
}

/** What a function of the execution module `state` returns on this host, below the id that the master has as a minion. */
async function asMinion(
  context: RunnerContext,
  fun: string,
  positional: unknown[],
  keyword: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  return { [context.id]: await context.callFunction(`state.${fun}`, positional, keyword) };
}

async function orchestrate(context: RunnerContext, args: Args): Promise<Record<string, unknown>> {
  checkPillar(args.pillar);
  const jid = args.orchestration_jid === null ? context.jid : str(args.orchestration_jid);
  const data = await asMinion(context, "sls", [args.mods, args.test, args.exclude], {
    pillar: args.pillar,
    saltenv: args.saltenv ?? context.opts.saltenv ?? null,
    pillarenv: args.pillarenv ?? context.opts.pillarenv ?? null,
    pillar_enc: args.pillar_enc,
    __pub_jid: jid,
    orchestration_jid: jid,
  });
  return { data, outputter: "highstate", retcode: checkResult(data) ? 0 : 1 };
}

/** Shows the return before it is one, as Salt does: it names the outputter, and the return does not. */
async function shown(context: RunnerContext, data: Record<string, unknown>): Promise<Record<string, unknown>> {
  await context.progress?.({ data, outputter: "highstate" });
  return data;
}

export const single = runnerFunction({
  signature: "fun, name, test=None, queue=False, pillar=None, **kwargs",
  doc: "Runs one state on the master.\n\n    salt-run state.orchestrate_single fun=salt.wheel name=key.list_all",
  async run(context, { fun, name, pillar, kwargs }) {
    checkPillar(pillar);
    const keyword = { ...kwargs, ...(pillar === null ? {} : { pillar }) };
    return await shown(
      context,
      await asMinion(context, "single", [fun, name], { ...keyword, test: null, queue: false }),
    );
  },
});

export const high = runnerFunction({
  signature: "data, test=None, queue=False, pillar=None, **kwargs",
  doc: "Runs states on the master that are given as data.\n\n" +
    "    salt-run state.orchestrate_high '{one: {salt.state: [{tgt: \"web*\"}, {sls: nginx}]}}'",
  async run(context, { data, pillar, kwargs }) {
    checkPillar(pillar);
    const keyword = { ...kwargs, pillar, test: null, queue: false };
    return await shown(context, await asMinion(context, "high", [data], keyword));
  },
});

async function showSls(context: RunnerContext, args: Args): Promise<Record<string, unknown>> {
  checkPillar(args.pillar);
  const { mods, test, queue, pillar, pillarenv, pillar_enc, saltenv } = args;
  return await asMinion(context, "show_sls", [mods, test, queue], { pillar, pillarenv, pillar_enc, saltenv });
}

/** Has a running orchestration of this host pause, go on or end. */
export async function control(context: RunnerContext, fun: string, args: unknown[]): Promise<null> {
  const jid = str(args[0]);
  // The record of a run is written at its end. Salt says nothing here.
  if (await context.jobs.hasLoad(jid)) {
    context.log.warning("no orchestration with this id is running", { jid });
  }
  await context.callFunction(`state.${fun}`, args, {});
  return null;
}

export const ORCHESTRATE = runnerFunction({
  signature:
    "mods, saltenv='base', test=None, exclude=None, pillar=None, pillarenv=None, pillar_enc=None, orchestration_jid=None",
  doc:
    "Runs states on the master: those of the module salt say what is done on which minions, and in which order.\n\n" +
    "    salt-run state.orchestrate orch.deploy\n" +
    "    salt-run state.orchestrate orch.deploy saltenv=dev test=True pillar='{version: 3}'\n\n" +
    "The pillar is that of the minion with the master's own id. The exit code is 1 if a state failed.",
  run: orchestrate,
});

export const SHOW_SLS = runnerFunction({
  signature: "mods, saltenv='base', test=None, queue=False, pillar=None, pillarenv=None, pillar_enc=None",
  doc:
    "The states of an orchestration as data, before they are run.\n\n    salt-run state.orchestrate_show_sls orch.deploy",
  run: showSls,
});

export const PAUSE = runnerFunction({
  signature: "jid, state_id=None, duration=None",
  doc: "Has an orchestration pause before the state of this id, or before the next one, for so many seconds.\n\n" +
    "    salt-run state.pause 20260101120000000000 deploy duration=60",
  run: (context, { jid, state_id, duration }) => control(context, "pause", [jid, state_id, duration]),
});

export const RESUME = runnerFunction({
  signature: "jid, state_id=None",
  doc: "Has an orchestration that pauses go on.\n\n    salt-run state.resume 20260101120000000000",
  run: (context, { jid, state_id }) => control(context, "resume", [jid, state_id]),
});
