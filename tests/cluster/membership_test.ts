import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLogger } from "../../src/log.ts";
import { Membership } from "../../src/master/cluster/membership.ts";
import { MemoryLedger } from "../../src/plugins/ledger_storages/memory.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { FakeClock } from "../support/fake_clock.ts";

const JID = "20240506070809123456";

test("jobs that were taken over and could not be read are begun with at the next look", async () => {
  const clock = new FakeClock();
  const shared = new MemoryLedger(clock);
  const { crypto } = await currentRuntime();
  const dead = shared.open();
  dead.own(await dead.leases.hold("master/dead", "dead", 5));
  await dead.jobs.saveLoad(JID, { fun: "test.ping", jid: JID }, ["web1"]);
  const taken: string[][] = [];
  const membership = new Membership({
    storage: shared.open(),
    clock,
    crypto,
    log: silentLogger,
    id: "a",
    seconds: 5,
    taken(jids) {
      taken.push([...jids]);
      return taken.length === 1 ? Promise.reject(new Error("the storage is away")) : Promise.resolve();
    },
    strangers: () => Promise.resolve([]),
    gone: () => {},
    renamed: () => {},
  });
  await membership.begin();
  for (let look = 0; look < 6; look++) {
    clock.advance(2000);
    await membership.look();
  }
  assert.deepEqual(taken, [[JID], [JID]]);
});

test("a takeover that was done though no answer came is noticed: its jobs are begun with", async () => {
  const clock = new FakeClock();
  const shared = new MemoryLedger(clock);
  const { crypto } = await currentRuntime();
  const dead = shared.open();
  dead.own(await dead.leases.hold("master/dead", "dead", 5));
  await dead.jobs.saveLoad(JID, { fun: "test.ping", jid: JID }, ["web1"]);
  const storage = shared.open();
  const taken: string[][] = [];
  let lost = 0;
  let asked = 0;
  const membership = new Membership({
    storage: {
      ...storage,
      async takeOver(name, by) {
        const jids = await storage.takeOver(name, by);
        if (jids === undefined || lost++ > 0) return jids;
        throw new Error("no answer in time");
      },
    },
    clock,
    crypto,
    log: silentLogger,
    id: "a",
    seconds: 5,
    taken: (jids) => Promise.resolve(void taken.push([...jids])),
    strangers: async () => {
      asked++;
      return await storage.jobs.unsettled();
    },
    gone: () => {},
    renamed: () => {},
  });
  await membership.begin();
  for (let look = 0; look < 8; look++) {
    clock.advance(2000);
    await membership.look();
  }
  assert.deepEqual(taken, [[JID]]);
  assert.equal(asked, 1);
});
