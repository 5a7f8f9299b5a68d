import assert from "node:assert/strict";
import { test } from "node:test";
import { LoopDelay } from "../../../cli/daemon/loop_delay.ts";
import { FakeClock } from "../../support/fake_clock.ts";

test("LoopDelay tells how late timers were called", () => {
  const clock = new FakeClock();
  const delay = new LoopDelay(clock);
  const seen: number[] = [];
  delay.onLook = (seconds) => seen.push(seconds);
  clock.advance(250);
  // The loop was busy: what was due is called late.
  clock.set(clock.now() + 100);
  clock.advance(250);
  clock.advance(250);
  assert.deepEqual(seen, [0, 0.1, 0]);
  assert.deepEqual(delay.recent, { mean_ms: 33.3, max_ms: 100, worst_ms: 100 });
  delay.close();
  assert.deepEqual(clock.waits, []);
});
