/** Two masters as one: what is acknowledged survives the loss of a master, of NATS and of PostgreSQL under load, and nothing runs twice. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { until } from "../../bench/bed/until.ts";
import { noNats, noPostgres } from "../support/servers.ts";
import { FULL, whyNot } from "./bed.ts";
import { ClusterBed } from "./cluster_bed.ts";

const JOBS = FULL ? 60 : 15;
const MINIONS = FULL ? 8 : 4;
const KILLS = FULL ? 4 : 2;
/** How long a complete ping may take after the loss of a master, in milliseconds. */
const COMPLETE_MS = 15_000;

/** Everything that was acknowledged has returned, since every minion could reach a master. */
async function assertAllReturned(bed: ClusterBed): Promise<number> {
  const parts = await bed.verify();
  bed.masters[0]!.assertReturned(parts);
  assert.ok(parts.length > 0);
  return parts.length;
}

/** Masters are killed in turn while both publish. */
async function killMasters(bed: ClusterBed, t: TestContext): Promise<void> {
  for (let kill = 0; kill < KILLS; kill++) {
    const at = kill % 2;
    const usual = await bed.reachesAll(1 - at);
    await bed.publishAround(JOBS, async () => {
      await bed.masters[at]!.master.kill();
      const ms = await bed.reachesAll(1 - at);
      t.diagnostic(`complete ping ${Math.round(ms)} ms after a master was killed; ${Math.round(usual)} ms before`);
      // A machine that is busy enough for a ping to take a second gives no measure.
      if (usual < 1000) assert.ok(ms < COMPLETE_MS, `it took ${Math.round(ms)} ms`);
      await bed.masters[at]!.startMaster();
    });
    await bed.reachesAll(at);
    t.diagnostic(`${await assertAllReturned(bed)} returns, each once`);
  }
}

/** A master sleeps for longer than its lease while minions run a job of it: the other one has it, and keeps it. */
async function stopMaster(bed: ClusterBed): Promise<void> {
  const [sleeper, other] = bed.masters as [ClusterBed["masters"][0], ClusterBed["masters"][0]];
  const logged = (one: typeof sleeper, text: string) => one.master.log.split(text).length - 1;
  const TAKEN = "taking over its jobs";
  const ANEW = "starts again";
  const before = [logged(other, TAKEN), logged(sleeper, ANEW)] as const;
  const published = await sleeper.publish({ before: "sleep 20;" });
  assert.ok(published !== undefined, sleeper.refusal);
  sleeper.master.signal("SIGSTOP");
  await until("the other master has the jobs", () => logged(other, TAKEN) > before[0]);
  await until("the other master has asked the minions", async () => (await other.counters()).open > 0);
  sleeper.master.signal("SIGCONT");
  await until("it has begun anew", () => logged(sleeper, ANEW) > before[1]);
  // It would say of minions that have not returned that they were timed out.
  const { open } = await sleeper.counters();
  assert.equal(open, 0, "it decides on a job that is another's");
  await bed.reachesAll(0);
  await assertAllReturned(bed);
}

/** A server is killed under load, and started again once publishing is refused. */
async function killServer(bed: ClusterBed, name: "nats" | "postgres", refusal: RegExp): Promise<void> {
  const [master] = bed.masters as [ClusterBed["masters"][0]];
  await bed.publishAround(JOBS, async () => {
    await bed[name].kill();
    await until(`publishing is refused without ${name}`, async () => {
      master.refusal = "";
      return await master.publish() === undefined && refusal.test(master.refusal);
    });
    await bed[name].start();
  });
  for (const at of [0, 1]) await bed.reachesAll(at);
  await assertAllReturned(bed);
}

test("two masters as one lose nothing and do nothing twice, whatever is killed", {
  skip: whyNot() || (noNats() ?? noPostgres() ?? false),
  timeout: FULL ? 1_800_000 : 600_000,
}, async (t) => {
  await using bed = await ClusterBed.start(MINIONS);
  await killMasters(bed, t);
  await stopMaster(bed);
  await killServer(bed, "nats", /bus of the cluster/);
  await killServer(bed, "postgres", /Cannot publish/);
});
