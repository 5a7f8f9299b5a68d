import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BusEvent, EventData } from "../../src/model/event/bus.ts";

/** A bus under test, over any transport. */
export interface TestBus {
  fire(tag: string, data: EventData): void;
  /** Resolves once events reach the listener; the returned function ends it. */
  listen(listener: (event: BusEvent) => void): Promise<() => void>;
  close(): Promise<void>;
}

/** The promises that a bus keeps in one process and across processes alike. */
export function eventBusContract(name: string, make: () => Promise<TestBus>): void {
  describe(`${name} event bus`, { timeout: 20_000 }, () => {
    /** Listens until `count` events have come. */
    const collect = async (bus: TestBus, count: number) => {
      const events: BusEvent[] = [];
      const full = Promise.withResolvers<BusEvent[]>();
      await bus.listen((event) => {
        events.push(event);
        if (events.length === count) full.resolve(events);
      });
      return full.promise;
    };

    test("every listener gets every event, in the order of firing", async () => {
      const bus = await make();
      const all = [collect(bus, 100), collect(bus, 100)];
      // Each collect() must be listening before the first event.
      const ready = await Promise.all([bus.listen(() => {}), bus.listen(() => {})]);
      for (let n = 0; n < 100; n++) bus.fire(`t/${n}`, { n });
      for (const events of await Promise.all(all)) {
        assert.deepEqual(events.map((event) => event.tag), Array.from({ length: 100 }, (_, n) => `t/${n}`));
        assert.deepEqual(events.map((event) => event.data.n), Array.from({ length: 100 }, (_, n) => n));
      }
      for (const off of ready) off();
      await bus.close();
    });

    test("events are stamped: as the last key if new, else replaced in its place", async () => {
      const bus = await make();
      const both = collect(bus, 2);
      (await bus.listen(() => {}))();
      bus.fire("a", { x: 1 });
      bus.fire("b", { _stamp: "1970", x: 1 });
      const [first, second] = await both;
      assert.deepEqual(Object.keys(first!.data), ["x", "_stamp"]);
      assert.match(String(first!.data._stamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?$/);
      assert.deepEqual(Object.keys(second!.data), ["_stamp", "x"]);
      assert.notEqual(second!.data._stamp, "1970");
      await bus.close();
    });

    test("bytes, nested maps and large values arrive whole", async () => {
      const bus = await make();
      const one = collect(bus, 1);
      (await bus.listen(() => {}))();
      const data = {
        bytes: Uint8Array.of(0, 255),
        text: "zoë",
        deep: { list: [1, [null, true]] },
        large: "x".repeat(300_000),
      };
      bus.fire("a", data);
      const { _stamp, ...got } = (await one)[0]!.data;
      assert.deepEqual({ ...got, bytes: Uint8Array.from(got.bytes as Uint8Array) }, data);
      await bus.close();
    });

    test("a listener that has stopped receives nothing more", async () => {
      const bus = await make();
      let heard = 0;
      const off = await bus.listen(() => heard++);
      const first = collect(bus, 1);
      (await bus.listen(() => {}))();
      bus.fire("a", {});
      await first;
      off();
      const before = heard;
      const second = collect(bus, 1);
      (await bus.listen(() => {}))();
      bus.fire("b", {});
      await second;
      assert.equal(heard, before);
      await bus.close();
    });

    test("a listener that throws does not affect the others", async () => {
      const bus = await make();
      await bus.listen((event) => void event.data.missing);
      const two = collect(bus, 2);
      (await bus.listen(() => {}))();
      bus.fire("a", {});
      bus.fire("b", {});
      assert.equal((await two).length, 2);
      await bus.close();
    });
  });
}
