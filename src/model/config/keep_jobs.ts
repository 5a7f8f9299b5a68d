/**
 * How long jobs are kept, in seconds, 0 for ever: the option `keep_jobs_seconds`, or the older `keep_jobs` (in hours) if only
 * the latter differs from its default.
 *
 * @see salt/utils/job.py get_keep_jobs_seconds
 */
export function keepJobsSeconds(opts: Record<string, unknown>): number {
  const seconds = Number(opts.keep_jobs_seconds ?? 86_400);
  const hours = opts.keep_jobs === null || opts.keep_jobs === undefined ? NaN : Number(opts.keep_jobs);
  return seconds === 86_400 && Number.isFinite(hours) ? hours * 3600 : seconds;
}
