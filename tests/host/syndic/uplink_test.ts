/** What a syndic sends up: gathered, again until it is taken, and within bounds. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ForwardedJob, type SyndicLoad } from "../../../src/host/syndic/forwarded_job.ts";
import { ReturnMemory } from "../../../src/host/syndic/higher_master.ts";
import { Uplink, type UplinkOptions } from "../../../src/host/syndic/uplink.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const JID = "20240506070809123456";

/** An uplink whose master takes or refuses what a test says. */
class Bed {
  readonly clock = new FakeClock();
  readonly captured = captureLog();
  readonly memory = new ReturnMemory();
  readonly jobs = new Map<string, ForwardedJob>();
  readonly sent: SyndicLoad[] = [];
  /** Returns in the local job cache: id → value. */
  readonly stored = new Map<string, unknown>();
  takes = true;
  isBrine = true;
  readonly uplink: Uplink;
  #attempts = 0;
  #arrived = Promise.withResolvers<void>();

  constructor(more: Partial<UplinkOptions> = {}) {
    this.uplink = new Uplink({
      clock: this.clock,
      log: this.captured.log,
      random: () => 0.5,
      id: "synd",
      jobs: () => this.jobs.values(),
      isBrine: () => this.isBrine,
      readReturns: () => Promise.resolve(new Map([...this.stored].map(([id, value]) => [id, { return: value }]))),
      readLoad: () => Promise.resolve({ user: "ann" }),
      send: (load) => {
        this.#attempts++;
        this.#arrived.resolve();
        this.#arrived = Promise.withResolvers();
        if (!this.takes) return Promise.reject(new Error("No reply"));
        this.sent.push(load);
        return Promise.resolve(null);
      },
      onSent: (job) => {
        if (job.isOver) this.jobs.delete(job.jid);
      },
      release: (held) => this.memory.release(held),
      leastMs: 1000,
      mostMs: 2000,
      gatherMs: 500,
      ...more,
    });
  }

  job(jid = JID, load: SyndicLoad = { fun: "test.ping", tgt: "*" }, isLocal = false): ForwardedJob {
    const job = new ForwardedJob(jid, load, { atMs: this.clock.now(), isLocal });
    job.isPublished = true;
    job.isStale = false;
    this.jobs.set(jid, job);
    return job;
  }

  /** The master has heard of these minions of a job. */
  named(job: ForwardedJob, ...ids: string[]): void {
    job.expect(ids);
    job.needsNaming = false;
  }

  returned(job: ForwardedJob, id: string, value: unknown = true, size = 100): void {
    job.expect([id]);
    job.unsent.set(id, this.memory.hold({ return: value, retcode: 0 }, size));
    this.uplink.poke();
  }

  /** Resolves once so many requests were tried, while time passes. */
  async attempts(count: number): Promise<void> {
    while (this.#attempts < count) {
      const arrived = this.#arrived.promise;
      await Promise.race([arrived, this.turn()]);
      if (this.#attempts < count) this.clock.advance(100);
    }
    await this.turn();
  }

  async turn(): Promise<void> {
    for (let at = 0; at < 20; at++) await Promise.resolve();
  }

  returns(): string[] {
    const parts = this.sent.filter(({ cmd }) => cmd === "_syndic_return").flatMap(({ load }) => load as SyndicLoad[]);
    return parts.flatMap(({ return: map }) => Object.keys(map as SyndicLoad));
  }
}

describe("an uplink", () => {
  test("names the minions of a job before their returns, and forgets the job when all are there", async () => {
    const bed = new Bed();
    const job = bed.job();
    job.expect(["low1", "low2"]);
    bed.returned(job, "low1");
    await bed.attempts(2);
    assert.deepEqual(bed.sent[0], {
      cmd: "_minion_event",
      events: [{ tag: JID, data: { jid: JID, minions: ["low1", "low2"] } }],
      pretag: "syndic/synd",
    });
    assert.deepEqual(bed.returns(), ["low1"]);
    assert.equal(bed.jobs.size, 1);
    bed.returned(job, "low2");
    await bed.attempts(3);
    assert.equal(bed.jobs.size, 0);
    await bed.uplink.close();
  });

  test("tells a real master by both events that name the minions", async () => {
    const bed = new Bed();
    bed.isBrine = false;
    bed.job().expect(["low1"]);
    bed.uplink.poke();
    await bed.attempts(1);
    const tags = (bed.sent[0]!.events as SyndicLoad[]).map(({ tag }) => tag);
    assert.deepEqual(tags, [JID, `salt/job/${JID}/new`]);
    await bed.uplink.close();
  });

  test("gathers returns of a moment in one request, an entry for each job and outputter", async () => {
    const bed = new Bed();
    const [one, two] = [bed.job(), bed.job("20240506070809123457")];
    bed.named(one, "a", "b", "__proto__");
    bed.named(two, "c", "d");
    bed.returned(one, "a");
    await bed.attempts(1);
    for (const [job, id] of [[one, "b"], [one, "__proto__"], [two, "c"]] as const) bed.returned(job, id);
    two.unsent.set("d", bed.memory.hold({ return: 1, out: "highstate" }, 10));
    await bed.turn();
    assert.equal(bed.sent.length, 1);
    await bed.attempts(2);
    const parts = bed.sent[1]!.load as SyndicLoad[];
    assert.deepEqual(parts.map(({ jid, out, return: map }) => [jid, out, Object.keys(map as SyndicLoad)]), [
      [JID, undefined, ["b", "__proto__"]],
      ["20240506070809123457", undefined, ["c"]],
      ["20240506070809123457", "highstate", ["d"]],
    ]);
    await bed.uplink.close();
  });

  test("sends at once what completes a job, though the last request was a moment ago", async () => {
    const bed = new Bed();
    const job = bed.job();
    bed.named(job, "a", "b");
    bed.returned(job, "a");
    await bed.attempts(1);
    bed.returned(job, "b");
    await bed.turn();
    assert.deepEqual(bed.returns(), ["a"]);
    bed.uplink.wake();
    await bed.turn();
    assert.deepEqual(bed.returns(), ["a", "b"]);
    assert.equal(bed.jobs.size, 0);
    await bed.uplink.close();
  });

  test("sends again what was not taken, later each time, and at once when the master is back", async () => {
    const bed = new Bed();
    bed.takes = false;
    const job = bed.job();
    bed.returned(job, "low1");
    await bed.attempts(4);
    assert.deepEqual([...job.unsent.keys()], ["low1"]);
    assert.ok(bed.captured.records.some(({ message }) => message.startsWith("not accepted by the higher master")));
    bed.takes = true;
    bed.uplink.hurry();
    await bed.attempts(6);
    assert.deepEqual(bed.returns(), ["low1"]);
    assert.equal(bed.jobs.size, 0);
    await bed.uplink.close();
  });

  test("holds a bounded part of the returns in memory and reads the others from the job cache", async () => {
    const bed = new Bed();
    const job = bed.job();
    bed.named(job, "big", "lost");
    bed.stored.set("big", "from the cache");
    bed.returned(job, "big", "x", 32 * 1024 * 1024);
    assert.equal(job.unsent.get("big")?.result, undefined);
    bed.returned(job, "lost", "x", 32 * 1024 * 1024);
    await bed.attempts(1);
    const [part] = bed.sent[0]!.load as { return: Record<string, SyndicLoad> }[];
    assert.deepEqual(part!.return, { big: { return: "from the cache" } });
    assert.ok(
      bed.captured.records.some(({ message, fields }) =>
        /cannot be forwarded/.test(message) && fields?.minion === "lost"
      ),
    );
    await bed.uplink.close();
  });

  test("drops the oldest of other events when too many wait, and counts them", async () => {
    const bed = new Bed();
    bed.takes = false;
    for (let at = 0; at < 6000; at++) bed.uplink.event(`my/${at}`, {}, 10);
    await bed.attempts(1);
    assert.ok(bed.uplink.dropped >= 500, String(bed.uplink.dropped));
    bed.takes = true;
    bed.uplink.hurry();
    await bed.attempts(4);
    const tags = bed.sent.flatMap(({ events }) => (events as SyndicLoad[]).map(({ tag }) => tag));
    assert.equal(tags[0], `my/${bed.uplink.dropped}`);
    await bed.uplink.close();
  });

  test("passes on the load of a local job with its returns", async () => {
    const bed = new Bed();
    bed.returned(bed.job(JID, { fun: "test.ping" }, true), "low1");
    await bed.attempts(1);
    assert.deepEqual((bed.sent[0]!.load as SyndicLoad[])[0]!.load, { user: "ann" });
    await bed.uplink.close();
  });
});
