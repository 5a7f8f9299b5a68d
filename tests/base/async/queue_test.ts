import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AsyncQueue } from "../../../src/base/async/queue.ts";

describe("AsyncQueue", { timeout: 120_000 }, () => {
  test("returns items in order, those offered before and after the read", async () => {
    const queue = new AsyncQueue<number>({ limit: 10 });
    queue.offer(1);
    const [first, second] = [queue.next(), queue.next()];
    queue.offer(2);
    assert.deepEqual([await first, await second], [{ value: 1, done: false }, { value: 2, done: false }]);
  });

  test("keeps order over many items, and reports how many wait", async () => {
    const queue = new AsyncQueue<number>({ limit: 1000 });
    for (let n = 0; n < 1000; n++) queue.offer(n);
    assert.equal(queue.size, 1000);
    for (let n = 0; n < 1000; n++) assert.equal((await queue.next()).value, n);
    assert.equal(queue.size, 0);
    assert.equal(queue.poll(), undefined);
  });

  for (
    const [whenFull, want] of [["drop-oldest", [3, 4]], ["drop-newest", [1, 2]]] as const
  ) {
    test(`with ${whenFull} it counts what is lost`, async () => {
      const queue = new AsyncQueue<number>({ limit: 2, whenFull });
      for (const n of [1, 2, 3, 4]) queue.offer(n);
      queue.close();
      const got: number[] = [];
      for await (const n of queue) got.push(n);
      assert.deepEqual(got, want);
      assert.equal(queue.dropped, 2);
    });
  }

  test("push() waits for room, in order, and ends with the queue", async () => {
    const queue = new AsyncQueue<number>({ limit: 1 });
    assert.equal(await queue.push(1), true);
    const order: number[] = [];
    const [second, third] = [2, 3].map((n) => queue.push(n).then((taken) => (taken && order.push(n), taken)));
    assert.equal((await queue.next()).value, 1);
    assert.equal(await second, true);
    assert.deepEqual(order, [2]);
    queue.close();
    assert.equal(await third, false);
    assert.equal((await queue.next()).value, 2);
    assert.equal((await queue.next()).done, true);
  });

  test("close() with an error rejects the read after the last item", async () => {
    const queue = new AsyncQueue<number>({ limit: 3 });
    queue.offer(1);
    queue.close(new Error("gone"));
    assert.equal(queue.offer(2), false);
    assert.equal((await queue.next()).value, 1);
    await assert.rejects(queue.next(), /gone/);
    const waiting = new AsyncQueue<number>({ limit: 1 });
    const read = waiting.next();
    waiting.close(new Error("gone"));
    await assert.rejects(read, /gone/);
  });

  test("leaving the loop closes it", async () => {
    const queue = new AsyncQueue<number>({ limit: 3 });
    for (const n of [1, 2, 3]) queue.offer(n);
    for await (const n of queue) {
      if (n === 1) break;
    }
    assert.equal(queue.closed, true);
  });
});
