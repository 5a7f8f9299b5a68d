import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../bench/bed/until.ts";
import type { Bus, BusMessage, BusWire, StreamRecord } from "../../src/feature/cluster/bus.ts";
import { ClusterKey } from "../../src/feature/cluster/cluster_key.ts";
import { openBus } from "../../src/feature/cluster/sealed_bus.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { captureLog } from "../support/capture_log.ts";
import { PAIRS } from "../support/start_cluster.ts";

/** A server that carries buses, and what a stranger at it can do. */
export interface BusBed extends AsyncDisposable {
  runtime: Runtime;
  wire(): Promise<BusWire>;
  /** What strangers have seen of messages to all. */
  overheard(): Promise<Uint8Array[]>;
  /** A stranger publishes to all masters. */
  inject(bytes: Uint8Array): Promise<void>;
  /** A stranger appends to a stream. @param id by which the server takes a record that comes later for the same. @default none */
  injectRecord(stream: string, bytes: Uint8Array, id?: string): Promise<void>;
  /** The ids of a stream's records, as a stranger sees them, oldest first. */
  ids(stream: string): Promise<string[]>;
  /** What is in a stream. */
  records(stream: string): Promise<Uint8Array[]>;
  /** Takes the server away from all wires. */
  down(): Promise<void>;
  up(): Promise<void>;
}

/** One master at a bus, with what it has received. */
class Member implements AsyncDisposable {
  readonly bus: Bus;
  readonly messages: string[] = [];
  readonly records: StreamRecord[] = [];
  readonly missed: [string, number][] = [];
  recordsMissed = 0;
  readonly #waiting = new Set<{ holds: () => boolean; resolve: () => void }>();

  constructor(bus: Bus) {
    this.bus = bus;
    bus.onMissed((sender, count) => this.#look(() => this.missed.push([sender, count])));
    bus.onState(() => this.#look(() => {}));
  }

  listen(subject: string): void {
    this.bus.on(subject, (message) => this.#look(() => this.messages.push(shown(message))));
  }

  follow(stream: string): Promise<() => void> {
    return this.bus.follow(stream, {
      record: (record) => this.#look(() => this.records.push(record)),
      missed: (count) => this.#look(() => this.recordsMissed += count),
    });
  }

  #look(change: () => void): void {
    change();
    for (const one of this.#waiting) if (one.holds()) one.resolve();
  }

  /** Resolves once something holds, looked at when anything arrives. */
  async until(holds: () => boolean): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve) => this.#waiting.add({ holds, resolve }));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.bus.close();
  }
}

const text = new TextEncoder();
const shown = ({ sender, subject, bytes }: BusMessage) => `${sender} ${subject} ${new TextDecoder().decode(bytes)}`;
const read = ({ bytes }: { bytes: Uint8Array }) => new TextDecoder().decode(bytes);

/** What every {@link Bus} MUST do over a wire. @param why not to run it, if so */
export function busContract(name: string, make: () => Promise<BusBed>, why?: string): void {
  const it = (title: string, run: (bed: BusBed) => Promise<void>) =>
    test(title, { skip: why ?? false }, async () => {
      await using bed = await make();
      await run(bed);
    });
  const join = async (bed: BusBed, as: string, { pem = PAIRS.master.privatePem, cluster = "default" } = {}) => {
    const { runtime } = bed;
    const { crypto, clock } = runtime;
    const key = new ClusterKey(crypto, crypto.loadPrivateKey(pem), cluster);
    const later = (call: () => void) => runtime.later(call);
    const member = new Member(openBus({ wire: await bed.wire(), key, name: as, clock, log: captureLog().log, later }));
    member.listen("events");
    return member;
  };

  describe(`${name} Bus`, () => {
    it("send() reaches all others in order, and not the sender", async (bed) => {
      await using a = await join(bed, "a/1");
      await using b = await join(bed, "b/1");
      await using c = await join(bed, "c/1");
      await Promise.all([a, b, c].map(({ bus }) => bus.flush()));
      for (let n = 0; n < 100; n++) a.bus.send("events", text.encode(`${n}`));
      const want = Array.from({ length: 100 }, (_, n) => `a/1 events ${n}`);
      await b.until(() => b.messages.length >= 100);
      await c.until(() => c.messages.length >= 100);
      assert.deepEqual(b.messages, want);
      assert.deepEqual(c.messages, want);
      assert.deepEqual(a.messages, []);
    });

    it("send() to one reaches that one alone", async (bed) => {
      await using a = await join(bed, "a/1");
      await using b = await join(bed, "b/1");
      await using c = await join(bed, "c/1");
      await Promise.all([a, b, c].map(({ bus }) => bus.flush()));
      a.bus.send("events", text.encode("for b"), "b/1");
      a.bus.send("events", text.encode("for all"));
      await c.until(() => c.messages.length >= 1);
      await b.until(() => b.messages.length >= 2);
      assert.deepEqual(c.messages, ["a/1 events for all"]);
    });

    it("a message larger than the wire takes arrives whole", async (bed) => {
      await using a = await join(bed, "a/1");
      await using b = await join(bed, "b/1");
      await b.bus.flush();
      await b.follow("work");
      const large = "x".repeat(3_000_000);
      a.bus.send("events", text.encode(large));
      a.bus.send("events", text.encode("after"));
      await b.until(() => b.messages.length >= 2);
      assert.equal(b.messages[0]!.length, "a/1 events ".length + large.length);
      await a.bus.append("work", text.encode(large), 20_000);
      await b.until(() => b.records.length >= 1);
      assert.equal(read(b.records[0]!), large);
    });

    it("append() numbers records alike for all, and growing", async (bed) => {
      await using a = await join(bed, "a/1");
      await using b = await join(bed, "b/1");
      await Promise.all([a.follow("work"), b.follow("work")]);
      const numbers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 ? a : b).bus.append("work", text.encode(`${n}`), 20_000)),
      );
      await a.until(() => a.records.length >= 20);
      await b.until(() => b.records.length >= 20);
      assert.deepEqual(a.records, b.records);
      const seqs = a.records.map(({ seq }) => seq);
      assert.deepEqual(seqs, seqs.toSorted((one, other) => one - other));
      assert.deepEqual(new Set(numbers), new Set(seqs));
      assert.equal(await a.bus.last("work"), seqs.at(-1));
      assert.deepEqual(
        a.records.filter(({ sender }) => sender === "a/1").map(read),
        ["1", "3", "5", "7", "9", "11", "13", "15", "17", "19"],
      );
    });

    it("a stream survives its server: nothing is lost, nothing comes twice, and numbers grow", async (bed) => {
      await using a = await join(bed, "a/1");
      await using b = await join(bed, "b/1");
      await b.follow("work");
      await a.bus.append("work", text.encode("before"), 20_000);
      await b.until(() => b.records.length >= 1);
      await bed.down();
      await a.until(() => !a.bus.state.connected);
      const during = a.bus.append("work", text.encode("during"), 60_000);
      await bed.up();
      await a.until(() => a.bus.state.connected);
      await during;
      await a.bus.append("work", text.encode("after"), 60_000);
      await b.until(() => b.records.length >= 3);
      assert.deepEqual(b.records.map(read), ["before", "during", "after"]);
      assert.equal(b.recordsMissed, 0);
      assert.ok(b.records[0]!.seq < b.records[1]!.seq && b.records[1]!.seq < b.records[2]!.seq);
    });

    it("append() rejects in time without a server", async (bed) => {
      await using a = await join(bed, "a/1");
      await bed.down();
      await a.until(() => !a.bus.state.connected);
      await assert.rejects(a.bus.append("work", text.encode("x"), 0), {
        code: "ETIMEDOUT",
        message: /Cannot append to "work"/,
      });
      await bed.up();
    });

    it("what could not be sent is told to be missing, once others hear of the sender again", async (bed) => {
      await using a = await join(bed, "a/1");
      await using b = await join(bed, "b/1");
      await b.bus.flush();
      a.bus.send("events", text.encode("before"));
      await b.until(() => b.messages.length >= 1);
      await bed.down();
      await a.until(() => !a.bus.state.connected);
      for (let n = 0; n < 3; n++) a.bus.send("events", text.encode("lost"));
      await a.bus.flush();
      assert.equal(a.bus.counts.dropped, 3);
      await bed.up();
      await a.until(() => a.bus.state.connected);
      await b.until(() => b.bus.state.connected);
      await b.bus.flush();
      a.bus.send("events", text.encode("after"));
      await b.until(() => b.missed.length >= 1);
      assert.deepEqual(b.missed, [["a/1", 3]]);
      await b.until(() => b.messages.length >= 2);
      assert.deepEqual(b.messages, ["a/1 events before", "a/1 events after"]);
    });

    it("a stranger at the server reads nothing", async (bed) => {
      await using a = await join(bed, "a/1");
      await using b = await join(bed, "b/1");
      await b.bus.flush();
      a.bus.send("events", text.encode("the secret of web1"));
      await a.bus.append("work", text.encode("the secret of web1"), 20_000);
      await b.until(() => b.messages.length >= 1);
      const seen = [...await bed.overheard(), ...await bed.records("work")];
      assert.ok(seen.length >= 2);
      for (const bytes of seen) assert.ok(!new TextDecoder().decode(bytes).includes("secret"));
    });

    it("what a stranger sends, repeats, alters or puts elsewhere is refused", async (bed) => {
      await using a = await join(bed, "a/1");
      await using b = await join(bed, "b/1");
      await b.bus.flush();
      await b.follow("work");
      await b.follow("other");
      a.bus.send("events", text.encode("once"));
      await a.bus.append("work", text.encode("once"), 20_000);
      await b.until(() => b.messages.length >= 1 && b.records.length >= 1);
      const [message] = (await bed.overheard()).slice(-1);
      const [record] = await bed.records("work");
      const altered = message!.map((byte, at) => at === 20 ? byte ^ 1 : byte);
      for (const bytes of [message!, altered, record!, text.encode("hello"), new Uint8Array()]) await bed.inject(bytes);
      for (const bytes of [record!, message!, text.encode("hello")]) await bed.injectRecord("work", bytes);
      await bed.injectRecord("other", record!);
      a.bus.send("events", text.encode("twice"));
      await a.bus.append("work", text.encode("twice"), 20_000);
      await b.until(() => b.messages.length >= 2 && b.records.length >= 2);
      assert.deepEqual(b.messages, ["a/1 events once", "a/1 events twice"]);
      assert.deepEqual(b.records.map(read), ["once", "twice"]);
      await until(() => b.bus.counts.foreign + b.bus.counts.replayed >= 9);
    });

    it("a stranger who uses the ids of records before they are appended keeps none of them out", async (bed) => {
      await using a = await join(bed, "a/1");
      await using b = await join(bed, "b/1");
      await b.follow("work");
      await a.bus.append("work", text.encode("first"), 20_000);
      const [id] = await bed.ids("work");
      // The next numbers, where an id ends in one.
      const [, before, last] = /^(.*?)(\d*)$/.exec(id!)!;
      for (let next = Number(last) + 1; next <= Number(last) + 5; next++) {
        await bed.injectRecord("work", text.encode("junk"), `${before}${next}`);
      }
      await a.bus.append("work", text.encode("second"), 20_000);
      await b.until(() => b.records.length >= 2);
      assert.deepEqual(b.records.map(read), ["first", "second"]);
    });

    it("append() of a wire refuses an id that is another record's, and takes that of the same one", async (bed) => {
      await using a = await join(bed, "a/1");
      await a.follow("work");
      const wire = await bed.wire();
      const bytes = text.encode("the record");
      await bed.injectRecord("work", text.encode("junk"), "one");
      await assert.rejects(wire.append("work", bytes, "one", 5000), { code: "EEXIST" });
      const number = await wire.append("work", bytes, "two", 5000);
      assert.equal(await wire.append("work", bytes, "two", 5000), number);
      await wire.close();
    });

    it("what was sent before a master joined is refused when it comes again", async (bed) => {
      await using a = await join(bed, "a/1");
      await bed.runtime.clock.sleep(5);
      a.bus.send("events", text.encode("old"));
      await a.bus.flush();
      await a.bus.append("work", text.encode("old"), 20_000);
      await bed.runtime.clock.sleep(5);
      await using b = await join(bed, "b/1");
      await b.bus.flush();
      await b.follow("work");
      await bed.inject((await bed.overheard()).at(-1)!);
      await bed.injectRecord("work", (await bed.records("work"))[0]!);
      a.bus.send("events", text.encode("new"));
      await a.bus.append("work", text.encode("new"), 20_000);
      await b.until(() => b.messages.length >= 1 && b.records.length >= 1);
      assert.deepEqual(b.messages, ["a/1 events new"]);
      assert.deepEqual(b.records.map(read), ["new"]);
    });

    for (
      const [what, other] of [
        ["another master.pem", { pem: PAIRS.other.privatePem }],
        ["another cluster name", { cluster: "staging" }],
      ] as const
    ) {
      it(`masters with ${what} do not understand each other`, async (bed) => {
        await using a = await join(bed, "a/1");
        await using b = await join(bed, "b/1", other);
        await using c = await join(bed, "c/1");
        await Promise.all([b, c].map(({ bus }) => bus.flush()));
        a.bus.send("events", text.encode("hello"));
        await c.until(() => c.messages.length >= 1);
        await until(() => b.bus.counts.foreign > 0);
        assert.deepEqual(b.messages, []);
      });
    }

    it("rename() begins anew: late messages under the old name are refused by nobody else's fault", async (bed) => {
      await using a = await join(bed, "a/1");
      await using b = await join(bed, "b/1");
      await b.bus.flush();
      a.bus.send("events", text.encode("first"));
      a.bus.rename("a/2");
      a.bus.send("events", text.encode("second"));
      await b.until(() => b.messages.length >= 2);
      assert.deepEqual(b.messages, ["a/1 events first", "a/2 events second"]);
      await a.bus.flush();
      b.bus.send("events", text.encode("answer"), "a/2");
      await a.until(() => a.messages.length >= 1);
    });

    it("close() twice is harmless, and what comes later is dropped", async (bed) => {
      const a = await join(bed, "a/1");
      await a.bus.close();
      await a.bus.close();
      a.bus.send("events", text.encode("late"));
      await assert.rejects(a.bus.append("work", text.encode("late"), 100), { code: "ETIMEDOUT" });
    });
  });
}
