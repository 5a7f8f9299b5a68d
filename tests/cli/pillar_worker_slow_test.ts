/** Pillar that worker processes of the master's own program compile, for minions over real sockets. */
import assert from "node:assert/strict";
import process from "node:process";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openMasterPillar } from "../../cli/pillar.ts";
import { lookup } from "../../src/language/python/values.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { Supervisor } from "../../src/feature/supervise/supervisor.ts";
import type { WorkerPool } from "../../src/feature/supervise/worker_pool.ts";
import { type Cluster, startCluster } from "../support/start_cluster.ts";
import { captureLog } from "../support/capture_log.ts";

const TIMEOUT = { timeout: 120_000 };
const program = fileURLToPath(new URL("../../cli/salt-master.ts", import.meta.url));
const flags = process.versions.deno === undefined ? [] : ["run", "-A", "--no-check", "--node-modules-dir=manual"];

const TREE: Record<string, string> = {
  "top.sls": "base:\n  '*':\n    - common\n  'web*':\n    - web\n",
  "common.sls":
    "color: blue\n1: one\nwhen: 2024-02-29\nsize: 1.0\nbytes: !!binary aGVsbG8=\nnested: {2: two, deep: [a, ~]}\n",
  "web.sls": "role: web\n",
};

interface Site extends AsyncDisposable {
  cluster: Cluster;
  supervisor: Supervisor;
  workers: WorkerPool;
}

async function site(master: Record<string, unknown> = {}, tree = TREE): Promise<Site> {
  const runtime = await currentRuntime();
  const { log } = captureLog();
  let supervisor: Supervisor | undefined;
  let workers!: WorkerPool;
  let compile!: ReturnType<typeof openMasterPillar>;
  const cluster: Cluster = await startCluster({
    place: "current",
    minions: [],
    master,
    prepare(prepared, root) {
      const opts = { pillar_roots: { base: [`${root}/pillar`] }, ...master };
      runtime.fs.mkdir(`${root}/pillar`);
      for (const [name, text] of Object.entries(tree)) runtime.fs.write(`${root}/pillar/${name}`, text);
      supervisor = new Supervisor({ runtime: prepared, log, socket: { kind: "unix", path: `${root}/parts.ipc` } });
      workers = supervisor.workers({
        name: "requests",
        argv: [process.execPath, ...flags, program, "--part-process"],
        config: () => opts,
        size: 1,
      });
      compile = openMasterPillar(prepared, opts, log, workers);
    },
    compilePillar: (request) => compile(request),
  });
  return {
    cluster,
    supervisor: supervisor!,
    workers,
    async [Symbol.asyncDispose]() {
      await cluster.close();
      await supervisor!.close();
    },
  };
}

describe("pillar from workers", TIMEOUT, () => {
  test("is what the master itself compiles, and decides targets", TIMEOUT, async () => {
    await using here = await site();
    const { cluster, workers } = here;
    const inline = openMasterPillar(
      cluster.runtime,
      { pillar_roots: { base: [`${cluster.root}/pillar`] } },
      captureLog().log,
    );
    cluster.acceptKey("web1");
    const web = await cluster.peer("web1");
    const request = { cmd: "_pillar", id: "web1", grains: { id: "web1", os: "Test" }, saltenv: null, pillarenv: null };
    const got = await web.requests.sendPrivate(request);
    const own = await inline({ id: "web1", grains: { id: "web1" } });
    assert.ok(workers.status().processes.length === 1, JSON.stringify(workers.status()));
    assert.deepEqual(show(got), show(own));
    await cluster.startMinion("db1").then(({ ready }) => ready);
    await cluster.startMinion("web1").then(({ ready }) => ready);
    const client = await cluster.client();
    const ping = { fun: "test.ping", arg: [] };
    assert.deepEqual(await client.command({ tgt: "role:web", tgt_type: "pillar", ...ping }), { web1: true });
    assert.deepEqual(
      await client.command({ tgt: "web1", fun: "pillar.get", arg: ["nested:deep"] }),
      { web1: ["a", null] },
    );
    // What a minion lays over its pillar is its answer, and not what the master knows of it.
    const over = await web.requests.sendPrivate({ ...request, pillar_override: { role: "db" } });
    assert.equal((over as Map<unknown, unknown>).get("role"), "db");
    assert.equal(lookup(cluster.master.services.cache.data("web1")!.pillar, "role"), "web");
  });

  test("a pillar that kills its worker is refused, and its minion is told; others get theirs", TIMEOUT, async () => {
    // The command's parent is the worker.
    await using here = await site({
      ext_pillar: [{ cmd_yaml: "case %s in bad*) kill -KILL $PPID;; esac; echo 'a: 1'" }],
    });
    const ask = async (id: string) => {
      const peer = await here.cluster.peer(id);
      return await peer.requests.sendPrivate({ cmd: "_pillar", id, grains: { id }, saltenv: null });
    };
    for (const id of ["bad1", "web1"]) here.cluster.acceptKey(id);
    assert.match(
      String(await ask("bad1")),
      /^Cannot make the pillar of bad1: its worker process crashed twice \(signal SIGKILL\)\. It is refused for 60 s$/,
    );
    assert.equal((await ask("web1") as Map<unknown, unknown>).get("a"), 1);
    assert.match(String(await ask("bad1")), /is refused for \d+ s more/);
    assert.deepEqual(here.workers.status().poisoned, ["pillar bad1"]);
  });

  test("where nothing is configured, no process is started", TIMEOUT, async () => {
    await using here = await site({}, {});
    here.cluster.acceptKey("web1");
    const peer = await here.cluster.peer("web1");
    assert.deepEqual(
      await peer.requests.sendPrivate({ cmd: "_pillar", id: "web1", grains: { id: "web1" }, saltenv: null }),
      {},
    );
    assert.deepEqual([here.workers.status().processes, here.workers.status().state], [[], "running"]);
  });
});

/** Maps as lists of their entries. */
function show(value: unknown): unknown {
  if (value instanceof Map) return [...value].map(([key, item]) => [String(key), show(item)]);
  if (Array.isArray(value)) return value.map(show);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value?.constructor === Object) return Object.entries(value).map(([key, item]) => [key, show(item)]);
  return typeof value === "object" && value !== null ? String(value) : value;
}
