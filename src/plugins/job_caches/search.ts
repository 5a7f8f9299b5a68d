import type { JobListEntry, JobLoad, JobSearch, JobSummary } from "../../model/job/job_cache.ts";
import { mergeOutcomes, summaryOf } from "../../model/job/job_cache.ts";
import type { OutcomeState } from "../../model/job/outcome.ts";
import { compileGlob, type Predicate } from "../../language/python/glob.ts";
import type { LocalJobReads } from "./parts.ts";

export const PAGE = 500;

/** What jobs can be searched by. */
export const WORD_KINDS = ["target", "fun", "user"] as const;
export type WordKind = typeof WORD_KINDS[number];

/** A list target of more minions is not indexed by each of them, but examined in every search for a target. */
const MOST_WORDS = 100;
/** The word that such a target is indexed by instead. */
export const MANY = "";

/** Every word that a job may be searched by. */
function wordsOf({ fun, tgt, tgt_type, user }: JobSummary): Record<WordKind, string[]> {
  const texts = (value: unknown) => [value].flat().filter((one) => one !== undefined && one !== null).map(String);
  const targets = texts(tgt);
  // A list may come as text, too.
  const items = tgt_type === "list" && typeof tgt === "string" ? tgt.split(",").map((one) => one.trim()) : [];
  return { fun: texts(fun), target: [...new Set([...targets, ...items])], user: texts(user) };
}

export function storedWordsOf(summary: JobSummary): [WordKind, string][] {
  const words = wordsOf(summary);
  return WORD_KINDS.flatMap((kind) =>
    (words[kind].length > MOST_WORDS ? [MANY] : words[kind]).map((word): [WordKind, string] => [kind, word])
  );
}

/** A test whether one of the patterns matches a word. */
export function anyGlob(patterns: readonly string[]): Predicate {
  const globs = patterns.map(compileGlob);
  return (word) => globs.some((fits) => fits(word));
}

/** A test whether a summary matches a search; time and outcome are not part of it. */
export function summaryFilter(search: JobSearch): (summary: JobSummary) => boolean {
  const wanted = WORD_KINDS.filter((kind) => search[kind] !== undefined)
    .map((kind) => ({ kind, fits: anyGlob(search[kind]!) }));
  if (wanted.length === 0) return () => true;
  return (summary) => {
    const words = wordsOf(summary);
    return wanted.every(({ kind, fits }) => words[kind].some(fits));
  };
}

/** True if at least one target of a job is in the state. The other arguments are those of {@link mergeOutcomes}. */
export function anyInState(
  state: OutcomeState,
  minions: Parameters<typeof mergeOutcomes>[0],
  saved: Parameters<typeof mergeOutcomes>[1],
  returns: Parameters<typeof mergeOutcomes>[2],
): boolean {
  return mergeOutcomes(minions, saved, returns, 0).some((outcome) => outcome.state === state);
}

/** The prefix that all words matching a glob share, and whether it is the whole glob. */
export function prefixOf(pattern: string): { prefix: string; exact: boolean } {
  const at = pattern.search(/[*?[]/);
  return at < 0 ? { prefix: pattern, exact: true } : { prefix: pattern.slice(0, at), exact: false };
}

/**
 * The entries that a search asks for, by looking at each job in turn: for stores that have no index.
 *
 * @param jobs in the order of the search, those of the wrong time left out
 * @param loadOf undefined for a job that is not to be listed
 */
export function* sifted<Job extends { jid: string }>(
  jobs: Iterable<Job>,
  search: JobSearch,
  loadOf: (job: Job) => JobLoad | undefined,
  reads: Pick<LocalJobReads, "minions" | "outcomes" | "returns">,
): Iterable<JobListEntry> {
  const { limit = Infinity, outcome } = search;
  const fits = summaryFilter(search);
  let left = limit;
  for (const job of jobs) {
    if (left <= 0) return;
    const load = loadOf(job);
    if (load === undefined) continue;
    const { jid } = job;
    const summary = summaryOf(load);
    if (!fits(summary)) continue;
    const inState = outcome === undefined ||
      anyInState(outcome, reads.minions(jid), reads.outcomes(jid), reads.returns(jid));
    if (!inState) continue;
    left--;
    yield { jid, summary };
  }
}

/** Cuts entries into pages. */
export function* pages(entries: Iterable<JobListEntry>): Iterable<JobListEntry[]> {
  let page: JobListEntry[] = [];
  for (const entry of entries) {
    page.push(entry);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
