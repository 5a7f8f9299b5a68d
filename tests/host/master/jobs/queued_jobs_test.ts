/** Jobs that are queued for a minion, and what it says of its jobs, on a disk that is slow or full. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { deferred } from "../../../../src/base/async/deferred.ts";
import { WithheldReply } from "../../../../src/protocol/channel/req_server.ts";
import { EventBus } from "../../../../src/model/event/bus.ts";
import type { JobCache, JobLoad } from "../../../../src/model/job/job_cache.ts";
import { BEGUN_UNWRITTEN, type TargetOutcome } from "../../../../src/model/job/outcome.ts";
import { JidGenerator } from "../../../../src/model/job/jid.ts";
import type { Bus } from "../../../../src/feature/cluster/bus.ts";
import { Statements } from "../../../../src/host/master/cluster/statements.ts";
import { encode } from "../../../../src/protocol/wire/msgpack.ts";
import { minionJobs } from "../../../../src/host/master/commands/jobs.ts";
import { JobStore } from "../../../../src/host/master/jobs/durable_saves.ts";
import { Ledger } from "../../../../src/host/master/jobs/ledger.ts";
import { publishQueuedJobs } from "../../../../src/host/master/jobs/master_jobs.ts";
import { Presence } from "../../../../src/host/master/presence.ts";
import type { MasterServices } from "../../../../src/host/master/services.ts";
import { memoryJobCache } from "../../../../src/plugins/job_caches/memory.ts";
import { captureLog } from "../../../support/capture_log.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const HOUR = 3_600_000;

function bench() {
  const clock = new FakeClock();
  const jids = new JidGenerator(clock);
  const cache = memoryJobCache(() => clock.now());
  const { log } = captureLog();
  const presence = new Presence(() => clock.now());
  const disk = { full: false, slow: undefined as Promise<void> | undefined };
  const saved: string[] = [];
  const jobs: JobCache = {
    ...cache,
    saveOutcomes: (jid, outcomes: readonly TargetOutcome[]) => {
      if (disk.full) throw new Error("no space left");
      for (const { minion, state, note } of outcomes) saved.push(`${minion} ${state} ${note ?? ""}`);
      return cache.saveOutcomes(jid, outcomes);
    },
    flush: () => {
      if (disk.full) throw new Error("no space left");
      return disk.slow;
    },
  };
  const store = new JobStore({ jobs, later: queueMicrotask, now: () => clock.now(), log });
  const sent: unknown[] = [];
  const send = ({ jid }: JobLoad) => void sent.push(jid);
  const ledger = new Ledger({
    jobs,
    clock,
    log,
    bus: new EventBus(() => clock.now()),
    presence,
    syndics: { ids: () => [], isReporting: () => false },
    send,
    ask: () => Promise.resolve(true),
    durable: () => store.durable(),
    resendMs: 2000,
    deliveryMs: 60_000,
    lostMs: 300_000,
    gatherMs: 10_000,
  });
  const services = {
    ledger,
    presence,
    store,
    jobs,
    send,
    log,
    syndics: { isAlsoMinion() {} },
  } as unknown as MasterServices;
  const publish = (ids: string[], away: string[] = []) => {
    const jid = jids.next();
    const load = { jid, fun: "test.ping", arg: [], tgt: ids, tgt_type: "list", ret: "" };
    cache.saveLoad(jid, { ...load, cmd: "publish", kwargs: {} }, ids);
    ledger.open(
      jid,
      load,
      ids,
      away.length === 0 ? {} : { queued: { ids: new Set(away), untilMs: clock.now() + HOUR } },
    );
    ledger.confirm(jid);
    return jid;
  };
  const settle = async () => {
    for (let turn = 0; turn < 50; turn++) await undefined;
  };
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 1000) {
      clock.advance(1000);
      ledger.tick();
      await settle();
    }
  };
  const state = async (jid: string) =>
    Object.fromEntries((await ledger.outcomes(jid)).map(({ minion, state }) => [minion, state]));
  return { clock, presence, disk, saved, store, sent, ledger, services, publish, settle, pass, state };
}

describe("a queued job on a disk that is slow or full", () => {
  test("a job that begins while its minion's earlier report waits for the disk is not lost", async () => {
    const { presence, disk, services, publish, settle, state } = bench();
    presence.heard("a", "tcp://a:1");
    const job = publish(["a"]);
    publish(["a"], ["a"]);
    const writing = deferred<void>();
    disk.slow = writing.promise;
    // Started again with a job that had not begun; the master sends that again, and it begins before the answer is there.
    const asking = minionJobs(services, { present: true, known: [job], waiting: [job], order: ["x", 1] }, "a");
    const begun = minionJobs(services, { states: [[job, "started", BEGUN_UNWRITTEN]], order: ["x", 2] }, "a");
    await settle();
    disk.slow = undefined;
    writing.resolve();
    await Promise.all([asking, begun]);
    await settle();
    assert.deepEqual(await state(job), { a: "started" });
  });

  test("a job whose beginning only the master knows is over before the minion has its answer, or there is none", async () => {
    const { presence, services, publish, state } = bench();
    presence.heard("a", "tcp://a:1");
    const job = publish(["a"]);
    await minionJobs(services, { states: [[job, "started", BEGUN_UNWRITTEN]], order: ["x", 1] }, "a");
    const { hasReturn } = services.jobs;
    const report = (number: number) => ({ present: true, known: [job], waiting: [job], order: ["y", number] });
    services.jobs.hasReturn = () => Promise.reject(new Error("cut off"));
    await assert.rejects(minionJobs(services, report(1), "a") as Promise<unknown>, { name: "WithheldReply" });
    const slow = deferred<void>();
    let looks = 0;
    services.jobs.hasReturn = async (jid, id) => {
      looks += 1;
      await slow.promise;
      return await hasReturn(jid, id);
    };
    // A minion may name a job as often as it likes: the job cache is asked once.
    const often = { ...report(2), waiting: Array.from({ length: 1000 }, () => job) };
    const answer = minionJobs(services, often, "a") as Promise<{ over: string[] }>;
    assert.equal(looks, 1);
    slow.resolve();
    assert.deepEqual((await answer).over, [job]);
    assert.deepEqual(await state(job), { a: "lost" });
  });

  test("a job that its minion no longer knows is lost, though another report comes while that waits for the disk", async () => {
    const { presence, disk, services, publish, settle, pass, state } = bench();
    presence.heard("a", "tcp://a:1");
    const forgotten = publish(["a"]);
    const other = publish(["a"]);
    publish(["a"], ["a"]);
    await minionJobs(services, { states: [[forgotten, "started", ""]], order: ["x", 9] }, "a");
    const writing = deferred<void>();
    disk.slow = writing.promise;
    // The minion was installed anew: it knows nothing.
    const asking = minionJobs(services, { present: true, known: [], order: ["y", 1] }, "a");
    const acknowledging = minionJobs(services, { states: [[other, "started", ""]], order: ["y", 2] }, "a");
    await settle();
    disk.slow = undefined;
    writing.resolve();
    await Promise.all([asking, acknowledging]);
    await pass(HOUR * 2);
    assert.deepEqual(await state(forgotten), { a: "lost" });
  });

  test("one write that fails does not keep a queued job from a minion of real Salt that is connected", async () => {
    const { presence, disk, services, publish, settle, pass, sent } = bench();
    const job = publish(["salt"], ["salt"]);
    presence.heard("salt", "tcp://salt:1");
    disk.full = true;
    publishQueuedJobs(services, "salt", "_minion_event");
    await settle();
    disk.full = false;
    // It is connected, and sends nothing of itself any more.
    await pass(HOUR - 1000);
    assert.deepEqual(sent, [job]);
  });

  test("a queued job is not sent to a minion of real Salt that has left while the disk was written", async () => {
    const { presence, disk, services, publish, settle } = bench();
    const job = publish(["salt"], ["salt"]);
    presence.heard("salt", "tcp://salt:1");
    const received: unknown[] = [];
    services.send = ({ jid }) => void (presence.connected("salt") && received.push(jid));
    const writing = deferred<void>();
    disk.slow = writing.promise;
    publishQueuedJobs(services, "salt", "_minion_event");
    await settle();
    presence.left("tcp://salt:1");
    disk.slow = undefined;
    writing.resolve();
    await settle();
    presence.heard("salt", "tcp://salt:2");
    publishQueuedJobs(services, "salt", "_minion_event");
    await settle();
    assert.deepEqual(received, [job]);
  });

  test("a queued job reaches a minion at another master though the first write of its owner fails", async () => {
    const { presence, disk, services, publish, settle, pass, sent, clock } = bench();
    const job = publish(["a"], ["a"]);
    const handlers = new Map<string, (message: { sender: string; bytes: Uint8Array }) => void>();
    const wire = {
      on: (subject: string, handler: (message: { sender: string; bytes: Uint8Array }) => void) =>
        void handlers.set(subject, handler),
      send() {},
    };
    new Statements(wire as unknown as Bus, clock, () => services, () => ["other"]);
    presence.peerSays("other", ["a"], [], true);
    presence.peerListens("other", "a", true);
    const said = encode([1, "a", ["x", 1], [], null, [], false], "bin");
    disk.full = true;
    handlers.get("minion said")!({ sender: "other", bytes: said });
    await settle();
    disk.full = false;
    // The minion was answered by its own master, and asks no more while it is connected.
    await pass(HOUR - 1000);
    assert.deepEqual([...new Set(sent)], [job]);
  });

  test("a job that was never given out has expired", async () => {
    const { presence, disk, services, publish, pass, state } = bench();
    const job = publish(["a"], ["a"]);
    presence.heard("a", "tcp://a:1");
    disk.full = true;
    assert.deepEqual(await minionJobs(services, { present: true, known: [], order: ["x", 1] }, "a"), { jobs: [] });
    presence.left("tcp://a:1");
    disk.full = false;
    await pass(HOUR + 2000);
    assert.deepEqual(await state(job), { a: "expired" });
  });

  test("a queued job reaches its minion though it is published to more while that asks", async () => {
    const { presence, disk, services, publish, settle, ledger, sent } = bench();
    const job = publish(["a"], ["a"]);
    presence.heard("a", "tcp://a:1");
    const writing = deferred<void>();
    disk.slow = writing.promise;
    const asking = minionJobs(services, { present: true, known: [], order: ["x", 1] }, "a");
    ledger.open(job, ledger.loadOf(job)!, ["b"]);
    await settle();
    disk.slow = undefined;
    writing.resolve();
    const { jobs } = await asking as { jobs: JobLoad[] };
    ledger.confirm(job);
    assert.deepEqual([...jobs.map(({ jid }) => jid), ...sent], [job]);
  });

  test("what a minion knows is heard though its queued job cannot be noted", async () => {
    const { presence, disk, services, publish, state, pass } = bench();
    presence.heard("a", "tcp://a:1");
    const running = publish(["a"]);
    publish(["a"], ["a"]);
    disk.full = true;
    await minionJobs(services, { present: true, known: [running], order: ["x", 1] }, "a").catch(() => {});
    disk.full = false;
    await pass(3000);
    assert.deepEqual(await state(running), { a: "started" });
  });

  test("an outcome that fails replaces no later one that was saved", async () => {
    const { presence, disk, publish, ledger, pass, saved } = bench();
    presence.heard("a", "tcp://a:1");
    presence.markBrine("a");
    const job = publish(["a"]);
    disk.full = true;
    ledger.started(job, "a");
    disk.full = false;
    await undefined;
    ledger.started(job, "a", BEGUN_UNWRITTEN);
    await pass(3000);
    assert.equal(saved.at(-1), `a started ${BEGUN_UNWRITTEN}`, JSON.stringify(saved));
  });

  test("a queued job whose note the cache does not take is not given out", async () => {
    const { presence, services, publish, saved } = bench();
    const job = publish(["a"], ["a"]);
    presence.heard("a", "tcp://a:1");
    services.jobs.saveOutcomes = () => {
      throw new Error("refused");
    };
    saved.length = 0;
    const answer = await minionJobs(services, { present: true, known: [], order: ["x", 1] }, "a").catch(() => ({
      jobs: [],
    }));
    assert.deepEqual([(answer as { jobs: JobLoad[] }).jobs.map(({ jid }) => jid), saved], [[], []], job);
  });

  test("is sent once, whatever its minion sends while the disk is slow", async () => {
    const { presence, disk, services, publish, settle, sent } = bench();
    for (let count = 0; count < 100; count++) publish(["other"]);
    const job = publish(["salt"], ["salt"]);
    presence.heard("salt", "tcp://salt:1");
    const writing = deferred<void>();
    disk.slow = writing.promise;
    for (let count = 0; count < 500; count++) publishQueuedJobs(services, "salt", "_minion_event");
    await settle();
    disk.slow = undefined;
    writing.resolve();
    await settle();
    assert.deepEqual(sent, [job]);
  });

  test("a full disk costs one attempt to save, not one for each command and queued job", async () => {
    const { presence, disk, services, publish, settle } = bench();
    for (let count = 0; count < 100; count++) publish(["salt"], ["salt"]);
    presence.heard("salt", "tcp://salt:1");
    disk.full = true;
    let saves = 0;
    const save = services.jobs.saveOutcomes;
    services.jobs.saveOutcomes = (...args) => {
      saves++;
      return save(...args);
    };
    for (let count = 0; count < 100; count++) {
      publishQueuedJobs(services, "salt", "_minion_event");
      await settle();
    }
    assert.equal(saves, 100);
  });

  test("is given with the answer, once it is on the disk that its minion may have it", async () => {
    const { presence, disk, services, publish, settle, sent, saved } = bench();
    const job = publish(["a"], ["a"]);
    presence.heard("a", "tcp://a:1");
    const writing = deferred<void>();
    disk.slow = writing.promise;
    let answer: unknown;
    const asking = minionJobs(services, { present: true, known: [], order: ["x", 1] }, "a").then((found) =>
      answer = found
    );
    await settle();
    assert.deepEqual([answer, saved.at(-1)], [undefined, "a queued the minion has asked for it"]);
    writing.resolve();
    await asking;
    assert.deepEqual([(answer as { jobs: JobLoad[] }).jobs.map(({ jid }) => jid), sent], [[job], []]);
  });

  test("what a minion says only once is acknowledged when it is written, though it was not when it was said first", async () => {
    const { presence, disk, services, publish, pass, saved } = bench();
    presence.heard("a", "tcp://a:1");
    const job = publish(["a"]);
    const say = () => minionJobs(services, { states: [[job, "started", BEGUN_UNWRITTEN]] }, "a");
    disk.full = true;
    await assert.rejects(say(), WithheldReply);
    disk.full = false;
    // Nothing of it is written before the ledger tries again.
    await assert.rejects(say(), WithheldReply);
    await pass(1000);
    await say();
    assert.deepEqual(saved, [`a started ${BEGUN_UNWRITTEN}`]);
  });
});
