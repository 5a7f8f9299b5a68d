import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Deferred, deferred, grouped } from "../../../src/base/async/deferred.ts";

describe("grouped()", () => {
  function scene() {
    const times: Deferred<void>[] = [];
    const ask = grouped(() => {
      times.push(deferred());
      return times.at(-1)!.promise;
    });
    return { times, ask };
  }

  test("calls during a run share the next run, which begins when that one is over", async () => {
    const { times, ask } = scene();
    const first = ask();
    const others = [ask(), ask(), ask()];
    assert.equal(times.length, 1);
    times[0]!.resolve();
    await first;
    while (times.length < 2) await undefined;
    const later = ask();
    times[1]!.resolve();
    await Promise.all(others);
    while (times.length < 3) await undefined;
    times[2]!.resolve();
    await later;
    void ask();
    assert.equal(times.length, 4);
  });

  test("a failure rejects only the calls of that run", async () => {
    const { times, ask } = scene();
    const first = assert.rejects(ask(), /full/);
    const second = ask();
    times[0]!.reject(new Error("full"));
    await first;
    while (times.length < 2) await undefined;
    times[1]!.resolve();
    await second;
  });
});
