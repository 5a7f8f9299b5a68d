import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { turns } from "../../bench/bed/until.ts";
import { type Lease, LeaseLostError, type LedgerStorage, MAX_VALUE_BYTES } from "../../src/feature/cluster/storage.ts";
import type { JobLoad } from "../../src/model/job/job_cache.ts";
import { encode, Packed } from "../../src/protocol/wire/msgpack.ts";

const JID = "20240506070809123456";
const LATER = "20240506070809123457";
const LOAD: JobLoad = { fun: "test.ping", arg: [], tgt: "*", tgt_type: "glob", user: "root", jid: JID };
const pack = (value: unknown) => new Packed(encode(value, "bin"));
const bytes = (text: string) => new TextEncoder().encode(text);
const returned = (minion: string, value: unknown) => ({
  minion,
  return: pack(value),
  retcode: 0,
  success: true,
  storedMs: 0,
});

/** Something that masters share, without any content. */
export interface LedgerPlace {
  /** The view of one more master. */
  open(): Promise<LedgerStorage>;
  /** Lets time pass by the clock of the storage. */
  pass(seconds: number): Promise<void> | void;
}

/** One master: its storage, and a lease under which it decides. */
interface Member {
  storage: LedgerStorage;
  lease: Lease;
}

async function member(place: LedgerPlace, name: string, seconds = 5): Promise<Member> {
  const storage = await place.open();
  const lease = (await storage.leases.hold(`master/${name}`, name, seconds))!;
  storage.own(lease);
  return { storage, lease };
}

/** Two masters that may take over from each other. */
async function couple(place: LedgerPlace): Promise<[Member, Member]> {
  const both: [Member, Member] = [await member(place, "a"), await member(place, "b")];
  for (let half = 0; half < 3; half++) {
    await place.pass(2.5);
    for (const { storage, lease } of both) assert.equal(await storage.leases.renew(lease), true);
  }
  return both;
}

const closed = async (...members: Member[]) => {
  for (const { storage } of members) await storage.close();
};

async function publish({ storage }: Member, jid: string, minions = ["web1", "web2"]): Promise<void> {
  await storage.jobs.saveLoad(jid, { ...LOAD, jid }, minions);
  await storage.jobs.flush();
}

const lost = (error: unknown) => error instanceof LeaseLostError && error.code === "LEASE_LOST";

async function decided(work: () => unknown, { storage }: Member): Promise<void> {
  await work();
  await storage.jobs.flush();
}

/** The promises of {@link LedgerStorage}. @param make something new that is shared, at each call */
export function ledgerStorageContract(name: string, make: () => Promise<LedgerPlace> | LedgerPlace): void {
  describe(`${name} LedgerStorage`, () => {
    leaseTests(make);
    jobTests(make);
    takeOverTests(make);
    recordTests(make);
    auditTests(make);
  });
}

function leaseTests(make: () => Promise<LedgerPlace> | LedgerPlace): void {
  test("a lease is held by one owner, and by another only once it has lapsed", async () => {
    const place = await make();
    const [one, two] = [await place.open(), await place.open()];
    const first = (await one.leases.hold("duties", "a", 5))!;
    assert.equal(first.owner, "a");
    assert.equal(await two.leases.hold("duties", "b", 5), undefined);
    await place.pass(4);
    assert.equal(await one.leases.renew(first), true);
    await place.pass(4);
    assert.equal(await two.leases.hold("duties", "b", 5), undefined);
    await place.pass(2);
    const second = (await two.leases.hold("duties", "b", 5))!;
    assert.ok(second.fence > first.fence);
    assert.equal(await one.leases.renew(first), false);
    await one.leases.release(first);
    assert.equal(await two.leases.renew(second), true);
    await two.leases.release(second);
    const third = (await one.leases.hold("duties", "a", 5))!;
    assert.ok(third.fence > second.fence);
    await one.close();
    await two.close();
  });

  test("one that has lapsed is renewed while nobody else has taken it, and lists say what is held", async () => {
    const place = await make();
    const storage = await place.open();
    const lease = (await storage.leases.hold("master/a", "a", 5))!;
    await storage.leases.hold("duties", "a", 5);
    await place.pass(6);
    const listed = async () => (await storage.leases.list("master/")).map(({ name, held }) => ({ name, held }));
    assert.deepEqual(await listed(), [{ name: "master/a", held: false }]);
    assert.equal(await storage.leases.renew(lease), true);
    assert.deepEqual(await listed(), [{ name: "master/a", held: true }]);
    await storage.close();
  });

  test("of many that want a lease at once, one has it", async () => {
    const place = await make();
    const storages = [await place.open(), await place.open()];
    const held = await Promise.all(
      Array.from({ length: 20 }, (_, i) => storages[i % 2]!.leases.hold("duties", `m${i}`, 5)),
    );
    assert.equal(held.filter((lease) => lease !== undefined).length, 1);
    for (const storage of storages) await storage.close();
  });
}

function jobTests(make: () => Promise<LedgerPlace> | LedgerPlace): void {
  test("a job belongs to the lease that published it; all see it, and any may save its returns", async () => {
    const place = await make();
    const [a, b] = await couple(place);
    await publish(a, JID);
    assert.deepEqual(await a.storage.jobs.unsettled(), [JID]);
    assert.deepEqual(await b.storage.jobs.unsettled(), []);
    assert.deepEqual(await b.storage.jobs.minions(JID), ["web1", "web2"]);
    assert.equal(await b.storage.jobs.saveReturn(JID, returned("web1", 1)), true);
    await b.storage.jobs.flush();
    assert.equal(await a.storage.jobs.saveReturn(JID, returned("web1", 2)), false);
    await a.storage.jobs.flush();
    assert.deepEqual((await a.storage.jobs.returns(JID)).map(({ return: value }) => value.bytes[0]), [1]);
    await closed(a, b);
  });

  test("of two returns of a minion at two masters at once, one stays, and one master knows that it is its own", async () => {
    const place = await make();
    const [a, b] = await couple(place);
    await publish(a, JID);
    const minions = Array.from({ length: 50 }, (_, i) => `web${i}`);
    const save = async ({ storage: { jobs } }: Member, value: number, order: string[]) => {
      const fresh = await Promise.all(order.map((minion) => jobs.saveReturn(JID, returned(minion, value))));
      await jobs.flush();
      return order.filter((minion, at) => fresh[at] && jobs.wasBeaten?.(JID, minion) !== true);
    };
    const told = await Promise.all([save(a, 1, minions), save(b, 2, minions.toReversed())]);
    assert.deepEqual(told.flat().sort(), [...minions].sort());
    const [fromA, fromB] = [await a.storage.jobs.returns(JID), await b.storage.jobs.returns(JID)];
    assert.equal(fromA.length, 50);
    assert.deepEqual(fromA, fromB);
    await closed(a, b);
  });

  test("what another master's job came to is left to its owner", async () => {
    const place = await make();
    const [a, b] = await couple(place);
    await publish(a, JID);
    await decided(() => b.storage.jobs.saveOutcomes(JID, [{ minion: "web1", state: "lost", atMs: 1 }]), b);
    await decided(() => b.storage.jobs.settle(JID), b);
    assert.deepEqual(await a.storage.jobs.outcomes(JID), []);
    assert.deepEqual(await a.storage.jobs.unsettled(), [JID]);
    await decided(() => a.storage.jobs.saveOutcomes(JID, [{ minion: "web1", state: "lost", atMs: 1 }]), a);
    await decided(() => a.storage.jobs.settle(JID), a);
    assert.equal((await b.storage.jobs.outcomes(JID)).length, 1);
    assert.deepEqual(await a.storage.jobs.unsettled(), []);
    await closed(a, b);
  });

  test("without a lease, or under one that has lapsed, nothing is decided; returns are saved all the same", async () => {
    const place = await make();
    const [a, b] = await couple(place);
    await publish(a, JID);
    await place.pass(6);
    assert.equal(await b.storage.leases.renew(b.lease), true);
    await assert.rejects(() => decided(() => a.storage.jobs.saveLoad(LATER, LOAD, ["web1"]), a), lost);
    await assert.rejects(() => decided(() => a.storage.jobs.settle(JID), a), lost);
    const outcome = { minion: "web1", state: "lost", atMs: 1 } as const;
    await assert.rejects(() => decided(() => a.storage.jobs.saveOutcomes(JID, [outcome]), a), lost);
    assert.equal(await a.storage.jobs.saveReturn(JID, returned("web2", 1)), true);
    await a.storage.jobs.flush();
    assert.deepEqual(await b.storage.jobs.outcomes(JID), []);
    assert.equal(await b.storage.jobs.hasLoad(LATER), false);
    assert.equal((await b.storage.jobs.returns(JID)).length, 1);
    assert.equal(await a.storage.leases.renew(a.lease), true);
    await decided(() => a.storage.jobs.settle(JID), a);
    a.storage.own(undefined);
    await assert.rejects(() => decided(() => a.storage.jobs.saveLoad(LATER, LOAD, ["web1"]), a), lost);
    assert.deepEqual(await a.storage.jobs.unsettled(), []);
    await closed(a, b);
  });
}

function takeOverTests(make: () => Promise<LedgerPlace> | LedgerPlace): void {
  test("jobs of a lapsed lease go to one other master, and its owner decides nothing more", async () => {
    const place = await make();
    const [a, b] = await couple(place);
    const c = await member(place, "c");
    await publish(a, JID);
    await publish(a, LATER);
    await decided(() => a.storage.jobs.settle(LATER), a);
    assert.equal(await b.storage.takeOver("master/a", b.lease), undefined, "it is held");
    for (let half = 0; half < 3; half++) {
      await place.pass(2.5);
      for (const { storage, lease } of [b, c]) await storage.leases.renew(lease);
    }
    const taken = await Promise.all(
      [b, c].flatMap((one) => [1, 2, 3].map(() => one.storage.takeOver("master/a", one.lease))),
    );
    assert.deepEqual(taken.filter((jids) => jids !== undefined), [[JID]]);
    const [winner, other] = (await b.storage.jobs.unsettled()).length > 0 ? [b, c] : [c, b];
    assert.deepEqual(await winner!.storage.jobs.unsettled(), [JID]);
    assert.deepEqual(await other!.storage.jobs.unsettled(), []);
    // It wakes up, and does not know yet.
    assert.equal(await a.storage.leases.renew(a.lease), false);
    await assert.rejects(() => decided(() => a.storage.jobs.settle(JID), a), lost);
    assert.deepEqual(await winner!.storage.jobs.unsettled(), [JID]);
    // A new run of it decides again, and of its old jobs nothing.
    const again = await member(place, "a2");
    await decided(() => again.storage.jobs.settle(JID), again);
    assert.deepEqual(await winner!.storage.jobs.unsettled(), [JID]);
    await decided(() => winner!.storage.jobs.settle(JID), winner!);
    assert.deepEqual(await winner!.storage.jobs.unsettled(), []);
    await closed(a, b, c, again);
  });

  test("a lease that was released is taken over at once", async () => {
    const place = await make();
    const [a, b] = await couple(place);
    await publish(a, JID);
    await a.storage.leases.release(a.lease);
    assert.deepEqual(await b.storage.takeOver("master/a", b.lease), [JID]);
    await closed(a, b);
  });

  test("a master whose own lease had a gap does not take over yet, and one without a lease never", async () => {
    const place = await make();
    const [a, b] = await couple(place);
    await publish(a, JID);
    // The storage was away for all of them.
    await place.pass(60);
    assert.equal(await b.storage.leases.renew(b.lease), true);
    assert.equal(await b.storage.takeOver("master/a", b.lease), undefined);
    assert.equal(await a.storage.leases.renew(a.lease), true);
    await place.pass(6);
    await assert.rejects(() => b.storage.takeOver("master/a", b.lease), lost);
    await closed(a, b);
  });

  test("jobs of no known lease are adopted", async () => {
    const place = await make();
    const [a, b] = await couple(place);
    await publish(a, JID);
    assert.deepEqual(await b.storage.takeOver("", b.lease), []);
    await a.storage.leases.release(a.lease);
    assert.deepEqual(await b.storage.takeOver("master/a", b.lease), [JID]);
    assert.deepEqual(await b.storage.takeOver("", b.lease), []);
    await closed(a, b);
  });
}

function recordTests(make: () => Promise<LedgerPlace> | LedgerPlace): void {
  test("a job has the seal of its latest save, for all masters, and none if it was saved without", async () => {
    const place = await make();
    const [a, b] = await couple(place);
    const [sealed, plain] = ["20240506070809000021", "20240506070809000022"];
    for (const seal of [Uint8Array.of(1, 2), Uint8Array.of(0, 255, 3)]) {
      await a.storage.jobs.saveLoad(sealed, { ...LOAD, jid: sealed }, ["web1"], { seal });
      await a.storage.jobs.flush();
      assert.deepEqual(await b.storage.sealOf(sealed), seal);
    }
    await publish(a, plain);
    assert.equal(await b.storage.sealOf(plain), undefined);
    assert.equal(await b.storage.sealOf("20240506070809000023"), undefined);
    await closed(a, b);
  });

  test("a record has the value that was put last, and a version that grows", async () => {
    const place = await make();
    const [one, two] = [await place.open(), await place.open()];
    const [first] = await one.records.put("keys", "a", [{ name: "web1", value: bytes("1") }]);
    const [second] = await two.records.put("keys", "b", [{ name: "web1", value: bytes("2") }]);
    assert.ok(second! > first!);
    assert.deepEqual(await one.records.get("keys", "web1"), {
      name: "web1",
      version: second,
      value: bytes("2"),
      by: "b",
    });
    assert.equal(await one.records.get("keys", "Web1"), undefined);
    assert.equal(await one.records.get("data", "web1"), undefined);
    assert.equal(await two.records.latest("keys"), second);
    assert.equal(await two.records.latest("none"), 0);
    await one.close();
    await two.close();
  });

  test("a change on a condition is done or refused by itself", async () => {
    const place = await make();
    const storage = await place.open();
    const { records } = storage;
    const put = (name: string, text: string | undefined, ifVersion?: number) => ({
      name,
      value: text === undefined ? undefined : bytes(text),
      ...(ifVersion === undefined ? {} : { ifVersion }),
    });
    const [one] = await records.put("keys", "a", [put("web1", "1", 0)]);
    assert.ok(one! > 0);
    const [again, other, none] = await records.put("keys", "a", [
      put("web1", "2", 0),
      put("web2", "1", 0),
      put("web3", "1", 7),
    ]);
    assert.deepEqual([again, none], [undefined, undefined]);
    assert.ok(other! > one!);
    const [gone] = await records.put("keys", "a", [put("web1", undefined, one)]);
    assert.equal((await records.get("keys", "web1"))!.value, undefined);
    assert.deepEqual(await records.put("keys", "a", [put("web1", "3", one)]), [undefined]);
    assert.ok((await records.put("keys", "a", [put("web1", "3", 0)]))[0]! > gone!);
    assert.deepEqual(await records.put("keys", "a", []), []);
    await storage.close();
  });

  test("of many that change a record on the same condition, one succeeds", async () => {
    const place = await make();
    const storages = [await place.open(), await place.open(), await place.open()];
    const results = await Promise.all(
      Array.from(
        { length: 30 },
        (_, i) => storages[i % 3]!.records.put("keys", `m${i}`, [{ name: "web1", value: bytes(`${i}`), ifVersion: 0 }]),
      ),
    );
    const done = results.flatMap(([version], i) => version === undefined ? [] : [{ version, i }]);
    assert.equal(done.length, 1);
    const there = (await storages[0]!.records.get("keys", "web1"))!;
    assert.deepEqual([there.version, there.by], [done[0]!.version, `m${done[0]!.i}`]);
    for (const storage of storages) await storage.close();
  });

  test("a feed never skips a change, whatever is written meanwhile", async () => {
    const place = await make();
    const storages = [await place.open(), await place.open(), await place.open()];
    const reader = await place.open();
    const WRITES = 40;
    let writing = true;
    const writers = Promise.all(storages.map(async ({ records }, w) => {
      for (let i = 0; i < WRITES; i++) {
        const both = [0, 1].map((half) => ({ name: `w${w}-${i}-${half}`, value: bytes(`${i}`) }));
        await records.put("data", `m${w}`, both);
      }
    })).finally(() => writing = false);
    const seen: string[] = [];
    let after = 0;
    for (let last = false; !last;) {
      // A storage on this host answers without a turn of the loop, and the writers need one.
      await turns();
      // One more time after the last write.
      last = !writing;
      const { records, upTo } = await reader.records.changes("data", after, 7);
      for (const { name, version } of records) {
        assert.ok(version > after && version <= upTo, "in order");
        seen.push(name);
      }
      if (upTo > after) last = false;
      after = upTo;
    }
    await writers;
    assert.equal(seen.length, 3 * WRITES * 2);
    assert.equal(new Set(seen).size, seen.length);
    for (const storage of [...storages, reader]) await storage.close();
  });

  test("a feed tells of removals, ends its pages early for large values, and owns up to what was forgotten", async () => {
    const place = await make();
    const storage = await place.open();
    const { records } = storage;
    for (const name of ["a", "b", "c"]) {
      await records.put("data", "m", [{ name, value: new Uint8Array(1000) }]);
    }
    const page = await records.changes("data", 0, 10, 1500);
    assert.deepEqual([page.records.map(({ name }) => name), page.more, page.gap], [["a"], true, false]);
    const whole = await records.changes("data", 0, 10);
    assert.deepEqual([whole.records.length, whole.more], [3, false]);
    const [removed] = await records.put("data", "m", [{ name: "b", value: undefined }]);
    const after = await records.changes("data", whole.upTo, 10);
    assert.deepEqual(after.records, [{ name: "b", version: removed, value: undefined, by: "m" }]);
    await place.pass(60);
    assert.equal(await records.forget("data", Number.MAX_SAFE_INTEGER), 1);
    assert.equal(await records.get("data", "b"), undefined);
    assert.equal((await records.changes("data", whole.upTo, 10)).gap, true);
    const fresh = await records.changes("data", 0, 10);
    assert.deepEqual([fresh.records.map(({ name }) => name), fresh.gap], [["a", "c"], false]);
    assert.deepEqual(await records.changes("data", fresh.upTo, 10), {
      records: [],
      upTo: fresh.upTo,
      more: false,
      gap: false,
    });
    await storage.close();
  });

  test("who has read further than a feed goes is told: it was put back to an older state", async () => {
    const place = await make();
    const storage = await place.open();
    const { records } = storage;
    const [version] = await records.put("data", "m", [{ name: "a", value: bytes("1") }]);
    assert.equal((await records.changes("data", version!, 10)).gap, false);
    assert.equal((await records.changes("data", version! + 1, 10)).gap, true);
    assert.equal((await records.changes("none", 1, 10)).gap, true);
    assert.equal((await records.changes("none", 0, 10)).gap, false);
    await records.raise("data", 100);
    await records.raise("data", 50);
    const ask = async (after: number) => {
      const { records: found, gap } = await records.changes("data", after, 10);
      return [found.map(({ name }) => name), gap];
    };
    assert.deepEqual([await ask(99), await ask(100)], [[[], true], [[], false]]);
    const [next] = await records.put("data", "m", [{ name: "b", value: bytes("2") }]);
    assert.ok(next! > 100);
    assert.deepEqual([await ask(0), await ask(100)], [[["a", "b"], false], [["b"], false]]);
    await records.raise("none", 7);
    assert.equal(await records.latest("none"), 7);
    await storage.close();
  });

  test("names and values that are too large are refused, and bytes come back as they were", async () => {
    const place = await make();
    const storage = await place.open();
    const refused = (name: string, value: Uint8Array) =>
      assert.rejects(() => storage.records.put("data", "m", [{ name, value }]), RangeError);
    await refused("", bytes("1"));
    await refused("x".repeat(513), bytes("1"));
    await refused("a\0b", bytes("1"));
    await refused("a", new Uint8Array(MAX_VALUE_BYTES + 1));
    await assert.rejects(
      () => storage.records.put("data", "m", [1, 2].map(() => ({ name: "twice", value: bytes("1") }))),
      RangeError,
    );
    const odd = Uint8Array.from({ length: 256 }, (_, i) => i);
    const names = ["ünï-✓", "a'b\"c\\d", "{a,b}", "$1", "empty"];
    await storage.records.put("data", "m", names.map((name) => ({ name, value: name === "empty" ? bytes("") : odd })));
    for (const name of names) {
      const there = await storage.records.get("data", name);
      assert.deepEqual(there!.value, name === "empty" ? bytes("") : odd);
    }
    await storage.close();
  });
}

function auditTests(make: () => Promise<LedgerPlace> | LedgerPlace): void {
  test("lines of all masters are read newest first, in pages; one that is there is never replaced", async () => {
    const place = await make();
    const storage = await place.open();
    const { audit } = storage;
    const line = (n: number, text = `line ${n}`) => ({ n, atMs: 1000 * n, line: bytes(text) });
    assert.equal(await audit.last("a"), 0);
    await audit.append("a", [line(1), line(2), line(3)]);
    await audit.append("b", [line(1), line(2)]);
    await audit.append("a", [line(3, "changed"), line(4)]);
    assert.equal(await audit.last("a"), 4);
    const all = await audit.read({ limit: 10 });
    assert.deepEqual(all.map(({ by, n }) => `${by}${n}`), ["a4", "a3", "b2", "a2", "b1", "a1"]);
    assert.deepEqual(all[1]!.line, bytes("line 3"));
    const read = async (search: Parameters<typeof audit.read>[0]) =>
      (await audit.read(search)).map(({ by, n }) => `${by}${n}`);
    assert.deepEqual(await read({ limit: 2 }), ["a4", "a3"]);
    assert.deepEqual(await read({ limit: 3, before: all[1]! }), ["b2", "a2", "b1"]);
    assert.deepEqual(await read({ limit: 9, by: "a", sinceMs: 2000, untilMs: 3000 }), ["a3", "a2"]);
    assert.equal(await audit.expire(2000), 2);
    assert.deepEqual(await read({ limit: 9 }), ["a4", "a3", "b2", "a2"]);
    assert.equal(await audit.last("b"), 2);
    await storage.close();
  });
}
