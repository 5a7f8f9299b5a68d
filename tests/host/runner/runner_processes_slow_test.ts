/** Runners in processes of their own, started by a master for callers over the request port. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Supervisor } from "../../../src/feature/supervise/supervisor.ts";
import { RunnerProcesses } from "../../../src/host/runner/runner_processes.ts";
import { masterId } from "../../../src/host/master/master_id.ts";
import type { Runners } from "../../../src/host/master/jobs/runners.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { decode, encode, unpack } from "../../../src/protocol/wire/msgpack.ts";
import { captureLog } from "../../support/capture_log.ts";
import { type Cluster, startCluster } from "../../support/start_cluster.ts";
import type { Json } from "../../support/vectors.ts";

const TIMEOUT = { timeout: 60_000 };
const program = fileURLToPath(new URL("../../../cli/salt-master.ts", import.meta.url));
const flags = process.versions.deno === undefined ? [] : ["run", "-A", "--no-check", "--node-modules-dir=manual"];
const OURS = [process.execPath, ...flags, program, "--runner-process"];

interface Site extends AsyncDisposable {
  cluster: Cluster;
  /** Starts a runner and waits for its return. */
  call(fun: string, low?: Record<string, unknown>): Promise<Json>;
}

async function site(argv: readonly string[] = OURS): Promise<Site> {
  const runtime = await currentRuntime();
  const directory = mkdtempSync(path.join(tmpdir().length > 40 ? "/tmp" : tmpdir(), "brine-runner-"));
  const socket = { kind: "unix" as const, path: path.join(directory, "parts.ipc") };
  // The master's options are known once it is there; the runners need them when they are called.
  let made: RunnerProcesses | undefined;
  const supervisor = new Supervisor({ runtime, log: captureLog().log, socket });
  const runners: Runners = {
    run: (job) => (made ??= new RunnerProcesses(supervisor.processes, () => cluster.masterOpts, argv)).run(job),
    close: () => made?.close(),
  };
  const cluster: Cluster = await startCluster({ place: "current", minions: [], runners });
  const user = runtime.host.user().name;
  const key = runtime.fs.readText(`${cluster.root}/cache/.${user}_key`);
  const exchange = cluster.exchange();
  return {
    cluster,
    async call(fun, low = { arg: [], kwarg: {} }) {
      const load = { cmd: "runner", fun, kwarg: low, user, key };
      const bytes = encode({ enc: "clear", load, version: 3 }, "wire");
      const { tag } = decode(await exchange(bytes, { timeoutMs: 30_000 }), { mode: "wire" }) as Json;
      return (await cluster.event(`${tag}/ret`)).data;
    },
    async [Symbol.asyncDispose]() {
      await cluster.close();
      await supervisor.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

describe("processes of runners", TIMEOUT, () => {
  test("a runner is run with its arguments, and its return is an event", TIMEOUT, async () => {
    await using here = await site();
    const data = await here.call("test.arg", { arg: ["a", 2], kwarg: { b: [1.5, null], __proto: "x" } });
    assert.deepEqual(data.return, { args: ["a", 2], kwargs: { b: [1.5, null] } });
    assert.deepEqual([data.fun, data.success], ["runner.test.arg", true]);
    // By their names, as the HTTP API's clients may write them.
    const named = await here.call("cache.fetch", { bank: "none", key: "none" });
    assert.deepEqual([named.success, named.return], [true, {}]);
  });

  test("what goes wrong is its return", TIMEOUT, async () => {
    await using here = await site();
    const thrown = await here.call("error.error", { arg: [], kwarg: { name: "Exception", message: "boom" } });
    assert.match(
      String(thrown.return),
      /^Exception occurred in runner error\.error: Traceback[\s\S]*\nException: boom\n$/,
    );
    assert.equal(thrown.success, false);
    const misfit = await here.call("jobs.list_job");
    assert.match(
      String(misfit.return),
      /Passed invalid arguments: list_job\(\) missing 1 required positional argument: 'jid'/,
    );
    const missing = await here.call("no.such");
    assert.match(
      String(missing.return),
      /^Exception occurred in runner no\.such: Traceback[\s\S]*: 'no\.such' is not available\.\n$/,
    );
    const surplus = await here.call("jobs.active", { x: 1 });
    assert.match(String(surplus.return), /'x' is an invalid keyword argument for 'jobs\.active'/);
  });

  test("it is recorded as a job, with its caller and its outcome", TIMEOUT, async () => {
    await using here = await site();
    const user = here.cluster.runtime.host.user().name;
    const { jid } = await here.call("test.arg", { arg: ["a"], kwarg: { b: 1 } });
    const failed = await here.call("error.error", { arg: [], kwarg: { name: "Exception", message: "boom" } });
    const looked = await here.call("jobs.lookup_jid", { arg: [jid], kwarg: {} });
    const master = masterId(here.cluster.masterOpts, here.cluster.runtime.host.hostname());
    const { _stamp, ...rest } = looked.return[master];
    assert.match(_stamp, /^\d{4}-\d\d-\d\dT/);
    assert.deepEqual(rest, {
      fun: "runner.test.arg",
      jid,
      user,
      fun_args: ["a", { b: 1 }],
      return: { args: ["a"], kwargs: { b: 1 } },
      success: true,
    });
    const { return: job } = await here.call("jobs.list_job", { arg: [failed.jid], kwarg: {} });
    assert.deepEqual([job.Function, job.Arguments, job.Target, job["Target-type"], job.User, job.Minions], [
      "runner.error.error",
      [],
      master,
      "list",
      user,
      undefined,
    ]);
    // As in Salt, the failure is in the return.
    assert.deepEqual(Object.keys(job.Result[master]), ["return"]);
    assert.deepEqual([job.Result[master].return.success, job.Result[master].return.retcode], [false, 1]);
    const secret = await here.call("auth.mk_token", {
      arg: [],
      kwarg: { username: "a", password: "b", eauth: "none" },
    });
    const { return: hidden } = await here.call("jobs.lookup_jid", { arg: [secret.jid], kwarg: {} });
    assert.deepEqual([hidden[master].fun_args, hidden[master].return], [["** hidden **"], "** hidden **"]);
    const { return: list } = await here.call("jobs.list_jobs", {
      arg: [],
      kwarg: { search_function: "runner.error.*" },
    });
    assert.deepEqual(Object.keys(list), [failed.jid]);
  });

  test("secrets among its arguments are hidden", TIMEOUT, async () => {
    await using here = await site();
    const kwarg = { username: "ann", password: "hunter2", eauth: "none" };
    const data = await here.call("auth.mk_token", { arg: [], kwarg });
    assert.equal(data.return, "");
    assert.doesNotMatch(JSON.stringify(here.cluster.events), /hunter2/);
    assert.equal((await here.call("auth.del_token", { arg: ["../../x"], kwarg: {} })).return, false);
  });

  test("a process that dies, or cannot be had, is a return, too", TIMEOUT, async () => {
    for (
      const [argv, why] of [
        [
          ["sh", "-c", "echo out of memory >&2; kill -KILL $$"],
          /ended before it returned: signal SIGKILL\nout of memory/,
        ],
        [["sh", "-c", "cat >/dev/null; exit 3"], /ended before it returned: exit code 3/],
        [
          ["/no/such/program"],
          /could not be started: the program file \/no\/such\/program of the running salt-master is gone/,
        ],
      ] as const
    ) {
      await using here = await site(argv);
      const data = await here.call("manage.up");
      assert.match(String(data.return), why);
      assert.deepEqual([data.success, data.retcode], [false, 1]);
      const [stored] = await here.cluster.master.services.jobs.returns(data.jid);
      assert.match(JSON.stringify(unpack(stored!.return, "bin")), /runner\.manage\.up.*"success":false,"retcode":1/);
    }
  });
});
