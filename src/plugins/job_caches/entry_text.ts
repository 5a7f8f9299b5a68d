import { type JobListEntry, type JobLoad, type JobSummary, summaryOf } from "../../model/job/job_cache.ts";

/** True if a value comes back from JSON as it was. */
function survives(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "undefined":
      return true;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0);
    case "object":
      if (value === null) return true;
      if (Array.isArray(value)) return value.every((item) => item !== undefined && survives(item));
      return Object.getPrototypeOf(value) === Object.prototype && !("toJSON" in value) &&
        Object.entries(value).every(([key, item]) => key !== "__proto__" && item !== undefined && survives(item));
    default:
      return false;
  }
}

/**
 * The text that a list of jobs is read from, since JSON is parsed many times faster than a load is decoded: the jid with
 * the summary, or the jid alone if JSON could not restore the summary exactly.
 */
export function entryText(jid: string, summary: JobSummary): string {
  return JSON.stringify(Object.values(summary).every(survives) ? { jid, summary } : jid);
}

/** A job of a list from what was parsed of {@link entryText}. */
export function entryOf(item: unknown, loadOf: (jid: string) => JobLoad | undefined): JobListEntry {
  return typeof item === "string" ? { jid: item, summary: summaryOf(loadOf(item) ?? {}) } : item as JobListEntry;
}
