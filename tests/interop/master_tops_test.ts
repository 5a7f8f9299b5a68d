/** `master_tops` with `ext_nodes`: minions of either side get the same states from a master of either side. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { Fleet, idOf } from "./fleet.ts";
import { installSalt, type Kind } from "./release.ts";

const skip = (process.env.BRINE_INTEROP ?? "") === ""
  ? "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full"
  : process.versions.bun !== undefined || process.versions.deno !== undefined
  ? "driven by Node's test runner alone"
  : false;
const TIMEOUT = { timeout: 180_000 };
const RELEASE = "3006";

for (const master of ["brine", RELEASE] as const) {
  describe(`master_tops of ${master}`, { ...TIMEOUT, skip }, () => {
    let fleet: Fleet;
    const minions: readonly Kind[] = ["brine", RELEASE];

    before(async () => {
      assert.equal(installSalt(RELEASE), undefined);
      fleet = new Fleet({
        master,
        minions,
        masterOptions: (directory) => ({
          file_roots: { base: [path.join(directory, "states")] },
          master_tops: { ext_nodes: `${path.join(directory, "nodes")} -v` },
        }),
      });
      mkdirSync(fleet.path("states"));
      writeFileSync(fleet.path("states", "top.sls"), "base: {'*': [common]}\n");
      for (const name of ["common", "of_brine", "of_salt3006"]) {
        writeFileSync(fleet.path("states", `${name}.sls`), `${name}: test.nop\n`);
      }
      const script = '#!/bin/sh\n[ "$1" = -v ] || exit 1\necho "classes: {of_$2: null}"\n';
      writeFileSync(fleet.path("nodes"), script, { mode: 0o755 });
      await fleet.start();
    }, TIMEOUT);
    after(() => fleet?.stop(), TIMEOUT);

    test("stand behind the top file, and are run", TIMEOUT, async () => {
      const ask = async (...words: string[]) => {
        const { stdout, stderr } = await fleet.salt(master, ["*", ...words, "--static", "--out=json"]);
        assert.notEqual(stdout, "", fleet.report(stderr));
        return JSON.parse(stdout) as Record<string, Record<string, unknown>>;
      };
      const tops = await ask("state.show_top");
      const runs = await ask("state.apply");
      for (const id of minions.map(idOf)) {
        assert.deepEqual(tops[id], { base: ["common", `of_${id}`] });
        const ids = Object.values(runs[id]!).map((entry) => (entry as { __id__: string }).__id__);
        assert.deepEqual(ids, ["common", `of_${id}`]);
      }
    });
  });
}
