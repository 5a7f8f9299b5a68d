import { deferred } from "../../../base/async/deferred.ts";
import { messageOf } from "../../../base/errors.ts";
import { programGone } from "../../../runtime/process.ts";
import { runNew, runReturn } from "../../../model/event/tag.ts";
import type { Load } from "../load.ts";
import type { JobServices } from "./job_services.ts";
import type { Runners } from "./runners.ts";
import { recordMasterJob, reserveMasterJid } from "./master_jobs.ts";

interface StartedRunner {
  jid: string;
  tag: string;
  /** Resolves to the data of the event of its return: `{return, success, fun_args, …}`. */
  returned: Promise<Load>;
}

/**
 * Starts a runner in a process of its own, which records it and fires its return. The master does both if the process ends
 * before that.
 */
export async function startRunner(
  services: JobServices,
  runners: Runners,
  fun: string,
  low: Load,
  user: string,
): Promise<StartedRunner> {
  const { bus, log, runtime: { clock } } = services;
  const jid = await reserveMasterJid(services);
  const startedMs = clock.now();
  const over = runReturn(jid);
  const returned = deferred<Load>();
  const off = bus.on((event) => {
    if (event.tag !== over) return;
    off();
    returned.resolve(event.data);
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
    (error) =>
      failed(
        `The process of the runner could not be started: ${programGone(error, "salt-master") ?? messageOf(error)}`,
      ),
  );
  log.info("runner started", { jid, fun, user });
  return { jid, tag: `salt/run/${jid}`, returned: returned.promise };
}
