import type { MinionOpts } from "../../../model/config/minion_opts.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { Execution } from "./execution.ts";
import { failure } from "./execute_job.ts";

/** The return code of a job that took too long: the same as that of the program `timeout`. */
const TIMED_OUT = 124;

/** Returns how many seconds a job may take, by its publication, else by the option `job_timeout`; undefined for no limit. */
export function jobTimeout(load: Record<string, unknown>, opts: Pick<MinionOpts, "job_timeout">): number | undefined {
  const { delivery } = load;
  const own = typeof delivery === "object" && delivery !== null && "timeout" in delivery
    ? Number(delivery.timeout)
    : undefined;
  const seconds = own !== undefined && own > 0 ? own : opts.job_timeout;
  return seconds > 0 ? seconds : undefined;
}

/** Aborts jobs that take longer than `secondsOf` allows. They fail with the reason. */
export function withJobTimeout(
  execution: Execution,
  { clock }: Pick<Runtime, "clock">,
  secondsOf: (load: Record<string, unknown>) => number | undefined,
): Execution {
  return {
    async run(request) {
      const seconds = secondsOf(request.load);
      if (seconds === undefined) return await execution.run(request);
      const late = new AbortController();
      const text = `The job was ended after ${seconds} seconds (job_timeout)`;
      const cancel = clock.after(seconds * 1000, () => late.abort(new Error(text)));
      try {
        return await execution.run({ ...request, signal: AbortSignal.any([request.signal, late.signal]) });
      } catch (error) {
        if (!late.signal.aborted || request.signal.aborted) throw error;
        return { ...failure(text), retcode: TIMED_OUT, ended: "timed out" };
      } finally {
        cancel();
      }
    },
    renew: () => execution.renew(),
    close: () => execution.close(),
  };
}
