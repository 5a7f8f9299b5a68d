/** What a line of the audit log is about. */
export type AuditKind =
  /** The first line of a log, with a random seed; and what the master does with the log itself. */
  | "begin"
  | "checkpoint"
  | "recovered"
  | "foreign"
  | "lost"
  | "removed"
  /** The master. */
  | "start"
  | "stop"
  | "reload"
  /** Commands of callers. */
  | "publish"
  | "job-end"
  | "runner"
  | "runner-end"
  | "wheel"
  | "login"
  | "logout"
  | "dequeue"
  /** What minions ask of others, as `peer` and `peer_run` permit. */
  | "peer"
  /** Keys of minions. */
  | "key"
  | "sign-in"
  /** The number of skipped lines of one kind. */
  | "more";

/** What is recorded of an act; the log adds the number, the time and the hash. */
export interface AuditEntry {
  kind: AuditKind;
  /** The user or the minion that asked; as it calls itself where it is not authenticated. */
  user?: string;
  /** How it is authenticated: the key of a user of this host, a token, `eauth`; `none` if it is not. */
  proof?: string;
  /** The address that the request came from. */
  from?: string;
  /** `ok`, `failed`, or why it was refused. */
  outcome?: string;
  fun?: unknown;
  [field: string]: unknown;
}

/** A line of the log as it is read. */
export interface AuditLine extends AuditEntry {
  /** 1 for the first line of a log; each has the next number. */
  n: number;
  /** ISO 8601, UTC. */
  time: string;
  /** SHA-256 of the line before, hexadecimal; of the first line, a random seed. */
  prev: string;
}

/** The text that a checkpoint signs: it covers all lines before it through the hash. */
export function checkpointText({ n, time, prev }: Pick<AuditLine, "n" | "time" | "prev">): Uint8Array {
  return new TextEncoder().encode(`brine audit checkpoint\n${n}\n${time}\n${prev}`);
}

/** The algorithm of a checkpoint's signature, by the master's own key. */
export const CHECKPOINT_ALGORITHM = "PKCS1v15-SHA224";
