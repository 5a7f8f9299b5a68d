/** What the status report says of a part. */
export interface PartStatus {
  name: string;
  /** `waiting`: for the time of its next start, after it has failed. */
  state: "running" | "starting" | "waiting" | "stopped";
  /** Times that a process exited or was killed because it hung. */
  restarts: number;
  /** The processes of the part: pid, state and more. */
  processes: { pid: number; state: string; [more: string]: unknown }[];
  /** How the last process that failed ended, and what it printed last. */
  last_words: { how: string; words: string } | null;
  /** Requests that wait. */
  queue?: number;
  [more: string]: unknown;
}

/** One part of a master that runs in separate processes. */
export interface Part {
  readonly name: string;
  status(): PartStatus;
  /** The configuration has changed: its processes are replaced by new ones when they have nothing to do. */
  renew?(): void;
  /** Ends its processes; twice is harmless. */
  close(): Promise<void> | void;
}
