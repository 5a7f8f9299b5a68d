/** Which of several masters a minion serves, and when it leaves it for another: under a clock that a test moves. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../../bench/bed/until.ts";
import { type Candidate, Failover, type FailoverTimes } from "../../../src/host/minion/failover.ts";
import { RejectedError } from "../../../src/host/minion/sign_in.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";

/** A master that lets the minion in, or refuses it, as a test says. */
class Master implements Candidate {
  readonly host: string;
  readonly bed: Bed;
  /** Why it does not let the minion in. */
  refusal: Error | undefined;
  /** Does not reply to questions. */
  silent = false;
  tries = 0;
  open = false;

  constructor(host: string, bed: Bed) {
    this.host = host;
    this.bed = bed;
  }

  get address(): string {
    return `tcp://${this.host}:4506`;
  }

  tryToOpen(): Promise<void> {
    this.tries++;
    if (this.refusal !== undefined) return Promise.reject(this.refusal);
    this.open = true;
    return Promise.resolve();
  }

  leave(): Promise<void> {
    this.open = false;
    return Promise.resolve();
  }

  ping(): Promise<void> {
    return this.silent || this.refusal !== undefined ? Promise.reject(new Error("no reply")) : Promise.resolve();
  }

  /** Its stream of publications ends, and it lets nobody in. */
  lose(): void {
    this.refusal = new Error("connection refused");
    this.bed.failover.markConnected(this, false);
  }
}

class Bed implements Disposable {
  readonly clock = new FakeClock();
  readonly captured = captureLog();
  readonly masters: Master[];
  readonly failover: Failover<Master>;
  readonly served: string[] = [];
  readonly fired: string[] = [];
  readonly #stopping = new AbortController();
  readonly over: Promise<unknown>;

  constructor(opts: Partial<FailoverTimes> = {}, prepare: (masters: Master[]) => void = () => {}) {
    this.masters = ["a", "b", "c"].map((host) => new Master(host, this));
    prepare(this.masters);
    this.failover = new Failover({
      clock: this.clock,
      random: () => 1,
      log: this.captured.log,
      opts: {
        master_alive_interval: 0,
        master_failback: false,
        master_failback_interval: 0,
        auth_timeout: 5,
        acceptance_wait_time: 10,
        acceptance_wait_time_max: 0,
        ...opts,
      },
      candidates: this.masters,
      serve: (master) => Promise.resolve(void this.served.push(master.host)),
      fire: (tag, { master }) => void this.fired.push(`${tag} ${master}`),
    });
    this.over = this.failover.run(this.#stopping.signal).catch((error) => error);
  }

  /** Resolves once the minion serves so many masters, one after the other. */
  async serves(...hosts: string[]): Promise<void> {
    await until(() => this.served.length >= hosts.length);
    assert.deepEqual(this.served, hosts);
    assert.deepEqual(this.masters.filter(({ open }) => open).map(({ host }) => host), hosts.slice(-1));
  }

  [Symbol.dispose](): void {
    this.#stopping.abort();
  }
}

const away = new Error("connection refused");

describe("Failover", () => {
  test("serves the first master that lets the minion in, and connects to no other", async () => {
    using bed = new Bed({}, ([a]) => a!.refusal = away);
    await bed.serves("b");
    assert.deepEqual(bed.masters.map(({ tries }) => tries), [1, 1, 0]);
    assert.equal(bed.failover.current?.host, "b");
  });

  test("goes on to the next when the stream has ended and is not back in time", async () => {
    using bed = new Bed();
    await bed.serves("a");
    bed.masters[0]!.lose();
    await bed.clock.waiting(5000);
    assert.deepEqual(bed.fired, []);
    bed.clock.advance(5000);
    await bed.serves("a", "b");
    assert.deepEqual(bed.fired, ["__master_disconnected a"]);
    // The lost one comes last.
    bed.masters[1]!.lose();
    await bed.clock.waiting(5000);
    bed.clock.advance(5000);
    await bed.serves("a", "b", "c");
  });

  test("stays with a master whose stream is back in time", async () => {
    using bed = new Bed();
    await bed.serves("a");
    for (let time = 0; time < 3; time++) {
      bed.failover.markConnected(bed.masters[0]!, false);
      await bed.clock.waiting(5000);
      bed.clock.advance(4999);
      bed.failover.markConnected(bed.masters[0]!, true);
      await until(() => bed.clock.waits.length === 0);
    }
    assert.deepEqual([bed.served, bed.fired], [["a"], []]);
  });

  test("tries all of them again when none lets it in, and logs each reason once", async () => {
    using bed = new Bed({}, (masters) => masters.forEach((master) => master.refusal = away));
    for (const ms of [1000, 2000, 4000, 8000, 10_000, 10_000]) {
      await bed.clock.waiting(ms);
      bed.clock.advance(ms);
    }
    await bed.clock.waiting(10_000);
    assert.deepEqual(bed.masters.map(({ tries }) => tries), [7, 7, 7]);
    const warned = bed.captured.records.filter(({ level }) => level === "warning");
    assert.equal(warned.length, 3);
    bed.masters[2]!.refusal = undefined;
    bed.clock.advance(10_000);
    await bed.serves("c");
  });

  test("gives up only when every master has refused it for good", async () => {
    const rejected = new RejectedError("rejected", 77);
    using bed = new Bed({}, ([a, b, c]) => {
      a!.refusal = b!.refusal = rejected;
      c!.refusal = away;
    });
    await bed.clock.waiting(1000);
    bed.masters[2]!.refusal = rejected;
    bed.clock.advance(1000);
    assert.equal(await bed.over, rejected);
  });

  test("asks every master_alive_interval, and counts three silences as a loss", async () => {
    using bed = new Bed({ master_alive_interval: 30 });
    await bed.serves("a");
    await bed.clock.waiting(30_000);
    bed.clock.advance(30_000);
    await bed.clock.waiting(30_000);
    bed.masters[0]!.silent = true;
    bed.clock.advance(30_000);
    await bed.serves("a", "b");
    assert.match(bed.captured.text(), /3 requests/);
  });

  test("asks at once when an event of that master says that it is gone, and none of another", async () => {
    using bed = new Bed();
    await bed.serves("a");
    bed.masters[0]!.silent = true;
    bed.failover.suspect("b");
    await new Promise<void>((resolve) => queueMicrotask(resolve));
    bed.failover.suspect("a");
    await bed.serves("a", "b");
  });

  test("goes back to the first master once that lets it in, and leaves the other after that", async () => {
    using bed = new Bed({ master_failback: true, master_failback_interval: 60 }, ([a]) => a!.refusal = away);
    await bed.serves("b");
    await bed.clock.waiting(60_000);
    bed.clock.advance(60_000);
    await bed.clock.waiting(60_000);
    assert.deepEqual(bed.fired, []);
    bed.masters[0]!.refusal = undefined;
    bed.clock.advance(60_000);
    await bed.serves("b", "a");
    assert.deepEqual(bed.fired, ["__master_failback a"]);
  });

  test("stays where it is while the first master replies and does not let it in", async () => {
    using bed = new Bed({ master_failback: true, master_failback_interval: 60 }, ([a]) => a!.refusal = away);
    await bed.serves("b");
    bed.masters[0]!.ping = () => Promise.resolve();
    for (let look = 0; look < 3; look++) {
      await bed.clock.waiting(60_000);
      bed.clock.advance(60_000);
    }
    await bed.clock.waiting(60_000);
    assert.deepEqual(bed.served, ["b"]);
    assert.equal(bed.masters[1]!.open, true);
  });

  test("without master_failback it goes back only when an event asks for it", async () => {
    using bed = new Bed({ master_alive_interval: 30 }, ([a]) => a!.refusal = away);
    await bed.serves("b");
    bed.masters[0]!.refusal = undefined;
    await bed.clock.waiting(30_000);
    bed.clock.advance(30_000);
    await bed.clock.waiting(30_000);
    bed.failover.tryFirst("c");
    assert.deepEqual(bed.served, ["b"]);
    bed.failover.tryFirst("a");
    await bed.serves("b", "a");
  });

  test("ends when it is told to, whatever it is doing", async () => {
    for (const refusal of [undefined, away]) {
      const bed = new Bed({}, (masters) => masters.forEach((master) => master.refusal = refusal));
      if (refusal === undefined) await bed.serves("a");
      else await bed.clock.waiting(1000);
      bed[Symbol.dispose]();
      await bed.over;
      assert.deepEqual(bed.clock.waits, []);
    }
  });
});
