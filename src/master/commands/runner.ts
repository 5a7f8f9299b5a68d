import { deferred } from "../../async/deferred.ts";
import { messageOf } from "../../errors.ts";
import { runNew, runReturn } from "../../event/tag.ts";
import { isRecord, type Load, type MasterServices, type Runners } from "../services.ts";
import { mayCall, parseWords } from "./peer.ts";
import { authorized } from "./wheel.ts";

/** A runner as its process is told of it. */
interface Started {
  jid: string;
  tag: string;
  /** Resolves when its return is on the bus. */
  ended: Promise<void>;
}

/** Has a runner run in a process of its own. Its return is an event, which comes even if the process does not live to fire it. */
function start(services: MasterServices, runners: Runners, fun: string, low: Load, user: string): Started {
  const { bus, jids, log } = services;
  const jid = jids.next();
  const over = runReturn(jid);
  let returned = false;
  const off = bus.on((event) => {
    if (event.tag === over) returned = true;
  });
  const failed = (text: string) => {
    log.error("a runner ended without a return", { jid, fun, reason: text });
    const common = { fun: `runner.${fun}`, jid, user, fun_args: [] };
    bus.fire(runNew(jid), common);
    bus.fire(over, { ...common, return: text, success: false, retcode: 1 });
  };
  const ended = runners.run({ fun, low, jid, user }).then(
    ({ status, printed }) => {
      if (!returned) {
        failed(`The process of the runner ended before it returned: ${status}${printed && `\n${printed}`}`);
      }
    },
    (error) => failed(`The process of the runner could not be started: ${messageOf(error)}`),
  ).finally(off);
  log.info("runner started", { jid, fun, user });
  return { jid, tag: `salt/run/${jid}`, ended };
}

/**
 * The clear command `runner`: starts a runner, and answers where its return will be heard.
 *
 * @see salt/master.py ClearFuncs.runner
 */
export async function runner(services: MasterServices, load: Load): Promise<unknown> {
  const low = isRecord(load.kwarg) ? load.kwarg : {};
  const found = await authorized(services, load, "runner", low);
  if ("answer" in found) return found.answer;
  const { runners } = services;
  if (runners === undefined) {
    return { error: { name: "SaltInvocationError", message: "This master was started without runners" } };
  }
  const { tag, jid } = start(services, runners, found.fun, low, found.caller.user);
  return { tag, jid };
}

/** Seconds that a minion waits for a runner that it asked for. */
const PEER_SECONDS = 60;

/**
 * The command `minion_runner`: a minion asks for a runner, as far as `peer_run` lets it, and gets what it returns.
 *
 * @see salt/daemons/masterapi.py RemoteFuncs.minion_runner
 */
export async function minionRunner(services: MasterServices, load: Load): Promise<unknown> {
  const { bus, opts, log, runners, runtime: { clock } } = services;
  const { id, fun, arg } = load;
  if (typeof id !== "string" || typeof fun !== "string" || arg === undefined || runners === undefined) return {};
  if (!mayCall(opts.peer_run, id, [fun])) {
    log.warning("runner of a minion refused by the peer_run option", { id, fun });
    return {};
  }
  const heard = deferred<unknown>();
  let wanted: string | undefined;
  const off = bus.on((event) => {
    if (event.tag === wanted) heard.resolve(event.data.return);
  });
  const late = new AbortController();
  try {
    const { positional, keyword: { __kwarg__: _, ...kwarg } } = parseWords(Array.isArray(arg) ? arg : [arg]);
    const started = start(services, runners, fun, { arg: positional, kwarg }, id);
    wanted = runReturn(started.jid);
    const seconds = Number(load.tmo ?? load.timeout ?? PEER_SECONDS);
    const limit = Number.isFinite(seconds) ? Math.max(seconds, PEER_SECONDS) : PEER_SECONDS;
    return await Promise.race([heard.promise, clock.sleep(limit * 1000, late.signal).then(() => ({}), () => ({}))]);
  } finally {
    late.abort();
    off();
  }
}
