import type { Finding } from "../../daemon/check/finding.ts";

/** What a look at one part of a host has found. */
export interface Examination {
  /** What is as it should be, a line each. */
  well: string[];
  findings: Finding[];
}
