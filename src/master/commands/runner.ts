import { deferred } from "../../async/deferred.ts";
import { messageOf } from "../../errors.ts";
import { runNew, runReturn } from "../../event/tag.ts";
import { isRecord, type Load, type MasterServices, type Runners } from "../services.ts";
import { recordMasterJob, reserveMasterJid } from "../jobs/master_jobs.ts";
import { authorizeCall } from "../access/authorize_call.ts";
import { masterUser } from "../access/callers.ts";
import { parseWords } from "./peer.ts";

/** A runner that was started. */
interface Started {
  jid: string;
  tag: string;
  /** Resolves to its return, by the event. */
  returned: Promise<unknown>;
}

/**
 * Starts a runner in a process of its own, which records it and fires its return. The master does both if the process ends
 * before that.
 */
async function start(
  services: MasterServices,
  runners: Runners,
  fun: string,
  low: Load,
  user: string,
): Promise<Started> {
  const { bus, log, runtime: { clock } } = services;
  const jid = await reserveMasterJid(services);
  const startedMs = clock.now();
  const over = runReturn(jid);
  const returned = deferred<unknown>();
  const off = bus.on((event) => {
    if (event.tag !== over) return;
    off();
    returned.resolve(event.data.return);
  });
  let ended = false;
  void returned.promise.then(() => ended = true);
  const failed = async (text: string) => {
    log.error("runner ended without a return", { jid, fun, reason: text });
    const common = { fun: `runner.${fun}`, jid, user };
    const end = { return: text, success: false, retcode: 1 };
    if (services.opts.runner_returns) await recordMasterJob(services, { ...common, args: [], startedMs }, end);
    bus.fire(runNew(jid), { ...common, fun_args: [] });
    bus.fire(over, { ...common, fun_args: [], ...end });
  };
  runners.run({ fun, low, jid, user }).then(
    async ({ status, printed }) => {
      if (!ended) {
        await failed(`The process of the runner ended before it returned: ${status}${printed && `\n${printed}`}`);
      }
    },
    (error) => failed(`The process of the runner could not be started: ${messageOf(error)}`),
  );
  log.info("runner started", { jid, fun, user });
  return { jid, tag: `salt/run/${jid}`, returned: returned.promise };
}

/**
 * The clear command `runner`: starts a runner, and answers with the tag of its events.
 *
 * @see salt/master.py ClearFuncs.runner
 */
export async function runner(services: MasterServices, load: Load): Promise<unknown> {
  const low = isRecord(load.kwarg) ? load.kwarg : {};
  const found = await authorizeCall(services, load, "runner", low);
  if ("answer" in found) return found.answer;
  const { runners } = services;
  if (runners === undefined) {
    return { error: { name: "SaltInvocationError", message: "This master was started without runners" } };
  }
  const { tag, jid } = await start(services, runners, found.fun, low, masterUser(found.caller));
  return { tag, jid };
}

/** Least time that a minion waits for its runner, in seconds. */
const PEER_SECONDS = 60;

/**
 * The command `minion_runner`: a minion calls a runner, as far as `peer_run` permits, and receives its return.
 *
 * @see salt/daemons/masterapi.py RemoteFuncs.minion_runner
 */
export async function minionRunner(services: MasterServices, load: Load): Promise<unknown> {
  const { opts, log, runners, runtime: { clock } } = services;
  const { id, fun, arg } = load;
  if (typeof id !== "string" || typeof fun !== "string" || arg === undefined || runners === undefined) return {};
  if (!services.rules.tableAllows(opts.peer_run, id, [fun])) {
    log.warning("runner of a minion refused by the peer_run option", { id, fun });
    return {};
  }
  const { positional, keyword: { __kwarg__: _, ...kwarg } } = parseWords(Array.isArray(arg) ? arg : [arg]);
  const { returned } = await start(services, runners, fun, { arg: positional, kwarg }, id);
  const late = new AbortController();
  try {
    const seconds = Number(load.tmo ?? load.timeout ?? PEER_SECONDS);
    const limit = Number.isFinite(seconds) ? Math.max(seconds, PEER_SECONDS) : PEER_SECONDS;
    return await Promise.race([returned, clock.sleep(limit * 1000, late.signal).then(() => ({}), () => ({}))]);
  } finally {
    late.abort();
  }
}
