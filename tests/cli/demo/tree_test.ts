/** What the demonstration has to play with can be used as it is. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { treeReport } from "../../../cli/compat/tree_report.ts";
import { demoHostOf, demoMasterOptions, demoMinionOptions, drift, writeDemoTree } from "../../../cli/demo/tree.ts";
import { masterMain } from "../../../cli/programs/master.ts";
import { minionMain } from "../../../cli/programs/minion.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { runInProcess } from "../../support/program.ts";

test("the files of the demonstration have what Brine has, and its options have no mistake", async () => {
  const root = mkdtempSync(path.join(tmpdir(), "brine-demo-"));
  try {
    writeDemoTree(root);
    const runtime = await currentRuntime();
    const files = [path.join(root, "reactor/deploy.sls")];
    const report = await treeReport(runtime, {
      states: [path.join(root, "states")],
      pillar: [path.join(root, "pillar")],
      files,
    });
    assert.deepEqual(report.parts, []);
    assert.equal(report.files, 9);
    const user = runtime.host.user().name;
    const common = `root_dir: ${root}/run\nuser: ${user}\n`;
    writeFileSync(path.join(root, "master"), `${common}publish_port: 0\nret_port: 0\n${demoMasterOptions(root)}`);
    writeFileSync(
      path.join(root, "minion"),
      `${common}id: web1\nmaster: 127.0.0.1\n${demoMinionOptions(root, "web1")}`,
    );
    mkdirSync(path.join(root, "run"));
    for (const [program, main] of [["salt-master", masterMain], ["salt-minion", minionMain]] as const) {
      const { stdout } = await runInProcess(program, main, ["-c", root, "--check"]);
      const said = stdout.split("\n").filter((line) => /reactor|schedule|beacon|grains|_roots|unknown/.test(line));
      assert.deepEqual(said, [], stdout);
    }
    mkdirSync(path.join(demoHostOf(root, "web2"), "etc"), { recursive: true });
    assert.equal(readFileSync(drift(root, "web2"), "utf8"), "Changed by hand.\n");
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
