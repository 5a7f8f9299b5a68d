/** Orchestrations as operators run them, on a master and a minion of ours; recorded from real Salt's beside its own. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { runMain } from "../../cli/programs/run.ts";
import { saltMain } from "../../cli/programs/salt.ts";
import { runInProcess } from "../support/program.ts";
import { type Cluster, startCluster } from "../support/start_cluster.ts";

interface Recording {
  files: Record<string, string>;
  pillar: Record<string, string>;
  cases: { argv: string[]; stdout: string; exitCode: number }[];
}

const TIMEOUT = { timeout: 120_000 };
const { files, pillar, cases } = JSON.parse(
  readFileSync(new URL("orchestrations.json", import.meta.url), "utf8"),
) as Recording;

/** What differs from one run to the next. */
function settled(text: string): string {
  return text.replace(/\d\d:\d\d:\d\d\.\d{6}/g, "{TIME}").replace(/20\d{18}/g, "{JID}")
    .replace(/(Duration: )[\d.]+ ms/g, "$1{DUR}").replace(/(Total run time:) +[\d.]+ m?s/g, "$1 {DUR}")
    .replace(/"duration": [\d.]+/g, '"duration": {DUR}');
}

function write(directory: string, tree: Record<string, string>): string {
  for (const [name, text] of Object.entries(tree)) {
    mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
    writeFileSync(path.join(directory, name), text);
  }
  return directory;
}

describe("an orchestration", TIMEOUT, () => {
  let cluster: Cluster;
  let conf: string;
  let trees: string;

  before(async () => {
    trees = mkdtempSync(path.join(tmpdir(), "brine-orch-"));
    const roots = {
      file_roots: { base: [write(path.join(trees, "states"), files)] },
      pillar_roots: { base: [write(path.join(trees, "pillar"), pillar)] },
    };
    cluster = await startCluster({ place: "current", minions: ["m1"], master: { ...roots, id: "here" } });
    conf = path.join(cluster.root, "conf");
    const { interface: host, publish_port, ret_port, sock_dir, cachedir, pki_dir, user } = cluster.masterOpts;
    const opts = {
      interface: host,
      publish_port,
      ret_port,
      sock_dir,
      cachedir,
      pki_dir,
      user,
      timeout: 10,
      id: "here",
    };
    write(conf, { master: JSON.stringify({ ...opts, ...roots, root_dir: cluster.root, master_job_cache: "memory" }) });
  }, TIMEOUT);
  after(async () => {
    await cluster.close();
    rmSync(trees, { recursive: true });
  }, TIMEOUT);

  const run = (...words: string[]) => runInProcess("salt-run", runMain, ["-c", conf, ...words]);

  for (const { argv, stdout, exitCode } of cases) {
    test(`salt-run ${argv.join(" ")}`, TIMEOUT, async () => {
      const ran = await run(...argv);
      assert.equal(settled(ran.stdout), stdout);
      assert.equal(ran.exitCode, exitCode);
    });
  }

  test("is one job: its events, its states and its pauses have the id of the run", TIMEOUT, async () => {
    const jid = "20260101000000000000";
    const from = cluster.events.length;
    await run("state.orch", "orch.small", `--jid=${jid}`);
    const tagged = (name: string) =>
      cluster.events.slice(from).find(({ tag }) => tag === `salt/run/${jid}/${name}`)?.data as Record<string, unknown>;
    await until(() => tagged("ret") !== undefined);
    assert.deepEqual(tagged("new").fun_args, ["orch.small", { orchestration_jid: jid }]);
    const { type, tgt, name } = tagged("args");
    assert.deepEqual([type, tgt, name], ["state", "m1", "s"]);
    const end = tagged("ret");
    const value = end.return as { retcode: number; outputter: string; data: object };
    assert.deepEqual([end.fun, end.success, value.retcode, value.outputter], [
      "runner.state.orch",
      true,
      0,
      "highstate",
    ]);
    assert.deepEqual(Object.keys(value.data), ["here"]);
  });

  test("pauses where state.pause says so, and goes on after state.resume", TIMEOUT, async () => {
    const jid = "20260101000000000001";
    await run("state.pause", jid, "s");
    let ended = false;
    const running = run("state.orch", "orch.small", `--jid=${jid}`).finally(() => ended = true);
    await until(() => cluster.events.some(({ tag }) => tag === `salt/run/${jid}/new`));
    assert.equal(ended, false);
    await run("state.resume", jid, "s");
    assert.equal((await running).exitCode, 0);
  });

  test("ends where state.soft_kill says so", TIMEOUT, async () => {
    const jid = "20260101000000000002";
    await run("state.soft_kill", jid, "s");
    const { stdout } = await run("state.orch", "orch.small", `--jid=${jid}`, "--out=json");
    assert.deepEqual(Object.keys(JSON.parse(stdout).here ?? JSON.parse(stdout).data.here), []);
  });

  test("salt --stream shows each state as it ends, before the return", TIMEOUT, async () => {
    const { stdout } = await runInProcess("salt", saltMain, ["-c", conf, "--stream", "m1", "state.apply", "a,bad"]);
    const lines = stdout.replace(/\([\d.]+ ms\)/g, "(X ms)").split("\n").slice(0, 4);
    assert.deepEqual(lines, [
      "m1: [1/3] changed: a in a (X ms)",
      "m1: [2/3] clean: b in a (X ms)",
      "m1: [3/3] failed: f in bad (X ms): Failure!",
      "m1:",
    ]);
  });

  test("--state-output=filter leaves out the results that the call names", TIMEOUT, async () => {
    const words = ["--state-output=filter", "m1", "state.apply", "a,bad", "exclude=True,"];
    const { stdout } = await runInProcess("salt", saltMain, ["-c", conf, ...words]);
    assert.deepEqual(stdout.match(/ID: \w+/g), ["ID: f"]);
  });
});
