/** A master of masters, syndics, and minions below them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Outcome } from "../../src/client/outcome.ts";
import { type Cluster, startCluster, until } from "../support/start_cluster.ts";
import { startTestSyndic } from "../support/start_syndic.ts";

const TIMEOUT = { timeout: 60_000 };

const top = (opts: Record<string, unknown> = {}) =>
  startCluster({ place: "current", minions: [], master: { order_masters: true, ...opts } });
const lower = (minions: string[], opts: Record<string, unknown> = {}) =>
  startCluster({
    place: "current",
    minions,
    master: opts,
    minion: { return_retry_timer: 1, return_retry_timer_max: 2 },
  });

async function outcomes(cluster: Cluster, request: Record<string, unknown>): Promise<Outcome[]> {
  const client = await cluster.client();
  const found: Outcome[] = [];
  for await (const outcome of client.run({ tgt: "*", fun: "test.ping", ...request })) found.push(outcome);
  return found.sort((a, b) => a.id < b.id ? -1 : 1);
}
const kinds = (found: Outcome[]) => found.map(({ id, kind }) => `${id} ${kind}`);

describe("a master of masters", TIMEOUT, () => {
  test("runs jobs on minions below its syndic, and has their returns once", TIMEOUT, async () => {
    await using above = await top();
    await using below = await lower(["low1", "low2"]);
    await using syndic = await startTestSyndic({ id: "synd", above: [above], beside: below });
    await syndic.ready;
    const found = await outcomes(above, { fun: "test.echo", arg: ["hello"] });
    assert.deepEqual(kinds(found), ["low1 returned", "low2 returned"]);
    const [jid] = await above.jids();
    const { jobs } = above.master.services;
    assert.deepEqual(await jobs.minions(jid!), ["low1", "low2"]);
    assert.deepEqual((await jobs.returns(jid!)).map(({ minion }) => minion), ["low1", "low2"]);
    await until(async () => (await jobs.unsettled()).length === 0);
    assert.equal((await below.master.services.jobs.load(jid!))?.user, (await jobs.load(jid!))?.user);
  });
});
