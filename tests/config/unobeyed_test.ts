/** Options that are given and not obeyed: the harmful ones stop a daemon, the others are told of. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { keepJobsSeconds } from "../../src/config/keep_jobs.ts";
import { masterOptions } from "../../src/config/given.ts";
import { MASTER_OPTIONS } from "../../src/config/master_opts.ts";
import { MINION_OPTIONS } from "../../src/config/minion_opts.ts";
import { completeOptions } from "../../src/config/load.ts";
import { checkObeyed, mistyped } from "../../src/config/unobeyed.ts";
import { ConfigError } from "../../src/errors.ts";

const TABLES = { master: MASTER_OPTIONS, minion: MINION_OPTIONS };
const look = (host: keyof typeof TABLES, values: Record<string, unknown>) =>
  checkObeyed(
    TABLES[host],
    completeOptions(TABLES[host], values, (_key, message) => assert.fail(message)),
    new Set(Object.keys(values)),
  ).map(({ option }) => option);

describe("checkObeyed()", () => {
  for (const host of ["master", "minion"] as const) {
    for (
      const values of [
        { transport: "tcp" },
        { transport: "ws" },
        { ssl: true },
        { ssl: { certfile: "/etc/pki/a.pem" } },
        { fips_mode: true },
        { cluster_id: "one" },
      ]
    ) {
      test(`a ${host} does not start with ${JSON.stringify(values)}`, () =>
        assert.throws(() => look(host, values), (error: Error) => {
          const [name] = Object.keys(values);
          return error instanceof ConfigError && error.message.includes(`the option ${name}:`);
        }));
    }
    test(`a ${host} starts with their defaults`, () => {
      assert.deepEqual(look(host, { transport: "zeromq", ssl: null, fips_mode: false, cluster_id: "" }), []);
    });
  }

  test("tells of what has no effect, once, and not of what stands at its default or is obeyed", () => {
    assert.deepEqual(
      look("master", {
        reactor: [{ "a/b": ["/srv/r.sls"] }],
        con_cache: false,
        presence_events: true,
        timeout: 9,
        mine: 1,
      }),
      ["reactor", "presence_events"],
    );
    assert.deepEqual(look("minion", { schedule: { a: {} }, ping_interval: 5, tcp_keepalive_cnt: -1 }), [
      "schedule",
      "ping_interval",
    ]);
  });
});

test("mistyped() names what is nearly an option, and nothing that a module may have for its own", () => {
  const given = new Set(["worker_thread", "file_root", "timeout", "my_company", "gitfs_remotes", "s3.key", "reactor"]);
  assert.deepEqual(mistyped(MASTER_OPTIONS, given), [
    { option: "worker_thread", meant: "worker_threads" },
    { option: "file_root", meant: "file_roots" },
  ]);
});

test("lists of event_return and nodegroups, which Salt allows, are taken", () => {
  assert.deepEqual(masterOptions({ event_return: ["syslog", "local"] } as never).event_return, ["syslog", "local"]);
  const { nodegroups } = masterOptions({ nodegroups: [{ web: "web*" }, { db: "db*" }, "x"] } as never);
  assert.deepEqual({ ...nodegroups }, { web: "web*", db: "db*" });
});

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
