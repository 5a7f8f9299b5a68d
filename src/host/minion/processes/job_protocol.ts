/** The messages between a minion and the process of one job, a supervisor and its part (`feature/supervise/part_protocol.ts`). */

/** How many bytes of output may be under way before the job has to wait for the minion to take them. */
export const OUTPUT_WINDOW = 256 * 1024;

/**
 * What a job may ask of its minion, or tell it: `own` names a process that works for the job; `output` is answered once there is room for
 * more.
 */
export type JobQuestion =
  | "own"
  | "output"
  | "fireLocal"
  | "running"
  | "signal"
  | "fireEvent"
  | "master"
  | "pillar"
  | "askLocal"
  | "session";

/** The request `job`. Before it may come `prepare`, whose body is a packed {@link MinionState}: there is no job yet. */
export interface JobWork {
  load: Record<string, unknown>;
  /** Packed {@link MinionState}; absent if it is still that of `prepare`. */
  state?: Uint8Array;
  /** True if the caller wants live output. */
  streams: boolean;
}

export interface JobResult {
  /** The return as it will go to the master: packed in the wire profile. */
  return: Uint8Array;
  retcode: unknown;
  success: unknown;
  out?: string;
  grains: Record<string, unknown>;
  lostGrains: string[];
}

/** The state of the minion that a job sees; its parts travel packed, so that only changed parts are sent again. */
export interface MinionState {
  opts: Record<string, unknown>;
  grains: Record<string, unknown>;
  pillar: Record<string, unknown>;
  master: boolean;
  /** Differs when a custom module has changed: a process that waits has to load modules again. */
  customModules: string;
}
