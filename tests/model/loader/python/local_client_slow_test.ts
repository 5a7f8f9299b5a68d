/** Python runners that publish jobs by `salt.client`; their returns are recorded from real Salt's master with two minions. */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { runMain } from "../../../../cli/programs/run.ts";
import { findPython } from "../../../../src/model/loader/python/interpreter.ts";
import type { JobCache } from "../../../../src/model/job/job_cache.ts";
import { sqliteJobCache } from "../../../../src/plugins/job_caches/sqlite.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import { runInProcess } from "../../../support/program.ts";
import { type Cluster, startCluster } from "../../../support/start_cluster.ts";

const TIMEOUT = { timeout: 120_000 };
const VECTORS = fileURLToPath(new URL("../../../vectors/python/client/", import.meta.url));
const answers: Record<string, unknown> = JSON.parse(readFileSync(path.join(VECTORS, "answers.json"), "utf8"));

/** Without ids of jobs. */
const steady = (text: string) => text.replace(/20\d{18}/g, "JID");

describe("a Python runner with a LocalClient", {
  ...TIMEOUT,
  skip: findPython(await currentRuntime(), {}) === undefined && "no python3 of 3.8 or newer: install python3",
}, () => {
  let cluster: Cluster;
  let jobs: JobCache;
  let cache: string;
  let conf: string;

  before(async () => {
    const runtime = await currentRuntime();
    cache = mkdtempSync(path.join(tmpdir(), "brine-client-"));
    const clock = () => runtime.clock.now();
    const { databases, fs, later } = runtime;
    const place = path.join(cache, "jobs.sqlite");
    jobs = sqliteJobCache({ databases, fs, later, path: place, durability: "process", now: clock });
    cluster = await startCluster({ place: "current", minions: ["web1", "db1"], jobs, master: { cachedir: cache } });
    conf = path.join(cluster.root, "conf");
    const runners = path.join(cluster.root, "runners");
    for (const name of [conf, runners]) mkdirSync(name, { recursive: true });
    copyFileSync(path.join(VECTORS, "fleetjobs.py"), path.join(runners, "fleetjobs.py"));
    const { interface: host, publish_port, ret_port, sock_dir, cachedir, pki_dir, user } = cluster.masterOpts;
    writeFileSync(
      path.join(conf, "master"),
      JSON.stringify({
        interface: host,
        publish_port,
        ret_port,
        sock_dir,
        cachedir,
        pki_dir,
        user,
        root_dir: "/",
        log_file: path.join(cluster.root, "log"),
        runner_dirs: [runners],
        python_salt: false,
      }),
    );
  }, TIMEOUT);
  after(async () => {
    await cluster.close();
    await jobs.close();
    rmSync(cache, { recursive: true });
  }, TIMEOUT);

  for (const [name, want] of Object.entries(answers)) {
    test(`${name} returns what it returns in Salt`, TIMEOUT, async () => {
      const words = ["-c", conf, "--out=json", `fleetjobs.${name}`];
      const { stdout } = await runInProcess("salt-run", runMain, words);
      assert.deepEqual(JSON.parse(steady(stdout.slice(stdout.search(/^[[{"]/m)))), want);
    });
  }
});
