import type { AccessServices } from "../access/access_services.ts";
import type { JobServices } from "../jobs/job_services.ts";
import { within } from "../../../base/async/within.ts";
import { startRunner } from "../jobs/start_runner.ts";
import { isRecord, type Load } from "../load.ts";
import type { MasterServices } from "../services.ts";
import { authorizeCall } from "../access/authorize_call.ts";
import { masterUser } from "../access/callers.ts";
import { functionsFault } from "../../../model/job/function_name.ts";
import { MAX_WAIT_SECONDS, parseWords } from "./peer.ts";

type Services = JobServices & AccessServices & Pick<MasterServices, "runners">;

/**
 * The clear command `runner`: starts a runner, and answers with the tag of its events.
 *
 * @see salt/master.py ClearFuncs.runner
 */
export async function runnerCommand(services: Services, load: Load): Promise<unknown> {
  const low = isRecord(load.kwarg) ? load.kwarg : {};
  const found = await authorizeCall(services, load, "runner", low);
  if ("answer" in found) return found.answer;
  const { runners } = services;
  if (runners === undefined) {
    return { error: { name: "SaltInvocationError", message: "This master was started without runners" } };
  }
  const { tag, jid } = await startRunner(services, runners, found.fun, low, masterUser(found.caller));
  return { tag, jid };
}

/** The shortest time that a minion waits for its runner, in seconds. */
const PEER_SECONDS = 60;

/**
 * The command `minion_runner`: a minion calls a runner, as far as `peer_run` permits, and receives its return.
 *
 * @see salt/daemons/masterapi.py RemoteFuncs.minion_runner
 */
export async function minionRunner(services: Services, load: Load): Promise<unknown> {
  const { opts, log, runners, runtime: { clock } } = services;
  const { id, fun, arg } = load;
  if (typeof id !== "string" || typeof fun !== "string" || arg === undefined || runners === undefined) return {};
  if (functionsFault(fun) !== undefined || !services.rules.tableAllows(opts.peer_run, id, [fun])) {
    log.warning("runner of a minion refused by the peer_run option", { id, fun });
    return {};
  }
  const { positional, keyword: { __kwarg__: _, ...kwarg } } = parseWords(Array.isArray(arg) ? arg : [arg]);
  const { returned } = await startRunner(services, runners, fun, { arg: positional, kwarg }, id);
  const seconds = Number(load.tmo ?? load.timeout ?? PEER_SECONDS);
  const limit = Number.isFinite(seconds) ? Math.min(Math.max(seconds, PEER_SECONDS), MAX_WAIT_SECONDS) : PEER_SECONDS;
  return await within(clock, limit * 1000, undefined, returned.then((data) => data.return), () => ({}));
}
