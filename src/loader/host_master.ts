/** The master on the host of a minion, for the few functions that make sense only beside one. */

/** What a job requests of that master, whose configuration is found beside the minion's. */
export interface HostMaster {
  /**
   * Runs a job on minions: id → `{ret, retcode, jid, out?}`, `{failed: true}` for ids without a key, and nothing for minions that
   * do not answer.
   *
   * @param how `timeoutS`: seconds of silence; `batch`: minions at a time, and id → `{ret, out}`; `subset`: number of random minions
   * @throws {CommandExecutionError} if there is no master here, or it refuses
   */
  command(request: HostRequest, how: HostRequestOptions): Promise<Record<string, unknown>>;
  /**
   * Runs a runner in this process: `{fun, jid, user, fun_args, _stamp, return, success}`.
   *
   * @throws {CommandExecutionError} if there is no master here, or no such runner
   */
  runner(fun: string, positional: unknown[], keyword: Record<string, unknown>): Promise<Record<string, unknown>>;
  /**
   * Has the running master run a wheel function: `{fun, jid, user, _stamp, return, success}`.
   *
   * @throws {CommandExecutionError} if there is no master here, it does not run, or it refuses
   */
  wheel(fun: string, positional: unknown[], keyword: Record<string, unknown>): Promise<Record<string, unknown>>;
}

export interface HostRequest {
  tgt: string | string[];
  tgt_type: string;
  fun: string | string[];
  arg: unknown[];
  ret: string;
}

export interface HostRequestOptions {
  timeoutS?: number;
  batch?: string;
  subset?: number;
}

/** Makes it for a host of jobs. */
export type OpenHostMaster = (opts: Record<string, unknown>) => HostMaster;
