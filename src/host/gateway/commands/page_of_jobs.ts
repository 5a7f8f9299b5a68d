import { entriesOf, isMap } from "../../../language/python/values.ts";
import { HttpError } from "../wire/errors.ts";

/**
 * A page of the return of `jobs.list_jobs`: the latest `?limit=` jobs that started before `?before=`. Without both
 * parameters, the whole return unchanged.
 *
 * @throws {HttpError} 400
 */
export function pageOfJobs(jobs: unknown, query: URLSearchParams): unknown {
  const [limit, before] = [query.get("limit"), query.get("before")];
  if ((limit === null && before === null) || !isMap(jobs)) return jobs;
  const most = limit === null ? Infinity : Number(limit);
  if (!(most >= 1) || (limit !== null && !Number.isInteger(most))) {
    throw new HttpError(400, "limit is not a number of jobs");
  }
  if (before !== null && !/^\d{20}(?:_\d+)?$/.test(before)) throw new HttpError(400, "before is not a job id");
  const rows = entriesOf(jobs).filter(([jid]) => before === null || String(jid) < before)
    .sort(([a], [b]) => String(a) < String(b) ? 1 : -1);
  return new Map(rows.slice(0, most === Infinity ? undefined : most));
}
