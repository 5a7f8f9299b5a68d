/** Every test file has one tier and one set of runtimes, and the tables and documents that say so are true. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { reportOf } from "../../scripts/test/report.ts";
import { NAMED_PLACES, OWN_COMMANDS, placeOf, testFiles } from "../tiers.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const files = testFiles(ROOT);
const read = (name: string) => readFileSync(path.join(ROOT, name), "utf8");

test("every test file belongs to one tier, and runs somewhere", () => {
  assert.ok(files.length > 500, `${files.length} files`);
  for (const { file, tier, runtimes } of files) {
    assert.ok(runtimes.length > 0 && new Set(runtimes).size === runtimes.length, file);
    if (tier === "own") {
      assert.doesNotMatch(file, /_(slow|nightly)_test\.ts$/, `${file}: its folder has a command of its own`);
    }
  }
});

test("every place that a table names is there, and says something", () => {
  for (const place of NAMED_PLACES) assert.ok(existsSync(path.join(ROOT, place)), place);
  assert.deepEqual(placeOf("tests/protocol/zmtp/x_test.ts"), {
    file: "tests/protocol/zmtp/x_test.ts",
    tier: "fast",
    runtimes: ["node", "bun", "deno"],
  });
  assert.deepEqual(placeOf("tests/language/yaml/x_test.ts").runtimes, ["node", "bun"]);
  assert.deepEqual(placeOf("tests/language/yaml/x_slow_test.ts").runtimes, ["node"]);
  assert.equal(placeOf("tests/sdk/x_nightly_test.ts").tier, "nightly");
  assert.deepEqual(placeOf("tests/faults/x_test.ts").tier, "own");
});

test("a folder with a command of its own is run by that command, and by CI or its nightly form", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const ci = read(".ci/run") + read(".ci/nightly");
  for (const [folder, command] of Object.entries(OWN_COMMANDS)) {
    assert.ok(scripts[command]?.includes(`${folder}/`), `${command} runs ${folder}`);
    assert.match(ci, new RegExp(`\\b${command}\\b`), `${command} in .ci`);
  }
});

test("tests/README.md names every folder of the tables", () => {
  const text = read("tests/README.md");
  for (const place of NAMED_PLACES) {
    if (place.endsWith(".ts")) continue;
    assert.ok(text.includes(`\`${place.replace("tests/", "")}\``), place);
  }
});

test("nothing is run a second time", () => {
  for (const file of [".ci/run", ".ci/nightly", "scripts/test.ts"]) {
    assert.doesNotMatch(read(file), /again\(|once more|retry|rerun|UNSTEADY/, file);
  }
});

test("a report has each failure with its place, from the JUnit files of three runtimes", () => {
  const root = "/r/";
  const node = reportOf({
    root,
    code: 1,
    said: "",
    xml:
      `<testsuites><testsuite name="a group"><testcase name="1 > 2 passes" time="0.5" classname="a group" file="/r/tests/a_test.ts"/>
<testcase name="passes, too" time="1.25" classname="a group" file="/r/tests/a_test.ts"/>
<testcase name="fails" classname="a group" file="/r/tests/a_test.ts" failure="x"><failure type="testCodeFailure" message="one &lt; two">
Error: one &lt; two
  at TestContext.&lt;anonymous> (file:///r/tests/a_test.ts:5:32)</failure></testcase>
<testcase name="skips" classname="a group"><skipped type="skipped" message="no server"/></testcase></testsuite></testsuites>`,
  });
  assert.deepEqual([node.passed, node.skipped, node.skipReasons], [2, 1, ["no server"]]);
  assert.deepEqual(node.failures.map(({ place, name }) => [place, name]), [["tests/a_test.ts:5", "a group > fails"]]);
  assert.match(node.failures[0]!.text, /^Error: one < two/);
  assert.deepEqual([...node.seconds], [["tests/a_test.ts", 1.75]]);
  const deno = reportOf({
    root,
    code: 1,
    said: "",
    xml:
      `<testcase name="a group" classname="./tests/a_test.ts" line="3"><failure message="1 test step failed">1 test step failed.</failure></testcase>
<testcase name="a group &gt; passes" classname="ext:deno_node/testing.ts"></testcase>
<testcase name="a group &gt; fails" classname="ext:deno_node/testing.ts"><failure message="x">AssertionError
    at file:///r/tests/a_test.ts:5:32</failure></testcase>`,
  });
  assert.equal(deno.passed, 1);
  assert.deepEqual(deno.failures.map(({ place, name }) => [place, name]), [["tests/a_test.ts:5", "a group > fails"]]);
});

test("a process that fails without a failed test, or runs none, is a failure with what it said", () => {
  const broken = reportOf({ xml: "", code: 1, said: "Cannot find module at /r/tests/b_test.ts:1:19", root: "/r/" });
  assert.deepEqual([broken.failures.length, broken.failures[0]!.place], [1, "tests/b_test.ts:1"]);
  assert.equal(reportOf({ xml: "<testsuites/>", code: 0, said: "", root: "/r/" }).failures.length, 1);
});
