import type { JobListEntry, JobSearch, JobSummary } from "../../job/job_cache.ts";
import { compileGlob, type Predicate } from "../../target/glob.ts";

/** Entries of one page of a list. */
export const PAGE = 500;

/** What jobs are searched by, and found under. */
export const WORD_KINDS = ["target", "fun", "user"] as const;
export type WordKind = typeof WORD_KINDS[number];

/** A list target of more minions is not found under each of them, but looked at whenever a target is searched for. */
const MOST_WORDS = 100;
/** The word that such a target has instead. */
export const MANY = "";

/** Every word that a job may be searched by. */
export function wordsOf({ fun, tgt, tgt_type, user }: JobSummary): Record<WordKind, string[]> {
  const texts = (value: unknown) => [value].flat().filter((one) => one !== undefined && one !== null).map(String);
  const targets = texts(tgt);
  // A list may come as text, too.
  const items = tgt_type === "list" && typeof tgt === "string" ? tgt.split(",").map((one) => one.trim()) : [];
  return { fun: texts(fun), target: [...new Set([...targets, ...items])], user: texts(user) };
}

/** The words that a store keeps of a job. */
export function storedWordsOf(summary: JobSummary): [WordKind, string][] {
  const words = wordsOf(summary);
  return WORD_KINDS.flatMap((kind) =>
    (words[kind].length > MOST_WORDS ? [MANY] : words[kind]).map((word): [WordKind, string] => [kind, word])
  );
}

/** Tells whether one of the patterns fits a word. */
export function anyGlob(patterns: readonly string[]): Predicate {
  const globs = patterns.map(compileGlob);
  return (word) => globs.some((fits) => fits(word));
}

/** Tells whether a job is one that is searched for, as far as the summary tells: time and outcome are not in it. */
export function summaryFilter(search: JobSearch): (summary: JobSummary) => boolean {
  const wanted = WORD_KINDS.filter((kind) => search[kind] !== undefined)
    .map((kind) => ({ kind, fits: anyGlob(search[kind]!) }));
  if (wanted.length === 0) return () => true;
  return (summary) => {
    const words = wordsOf(summary);
    return wanted.every(({ kind, fits }) => words[kind].some(fits));
  };
}

/** The part of a glob that every word begins with which it fits, and whether that is all of it. */
export function prefixOf(pattern: string): { prefix: string; exact: boolean } {
  const at = pattern.search(/[*?[]/);
  return at < 0 ? { prefix: pattern, exact: true } : { prefix: pattern.slice(0, at), exact: false };
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
