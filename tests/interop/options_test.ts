/** Every option of the releases of real Salt is known here by its name, so that no configuration of Salt's is a riddle to us. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { MASTER_OPTIONS } from "../../src/model/config/master_opts.ts";
import { MINION_OPTIONS } from "../../src/model/config/minion_opts.ts";
import { reviewOptions } from "../../src/model/config/review.ts";
import { SALT_MASTER_OPTIONS, SALT_MINION_OPTIONS } from "../../src/model/config/salt_options.ts";
import { saltProgram } from "../../bench/bed/salt_release.ts";
import { installSalt, RELEASES } from "./release.ts";

const skip = (process.env.BRINE_INTEROP ?? "") === ""
  ? "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full"
  : process.versions.bun !== undefined || process.versions.deno !== undefined
  ? "driven by Node's test runner alone"
  : false;

const SCRIPT = `
import json, salt.config as c
print(json.dumps({
    "master": sorted(c.DEFAULT_MASTER_OPTS),
    "minion": sorted(c.DEFAULT_MINION_OPTS),
    "valid": sorted({*c.VALID_OPTS, *c.DEFAULT_API_OPTS, *c.DEFAULT_PROXY_MINION_OPTS}),
}))
`;

for (const release of RELEASES) {
  test(`every option of Salt ${release} is known`, { skip }, () => {
    assert.equal(installSalt(release), undefined);
    const python = saltProgram(release, "python3");
    const { master, minion, valid } = JSON.parse(
      execFileSync(python, ["-W", "ignore", "-c", SCRIPT], { encoding: "utf8" }),
    );
    const missing = (names: string[], ...tables: object[]) =>
      names.filter((name) => !tables.some((table) => Object.hasOwn(table, name)));
    assert.deepEqual(missing(master, MASTER_OPTIONS, SALT_MASTER_OPTIONS), []);
    assert.deepEqual(missing(minion, MINION_OPTIONS, SALT_MINION_OPTIONS), []);
    for (const host of ["master", "minion"] as const) {
      const { mistyped, unknown } = reviewOptions(host, { opts: {}, given: valid });
      assert.deepEqual([mistyped, unknown], [[], []]);
    }
  });
}
