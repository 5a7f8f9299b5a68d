/** How returns are sent to a master, with a fake clock. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../../../bench/bed/until.ts";
import { type Deferred, deferred } from "../../../../src/base/async/deferred.ts";
import { ReturnSender } from "../../../../src/host/minion/jobs/return_sender.ts";
import { Spool } from "../../../../src/host/minion/jobs/spool.ts";
import { memoryFileSystem } from "../../../../src/runtime/memory/fs.ts";
import { captureLog } from "../../../support/capture_log.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

const MASTER = "tcp://10.0.0.1:4506";
const HOUR = 3_600_000;
const jidOf = (number: number) => `20240506${String(number).padStart(12, "0")}`;

interface Attempt extends Deferred<readonly boolean[] | void> {
  /** One, or those that go together. */
  jid: unknown;
  timeoutMs: number;
}

function desk({ random = 0, together = false } = {}) {
  const clock = new FakeClock();
  const captured = captureLog();
  const spool = new Spool({
    fs: memoryFileSystem({ clock }),
    clock,
    log: captured.log,
    directory: "/returns",
    bytes: 1_000_000,
    ageMs: 24 * HOUR,
    tombstone: (load) => load,
  });
  spool.open();
  const attempts: Attempt[] = [];
  const done: string[] = [];
  const attempted = (jid: unknown, timeoutMs: number) => {
    const attempt = { ...deferred<readonly boolean[] | void>(), jid, timeoutMs };
    attempts.push(attempt);
    return attempt.promise;
  };
  const sender = new ReturnSender({
    clock,
    log: captured.log,
    spool,
    random: () => random,
    send: ({ jid }, timeoutMs) => attempted(jid, timeoutMs),
    sendTogether: (loads, timeoutMs) =>
      attempted(loads.map(({ jid }) => jid), timeoutMs) as Promise<readonly boolean[]>,
    together: () => together,
    leastMs: 5000,
    mostMs: 10_000,
    tries: 3,
    onDone: (jid) => void done.push(jid),
  });
  const push = (number: number, value: unknown = true, cmd = "_return") =>
    sender.push(spool.add(jidOf(number), MASTER, { cmd, jid: jidOf(number), return: value }));
  /** Resolves with an attempt when it is made. */
  const attempt = async (number: number) => {
    await until(() => attempts.length >= number);
    return attempts[number - 1]!;
  };
  return { clock, captured, spool, attempts, done, sender, push, attempt };
}

describe("ReturnSender", () => {
  test("returns are sent in order, one at a time, and removed when the master has them", async () => {
    const { attempts, attempt, done, push, spool } = desk();
    for (const number of [1, 2, 3]) push(number);
    for (const number of [1, 2, 3]) {
      const { jid, resolve } = await attempt(number);
      assert.equal(jid, jidOf(number));
      assert.equal(attempts.length, number);
      assert.equal(spool.size, 4 - number);
      resolve();
    }
    await until(() => done.length >= 3);
    assert.deepEqual(done, [1, 2, 3].map(jidOf));
    assert.equal(spool.size, 0);
  });

  test("a return that is not acknowledged is kept and sent again, with growing pauses, without delaying the others", async () => {
    const { clock, captured, attempt, push, done, spool } = desk();
    push(1);
    push(2);
    (await attempt(1)).reject(new Error("no reply"));
    const other = await attempt(2);
    assert.equal(other.jid, jidOf(2));
    other.resolve();
    const waits: number[] = [];
    for (let number = 3; number < 12; number++) {
      await until(() => clock.waits.length === 1);
      waits.push(clock.waits[0]!);
      clock.advance(clock.waits[0]!);
      const again = await attempt(number);
      assert.equal(again.jid, jidOf(1));
      again.reject(new Error("no reply"));
    }
    assert.deepEqual(waits, [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
    assert.deepEqual(done, [jidOf(2)]);
    assert.equal(spool.size, 1);
    const complaints = captured.records.filter(({ level }) => level === "error");
    assert.deepEqual(complaints.map(({ message }) => message), [
      "return not accepted by the master: kept and sent again",
    ]);
  });

  test("hurry() ends the pause: the master is connected again", async () => {
    const { clock, attempt, push, sender, done } = desk();
    push(1);
    (await attempt(1)).reject(new Error("no reply"));
    await until(() => clock.waits.length === 1);
    sender.hurry();
    (await attempt(2)).resolve();
    await until(() => done.length >= 1);
  });

  for (const by of [HOUR, -HOUR]) {
    test(`a clock that is set ${by > 0 ? "forward" : "back"} keeps no return waiting`, async () => {
      const { clock, attempt, push, done } = desk();
      push(1);
      (await attempt(1)).reject(new Error("no reply"));
      await until(() => clock.waits.length === 1);
      clock.set(clock.now() + by);
      clock.advance(clock.waits[0]!);
      (await attempt(2)).resolve();
      await until(() => done.length >= 1);
    });
  }

  test("returns that wait go in one request to a master that takes several, in order", async () => {
    const { attempt, push, done, spool } = desk({ together: true });
    for (const number of [1, 2, 3]) push(number);
    const first = await attempt(1);
    assert.equal(first.jid, jidOf(1), "the first does not wait");
    for (const number of [4, 5]) push(number);
    first.resolve();
    const second = await attempt(2);
    assert.deepEqual(second.jid, [2, 3, 4, 5].map(jidOf));
    second.resolve([true, true, true, true]);
    await until(() => done.length >= 5);
    assert.deepEqual(done, [1, 2, 3, 4, 5].map(jidOf));
    assert.equal(spool.size, 0);
  });

  test("one request has bounds, and a load that is not a return goes alone", async () => {
    const { attempt, push } = desk({ together: true });
    for (let number = 1; number <= 102; number++) push(number);
    push(103, true, "_jobs");
    push(104);
    push(105, "x".repeat(50_000));
    const sizes: unknown[] = [];
    for (let number = 1; number <= 5; number++) {
      const { jid, resolve } = await attempt(number);
      sizes.push(Array.isArray(jid) ? jid.length : jid);
      resolve(Array.isArray(jid) ? jid.map(() => true) : undefined);
    }
    assert.deepEqual(sizes, [jidOf(1), 100, jidOf(102), jidOf(103), 2]);
    for (let number = 106; number < 110; number++) push(number, "x".repeat(90_000));
    const large = await attempt(6);
    assert.deepEqual(large.jid, [106, 107].map(jidOf));
    large.resolve([true, true]);
    assert.deepEqual((await attempt(7)).jid, [108, 109].map(jidOf));
  });

  test("a return of several that the master could not keep is sent again, alone", async () => {
    const { clock, captured, attempt, push, done } = desk({ together: true });
    for (const number of [1, 2, 3, 4]) push(number);
    (await attempt(1)).resolve();
    (await attempt(2)).resolve([true, false, true]);
    await until(() => clock.waits.length === 1);
    assert.deepEqual(done, [1, 2, 4].map(jidOf));
    push(5);
    const fifth = await attempt(3);
    assert.equal(fifth.jid, jidOf(5));
    fifth.resolve();
    await until(() => clock.waits.length === 1);
    clock.advance(clock.waits[0]!);
    const again = await attempt(4);
    assert.equal(again.jid, jidOf(3));
    again.resolve();
    await until(() => done.length >= 5);
    assert.match(captured.text(), /return not delivered.*could not store it/);
  });

  test("returns of one request without a reply go together again, and are logged once", async () => {
    const { clock, captured, attempt, push, done } = desk({ together: true });
    for (const number of [1, 2, 3]) push(number);
    (await attempt(1)).resolve();
    (await attempt(2)).reject(new Error("no reply"));
    await until(() => clock.waits.length === 1);
    clock.advance(clock.waits[0]!);
    const again = await attempt(3);
    assert.deepEqual(again.jid, [2, 3].map(jidOf));
    again.resolve([true, true]);
    await until(() => done.length >= 3);
    assert.equal(captured.complaints().length, 1);
    assert.equal(captured.records.find(({ level }) => level === "warning")!.fields.returns, 2);
  });

  test("an attempt has the timeout of the options", async () => {
    const { attempt, push } = desk({ random: 0.5 });
    push(1);
    assert.equal((await attempt(1)).timeoutMs, 7500);
  });

  test("after close() nothing is sent, and the rest stays on the disk", async () => {
    const { attempts, attempt, push, sender, spool, done } = desk();
    push(1);
    push(2);
    const first = await attempt(1);
    sender.close();
    first.reject(new Error("closed"));
    await first.promise.catch(() => {});
    sender.hurry();
    push(3);
    assert.equal(attempts.length, 1);
    assert.equal(spool.size, 3);
    assert.deepEqual(done, []);
  });
});
