import type { Finding } from "../../daemon/check/finding.ts";

/** The results of checking one part of a host. */
export interface Examination {
  /** Lines about what is in order. */
  well: string[];
  findings: Finding[];
}
