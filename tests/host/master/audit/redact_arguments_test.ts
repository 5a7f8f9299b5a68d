/** What the audit log shows of arguments. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ArgumentRedaction } from "../../../../src/host/master/audit/redact_arguments.ts";

const rules = { args: "redacted", names: [], functions: [] } as const;
const redaction = new ArgumentRedaction(rules);
const SECRET = "hunter2";

describe("a secret is never shown", () => {
  for (
    const [fun, args] of [
      ["user.setpassword", ["ann", SECRET]],
      ["shadow.set_password", ["ann", `$6$${SECRET}`]],
      ["mysql.user_create", ["ann", "localhost", SECRET]],
      ["environ.setval", ["TOKEN", SECRET]],
      ["random.shadow_hash", [null, SECRET]],
      ["hashutil.digest", [SECRET]],
      ["file.write", ["/etc/secret", SECRET]],
      ["test.arg", [{ __kwarg__: true, password: SECRET }]],
      ["test.arg", [{ __kwarg__: true, db: { deep: [{ api_key: SECRET }] } }]],
      ["test.arg", [{ __kwarg__: true, [`${"x".repeat(100)}_password`]: SECRET }]],
      ["test.arg", [`password=${SECRET}`]],
      ["test.arg", [new Map<unknown, unknown>([["auth_token", SECRET]])]],
      ["state.apply", ["x", { __kwarg__: true, pillar: { a: SECRET } }]],
      ["cmd.run", [`mysql -uroot -p${SECRET} -e "select 1"`]],
      ["cmd.run", [`mysql -uroot -p ${SECRET}`]],
      ["cmd.run", [`curl --token ${SECRET} https://x`]],
      ["cmd.run", [`curl -H 'Authorization: Bearer ${SECRET}'`]],
      ["cmd.run", [`curl https://ann:${SECRET}@example.org/`]],
      ["cmd.run", [`PGPASSWORD="${SECRET} and more" psql`]],
      ["cmd.run", [`app --db-password='${SECRET}' --verbose`]],
      ["cmd.run", ["env", { __kwarg__: true, env: { A: SECRET } }]],
      ["cmd.run", ["cat", { __kwarg__: true, stdin: SECRET }]],
      ["cmd.run", [`echo '-----BEGIN RSA PRIVATE KEY-----\n${SECRET}\n-----END RSA PRIVATE KEY-----'`]],
      ["cmd.run", [`${"x".repeat(480)} password=${"y".repeat(60)}${SECRET}`]],
      [["test.ping", "user.setpassword"], [[], ["ann", SECRET]]],
    ] as [unknown, unknown[]][]
  ) {
    test(`${JSON.stringify(fun)} ${JSON.stringify(args).slice(0, 60)}`, () => {
      assert.doesNotMatch(JSON.stringify(redaction.shown(fun, args)), /hunter2/);
    });
  }
});

test("what is no secret is shown", () => {
  const shown = redaction.shown("cmd.run", ["uptime -p", { __kwarg__: true, cwd: "/tmp", timeout: 5 }]);
  assert.equal(JSON.stringify(shown), '["uptime -p",{"cwd":"/tmp","timeout":5}]');
  assert.equal(redaction.shown("test.ping", []), undefined);
  assert.deepEqual(redaction.shown("pkg.install", ["passwd-tools"]), ["passwd-tools"]);
});

test("names and functions of the configuration are left out, too", () => {
  const own = new ArgumentRedaction({ args: "redacted", names: ["serial*"], functions: ["license.*"] });
  assert.doesNotMatch(JSON.stringify(own.shown("x.y", [{ serial_number: SECRET }])), /hunter2/);
  assert.doesNotMatch(JSON.stringify(own.shown("license.set", [SECRET])), /hunter2/);
});

test("audit_args: none shows nothing, full everything", () => {
  assert.equal(new ArgumentRedaction({ ...rules, args: "none" }).shown("cmd.run", ["id"]), undefined);
  const full = new ArgumentRedaction({ ...rules, args: "full" });
  assert.deepEqual(full.shown("user.setpassword", ["ann", SECRET]), ["ann", SECRET]);
});

test("arguments of any size and depth cost bounded room", () => {
  let deep: unknown = "x";
  for (let level = 0; level < 1000; level++) deep = [deep];
  for (
    const args of [
      ["x".repeat(10_000_000)],
      Array.from({ length: 100_000 }, () => "y".repeat(500)),
      [Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`name${at}`, "z".repeat(1000)]))],
      [deep],
      ["pass".repeat(100_000)],
      [new Uint8Array(1_000_000)],
    ]
  ) assert.ok(JSON.stringify(redaction.shown("test.arg", args)).length < 20_000);
});
