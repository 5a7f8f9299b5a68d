/** Jobs of states with `queue=True` that wait when their minion is stopped: they are run after its restart. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { deferred } from "../../src/base/async/deferred.ts";
import type { ExecutionModule } from "../../src/model/loader/family.ts";
import { memoryJobCache } from "../../src/plugins/job_caches/memory.ts";
import { MODULES } from "../../src/plugins/modules/mod.ts";
import { unpack } from "../../src/protocol/wire/msgpack.ts";
import { type Cluster, startCluster } from "../support/start_cluster.ts";

const TIMEOUT = { timeout: 120_000 };
const ID = "web1";

interface Bed extends AsyncDisposable {
  cluster: Cluster;
  /** The cache directory of the minion. */
  cache: string;
  /** Advances the clock until something holds. */
  pass(holds: () => boolean | Promise<boolean>): Promise<void>;
  publish(fun: string, arg?: unknown[]): Promise<string>;
  /** Advances the clock until the job is in that state. */
  ended(jid: string, state: string): Promise<void>;
  value(jid: string): Promise<unknown>;
  restart(prepare?: () => void): Promise<void>;
  /** Files of jobs that wait. */
  queued(): string[];
  /** How often states were run. */
  runs: () => number;
}

/** A minion whose `state.hold` keeps all other states waiting until the job is killed. */
async function open(): Promise<Bed> {
  let runs = 0;
  const { module: real } = await MODULES.state!();
  const module: ExecutionModule = {
    ...real,
    functions: {
      ...real.functions,
      hold: {
        signature: "",
        doc: "",
        async run({ signal }) {
          const ended = deferred<never>();
          signal.addEventListener("abort", () => ended.reject(signal.reason), { once: true });
          return await ended.promise;
        },
      },
    },
  };
  const count: ExecutionModule = { functions: { up: { signature: "", doc: "", run: () => ++runs } } };
  const holder: { cluster?: Cluster } = {};
  const jobs: ReturnType<typeof memoryJobCache> = memoryJobCache(() => holder.cluster!.clock.now());
  const cluster = holder.cluster = await startCluster({
    jobs,
    modules: { ...MODULES, state: () => Promise.resolve({ module }), count: () => Promise.resolve({ module: count }) },
  });
  const client = await cluster.client();
  const pass = (holds: () => boolean | Promise<boolean>) => until(holds, { clock: cluster.clock, stepMs: 50 });
  const { fs } = cluster.runtimeOf(ID);
  const cache = String(cluster.minions.get(ID)!.context.opts.cachedir);
  const files = (directory: string) => fs.stat(directory) === undefined ? [] : fs.list(directory);
  return {
    cluster,
    cache,
    runs: () => runs,
    pass,
    publish: async (fun, arg = []) => (await client.publish({ tgt: "*", fun, arg }))!.jid,
    ended: (jid, state) =>
      pass(async () =>
        (await cluster.master.services.ledger.outcomes(jid)).find(({ minion }) => minion === ID)?.state === state
      ),
    async value(jid) {
      const [stored] = await cluster.master.services.jobs.returns(jid);
      return stored === undefined ? undefined : unpack(stored.return, "bin");
    },
    async restart(prepare) {
      await cluster.minions.get(ID)!.close();
      prepare?.();
      let ready = false;
      void (await cluster.startMinion(ID)).ready.then(() => ready = true);
      await pass(() => ready);
    },
    queued: () => files(`${cache}/queues`).flatMap((name) => files(`${cache}/queues/${name}/state_queue`)),
    [Symbol.asyncDispose]: () => cluster.close(),
  };
}

const COUNTED = ["module.run", { __kwarg__: true, name: "count.up", queue: true }];
const INTERRUPTED = /^The minion was stopped before this job ended/;

/** A job that keeps others waiting, and one that waits. */
async function waiting(bed: Bed): Promise<[holder: string, waiter: string]> {
  const holder = await bed.publish("state.hold");
  await bed.ended(holder, "started");
  bed.cluster.clock.advance(10);
  const waiter = await bed.publish("state.single", COUNTED);
  await bed.pass(() => bed.queued().length === 1);
  assert.match(bed.queued()[0]!, new RegExp(`^queued_\\d+_${waiter}\\.p$`));
  return [holder, waiter];
}

test("a job of states that waited is run after the restart of its minion, once", TIMEOUT, async () => {
  await using bed = await open();
  const [holder, waiter] = await waiting(bed);
  await bed.restart();
  await bed.ended(waiter, "returned");
  await bed.ended(holder, "failed");
  assert.match(String(await bed.value(holder)), INTERRUPTED);
  assert.equal(bed.runs(), 1);
  assert.deepEqual(bed.queued(), []);
  await bed.restart();
  assert.equal(bed.runs(), 1);
});

test("several are run in their order after the restart", TIMEOUT, async () => {
  await using bed = await open();
  const [, second] = await waiting(bed);
  bed.cluster.clock.advance(10);
  const third = await bed.publish("state.single", COUNTED);
  await bed.pass(() => bed.queued().length === 2);
  await bed.restart();
  for (const jid of [second, third]) await bed.ended(jid, "returned");
  assert.equal(bed.runs(), 2);
  assert.deepEqual(bed.queued(), []);
});

test("one that had run states before it waited is not run again", TIMEOUT, async () => {
  await using bed = await open();
  const [, waiter] = await waiting(bed);
  const { fs } = bed.cluster.runtimeOf(ID);
  await bed.restart(() => {
    fs.mkdir(`${bed.cache}/state_runs`);
    fs.write(`${bed.cache}/state_runs/${waiter}-7`, "{}\n", { mode: 0o600 });
  });
  await bed.ended(waiter, "failed");
  assert.match(String(await bed.value(waiter)), INTERRUPTED);
  assert.equal(bed.runs(), 0);
});

test("one of several functions is not run again: those before it may have been done", TIMEOUT, async () => {
  await using bed = await open();
  const holder = await bed.publish("state.hold");
  await bed.ended(holder, "started");
  const client = await bed.cluster.client();
  const { jid } = (await client.publish({ tgt: "*", fun: ["count.up", "state.single"], arg: [[], COUNTED] }))!;
  await bed.pass(() => bed.queued().length === 1);
  await bed.restart();
  await bed.ended(jid, "failed");
  assert.equal(bed.runs(), 1);
});

test("one whose arguments were too large to be kept is not run again", TIMEOUT, async () => {
  await using bed = await open();
  const holder = await bed.publish("state.hold");
  await bed.ended(holder, "started");
  const large = { ...COUNTED[1] as Record<string, unknown>, unless: `true ${"x".repeat(1 << 20)}` };
  const jid = await bed.publish("state.single", ["module.run", large]);
  await bed.pass(() => bed.queued().length === 1);
  await bed.restart();
  await bed.ended(jid, "failed");
  assert.equal(bed.runs(), 0);
});

test("one that is killed while it waits has no file any more, and is not run", TIMEOUT, async () => {
  await using bed = await open();
  const [, waiter] = await waiting(bed);
  await bed.publish("saltutil.kill_job", [waiter]);
  await bed.pass(() => bed.queued().length === 0);
  await bed.ended(waiter, "cancelled");
  await bed.restart();
  assert.equal(bed.runs(), 0);
});
