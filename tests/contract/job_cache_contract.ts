import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JobCache } from "../../src/job/job_cache.ts";
import { decode, encode, Packed } from "../../src/wire/msgpack.ts";
import { FakeClock } from "../support/fake_clock.ts";

const JID = "20240506070809123456";
const pack = (value: unknown) => new Packed(encode(value, "bin"));
const unpack = (value: Packed) => decode(value.bytes, { mode: "bin" });

/** What a JobCache cannot do, each as the sentence that a report shows. */
export interface JobCacheGaps {
  fileNames?: string;
}

/** The promises of {@link JobCache}. */
export function jobCacheContract(name: string, make: (clock: FakeClock) => JobCache, gaps: JobCacheGaps = {}): void {
  describe(`${name} JobCache`, () => {
    const load = {
      fun: "test.ping",
      arg: [1, { __kwarg__: true, k: Uint8Array.of(255) }],
      tgt: "*",
      jid: JID,
      user: "root",
    };
    const stored = (minion: string, value: unknown, storedMs = 0) => ({
      minion,
      return: pack(value),
      retcode: 0,
      success: true,
      storedMs,
    });

    test("reserve() gives a jid once", () => {
      const jobs = make(new FakeClock());
      assert.equal(jobs.reserve(JID), true);
      assert.equal(jobs.reserve(JID), false);
      assert.equal(jobs.load(JID), undefined);
      assert.equal(jobs.reserve("20240506070809123457"), true);
      assert.equal(jobs.reserve(`${JID}_77`), true);
      jobs.close();
    });

    test("a load comes back as it was, with its minions sorted", () => {
      const jobs = make(new FakeClock());
      jobs.reserve(JID);
      jobs.saveLoad(JID, load, ["web2", "web1"]);
      jobs.flush();
      assert.deepEqual(jobs.load(JID), load);
      assert.deepEqual(jobs.minions(JID), ["web1", "web2"]);
      assert.equal(jobs.load("20990101000000000000"), undefined);
      assert.equal(jobs.hasLoad("20990101000000000000"), false);
      assert.deepEqual(jobs.minions("20990101000000000000"), []);
      jobs.close();
    });

    test("hasLoad() says what load() would find, before and after expiry", () => {
      const clock = new FakeClock();
      const jobs = make(clock);
      jobs.reserve(JID);
      assert.equal(jobs.hasLoad(JID), false);
      jobs.saveReturn(JID, stored("web1", true));
      assert.equal(jobs.hasLoad(JID), false);
      jobs.saveLoad(JID, load, ["web1"]);
      assert.equal(jobs.hasLoad(JID), true);
      jobs.expire(clock.now() + 1_000_000);
      assert.equal(jobs.hasLoad(JID), jobs.load(JID) !== undefined);
      jobs.close();
    });

    test("saveMinions() adds what syndics report", () => {
      const jobs = make(new FakeClock());
      jobs.saveLoad(JID, load, ["web1"]);
      jobs.saveMinions(JID, ["db1", "web1"], "syndic1");
      jobs.saveMinions(JID, ["db2"], "syndic2");
      assert.deepEqual(jobs.minions(JID), ["db1", "db2", "web1"]);
      jobs.saveMinions(JID, ["db3"], "syndic2");
      assert.deepEqual(jobs.minions(JID), ["db1", "db3", "web1"]);
      jobs.close();
    });

    test("a return is kept as it came; a second one of the same minion never replaces it", () => {
      const jobs = make(new FakeClock());
      jobs.reserve(JID);
      jobs.saveLoad(JID, load, ["web1", "web2"]);
      assert.equal(
        jobs.saveReturn(JID, { ...stored("web2", { a: [1, "é", Uint8Array.of(254)] }), out: "nested" }),
        true,
      );
      assert.equal(jobs.saveReturn(JID, { ...stored("web1", null), retcode: undefined, success: undefined }), true);
      assert.equal(jobs.saveReturn(JID, { ...stored("web2", "forged"), retcode: 1 }), false);
      jobs.flush();
      const [first, second] = jobs.returns(JID);
      assert.deepEqual([first!.minion, unpack(first!.return), first!.out], ["web1", null, undefined]);
      assert.deepEqual(unpack(second!.return), { a: [1, "é", Uint8Array.of(254)] });
      assert.deepEqual([second!.minion, second!.retcode, second!.success, second!.out], ["web2", 0, true, "nested"]);
      assert.equal(jobs.returns(JID).length, 2);
      assert.deepEqual(jobs.returns("20990101000000000000"), []);
      jobs.close();
    });

    test("codes of several functions stay maps", () => {
      const jobs = make(new FakeClock());
      jobs.reserve(JID);
      jobs.saveReturn(JID, {
        ...stored("web1", {}),
        retcode: { "test.ping": 0, "test.false": 1 },
        success: { "test.ping": true },
      });
      const [only] = jobs.returns(JID);
      assert.deepEqual(only!.retcode, { "test.ping": 0, "test.false": 1 });
      assert.deepEqual(only!.success, { "test.ping": true });
      jobs.close();
    });

    test("a return before its load is kept", () => {
      const jobs = make(new FakeClock());
      assert.equal(jobs.saveReturn(JID, stored("web1", 1)), true);
      assert.equal(jobs.reserve(JID), false);
      jobs.saveLoad(JID, load, ["web1"]);
      assert.equal(jobs.returns(JID).length, 1);
      jobs.close();
    });

    test("minions of any name are kept apart", () => {
      const jobs = make(new FakeClock());
      jobs.reserve(JID);
      const ids = ["は".repeat(85), "a b", "*", "__proto__", "return.p"].sort();
      for (const id of ids) assert.equal(jobs.saveReturn(JID, stored(id, id)), true, id);
      assert.deepEqual(jobs.returns(JID).map(({ minion }) => minion).sort(), ids);
      for (const { minion, return: value } of jobs.returns(JID)) assert.equal(unpack(value), minion);
      jobs.close();
    });

    test("minions named as the files of a cache are minions", { skip: gaps.fileNames }, () => {
      const jobs = make(new FakeClock());
      jobs.saveLoad(JID, load, []);
      for (const id of ["jid", ".load.p", ".minions.p", "endtime"]) {
        assert.equal(jobs.saveReturn(JID, stored(id, id)), true);
      }
      assert.equal(jobs.returns(JID).length, 4);
      assert.deepEqual(jobs.load(JID), load);
      jobs.close();
    });

    test("list() is newest first and knows limit and bounds of time; jobs without a load are none", () => {
      const clock = new FakeClock();
      const jobs = make(clock);
      const start = clock.now();
      const jids = ["20240506070809000001", "20240506070809000002", "20240506070809000003"];
      for (const jid of jids) {
        jobs.reserve(jid);
        jobs.saveLoad(jid, { ...load, jid }, []);
        clock.advance(60_000);
      }
      jobs.reserve("20240506070809000009");
      const listed = (search?: Parameters<JobCache["list"]>[0]) => [...jobs.list(search)].map(({ jid }) => jid);
      assert.deepEqual(listed(), [...jids].reverse());
      assert.deepEqual(listed({ limit: 2 }), [jids[2], jids[1]]);
      assert.deepEqual(listed({ limit: 0 }), []);
      assert.deepEqual(listed({ fromMs: start + 30_000, untilMs: start + 90_000 }), [jids[1]]);
      assert.deepEqual([...jobs.list({ limit: 1 })][0]!.load, { ...load, jid: jids[2] });
      jobs.close();
    });

    test("expire() removes what is older, with its returns", () => {
      const clock = new FakeClock();
      const jobs = make(clock);
      const young = "20240506080809123456";
      jobs.reserve(JID);
      jobs.saveLoad(JID, load, ["web1"]);
      jobs.saveReturn(JID, stored("web1", 1, clock.now()));
      clock.advance(3_600_000);
      jobs.reserve(young);
      jobs.saveLoad(young, { ...load, jid: young }, ["web1"]);
      jobs.flush();
      assert.equal(jobs.expire(clock.now() - 1000), 1);
      assert.equal(jobs.load(JID), undefined);
      assert.deepEqual(jobs.returns(JID), []);
      assert.deepEqual([...jobs.list()].map(({ jid }) => jid), [young]);
      assert.equal(jobs.expire(clock.now() - 1000), 0);
      assert.equal(jobs.reserve(JID), true);
      jobs.close();
    });
  });
}
