import assert from "node:assert/strict";
import { test } from "node:test";
import { jobsOfMinion } from "../../src/console/minion_jobs.ts";

const JOBS = [
  ["all", "*", "glob"],
  ["list", "db1,web1", "list"],
  ["other list", "db1,web10", "list"],
  ["grain", "os:Debian", "grain"],
  ["other grain", "os:Windows", "grain"],
  ["compound", "web* and G@os:Debian", "compound"],
  ["pattern", "web[0-9]", "pcre"],
  ["pillar", "role:web", "pillar"],
  ["node group", "webs", "nodegroup"],
  ["bad pattern", "web[", "pcre"],
  ["unknown type", "web1", "shape"],
].map(([name, target, targetType]) => ({ name, target: target!, targetType: targetType! }));

const names = (grains: Record<string, unknown> | undefined) =>
  jobsOfMinion(JOBS, "web1", grains).map(({ name }) => name);

test("the jobs of a minion are those whose target matches it, or may do so", () => {
  const always = ["all", "list"];
  assert.deepEqual(names({ os: "Debian" }), [...always, "grain", "compound", "pattern", "pillar", "node group"]);
  assert.deepEqual(names({ id: "web1" }), [...always, "pattern", "pillar", "node group"]);
});

test("while its grains are not known, or the master has none, jobs by grains are listed", () => {
  for (const grains of [undefined, {}]) assert.ok(names(grains).includes("other grain"));
});
