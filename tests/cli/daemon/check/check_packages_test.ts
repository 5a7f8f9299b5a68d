/** `--check` reports npm packages that options need and this program cannot load. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPackages } from "../../../../cli/daemon/check/check_packages.ts";
import { masterOptions } from "../../../../src/model/config/given.ts";
import { packageRemedy } from "../../../../src/plugins/driver.ts";
import { memoryFiles } from "../../../support/memory_files.ts";

const missing = (name: string, neededBy: string) => Promise.reject(new Error(`no ${name} for ${neededBy}`));
const findings = async (opts: Record<string, unknown>, load?: typeof missing) =>
  (await checkPackages(masterOptions(opts), memoryFiles(), load)).map(({ severity, problem, stops }) => [
    severity,
    problem,
    stops === true,
  ]);

for (
  const { opts, want } of [
    { opts: { master_job_cache: "redis" }, want: ["error", "no redis for master_job_cache: redis", true] },
    { opts: { master_job_cache: "redis_return" }, want: ["error", "no redis for master_job_cache: redis", true] },
    { opts: { master_job_cache: "postgres" }, want: ["error", "no postgres for master_job_cache: postgres", true] },
    { opts: { metrics: { listen: "127.0.0.1:9464" } }, want: ["error", "no prom-client for metrics", true] },
    {
      opts: { external_auth: { ldap: { ann: [".*"] } } },
      want: ["error", "no ldapts for external_auth: ldap", false],
    },
  ]
) {
  test(`a missing package is found: ${JSON.stringify(opts)}`, async () => {
    assert.deepEqual(await findings(opts, missing), [want]);
    assert.deepEqual(await findings(opts), [], "this checkout has the package");
  });
}

test("options that need no package load none", async () => {
  const opts = { external_auth: { pam: { ann: [".*"] } }, metrics: { exporter: "otlp-http" } };
  assert.deepEqual(await findings(opts, missing), []);
});

test("a wrong value is left to its own check", async () => {
  assert.deepEqual(await findings({ master_job_cache: "mysql", metrics: { lisen: "127.0.0.1:1" } }, missing), []);
});

test("the remedy for the one file is the npm package of Brine", () => {
  assert.equal(packageRemedy(["redis"], false), "npm install redis");
  assert.match(packageRemedy(["redis"], true), /docs\/install-npm\.md/);
});
