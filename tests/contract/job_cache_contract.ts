import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type Awaitable,
  type JobCache,
  type JobListEntry,
  type JobSearch,
  returnedOf,
} from "../../src/model/job/job_cache.ts";
import { saveMasterJob } from "../../src/model/job/master_job.ts";
import { OUTCOME_STATES, type TargetOutcome } from "../../src/model/job/outcome.ts";
import { decode, encode, Float, Packed } from "../../src/protocol/wire/msgpack.ts";
import { FakeClock } from "../support/fake_clock.ts";

const JID = "20240506070809123456";
const UNKNOWN = "20990101000000000000";
const pack = (value: unknown) => new Packed(encode(value, "bin"));
const unpack = (value: Packed) => decode(value.bytes, { mode: "bin" });

/** What a JobCache cannot do: the sentence that the test report shows. */
export interface JobCacheGaps {
  fileNames?: string;
  /** Sets the time at which a return was stored by itself. */
  storedMs?: string;
}

/** A job cache whose storage accepts nothing from {@link FailingJobCache.fail} on, until {@link FailingJobCache.mend}. */
export interface FailingJobCache {
  jobs: JobCache;
  fail(): Awaitable<void>;
  mend(): Awaitable<void>;
}

/** Every entry of a list, which comes in pages. */
export async function listed(jobs: Pick<JobCache, "list">, search?: JobSearch): Promise<JobListEntry[]> {
  const all: JobListEntry[] = [];
  for await (const page of jobs.list(search)) {
    assert.ok(page.length > 0, "an empty page");
    all.push(...page);
  }
  return all;
}

/**
 * The promises of {@link JobCache}.
 *
 * @param make a new one without jobs at each call
 * @param failing the same, with a place that can be made to fail; or why there is none
 */
export function jobCacheContract(
  name: string,
  make: (clock: FakeClock) => Awaitable<JobCache>,
  failing: string | ((clock: FakeClock) => Awaitable<FailingJobCache>),
  gaps: JobCacheGaps = {},
): void {
  describe(`${name} JobCache`, () => {
    const load = {
      fun: "test.ping",
      arg: [1, { __kwarg__: true, k: Uint8Array.of(255) }],
      tgt: "*",
      tgt_type: "glob",
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
    const jids = async (jobs: JobCache, search?: JobSearch) => (await listed(jobs, search)).map(({ jid }) => jid);

    test("it names its location", async () => {
      const jobs = await make(new FakeClock());
      assert.notEqual(jobs.place, "");
      await jobs.close();
    });

    test("reserve() reserves a jid only once", async () => {
      const jobs = await make(new FakeClock());
      assert.equal(await jobs.reserve(JID), true);
      assert.equal(await jobs.reserve(JID), false);
      assert.equal(await jobs.load(JID), undefined);
      assert.equal(await jobs.reserve("20240506070809123457"), true);
      assert.equal(await jobs.reserve(`${JID}_77`), true);
      await jobs.close();
    });

    test("a load is returned as it was saved, with its minions sorted, before and after flush()", async () => {
      const jobs = await make(new FakeClock());
      await jobs.reserve(JID);
      await jobs.saveLoad(JID, load, ["web2", "web1"]);
      for (const pass of ["before", "after"]) {
        assert.deepEqual(await jobs.load(JID), load, pass);
        assert.equal(await jobs.hasLoad(JID), true, pass);
        assert.deepEqual(await jobs.minions(JID), ["web1", "web2"], pass);
        await jobs.flush();
      }
      assert.equal(await jobs.load(UNKNOWN), undefined);
      assert.equal(await jobs.hasLoad(UNKNOWN), false);
      assert.deepEqual(await jobs.minions(UNKNOWN), []);
      await jobs.close();
    });

    test("hasLoad() agrees with load(), before and after expiry", async () => {
      const clock = new FakeClock();
      const jobs = await make(clock);
      await jobs.reserve(JID);
      assert.equal(await jobs.hasLoad(JID), false);
      await jobs.saveReturn(JID, stored("web1", true));
      assert.equal(await jobs.hasLoad(JID), false);
      await jobs.saveLoad(JID, load, ["web1"]);
      assert.equal(await jobs.hasLoad(JID), true);
      await jobs.settle(JID);
      await jobs.expire(clock.now() + 1_000_000);
      assert.equal(await jobs.hasLoad(JID), false);
      assert.equal(await jobs.load(JID), undefined);
      await jobs.close();
    });

    for (const reserved of [true, false]) {
      for (const flushed of [true, false]) {
        test(`a load is never replaced, of a job that was ${reserved ? "" : "not "}reserved, ${flushed ? "after" : "before"} flush()`, async () => {
          const jobs = await make(new FakeClock());
          if (reserved) await jobs.reserve(JID);
          await jobs.saveLoad(JID, load, ["web1"]);
          await jobs.settle(JID);
          if (flushed) await jobs.flush();
          await jobs.saveLoad(JID, { ...load, fun: "test.echo", user: "ann" }, ["web1", "web2"]);
          await jobs.flush();
          assert.deepEqual(await jobs.load(JID), load);
          assert.deepEqual(await jobs.minions(JID), ["web1", "web2"]);
          assert.deepEqual(await jobs.unsettled(), [JID]);
          assert.deepEqual(await jids(jobs, { fun: ["test.ping"], user: ["root"] }), [JID]);
          assert.deepEqual(await jids(jobs, { fun: ["test.echo"] }), []);
          assert.deepEqual(await jids(jobs, { user: ["ann"] }), []);
          await jobs.close();
        });
      }
    }

    test("saveMinions() adds the minions that syndics report", async () => {
      const jobs = await make(new FakeClock());
      await jobs.saveLoad(JID, load, ["web1"]);
      await jobs.saveMinions(JID, ["db1", "web1"], "syndic1");
      await jobs.saveMinions(JID, ["db2"], "syndic2");
      assert.deepEqual(await jobs.minions(JID), ["db1", "db2", "web1"]);
      await jobs.saveMinions(JID, ["db3"], "syndic2");
      assert.deepEqual(await jobs.minions(JID), ["db1", "db3", "web1"]);
      await jobs.close();
    });

    test("a return is kept as it arrived; a second one of the same minion never replaces it", async () => {
      const jobs = await make(new FakeClock());
      await jobs.reserve(JID);
      await jobs.saveLoad(JID, load, ["web1", "web2"]);
      const first = { ...stored("web2", { a: [1, "é", Uint8Array.of(254)] }), out: "nested" };
      assert.equal(await jobs.hasReturn(JID, "web2"), false);
      assert.equal(await jobs.saveReturn(JID, first), true);
      assert.equal(
        await jobs.saveReturn(JID, { ...stored("web1", null), retcode: undefined, success: undefined }),
        true,
      );
      const forged = { ...stored("web2", "forged"), retcode: 1 };
      assert.equal(await jobs.saveReturn(JID, forged), false);
      await jobs.flush();
      assert.equal(await jobs.saveReturn(JID, forged), false);
      assert.deepEqual(await Promise.all(["web1", "web2", "web3"].map((id) => jobs.hasReturn(JID, id))), [
        true,
        true,
        false,
      ]);
      const returns = await jobs.returns(JID);
      assert.equal(returns.length, 2);
      const [one, two] = returns;
      assert.deepEqual([one!.minion, unpack(one!.return), one!.out], ["web1", null, undefined]);
      assert.deepEqual([one!.retcode, one!.success], [undefined, undefined]);
      assert.deepEqual(unpack(two!.return), { a: [1, "é", Uint8Array.of(254)] });
      assert.deepEqual([two!.minion, two!.retcode, two!.success, two!.out], ["web2", 0, true, "nested"]);
      assert.deepEqual(await jobs.returns(UNKNOWN), []);
      assert.deepEqual(await returnedOf(jobs, JID), returns.map(({ minion }) => minion));
      assert.deepEqual(await returnedOf(jobs, UNKNOWN), []);
      assert.equal(await jobs.hasReturn(UNKNOWN, "web1"), false);
      await jobs.close();
    });

    test("of two concurrent returns the first is kept", async () => {
      const jobs = await make(new FakeClock());
      await jobs.saveLoad(JID, load, ["web1"]);
      const [one, two] = [jobs.saveReturn(JID, stored("web1", 1)), jobs.saveReturn(JID, stored("web1", 2))];
      assert.deepEqual(await Promise.all([one, two]), [true, false]);
      await jobs.flush();
      assert.deepEqual((await jobs.returns(JID)).map((only) => unpack(only.return)), [1]);
      await jobs.close();
    });

    test("the value of a return keeps every byte, and its time is known", { skip: gaps.storedMs }, async () => {
      const jobs = await make(new FakeClock());
      await jobs.saveLoad(JID, load, ["web1"]);
      const value = pack([new Float(1), 2n ** 60n, new Map([[1, "x"]]), "\0", Uint8Array.of(0, 255)]);
      await jobs.saveReturn(JID, { ...stored("web1", 0), return: value, storedMs: 1_714_979_289_123 });
      await jobs.flush();
      const [only] = await jobs.returns(JID);
      assert.deepEqual([...only!.return.bytes], [...value.bytes]);
      assert.equal(only!.storedMs, 1_714_979_289_123);
      await jobs.close();
    });

    test("codes of several functions stay maps", async () => {
      const jobs = await make(new FakeClock());
      await jobs.reserve(JID);
      await jobs.saveReturn(JID, {
        ...stored("web1", {}),
        retcode: { "test.ping": 0, "test.false": 1 },
        success: { "test.ping": true },
      });
      const [only] = await jobs.returns(JID);
      assert.deepEqual(only!.retcode, { "test.ping": 0, "test.false": 1 });
      assert.deepEqual(only!.success, { "test.ping": true });
      await jobs.close();
    });

    test("a return before its load is kept", async () => {
      const jobs = await make(new FakeClock());
      assert.equal(await jobs.saveReturn(JID, stored("web1", 1)), true);
      assert.equal(await jobs.reserve(JID), false);
      await jobs.saveLoad(JID, load, ["web1"]);
      assert.equal((await jobs.returns(JID)).length, 1);
      await jobs.close();
    });

    test("minions of any name are kept apart", async () => {
      const jobs = await make(new FakeClock());
      await jobs.reserve(JID);
      const ids = ["は".repeat(85), "a b", "*", "__proto__", "return.p"].sort();
      for (const id of ids) assert.equal(await jobs.saveReturn(JID, stored(id, id)), true, id);
      await jobs.flush();
      const returns = await jobs.returns(JID);
      assert.deepEqual(returns.map(({ minion }) => minion), ids);
      for (const { minion, return: value } of returns) assert.equal(unpack(value), minion);
      await jobs.close();
    });

    test("minions named as the files of a cache are minions", { skip: gaps.fileNames }, async () => {
      const jobs = await make(new FakeClock());
      await jobs.saveLoad(JID, load, []);
      for (const id of ["jid", ".load.p", ".minions.p", "endtime"]) {
        assert.equal(await jobs.saveReturn(JID, stored(id, id)), true);
      }
      assert.equal((await jobs.returns(JID)).length, 4);
      assert.deepEqual(await jobs.load(JID), load);
      await jobs.close();
    });

    test("outcomes are returned as last saved, sorted, each with its details", async () => {
      const jobs = await make(new FakeClock());
      await jobs.saveLoad(JID, load, ["web1", "web2", "web3"]);
      assert.deepEqual(await jobs.outcomes(JID), []);
      const queued: TargetOutcome = { minion: "web2", state: "queued", atMs: 1000.5, untilMs: 9_000_000_000_000 };
      const lost: TargetOutcome = { minion: "web1", state: "lost", atMs: 2000, sinceMs: 1500, note: "gone – é" };
      const failed: TargetOutcome = { minion: "web3", state: "failed", atMs: 3000, retcode: { "a.b": 1 } };
      await jobs.saveOutcomes(JID, [queued, lost]);
      await jobs.saveOutcomes(JID, [failed]);
      assert.deepEqual(await jobs.outcomes(JID), [lost, queued, failed]);
      await jobs.flush();
      assert.deepEqual(await jobs.outcomes(JID), [lost, queued, failed]);
      const started: TargetOutcome = { minion: "web2", state: "started", atMs: 4000 };
      await jobs.saveOutcomes(JID, [started]);
      assert.deepEqual(await jobs.outcomes(JID), [lost, started, failed]);
      assert.deepEqual(await jobs.outcomes(UNKNOWN), []);
      await jobs.close();
    });

    test("every state can be saved and queried", async () => {
      const jobs = await make(new FakeClock());
      await jobs.saveLoad(JID, load, []);
      const outcomes = OUTCOME_STATES.map((state, at): TargetOutcome => ({ minion: `m${at}`, state, atMs: at }));
      await jobs.saveOutcomes(JID, outcomes);
      for (const outcome of outcomes) {
        assert.deepEqual(await jobs.inState(outcome.state), [{ jid: JID, outcome }]);
      }
      await jobs.close();
    });

    test("a job of the master's own is one return, settled, found as others are; the next of its jid changes nothing", async () => {
      const jobs = await make(new FakeClock());
      const where = { jobs, master: "here_master", maxBytes: 200 };
      const job = { jid: JID, fun: "runner.test.arg", user: "ann", args: [1, { k: 2 }], startedMs: 1000.5 };
      await jobs.reserve(JID);
      await saveMasterJob(where, job, { return: { a: [1] }, success: true }, 5);
      await jobs.flush();
      const [first] = await jobs.returns(JID);
      assert.deepEqual(unpack(first!.return), {
        fun: "runner.test.arg",
        jid: JID,
        user: "ann",
        fun_args: [1, { k: 2 }],
        _stamp: "1970-01-01T00:00:01.000500",
        return: { a: [1] },
        success: true,
      });
      assert.deepEqual([first!.minion, first!.retcode, first!.success], ["here_master", undefined, undefined]);
      assert.deepEqual(await jobs.unsettled(), []);
      assert.deepEqual(await jobs.minions(JID), []);
      const summary = { fun: "runner.test.arg", arg: undefined, tgt: "here_master", tgt_type: undefined, user: "ann" };
      for (const search of [{}, { fun: ["runner.*"] }, { user: ["ann"] }, { target: ["here_*"] }]) {
        assert.deepEqual(
          (await listed(jobs, search)).map((one) => ({ ...one, summary: { ...summary, ...one.summary } })),
          [
            { jid: JID, summary },
          ],
        );
      }
      for (
        const { jid, end, want } of [
          {
            jid: "20240506070809000001",
            end: { return: "x".repeat(300), success: true },
            want: ["VALUE_TRIMMED", true],
          },
          {
            jid: "20240506070809000002",
            end: { return: "-----BEGIN", success: false, retcode: 1, secret: true },
            want: ["** hidden **", false],
          },
        ]
      ) {
        await saveMasterJob(where, { ...job, jid }, end, 5);
        await jobs.flush();
        const [stored] = await jobs.returns(jid);
        const value = unpack(stored!.return) as { return: unknown; success: boolean; fun_args: unknown[] };
        assert.deepEqual([value.return, value.success], want);
        assert.deepEqual(value.fun_args, [want[0]]);
      }
      assert.deepEqual((await listed(jobs, { outcome: "failed" })).map(({ jid }) => jid), ["20240506070809000002"]);
      await jobs.close();
    });

    test("inState() covers every job, the oldest first", async () => {
      const jobs = await make(new FakeClock());
      const queued = (minion: string): TargetOutcome => ({ minion, state: "queued", atMs: 1 });
      const [old, young] = ["20240506070809000001", "20240506070809000002"];
      for (const jid of [young, old]) {
        await jobs.saveLoad(jid, { ...load, jid }, ["a", "b"]);
        await jobs.saveOutcomes(jid, [queued("b"), queued("a")]);
      }
      const found = async () => (await jobs.inState("queued")).map(({ jid, outcome }) => `${jid} ${outcome.minion}`);
      assert.deepEqual(await found(), [`${old} a`, `${old} b`, `${young} a`, `${young} b`]);
      await jobs.flush();
      await jobs.saveOutcomes(old, [{ minion: "a", state: "expired", atMs: 2 }]);
      assert.deepEqual(await found(), [`${old} b`, `${young} a`, `${young} b`]);
      assert.deepEqual(await jobs.inState("cancelled"), []);
      await jobs.close();
    });

    test("a job with a load is unsettled until settle(), which is harmless twice and for an unknown job", async () => {
      const jobs = await make(new FakeClock());
      const [old, young] = ["20240506070809000001", "20240506070809000002"];
      await jobs.reserve(young);
      assert.deepEqual(await jobs.unsettled(), []);
      for (const jid of [young, old]) await jobs.saveLoad(jid, { ...load, jid }, ["a"]);
      assert.deepEqual(await jobs.unsettled(), [old, young]);
      await jobs.flush();
      await jobs.settle(old);
      await jobs.settle(old);
      await jobs.settle(UNKNOWN);
      assert.deepEqual(await jobs.unsettled(), [young]);
      await jobs.flush();
      assert.deepEqual(await jobs.unsettled(), [young]);
      assert.equal(await jobs.reserve(UNKNOWN), true);
      await jobs.close();
    });

    test("list() knows limit, bounds of time and either order; jobs without a load are not listed", async () => {
      const clock = new FakeClock();
      const jobs = await make(clock);
      const start = clock.now();
      const all = ["20240506070809000001", "20240506070809000002", "20240506070809000003"];
      assert.deepEqual(await jids(jobs), []);
      for (const jid of all) {
        await jobs.reserve(jid);
        await jobs.saveLoad(jid, { ...load, jid, metadata: { n: 1 } }, []);
        clock.advance(60_000);
      }
      await jobs.reserve("20240506070809000009");
      assert.deepEqual(await jids(jobs), [...all].reverse());
      assert.deepEqual(await jids(jobs, { oldestFirst: true }), all);
      assert.deepEqual(await jids(jobs, { limit: 2 }), [all[2], all[1]]);
      assert.deepEqual(await jids(jobs, { limit: 2, oldestFirst: true }), [all[0], all[1]]);
      assert.deepEqual(await jids(jobs, { limit: 0 }), []);
      assert.deepEqual(await jids(jobs, { fromMs: start + 30_000, untilMs: start + 90_000 }), [all[1]]);
      assert.deepEqual(await jids(jobs, { fromMs: start + 30_000 }), [all[2], all[1]]);
      assert.deepEqual(await jids(jobs, { untilMs: start + 90_000 }), [all[1], all[0]]);
      assert.deepEqual(await jids(jobs, { fromMs: start + 1_000_000 }), []);
      assert.deepEqual(await jids(jobs, { fromMs: start + 30_000, fun: ["test.*"] }), [all[2], all[1]]);
      const { jid: _jid, ...summary } = load;
      assert.deepEqual(await listed(jobs, { limit: 1 }), [{
        jid: all[2]!,
        summary: { ...summary, metadata: { n: 1 } },
      }]);
      await jobs.close();
    });

    test("list() returns arguments unchanged, whether JSON can express them or not", async () => {
      const jobs = await make(new FakeClock());
      const args = [
        ["a", 1, 1.5, true, null, { k: [1, { l: "é\0\ud83d\ude00" }] }],
        [Uint8Array.of(0, 255)],
        [new Float(2)],
        [2n ** 60n],
        [new Map([[1, 2]])],
        [Infinity, -0.5],
        [],
      ];
      for (const [at, arg] of args.entries()) await jobs.saveLoad(`2024050607080900000${at}`, { ...load, arg }, []);
      await jobs.flush();
      const found = (await listed(jobs, { oldestFirst: true })).map(({ summary }) => summary.arg);
      assert.deepEqual(found.map((arg) => encode(arg, "bin")), args.map((arg) => encode(arg, "bin")));
      await jobs.close();
    });

    test("list() of more jobs than a page has each once, in order, also while jobs are added and removed", {
      timeout: 60_000,
    }, async () => {
      const clock = new FakeClock();
      const jobs = await make(clock);
      const all = Array.from({ length: 1203 }, (_, n) => `202405060708${String(n).padStart(8, "0")}`);
      for (const jid of all) {
        await jobs.saveLoad(jid, { ...load, jid, fun: Number(jid) % 2 === 0 ? "test.even" : "test.odd" }, []);
        await jobs.settle(jid);
      }
      await jobs.flush();
      assert.deepEqual(await jids(jobs, { oldestFirst: true }), all);
      assert.deepEqual(await jids(jobs, { fun: ["test.*"] }), [...all].reverse());
      assert.deepEqual(await jids(jobs, { limit: 1001 }), [...all].reverse().slice(0, 1001));
      assert.deepEqual(
        await jids(jobs, { limit: 600, fun: ["test.odd", "x"] }),
        [
          ...all.filter((jid) => Number(jid) % 2 !== 0),
        ].reverse().slice(0, 600),
      );
      const seen: string[] = [];
      for await (const page of jobs.list()) {
        if (seen.length === 0) await jobs.saveLoad("20250506070809000000", load, []);
        seen.push(...page.map(({ jid }) => jid));
        await jobs.expire(clock.now() + 1);
      }
      assert.deepEqual(seen, [...all].reverse().slice(0, seen.length));
      await jobs.close();
    });

    describe("searches", () => {
      const published: { jid: string; fun: unknown; tgt: unknown; tgt_type: string; user: string }[] = [
        { jid: "20240506070809000001", fun: "test.ping", tgt: "*", tgt_type: "glob", user: "root" },
        { jid: "20240506070809000002", fun: "test.echo", tgt: ["web1", "db1"], tgt_type: "list", user: "ann" },
        { jid: "20240506070809000003", fun: ["cmd.run", "test.ping"], tgt: "web*", tgt_type: "glob", user: "sudo_ann" },
        { jid: "20240506070809000004", fun: "testinfra.run", tgt: "os:Debian", tgt_type: "grain", user: "root" },
        {
          jid: "20240506070809000005",
          fun: "cmd.run",
          tgt: Array.from({ length: 300 }, (_, n) => `web${n}`),
          tgt_type: "list",
          user: "bob",
        },
      ];
      const rows: { search: JobSearch; want: number[] }[] = [
        { search: { fun: ["test.ping"] }, want: [3, 1] },
        { search: { fun: ["test.*"] }, want: [3, 2, 1] },
        { search: { fun: ["*.run"] }, want: [5, 4, 3] },
        { search: { fun: ["cmd.run", "test.echo"] }, want: [5, 3, 2] },
        { search: { fun: ["test.pin"] }, want: [] },
        { search: { fun: ["test?ping"] }, want: [3, 1] },
        { search: { fun: ["[ct]*.run"] }, want: [5, 4, 3] },
        { search: { fun: [] }, want: [] },
        { search: { target: ["web1"] }, want: [5, 2] },
        { search: { target: ["web299"] }, want: [5] },
        { search: { target: ["web300"] }, want: [] },
        { search: { target: ["db*"] }, want: [2] },
        { search: { target: ["web[*]", "os:*"] }, want: [4, 3] },
        { search: { target: ["*"] }, want: [5, 4, 3, 2, 1] },
        { search: { user: ["ann"] }, want: [2] },
        { search: { user: ["*ann"] }, want: [3, 2] },
        { search: { fun: ["test.ping"], user: ["root"] }, want: [1] },
        { search: { fun: ["cmd.run"], target: ["web*"], user: ["*"] }, want: [5, 3] },
        { search: { fun: ["*"], limit: 2 }, want: [5, 4] },
        { search: { fun: ["test.*"], oldestFirst: true }, want: [1, 2, 3] },
        { search: { fun: ["test.*"], oldestFirst: true, limit: 1 }, want: [1] },
        { search: { outcome: "returned" }, want: [5, 1] },
        { search: { outcome: "failed" }, want: [3, 1] },
        { search: { outcome: "queued" }, want: [2] },
        { search: { outcome: "lost" }, want: [4] },
        { search: { outcome: "timed out" }, want: [5] },
        { search: { outcome: "cancelled" }, want: [] },
        { search: { outcome: "published" }, want: [2] },
        { search: { outcome: "failed", fun: ["cmd.run"] }, want: [3] },
        { search: { outcome: "failed", limit: 1, oldestFirst: true }, want: [1] },
      ];

      for (const { search, want } of rows) {
        test(JSON.stringify(search), async () => {
          const jobs = await make(new FakeClock());
          const [a, b, c, d, e] = published.map(({ jid }) => jid) as [string, string, string, string, string];
          for (const job of published) await jobs.saveLoad(job.jid, { ...load, ...job }, ["m1", "m2"]);
          await jobs.saveReturn(a, stored("m1", true, 5000));
          await jobs.saveReturn(a, { ...stored("m2", false, 5000), retcode: 1 });
          await jobs.settle(a);
          // The other target has not reported yet.
          await jobs.saveOutcomes(b, [{ minion: "m1", state: "queued", atMs: 1 }]);
          await jobs.saveReturn(c, { ...stored("m1", false, 5000), success: false });
          // Its return arrived after all.
          await jobs.saveOutcomes(c, [{ minion: "m1", state: "lost", atMs: 1 }]);
          await jobs.saveOutcomes(c, [{ minion: "m2", state: "started", atMs: 1 }]);
          await jobs.saveOutcomes(d, [{ minion: "m1", state: "lost", atMs: 1 }, {
            minion: "m2",
            state: "lost",
            atMs: 1,
          }]);
          await jobs.settle(d);
          await jobs.saveReturn(e, stored("m1", true, 5000));
          // Ended from outside, as its return shows.
          await jobs.saveReturn(e, { ...stored("m2", true, 5000), retcode: 124 });
          await jobs.saveOutcomes(e, [{ minion: "m2", state: "timed out", atMs: 9e12 }]);
          await jobs.settle(e);
          await jobs.flush();
          const numbers = (await jids(jobs, search)).map((jid) => published.findIndex((job) => job.jid === jid) + 1);
          assert.deepEqual(numbers, want);
          await jobs.close();
        });
      }
    });

    test("expire() removes older settled jobs, with their returns and outcomes", async () => {
      const clock = new FakeClock();
      const jobs = await make(clock);
      const [pending, bare, young] = ["20240506070809123457", "20240506070809123458", "20240506080809123456"];
      for (const jid of [JID, pending]) {
        await jobs.reserve(jid);
        await jobs.saveLoad(jid, { ...load, jid }, ["web1"]);
        await jobs.saveReturn(jid, stored("web1", 1, clock.now()));
        await jobs.saveOutcomes(jid, [{ minion: "web2", state: "lost", atMs: 1 }]);
      }
      await jobs.settle(JID);
      await jobs.reserve(bare);
      clock.advance(3_600_000);
      await jobs.reserve(young);
      await jobs.saveLoad(young, { ...load, jid: young }, ["web1"]);
      await jobs.settle(young);
      await jobs.flush();
      assert.equal(await jobs.expire(clock.now() - 1000), 2);
      assert.equal(await jobs.load(JID), undefined);
      assert.deepEqual(await jobs.returns(JID), []);
      assert.deepEqual(await jobs.outcomes(JID), []);
      assert.deepEqual(await jobs.minions(JID), []);
      assert.deepEqual(await jids(jobs), [young, pending]);
      assert.deepEqual(await jids(jobs, { fun: ["test.ping"] }), [young, pending]);
      assert.deepEqual((await jobs.inState("lost")).map(({ jid }) => jid), [pending]);
      assert.equal((await jobs.returns(pending)).length, 1);
      assert.equal(await jobs.expire(clock.now() - 1000), 0);
      assert.equal(await jobs.reserve(JID), true);
      assert.equal(await jobs.reserve(bare), true);
      assert.equal(await jobs.reserve(pending), false);
      await jobs.close();
    });

    test("expire() of more jobs than fit one step leaves the cache usable meanwhile", async () => {
      const clock = new FakeClock();
      const jobs = await make(clock);
      for (let n = 0; n < 250; n++) {
        const jid = `202405060708${String(n).padStart(8, "0")}`;
        await jobs.saveLoad(jid, load, ["web1"]);
        await jobs.settle(jid);
      }
      await jobs.flush();
      clock.advance(1000);
      const going = jobs.expire(clock.now());
      await jobs.saveLoad(JID, load, ["web1"]);
      await jobs.flush();
      assert.equal(await going, 250);
      assert.deepEqual(await jids(jobs), [JID]);
      await jobs.close();
    });

    test("shrink() removes the oldest settled jobs, and no more than necessary", async () => {
      const jobs = await make(new FakeClock());
      const all = Array.from({ length: 20 }, (_, n) => `202405060708${String(n).padStart(8, "0")}`);
      for (const jid of all) {
        await jobs.saveLoad(jid, { ...load, jid }, ["web1"]);
        await jobs.saveReturn(jid, stored("web1", "x".repeat(100_000), 1));
        if (jid !== all[0]) await jobs.settle(jid);
      }
      await jobs.flush();
      assert.equal(await jobs.shrink(10_000_000), 0);
      const gone = await jobs.shrink(1_000_000);
      assert.ok(gone >= 10 && gone <= 13, String(gone));
      assert.deepEqual(await jids(jobs, { oldestFirst: true }), [all[0], ...all.slice(gone + 1)]);
      assert.equal(await jobs.shrink(0), all.length - gone - 1);
      assert.deepEqual(await jids(jobs), [all[0]]);
      await jobs.close();
    });

    describe("of a storage that fails", { skip: typeof failing === "string" ? failing : false }, () => {
      const open = async () => {
        const opened = await (failing as Exclude<typeof failing, string>)(new FakeClock());
        await opened.jobs.saveLoad(JID, load, ["web1", "web2", "web3"]);
        await opened.jobs.flush();
        return opened;
      };
      /** True if it was accepted. Begins at once. */
      const attempt = async (call: () => Awaitable<unknown>) => {
        try {
          await call();
          return true;
        } catch {
          return false;
        }
      };
      const kept = async (jobs: JobCache) => [
        ...(await jobs.returns(JID)).map(({ minion }) => minion),
        ...(await jobs.outcomes(JID)).map(({ minion }) => minion),
      ];

      for (const when of ["while that goes on", "when that has failed"]) {
        test(`what a flush has confirmed is kept, though an earlier one failed: called ${when}`, async () => {
          const { jobs, fail, mend } = await open();
          await fail();
          const one = attempt(() => jobs.saveReturn(JID, stored("web1", 1)));
          const hasOne = await one;
          // Elsewhere this asks its store first, and goes on when the flush has begun; here it belongs to the first flush.
          let isHere = true;
          const asking = attempt(() => {
            const saving = jobs.saveReturn(JID, stored("web2", 2));
            isHere = typeof saving === "boolean";
            return saving;
          });
          const first = attempt(() => jobs.flush());
          const outcome = attempt(() => jobs.saveOutcomes(JID, [{ minion: "web3", state: "started", atMs: 1 }]));
          // The same return once more: one that is still being written does not count as kept.
          const again = attempt(() => jobs.saveReturn(JID, stored("web1", 1)));
          const hasOthers = [await asking && !isHere, await outcome, await again];
          const second = when === "while that goes on" ? attempt(() => jobs.flush()) : undefined;
          assert.ok(!await first || !hasOne, "the storage should have failed");
          await mend();
          const promised = await (second ?? attempt(() => jobs.flush()));
          // Every loss was reported: from here on the cache works again.
          await attempt(() => jobs.flush());
          const found = await kept(jobs);
          for (const [at, minion] of ["web2", "web3", "web1"].entries()) {
            if (promised && hasOthers[at]) assert.ok(found.includes(minion), `${minion} is not among ${found}`);
          }
          for (const id of ["web1", "web2", "web3"]) await jobs.saveReturn(JID, stored(id, 3));
          await jobs.flush();
          assert.deepEqual((await jobs.returns(JID)).map(({ minion }) => minion), ["web1", "web2", "web3"]);
          await jobs.close();
        });
      }
    });
  });
}
