/** The kind of act that a line of the audit log records. */
export type AuditKind =
  /** `begin` is the first line of a log, with a random seed; the following kinds are what the master does with the log itself. */
  | "begin"
  | "checkpoint"
  | "recovered"
  | "foreign"
  | "lost"
  | "removed"
  | "start"
  | "stop"
  | "reload"
  | "publish"
  | "job-end"
  | "runner"
  | "runner-end"
  | "wheel"
  | "login"
  | "logout"
  | "dequeue"
  /** What minions ask of other minions and the master, as `peer` and `peer_run` permit. */
  | "peer"
  /** What happens to keys of minions. */
  | "key"
  | "sign-in"
  /** The number of skipped lines of one kind. */
  | "more";

/** What is recorded about an act; the log adds the number, the time and the hash. */
export interface AuditEntry {
  kind: AuditKind;
  /** The user or the minion that asked; the name that it gives itself if it is not authenticated. */
  user?: string | undefined;
  /** How the caller is authenticated: the key of a user of this host, a token, `eauth`; `none` if it is not. */
  proof?: string;
  /** The address that the request came from. */
  from?: string;
  /** `ok`, `failed`, or why the act was refused. */
  outcome?: string;
  fun?: unknown;
  [field: string]: unknown;
}

export interface AuditLine extends AuditEntry {
  /** The number of the line: 1 for the first line of a log, and one more for each further line. */
  n: number;
  /** When the line was recorded: ISO 8601, UTC. */
  time: string;
  /** The SHA-256 of the line before, hexadecimal; a random seed in the first line. */
  prev: string;
}

/** Returns the text that a checkpoint signs: through the hash it covers all lines before the checkpoint. */
export function checkpointText({ n, time, prev }: Pick<AuditLine, "n" | "time" | "prev">): Uint8Array {
  return new TextEncoder().encode(`brine audit checkpoint\n${n}\n${time}\n${prev}`);
}

/** The algorithm of a checkpoint's signature, by the master's own key. */
export const CHECKPOINT_ALGORITHM = "PKCS1v15-SHA224";
