/** Jobs in PostgreSQL and Redis: what our returners write, real Salt's tools read, and the other way round. */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import type { ReturnerContext, ReturnerModule } from "../../src/model/loader/family.ts";
import { postgresReturner } from "../../src/plugins/returners/postgres.ts";
import { redisReturner } from "../../src/plugins/returners/redis.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { Float } from "../../src/protocol/wire/msgpack.ts";
import { captureLog } from "../support/capture_log.ts";
import { noPostgres, noRedis, startPostgres, startRedis, type TestServer } from "../support/servers.ts";
import { commandOf } from "./daemon.ts";
import { saltProgram } from "../../bench/bed/salt_release.ts";
import { installSalt } from "./release.ts";

const RELEASE = "3006";
const run = promisify(execFile);

/** Saves jobs through the returner of real Salt, as its master and its minions do. */
const WRITER = `
import json, sys
import salt.config, salt.minion
name, config, jobs = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
returners = salt.minion.MasterMinion(salt.config.master_config(config)).returners
for load, minions, returns in jobs:
    returners[name + ".save_load"](load["jid"], load, minions)
    for ret in returns:
        returners[name + ".returner"](ret)
`;

interface Row {
  name: string;
  package: string;
  none(): string | undefined;
  start(): Promise<TestServer>;
  make(): ReturnerModule;
  /** Options of the returner, for both. */
  options(port: number): Record<string, unknown>;
}

const ROWS: Row[] = [{
  name: "postgres",
  package: "psycopg2-binary",
  none: noPostgres,
  start: startPostgres,
  make: postgresReturner,
  options: (port) => ({
    "returner.postgres.host": "127.0.0.1",
    "returner.postgres.port": port,
    "returner.postgres.db": "postgres",
    "returner.postgres.create_tables": true,
  }),
}, {
  name: "redis",
  package: "redis",
  none: noRedis,
  start: startRedis,
  make: redisReturner,
  options: (port) => ({ "redis.host": "127.0.0.1", "redis.port": port }),
}];

const job = (jid: string, fun: string, value: unknown) => {
  const load = {
    jid,
    fun,
    arg: ["x", { __kwarg__: true, k: 1 }],
    tgt: "web*",
    tgt_type: "glob",
    user: "root",
    ret: "",
  };
  const returns = [
    { jid, id: "web1", fun, fun_args: ["x"], return: value, retcode: 0, success: true },
    { jid, id: "web2", fun, fun_args: ["x"], return: "no", retcode: 2, success: false, out: "nested" },
  ];
  return { load, minions: ["web1", "web2", "web3"], returns };
};

function whyNot(): string | undefined {
  if ((process.env.BRINE_INTEROP ?? "") === "") {
    return "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full";
  }
  if (process.versions.bun !== undefined || process.versions.deno !== undefined) {
    return "driven by Node's test runner alone: set BRINE_RUNTIME to test another runtime with it";
  }
  return installSalt(RELEASE);
}

const skip = whyNot();

for (const row of ROWS) {
  describe(`${row.name}: jobs that Salt and Brine share`, { skip: skip ?? row.none() }, () => {
    let server: TestServer;
    let directory: string;
    let context: ReturnerContext;
    const module = row.make();
    const OURS = "20261120100000000001";
    const THEIRS = "20261120100000000002";

    /** A document that `salt-run` prints. */
    async function runner(argv: string[], words: string[]): Promise<unknown> {
      const [program, ...rest] = [...argv, "-c", directory, ...words, "--out=json"];
      const env = { ...process.env, PYTHONPATH: path.join(directory, "lib"), PYTHONWARNINGS: "ignore" };
      const { stdout } = await run(program!, rest, { env, timeout: 120_000 });
      return JSON.parse(stdout);
    }
    const both = async (...words: string[]) => ({
      salt: await runner(commandOf(RELEASE, "salt-run"), words),
      brine: await runner(commandOf("brine", "salt-run"), words),
    });

    before(async () => {
      server = await row.start();
      directory = mkdtempSync(path.join(tmpdir(), "brine-interop-"));
      // Beside the environment of the release, which stays as it is.
      const python = saltProgram(RELEASE, "python");
      const lib = path.join(directory, "lib");
      const { status, stderr } = spawnSync(python, ["-m", "pip", "install", "--quiet", "--target", lib, row.package], {
        encoding: "utf8",
      });
      assert.equal(status, 0, stderr);
      const opts = {
        ...row.options(server.port),
        ext_job_cache: row.name,
        root_dir: directory,
        cachedir: path.join(directory, "cache"),
        pki_dir: path.join(directory, "pki"),
        sock_dir: path.join(directory, "run"),
        log_file: path.join(directory, "log"),
        user: "root",
        runner_returns: false,
      };
      const text = Object.entries(opts).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`).join("");
      writeFileSync(path.join(directory, "master"), text);
      context = { runtime: await currentRuntime(), log: captureLog().log, opts };

      const ours = job(OURS, "test.arg", { a: new Float(1), b: [2n ** 60n, "ä", null], 1: true });
      await module.saveLoad!(context, OURS, ours.load, ours.minions);
      for (const ret of ours.returns) await module.returner(context, ret);
      const theirs = job(THEIRS, "cmd.run", { a: 1.5, b: ["ä", null], 1: true });
      const words = [row.name, path.join(directory, "master"), JSON.stringify([Object.values(theirs)])];
      const env = { ...process.env, PYTHONPATH: lib, PYTHONWARNINGS: "ignore" };
      await run(python, ["-c", WRITER, ...words], { env, timeout: 120_000 });
    });

    after(async () => {
      await module.close?.();
      await server?.[Symbol.asyncDispose]();
      if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
    });

    for (const [whose, jid] of [["ours", OURS], ["theirs", THEIRS]] as const) {
      test(`jobs.lookup_jid finds a job of ${whose}`, async () => {
        const { salt, brine } = await both("jobs.lookup_jid", jid);
        assert.deepEqual(brine, salt);
        assert.deepEqual(Object.keys(salt as object).sort(), ["web1", "web2"]);
      });

      test(`jobs.print_job shows a job of ${whose}`, async () => {
        const { salt, brine } = await both("jobs.print_job", jid) as Record<
          string,
          Record<string, { Result: object; Outcomes?: unknown }>
        >;
        // Salt gives what it stored, of which the return is a part; its other caches give the return alone.
        for (const result of Object.values(salt![jid]!.Result)) {
          for (const key of ["jid", "id", "fun", "fun_args"]) delete result[key];
        }
        // Of a job that is not over we say how its targets stand, too.
        const { Outcomes, ...rest } = brine![jid]!;
        assert.deepEqual({ ...brine, [jid]: rest }, salt);
        const standing = { web1: "returned", web2: "failed", web3: "published" };
        assert.deepEqual(Outcomes, whose === "ours" ? standing : undefined);
      });
    }

    test("jobs.list_jobs finds both", async () => {
      const { salt, brine } = await both("jobs.list_jobs");
      assert.deepEqual(brine, salt);
      assert.deepEqual(Object.keys(brine as object), [OURS, THEIRS]);
    });

    test("jobs.lookup_jid tells who is missing of a job of ours, to Salt as well", async () => {
      const { salt, brine } = await both("jobs.lookup_jid", OURS, "missing=True");
      assert.deepEqual(brine, salt);
      assert.equal((salt as Record<string, unknown>).web3, "Minion did not return");
    });
  });
}
