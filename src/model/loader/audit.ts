/** What a check of the audit log has found. */
export interface AuditReport {
  /** True if nothing is wrong with it. */
  ok: boolean;
  files: number;
  lines: number;
  /** Where it begins: with its first line, or later where old files were removed. */
  begins?: string;
  first?: { n: number; time: string };
  last?: { n: number; time: string };
  /** Signatures that are good. */
  checkpoints: number;
  /** The last line that a signature covers. */
  signed_to: number;
  /** Lines after it: what is cut off there cannot be noticed. */
  unsigned: number;
  problems: { file: string; line: number; problem: string }[];
  more_problems: number;
}

/** Which lines of the audit log are asked for; a filter that is undefined lets all through. */
export interface AuditFilter {
  /** Globs. */
  user?: string;
  fun?: string;
  minion?: string;
  outcome?: string;
  kind?: readonly string[];
  /** Milliseconds since the epoch. */
  sinceMs?: number;
  untilMs?: number;
  /** The newest so many. */
  limit: number;
}

/** The audit log of the master on this host, as runners see it. */
export interface AuditReader {
  /** @param expected number and hash of a line, as an event or a log elsewhere has kept it */
  verify(expected?: { n: number; hash: string }): AuditReport;
  /** Lines of the log, oldest first. */
  search(filter: AuditFilter): Record<string, unknown>[];
}
