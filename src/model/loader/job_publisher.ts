/** Jobs on minions for programs that publish them and ask for their returns later. */

/** What a job asks of its targets. */
export interface JobOrder {
  tgt: string | string[];
  tgt_type?: string;
  fun: string | string[];
  arg?: unknown[];
  ret?: string;
  jid?: string;
}

/** The end of a job on one minion: its return, or the text for people that there is none. */
export type JobAnswer =
  | { ret: unknown; retcode: unknown; success: unknown; jid: string; out?: string }
  | { failed: true; text: string };

/** Jobs by the running master of this host. */
export interface JobPublisher {
  /** Ids of the minions that a target may match, as far as the master knows. */
  expand(target: { tgt: string | string[]; tgt_type: string }): Promise<string[]>;
  /**
   * Publishes a job, without waiting for returns.
   *
   * @returns undefined if no minion matches; `missing` are the names of a list that have no accepted key
   */
  publish(order: JobOrder): Promise<{ jid: string; minions: string[]; missing: string[] } | undefined>;
  /**
   * The returns of a job by minion; undefined for an unknown job.
   *
   * @param waitMs how long minions may be silent, in milliseconds. @default only what is on record
   * @param missing minions that the job was not sent to: they did not answer
   */
  answers(jid: string, waitMs?: number, missing?: readonly string[]): Promise<Record<string, JobAnswer> | undefined>;
}
