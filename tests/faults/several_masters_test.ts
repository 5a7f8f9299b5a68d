/** Minions with three masters, each of which is killed in turn while all of them publish: no job is lost, none is done twice. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { freePort } from "../../bench/bed/ports.ts";
import { pause } from "../../bench/bed/until.ts";
import { Bed, FULL, giveKey, whyNot } from "./bed.ts";

const JOBS = FULL ? 200 : 20;
const MINIONS = FULL ? 8 : 2;

/** Three masters and their minions, which belong to the first. */
async function threeMasters(stack: AsyncDisposableStack, minion: Record<string, unknown>): Promise<Bed[]> {
  const ports = [];
  for (let count = 0; count < 3; count++) ports.push({ publish: await freePort(), request: await freePort() });
  const master = { job_delivery_timeout: "master_type" in minion ? 5 : 120 };
  const beds: Bed[] = [];
  for (const own of ports) {
    const [home] = beds;
    const options = home === undefined
      ? {
        minions: MINIONS,
        minion: { multiprocessing: false, ...minion, master: ports.map(({ request }) => `127.0.0.1:${request}`) },
      }
      : { minions: 0, home };
    beds.push(stack.use(await Bed.start({ ...options, master, ports: own, prepare: giveKey })));
  }
  return beds;
}

/** Publishes jobs at all masters, and kills one after the other meanwhile. */
async function publishAndKill(beds: readonly Bed[]): Promise<void> {
  const [{ random }] = beds as [Bed];
  let publishing = true;
  const killing = (async () => {
    for (let at = 0; publishing || at < beds.length; at++) {
      await pause(300 + 900 * random());
      await beds[at % beds.length]!.restartMaster((FULL ? 2500 : 1500) * random());
    }
  })();
  try {
    for (let job = 0; job < JOBS; job++) {
      // Some take long enough for their master to die in their midst.
      const before = random() < 0.3 ? `sleep ${(1.5 * random()).toFixed(2)};` : "";
      const free = beds[Math.floor(random() * beds.length)]!;
      await free.publish({ before });
      await pause(150 * random());
    }
  } finally {
    publishing = false;
    await killing;
  }
}

for (
  const [title, minion] of [
    ["minions that serve all three masters return every job, once", {}],
    [
      "minions that fail over leave every target with one outcome, and return what has run",
      { master_type: "failover", auth_timeout: 1, acceptance_wait_time: 1 },
    ],
  ] as const
) {
  test(title, { skip: whyNot(), timeout: FULL ? 1_800_000 : 240_000 }, async (t) => {
    await using stack = new AsyncDisposableStack();
    const beds = await threeMasters(stack, minion);
    await publishAndKill(beds);
    const told: string[] = [];
    let returned = 0;
    for (const bed of beds) {
      await bed.settled(FULL ? 600_000 : 120_000);
      const parts = await bed.verify();
      // Every minion was at all masters, all the time: nothing but a return will do.
      if (!("master_type" in minion)) bed.assertReturned(parts);
      for (const { state, ran, note } of parts) {
        if (state === "returned") returned++;
        else assert.equal(ran, 0, `it is ${state} (${note}), and ran`);
      }
      assert.ok(bed.master.kills > 0);
      told.push(`${bed.history.acknowledged} of ${bed.history.asked} jobs acknowledged, ${bed.master.kills} kills`);
    }
    assert.ok(returned > 0);
    t.diagnostic(`seed ${beds[0]!.seed}: ${told.join("; ")}; ${returned} returns`);
  });
}
