import assert from "node:assert/strict";
import { test } from "node:test";
import { keepJobsSeconds } from "../../../src/host/master/maintenance/maintenance.ts";

test("keepJobsSeconds() takes keep_jobs in hours where only that was changed", () => {
  for (
    const [opts, want] of [
      [{ keep_jobs: null, keep_jobs_seconds: 86_400 }, 86_400],
      [{ keep_jobs: 1, keep_jobs_seconds: 86_400 }, 3600],
      [{ keep_jobs: 1, keep_jobs_seconds: 60 }, 60],
      [{ keep_jobs: 0 }, 0],
      [{}, 86_400],
    ] as const
  ) assert.equal(keepJobsSeconds(opts), want);
});
