export interface PartStatus {
  name: string;
  /** The state of the part. `waiting`: it has failed, and waits for its next start. */
  state: "running" | "starting" | "waiting" | "stopped";
  /** How often a process exited, or was killed because it hung. */
  restarts: number;
  processes: { pid: number; state: string; [more: string]: unknown }[];
  /** How the last failed process ended, and its last output. */
  last_words: { how: string; words: string } | null;
  /** The number of requests that wait. */
  queue?: number;
  [more: string]: unknown;
}

/** One part of a master that runs in separate processes. */
export interface Part {
  readonly name: string;
  status(): PartStatus;
  /** Applies a new configuration: processes are replaced by new ones when they are idle. */
  renew?(): void;
  /** Ends the processes of the part; a second call does nothing. */
  close(): Promise<void> | void;
}
