import assert from "node:assert/strict";
import { test } from "node:test";
import type { LedgerStorage } from "../../../src/feature/cluster/storage.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { Membership } from "../../../src/host/master/cluster/membership.ts";
import { MemoryLedger } from "../../../src/plugins/ledger_storages/memory.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const JID = "20240506070809123456";
const LATER = "20240506070809123457";
const SECONDS = 5;

/** A master beside one that is gone, and has left jobs. */
async function heir(
  jids: readonly string[],
  { taken, storageOf = (storage) => storage }: {
    taken(jid: string): Promise<void>;
    storageOf?(storage: LedgerStorage): LedgerStorage;
  },
) {
  const clock = new FakeClock();
  const shared = new MemoryLedger(clock);
  const { crypto } = await currentRuntime();
  const dead = shared.open();
  dead.own(await dead.leases.hold("master/dead", "dead", SECONDS));
  for (const jid of jids) await dead.jobs.saveLoad(jid, { fun: "test.ping", jid }, ["web1"]);
  const storage = shared.open();
  const asked: string[][] = [];
  const membership = new Membership({
    storage: storageOf(storage),
    clock,
    crypto,
    log: silentLogger,
    id: "a",
    seconds: SECONDS,
    taken,
    inherited: () => {},
    strangers: async () => {
      asked.push(await storage.jobs.unsettled());
      return asked.at(-1)!;
    },
    gone: () => {},
    renamed: () => {},
  });
  await membership.begin();
  return {
    membership,
    shared,
    clock,
    asked,
    async look(times: number) {
      for (let look = 0; look < times; look++) {
        clock.advance(2000);
        await membership.look();
      }
      // What goes on beside the looks has its turns.
      for (let turn = 0; turn < 100; turn++) await undefined;
    },
  };
}

/** A master with the id "a" that tries to begin, and the error of it. */
async function beginner(shared: MemoryLedger, clock: FakeClock, rivals: Map<string, number>, previous = "") {
  const { crypto } = await currentRuntime();
  const membership = new Membership({
    storage: shared.open(),
    clock,
    crypto,
    log: silentLogger,
    id: "a",
    seconds: SECONDS,
    previous,
    rivals,
    taken: () => Promise.resolve(),
    inherited: () => {},
    strangers: () => Promise.resolve([]),
    gone: () => {},
    renamed: () => {},
  });
  const error = await membership.begin().then(() => undefined, (error) => error as Error & { code: string });
  return { membership, code: error?.code, message: error?.message ?? "" };
}

test("a second master with the id of one that runs is refused, one that was killed is not", async () => {
  const clock = new FakeClock();
  const shared = new MemoryLedger(clock);
  const first = await beginner(shared, clock, new Map());
  assert.equal(first.code, undefined);
  const rivals = new Map<string, number>();
  for (let second = 0; second <= 2 * SECONDS; second++) {
    assert.equal((await beginner(shared, clock, rivals)).code, "EAGAIN", "it may be gone");
    clock.advance(1000);
    await first.membership.look();
  }
  const refused = await beginner(shared, clock, rivals);
  assert.match(refused.message, /another master has this id, as a\/[0-9a-f]+, and it is running\. Give each master/);
  assert.equal(first.membership.valid, true, "the first goes on");
  assert.equal((await beginner(shared, clock, new Map(), first.membership.life)).code, undefined, "its next process");
  const other = new MemoryLedger(clock);
  await beginner(other, clock, new Map());
  const heirs = new Map<string, number>();
  assert.equal((await beginner(other, clock, heirs)).code, "EAGAIN");
  clock.advance(SECONDS * 1000 + 1);
  assert.equal((await beginner(other, clock, heirs)).code, undefined, "its lease has lapsed");
});

test("a job that was taken over and could not be read is begun with at the next look", async () => {
  const taken: string[] = [];
  const { look } = await heir([JID], {
    taken(jid) {
      taken.push(jid);
      return taken.length === 1 ? Promise.reject(new Error("the storage is away")) : Promise.resolve();
    },
  });
  await look(6);
  assert.deepEqual(taken, [JID, JID]);
});

test("a takeover that was done though no answer came is noticed: its jobs are begun with", async () => {
  const taken: string[] = [];
  let lost = 0;
  const { look, asked } = await heir([JID], {
    taken: (jid) => Promise.resolve(void taken.push(jid)),
    storageOf: (storage) => ({
      ...storage,
      async takeOver(name, by) {
        const jids = await storage.takeOver(name, by);
        if (jids === undefined || lost++ > 0) return jids;
        throw new Error("no answer in time");
      },
    }),
  });
  await look(8);
  assert.deepEqual(taken, [JID]);
  assert.equal(asked.length, 1);
});

test("a master that reads the jobs of another for longer than its lease keeps the lease and the duties", async () => {
  const reading = Promise.withResolvers<void>();
  const taken: string[] = [];
  const { look, membership, shared } = await heir([JID, LATER], {
    taken(jid) {
      taken.push(jid);
      return reading.promise;
    },
  });
  await look(20);
  assert.deepEqual(taken, [JID]);
  assert.deepEqual([membership.valid, membership.onDuty], [true, true]);
  assert.deepEqual((await shared.open().leases.list("master/")).map(({ held }) => held), [true]);
  reading.resolve();
  await look(1);
  assert.deepEqual(taken, [JID, LATER]);
});

test("a job that can never be read holds up neither the others nor the duties", async () => {
  const taken: string[] = [];
  const { look, membership } = await heir([JID, LATER], {
    taken(jid) {
      if (jid === JID) return Promise.reject(new Error("its rows are too large"));
      return Promise.resolve(void taken.push(jid));
    },
  });
  await look(8);
  assert.deepEqual(taken, [LATER]);
  assert.equal(membership.onDuty, true);
});

test("a master that begins anew in the middle of a takeover takes no further job of it", async () => {
  const reading = Promise.withResolvers<void>();
  const taken: string[] = [];
  const { look, membership, shared } = await heir([JID, LATER], {
    taken(jid) {
      taken.push(jid);
      return reading.promise;
    },
  });
  await look(6);
  const before = membership.life;
  // Another has its lease, and the jobs with it.
  shared.leases.delete(`master/${before}`);
  await look(1);
  assert.notEqual(membership.life, before);
  for (const jid of [JID, LATER]) shared.owners.set(jid, "master/other");
  reading.resolve();
  await look(1);
  assert.deepEqual(taken, [JID]);
});
