import type { JobContext } from "../../../model/loader/family.ts";
import type { JobOutcome } from "./execute_job.ts";

/** One job that must be run. */
export interface ExecutionRequest {
  load: Record<string, unknown>;
  /** Address of the master that sent it; undefined for jobs that the minion starts itself. */
  master?: string;
  /** Aborts when the job is killed or the minion stops. */
  signal: AbortSignal;
  /** Called with the pid of each process that works for the job; the job's own process, if it has one, comes first. */
  ownProcess(pid: number): void;
  /** Receives output while the job runs; undefined unless the caller asked for live output. */
  output: JobContext["output"];
  /** Called right before the job's function. The function is called once the promise resolves, and not at all if it rejects. */
  begin?(): Promise<void>;
}

/** Runs jobs in this process, or each in a separate process. */
export interface Execution {
  /**
   * Runs one job. Rejects with the signal's reason when the job is aborted; every other failure is an outcome. The return may
   * be packed already.
   */
  run(request: ExecutionRequest): Promise<JobOutcome>;
  /** Stops using processes that were started before: their environment is not the minion's any more. */
  renew(): void;
  close(): Promise<void>;
}
