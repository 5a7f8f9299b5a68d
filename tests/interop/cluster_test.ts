/** Two Brine masters as one, with minions of Brine and of real Salt that fail over or serve both; masters, NATS and PostgreSQL are killed. */
import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { ENDED, type OutcomeState } from "../../src/model/job/outcome.ts";
import { noNats, noPostgres } from "../support/servers.ts";
import { ClusterSite, type PlannedMinion } from "./cluster_site.ts";
import { installSalt, type Kind } from "./release.ts";

const mode = process.env.BRINE_INTEROP ?? "";
const skip = (mode === "" ? "set BRINE_INTEROP to quick or full" : undefined) ?? noNats() ?? noPostgres() ?? false;
const RELEASES = mode === "full" ? ["3006", "3007", "3008"] as const : ["3007"] as const;
const MASTERS = [0, 1] as const;

/** Each kind of minion in both ways to have several masters. */
function minions(): PlannedMinion[] {
  for (const release of RELEASES) assert.equal(installSalt(release), undefined);
  const kinds: readonly Kind[] = ["brine", ...RELEASES];
  return kinds.flatMap((kind) =>
    (["failover", "list"] as const).map((way) => ({
      id: `${kind === "brine" ? kind : `salt-${kind}`}-${way}`,
      kind,
      way,
    }))
  );
}

/** Jobs by their tokens. */
type Jobs = Map<string, string>;

/** A job from each master, which all minions return. */
async function jobsFromBoth(site: ClusterSite, jobs: Jobs, name: string): Promise<void> {
  for (const at of MASTERS) {
    const token = `${name}-from-${at}`;
    const jid = await site.publish(at, token);
    jobs.set(token, jid);
    await site.until(`all have returned ${token}`, async () => {
      const outcomes = await site.outcomes(1 - at, jid);
      return site.ids.every((id) => outcomes[id] === "returned");
    });
  }
}

/** A master is killed while all minions run a job of it, and another that the other master has published. */
async function killUnderJobs(site: ClusterSite, jobs: Jobs): Promise<void> {
  const tokens = ["under-way-of-0", "under-way-of-1"];
  for (const at of MASTERS) jobs.set(tokens[at]!, await site.publish(at, tokens[at]!, 8));
  await site.killMaster(0);
  const ms = await site.reachesAll(1);
  console.log(`complete ping ${Math.round(ms)} ms after a master was killed`);
  for (const token of tokens) {
    let outcomes: Record<string, string> = {};
    await site.until(`${token} has ended everywhere`, async () => {
      outcomes = await site.outcomes(1, jobs.get(token)!);
      return site.ids.every((id) => ENDED.has(outcomes[id] as OutcomeState));
    });
    console.log(token, outcomes);
    for (const id of site.ids) {
      // The process of a job of real Salt's minion has its return sent to the master that the job came from, and to no other.
      const allowed = id.startsWith("brine-") ? ["returned"] : ["returned", "timed out", "lost"];
      assert.ok(allowed.includes(outcomes[id]!), `${token} on ${id}: ${outcomes[id]}`);
    }
  }
  site.startMaster(0);
  await site.reachesAll(0);
}

/** Publishing is refused while a server is away, and goes on when it is back. */
async function withoutServer(
  site: ClusterSite,
  server: "nats" | "postgres",
  refusal: RegExp,
  trouble: RegExp,
): Promise<void> {
  assert.deepEqual(await site.troubles(1), []);
  await site[server].stop();
  await site.until(`publishing is refused without ${server}`, async () => {
    const { stdout, stderr } = await site.salt(1, "-t", "2", "*", "test.ping");
    return refusal.test(stdout + stderr);
  });
  assert.match((await site.troubles(1)).join("\n"), trouble);
  await site[server].start();
  for (const at of MASTERS) await site.reachesAll(at);
}

test("two masters as one with real servers: every loss costs no more than a reconnect", { skip }, async () => {
  await using site = await ClusterSite.start(minions());
  const jobs: Jobs = new Map();
  for (const at of MASTERS) await site.reachesAll(at);
  await jobsFromBoth(site, jobs, "at-first");
  await killUnderJobs(site, jobs);
  await jobsFromBoth(site, jobs, "after-a-kill");
  await withoutServer(site, "nats", /bus of the cluster/, /the bus at nats:.* is not connected/);
  await jobsFromBoth(site, jobs, "after-nats");
  await withoutServer(site, "postgres", /Cannot publish/, /the storage at postgres:.* cannot be used/);
  await jobsFromBoth(site, jobs, "after-postgres");
  // What came a second time by another master would have run by now: later jobs from both have come back.
  for (const id of site.ids) {
    const once = new Map([...jobs.keys()].map((token) => [token, 1]));
    assert.deepEqual(
      new Map([...site.runs(id)].sort()),
      new Map([...once].sort()),
      `jobs of ${id}, and how often they ran`,
    );
  }
});
