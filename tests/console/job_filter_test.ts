import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ANY_JOB,
  filteredJobs,
  isFiltered,
  type JobFilter,
  jobFilterQuery,
  readJobFilter,
  usersOf,
} from "../../src/console/job_filter.ts";
import { href, parseRoute } from "../../src/console/route.ts";

const NOW = 1_800_000_000_000;
const job = (jid: string, fun: string, user: string, minutes: number) => ({
  jid,
  fun,
  user,
  search: `${jid} ${fun} ${user} web*`.toLowerCase(),
  startedMs: NOW - minutes * 60_000,
});
const JOBS = [
  job("4", "state.apply", "ada", 1),
  job("3", "test.ping", "ada", 30),
  job("2", "state.sls", "bob", 59),
  job("1", "cmd.run", "", 3000),
];

for (
  const { name, filter, want, found } of [
    { name: "any", filter: {}, want: "4321" },
    { name: "words", filter: { words: " ADA test" }, want: "3" },
    { name: "a part of the function", filter: { fun: "State." }, want: "42" },
    { name: "a user", filter: { user: "ada" }, want: "43" },
    { name: "a time", filter: { since: "1h" }, want: "432" },
    { name: "an outcome", filter: { outcome: "failed" }, found: ["1", "2"], want: "21" },
    { name: "an outcome that is asked for", filter: { outcome: "failed" }, want: "4321" },
    { name: "several", filter: { user: "bob", since: "1h", outcome: "failed" }, found: ["1", "2"], want: "2" },
  ] as { name: string; filter: Partial<JobFilter>; want: string; found?: string[] }[]
) {
  test(`jobs are filtered by ${name}`, () => {
    const listed = filteredJobs(JOBS, { ...ANY_JOB, ...filter }, found && new Set(found), NOW);
    assert.equal(listed.map(({ jid }) => jid).join(""), want);
  });
}

test("a filter of jobs is read from its address as it was, and only as far as it is sound", () => {
  const filter: JobFilter = { words: "web*", fun: "state.", user: "ada", outcome: "timed out", since: "24h" };
  assert.deepEqual(readJobFilter(parseRoute(href("jobs", "", jobFilterQuery(filter))).query), filter);
  assert.deepEqual(readJobFilter({ outcome: "great", since: "constructor" }), ANY_JOB);
  assert.deepEqual([isFiltered(ANY_JOB), isFiltered(filter)], [false, true]);
});

test("usersOf() names each user once, in order", () => assert.deepEqual(usersOf(JOBS), ["ada", "bob"]));
