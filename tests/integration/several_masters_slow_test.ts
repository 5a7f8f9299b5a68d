/** A minion with several masters, connected to all at once: each has its own files and mine. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { callMain } from "../../cli/programs/call.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { runInProcess } from "../support/program.ts";
import { type Cluster, type ClusterOptions, startCluster } from "../support/start_cluster.ts";
import { testProgram } from "../host/minion/processes/job_bed.ts";

const TIMEOUT = { timeout: 60_000 };
const names = ["one", "two"];

/** Masters with the same key, as the masters of one minion have, each with a file of its own. */
async function masters(options: ClusterOptions = {}): Promise<[Cluster, Cluster]> {
  const started: Cluster[] = [];
  for (const name of names) {
    const cluster = await startCluster({ ...options, place: "current", minions: [] });
    cluster.runtime.fs.write(`${cluster.root}/srv/own`, `of ${name}\n`);
    cluster.acceptKey("web1");
    started.push(cluster);
  }
  return [started[0]!, started[1]!];
}

const address = (cluster: Cluster) => `127.0.0.1:${cluster.requestPort}`;

async function call(cluster: Cluster, fun: string, ...arg: unknown[]): Promise<unknown> {
  const client = await cluster.client();
  return (await client.command({ tgt: "web1", fun, arg })).web1;
}
const mined = (cluster: Cluster) => cluster.master.services.cache.mine("web1");

describe("a minion with several masters", TIMEOUT, () => {
  for (const apart of [false, true]) {
    test(
      `asks the master that sent the job; its mine is with all of them${apart ? ", jobs in processes" : ""}`,
      TIMEOUT,
      async () => {
        const jobCommand = apart ? { jobCommand: testProgram(await currentRuntime(), "./job_child.ts") } : {};
        const [one, two] = await masters(jobCommand);
        await using _one = one;
        await using _two = two;
        const minion = await one.startMinion("web1", { opts: { master: [address(one), address(two)] } });
        await minion.ready;
        for (const [index, cluster] of [one, two].entries()) {
          assert.equal(await call(cluster, "cp.get_file_str", "salt://own"), `of ${names[index]}\n`);
          assert.equal(await call(cluster, "mine.send", "test.echo", names[index]), true);
          for (const other of [one, two]) assert.deepEqual(mined(other), { "test.echo": names[index] });
        }
        two.master.services.cache.saveMine("db1", { "test.echo": "only here" });
        two.acceptKey("db1");
        assert.deepEqual(await call(one, "mine.get", "*", "test.echo"), { web1: "two" });
        assert.deepEqual(await call(two, "mine.get", "*", "test.echo"), { db1: "only here", web1: "two" });
        assert.equal(await call(two, "mine.delete", "test.echo"), true);
        for (const other of [one, two]) assert.deepEqual(mined(other), {});
      },
    );
  }

  test("does not wait for an unreachable one, and serves the others", TIMEOUT, async () => {
    const [gone, here] = await masters();
    await using _here = here;
    const away = address(gone);
    await gone.close();
    const opts = { master: [away, address(here)], mine_functions: { "test.echo": ["configured"] } };
    await here.startMinion("web1", { opts });
    await here.event("salt/minion/web1/start");
    await until(() => mined(here) !== undefined);
    assert.deepEqual(mined(here), { "test.echo": "configured" });
    assert.equal(await call(here, "cp.get_file_str", "salt://own"), "of two\n");
    assert.equal(await call(here, "mine.send", "test.arg"), true);
  });
});

test("salt-call uses the first of its masters that accepts its sign-in", TIMEOUT, async () => {
  const [gone, here] = await masters();
  await using _here = here;
  const away = address(gone);
  await gone.close();
  // salt-call signs in with the key of the minion.
  await here.startMinion("web1");
  await here.event("salt/minion/web1/start");
  const directory = here.minionDirectory("web1");
  const { fs } = here.runtime;
  for (const master of [JSON.stringify([away, address(here)]), `"${away},${address(here)}"`]) {
    fs.write(`${directory}/minion`, `id: web1\nroot_dir: ${directory}\npki_dir: ${directory}/pki\nmaster: ${master}\n`);
    const run = (...words: string[]) => runInProcess("salt-call", callMain, ["-c", directory, "--out=json", ...words]);
    const file = await run("cp.get_file_str", "salt://own");
    assert.deepEqual([JSON.parse(file.stdout), file.exitCode], [{ local: "of two\n" }, 0]);
    assert.match(file.stderr, /trying the next one/);
    assert.equal(JSON.parse((await run("config.get", "master")).stdout).local, address(here));
  }
  fs.write(
    `${directory}/minion`,
    `id: web1\nroot_dir: ${directory}\npki_dir: ${directory}/pki\nmaster: [${away}, ${away}]\n`,
  );
  const none = await runInProcess("salt-call", callMain, ["-c", directory, "-t", "1", "test.ping"]);
  assert.deepEqual([none.exitCode, none.stdout], [1, ""]);
});
