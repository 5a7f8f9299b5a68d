/** `test.ping`, in memory and over real sockets. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Outcome } from "../../src/client/outcome.ts";
import { startCluster } from "../support/start_cluster.ts";

for (const place of ["memory", "current"] as const) {
  describe(`ping, ${place === "memory" ? "in memory" : "over tcp and Unix sockets"}`, { timeout: 120_000 }, () => {
    test("each job is answered as Salt would", { timeout: 120_000 }, async () => {
      await using cluster = await startCluster({ place, minions: ["web1", "db1"] });
      const client = await cluster.client();
      const jobs: { fun: string | string[]; arg?: unknown[]; want: unknown; retcode?: unknown; success?: unknown }[] = [
        { fun: "test.ping", want: true },
        { fun: "test.echo", arg: ["zoë"], want: "zoë" },
        { fun: "test.echo", arg: [{ deep: [1, null, 2.5] }], want: { deep: [1, null, 2.5] } },
        {
          fun: "test.kwarg",
          arg: [{ __kwarg__: true, a: 1, b: "two" }],
          want: { a: 1, b: "two" },
        },
        {
          fun: ["test.ping", "test.echo"],
          arg: [[], ["hi"]],
          want: { "test.ping": true, "test.echo": "hi" },
          retcode: { "test.ping": 0, "test.echo": 0 },
          success: { "test.ping": true, "test.echo": true },
        },
        { fun: "no.such", want: "'no.such' is not available.", retcode: 1, success: false },
        { fun: "test.retcode", arg: [3], want: true, retcode: 3, success: false },
      ];
      for (const { fun, arg = [], want, retcode = 0, success = true } of jobs) {
        const outcomes: Outcome[] = [];
        for await (const outcome of client.run({ tgt: "*", fun, arg })) outcomes.push(outcome);
        assert.deepEqual(outcomes.map(({ id }) => id).sort(), ["db1", "web1"], String(fun));
        for (const outcome of outcomes) {
          assert.equal(outcome.kind, success === false ? "failed" : "returned", String(fun));
          if (outcome.kind !== "returned" && outcome.kind !== "failed") continue;
          const value = fun === "test.kwarg"
            ? Object.fromEntries(
              Object.entries(outcome.return as object).filter(([name]) => !name.startsWith("__pub_")),
            )
            : outcome.return;
          assert.deepEqual(value, want, String(fun));
          assert.deepEqual(outcome.retcode, retcode, String(fun));
          assert.deepEqual(outcome.success, success, String(fun));
        }
      }
      assert.deepEqual(cluster.captured.complaints(), []);
    });
  });
}
