/** What runs runners, as a master sees it. */
import type { Load } from "../load.ts";

/** A runner to run: `low` has its arguments, as `arg` and `kwarg` or by their names. */
export interface MasterRunnerJob {
  /** The runner function, such as `"manage.up"`. */
  fun: string;
  /** The arguments as the caller sent them. */
  low: Load;
  /** The runner's job id, 20 digits. */
  jid: string;
  /** The name of the caller. */
  user: string;
}

/** How the process of a runner ended. */
export interface RunnerEnd {
  /** How the process ended: `exit code 0`, `signal SIGKILL`. */
  status: string;
  /** The last part of its error output. */
  printed: string;
}

/** Runs runners, each in a process of its own, which fires `salt/run/<jid>/new` and `/ret` on the master's bus. */
export interface Runners {
  /** Runs a runner to its end. @throws {SystemError} if no process can be started */
  run(job: MasterRunnerJob): Promise<RunnerEnd>;
  /** Ends processes that wait for runners; running ones go on. */
  close(): void;
}
