/** The outcome of each target of a job, by a clock that the test moves. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { turns, until } from "../../../../bench/bed/until.ts";
import { BusEvent, EventBus } from "../../../../src/model/event/bus.ts";
import { ProtocolError, SystemError } from "../../../../src/base/errors.ts";
import type { JobCache, JobLoad } from "../../../../src/model/job/job_cache.ts";
import { BEGUN_UNWRITTEN, type TargetOutcome } from "../../../../src/model/job/outcome.ts";
import { JidGenerator } from "../../../../src/model/job/jid.ts";
import { JobStore } from "../../../../src/host/master/jobs/durable_saves.ts";
import { Ledger } from "../../../../src/host/master/jobs/ledger.ts";
import { Presence } from "../../../../src/host/master/presence.ts";
import { memoryJobCache } from "../../../../src/plugins/job_caches/memory.ts";
import { encode, Packed } from "../../../../src/protocol/wire/msgpack.ts";
import { captureLog } from "../../../support/capture_log.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const RESEND = 2000;
const DELIVERY = 60_000;
const LOST = 300_000;
const GATHER = 10_000;
const HOUR = 3_600_000;

/** A ledger over a job cache that can be made to fail, with the requests that it sends. */
class Desk {
  readonly clock = new FakeClock();
  readonly cache = memoryJobCache(() => this.clock.now());
  readonly captured = captureLog();
  readonly events: string[] = [];
  readonly sent: { jid: unknown; ids: readonly string[] }[] = [];
  readonly asked: { jid: string; ids: readonly string[] }[] = [];
  /** Syndics, and those that report how their minions stand. */
  syndics: string[] = [];
  readonly reporting = new Set<string>();
  /** Whether minions can be asked. */
  asks = true;
  /** The disk is full. */
  full = false;
  presence!: Presence;
  ledger!: Ledger;
  /** Has methods of the job cache fail. */
  breakJobs!: (broken: Partial<JobCache>) => void;
  readonly #jids = new JidGenerator(this.clock);

  constructor() {
    this.start();
  }

  /** A new master starts from the job cache. */
  start(): void {
    const { clock, cache, captured, events } = this;
    const bus = new EventBus(() => clock.now());
    bus.on(({ bytes }) => {
      const { tag, data } = BusEvent.fromBytes(bytes);
      events.push(`${tag.split("/").slice(-1)} ${data.outcome}`);
    });
    this.presence = new Presence(() => clock.now());
    const refuse = () => {
      if (this.full) throw new Error("no space left");
    };
    const jobs: JobCache = {
      ...cache,
      saveOutcomes: (jid: string, outcomes: readonly TargetOutcome[]) => {
        refuse();
        cache.saveOutcomes(jid, outcomes);
      },
      settle: (jid: string) => {
        refuse();
        cache.settle(jid);
      },
      flush: refuse,
    };
    this.breakJobs = (broken) => void Object.assign(jobs, broken);
    const store = new JobStore({ jobs, later: queueMicrotask, now: () => clock.now(), log: captured.log });
    this.ledger = new Ledger({
      jobs,
      clock,
      log: captured.log,
      bus,
      presence: this.presence,
      syndics: { ids: () => this.syndics, isReporting: (id) => this.reporting.has(id) },
      send: ({ jid }, ids) => void this.sent.push({ jid, ids }),
      ask: (jid, ids) => {
        this.asked.push({ jid, ids });
        return Promise.resolve(this.asks);
      },
      durable: () => store.durable(),
      resendMs: RESEND,
      deliveryMs: DELIVERY,
      lostMs: LOST,
      gatherMs: GATHER,
    });
  }

  /** Moves the clock; the ledger checks once a second. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 1000) {
      this.clock.advance(Math.min(1000, left));
      this.ledger.tick();
      await undefined;
    }
    for (let turn = 0; turn < 10; turn++) await undefined;
  }

  /** Brine minions, connected. */
  here(...ids: string[]): void {
    for (const id of ids) {
      this.presence.heard(id, `tcp://${id}`);
      this.presence.markBrine(id);
    }
  }

  /** A minion asks for its jobs. */
  async given(id: string): Promise<string[]> {
    await this.ledger.offer(id);
    return this.ledger.present(id, new Set()).map(({ jid }) => String(jid));
  }

  gone(id: string): void {
    this.presence.left(`tcp://${id}`);
  }

  publish(ids: string[], options: { queueMs?: number; away?: string[]; jid?: string; fun?: string } = {}): string {
    const { queueMs, away = [], jid = this.#jids.next(), fun = "test.ping" } = options;
    const load: JobLoad = { jid, fun, arg: [], tgt: ids, tgt_type: "list", ret: "" };
    const before = this.cache.minions(jid);
    const kwargs = queueMs === undefined ? {} : { queue: queueMs / 1000 };
    this.cache.saveLoad(jid, { ...load, cmd: "publish", kwargs }, [...new Set([...before, ...ids])]);
    const queued = queueMs === undefined ? undefined : { ids: new Set(away), untilMs: this.clock.now() + queueMs };
    this.ledger.open(jid, load, ids, queued === undefined ? {} : { queued });
    this.ledger.confirm(jid);
    return jid;
  }

  returns(jid: string, minion: string, retcode = 0): void {
    const value = new Packed(encode(true, "bin"));
    this.ledger.returned(jid, minion);
    this.cache.saveReturn(jid, { minion, return: value, retcode, success: retcode === 0, storedMs: this.clock.now() });
    this.ledger.stored(jid);
  }

  async state(jid: string): Promise<Record<string, string>> {
    return Object.fromEntries((await this.ledger.outcomes(jid)).map(({ minion, state }) => [minion, state]));
  }

  async note(jid: string, id: string): Promise<string | undefined> {
    return (await this.ledger.outcomes(jid)).find(({ minion }) => minion === id)?.note;
  }
}

describe("Ledger", () => {
  test("the end of a target is told of once it is on the disk, and not if its return has come meanwhile", async () => {
    const desk = new Desk();
    desk.here("a", "b");
    const jid = desk.publish(["a", "b"]);
    desk.full = true;
    await desk.pass(DELIVERY + 1000);
    assert.deepEqual(desk.events, []);
    assert.deepEqual(await desk.state(jid), { a: "published", b: "published" });
    desk.returns(jid, "b");
    desk.full = false;
    await desk.pass(2000);
    assert.deepEqual(desk.events, ["a timed out"]);
    assert.deepEqual(await desk.state(jid), { a: "timed out", b: "returned" });
  });

  test("an outcome whose return was lost with the power is not the end", async () => {
    const desk = new Desk();
    desk.here("a");
    const jid = desk.publish(["a"]);
    desk.cache.saveOutcomes(jid, [{ minion: "a", state: "returned", atMs: desk.clock.now() }]);
    desk.start();
    await desk.ledger.restore();
    assert.equal(desk.ledger.awaitsEnd(jid, "a"), true);
    desk.here("a");
    desk.ledger.present("a", new Set());
    await desk.pass(1000);
    assert.deepEqual(await desk.state(jid), { a: "lost" });
  });

  for (const restarted of [false, true]) {
    test(`a job whose beginning only the master knows is not run again${restarted ? ", nor after its restart" : ""}`, async () => {
      const desk = new Desk();
      desk.here("a", "b");
      const jid = desk.publish(["a", "b"]);
      desk.ledger.started(jid, "a");
      desk.ledger.started(jid, "b");
      desk.ledger.started(jid, "a", BEGUN_UNWRITTEN);
      await desk.pass(1000);
      if (restarted) {
        desk.start();
        await desk.ledger.restore();
      }
      for (const id of ["a", "b"]) {
        assert.equal(await desk.ledger.notBegun(id, [jid, "20240506070809000001"]), true);
      }
      assert.deepEqual(await desk.state(jid), { a: "lost", b: "started" });
      assert.match(await desk.note(jid, "a") ?? "", /could not write down/);
      assert.equal(desk.ledger.awaitsEnd(jid, "a"), false);
      assert.equal(desk.ledger.awaitsEnd(jid, "b"), true);
    });
  }

  test("a job is closed when its last target has returned", async () => {
    const desk = new Desk();
    desk.here("a", "b");
    const jid = desk.publish(["a", "b"]);
    desk.returns(jid, "a");
    assert.deepEqual(await desk.state(jid), { a: "returned", b: "published" });
    assert.equal(desk.ledger.standing(jid, "a"), "returned before");
    assert.equal(desk.ledger.standing(jid, "b"), "expected");
    assert.equal(desk.ledger.standing(jid, "c"), "not a target");
    desk.returns(jid, "b", 2);
    assert.deepEqual(await desk.state(jid), { a: "returned", b: "failed" });
    assert.equal(desk.ledger.size, 0);
    assert.equal(desk.ledger.standing(jid, "a"), "closed");
    assert.deepEqual(desk.cache.unsettled(), []);
  });

  test("a job is sent again, ever more rarely, to connected minions that have not acknowledged it", async () => {
    const desk = new Desk();
    desk.here("a", "b", "c", "away");
    desk.presence.heard("real", "tcp://real");
    const jid = desk.publish(["a", "b", "c", "away", "real"]);
    desk.gone("away");
    desk.ledger.started(jid, "a");
    await desk.pass(RESEND);
    assert.deepEqual(desk.sent, [{ jid, ids: ["b", "c"] }]);
    desk.returns(jid, "b");
    await desk.pass(2 * RESEND);
    assert.deepEqual(desk.sent.slice(1), [{ jid, ids: ["c"] }]);
    desk.sent.length = 0;
    await desk.pass(DELIVERY - 3 * RESEND);
    assert.equal(desk.sent.length, 2, "after 8 and 16 seconds more");
    assert.deepEqual(await desk.state(jid), {
      a: "started",
      away: "lost",
      b: "returned",
      c: "timed out",
      real: "published",
    });
  });

  test("a minion that works through earlier jobs is not sent the later ones again until it falls silent", async () => {
    const desk = new Desk();
    desk.here("a", "b");
    const jids = Array.from({ length: 9 }, () => desk.publish(["a"]));
    const other = desk.publish(["a", "b"]);
    const sent = () => desk.sent.splice(0).map(({ jid, ids }) => [jid, ...ids]);
    // One each second: it has a long queue, and later jobs wait for their turn.
    for (const jid of jids.slice(0, 6)) {
      desk.returns(jid, "a");
      await desk.pass(1000);
    }
    assert.deepEqual(sent(), [[other, "b"], [other, "b"]], "b has said nothing, after two seconds and four more");
    // It has returned one that came later than the seventh and the eighth, which must have been lost on their way.
    await desk.pass(7000);
    desk.returns(jids[8]!, "a");
    await desk.pass(1000);
    assert.deepEqual(sent(), [[jids[6], "a"], [jids[7], "a"], [other, "b"]]);
    await desk.pass(16_000);
    assert.deepEqual(sent(), [[jids[6], "a"], [jids[7], "a"], [other, "a", "b"]], "silent for as long as any other");
  });

  test("a job that is not acknowledged in time ends: timed out where the minion is connected, else lost with since", async () => {
    const desk = new Desk();
    desk.here("deaf", "gone");
    const jid = desk.publish(["deaf", "gone"]);
    await desk.pass(5000);
    const since = desk.clock.now();
    desk.gone("gone");
    await desk.pass(DELIVERY - 6000);
    assert.deepEqual(await desk.state(jid), { deaf: "published", gone: "published" });
    await desk.pass(1000);
    assert.deepEqual(await desk.state(jid), { deaf: "timed out", gone: "lost" });
    const [, lost] = await desk.ledger.outcomes(jid);
    assert.equal(lost!.sinceMs, since);
    assert.deepEqual(desk.events, ["deaf timed out", "gone lost"]);
    assert.equal(desk.ledger.size, 0);
  });

  test("a return that comes late is expected, and counts for more, while the job is open and after it", async () => {
    const desk = new Desk();
    desk.here("deaf", "other");
    const jid = desk.publish(["deaf", "other"]);
    desk.ledger.started(jid, "other");
    await desk.pass(DELIVERY);
    assert.deepEqual(await desk.state(jid), { deaf: "timed out", other: "started" });
    assert.equal(desk.ledger.standing(jid, "deaf"), "expected");
    desk.returns(jid, "deaf");
    assert.deepEqual(await desk.state(jid), { deaf: "returned", other: "started" });
    assert.equal(desk.ledger.standing(jid, "deaf"), "returned before");
    assert.equal(desk.ledger.size, 1);
  });

  test("a minion that goes away during a job is lost after that time, and not when it comes back before", async () => {
    const desk = new Desk();
    desk.here("a", "b");
    const jid = desk.publish(["a", "b"]);
    for (const id of ["a", "b"]) {
      desk.ledger.started(jid, id);
      desk.gone(id);
    }
    await desk.pass(LOST - 10_000);
    desk.here("b");
    await desk.pass(20_000);
    assert.deepEqual(await desk.state(jid), { a: "lost", b: "started" });
    assert.equal(await desk.note(jid, "a"), "the minion disconnected during the job");
    await desk.pass(HOUR);
    assert.deepEqual(
      await desk.state(jid),
      { a: "lost", b: "started" },
      "whoever is there may work as long as it likes",
    );
  });

  test("minions that cannot acknowledge are asked: busy is started, idle is timed out, no answer is lost", async () => {
    const desk = new Desk();
    for (const id of ["busy", "idle", "mute"]) desk.presence.heard(id, `tcp://${id}`);
    const jid = desk.publish(["busy", "idle", "mute"]);
    await desk.pass(DELIVERY - 1000);
    assert.deepEqual(desk.asked, []);
    await desk.pass(1000);
    assert.deepEqual(desk.asked, [{ jid, ids: ["busy", "idle", "mute"] }]);
    desk.ledger.foundJob(jid, "busy", true);
    desk.ledger.foundJob(jid, "idle", false);
    await desk.pass(GATHER);
    assert.deepEqual(await desk.state(jid), { busy: "started", idle: "timed out", mute: "lost" });
    await desk.pass(2 * DELIVERY - GATHER);
    assert.deepEqual(desk.asked.slice(1), [{ jid, ids: ["busy"] }]);
    desk.ledger.foundJob(jid, "busy", false);
    await desk.pass(GATHER);
    assert.deepEqual(await desk.state(jid), { busy: "timed out", idle: "timed out", mute: "lost" });
  });

  test("a missing answer of minions that could not be asked changes nothing", async () => {
    const desk = new Desk();
    desk.presence.heard("real", "tcp://real");
    desk.asks = false;
    const jid = desk.publish(["real"]);
    await desk.pass(DELIVERY + 2 * GATHER);
    assert.deepEqual(await desk.state(jid), { real: "published" });
    assert.ok(desk.asked.length > 1);
    desk.asks = true;
    await desk.pass(2 * GATHER);
    assert.deepEqual(await desk.state(jid), { real: "lost" });
  });

  test("the job that asks the minions is not asked about itself", async () => {
    const desk = new Desk();
    desk.presence.heard("there", "tcp://there");
    const jid = desk.publish(["there", "nowhere"], { fun: "saltutil.find_job" });
    await desk.pass(DELIVERY);
    assert.deepEqual(desk.asked, []);
    assert.deepEqual(await desk.state(jid), { nowhere: "lost", there: "timed out" });
  });

  test("a job ends for a minion that is known to be Brine's only after the delivery time, to a restarted master", async () => {
    const desk = new Desk();
    const jid = desk.publish(["late"]);
    // Asked as one of real Salt's, of which nothing is known; the question is answered by nobody.
    desk.asks = false;
    await desk.pass(DELIVERY + 1000);
    assert.deepEqual(await desk.state(jid), { late: "published" });
    desk.here("late");
    assert.deepEqual(desk.ledger.present("late", new Set()), []);
    await desk.pass(DELIVERY);
    assert.deepEqual(await desk.state(jid), { late: "timed out" });
    assert.deepEqual(desk.sent, []);
  });

  test("a queued job is sent to a minion that reconnects, and stays queued until it acknowledges it", async () => {
    const desk = new Desk();
    const jid = desk.publish(["a"], { queueMs: HOUR, away: ["a"] });
    assert.deepEqual(await desk.state(jid), { a: "queued" });
    await desk.pass(DELIVERY * 2);
    assert.deepEqual(desk.sent, []);
    desk.here("a");
    assert.deepEqual(desk.ledger.present("a", new Set()), [], "not before it is noted that the minion may have it");
    await desk.ledger.offer("a");
    const [load] = desk.ledger.present("a", new Set());
    assert.deepEqual(load, {
      jid,
      fun: "test.ping",
      arg: [],
      tgt: ["a"],
      tgt_type: "list",
      ret: "",
      delivery: { queued: true },
    });
    assert.equal(desk.ledger.present("a", new Set()).length, 1, "the answer may have been lost");
    desk.ledger.present("a", new Set([jid]));
    assert.deepEqual(await desk.state(jid), { a: "started" });
    assert.deepEqual(desk.ledger.present("a", new Set([jid])), []);
    desk.returns(jid, "a");
    assert.deepEqual(await desk.state(jid), { a: "returned" });
    assert.deepEqual(desk.cache.inState("queued"), []);
    assert.deepEqual(desk.cache.inState("started"), []);
  });

  describe("a queued job whose target only seems to be connected", () => {
    for (const restarted of [false, true]) {
      const how = restarted ? ", over a restart of the master" : "";

      test(`is kept for it until it reconnects, though it did not acknowledge it${how}`, async () => {
        const desk = new Desk();
        desk.here("a");
        const jid = desk.publish(["a"], { queueMs: HOUR });
        await desk.pass(20_000);
        assert.ok(desk.sent.length > 0, "it is sent again meanwhile");
        desk.gone("a");
        await desk.pass(DELIVERY);
        assert.deepEqual(await desk.state(jid), { a: "queued" });
        if (restarted) {
          desk.start();
          await desk.ledger.restore();
        }
        await desk.pass(10 * DELIVERY);
        desk.here("a");
        const [load] = desk.ledger.present("a", new Set());
        assert.deepEqual([load!.jid, load!.delivery], [jid, { queued: true }]);
        desk.ledger.present("a", new Set([jid]));
        desk.returns(jid, "a");
        assert.deepEqual(await desk.state(jid), { a: "returned" });
      });

      test(`is lost and not expired where it never reconnects, for it may have received it${how}`, async () => {
        const desk = new Desk();
        desk.here("a");
        const jid = desk.publish(["a"], { queueMs: HOUR });
        desk.gone("a");
        await desk.pass(DELIVERY);
        if (restarted) {
          desk.start();
          await desk.ledger.restore();
        }
        await desk.pass(HOUR - DELIVERY - 5000);
        assert.deepEqual(await desk.state(jid), { a: "queued" });
        await desk.pass(10_000);
        assert.deepEqual(await desk.state(jid), { a: "lost" });
        assert.equal(await desk.note(jid, "a"), "the minion disconnected before it received the job");
      });
    }

    test("is sent again for as long as it is queued while it stays, and then timed out", async () => {
      const desk = new Desk();
      desk.here("a");
      const jid = desk.publish(["a"], { queueMs: HOUR });
      await desk.pass(2 * DELIVERY);
      desk.sent.length = 0;
      await desk.pass(DELIVERY);
      assert.deepEqual(desk.sent.map(({ ids }) => ids), [["a"], ["a"]]);
      assert.deepEqual(await desk.state(jid), { a: "published" });
      await desk.pass(HOUR);
      assert.deepEqual(await desk.state(jid), { a: "timed out" });
    });
  });

  test("a queued job expires, and can be cancelled for one minion or all", async () => {
    const desk = new Desk();
    const expiring = desk.publish(["a"], { queueMs: 10_000, away: ["a"] });
    const cancelled = desk.publish(["a", "b", "c"], { queueMs: HOUR, away: ["a", "b"] });
    desk.here("c");
    await desk.pass(9000);
    assert.deepEqual(await desk.state(expiring), { a: "queued" });
    await desk.pass(1000);
    assert.deepEqual(await desk.state(expiring), { a: "expired" });
    assert.deepEqual(desk.ledger.dequeue(cancelled, "a"), ["a"]);
    assert.deepEqual(await desk.state(cancelled), { a: "cancelled", b: "queued", c: "published" });
    assert.deepEqual(desk.ledger.dequeue(cancelled), ["b"]);
    assert.deepEqual(desk.ledger.dequeue(cancelled), []);
    assert.deepEqual(await desk.state(cancelled), { a: "cancelled", b: "cancelled", c: "published" });
    assert.equal(await desk.note(cancelled, "a"), "taken from the queue");
  });

  test("jobs for a minion come oldest first; those of real Salt's count as published when they are sent", async () => {
    const desk = new Desk();
    const first = desk.publish(["a"], { queueMs: HOUR, away: ["a"] });
    const second = desk.publish(["a"], { queueMs: HOUR, away: ["a"] });
    assert.equal(desk.ledger.awaits("a"), true);
    assert.deepEqual(desk.ledger.take("a"), [], "not before it is noted that the minion may have them");
    await desk.ledger.offer("a");
    assert.deepEqual(desk.ledger.take("a").map(({ jid }) => jid), [first, second]);
    assert.equal(desk.ledger.awaits("a"), false);
    assert.deepEqual(await desk.state(second), { a: "published" });
    await desk.pass(DELIVERY + GATHER);
    assert.deepEqual(await desk.state(second), { a: "lost" });
  });

  test("a queued job that was sent before its minion has said that it is Brine's is given to it when it asks", async () => {
    const desk = new Desk();
    const jid = desk.publish(["a"], { queueMs: HOUR, away: ["a"] });
    // Its first command was a return of before: it counted as a minion of real Salt.
    await desk.ledger.offer("a");
    assert.deepEqual(desk.ledger.take("a").map((load) => load.jid), [jid]);
    desk.here("a");
    assert.deepEqual(desk.ledger.present("a", new Set()).map((load) => load.jid), [jid]);
    assert.deepEqual(await desk.state(jid), { a: "published" });
  });

  test("a job that its minion had started and no longer knows is lost", async () => {
    const desk = new Desk();
    desk.here("a");
    const jid = desk.publish(["a"]);
    desk.ledger.started(jid, "a");
    assert.deepEqual(desk.ledger.present("a", new Set()), []);
    assert.deepEqual(await desk.state(jid), { a: "lost" });
    assert.equal(await desk.note(jid, "a"), "the minion no longer knows the job");
  });

  for (
    const [what, says] of [
      ["has run it before", (desk: Desk, jid: string) => desk.ledger.ranBefore(jid, "a")],
      ["does not know it", (desk: Desk, jid: string) => desk.ledger.says("a", jid, "unknown", "")],
      ["works on other jobs", (desk: Desk) => void desk.ledger.present("a", new Set())],
    ] as const
  ) {
    test(`a job whose return is stored is not lost because its minion ${what}: nobody has told this master of it yet`, async () => {
      const desk = new Desk();
      desk.here("a");
      const jid = desk.publish(["a"]);
      desk.ledger.started(jid, "a");
      const value = new Packed(encode("done", "bin"));
      await desk.cache.saveReturn(jid, { minion: "a", return: value, retcode: 0, success: true, storedMs: 0 });
      says(desk, jid);
      await turns(3);
      assert.deepEqual(desk.captured.complaints(), []);
      assert.equal(desk.ledger.standing(jid, "a"), "expected");
      const released = desk.ledger.returned(jid, "a");
      released();
      assert.deepEqual(await desk.state(jid), { a: "returned" });
    });
  }

  test("a job that an operator killed on the minion is cancelled", async () => {
    const desk = new Desk();
    desk.here("a");
    const jid = desk.publish(["a"]);
    desk.ledger.cancelled(jid, "a", "The job was ended by signal 15");
    assert.deepEqual(await desk.state(jid), { a: "cancelled" });
    assert.equal(await desk.note(jid, "a"), "The job was ended by signal 15");
    assert.equal(desk.ledger.size, 0);
  });

  test("more targets under a jid join its job; the outcomes of the first ones stay", async () => {
    const desk = new Desk();
    desk.here("a", "b");
    const jid = desk.publish(["a"]);
    desk.ledger.started(jid, "a");
    desk.publish(["a", "b"], { jid });
    assert.deepEqual(await desk.state(jid), { a: "started", b: "published" });
    desk.returns(jid, "a");
    desk.returns(jid, "b");
    assert.equal(desk.ledger.size, 0);
    assert.deepEqual(desk.cache.unsettled(), []);
  });

  test("open() can be undone: a new job is forgotten, an open one is as before, except for later returns", async () => {
    const desk = new Desk();
    desk.here("a", "b");
    const load: JobLoad = { fun: "test.ping" };
    desk.ledger.open("20240506070809000001", load, ["a"])();
    assert.equal(desk.ledger.size, 0);
    const jid = desk.publish(["a", "b"]);
    const undo = desk.ledger.open(jid, load, ["a", "b", "c"]);
    desk.returns(jid, "a");
    undo();
    assert.equal(desk.ledger.standing(jid, "a"), "returned before");
    assert.equal(desk.ledger.standing(jid, "b"), "expected");
    assert.equal(desk.ledger.standing(jid, "c"), "not a target");
    desk.returns(jid, "b");
    assert.equal(desk.ledger.size, 0);
  });

  test("no event of a job is fired before it is recorded", async () => {
    const desk = new Desk();
    desk.here("a");
    const jid = "20240506070809000001";
    desk.ledger.open(jid, { jid, fun: "test.ping" }, ["a"]);
    await desk.pass(RESEND);
    assert.deepEqual(desk.sent, []);
    assert.deepEqual(desk.ledger.present("a", new Set()), []);
    desk.ledger.confirm(jid);
    assert.equal(desk.ledger.present("a", new Set()).length, 1);
  });

  test("returned() can be undone when the return could not be stored", async () => {
    const desk = new Desk();
    desk.here("a");
    const jid = desk.publish(["a"]);
    const undo = desk.ledger.returned(jid, "a");
    assert.equal(desk.ledger.standing(jid, "a"), "returned before");
    undo();
    assert.equal(desk.ledger.standing(jid, "a"), "expected");
    await desk.pass(RESEND);
    assert.deepEqual(desk.sent, [{ jid, ids: ["a"] }]);
  });

  test("outcomes that the job cache cannot store are saved when it can, and none replaces a later one", async () => {
    const desk = new Desk();
    desk.here("a", "b");
    const jid = desk.publish(["a", "b"]);
    desk.full = true;
    desk.ledger.started(jid, "a");
    desk.ledger.cancelled(jid, "b", "ended");
    await desk.pass(3000);
    desk.ledger.cancelled(jid, "a", "ended too");
    await desk.pass(3000);
    assert.deepEqual(desk.cache.outcomes(jid), []);
    assert.deepEqual(desk.cache.unsettled(), [jid]);
    desk.full = false;
    await desk.pass(2000);
    assert.deepEqual(desk.cache.outcomes(jid).map(({ minion, state }) => [minion, state]), [["a", "cancelled"], [
      "b",
      "cancelled",
    ]]);
    assert.deepEqual(desk.cache.unsettled(), []);
  });

  for (const by of [HOUR, -HOUR]) {
    test(`a clock that is set ${by > 0 ? "forward" : "back"} ends nothing before its time, and nothing after it`, async () => {
      const desk = new Desk();
      desk.here("silent", "working", "away");
      const jid = desk.publish(["silent", "working", "away"]);
      const queued = desk.publish(["later"], { queueMs: 600_000, away: ["later"] });
      desk.ledger.started(jid, "working");
      desk.ledger.started(jid, "away");
      desk.gone("away");
      await desk.pass(5000);
      desk.clock.set(desk.clock.now() + by);
      await desk.pass(DELIVERY - 10_000);
      assert.deepEqual(await desk.state(jid), { away: "started", silent: "published", working: "started" });
      assert.deepEqual(await desk.state(queued), { later: "queued" });
      await desk.pass(10_000);
      assert.deepEqual(await desk.state(jid), { away: "started", silent: "timed out", working: "started" });
      await desk.pass(LOST - DELIVERY + 10_000);
      assert.deepEqual(await desk.state(jid), { away: "lost", silent: "timed out", working: "started" });
      await desk.pass(600_000 - LOST);
      assert.deepEqual(await desk.state(queued), { later: "expired" });
    });
  }

  describe("restore()", () => {
    test("restores every state; a minion that reconnects reports before its outcome changes", async () => {
      const desk = new Desk();
      desk.here("returned", "failed", "started", "published", "ended");
      const jid = desk.publish(["returned", "failed", "started", "published", "ended"]);
      const queued = desk.publish(["queued"], { queueMs: HOUR, away: ["queued"] });
      const over = desk.publish(["returned"]);
      desk.returns(jid, "returned");
      desk.returns(jid, "failed", 1);
      desk.ledger.started(jid, "started");
      desk.ledger.cancelled(jid, "ended", "ended");
      desk.returns(over, "returned");
      // Away for longer than it may take to deliver a job.
      desk.clock.advance(10 * DELIVERY);
      desk.start();
      assert.equal(await desk.ledger.restore(), 2);
      const states = {
        ended: "cancelled",
        failed: "failed",
        published: "published",
        returned: "returned",
        started: "started",
      };
      await desk.pass(20_000);
      assert.deepEqual(await desk.state(jid), states);
      assert.deepEqual(desk.asked, []);
      assert.equal(desk.ledger.standing(jid, "returned"), "returned before");
      assert.equal(desk.ledger.standing(jid, "failed"), "returned before");
      assert.equal(desk.ledger.standing(jid, "ended"), "expected", "a late return is taken");
      desk.here("started", "published", "queued");
      assert.deepEqual(desk.ledger.present("started", new Set([jid])), []);
      assert.deepEqual(desk.ledger.present("published", new Set()), [], "too old to be begun");
      assert.deepEqual(await desk.given("queued"), [queued]);
      await desk.pass(15_000);
      assert.deepEqual(await desk.state(jid), { ...states, published: "timed out" });
    });

    test("a job that was published a moment ago is started after a restart", async () => {
      const desk = new Desk();
      const jid = desk.publish(["a"]);
      desk.clock.advance(5000);
      desk.start();
      await desk.ledger.restore();
      desk.here("a");
      assert.deepEqual(desk.ledger.present("a", new Set()).map(({ jid }) => jid), [jid]);
    });

    test("minions that do not reconnect are lost, also those that had started a job", async () => {
      const desk = new Desk();
      desk.here("began", "had not");
      const jid = desk.publish(["began", "had not"]);
      desk.ledger.started(jid, "began");
      desk.start();
      await desk.ledger.restore();
      await desk.pass(DELIVERY + GATHER);
      assert.deepEqual(await desk.state(jid), { began: "lost", "had not": "lost" });
    });

    for (
      const [what, damage] of [
        ["whose record is not msgpack", {
          load: () => {
            throw new ProtocolError("Cannot unpack a value: 0xc1 is not a msgpack type");
          },
        }],
        ["whose record is nothing", { load: () => null as unknown as JobLoad }],
        ["whose targets are none", { minions: () => [...7 as unknown as string[]] }],
        ["whose outcomes are none", { outcomes: () => [null as unknown as TargetOutcome] }],
      ] as [string, Partial<JobCache>][]
    ) {
      test(`a job ${what} is ended, named, and holds no other up`, async () => {
        const desk = new Desk();
        const bad = desk.publish(["a"]);
        const good = desk.publish(["a"]);
        desk.start();
        for (const [name, broken] of Object.entries(damage) as ["load", () => JobLoad][]) {
          const sound = desk.cache[name];
          desk.breakJobs({ [name]: (jid: string) => jid === bad ? broken() : sound(jid) });
        }
        assert.equal(await desk.ledger.restore(), 1);
        assert.equal(desk.ledger.loadOf(bad), undefined);
        assert.notEqual(desk.ledger.loadOf(good), undefined);
        await until(() => !desk.cache.unsettled().includes(bad));
        assert.ok(desk.captured.complaints().some((line) => line.startsWith("stored job not sent")));
      });
    }

    test("a job is restored by who has returned it, without the values", async () => {
      const desk = new Desk();
      const jid = desk.publish(["a", "b"]);
      desk.returns(jid, "a");
      desk.start();
      desk.breakJobs({
        returned: (asked) => desk.cache.returns(asked).map(({ minion }) => minion),
        returns: () => {
          throw new SystemError("ECONNREFUSED", "Cannot read so much in time");
        },
      });
      assert.equal(await desk.ledger.restore(), 1);
      assert.deepEqual(["a", "b"].map((id) => desk.ledger.standing(jid, id)), ["returned before", "expected"]);
    });

    test("a queued job whose time is over is sent to nobody, also before that is noticed", async () => {
      const desk = new Desk();
      const jid = desk.publish(["a"], { queueMs: HOUR, away: ["a"] });
      desk.clock.advance(HOUR + 1);
      desk.start();
      await desk.ledger.restore();
      assert.equal(desk.ledger.offer("a"), undefined);
      assert.deepEqual(desk.ledger.present("a", new Set()), []);
      assert.deepEqual(desk.ledger.take("a"), []);
      await desk.pass(1000);
      assert.deepEqual(await desk.state(jid), { a: "expired" });
    });

    test("a queued job that a minion has asked for a moment before is waited for, and is not said to have expired", async () => {
      for (const isBack of [true, false]) {
        const desk = new Desk();
        const jid = desk.publish(["a", "b"], { queueMs: 10_000, away: ["a", "b"] });
        desk.here("a");
        assert.deepEqual(await desk.given("a"), [jid]);
        desk.clock.advance(20_000);
        desk.start();
        await desk.ledger.restore();
        await desk.pass(20_000);
        assert.deepEqual(await desk.state(jid), { a: "queued", b: "expired" });
        desk.here("a");
        assert.deepEqual(await desk.given("a"), [], "too old to be begun");
        if (isBack) desk.ledger.present("a", new Set([jid]));
        await desk.pass(12_000);
        assert.deepEqual(await desk.state(jid), { a: isBack ? "started" : "lost", b: "expired" });
      }
    });

    test("a failure of the job cache ends no job: it is thrown, and what is asked for again is restored", async () => {
      const desk = new Desk();
      const jid = desk.publish(["a"]);
      desk.start();
      desk.breakJobs({
        minions: () => {
          desk.breakJobs({ minions: desk.cache.minions });
          throw new SystemError("ECONNREFUSED", "Cannot use the job cache");
        },
      });
      await assert.rejects(desk.ledger.restore(), /Cannot use the job cache/);
      assert.equal(await desk.ledger.restore(), 1);
      assert.notEqual(desk.ledger.loadOf(jid), undefined);
    });

    test("a job that is abandoned while it is being restored is not this master's any more", async () => {
      const desk = new Desk();
      const jid = desk.publish(["a"]);
      desk.start();
      desk.breakJobs({
        returns: (asked) => {
          desk.ledger.abandon();
          return desk.cache.returns(asked);
        },
      });
      await desk.ledger.restore();
      assert.equal(desk.ledger.loadOf(jid), undefined);
      assert.deepEqual(desk.cache.unsettled(), [jid]);
    });

    test("jobs of which all targets have ended are settled", async () => {
      const desk = new Desk();
      const jid = desk.publish(["a"]);
      const value = new Packed(encode(true, "bin"));
      desk.cache.saveReturn(jid, { minion: "a", return: value, retcode: 0, success: true, storedMs: desk.clock.now() });
      desk.start();
      assert.equal(await desk.ledger.restore(), 0);
      await until(() => desk.cache.unsettled().length === 0);
    });
  });
});
