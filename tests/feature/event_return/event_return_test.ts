import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { turns } from "../../../bench/bed/until.ts";
import { BusEvent } from "../../../src/model/event/bus.ts";
import type { BusPosition } from "../../../src/model/event/follow_bus.ts";
import { eventFilter, EventReturn, type EventReturnSettings } from "../../../src/feature/event_return/event_return.ts";
import { type EventBatch, EventsRefused, type ReturnerModule } from "../../../src/model/loader/family.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { memoryRuntime } from "../../../src/runtime/memory/memory_runtime.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { vectors } from "../../support/vectors.ts";

const { crypto } = await currentRuntime();
const TIMEOUT = { timeout: 120_000 };
const recorded = vectors("event_return/salt");

for (const { whitelist, blacklist, tags, stored } of recorded.filters) {
  test(`whitelist ${JSON.stringify(whitelist)} and blacklist ${JSON.stringify(blacklist)} as in Salt`, () => {
    assert.deepEqual(tags.filter(eventFilter(whitelist, blacklist)), stored);
  });
}

const SETTINGS: EventReturnSettings = { whitelist: [], blacklist: [], queue: 0, queueSeconds: 0, spoolBytes: 1e6 };

/** Keeps what it is given. */
class Store {
  readonly batches: EventBatch[] = [];
  down = false;
  refuses = (_tag: string): boolean => false;
  readonly module: ReturnerModule = {
    returner: () => Promise.resolve(),
    eventReturn: (_context, batch) => {
      this.calls.push(batch);
      if (this.down) return Promise.reject(new Error("the store is down"));
      if (batch.events.some(({ tag }) => this.refuses(tag))) return Promise.reject(new EventsRefused("no"));
      this.batches.push(batch);
      return Promise.resolve();
    },
  };
  readonly calls: EventBatch[] = [];

  get tags(): string[] {
    return this.batches.flatMap(({ events }) => events.map(({ tag }) => tag));
  }
}

/** A host whose process can be killed: what is on its disk stays. */
function host() {
  const clock = new FakeClock();
  const runtime = memoryRuntime({ clock, crypto, later: (call) => void setImmediate(call) });
  const { log, complaints } = captureLog();
  const fired: Record<string, unknown>[] = [];
  const start = (stores: Record<string, Store>, settings: Partial<EventReturnSettings> = {}) => {
    const returns = new EventReturn({
      runtime,
      log,
      settings: { ...SETTINGS, ...settings },
      directory: "/cache/event_return",
      context: { runtime, log, opts: { id: "master" } },
      returners: new Map(Object.entries(stores).map(([name, { module }]) => [name, module])),
      fire: (data) => void fired.push(data),
    });
    returns.run();
    return returns;
  };
  return { clock, runtime, complaints, fired, start };
}

let boots = 0;
/** A bus that fires events by their tags. */
function bus() {
  const boot = `boot${boots++}`;
  let n = 0;
  return (returns: EventReturn, tags: readonly string[], text = ""): BusPosition => {
    if (n === 0) returns.begin({ boot, n });
    for (const tag of tags) returns.take(BusEvent.fromData(tag, { text, _stamp: "x" }), { boot, n: ++n });
    return { boot, n };
  };
}

describe("EventReturn", TIMEOUT, () => {
  for (const { opts, tags, calls } of recorded.batches) {
    test(`${JSON.stringify(opts)}: each store gets what Salt's gets, in that order`, async () => {
      const { event_return: names = "store", event_return_queue: queue = 0, event_return_blacklist: blacklist = [] } =
        opts;
      const stores: Record<string, Store> = {};
      for (const name of [names].flat() as string[]) if (name !== "absent") stores[name] = new Store();
      const { start } = host();
      const returns = start(stores, { queue, blacklist });
      // Real Salt ends at this event; here the master ends the process.
      const end = tags.indexOf("salt/event/exit");
      bus()(returns, end < 0 ? tags : tags.slice(0, end + 1));
      await turns(50);
      await returns.flush();
      await turns(50);
      for (const [name, { tags }] of Object.entries(stores)) {
        const want = calls.filter(([called]: [string]) => called === name).flatMap(([, tags]: [string, string[]]) =>
          tags
        );
        assert.deepEqual(tags, want, name);
      }
      returns.close();
    });
  }

  test("events wait for event_return_queue, or for its seconds", async () => {
    const { clock, start } = host();
    const store = new Store();
    const returns = start({ store }, { queue: 3, queueSeconds: 5 });
    const fire = bus();
    fire(returns, ["a", "b"]);
    await turns(50);
    assert.deepEqual(store.tags, []);
    fire(returns, ["c"]);
    await turns(50);
    assert.deepEqual(store.tags, ["a", "b", "c"]);
    fire(returns, ["d"]);
    await turns(50);
    clock.advance(4999);
    await turns(50);
    assert.equal(store.tags.length, 3);
    clock.advance(1);
    await turns(50);
    assert.deepEqual(store.tags, ["a", "b", "c", "d"]);
    returns.close();
  });

  test("a store that is down gets all in order when it is back, and another one never waits for it", async () => {
    const { clock, start, complaints, fired } = host();
    const [down, up] = [new Store(), new Store()];
    down.down = true;
    const returns = start({ down, up });
    const fire = bus();
    for (let n = 0; n < 20; n++) {
      fire(returns, [`e${n}`]);
      await turns(50);
      clock.advance(100);
    }
    assert.equal(up.tags.length, 20);
    assert.ok(down.calls.length < 8, `${down.calls.length} tries`);
    assert.equal(returns.status().returners.down!.works, false);
    down.down = false;
    clock.advance(60_000);
    await turns(50);
    assert.deepEqual(down.tags, Array.from({ length: 20 }, (_, n) => `e${n}`));
    assert.equal(complaints().length, 1, "one line for one reason");
    assert.deepEqual(fired, []);
    assert.deepEqual(returns.status().returners.down!.waiting, 0);
    returns.close();
  });

  test("a process that is killed leaves what its stores do not have; the same batch comes again under the same id", async () => {
    const { start } = host();
    const store = new Store();
    store.down = true;
    const one = start({ store });
    const last = bus()(one, ["a", "b", "c"]);
    await turns(50);
    const { id } = store.calls[0]!;
    one.close();
    store.down = false;
    const two = start({ store });
    assert.deepEqual(two.last, last, "it goes on behind what it has");
    await turns(50);
    assert.deepEqual(store.tags, ["a", "b", "c"]);
    assert.deepEqual({ id: store.batches[0]!.id, again: store.batches[0]!.again }, { id, again: true });
    two.close();
    const three = start({ store });
    await turns(50);
    assert.equal(store.batches.length, 1, "nothing comes twice after an acknowledgement");
    three.close();
  });

  test("beyond its bound the oldest go, and it says how many: log, event and count agree with what is stored", async () => {
    const { clock, start, fired, complaints } = host();
    const store = new Store();
    store.down = true;
    const returns = start({ store }, { spoolBytes: 200_000 });
    const fire = bus();
    for (let n = 0; n < 1000; n++) {
      fire(returns, [`e${n}`], "x".repeat(1000));
      await turns(50);
    }
    store.down = false;
    clock.advance(100_000);
    await turns(50);
    clock.advance(100_000);
    await turns(50);
    const { lost } = returns.status().returners.store!;
    assert.equal(store.tags.length + lost, 1000);
    assert.ok(lost > 500 && lost < 950, `${lost} lost`);
    assert.equal(store.tags.at(-1), "e999");
    assert.equal(fired.reduce((sum, one) => sum + Number(one.lost), 0), lost);
    assert.ok(complaints().length < 20, "bounded");
    returns.close();
  });

  test("what a store refuses is named and left out, whatever else is in its batch", async () => {
    const { clock, start, fired } = host();
    const store = new Store();
    store.refuses = (tag) => tag === "bad";
    const returns = start({ store }, { queue: 7 });
    bus()(returns, ["a", "b", "bad", "c", "d", "bad", "e"]);
    await turns(50);
    assert.deepEqual(store.tags, ["a", "b", "c", "d", "e"]);
    assert.equal(returns.status().returners.store!.refused, 2);
    clock.advance(20_000);
    assert.deepEqual(fired.map(({ lost }) => lost), [1, 1]);
    returns.close();
  });

  test("a store that does not answer is tried again", async () => {
    const { clock, start } = host();
    const store = new Store();
    let calls = 0;
    const { module: inner } = store;
    const module: ReturnerModule = {
      ...inner,
      eventReturn: (context, batch) => calls++ === 0 ? new Promise(() => {}) : inner.eventReturn!(context, batch),
    };
    const returns = start({ store: Object.assign(store, { module }) });
    bus()(returns, ["a"]);
    await turns(50);
    clock.advance(60_000);
    await turns(50);
    clock.advance(60_000);
    await turns(50);
    assert.deepEqual(store.tags, ["a"]);
    assert.equal(store.batches[0]!.again, true);
    returns.close();
  });

  test("a new store gets what happens from then on, and a spool that was removed begins anew", async () => {
    const { runtime, start } = host();
    const [old, young] = [new Store(), new Store()];
    const fire = bus();
    const one = start({ old });
    fire(one, ["a"]);
    await turns(50);
    one.close();
    const two = start({ old, young });
    fire(two, ["b"]);
    await turns(50);
    two.close();
    assert.deepEqual({ old: old.tags, young: young.tags }, { old: ["a", "b"], young: ["b"] });
    runtime.fs.remove("/cache/event_return/spool", { recursive: true });
    const three = start({ old });
    fire(three, ["c"]);
    await turns(50);
    assert.deepEqual(old.tags, ["a", "b", "c"]);
    three.close();
  });
});
