/** The result of a check of the audit log. */
export interface AuditReport {
  /** True if the check has found no problem. */
  ok: boolean;
  files: number;
  lines: number;
  /** Where the log begins: at its first line, or at a later line if old files were removed. */
  begins?: string;
  first?: { n: number; time: string };
  last?: { n: number; time: string };
  checkpoints: number;
  /** Number of the last line that a signature covers. */
  signed_to: number;
  /** Number of lines after the last signature: if such lines are cut off, a check cannot notice it. */
  unsigned: number;
  problems: { file: string; line: number; problem: string }[];
  more_problems: number;
}

/** Conditions for lines of the audit log; an undefined condition lets all lines through. */
export interface AuditFilter {
  /** Globs that the value must match. */
  user?: string;
  fun?: string;
  minion?: string;
  outcome?: string;
  kind?: readonly string[];
  /** Earliest and latest time, in milliseconds since the epoch. */
  sinceMs?: number;
  untilMs?: number;
  /** Maximum number of lines; the newest are returned. */
  limit: number;
}

/** The audit log of the master on this host, as runners see it. */
export interface AuditReader {
  /** @param expected number and hash of a line, as an event or another log has recorded them */
  verify(expected?: { n: number; hash: string }): AuditReport;
  /** Lines of the log, oldest first. */
  search(filter: AuditFilter): Record<string, unknown>[];
}
