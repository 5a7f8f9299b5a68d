/** Orchestrations of three hosts by a master, held against what real Salt's master and minions did. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, test } from "node:test";
import { runMain } from "../../cli/programs/run.ts";
import { runInProcess } from "../support/program.ts";
import { startCluster } from "../support/start_cluster.ts";
import { type Answer, answerOf, masterOptions, masterTrees } from "./through_a_master.ts";

describe("orchestrations do what they do in Salt", () => {
  for (const tree of masterTrees()) {
    const name = basename(tree.directory);
    const recorded = readFileSync(new URL(`recorded/${name}.master.3006.json`, import.meta.url), "utf8");
    const want = JSON.parse(recorded) as Answer[];
    test(name, { timeout: 180_000 }, async () => {
      const minions = Object.keys(tree.minions);
      const grains = (id: string) => ({ id, os: "Debian", ...tree.minions[id] });
      const master = masterOptions(tree);
      await using cluster = await startCluster({ place: "current", minions, master, grains });
      const conf = join(cluster.root, "conf");
      mkdirSync(conf);
      const { interface: host, publish_port, ret_port, sock_dir, cachedir, pki_dir, user } = cluster.masterOpts;
      const opts = { interface: host, publish_port, ret_port, sock_dir, cachedir, pki_dir, user, timeout: 30 };
      const own = { ...opts, ...master, root_dir: cluster.root, master_job_cache: "memory" };
      writeFileSync(join(conf, "master"), JSON.stringify(own));
      for (const [at, words] of tree.runs.entries()) {
        const { stdout, exitCode } = await runInProcess("salt-run", runMain, ["-c", conf, "-l", "quiet", "--out=json", ...words]);
        const got = JSON.parse(JSON.stringify(answerOf(exitCode, stdout)).replaceAll(tree.directory, "{tree}"));
        assert.equal(JSON.stringify(got, undefined, 1), JSON.stringify(want[at], undefined, 1), words.join(" "));
      }
    });
  }
});
