import type { PartState } from "./job.ts";

/** The filter of the job history, which is completely in the address of the page. */
export interface JobFilter {
  /** Words that function, arguments, target, user or jid have to contain. */
  words: string;
  /** A part of the function's name. */
  fun: string;
  user: string;
  /** The outcome of at least one target, or `running`; empty for any. */
  outcome: string;
  /** The age of the oldest job: a key of {@link SINCE}; empty for all. */
  since: string;
}

export const ANY_JOB: JobFilter = { words: "", fun: "", user: "", outcome: "", since: "" };

/** Times to choose from: as in the address, and as shown. */
export const SINCE: Readonly<Record<string, { label: string; ms: number }>> = {
  "15m": { label: "15 minutes", ms: 15 * 60_000 },
  "1h": { label: "1 hour", ms: 3_600_000 },
  "6h": { label: "6 hours", ms: 6 * 3_600_000 },
  "24h": { label: "24 hours", ms: 24 * 3_600_000 },
  "7d": { label: "7 days", ms: 7 * 24 * 3_600_000 },
};

/** Outcomes to choose from; the master finds the jobs of each outcome except the first. */
export const OUTCOME_FILTERS: readonly (PartState | "running")[] = [
  "running",
  "failed",
  "timed out",
  "lost",
  "expired",
  "cancelled",
  "queued",
  "returned",
];

export const isFiltered = (filter: JobFilter): boolean => Object.values(filter).some((value) => value !== "");

/** Reads the query of an address, which anybody may have written. */
export function readJobFilter({ search = "", fun = "", user = "", outcome = "", since = "" }: Record<string, string>) {
  return {
    words: search,
    fun,
    user,
    outcome: (OUTCOME_FILTERS as readonly string[]).includes(outcome) ? outcome : "",
    since: Object.hasOwn(SINCE, since) ? since : "",
  };
}

/** The query that {@link readJobFilter} reads as this filter. */
export const jobFilterQuery = ({ words, ...rest }: JobFilter): Record<string, string> => ({ search: words, ...rest });

interface FilteredJob {
  jid: string;
  fun: string;
  user: string;
  search: string;
  startedMs?: number;
}

/**
 * The jobs that a filter lists, in their order.
 *
 * @param found the jobs of the chosen outcome; undefined while the master is asked for them
 */
export function filteredJobs<Job extends FilteredJob>(
  jobs: readonly Job[],
  { words, fun, user, outcome, since }: JobFilter,
  found: ReadonlySet<string> | undefined,
  nowMs: number,
): Job[] {
  const wanted = words.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const part = fun.trim().toLowerCase();
  const fromMs = since === "" ? -Infinity : nowMs - SINCE[since]!.ms;
  return jobs.filter((job) =>
    wanted.every((word) => job.search.includes(word)) &&
    (part === "" || job.fun.toLowerCase().includes(part)) &&
    (user === "" || job.user === user) &&
    (fromMs === -Infinity || (job.startedMs ?? 0) >= fromMs) &&
    (outcome === "" || found === undefined || found.has(job.jid))
  );
}

export const usersOf = (jobs: readonly { user: string }[]): string[] =>
  [...new Set(jobs.map(({ user }) => user))].filter((user) => user !== "").sort();
