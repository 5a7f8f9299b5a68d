/** Periodic duties of a master: each by itself, under a clock that the test moves. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { turns } from "../../../bench/bed/until.ts";
import { deferred } from "../../../src/base/async/deferred.ts";
import { carryOut, type Duty } from "../../../src/host/master/duty.ts";
import { captureLog } from "../../support/capture_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";

function scene(duties: Duty[]) {
  const clock = new FakeClock();
  const captured = captureLog();
  const stop = new AbortController();
  const done = carryOut(duties, { clock, log: captured.log }, stop.signal);
  const pass = async (ms: number, times = 1) => {
    for (let time = 0; time < times; time++) {
      await turns();
      clock.advance(ms);
    }
    await turns();
  };
  const end = async () => {
    stop.abort();
    await done;
  };
  return { clock, captured, stop, done, pass, end };
}

/** A duty that counts its runs. */
function counted(everyMs: number, run: (at: number) => void | Promise<void> = () => {}) {
  const duty = { name: "count", everyMs, runs: 0, run: () => run(++duty.runs) };
  return duty;
}

describe("carryOut()", { timeout: 60_000 }, () => {
  test("each duty runs at once, and then again after its own time", async () => {
    const [often, seldom] = [counted(1000), counted(10_000)];
    const { pass, end } = scene([often, seldom]);
    await pass(1000, 10);
    assert.deepEqual([often.runs, seldom.runs], [11, 2]);
    await end();
  });

  test("a duty that fails stops neither the others nor itself; its failure is logged once, and again when it is another", async () => {
    let reason = "ENOSPC: no space";
    const failing = counted(1000, () => {
      if (reason !== "") throw new Error(reason);
    });
    const other = counted(1000);
    const { pass, end, captured } = scene([failing, other]);
    await pass(1000, 30);
    reason = "EMFILE: too many open files";
    await pass(1000, 30);
    reason = "";
    await pass(1000);
    assert.deepEqual([failing.runs, other.runs], [62, 62]);
    assert.deepEqual(captured.records.map(({ level, message, fields }) => [level, message, fields]), [
      ["error", "maintenance failed", { duty: "count", error: "ENOSPC: no space" }],
      ["error", "maintenance failed", { duty: "count", error: "EMFILE: too many open files" }],
      ["info", "maintenance works again", { duty: "count", failed_runs: 61 }],
    ]);
    await end();
  });

  test("a failure that goes on is logged again every ten minutes", async () => {
    const failing = counted(60_000, () => Promise.reject(new Error("no")));
    const { pass, end, captured } = scene([failing]);
    await pass(60_000, 25);
    assert.equal(captured.complaints().length, 3);
    await end();
  });

  test("a duty that takes long delays no other, and does not overlap itself", async () => {
    const gate = deferred<void>();
    const [slow, other] = [counted(1000, () => gate.promise), counted(1000)];
    const { pass, end } = scene([slow, other]);
    await pass(1000, 5);
    assert.deepEqual([slow.runs, other.runs], [1, 6]);
    gate.resolve();
    await pass(1000, 2);
    assert.equal(slow.runs, 3);
    await end();
  });

  for (const [name, byMs] of [["an hour forward", 3_600_000], ["an hour back", -3_600_000]] as const) {
    test(`a clock that is set by ${name} neither floods nor stalls them`, async () => {
      const duty = counted(60_000);
      const { pass, end, clock } = scene([duty]);
      await pass(60_000, 3);
      clock.set(clock.now() + byMs);
      await pass(1000);
      assert.equal(duty.runs, 4);
      await pass(59_000);
      await pass(60_000);
      assert.equal(duty.runs, 6);
      await end();
    });
  }

  test("a duty that does not end is left after ten seconds, and named", async () => {
    const { done, stop, clock, captured } = scene([counted(1000, () => new Promise(() => {}))]);
    await turns();
    stop.abort();
    await turns();
    clock.advance(10_000);
    await done;
    assert.deepEqual(captured.records.map(({ message, fields }) => [message, fields]), [
      ["maintenance not finished: the master is stopping", { duties: ["count"] }],
    ]);
  });

  test("nothing is left waiting once all have ended", async () => {
    const { end, clock } = scene([counted(1000), counted(60_000)]);
    await turns();
    await end();
    await turns();
    assert.deepEqual(clock.waits, []);
  });
});
