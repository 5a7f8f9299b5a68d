/** Access to the master on a minion's host, for the few functions that need one. */

/** The master next to a minion; its configuration is found next to the minion's. */
export interface HostMaster {
  /** True if the master itself runs the function, as in an orchestration; false on a minion next to the master. */
  readonly isOwn: boolean;
  /**
   * Runs a job on minions: id → `{ret, retcode, jid, out?}`, or `{failed: true}` for an id without a key. Minions that do not
   * answer are left out.
   *
   * @throws {CommandExecutionError} if no master is found here, or it refuses
   */
  command(request: HostRequest, how: HostRequestOptions): Promise<Record<string, unknown>>;
  /**
   * Runs a runner in this process: `{fun, jid, user, fun_args, _stamp, return, success}`.
   *
   * @param user the user to run as. @default "UNKNOWN", as in Salt
   * @throws {CommandExecutionError} if no master is found here, or the runner is unknown
   */
  runner(
    fun: string,
    positional: unknown[],
    keyword: Record<string, unknown>,
    user?: string,
  ): Promise<Record<string, unknown>>;
  /**
   * Makes the running master call a wheel function: `{fun, jid, user, _stamp, return, success}`.
   *
   * @throws {CommandExecutionError} if no master is found here, it is not running, or it refuses
   */
  wheel(fun: string, positional: unknown[], keyword: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Fires an event on the master's bus. The event is dropped if the master is not running. */
  fire(tag: string, data: Record<string, unknown>): Promise<void>;
  /**
   * Events of the master's bus, or of a minion's bus on this host, from now on. If the bus is missing, it is waited for.
   * Leaving the loop or aborting the signal unsubscribes.
   */
  events(
    choice: BusChoice,
    wants: (tag: string) => boolean,
    signal: AbortSignal,
  ): AsyncIterable<{ tag: string; data: Record<string, unknown> }>;
}

export interface HostRequest {
  tgt: string | string[];
  tgt_type: string;
  fun: string | string[];
  arg: unknown[];
  ret: string;
}

interface HostRequestOptions {
  /** Silence before minions are asked whether they still run the job, in seconds. @default the master's `timeout` */
  timeoutS?: number;
  /** Number or percentage of minions to run at a time, `3` or `25%`; the result is then id → `{ret, out}`. @default all */
  batch?: string;
  /** Number of minions to select at random. @default all */
  subset?: number;
  /** Include minions that do not return, as `{failed: true}`. @default they are left out */
  expectMinions?: boolean;
  /** Stop a batch after a minion that failed. @default false */
  failhard?: boolean;
  /** Fields `ret_config` and `ret_kwargs` of the publication. */
  kwargs?: Record<string, unknown>;
}

/** Makes the {@link HostMaster} for a host that runs jobs, from the host's options. */
export type OpenHostMaster = (opts: Record<string, unknown>) => HostMaster;

export interface BusChoice {
  node: "master" | "minion";
  /** Directory of the bus's sockets. @default the master's `sock_dir` */
  sockDir: string | undefined;
}
