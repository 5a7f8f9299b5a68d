/** Bounds on a login, checked before any backend is called. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../../../bench/bed/until.ts";
import type { MasterOpts } from "../../../../src/model/config/master_opts.ts";
import { AccessRules } from "../../../../src/host/master/access/acl.ts";
import { ExternalAuth } from "../../../../src/host/master/access/external_auth.ts";
import type { TokenFiles } from "../../../../src/host/master/access/tokens.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import { PatternCache } from "../../../../src/model/target/patterns.ts";
import { captureLog } from "../../../support/capture_log.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

test("no backend receives an overlong password or name; each has its own limit", async () => {
  const clock = new FakeClock();
  const runtime = { ...await currentRuntime(), clock, later: (callback: () => void) => queueMicrotask(callback) };
  const seen: string[] = [];
  const backend = (name: string, longest?: number) => () =>
    Promise.resolve({
      eauth: {
        ...(longest === undefined ? {} : { longest }),
        authenticate: (_context: unknown, { username, password }: { username: string; password: string }) => {
          seen.push(`${name} ${username.length} ${password.length}`);
          return Promise.resolve({ name: username });
        },
      },
    });
  const external = new ExternalAuth({
    runtime,
    log: captureLog().log,
    opts: {
      external_auth: { file: {}, jwt: {} },
      eauth_acl_module: "",
      permissive_acl: false,
    } as unknown as MasterOpts,
    tokens: {} as TokenFiles,
    rules: new AccessRules(new PatternCache()),
    backends: { file: backend("file"), jwt: backend("jwt", 16_384) },
  });
  const identify = async (eauth: string, username: string, password: string) => {
    const asked = external.identify({ eauth, username, password });
    let done = false;
    void asked.then(() => done = true);
    await until(() => done, { clock, stepMs: 5000 });
    return (await asked)?.name !== undefined;
  };
  const cases: [string, string, string, boolean][] = [
    ["file", "ann", "x".repeat(512), true],
    ["file", "ann", "x".repeat(513), false],
    ["file", "ann", "é".repeat(257), false],
    ["file", "ann", "x".repeat(16_384), false],
    ["file", "a".repeat(513), "x", false],
    ["jwt", "ann", "x".repeat(16_384), true],
    ["jwt", "ann", "x".repeat(16_385), false],
  ];
  for (const [eauth, username, password, want] of cases) {
    assert.equal(await identify(eauth, username, password), want, `${eauth} ${username.length} ${password.length}`);
  }
  assert.deepEqual(seen, ["file 3 512", "jwt 3 16384"]);
});
