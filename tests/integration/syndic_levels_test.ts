/** Jobs through two levels of syndics: batches, jobs that are ended, targets by pillar. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { runBatch } from "../../src/client/batch.ts";
import type { Outcome } from "../../src/client/outcome.ts";
import { type Cluster, startCluster } from "../support/start_cluster.ts";
import { startTestSyndic } from "../support/start_syndic.ts";

const TIMEOUT = { timeout: 180_000 };

/** A master of masters, one in the middle with the minion mid1, one below with low1 and low2; pillar has each one's own name. */
async function levels() {
  await using open = new AsyncDisposableStack();
  const start = (options: Parameters<typeof startCluster>[0]) =>
    startCluster({
      place: "current",
      compilePillar: ({ id }) => Promise.resolve({ role: id === "low2" ? "web" : "db", name: id }),
      ...options,
    }).then((cluster) => open.use(cluster));
  const above = await start({ minions: [], master: { order_masters: true } });
  const middle = await start({ minions: ["mid1"], master: { order_masters: true } });
  const below = await start({ minions: ["low1", "low2"] });
  const one = open.use(await startTestSyndic({ id: "synd1", above: [above], beside: middle }));
  const two = open.use(await startTestSyndic({ id: "synd2", above: [middle], beside: below }));
  await Promise.all([one.ready, two.ready]);
  const kept = open.move();
  return { above, middle, below, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function run(cluster: Cluster, request: Record<string, unknown>): Promise<Outcome[]> {
  const client = await cluster.client();
  const found: Outcome[] = [];
  for await (const outcome of client.run({ tgt: "*", fun: "test.ping", ...request })) found.push(outcome);
  return found;
}

test("a batch reaches the minions of all levels, so many at once", TIMEOUT, async () => {
  await using site = await levels();
  const client = await site.above.client();
  const started: string[][] = [];
  const ended: string[] = [];
  for await (const event of runBatch(client, { tgt: "*", fun: "test.ping" }, { size: "1" })) {
    if (event.kind === "started") started.push(event.ids);
    if (event.kind === "ended") ended.push(`${event.outcome.id} ${event.outcome.kind}`);
  }
  assert.deepEqual(started.map((ids) => ids.length), [1, 1, 1]);
  assert.deepEqual(ended.sort(), ["low1 returned", "low2 returned", "mid1 returned"]);
});

test("saltutil.kill_job ends a job two levels below, and no other", TIMEOUT, async () => {
  await using site = await levels();
  const client = await site.above.client();
  const published = await client.publish({ tgt: "low1", fun: "test.sleep", arg: [600] });
  const jid = published!.jid;
  const busy = async () => {
    const found = await run(site.above, { tgt: "low1", fun: "saltutil.find_job", arg: [jid] });
    return found.length === 1 && found[0]!.kind === "returned" && Object.keys(found[0]!.return as object).length > 0;
  };
  await until(busy);
  const killed = await run(site.above, { tgt: "*", fun: "saltutil.kill_job", arg: [jid] });
  assert.deepEqual(killed.map(({ id }) => id).sort(), ["low1", "low2", "mid1"]);
  await until(async () => !await busy());
  assert.deepEqual((await run(site.above, { tgt: "low1" })).map(({ kind }) => kind), ["returned"]);
});

test("targets by pillar are found by the master of each minion", TIMEOUT, async () => {
  await using site = await levels();
  for (
    const [tgt, tgt_type, ids] of [
      ["role:web", "pillar", ["low2"]],
      ["role:db", "pillar", ["low1", "mid1"]],
      ["name:low1", "pillar_exact", ["low1"]],
      ["I@role:db and low*", "compound", ["low1"]],
      ["role:none", "pillar", []],
    ] as const
  ) {
    const found = await run(site.above, { tgt, tgt_type });
    const returned = found.filter(({ kind }) => kind === "returned");
    assert.deepEqual(returned.map(({ id }) => id).sort(), ids, tgt);
  }
});
