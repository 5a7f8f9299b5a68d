import type { Deed } from "./tally.ts";

/** A line of the output with `--json`. */
export type SwarmEvent =
  | { event: "connected"; minions: number; ms: number }
  | { event: "authenticated"; minions: number; ms: number }
  /** All listen for jobs; `ms` is since the first request to sign in, with the minions' own part. */
  | { event: "listening"; minions: number; ms: number }
  /** All have their pillar; `keys` is how many names are at the top of the first. */
  | { event: "pillar"; ms: number; failed: number; keys: number }
  /** All have what a highstate needs; `requests` is how many each of them sent. */
  | { event: "highstate"; ms: number; failed: number; requests: number }
  /** `ms` is from the publication's arrival to the last reply of the master to a return. */
  | { event: "job"; jid: string; fun: string; ms: number; failed: number }
  /** What was done that no honest minion does. */
  | { event: "summary"; deeds: Deed[] };
