import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { startMaster } from "../../cli/embed/master.ts";
import { startMinion } from "../../cli/embed/minion.ts";
import { callRunner, connect } from "../../mod.ts";
import { systemClock } from "../../src/base/async/clock.ts";
import { masterOptions, minionOptions } from "../../src/model/config/given.ts";
import { emptyDirectory } from "./snippets.ts";

const LOOPBACK = { interface: "127.0.0.1", publish_port: 0, ret_port: 0, auto_accept: true };
const portOf = (endpoint: string) => Number(endpoint.split(":").at(-1));

describe("startMaster() and startMinion() of an embedding program", { timeout: 90_000 }, () => {
  test("have everything that the programs have: modules, pillar, runners, a job cache", async () => {
    using directory = emptyDirectory();
    const root = directory.path;
    mkdirSync(path.join(root, "srv/pillar"), { recursive: true });
    writeFileSync(path.join(root, "srv/pillar/top.sls"), "base:\n  '*':\n    - words\n");
    writeFileSync(path.join(root, "srv/pillar/words.sls"), "word: hello\n");
    await using master = await startMaster({
      rootDir: root,
      opts: { ...LOOPBACK, pillar_roots: { base: [path.join(root, "srv/pillar")] } },
    });
    const requestPort = portOf(master.requestEndpoint);
    await using minion = await startMinion({
      rootDir: path.join(root, "web1"),
      opts: { id: "web1", master: "127.0.0.1", master_port: requestPort },
      processes: true,
    });
    await minion.ready;
    await using salt = await connect({ rootDir: root, requestPort });
    const returns = await salt.command({
      tgt: ["web1"],
      fun: ["pillar.get", "cmd.run"],
      arg: [["word"], ["echo there"]],
    });
    assert.deepEqual(returns, { web1: { "pillar.get": "hello", "cmd.run": "there" } });
    const credentials = salt.ownCredentials;
    const call = { fun: "manage.up", arg: [], kwarg: {}, credentials };
    const { data } = await callRunner(salt, call, { timeoutMs: 60_000, clock: systemClock });
    assert.deepEqual(data.return, ["web1"]);
  });

  for (const workers of [0, 1]) {
    test(`pillar goes by the node groups of a configuration that was read again, with ${workers} workers`, async () => {
      using directory = emptyDirectory();
      const root = directory.path;
      mkdirSync(path.join(root, "srv/pillar"), { recursive: true });
      writeFileSync(path.join(root, "srv/pillar/top.sls"), "base:\n  web:\n    - match: nodegroup\n    - words\n");
      writeFileSync(path.join(root, "srv/pillar/words.sls"), "word: hello\n");
      await using master = await startMaster({
        rootDir: root,
        opts: {
          ...LOOPBACK,
          worker_threads: workers,
          nodegroups: { web: "db*" },
          pillar_roots: { base: [path.join(root, "srv/pillar")] },
        },
      });
      const requestPort = portOf(master.requestEndpoint);
      await using minion = await startMinion({
        rootDir: path.join(root, "web1"),
        opts: { id: "web1", master: "127.0.0.1", master_port: requestPort },
      });
      await minion.ready;
      await using salt = await connect({ rootDir: root, requestPort });
      const items = async () => (await salt.command({ tgt: ["web1"], fun: "pillar.items" }))?.web1;
      assert.deepEqual(await items(), {});
      assert.deepEqual(master.reload({ ...master.opts, nodegroups: { web: "web*" } }), ["nodegroups"]);
      assert.deepEqual(await items(), { word: "hello" });
    });
  }

  test("read a file of Salt's, and options of the program over it", async () => {
    using directory = emptyDirectory({ master: "timeout: 7\ngather_job_timeout: 3\n" });
    await using master = await startMaster({
      rootDir: directory.path,
      configFile: path.join(directory.path, "master"),
      opts: { ...LOOPBACK, gather_job_timeout: 4 },
    });
    const { timeout, gather_job_timeout } = master.opts;
    assert.deepEqual({ timeout, gather_job_timeout }, { timeout: 7, gather_job_timeout: 4 });
  });

  test("a configuration file is reviewed as for a daemon: options that cannot be used are refused", async () => {
    using directory = emptyDirectory({ master: "ssl: True\n" });
    const start = () => startMaster({ rootDir: directory.path, configFile: path.join(directory.path, "master") });
    await assert.rejects(start, /Cannot use the option ssl: ZeroMQ does not support TLS/);
  });
});

describe("what an embedding program mistypes is refused", () => {
  for (
    const { name, start, says } of [
      {
        name: "an option of the function",
        start: () => startMaster({ rootdir: "/x" } as object),
        says: /"rootdir" of a master's options: did you mean "rootDir"/,
      },
      {
        name: "an option of Salt one level too high",
        start: () => startMinion({ master: "x" } as object),
        says: /put Salt's options into opts: \{ master: … \}/,
      },
      {
        name: "an option of Salt",
        start: () => startMaster({ opts: { interfce: "x" } }),
        says: /Unknown option "interfce" of a master: did you mean "interface"/,
      },
      {
        name: "an option of Salt in another spelling",
        start: () => startMinion({ opts: { masterPort: 1 } }),
        says: /did you mean "master_port"/,
      },
      {
        name: "a value",
        start: () => startMinion({ opts: { master_port: "many" as unknown as number } }),
        says: /option master_port is "many": expected a number/,
      },
    ]
  ) test(name, () => assert.rejects(start(), says));
});

test("masterOptions() and minionOptions() put paths below root_dir and keep options of modules", () => {
  const opts = masterOptions({ root_dir: "/srv/run", "mysql.host": "db" });
  assert.equal(opts.cachedir, "/srv/run/var/cache/salt/master");
  assert.equal(opts["mysql.host"], "db");
  assert.equal(minionOptions().master_port, 4506);
});
