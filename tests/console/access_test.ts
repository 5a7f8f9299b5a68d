import assert from "node:assert/strict";
import { test } from "node:test";
import { auditArguments, readAudit, readAuditSearch, readSignedIn } from "../../src/console/access.ts";

test("lines of the audit log are read with the latest first, and say what was done", () => {
  const rows = readAudit([
    {
      n: 7,
      time: "2026-11-21T08:43:31.000Z",
      kind: "publish",
      user: "ada",
      fun: "cmd.run",
      args: ["id"],
      tgt: "web*",
      jid: "1",
      outcome: "ok",
    },
    { n: 8, time: "x", kind: "key", user: "bob", act: "accept", id: "web1", from: "10.0.0.7", outcome: "failed" },
    "torn",
  ])!;
  assert.deepEqual(rows.map(({ n, user, what, from, outcome }) => [n, user, what, from, outcome]), [
    [8, "bob", "accept web1", "10.0.0.7", "failed"],
    [7, "ada", "cmd.run id on web*", "", "ok"],
  ]);
  assert.deepEqual([rows[0]!.atMs, rows[1]!.atMs], [undefined, Date.UTC(2026, 10, 21, 8, 43, 31)]);
  assert.equal(readAudit("audit_log is off"), undefined);
});

test("logins are read in milliseconds", () => {
  assert.deepEqual(readSignedIn([{ user: "ada", eauth: "file", start: 5, expire: 9.5 }, 7]), [
    { user: "ada", eauth: "file", startMs: 5000, expireMs: 9500 },
  ]);
  assert.equal(readSignedIn({}), undefined);
});

test("a search of the audit log has only what was asked for, and is bounded", () => {
  const search = readAuditSearch({ user: "ada", kind: "login", since: "1h" });
  assert.deepEqual(auditArguments(search), { user: "ada", kind: "login", since: "1h", limit: 1000 });
  assert.deepEqual(auditArguments(readAuditSearch({ kind: "x", since: "1h; rm" })), { limit: 1000 });
});
