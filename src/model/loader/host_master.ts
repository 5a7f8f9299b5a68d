/** The master on the host of a minion, for the few functions that make sense only beside one. */

/** What a job requests of that master, whose configuration is found beside the minion's. */
export interface HostMaster {
  /** True where the master runs the function for itself, as in an orchestration; false on a minion that is beside it. */
  readonly isOwn: boolean;
  /**
   * Runs a job on minions: id → `{ret, retcode, jid, out?}`, `{failed: true}` for ids without a key, and nothing for minions that
   * do not answer.
   *
   * @throws {CommandExecutionError} if there is no master here, or it refuses
   */
  command(request: HostRequest, how: HostRequestOptions): Promise<Record<string, unknown>>;
  /**
   * Runs a runner in this process: `{fun, jid, user, fun_args, _stamp, return, success}`.
   *
   * @param user who it is run for. @default "UNKNOWN", as in Salt
   * @throws {CommandExecutionError} if there is no master here, or no such runner
   */
  runner(
    fun: string,
    positional: unknown[],
    keyword: Record<string, unknown>,
    user?: string,
  ): Promise<Record<string, unknown>>;
  /**
   * Has the running master run a wheel function: `{fun, jid, user, _stamp, return, success}`.
   *
   * @throws {CommandExecutionError} if there is no master here, it does not run, or it refuses
   */
  wheel(fun: string, positional: unknown[], keyword: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Fires an event on that master's bus. It is dropped if the master does not run. */
  fire(tag: string, data: Record<string, unknown>): Promise<void>;
  /**
   * Events of that master's bus, or of a minion's on this host, from now on. The bus is waited for as long as it is not there; leaving
   * the loop ends it, and so does the signal.
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

export interface HostRequestOptions {
  /** Seconds of silence. @default the master's `timeout` */
  timeoutS?: number;
  /** Minions at a time, `3` or `25%`; the result is id → `{ret, out}`. @default all */
  batch?: string;
  /** Number of minions, taken by chance. @default all */
  subset?: number;
  /** Minions that do not return are `{failed: true}`. @default they are left out */
  expectMinions?: boolean;
  /** A batch goes no further after a minion that failed. @default false */
  failhard?: boolean;
  /** `ret_config` and `ret_kwargs` of the publication. */
  kwargs?: Record<string, unknown>;
}

/** Makes it for a host of jobs. */
export type OpenHostMaster = (opts: Record<string, unknown>) => HostMaster;

/** Which bus to listen to. */
export interface BusChoice {
  node: "master" | "minion";
  /** The directory of its sockets. @default the master's `sock_dir` */
  sockDir: string | undefined;
}
